//! `demo`: the whole way with nothing installed.

use crate::place::Place;
use crate::table::cells;

/// What a run leaves in its folder.
pub const FILES: [&str; 8] = [
    "environment.json",
    "errors.csv",
    "intervals.csv",
    "latency.hlog",
    "manifest.toml",
    "percentiles.csv",
    "statements.csv",
    "summary.csv",
];

#[test]
fn the_demo_ends_with_the_folder_of_its_results() {
    let place = Place::new();
    let said = place.run(&["demo", "--out", "out"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let folder = place.path(said.out.lines().last().unwrap());
    assert_eq!(folder.parent(), Some(place.path("out").as_path()));
    for file in FILES {
        let length = folder.join(file).metadata().map(|found| found.len());
        assert!(length.is_ok_and(|length| length > 0), "{file}");
    }
    let runs = cells(
        &place.path("out/runs.csv"),
        "transaction engine workload clients",
    );
    assert_eq!(runs, ["all sqlite oltp_read_write 8"]);
    assert!(said.out.contains("transactions"), "{}", said.out);
    // Seconds of warm-up and window, in order, each once.
    let seconds = cells(&folder.join("intervals.csv"), "transaction phase second");
    let measured = seconds.iter().filter(|row| row.starts_with("all measure "));
    let expected: Vec<String> = (0..10)
        .map(|second| format!("all measure {second}"))
        .collect();
    assert_eq!(measured.cloned().collect::<Vec<_>>(), expected);
    // The database of the demo is gone, and nothing lies beside the results.
    assert_eq!(place.files(), ["out"]);
    let left: Vec<String> = std::fs::read_dir(place.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".demo"))
        .collect();
    assert_eq!(left, [""; 0]);
}
