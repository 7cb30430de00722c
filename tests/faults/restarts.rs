//! A server that goes away in the middle of a run and comes back: one outage of
//! known length, and nothing lost or done twice.

use std::time::{Duration, Instant};

use crate::database::Server;
use crate::journal;
use crate::private::Private;
use crate::program::{errors_of, number, real};

/// Recovery after a crash takes a few seconds of it.
const TIME: u64 = 12;
const AWAY: Duration = Duration::from_millis(1500);

pub fn a_restart_is_one_outage(server: Server) {
    let Some(private) = Private::start(server, &[]) else {
        return;
    };
    let workload = journal::prepare(&private.database);
    let mut before = 0;
    for go_away in [Private::stop, Private::kill] {
        before += one_outage(&private, &workload, before, go_away);
        std::fs::remove_dir_all(private.database.results()).unwrap();
    }
}

pub fn one_that_stays_away_is_an_outage_too(server: Server) {
    let Some(private) = Private::start(server, &[]) else {
        return;
    };
    let workload = journal::prepare(&private.database);
    let arguments = ["run", &workload, "--clients", "4", "--warmup", "0s"];
    let mut running = private
        .database
        .start(&[&arguments[..], &["--time", "4s"]].concat());
    running.wait_for_second(0);
    private.kill();
    let (_, results) = running.wait();
    let all = results.summary();
    // Until the window's end.
    assert!(real(&all, "outage_s") > 1.0, "{all:?}");
    assert!(all["warnings"].contains("outage"), "{all:?}");
    let errors = results.csv("errors.csv");
    let outages: Vec<_> = errors
        .iter()
        .filter(|row| row["class"] == "outage")
        .collect();
    assert_eq!(outages.len(), 1, "{errors:?}");
    assert_eq!(outages[0]["count"], "4");
    assert!(!outages[0]["message"].is_empty());
}

/// Tells how many rows the run has added.
fn one_outage(private: &Private, workload: &str, before: u64, go_away: fn(&Private)) -> u64 {
    let database = &private.database;
    let time = format!("{TIME}s");
    let arguments = ["run", workload, "--clients", "4", "--warmup", "0s"];
    let start = Instant::now();
    let mut running = database.start(&[&arguments[..], &["--time", &time]].concat());
    running.wait_for_second(0);
    go_away(private);
    let gone = Instant::now();
    std::thread::sleep(AWAY);
    private.again();
    let away = gone.elapsed();
    let (output, results) = running.wait();
    // Four failures may be more than one in a hundred on a slow machine.
    let said = output.everything();
    assert!(matches!(output.status, Some(0 | 1)), "{said}");
    assert!(start.elapsed() < Duration::from_secs(10 * TIME));

    let all = results.summary();
    assert_eq!(all["measured_s"], TIME.to_string());
    let dense: Vec<String> = (0..TIME).map(|second| second.to_string()).collect();
    assert_eq!(results.seconds("measure"), dense);
    let intervals = results.intervals("measure");
    let clients: Vec<u64> = intervals.iter().map(|row| number(row, "clients")).collect();
    assert!(clients.contains(&0), "{clients:?}");
    assert_eq!(clients.last(), Some(&4), "{clients:?}");
    assert_ne!(intervals.last().unwrap()["done"], "0");

    let errors = results.csv("errors.csv");
    let outages: Vec<_> = errors
        .iter()
        .filter(|row| row["class"] == "outage")
        .collect();
    assert_eq!(outages.len(), 1, "{errors:?}");
    assert_eq!(outages[0]["count"], "4", "{errors:?}");
    let lost = real(outages[0], "seconds_lost");
    // The clients notice a little later that it is gone.
    assert!(lost > away.as_secs_f64() - 0.5, "{lost} of {away:?}");
    #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
    let all_of_it = TIME as f64;
    assert!(lost < all_of_it, "{lost}");

    assert_eq!(number(&all, "disconnects"), 4, "{errors:?}");
    assert_eq!(errors_of(&errors, "retried"), 0, "{errors:?}");
    for zero in ["retries", "unfinished"] {
        assert_eq!(all[zero], "0", "{all:?}");
    }
    let added = journal::added(database) - before;
    journal::assert_conserved(&all, added);
    added
}
