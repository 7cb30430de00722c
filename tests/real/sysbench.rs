//! sysbench itself on tables of ours, and tiermark on tables of sysbench's: each
//! leaves the other's data whole.

use std::process::Command;

use tiermark::value::Engine;

use crate::database::{Database, skipped};

const TABLES: u32 = 2;
const ROWS: i64 = 1000;

fn is_there() -> bool {
    let found = Command::new("sysbench").arg("--version").output().is_ok();
    if !found {
        skipped("sysbench", "not installed");
    }
    found
}

/// Runs a command of a script of sysbench's; what it says.
fn sysbench(database: &Database, script: &str, more: &[&str], command: &str) -> String {
    let driver = match database.engine {
        Engine::Postgres => "pgsql",
        _ => "mysql",
    };
    let url = &database.url;
    let port = url.port().unwrap().to_string();
    let place = [
        ("host", url.host_str().unwrap()),
        ("port", &port),
        ("user", database.user()),
        ("password", url.password().unwrap()),
        ("db", database.name()),
    ];
    let place = place.map(|(key, value)| format!("--{driver}-{key}={value}"));
    let output = Command::new("sysbench")
        .arg(script)
        .arg(format!("--db-driver={driver}"))
        .args(place)
        .arg(format!("--tables={TABLES}"))
        .arg(format!("--table-size={ROWS}"))
        .args(more)
        .arg(command)
        .current_dir(database.folder())
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{script} {command}: {text}");
    text
}

/// 100 transactions of sysbench's on two connections.
fn sysbench_runs(database: &Database, script: &str) {
    let more = [
        "--threads=2",
        "--events=100",
        "--time=0",
        "--rand-type=uniform",
    ];
    let text = sysbench(database, script, &more, "run");
    let done = text.lines().find(|line| line.contains("transactions:"));
    let done = done.and_then(|line| line.split_whitespace().nth(1));
    assert_eq!(done, Some("100"), "{text}");
}

fn assert_whole(database: &Database) {
    for table in 1..=TABLES {
        let table = format!("sbtest{table}");
        assert_eq!(database.count(&table), ROWS, "{table}");
        for (what, wanted) in [("MIN", 1), ("MAX", ROWS)] {
            let sql = format!("SELECT {what}(id) FROM {table}");
            assert_eq!(database.number(&sql), wanted, "{table}");
        }
    }
}

/// 100 transactions of ours that change rows, then 50 that must find them all.
fn tiermark_runs(database: &Database, more: &[&str]) {
    for (workload, transactions) in [("oltp_read_write", "100"), ("oltp_read_only", "50")] {
        let arguments = [
            "run",
            workload,
            "--transactions",
            transactions,
            "--clients",
            "2",
            "--set",
            "distribution=uniform",
        ];
        let output = database
            .tiermark(&[&arguments[..], more].concat())
            .expect(0);
        let all = output.results().summary();
        assert_eq!((&*all["done"], &*all["failed"]), (transactions, "0"));
        if workload == "oltp_read_only" {
            assert_eq!(all["empty"], "0");
        }
    }
}

pub fn it_runs_on_our_tables(database: &Database) {
    if !is_there() {
        return;
    }
    database.prepare(TABLES, 1000);
    sysbench_runs(database, "oltp_read_write");
    sysbench_runs(database, "oltp_point_select");
    assert_whole(database);
    tiermark_runs(database, &[]);
    assert_whole(database);
    sysbench_runs(database, "oltp_read_write");
    assert_whole(database);
}

pub fn we_run_on_its_tables(database: &Database) {
    if !is_there() {
        return;
    }
    sysbench(database, "oltp_read_write", &[], "prepare");
    assert_whole(database);
    let ours = ["--foreign-data", "--set", "tables=2", "--set", "rows=1000"];
    tiermark_runs(database, &ours);
    assert_whole(database);
    sysbench_runs(database, "oltp_read_write");
    sysbench_runs(database, "oltp_point_select");
    tiermark_runs(database, &ours);
    assert_whole(database);
    assert_eq!(database.tables(), ["sbtest1", "sbtest2"]);
}
