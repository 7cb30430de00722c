//! Open loops on a server: one that cannot keep up, and one that can.

use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::{Row, number, real};

/// A statement that takes at least 20 ms, so that no more than 50 a second and
/// client are possible.
fn nap(database: &Database) -> String {
    const NAP: &str = r#"
about = "sleeps"
sql = "nap"
[[transaction]]
name = "nap"
steps = [{ run = ["nap"] }]
"#;
    let sleep = match database.engine {
        Engine::Postgres => "SELECT pg_sleep(0.02)",
        _ => "SELECT SLEEP(0.02)",
    };
    database.workload("nap", NAP, &format!("-- name: nap\n{sleep}\n"))
}

fn assert_accounted_for(all: &Row) {
    let parts = [
        "done",
        "rolled_back",
        "failed",
        "unfinished",
        "skipped_late",
        "not_started",
    ];
    let sum: u64 = parts.iter().map(|column| number(all, column)).sum();
    assert_eq!(sum, number(all, "offered"), "{all:?}");
}

pub fn more_than_the_capacity_is_said_to_be_so(database: &Database) {
    let workload = nap(database);
    let start = Instant::now();
    // Three times what two clients can do at best.
    let mut running = database.start(&[
        "run",
        &workload,
        "--rate",
        "300",
        "--clients",
        "2",
        "--warmup",
        "1s",
        "--time",
        "6s",
    ]);
    running.wait_for_second(0);
    let early = resident_kb(running.child.id());
    running.wait_for_second(4);
    let late = resident_kb(running.child.id());
    let (output, results) = running.wait();
    assert!(start.elapsed() < Duration::from_secs(70));
    // A backlog of a thousand and more costs nothing.
    assert!(late < early + 20_000, "{early} kB, then {late} kB");

    let output = output.expect(1);
    assert!(output.stdout.contains("warning (exit status 1) saturated"));
    assert!(output.stdout.contains("not started"), "{}", output.stdout);
    assert!(output.stdout.contains("of the warm-up waited at its end"));
    let all = results.summary();
    assert_accounted_for(&all);
    // 300 a second for 6 s, four standard deviations of a Poisson count.
    assert!(number(&all, "offered").abs_diff(1800) < 4 * 43, "{all:?}");
    let done = real(&all, "done") / real(&all, "offered");
    assert!(done > 0.0 && done < 0.36, "{done}");
    assert_eq!(all["arrivals"], "poisson");
    assert_eq!(all["rate_offered"], "300");
    assert!(number(&all, "response_p99_us") > 1_000_000);
    let backlog: Vec<u64> = results
        .intervals("measure")
        .iter()
        .map(|row| number(row, "backlog"))
        .collect();
    assert!(backlog.is_sorted() && backlog[5] > 800, "{backlog:?}");
}

pub fn what_it_can_do_is_done_in_time(database: &Database) {
    let workload = nap(database);
    let arguments = [
        "run",
        &workload,
        "--rate",
        "50",
        "--arrivals",
        "constant",
        "--schedule",
        "per_client",
        "--clients",
        "10",
        "--warmup",
        "0s",
        "--time",
        "4s",
        "--sla",
        "10s",
    ];
    // On a busy machine the client may have been late: `client_bound`.
    let all = database.tiermark(&arguments).results().summary();
    assert_accounted_for(&all);
    assert!(!all["warnings"].contains("saturated"), "{all:?}");
    assert_eq!((number(&all, "offered"), number(&all, "done")), (200, 200));
    assert_eq!(all["within_sla_pct"], "100");
    assert!(number(&all, "min_us") >= 20_000);
    // A budget of a millisecond, times a hundred: of 200 it is the third worst.
    assert!(number(&all, "gen_lag_p99_us") < 100_000, "{all:?}");
}

fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.unwrap().trim().trim_end_matches(" kB");
    kb.parse().unwrap()
}
