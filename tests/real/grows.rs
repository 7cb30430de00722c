//! Workloads whose tables grow: their keys are new in every client and every
//! run, through warm-up and window.

use crate::database::Database;
use crate::program::number;

fn run(database: &Database, arguments: &[&str]) -> crate::program::Results {
    let results = database.tiermark(arguments).expect(0).results();
    let all = results.summary();
    assert_eq!(
        (&*all["failed"], &*all["retries"]),
        ("0", "0"),
        "{arguments:?}"
    );
    assert!(results.csv("errors.csv").is_empty(), "{arguments:?}");
    results
}

pub fn inserts_go_on_above_what_is_there(database: &Database) {
    let sets = ["--set", "tables=2", "--set", "rows=100"];
    let prepare = [&["prepare", "oltp_insert"][..], &sets].concat();
    database.tiermark(&prepare).expect(0);
    let both = |what: &str| {
        let sql = format!(
            "SELECT {what} FROM (SELECT id FROM sbtest1 WHERE id > 100 \
             UNION ALL SELECT id FROM sbtest2 WHERE id > 100) AS added"
        );
        database.number(&sql)
    };
    // Clients with equal shares leave no gap for the next run to begin in.
    for (clients, transactions, in_all) in [("5", "200", 200), ("4", "100", 300)] {
        let end = ["--clients", clients, "--transactions", transactions];
        run(database, &[&["run", "oltp_insert"][..], &end].concat());
        assert_eq!(both("COUNT(*)"), in_all);
        assert_eq!(both("COUNT(DISTINCT id)"), in_all);
        assert_eq!(both("MAX(id)"), 100 + in_all);
    }
    let end = ["--clients", "3", "--warmup", "1s", "--time", "1s"];
    let results = run(database, &[&["run", "oltp_insert"][..], &end].concat());
    let seconds = results.intervals("");
    let added: u64 = seconds.iter().map(|row| number(row, "done")).sum();
    assert!(added > number(&results.summary(), "done"), "no warm-up");
    let drained = number(&results.summary(), "drained");
    let in_all = i64::try_from(300 + added + drained).unwrap();
    assert_eq!(both("COUNT(*)"), in_all);
    assert_eq!(both("COUNT(DISTINCT id)"), in_all);
    database.tiermark(&["check", "oltp_insert"]).expect(0);
}

/// Also more rows than MySQL and MariaDB let a recursion have rounds.
pub fn a_batch_is_one_statement(database: &Database) {
    database
        .tiermark(&["prepare", "bulk_insert", "--set", "tables=1"])
        .expect(0);
    let mut rows = 0;
    for batch in [1, 1024, 1500] {
        let set = format!("batch={batch}");
        let end = ["--set", &set, "--clients", "2", "--transactions", "4"];
        let results = run(database, &[&["run", "bulk_insert"][..], &end].concat());
        rows += 4 * batch;
        let sent = results.statements();
        assert_eq!(sent["bulk_insert bulk_insert"], (4, 4 * batch));
        assert_eq!(sent.len(), 1);
        let rows = i64::try_from(rows).unwrap();
        assert_eq!(database.count("bulk1"), rows);
        // Every number once, without gaps.
        assert_eq!(database.number("SELECT MAX(id) FROM bulk1"), rows);
        assert_eq!(
            database.number("SELECT COUNT(*) FROM bulk1 WHERE id = k AND id > 0"),
            rows
        );
    }
}

pub fn no_key_is_fresh_at_the_end_of_its_column(database: &Database) {
    let sets = ["--set", "tables=1", "--set", "rows=100"];
    let prepare = [&["prepare", "oltp_insert"][..], &sets].concat();
    database.tiermark(&prepare).expect(0);
    database.run("UPDATE sbtest1 SET id = 2147483647 WHERE id = 100");
    let output = database
        .tiermark(&["run", "oltp_insert", "--transactions", "1"])
        .expect(2);
    assert!(
        output.stderr.contains("there are no fresh ones"),
        "{}",
        output.stderr
    );
    assert_eq!(database.count("sbtest1"), 100);
}
