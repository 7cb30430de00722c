//! `[run] prewarm`: every page of tables and indexes is read, and none of it is
//! counted as work of the run.

use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::PATIENCE;

const ROWS: u32 = 20_000;

fn run(database: &Database, prewarm: bool) {
    let set = format!("run.prewarm={prewarm}");
    let arguments = [
        "run",
        "oltp_point_select",
        "--transactions",
        "10",
        "-c",
        "2",
        "--set",
        &set,
    ];
    let output = database.tiermark(&arguments).expect(0);
    let scans = match database.engine {
        // The primary key is an index of its own there.
        Engine::Postgres => 6,
        _ => 4,
    };
    let said = format!("prewarm: {scans} scans in ");
    assert_eq!(output.stderr.contains(&said), prewarm, "{}", output.stderr);
    let results = output.results();
    assert_eq!(
        results.manifest()["run"]["prewarm"].as_bool(),
        Some(prewarm)
    );
    assert_eq!(results.statements()["point_select point_select"], (10, 10));
}

/// Pages of tables and of their indexes that were asked for so far, by the
/// statistics of PostgreSQL.
fn pages_read(database: &Database) -> [i64; 2] {
    ["heap_blks", "idx_blks"].map(|what| {
        database.number(&format!(
            "SELECT CAST(sum({what}_read + {what}_hit) AS bigint) FROM pg_statio_user_tables WHERE relname LIKE 'sbtest%'"
        ))
    })
}

fn pages(database: &Database, kind: char) -> i64 {
    database.number(&format!(
        "SELECT CAST(sum(pg_relation_size(c.oid) / 8192) AS bigint) FROM pg_class c \
         WHERE c.relkind = '{kind}' AND (c.relname LIKE 'sbtest%' OR c.relname LIKE 'k_%')"
    ))
}

pub fn tables_and_indexes_are_read_through(database: &Database) {
    database.prepare(2, ROWS);
    if database.engine != Engine::Postgres {
        run(database, true);
        run(database, false);
        return;
    }
    let there = [pages(database, 'r'), pages(database, 'i')];
    assert!(there[0] >= 1082 && there[1] > 100, "{there:?}");
    let since = |before: [i64; 2]| {
        let after = pages_read(database);
        [after[0] - before[0], after[1] - before[1]]
    };
    let before = pages_read(database);
    run(database, false);
    let cold = since(before);
    assert!(
        cold[0] < there[0] && cold[1] < there[1],
        "{cold:?} of {there:?}"
    );

    let before = pages_read(database);
    run(database, true);
    // Sessions hand their statistics in as they end, which may be after the run has.
    let waited = Instant::now();
    loop {
        let warm = since(before);
        // Meta pages and the root's upper levels are not read by a scan.
        if (0..2).all(|kind| warm[kind] * 10 >= there[kind] * 9) {
            break;
        }
        assert!(waited.elapsed() < PATIENCE, "{warm:?} of {there:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
