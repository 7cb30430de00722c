//! A workload that only adds rows, so that a count tells what has happened: as
//! a transaction, and as a statement that commits by itself.

use crate::database::Database;
use crate::program::{Row, number};

const JOURNAL: &str = r#"
about = "adds to a journal"
sql = "journal"
[draw]
amount = { kind = "uniform", min = 1, max = 1000000 }
[[table]]
name = "journal"
create = "create_journal"
rows = 1
columns = { amount = "seq" }
[[transaction]]
name = "entry"
atomic = true
steps = [{ run = ["add"] }]
[[transaction]]
name = "note"
steps = [{ run = ["add"] }]
"#;

const JOURNAL_SQL: &str = "
-- name: create_journal
CREATE TABLE journal (amount INTEGER NOT NULL)
-- name: add
INSERT INTO journal (amount) VALUES (:amount)
";

/// The workload's file, with its table made.
pub fn prepare(database: &Database) -> String {
    let workload = database.workload("journal", JOURNAL, JOURNAL_SQL);
    database.tiermark(&["prepare", &workload]).expect(0);
    workload
}

/// How many rows runs have added.
pub fn added(database: &Database) -> u64 {
    let rows = u64::try_from(database.count("journal")).unwrap();
    // The load's.
    rows - 1
}

/// What was reported done is there, and nothing beside it but what is in doubt.
#[track_caller]
pub fn assert_conserved(all: &Row, added: u64) {
    let done = number(all, "done") + number(all, "drained");
    let most = done + number(all, "in_doubt");
    assert!((done..=most).contains(&added), "{added} rows: {all:?}");
}
