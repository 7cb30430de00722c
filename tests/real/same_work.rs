//! The k-th transaction of a client is a function of seed, client and k: a log
//! of what the clients drew is the same at any number of workers and on every
//! engine.

use std::collections::BTreeMap;

use crate::connection::Content;
use crate::database::{Database, Server};

const LOG: &str = r#"
about = "writes down what its clients draw"
sql = "log"
mix = "random"
[draw]
id = { kind = "uniform", min = 1, max = 100 }
last = { kind = "offset", from = "id", add = 9 }
a = { kind = "uniform", min = 1, max = 2000000000 }
b = { kind = "pareto", min = 1, max = 100000, h = 0.2, order = "scattered" }
c = { kind = "digits", mask = "no-####-####" }
[[table]]
name = "fixed"
create = "create_fixed"
rows = 100
columns = { id = "seq" }
[[table]]
name = "noted"
create = "create_noted"
rows = 0
grows = true
columns = { a = "a", b = "b", c = "c" }
[[transaction]]
name = "note"
weight = 2
steps = [{ run = ["look"], repeat = 3 }, { run = ["note"] }]
[[transaction]]
name = "note_more"
atomic = true
steps = [{ run = ["look"] }, { run = ["note"], repeat = 2, hold = ["a"] }]
"#;

const LOG_SQL: &str = "
-- name: create_fixed
CREATE TABLE fixed (id INTEGER NOT NULL, PRIMARY KEY (id))
-- name: create_noted
CREATE TABLE noted (a INTEGER NOT NULL, b INTEGER NOT NULL, c VARCHAR(20) NOT NULL)
-- name: look
SELECT id FROM fixed WHERE id BETWEEN :id AND :last
-- name: note
INSERT INTO noted (a, b, c) VALUES (:a, :b, :c)
";

/// What one run has sent.
#[derive(Debug, PartialEq)]
struct Work {
    noted: Content,
    /// Count and rows of each statement.
    statements: BTreeMap<String, (u64, u64)>,
}

fn work(database: &Database, workers: &str, seed: &str) -> Work {
    let workload = database.workload("log", LOG, LOG_SQL);
    database
        .tiermark(&["prepare", &workload, "--recreate"])
        .expect(0);
    let arguments = [
        "run",
        &workload,
        "--transactions",
        "40",
        "--clients",
        "4",
        "--seed",
        seed,
        "--workers",
        workers,
    ];
    let results = database.tiermark(&arguments).expect(0).results();
    assert_eq!(results.summary()["done"], "40");
    assert_eq!(results.summary()["workers"], workers);
    let noted = "SELECT CONCAT(a, ' ', b, ' ', c) FROM noted ORDER BY a, b, c";
    Work {
        noted: database.content(noted),
        statements: results.statements(),
    }
}

pub fn workers_do_not_change_the_work(database: &Database) {
    let by_one = work(database, "1", "7");
    assert!(
        by_one.noted.rows > 40 && by_one.noted.rows < 80,
        "{by_one:?}"
    );
    assert_eq!(by_one.statements.len(), 6, "{by_one:?}");
    for workers in ["2", "4"] {
        assert_eq!(work(database, workers, "7"), by_one, "{workers} workers");
    }
    assert_ne!(work(database, "4", "8").noted, by_one.noted);
}

pub fn engines_get_the_same_work() {
    let mut first = None;
    for database in Server::ALL.into_iter().filter_map(Database::on) {
        let work = work(&database, "2", "7");
        match &first {
            None => first = Some((database.engine, work)),
            Some((engine, expected)) => {
                assert_eq!(expected, &work, "{engine} and {}", database.engine);
            }
        }
    }
}
