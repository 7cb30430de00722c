//! TPC-C by stored procedures: the same work as by statements, on the same load;
//! whose procedures they are; and nothing half done when a call is stopped.

use tiermark::value::Engine;

use crate::connection::Content;
use crate::database::Database;
use crate::program::{Results, Running, errors_of, number};
use crate::tpcc::contents;

const PROCEDURES: [&str; 5] = [
    "tiermark_delivery",
    "tiermark_new_order",
    "tiermark_order_status",
    "tiermark_payment",
    "tiermark_stock_level",
];
const RUN: [&str; 2] = ["run", "tpcc_proc"];

/// Loads anew, and runs what `tpcc::engines_do_the_same_work` has run.
pub fn contents_after_a_run(database: &Database) -> Vec<(&'static str, Content)> {
    let prepare = [
        "prepare",
        "tpcc_proc",
        "--set",
        "warehouses=1",
        "--recreate",
    ];
    database.tiermark(&prepare).expect(0);
    let run = [&RUN[..], &["--clients", "1", "--transactions", "1000"]].concat();
    let results = database.tiermark(&run).expect(0).results();
    assert!(results.csv("errors.csv").is_empty());
    // One call each, which returns one row, and nothing beside it.
    let counts: Vec<(String, (u64, u64))> = results.statements().into_iter().collect();
    let wanted = [
        ("delivery", 40),
        ("new_order", 450),
        ("order_status", 40),
        ("payment", 430),
        ("stock_level", 40),
    ];
    let wanted = wanted.map(|(name, count)| (format!("{name} call_{name}"), (count, count)));
    assert_eq!(counts, wanted);
    let rows = results.csv("statements.csv");
    assert!(rows.iter().all(|row| row["kind"] == "write"), "{rows:?}");
    contents(database)
}

/// On a load with table sets, foreign keys and a key for history.
pub fn each_set_has_procedures(database: &Database, sets: &[&str]) {
    let taken = |set: &str| {
        database.number(&format!(
            "SELECT COUNT(*) FROM orders{set} WHERE o_id > 3000"
        ))
    };
    let before: Vec<i64> = sets.iter().map(|set| taken(set)).collect();
    database.tiermark(&["prepare", "tpcc_proc"]).expect(0);
    assert_eq!(database.routines().len(), PROCEDURES.len() * sets.len());
    let run = [&RUN[..], &["--clients", "4", "--transactions", "100"]].concat();
    let all = database.tiermark(&run).expect(0).results().summary();
    assert_eq!(number(&all, "failed"), 0, "{all:?}");
    for (set, before) in sets.iter().zip(before) {
        assert!(taken(set) > before, "set {set} is used");
    }
}

/// Transactions of a type that were committed.
fn done(results: &Results, transaction: &str) -> i64 {
    let rows = results.csv("summary.csv");
    let row = rows.iter().find(|row| row["transaction"] == transaction);
    number(row.unwrap(), "done").cast_signed()
}

/// A transaction that was done by half would break one of the conditions.
fn assert_whole(database: &Database) {
    let check = ["-q", "check", "tpcc_proc", "--out", "checks"];
    let rows = database.tiermark(&check).expect(0).results();
    let rows = rows.csv("check.csv");
    assert!(rows.iter().any(|row| row["check"] == "3.3.2.12"));
    assert!(rows.iter().all(|row| row["result"] != "fail"), "{rows:?}");
}

pub fn procedures_go_with_a_load(database: &Database) {
    let loaded = ["prepare", "tpcc", "--set", "warehouses=1"];
    database.tiermark(&loaded).expect(0);
    refused_and_made(database);
    many_clients(database);
    refused_locks(database);
    stopped_calls(database);
    dropped(database);
}

fn refused_and_made(database: &Database) {
    let before = contents(database);
    let run = [&RUN[..], &["--transactions", "1"]].concat();
    let without = database.tiermark(&run).expect(2);
    let remedy = "tiermark prepare tpcc_proc";
    assert!(without.stderr.contains(remedy), "{}", without.stderr);

    // Of someone else, with other parameters.
    let body = match database.engine {
        Engine::Postgres => "LANGUAGE SQL AS 'SELECT 1'",
        _ => "SELECT 1",
    };
    database.run(&format!("CREATE PROCEDURE tiermark_payment() {body}"));
    let commands: [&[&str]; 3] = [
        &["prepare", "tpcc_proc"],
        &["prepare", "tpcc_proc", "--recreate"],
        &run,
    ];
    for command in commands {
        let foreign = database.tiermark(command).expect(2);
        let name = "procedure tiermark_payment is there";
        assert!(foreign.stderr.contains(name), "{}", foreign.stderr);
        assert_eq!(database.routines(), ["tiermark_payment"]);
        database.run("CALL tiermark_payment()");
    }
    database.run("DROP PROCEDURE tiermark_payment");

    // The procedures alone: the tables stay as they are.
    let made = database.tiermark(&["prepare", "tpcc_proc"]).expect(0);
    assert!(made.stderr.contains("made 5 procedures"), "{}", made.stderr);
    assert_eq!(database.routines(), PROCEDURES);
    assert_eq!(contents(database), before);
    let again = database.tiermark(&["prepare", "tpcc_proc"]).expect(2);
    assert!(again.stderr.contains("--recreate"), "{}", again.stderr);

    // One that is ours, and gone.
    database.run("DROP PROCEDURE tiermark_payment");
    let made = database.tiermark(&["prepare", "tpcc_proc"]).expect(0);
    assert!(made.stderr.contains("made 1 procedure"), "{}", made.stderr);
}

