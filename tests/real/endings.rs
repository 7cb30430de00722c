//! Runs that end before their time: what has been measured until then is there.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::database::Database;
use crate::program::{Running, real};

fn start(database: &Database) -> Running {
    database.prepare(1, 1000);
    let mut running = database.start(&[
        "run",
        "oltp_read_write",
        "--clients",
        "4",
        "--warmup",
        "2s",
        "--time",
        "5m",
    ]);
    running.wait_for_second(0);
    running
}

pub fn a_killed_run_leaves_its_seconds(database: &Database) {
    let running = start(database);
    std::thread::sleep(Duration::from_millis(3500));
    let results = running.kill();

    // Second 0 was over, and then 1 to 3 passed; one is for a slow machine.
    let seconds = results.seconds("");
    let dense: Vec<String> = (-2..)
        .take(seconds.len())
        .map(|at: i64| at.to_string())
        .collect();
    assert_eq!(seconds, dense);
    assert!(seconds.len() >= 5, "{seconds:?}");
    assert_eq!(results.seconds("warmup"), ["-2", "-1"]);
    let done = results.intervals("measure");
    assert!(done.iter().any(|row| row["done"] != "0"));

    assert_eq!(results.state(), "running");
    assert!(!results.has("summary.csv"));
    assert!(!database.results().join("runs.csv").exists());
}

pub fn an_interrupted_run_is_marked(database: &Database) {
    let running = start(database);
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    let (output, results) = running.wait();
    let output = output.expect(1);
    assert_eq!(output.results().folder, results.folder);

    let all = results.summary();
    let warnings: Vec<&str> = all["warnings"].split(' ').collect();
    assert!(warnings.contains(&"interrupted"), "{warnings:?}");
    assert!(real(&all, "measured_s") >= 1.0);
    assert!(real(&all, "measured_s") < 200.0);
    assert_ne!(all["done"], "0");
    assert_eq!(all["failed"], "0");
    assert_eq!(all, results.only_run());
    assert_eq!(results.state(), "interrupted");
    for file in ["statements.csv", "errors.csv", "percentiles.csv"] {
        assert!(results.has(file), "{file}");
    }
    if database.is_server() {
        assert_eq!(database.sessions(), [""; 0]);
    }
    // What was under way has come to its end: a deleted row is back.
    assert_eq!(database.count("sbtest1"), 1000);
}
