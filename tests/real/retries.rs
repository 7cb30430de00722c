//! Clients in each other's way: a deadlock, or a key that another one has put
//! back first, costs another attempt, and no transaction.

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::{errors_of, number};

const CROSSING: &str = r#"
about = "takes two rows in one order or the other"
sql = "crossing"
engines = ["postgres", "mysql", "mariadb"]
[draw]
zero = { kind = "const", value = 0 }
[[table]]
name = "pair"
create = "create_pair"
rows = 2
columns = { id = "seq", n = "zero" }
[[transaction]]
name = "forth"
atomic = true
steps = [{ run = ["first", "pause", "second"] }]
[[transaction]]
name = "back"
atomic = true
steps = [{ run = ["second", "pause", "first"] }]
"#;

const CROSSING_SQL: &str = "
-- name: create_pair
CREATE TABLE pair (id INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (id))
-- name: first
UPDATE pair SET n = n + 1 WHERE id = 1
-- name: second
UPDATE pair SET n = n + 1 WHERE id = 2
";

/// Long enough for the other client to take its first row.
const PAUSES: [(&str, &str); 2] = [
    ("postgres", "-- name: pause\nSELECT pg_sleep(0.02)\n"),
    ("mysql", "-- name: pause\nSELECT SLEEP(0.02)\n"),
];

pub fn deadlocks_are_retried_until_they_commit(database: &Database) {
    if !database.is_server() {
        // One writer at a time: there is nothing to lock each other out of.
        return;
    }
    if database.engine == Engine::Postgres {
        // It looks for a deadlock after a second of waiting.
        let name = database.name();
        database.run(&format!(
            "ALTER DATABASE {name} SET deadlock_timeout = '20ms'"
        ));
    }
    let workload = database.workload("crossing", CROSSING, CROSSING_SQL);
    for (engine, sql) in PAUSES {
        let folder = database.folder().join("sql").join(engine);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("crossing.sql"), sql).unwrap();
    }
    database.tiermark(&["prepare", &workload]).expect(0);
    let arguments = ["run", &workload, "--transactions", "60", "--clients", "2"];
    let results = database.tiermark(&arguments).expect(0).results();

    let all = results.summary();
    assert_eq!(all["done"], "60");
    let retries = number(&all, "retries");
    assert!(retries > 0);
    for zero in ["failed", "disconnects", "unfinished"] {
        assert_eq!(all[zero], "0");
    }
    let errors = results.csv("errors.csv");
    assert_eq!(errors_of(&errors, "retried"), retries, "{errors:?}");
    let code = match database.engine {
        Engine::Postgres => "40P01",
        _ => "1213",
    };
    for row in &errors {
        assert_eq!(
            (&*row["code"], &*row["class"]),
            (code, "retried"),
            "{row:?}"
        );
    }
    // Nothing was lost, and nothing was done twice.
    let sums = database.texts("SELECT CONCAT(id, ' ', n) FROM pair ORDER BY id");
    assert_eq!(sums, ["1 60", "2 60"]);

    // All attempts are statements that were sent.
    let statements = results.csv("statements.csv");
    let sum = |name: &str, column: &str| -> u64 {
        let rows = statements.iter().filter(|row| row["statement"] == name);
        rows.map(|row| number(row, column)).sum()
    };
    assert_eq!(sum("begin", "count"), 60 + retries);
    assert_eq!(sum("commit", "count"), 60);
    assert_eq!(sum("rollback", "count"), retries);
    let all_errors: u64 = statements.iter().map(|row| number(row, "errors")).sum();
    assert_eq!(all_errors, retries);
    let types = results.csv("summary.csv");
    let by_type = types.iter().filter(|row| row["transaction"] != "all");
    assert_eq!(
        by_type.map(|row| number(row, "retries")).sum::<u64>(),
        retries
    );
}

/// Many clients delete and insert the same few rows. PostgreSQL, at its default
/// read committed, finds a row gone that was put back while it waited: then the
/// insert is a duplicate.
pub fn replaced_hot_rows_stay_as_many(database: &Database) {
    if database.engine == Engine::Postgres {
        let name = database.name();
        database.run(&format!(
            "ALTER DATABASE {name} SET deadlock_timeout = '20ms'"
        ));
    }
    let sets = ["--set", "tables=1", "--set", "rows=1000"];
    let prepare = [&["prepare", "oltp_write_heavy"][..], &sets].concat();
    database.tiermark(&prepare).expect(0);
    let end = ["--transactions", "600", "--clients", "24"];
    let run = [&["run", "oltp_write_heavy"][..], &sets, &end].concat();
    let results = database.tiermark(&run).expect(0).results();

    let all = results.summary();
    assert_eq!(all["done"], "600");
    for zero in ["failed", "in_doubt", "disconnects", "unfinished"] {
        assert_eq!(all[zero], "0", "{zero}");
    }
    let errors = results.csv("errors.csv");
    assert_eq!(errors_of(&errors, "retried"), number(&all, "retries"));
    assert!(
        errors.iter().all(|row| row["class"] == "retried"),
        "{errors:?}"
    );
    if database.engine == Engine::Postgres {
        // Deletes that lose a race insert a key that is there: on a machine with
        // one core there may be none.
        let known = ["23505", "40P01"];
        assert!(
            errors.iter().all(|row| known.contains(&&*row["code"])),
            "{errors:?}"
        );
    }
    assert_eq!(database.count("sbtest1"), 1000);
    database.tiermark(&["check", "oltp_write_heavy"]).expect(0);
}
