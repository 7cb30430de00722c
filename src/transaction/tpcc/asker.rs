//! How the five transactions talk to the server: blocks by name, in one table
//! set, and each answer of as many rows as there must be.

use crate::db::session::{Class, DbError, Session};
use crate::value::{Args, StmtId, Value};
use crate::workload::plan::{TpccBody, TpccStatement};
use crate::workload::tpcc::ask::Ask;

#[derive(Debug)]
pub struct Asker<'a, S> {
    session: &'a mut S,
    /// By `Ask::place`.
    statements: &'a [TpccStatement],
    /// From 0.
    set: u32,
}

impl<'a, S: Session> Asker<'a, S> {
    pub fn new(session: &'a mut S, body: &'a TpccBody, set: i64) -> Asker<'a, S> {
        Asker {
            session,
            statements: &body.statements,
            set: u32::try_from(set - 1).unwrap_or(0),
        }
    }

    /// Sends a statement and shows each row of its answer to `each`.
    pub async fn fetch(
        &mut self,
        ask: Ask,
        values: &[Value<'_>],
        each: impl FnMut(&S::Row) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        let statement = &self.statements[ask.place()];
        let id = StmtId(statement.first.0 + self.set);
        let picks = &statement.picks;
        let args = Args::Picked { values, picks };
        self.session.fetch(id, args, each).await
    }

    /// Reads the one row that there must be.
    pub async fn read(
        &mut self,
        ask: Ask,
        values: &[Value<'_>],
        each: impl FnMut(&S::Row) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let rows = self.fetch(ask, values, each).await?;
        must_be(ask, "found", rows, 1)
    }

    /// Changes or adds the one row that there must be.
    pub async fn write(&mut self, ask: Ask, values: &[Value<'_>]) -> Result<(), DbError> {
        let rows = self.fetch(ask, values, |_| Ok(())).await?;
        must_be(ask, "changed", rows, 1)
    }

    /// Changes rows and reads them: in one statement where the engine returns
    /// what it has changed, else in two. Returns how many there are.
    pub async fn change_and_read(
        &mut self,
        change: Ask,
        read: Ask,
        values: &[Value<'_>],
        mut each: impl FnMut(&S::Row) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        let mut returned = 0;
        let changed = self.fetch(change, values, |row| {
            returned += 1;
            each(row)
        });
        let changed = changed.await?;
        if changed > 0 && returned == 0 {
            returned = self.fetch(read, values, each).await?;
            must_be(read, "found", returned, changed)?;
        }
        Ok(changed)
    }

    /// The same for the one row that there must be.
    pub async fn change_one(
        &mut self,
        change: Ask,
        read: Ask,
        values: &[Value<'_>],
        each: impl FnMut(&S::Row) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let changed = self.change_and_read(change, read, values, each).await?;
        must_be(change, "changed", changed, 1)
    }
}

/// # Errors
/// When a statement met another number of rows than there must be: data that
/// are not TPC-C's, or an error of ours.
pub fn must_be(ask: Ask, what: &str, rows: u64, wanted: u64) -> Result<(), DbError> {
    if rows == wanted {
        return Ok(());
    }
    let (block, _) = ask.block();
    Err(wrong_rows(format!(
        "{block} {what} {rows} rows, not {wanted}"
    )))
}

/// What the server holds is not what TPC-C says.
pub fn wrong_rows(message: String) -> DbError {
    DbError::new(Class::Other, "wrong_rows", message)
}
