//! What `[run] session` and `isolation` tell each session: in force for every
//! client, also after its connection was lost, and said in the results.

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::{Results, number};

/// One statement, which finds its row where the sessions are as they should be.
const TOML: &str = r#"
about = "one row, found by those who were told"
sql = "told"
[draw]
id = { kind = "uniform", min = 1, max = 10 }
[[table]]
name = "told"
create = "create_told"
rows = 10
columns = { id = "seq" }
[[transaction]]
name = "look"
atomic = true
steps = [{ run = ["look"] }]
"#;

/// Prepares a workload whose statement finds its row only under `condition`.
fn prepared(database: &Database, condition: &str) -> String {
    let sql = format!(
        "-- name: create_told\nCREATE TABLE told (id INTEGER NOT NULL, PRIMARY KEY (id))\n\
         -- name: look\nSELECT id FROM told WHERE id = :id AND {condition}\n"
    );
    // The condition is of one engine.
    let engine = format!("engines = [\"{}\"]\n", database.engine);
    let toml = TOML.replacen("sql =", &format!("{engine}sql ="), 1);
    let workload = database.workload("told", &toml, &sql);
    database.tiermark(&["prepare", &workload]).expect(0);
    workload
}

fn assert_all_told(results: &Results) {
    let all = results.summary();
    assert_ne!(all["done"], "0");
    assert_eq!(all["empty"], "0", "{:?}", results.csv("statements.csv"));
}

pub fn every_client_is_told_first(database: &Database) {
    let (statement, condition) = match database.engine {
        Engine::Postgres => (
            "SET application_name = 'told'",
            "current_setting('application_name') = 'told'",
        ),
        Engine::Sqlite => (
            "PRAGMA cache_size = 77",
            "(SELECT cache_size FROM pragma_cache_size) = 77",
        ),
        _ => ("SET @told = 77", "@told = 77"),
    };
    let workload = prepared(database, condition);
    let set = format!("run.session=[\"{statement}\"]");
    let mut running = database.start(&[
        "run",
        &workload,
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "2s",
        "--error-limit",
        "100%",
        "--set",
        &set,
    ]);
    running.wait_for_second(0);
    if database.is_server() {
        assert_eq!(database.kill_sessions(), 5);
    }
    let (output, results) = running.wait();
    assert_eq!(output.status, Some(0), "{}", output.everything());
    assert_all_told(&results);
    if database.is_server() {
        assert_eq!(results.summary()["disconnects"], "4");
    }
    let manifest = results.manifest();
    let said = manifest["run"]["session"].as_array().unwrap();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].as_str(), Some(statement));

    // The manifest repeats it, and without it nobody is told.
    let path = results.folder.join("manifest.toml");
    let again = ["run", path.to_str().unwrap(), "--time", "300ms"];
    assert_all_told(&database.tiermark(&again).expect(0).results());
    let untold = ["run", &workload, "--transactions", "20"];
    let untold = database.tiermark(&untold).expect(0).results();
    assert_eq!(number(&untold.summary(), "empty"), 20);
}

pub fn a_refused_session_statement_ends_the_run(database: &Database) {
    database.prepare(1, 100);
    let arguments = [
        "run",
        "oltp_read_write",
        "--set",
        "run.session=[\"SELECT 1\", \"SELEKT 2\"]",
    ];
    let output = database.tiermark(&arguments).expect(3);
    assert!(output.stderr.contains("`SELEKT 2`"), "{}", output.stderr);
    assert_eq!(output.stdout, "");
    assert!(!database.results().exists());
}

pub fn what_is_done_is_committed_whatever_sessions_were_told(database: &Database) {
    let insert = [
        "prepare",
        "oltp_insert",
        "--set",
        "tables=1",
        "--set",
        "rows=100",
    ];
    database.tiermark(&insert).expect(0);
    let told = match database.engine {
        Engine::Postgres | Engine::Sqlite => ["BEGIN", "SELECT 1"],
        _ => ["START TRANSACTION", "SET autocommit = 0"],
    };
    let set = format!("run.session={told:?}");
    let arguments = [
        "run",
        "oltp_insert",
        "--transactions",
        "20",
        "--set",
        &set,
        "-c",
        "2",
    ];
    let all = database.tiermark(&arguments).expect(0).results().summary();
    assert_eq!((&*all["done"], &*all["failed"]), ("20", "0"));
    assert_eq!(database.count("sbtest1"), 120);
}

pub fn sessions_that_are_led_elsewhere_are_refused(database: &Database) {
    let statement = match database.engine {
        Engine::Postgres => "SET search_path = pg_catalog",
        Engine::Sqlite => return,
        _ => "USE information_schema",
    };
    database.prepare(1, 100);
    let set = format!("run.session=[\"{statement}\"]");
    let arguments = ["run", "oltp_read_write", "--set", &set];
    let output = database.tiermark(&arguments).expect(2);
    assert!(output.stderr.contains("in the URL"), "{}", output.stderr);
    assert!(!database.results().exists());
}

pub fn the_isolation_is_in_force_and_recorded(database: &Database) {
    let condition = match database.engine {
        Engine::Postgres => "current_setting('transaction_isolation') = 'serializable'",
        Engine::Mariadb => "@@tx_isolation = 'SERIALIZABLE'",
        Engine::Mysql => "@@transaction_isolation = 'SERIALIZABLE'",
        // Nothing else is to be had.
        Engine::Sqlite | Engine::Null => "1 = 1",
    };
    let workload = prepared(database, condition);
    let run = |isolation: &str| {
        let set = format!("run.isolation={isolation}");
        database.tiermark(&[
            "run",
            &workload,
            "--transactions",
            "20",
            "-c",
            "2",
            "--set",
            &set,
        ])
    };
    let results = run("serializable").expect(0).results();
    assert_all_told(&results);
    assert_eq!(results.summary()["isolation"], "serializable");

    let path = results.folder.join("manifest.toml");
    let again = database
        .tiermark(&["run", path.to_str().unwrap()])
        .expect(0);
    assert_all_told(&again.results());

    for other in ["read committed", "repeatable read"] {
        if !database.is_server() {
            let output = run(other).expect(2);
            assert!(output.stderr.contains(other), "{}", output.stderr);
            continue;
        }
        let results = run(other).expect(0).results();
        assert_eq!(number(&results.summary(), "empty"), 20, "{other}");
        assert_eq!(results.summary()["isolation"], other);
    }
    let output = run("strict").expect(2);
    assert!(
        output.stderr.contains("repeatable read"),
        "{}",
        output.stderr
    );
}
