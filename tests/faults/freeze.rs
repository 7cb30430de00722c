//! A server that stands still across the end of a run: nobody answers, not even
//! to be told to stop. The run ends all the same and says what it left behind.

use std::time::{Duration, Instant};

use crate::database::Server;
use crate::journal;
use crate::private::Private;
use crate::program::number;

pub fn a_frozen_server_does_not_hold_up_the_end(server: Server) {
    let Some(private) = Private::start(server, &[]) else {
        return;
    };
    let database = &private.database;
    let workload = journal::prepare(database);
    let start = Instant::now();
    let mut running = database.start(&[
        "run",
        &workload,
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "2s",
        "--grace",
        "1s",
    ]);
    running.wait_for_second(0);
    let frozen = private.freeze();
    let (output, results) = running.wait();
    // Window, grace, and a second for each step of stopping: six or so.
    assert!(start.elapsed() < Duration::from_mins(1));
    drop(frozen);

    let output = output.expect(1);
    for code in ["left_running", "unfinished"] {
        assert!(output.stdout.contains(code), "{}", output.stdout);
    }
    let all = results.summary();
    let warnings: Vec<&str> = all["warnings"].split(' ').collect();
    for code in ["left_running", "unfinished"] {
        assert!(warnings.contains(&code), "{warnings:?}");
    }
    assert_eq!(all["measured_s"], "2");
    assert_eq!(all["unfinished"], "4");
    assert_eq!(results.seconds("measure"), ["0", "1"]);
    assert_eq!(results.state(), "finished");
    // What was left behind may come to its end now, once each.
    let done = number(&all, "done") + number(&all, "drained");
    let added = journal::added(database);
    assert!((done..=done + 4).contains(&added), "{added}: {all:?}");
}
