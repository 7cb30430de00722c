//! Checks tables against what was loaded: their rows, the range of their keys,
//! a sample of rows value by value, and their indexes. Several tables at a
//! time, as counting a large one takes long. Changes nothing.

use std::collections::BTreeSet;
use std::sync::mpsc;

use crate::db::identifier::{quote, quoted, quoted_list};
use crate::db::session::{DbError, Row, Session, Target};
use crate::run::check_index;
use crate::run::check_sample::{self, Tally};
use crate::run::key_range::{self, KeyRange};
use crate::run::pieces::{Pieces, share};
use crate::stats::check::CheckRow;
use crate::transaction::rows;
use crate::value::{Args, Cells, Engine, Kind, RowBuf, Statement, StmtId, Value};
use crate::workload::plan::{Plan, Table};

/// Every table has one row of each, in this order.
pub const CHECKS: [&str; 4] = [ROW_COUNT, KEY_RANGE, SAMPLE, INDEX];
const ROW_COUNT: &str = "row_count";
const KEY_RANGE: &str = "key_range";
const SAMPLE: &str = "sample";
const INDEX: &str = "index";

pub(super) const CHANGED: &str = "a run has changed the rows since the load";

/// A table that is to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Place in the plan.
    pub table: usize,
    /// What it was loaded with.
    pub seed: u64,
    /// A run that changes rows has begun since the load.
    pub written: bool,
    /// A run that changes the number of rows has been there, too.
    pub grown: bool,
}

/// A table or condition could not be checked, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error("the check of {what} failed: {error}")]
    Asking { what: String, error: DbError },
    #[error("cannot start a thread for the check: {0}")]
    Thread(#[from] std::io::Error),
}

/// Checks tables on up to `threads` connections. `each` gets every row as soon
/// as it is known, with the place of its table in the plan.
///
/// # Errors
/// When a table cannot be read; what differs is no error.
pub fn check<S: Session>(
    plan: &Plan,
    target: &Target,
    subjects: Vec<Subject>,
    threads: usize,
    each: &mut dyn FnMut(usize, CheckRow),
) -> Result<(), CheckError> {
    let (sender, known) = mpsc::channel();
    let mut tell = || {
        for (table, row) in known.try_iter() {
            each(table, row);
        }
    };
    let body = async |pieces: &Pieces<Subject>| {
        while let Some(subject) = pieces.take() {
            let send = |row| {
                // The receiver outlives all threads.
                let _ = sender.send((subject.table, row));
            };
            let table = &plan.tables[subject.table];
            check_table::<S>(plan, target, *subject, send)
                .await
                .map_err(|error| CheckError::Asking {
                    what: table.name.clone(),
                    error,
                })?;
        }
        Ok(())
    };
    let pieces = Pieces::new(subjects);
    let outcome = share(&pieces, "checker", threads, body, &mut tell);
    tell();
    outcome
}

async fn check_table<S: Session>(
    plan: &Plan,
    target: &Target,
    subject: Subject,
    mut tell: impl FnMut(CheckRow),
) -> Result<(), DbError> {
    let table = &plan.tables[subject.table];
    let key = table.key_columns(&plan.draws);
    // A connection for each table: its statements are prepared when it opens.
    let session = S::open(target, &statements(table, &key, plan.engine)).await?;
    let mut checker = Checker {
        session,
        plan,
        table,
        key,
        subject,
    };
    tell(checker.row_count().await?);
    tell(checker.key_range().await?);
    tell(checker.sample().await?);
    tell(checker.index().await?);
    // All answers are there: how it says goodbye does not matter.
    let _ = checker.session.close().await;
    Ok(())
}

const COUNT_ROWS: StmtId = StmtId(0);
const READ_RANGE: StmtId = StmtId(1);
const READ_ROW: StmtId = StmtId(2);

/// The questions about a table; without a key only the first.
fn statements(table: &Table, key: &[usize], engine: Engine) -> Vec<Statement> {
    let mark = quote(engine);
    let name = quoted(&table.name, mark);
    let statement = |what: &str, sql: String, params: &[&str]| Statement {
        name: format!("{what} of {}", table.name),
        // Once a table, in a command that ends when all are checked.
        sql: String::leak(sql),
        params: params.iter().map(|&param| param.to_owned()).collect(),
        kind: Kind::Read,
    };
    let count = format!("SELECT COUNT(*) FROM {name}");
    let mut list = vec![statement(ROW_COUNT, count, &[])];
    if let Some(&first) = key.first() {
        let range = key_range::statement(table, first, engine);
        let columns = quoted_list(&table.columns, mark);
        let is_wanted = |(index, &column): (usize, &usize)| {
            let column = quoted(&table.columns[column], mark);
            match engine {
                Engine::Postgres => format!("{column} = ${}", index + 1),
                _ => format!("{column} = ?"),
            }
        };
        let wanted: Vec<String> = key.iter().enumerate().map(is_wanted).collect();
        let wanted = wanted.join(" AND ");
        let row = format!("SELECT {columns} FROM {name} WHERE {wanted}");
        let names: Vec<&str> = key.iter().map(|&key| &*table.columns[key]).collect();
        list.push(range);
        list.push(statement(SAMPLE, row, &names));
    }
    list
}

