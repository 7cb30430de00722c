//! Loads that do not come to their end, and the way on from there.

use std::time::{Duration, Instant};

use crate::connection::Content;
use crate::database::Database;
use crate::loads::check_indexes_and_state;
use crate::program::{PATIENCE, Running};

const TABLES: u32 = 2;
const ROWS: usize = 60_000;
const PREPARE: [&str; 6] = [
    "prepare",
    "oltp_read_write",
    "--set",
    "tables=2",
    "--threads",
    "3",
];
const ROWS_SET: [&str; 2] = ["--set", "rows=60000"];

fn prepare(more: &[&'static str]) -> Vec<&'static str> {
    [&PREPARE[..], &ROWS_SET, more].concat()
}

fn kill(mut running: Running) {
    running.child.kill().unwrap();
    running.child.wait().unwrap();
}

/// Whether the load has got that far, as the database tells.
#[derive(Clone, Copy)]
enum Until {
    Time(u64),
    Chunks(i64),
    Loaded(i64),
}

/// Begins a load, or goes on with it, and kills it there.
fn load_until(database: &Database, arguments: &[&str], until: Until) {
    let running = database.start(arguments);
    match until {
        Until::Time(ms) => std::thread::sleep(Duration::from_millis(ms)),
        Until::Chunks(count) => wait_for(database, "item LIKE 'chunk:%'", count),
        Until::Loaded(count) => wait_for(database, "item = 'state' AND value = 'loaded'", count),
    }
    kill(running);
}

/// Waits until so many rows of the book are like this.
fn wait_for(database: &Database, condition: &str, count: i64) {
    let sql = format!("SELECT COUNT(*) FROM tiermark_meta WHERE {condition}");
    let since = Instant::now();
    while database.tables().len() < 3 {
        assert!(since.elapsed() < PATIENCE, "no tables");
    }
    let mut connection = database.connect(&[&sql]);
    while connection.number(0) < count {
        assert!(since.elapsed() < PATIENCE, "no {count} with {condition}");
    }
}

fn undisturbed(database: &Database) -> Vec<Content> {
    database.tiermark(&prepare(&[])).expect(0);
    let rows = database.sbtests(TABLES);
    database.tiermark(&["cleanup", "oltp_read_write"]).expect(0);
    assert_eq!(database.tables(), [""; 0]);
    rows
}

#[track_caller]
fn assert_whole(database: &Database, expected: &[Content]) {
    for table in 1..=TABLES {
        let span =
            format!("SELECT CONCAT(MIN(id), ' ', MAX(id), ' ', COUNT(*)) FROM sbtest{table}");
        assert_eq!(database.texts(&span), [format!("1 {ROWS} {ROWS}")]);
    }
    assert_eq!(database.sbtests(TABLES), expected);
    check_indexes_and_state(database);
    let chunks = "SELECT COUNT(*) FROM tiermark_meta WHERE item LIKE 'chunk:%'";
    assert_eq!(database.number(chunks), 0);
    let checked = database.tiermark(&["check", "oltp_read_write"]).expect(0);
    assert_eq!(
        checked.stdout.matches("pass").count(),
        8,
        "{}",
        checked.stdout
    );
}

pub fn a_killed_load_is_taken_up_again(database: &Database) {
    let expected = undisturbed(database);
    load_until(database, &prepare(&[]), Until::Time(100));
    for ms in [400, 900] {
        load_until(database, &prepare(&["--resume"]), Until::Time(ms));
    }
    database.tiermark(&prepare(&["--resume"])).expect(0);
    assert_whole(database, &expected);
    // Whole by now: there is nothing left to do.
    database.tiermark(&prepare(&["--resume"])).expect(0);
    assert_whole(database, &expected);
}

pub fn a_load_killed_at_its_end_is_taken_up_again(database: &Database) {
    let expected = undisturbed(database);
    for last in [Until::Chunks(12), Until::Loaded(1)] {
        load_until(database, &prepare(&["--recreate"]), Until::Chunks(5));
        let so_far =
            database.number("SELECT COUNT(*) FROM tiermark_meta WHERE item LIKE 'chunk:%'");
        assert!(so_far >= 5);
        load_until(database, &prepare(&["--resume"]), last);
        let resumed = database.tiermark(&prepare(&["--resume"])).expect(0);
        assert!(
            resumed.stderr.contains("rows were there already"),
            "{}",
            resumed.stderr
        );
        assert_whole(database, &expected);
    }
}

pub fn an_unfinished_load_is_nothing_else(database: &Database) {
    load_until(database, &prepare(&[]), Until::Chunks(2));
    settle(database);
    let book = || {
        database.texts("SELECT CONCAT(scope, item, value) FROM tiermark_meta ORDER BY scope, item")
    };
    let before = (book(), database.sbtests(TABLES), database.tables());
    let other_rows = [&PREPARE[..], &["--set", "rows=70000", "--resume"]].concat();
    let refused: [(&[&str], &[&str]); 5] = [
        (
            &prepare(&["--resume", "--seed", "2"]),
            &["--seed 1", "--recreate"],
        ),
        (&other_rows, &["60000", "70000", "--recreate"]),
        (&prepare(&[]), &["--resume", "--recreate"]),
        (
            &["run", "oltp_read_write", "--transactions", "1"],
            &["--resume"],
        ),
        (&["check", "oltp_read_write"], &["--resume"]),
    ];
    for (arguments, way_out) in refused {
        let output = database.tiermark(arguments).expect(2);
        for part in way_out {
            assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        }
        assert_eq!(
            (book(), database.sbtests(TABLES), database.tables()),
            before
        );
        assert!(!database.results().exists());
    }
}

/// Waits until the server has noticed that the program is gone.
fn settle(database: &Database) {
    let since = Instant::now();
    while !database.sessions().is_empty() {
        assert!(since.elapsed() < PATIENCE, "its sessions stay");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A load that is far from its end when something happens to it.
fn disturbed(database: &Database, disturb: impl FnOnce(&Database)) {
    let arguments = [&PREPARE[..], &["--set", "rows=400000"]].concat();
    let mut running = database.start(&arguments);
    wait_for(database, "item LIKE 'chunk:%'", 2);
    disturb(database);
    let since = Instant::now();
    let status = loop {
        if let Some(status) = running.child.try_wait().unwrap() {
            break status;
        }
        assert!(since.elapsed() < PATIENCE, "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    };
    let said = std::fs::read_to_string(database.folder().join("stderr")).unwrap();
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(said.contains("sbtest2"), "{said}");
    settle(database);
    // Forty chunks each, and the other table was not loaded to its end.
    let chunks =
        "SELECT COUNT(*) FROM tiermark_meta WHERE scope = 'sbtest1' AND item LIKE 'chunk:%'";
    assert!(database.number(chunks) < 40);
}

pub fn a_table_that_goes_stops_the_load(database: &Database) {
    disturbed(database, |database| database.run("DROP TABLE sbtest2"));
}

pub fn a_row_in_the_way_stops_the_load(database: &Database) {
    let row = "INSERT INTO sbtest2 (id, k, c, pad) VALUES (200000, 1, 'c', 'pad')";
    disturbed(database, |database| database.run(row));
}
