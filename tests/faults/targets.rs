//! Several servers, or several databases of one, as the targets of a run.

use crate::database::Database;
use crate::journal;
use crate::program::number;

pub fn clients_are_dealt_to_two_databases(first: &Database) {
    let server = crate::database::Server::ALL
        .into_iter()
        .find(|server| server.engine() == first.engine);
    let second = Database::on(server.unwrap()).unwrap();
    let workload = journal::prepare(first);
    journal::prepare(&second);
    let run = [
        "run",
        &workload,
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "1s",
    ];
    let both = ["--url", first.url.as_str(), "--url", second.url.as_str()];
    let output = first.tiermark(&[&run[..], &both].concat()).expect(0);
    let all = output.results().summary();
    let (here, there) = (journal::added(first), journal::added(&second));
    assert!(here > 0 && there > 0, "{here} and {there}");
    assert_eq!(here + there, number(&all, "done") + number(&all, "drained"));
    let manifest = output.results().manifest();
    let shown = manifest["target"]["url"].as_str().unwrap();
    assert!(
        shown.contains(first.name()) && shown.contains(second.name()),
        "{shown}"
    );
    for database in [first, &second] {
        assert_eq!(database.sessions(), [""; 0]);
    }

    // One that was not prepared alike is refused, whichever comes first.
    second.tiermark(&["cleanup", &workload]).expect(0);
    for urls in [[first, &second], [&second, first]] {
        let urls = urls.map(|database| database.url.as_str());
        let several = ["--url", urls[0], "--url", urls[1]];
        let output = first.tiermark(&[&run[..], &several].concat()).expect(2);
        assert!(
            output.stderr.contains("tiermark prepare"),
            "{}",
            output.stderr
        );
    }
    let mixed = ["--url", first.url.as_str(), "--url", "sqlite:other.db"];
    let output = first.tiermark(&[&run[..], &mixed].concat()).expect(2);
    assert!(output.stderr.contains("one engine"), "{}", output.stderr);
    assert_eq!(journal::added(first), here);
}
