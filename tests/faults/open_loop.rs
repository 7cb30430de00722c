//! A server that stands still within the window of an open loop: all who were
//! due meanwhile have waited, and the results say so.

use std::time::Duration;

use crate::database::Server;
use crate::private::Private;
use crate::program::{Results, Row, number};

const FROZEN: Duration = Duration::from_secs(2);

pub fn a_frozen_server_is_seen_by_all_who_were_due(server: Server) {
    let Some(private) = Private::start(server, &[]) else {
        return;
    };
    private.database.prepare(1, 1000);
    let (all, results) = run_frozen(&private, &[]);
    assert_accounted_for(&all);
    assert_eq!(
        (number(&all, "offered"), number(&all, "not_started")),
        (1400, 0)
    );
    // A seventh of the window's transactions waited, up to 2 s and evenly spread:
    // one in a hundred of all for longer than 1.93 s.
    let p99 = number(&all, "response_p99_us");
    assert!((1_700_000..20_000_000).contains(&p99), "{all:?}");
    assert!(number(&all, "response_p50_us") < 200_000, "{all:?}");
    // 16 clients waited within it, of 1,400 transactions: not in the p95.
    assert!(number(&all, "p95_us") < 200_000, "{all:?}");
    let rows = results.intervals("measure");
    let still = rows
        .iter()
        .filter(|row| row["done"] == "0" && number(row, "backlog") > 0);
    assert!(still.count() >= 1, "{rows:?}");
    assert_eq!(rows.len(), 7);

    let (all, _) = run_frozen(&private, &["--late-limit", "10ms"]);
    assert_accounted_for(&all);
    // At 200 a second.
    assert!(number(&all, "skipped_late") > 300, "{all:?}");
    assert!(number(&all, "response_max_us") >= 1_900_000, "{all:?}");
}

/// 200 due a second for 7 s, the server frozen from the third second on.
fn run_frozen(private: &Private, more: &[&str]) -> (Row, Results) {
    // Each run has a results folder of its own.
    let folder = private.database.results();
    if folder.exists() {
        std::fs::rename(&folder, folder.with_extension("first")).unwrap();
    }
    let mut arguments = vec!["run", "oltp_point_select", "--set", "distribution=uniform"];
    arguments.extend(["--rate", "200", "--arrivals", "constant", "--clients", "16"]);
    arguments.extend(["--warmup", "1s", "--time", "7s", "--grace", "5s"]);
    arguments.extend(more);
    let mut running = private.database.start(&arguments);
    running.wait_for_second(1);
    let frozen = private.freeze();
    std::thread::sleep(FROZEN);
    drop(frozen);
    let (_, results) = running.wait();
    (results.summary(), results)
}

fn assert_accounted_for(all: &Row) {
    let ended = ["done", "rolled_back", "failed", "unfinished"];
    let never = ["skipped_late", "not_started"];
    let parts = ended.iter().chain(&never);
    let sum: u64 = parts.map(|column| number(all, column)).sum();
    assert_eq!(sum, number(all, "offered"), "{all:?}");
}
