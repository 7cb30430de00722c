//! A lock that no client gets past: the run ends on time all the same, says
//! what it saw, and leaves nothing on the server that goes on later.

use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::connection::Connection;
use crate::database::Database;
use crate::program::{number, real, sbtest};

/// For statements that have been left behind to do their harm.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// Takes the table for this connection alone.
pub fn lock(holder: &mut Connection, engine: Engine) {
    match engine {
        Engine::Postgres => {
            holder.run("BEGIN");
            holder.run("LOCK TABLE sbtest1 IN ACCESS EXCLUSIVE MODE");
        }
        // It waits a tenth of a second among eight that write all the time.
        Engine::Sqlite => while holder.try_run("BEGIN IMMEDIATE").is_err() {},
        _ => holder.run("LOCK TABLES sbtest1 WRITE"),
    }
}

pub fn unlock(holder: &mut Connection, engine: Engine) {
    holder.run(match engine {
        Engine::Postgres | Engine::Sqlite => "ROLLBACK",
        _ => "UNLOCK TABLES",
    });
}

pub fn a_lock_does_not_hold_up_the_end(database: &Database) {
    database.prepare(1, 1000);
    let rows = sbtest(1);
    let mut holder = database.connect(&[&rows]);
    let arguments = [
        "run",
        "oltp_read_write",
        "--clients",
        "8",
        "--warmup",
        "1s",
        "--time",
        // The lock itself may have to wait for a deadlock to be found, a second.
        "6s",
        "--grace",
        "1s",
    ];
    let start = Instant::now();
    let mut running = database.start(&arguments);
    // Statements are prepared by then, which on some servers takes a lock.
    running.wait_for_second(-1);
    lock(&mut holder, database.engine);
    // The lock stays until the program has ended: it cannot wait for it.
    let (output, results) = running.wait();
    assert!(start.elapsed() >= Duration::from_secs(4));
    if database.is_server() {
        assert_eq!(database.sessions(), [""; 0], "left on the server");
    }
    let output = output.expect(1);

    let all = results.summary();
    assert_eq!(all["measured_s"], "6");
    assert_eq!(all["unfinished"], "8");
    #[expect(clippy::cast_precision_loss, reason = "a test's few transactions")]
    let done = number(&all, "done") as f64;
    assert!((real(&all, "tps") - done / 6.0).abs() < 0.001, "{all:?}");
    assert!(number(&all, "max_us") >= 1_000_000, "{all:?}");
    assert_eq!(all["failed"], "0", "{:?}", results.csv("errors.csv"));
    let warnings: Vec<&str> = all["warnings"].split(' ').collect();
    assert!(warnings.contains(&"unfinished"), "{warnings:?}");
    assert!(!warnings.contains(&"left_running"), "{warnings:?}");
    assert!(output.stderr.contains("unfinished") || output.stdout.contains("unfinished"));

    assert_eq!(results.seconds("warmup"), ["-1"]);
    assert_eq!(results.seconds("measure"), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(results.seconds("drain")[0], "6");
    let latencies = ["mean_us", "p50_us", "p95_us", "p99_us", "max_us"];
    let blocked = results.intervals("measure").pop();
    for row in blocked.iter().chain(&results.intervals("drain")) {
        assert_eq!(row["done"], "0", "{row:?}");
        assert!(
            latencies.iter().all(|column| row[*column].is_empty()),
            "{row:?}"
        );
    }
    assert_eq!(blocked.unwrap()["clients"], "8");

    let behind_the_lock = holder.content(0);
    assert_eq!(behind_the_lock.rows, 1000);
    unlock(&mut holder, database.engine);
    std::thread::sleep(AFTERWARDS);
    assert_eq!(database.content(&rows), behind_the_lock);
}
