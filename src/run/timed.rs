//! A session that measures: every statement that passes is counted when it
//! goes out and timed until it is back.
//!
//! Transactions run on it without knowing, so none of them times itself.

use std::rc::Rc;
use std::sync::Arc;

use tokio::time::Instant;

use crate::db::session::{Cancel, Class, DbError, Session, Target};
use crate::run::ledger::{Ledger, Line};
use crate::value::{Args, Isolation, Kind, RowBuf, ServerFacts, Statement, StmtId};
use crate::workload::plan::Plan;

#[derive(Debug)]
pub struct Timed<S> {
    session: S,
    ledger: Rc<Ledger>,
    plan: Arc<Plan>,
    line: Line,
    /// When the last statement came back. The next goes out at once, so that
    /// one look at the clock serves both.
    last: Instant,
}

/// Rows of BEGIN, COMMIT and ROLLBACK, behind those of the blocks.
const BEGIN: usize = 0;
const COMMIT: usize = 1;
const ROLLBACK: usize = 2;
pub const CONTROL_STATEMENTS: [&str; 3] = ["begin", "commit", "rollback"];

impl<S: Session> Timed<S> {
    pub fn new(session: S, ledger: Rc<Ledger>, plan: Arc<Plan>) -> Timed<S> {
        Timed {
            session,
            ledger,
            plan,
            line: Line {
                transaction: 0,
                statement: 0,
            },
            last: Instant::now(),
        }
    }

    /// The next statements belong to this transaction, which starts at `at`.
    pub fn start(&mut self, transaction: usize, at: Instant) {
        self.line.transaction = transaction;
        self.last = at;
    }

    /// Where the last statement is recorded, and when it came back.
    pub fn last(&self) -> (Line, Instant) {
        (self.line, self.last)
    }

    /// Puts a new connection in the place of a lost one.
    pub fn replace(&mut self, session: S) {
        self.session = session;
    }

    pub fn into_inner(self) -> S {
        self.session
    }

    fn goes_out(&mut self, row: usize) -> Result<Instant, DbError> {
        if self.ledger.closed.get() {
            return Err(DbError::new(Class::Cancelled, "ended", "the run is over"));
        }
        self.line.statement = row;
        self.ledger.sent(self.line, self.last);
        Ok(self.last)
    }

    fn is_back(
        &mut self,
        kind: Kind,
        start: Instant,
        result: Result<u64, DbError>,
    ) -> Result<u64, DbError> {
        let now = Instant::now();
        self.last = now;
        let rows = result?;
        self.ledger.answered(self.line, kind, start, now, rows);
        Ok(rows)
    }

    fn control(&self, statement: usize) -> usize {
        self.plan.blocks.len() + statement
    }

    fn row_of(&self, id: StmtId) -> (usize, Kind) {
        let block = usize::from(self.plan.block_of[id.index()]);
        (block, self.plan.blocks[block].kind)
    }
}

impl<S: Session> Session for Timed<S> {
    type Row = S::Row;

    async fn open(_: &Target, _: &[Statement]) -> Result<Self, DbError> {
        Err(DbError::new(
            Class::Other,
            "unsupported",
            "a timed session wraps an open one",
        ))
    }

    fn id(&self) -> i64 {
        self.session.id()
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        self.session.cancel(id, how).await
    }

    async fn begin(&mut self, writes: bool) -> Result<(), DbError> {
        let start = self.goes_out(self.control(BEGIN))?;
        let result = self.session.begin(writes).await;
        self.is_back(Kind::Other, start, result.map(|()| 0))
            .map(|_| ())
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        let start = self.goes_out(self.control(COMMIT))?;
        let result = self.session.commit().await;
        self.is_back(Kind::Other, start, result.map(|()| 0))
            .map(|_| ())
    }

    /// Goes out also when the run is over: it frees what the transaction held.
    async fn rollback(&mut self) -> Result<(), DbError> {
        self.line.statement = self.control(ROLLBACK);
        self.ledger.sent(self.line, self.last);
        let start = self.last;
        let result = self.session.rollback().await;
        self.is_back(Kind::Other, start, result.map(|()| 0))
            .map(|_| ())
    }

    async fn isolate(&mut self, level: Isolation) -> Result<String, DbError> {
        self.session.isolate(level).await
    }

    async fn raw(&mut self, sql: &str) -> Result<u64, DbError> {
        self.session.raw(sql).await
    }

    async fn exec(&mut self, id: StmtId, args: Args<'_>) -> Result<u64, DbError> {
        let (row, kind) = self.row_of(id);
        let start = self.goes_out(row)?;
        let result = self.session.exec(id, args).await;
        self.is_back(kind, start, result)
    }

    async fn fetch(
        &mut self,
        id: StmtId,
        args: Args<'_>,
        each: impl FnMut(&Self::Row) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        let (row, kind) = self.row_of(id);
        let start = self.goes_out(row)?;
        let result = self.session.fetch(id, args, each).await;
        self.is_back(kind, start, result)
    }

    async fn load(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError> {
        self.session.load(table, columns, rows).await
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        self.session.tables().await
    }

    async fn routines(&mut self) -> Result<Vec<String>, DbError> {
        self.session.routines().await
    }

    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError> {
        self.session.indexes(table).await
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        self.session.facts().await
    }

    async fn close(self) -> Result<(), DbError> {
        self.session.close().await
    }
}
