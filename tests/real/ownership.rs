//! Only tables that tiermark made are run on, loaded anew, or dropped, and only
//! with the parameters that they were loaded with.

use crate::database::Database;

/// Nothing was measured and nothing written.
fn assert_no_results(database: &Database) {
    assert!(!database.results().exists());
}

/// A table under the name of one of the workload's, with a row in it.
fn make_foreign(database: &Database, table: &str) {
    database.run(&format!(
        "CREATE TABLE {table} (id INTEGER, note VARCHAR(20))"
    ));
    database.run(&format!("INSERT INTO {table} VALUES (1, 'precious')"));
}

fn assert_precious(database: &Database, table: &str) {
    let notes = database.texts(&format!("SELECT note FROM {table}"));
    assert_eq!(notes, ["precious"]);
}

pub fn data_of_another_size_is_refused(database: &Database) {
    database.prepare(2, 1000);
    let before = database.sbtests(2);
    for (name, given, loaded) in [("rows", "2000", "1000"), ("tables", "1", "2")] {
        let set = format!("{name}={given}");
        let arguments = [
            "run",
            "oltp_read_write",
            "--transactions",
            "10",
            "--set",
            &set,
        ];
        let output = database.tiermark(&arguments).expect(2);
        for part in [name, given, loaded, "--recreate"] {
            assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        }
        assert_eq!(output.stdout, "");
    }
    // The same value in other words is no other value.
    let arguments = [
        "run",
        "oltp_read_write",
        "--transactions",
        "1",
        "--set",
        "rows=1k",
    ];
    assert_eq!(database.sbtests(2), before);
    assert_no_results(database);
    database.tiermark(&arguments).expect(0);
}

pub fn a_run_takes_the_parameters_of_the_load(database: &Database) {
    database.prepare(2, 1000);
    let results = database
        .tiermark(&["run", "oltp_read_write", "--transactions", "50", "-c", "1"])
        .expect(0)
        .results();
    let manifest = results.manifest();
    assert_eq!(manifest["params"]["rows"].as_str(), Some("1000"));
    assert_eq!(manifest["params"]["tables"].as_str(), Some("2"));
    // The file's 250,000 rows would miss nearly every key.
    assert_eq!(results.summary()["empty"], "0");
}

pub fn a_table_of_someone_else_is_not_touched(database: &Database) {
    make_foreign(database, "sbtest1");
    let commands: [&[&str]; 4] = [
        &["prepare", "oltp_read_write"],
        &["prepare", "oltp_read_write", "--recreate"],
        &["run", "oltp_read_write", "--transactions", "1"],
        &["cleanup", "oltp_read_write"],
    ];
    for command in commands {
        let output = database.tiermark(command).expect(2);
        assert!(output.stderr.contains("sbtest1"), "{}", output.stderr);
        assert_precious(database, "sbtest1");
        assert_eq!(database.tables(), ["sbtest1"], "nothing is made");
    }
    assert_no_results(database);

    // Beside tables of ours.
    database.run("DROP TABLE sbtest1");
    database.prepare(2, 1000);
    let ours = database.sbtests(2);
    make_foreign(database, "sbtest3");
    let arguments = [
        "prepare",
        "oltp_read_write",
        "--recreate",
        "--set",
        "tables=3",
    ];
    let output = database.tiermark(&arguments).expect(2);
    assert!(output.stderr.contains("sbtest3"), "{}", output.stderr);
    assert_precious(database, "sbtest3");
    assert_eq!(database.sbtests(2), ours);
}

pub fn our_own_tables_are_kept_without_recreate(database: &Database) {
    database.prepare(2, 1000);
    let before = database.sbtests(2);
    let arguments = [
        "prepare",
        "oltp_read_write",
        "--set",
        "tables=2",
        "--set",
        "rows=500",
    ];
    let output = database.tiermark(&arguments).expect(2);
    for part in ["sbtest1", "--recreate"] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    assert_eq!(database.sbtests(2), before);

    // With it the tables that are too many go as well.
    let arguments = [
        "prepare",
        "oltp_read_write",
        "--recreate",
        "--set",
        "tables=1",
        "--set",
        "rows=500",
    ];
    database.tiermark(&arguments).expect(0);
    assert_eq!(database.tables(), ["sbtest1", "tiermark_meta"]);
    assert_eq!(database.count("sbtest1"), 500);
}

pub fn an_empty_database_is_to_be_prepared(database: &Database) {
    let output = database
        .tiermark(&["run", "oltp_read_write", "--transactions", "1"])
        .expect(2);
    let remedy = "tiermark prepare";
    assert!(output.stderr.contains(remedy), "{}", output.stderr);
    assert_eq!(database.tables(), [""; 0]);
    assert_no_results(database);
    database.tiermark(&["cleanup", "oltp_read_write"]).expect(0);
}

/// A second workload, whose table is one of ours as well.
const OTHER: &str = r#"
about = "one table"
sql = "other"
[draw]
id = { kind = "uniform", min = 1, max = 10 }
[[table]]
name = "other"
create = "create_other"
rows = 10
columns = { id = "seq" }
[[transaction]]
name = "look"
steps = [{ run = ["look"] }]
"#;
const OTHER_SQL: &str = "
-- name: create_other
CREATE TABLE other (id INTEGER NOT NULL, PRIMARY KEY (id))
-- name: look
SELECT id FROM other WHERE id = :id
";

pub fn cleanup_drops_only_ours(database: &Database) {
    let other = database.workload("other", OTHER, OTHER_SQL);
    database.prepare(2, 100);
    database.tiermark(&["prepare", &other]).expect(0);
    make_foreign(database, "customers");

    // The number of tables comes from the load, not from the file.
    let output = database.tiermark(&["cleanup", "oltp_read_write"]).expect(0);
    assert!(output.stderr.contains(database.name()), "{}", output.stderr);
    assert_eq!(database.tables(), ["customers", "other", "tiermark_meta"]);
    assert_eq!(database.count("other"), 10);

    database.tiermark(&["cleanup", &other]).expect(0);
    assert_eq!(database.tables(), ["customers"]);
    assert_precious(database, "customers");
}
