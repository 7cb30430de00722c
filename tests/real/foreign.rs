//! Tables that tiermark did not make are run on when told so, and left as the
//! others made them.

use crate::database::Database;

/// Runs on tables of someone else's, or what is said to be.
fn run(database: &Database, more: &[&str], status: i32) -> crate::program::Output {
    // One client: nobody deletes what another looks for.
    let arguments = ["run", "oltp_read_write", "--transactions", "20", "-c", "1"];
    database
        .tiermark(&[&arguments[..], more].concat())
        .expect(status)
}

const SIZE: [&str; 4] = ["--set", "tables=2", "--set", "rows=500"];

pub fn tables_of_others_are_run_on_when_told(database: &Database) {
    database.prepare(2, 500);
    let ours = run(database, &[&["--foreign-data"][..], &SIZE].concat(), 2);
    assert!(
        ours.stderr.contains("leave --foreign-data out"),
        "{}",
        ours.stderr
    );
    // Without the book nobody knows that they are ours.
    database.run("DROP TABLE tiermark_meta");
    let untold = run(database, &SIZE, 2);
    assert!(
        untold.stderr.contains("--foreign-data"),
        "{}",
        untold.stderr
    );
    assert!(!database.results().exists());

    let told = run(database, &[&["--foreign-data"][..], &SIZE].concat(), 0);
    assert_eq!(database.tables(), ["sbtest1", "sbtest2"], "nothing is made");
    let results = told.results();
    assert_eq!(results.summary()["empty"], "0");
    let manifest = results.manifest();
    assert_eq!(manifest["run"]["foreign_data"].as_bool(), Some(true));
    assert!(manifest["data"].as_table().unwrap().is_empty());
    for table in ["sbtest1", "sbtest2"] {
        assert_eq!(database.count(table), 500);
    }
}

pub fn tables_that_do_not_fit_are_refused(database: &Database) {
    database.prepare(2, 500);
    database.run("DROP TABLE tiermark_meta");
    let before = database.sbtests(2);
    let refused = |tables: &str, rows: &str, part: &str| {
        let more = ["--foreign-data", "--set", tables, "--set", rows];
        let output = run(database, &more, 2);
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        assert_eq!(output.stdout, "");
    };
    refused("tables=3", "rows=500", "sbtest3 is not there");
    // Its deletes and inserts would add rows.
    refused("tables=2", "rows=501", "--set rows=500");
    database.run("DELETE FROM sbtest2 WHERE id > 400");
    refused("tables=2", "rows=500", "table sbtest2 is 400");
    database.run("INSERT INTO sbtest2 SELECT * FROM sbtest1 WHERE id > 400");
    assert_eq!(database.sbtests(1), before[..1]);
    database.run("DROP TABLE sbtest2");
    database.run("CREATE TABLE sbtest2 (id INTEGER, note VARCHAR(20))");
    refused(
        "tables=2",
        "rows=500",
        "not those that oltp_read_write works on",
    );
    assert_eq!(database.count("sbtest1"), 500);
    assert!(!database.results().exists());
}
