//! The smallest and largest key of a table, as the server says.

use crate::db::identifier::{quote, quoted};
use crate::db::session::{DbError, Row, Session};
use crate::value::{Args, Engine, Kind, Statement, StmtId};
use crate::workload::plan::Table;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRange {
    NoRows,
    /// From the first to the last.
    Keys(i64, i64),
    /// A column of text has no order of numbers.
    NoNumbers,
}

/// Asks for the range of a table's key, which is this of its columns.
pub fn statement(table: &Table, key: usize, engine: Engine) -> Statement {
    let mark = quote(engine);
    let key = quoted(&table.columns[key], mark);
    let sql = format!(
        "SELECT MIN({key}), MAX({key}) FROM {}",
        quoted(&table.name, mark)
    );
    Statement {
        name: format!("key_range of {}", table.name),
        // Once a table and command.
        sql: String::leak(sql),
        params: Vec::new(),
        kind: Kind::Read,
    }
}

/// # Errors
/// When the table cannot be read.
pub async fn ask<S: Session>(session: &mut S, statement: StmtId) -> Result<KeyRange, DbError> {
    let mut range = KeyRange::NoRows;
    let each = |row: &S::Row| {
        if !row.is_null(0) {
            let ends = row.int(0).ok().zip(row.int(1).ok());
            range = ends.map_or(KeyRange::NoNumbers, |(min, max)| KeyRange::Keys(min, max));
        }
        Ok(())
    };
    session.fetch(statement, Args::NONE, each).await?;
    Ok(range)
}