/// A key as people read it, its columns apart.
fn key_text(key: &[Value<'_>]) -> String {
    let part = |value: &Value| match value {
        Value::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    key.iter().map(part).collect::<Vec<_>>().join("/")
}

/// One table and the connection that it is looked at on.
struct Checker<'a, S> {
    session: S,
    plan: &'a Plan,
    table: &'a Table,
    /// The columns that tell rows apart; a single one holds the row's number.
    key: Vec<usize>,
    subject: Subject,
}

impl<S: Session> Checker<'_, S> {
    /// Whether a run may have added or removed rows.
    fn has_grown(&self) -> bool {
        self.subject.grown
    }

    fn skipped(&self, check: &'static str, why: impl Into<String>) -> CheckRow {
        CheckRow::skipped(check, &self.table.name, why)
    }

    async fn row_count(&mut self) -> Result<CheckRow, DbError> {
        if self.has_grown() {
            return Ok(self.skipped(ROW_COUNT, CHANGED));
        }
        let mut found = 0;
        let each = |row: &S::Row| {
            found = row.int(0)?;
            Ok(())
        };
        self.session.fetch(COUNT_ROWS, Args::NONE, each).await?;
        let expected = rows::count(self.table, self.subject.seed, 1, self.table.rows);
        let expected = expected.to_string();
        let row = CheckRow::judged(ROW_COUNT, &self.table.name, found.to_string(), expected);
        Ok(row)
    }

    async fn key_range(&mut self) -> Result<CheckRow, DbError> {
        let [key] = self.key[..] else {
            return Ok(self.skipped(KEY_RANGE, "no column holds the row's number"));
        };
        if self.has_grown() {
            return Ok(self.skipped(KEY_RANGE, CHANGED));
        }
        let expected = match self.table.rows {
            0 => "no rows".to_owned(),
            rows => format!("1 to {rows}"),
        };
        let found = match key_range::ask(&mut self.session, READ_RANGE).await? {
            KeyRange::NoRows => "no rows".to_owned(),
            KeyRange::Keys(min, max) => format!("{min} to {max}"),
            KeyRange::NoNumbers => {
                let column = &self.table.columns[key];
                return Ok(
                    self.skipped(KEY_RANGE, format!("column {column} holds no whole numbers"))
                );
            }
        };
        Ok(CheckRow::judged(
            KEY_RANGE,
            &self.table.name,
            found,
            expected,
        ))
    }

    async fn sample(&mut self) -> Result<CheckRow, DbError> {
        if self.subject.written {
            return Ok(self.skipped(SAMPLE, CHANGED));
        }
        if self.key.is_empty() {
            return Ok(self.skipped(SAMPLE, "the table has no key to find its rows by"));
        }
        let mut tally = Tally::default();
        let mut scratch = Cells::default();
        let mut loaded = RowBuf::new(self.table.columns.len());
        let seed = self.subject.seed;
        for number in check_sample::numbers(self.table, seed) {
            loaded.cells.clear();
            rows::make(
                self.plan,
                self.table,
                seed,
                number,
                &mut scratch,
                &mut loaded,
            );
            for made in 0..loaded.rows() {
                let key = self.key.iter().map(|&column| loaded.value(made, column));
                let key: Vec<Value> = key.collect();
                let mut differing = BTreeSet::new();
                let each = |row: &S::Row| {
                    tally.compare(row, &loaded, made, &mut differing);
                    Ok(())
                };
                let returned = self.session.fetch(READ_ROW, Args::List(&key), each).await?;
                tally.count(&key_text(&key), returned, &differing);
            }
        }
        Ok(tally.row(SAMPLE, self.table))
    }

    async fn index(&mut self) -> Result<CheckRow, DbError> {
        let ddl = self.table.indexes.iter();
        let wanted: Vec<String> = ddl.filter_map(|ddl| check_index::name(ddl)).collect();
        if wanted.is_empty() {
            let why = if self.table.indexes.is_empty() {
                "the workload makes no index beside the keys"
            } else {
                "the workload leaves the names of its indexes to the server"
            };
            return Ok(self.skipped(INDEX, why));
        }
        let there = self.session.indexes(&self.table.name).await?;
        let is_there = |name: &&String| there.iter().any(|known| known.eq_ignore_ascii_case(name));
        let found: Vec<&str> = wanted.iter().filter(is_there).map(String::as_str).collect();
        let found = if found.is_empty() {
            "none".to_owned()
        } else {
            found.join(" ")
        };
        let row = CheckRow::judged(INDEX, &self.table.name, found, wanted.join(" "));
        Ok(row)
    }
}