fn many_clients(database: &Database) {
    let run = [&RUN[..], &["--clients", "8", "--transactions", "2000"]].concat();
    let results = database.tiermark(&run).expect(0).results();
    let all = results.summary();
    assert_eq!(number(&all, "failed"), 0, "{all:?}");
    assert_eq!(number(&all, "done") + number(&all, "rolled_back"), 2_000);
    let calls = results.csv("statements.csv");
    let calls = calls
        .iter()
        .filter(|row| row["statement"].starts_with("call_"));
    let calls: u64 = calls.map(|row| number(row, "count")).sum();
    assert_eq!(calls, 2_000 + number(&all, "retries"));
    let new_orders = done(&results, "new_order");
    assert_eq!(database.count("orders"), 30_000 + new_orders);
    let payments = done(&results, "payment");
    assert_eq!(database.count("history"), 30_000 + payments);
    // All ten districts: the warehouse never runs out of orders.
    let delivered = 10 * done(&results, "delivery");
    let left = 9_000 + new_orders - delivered;
    assert_eq!(database.count("new_order"), left);
    assert_whole(database);
}

/// A run of which a second can be waited for: it must be the only one.
fn start(database: &Database, arguments: &[&str]) -> Running {
    std::fs::remove_dir_all(database.results()).unwrap();
    let mut running = database.start(&[&RUN[..], arguments].concat());
    running.wait_for_second(0);
    running
}

/// A call that waited for a lock in vain is undone, and made again.
fn refused_locks(database: &Database) {
    let wait = match database.engine {
        Engine::Postgres => "SET lock_timeout = 100",
        _ => "SET innodb_lock_wait_timeout = 1",
    };
    let session = format!("run.session=[\"{wait}\"]");
    let arguments = ["--clients", "2", "--transactions", "40", "--set", &session];
    let mut other = database.connect(&[]);
    other.run("BEGIN");
    other.run("SELECT w_id FROM warehouse FOR UPDATE");
    let mut running = start(database, &arguments);
    running.wait_for_second(1);
    other.run("ROLLBACK");
    let (output, results) = running.wait();
    output.expect(0);
    let all = results.summary();
    assert_eq!(number(&all, "done") + number(&all, "rolled_back"), 40);
    assert_eq!(number(&all, "failed"), 0, "{all:?}");
    assert!(number(&all, "retries") > 0, "{all:?}");
    assert_whole(database);
}

/// On MySQL and MariaDB a procedure that is killed does not come to its handler.
fn stopped_calls(database: &Database) {
    let arguments = ["--clients", "4", "--time", "6s", "--warmup", "0"];
    let arguments = [&arguments[..], &["--error-limit", "100%"]].concat();
    let running = start(database, &arguments);
    for _ in 0..20 {
        database.cancel_statements();
    }
    database.kill_sessions();
    let (output, results) = running.wait();
    output.expect(0);
    let errors = results.csv("errors.csv");
    // A call may have come to its COMMIT when it was cancelled, or its connection
    // lost.
    let cancelled = match database.engine {
        Engine::Postgres => "57014",
        _ => "1317",
    };
    let (stopped, lost): (Vec<_>, Vec<_>) = errors
        .into_iter()
        .partition(|error| error["code"] == cancelled);
    assert!(errors_of(&stopped, "in_doubt") > 0, "{stopped:?}");
    assert!(errors_of(&lost, "in_doubt") > 0, "{lost:?}");
    assert_whole(database);
}

fn dropped(database: &Database) {
    // The tables are those of `tpcc`, and stay.
    database.tiermark(&["cleanup", "tpcc_proc"]).expect(0);
    assert!(database.routines().is_empty());
    assert_eq!(database.tables().len(), 10);
    database.tiermark(&["prepare", "tpcc_proc"]).expect(0);
    assert_eq!(database.routines(), PROCEDURES);
    // What goes with a table goes when it does.
    database.tiermark(&["cleanup", "tpcc"]).expect(0);
    assert!(database.routines().is_empty());
    assert!(database.tables().is_empty());
}
