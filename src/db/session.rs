//! The border to every database: the `Session` trait, and errors by what a
//! client does about them.
//!
//! One session is one connection. It never reads a clock and never retries;
//! `run` measures around it and decides.

use crate::value::{Args, Dec, Isolation, RowBuf, ServerFacts, Statement, StmtId};

pub use super::target::{Protocol, Target, TargetError};

/// What a client does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Deadlock, lock time-out, serialization failure, record changed, busy:
    /// roll back and try again with the same inputs.
    Retry,
    /// Duplicate key: retried only in a transaction that deletes and inserts
    /// one key, where healthy servers do this; otherwise failed.
    Duplicate,
    /// The connection is gone: open it anew.
    Disconnected,
    /// The statement was cancelled on request.
    Cancelled,
    /// Anything else: the transaction failed.
    Other,
}

/// An error of the database or of the way to it. Holds no password.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message} ({code})")]
pub struct DbError {
    pub class: Class,
    /// SQLSTATE on PostgreSQL, the error number elsewhere, or a word of ours.
    pub code: String,
    pub message: String,
}

impl DbError {
    pub fn new(class: Class, code: impl Into<String>, message: impl Into<String>) -> DbError {
        DbError {
            class,
            code: code.into(),
            message: message.into(),
        }
    }
}

/// How to stop what another session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// Its statement; the connection stays.
    Statement,
    /// Its connection.
    Connection,
}

/// One connection to a database. Static dispatch; its futures stay on the
/// thread that opened it.
#[expect(
    async_fn_in_trait,
    reason = "clients stay on their thread: no Send is wanted"
)]
pub trait Session: Sized {
    type Row: Row;

    /// Connects, does the target's setup and prepares every statement. Values are
    /// later encoded to the types that the server inferred.
    async fn open(target: &Target, statements: &[Statement]) -> Result<Self, DbError>;

    /// Backend process or connection id, as `cancel` takes it.
    fn id(&self) -> i64;

    /// Stops what the session `id` of the same server is doing. Called on the
    /// control session. A session that is gone already is no error.
    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError>;

    /// Starts a transaction; `writes` says whether it will change rows.
    async fn begin(&mut self, writes: bool) -> Result<(), DbError>;
    async fn commit(&mut self) -> Result<(), DbError>;
    async fn rollback(&mut self) -> Result<(), DbError>;

    /// Sets the isolation of all transactions to come, and returns which one the
    /// session then says that it has, by the name that `Isolation` gives it.
    async fn isolate(&mut self, level: Isolation) -> Result<String, DbError>;

    /// Sends a text as it is: DDL and settings. Returns affected rows.
    async fn raw(&mut self, sql: &str) -> Result<u64, DbError>;

    /// Runs a statement to its end and counts its rows, returned or affected.
    async fn exec(&mut self, id: StmtId, args: Args<'_>) -> Result<u64, DbError>;

    /// As `exec`, and shows each returned row to `each`.
    async fn fetch(
        &mut self,
        id: StmtId,
        args: Args<'_>,
        each: impl FnMut(&Self::Row) -> Result<(), DbError>,
    ) -> Result<u64, DbError>;

    /// Appends rows to a table by the fastest way that the engine has, inside
    /// the open transaction if there is one. Returns the rows added.
    async fn load(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError>;

    /// Names of the tables that an unqualified name can reach here.
    async fn tables(&mut self) -> Result<Vec<String>, DbError>;

    /// Names of the stored procedures and functions that an unqualified name can
    /// reach here; none where the engine has no such thing.
    async fn routines(&mut self) -> Result<Vec<String>, DbError> {
        Ok(Vec::new())
    }

    /// Names of the indexes of a table that an unqualified name reaches, those
    /// of its keys among them. None when there is no such table.
    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError>;

    /// What the server says about itself and about this session.
    async fn facts(&mut self) -> Result<ServerFacts, DbError>;

    /// Ends the session politely.
    async fn close(self) -> Result<(), DbError>;
}

/// One returned row. Columns count from 0.
pub trait Row {
    /// Any integer width, and decimals without a fraction.
    ///
    /// # Errors
    /// When the column is null or not a number.
    fn int(&self, column: usize) -> Result<i64, DbError>;
    /// # Errors
    /// When the column is null or not a text.
    fn text(&self, column: usize) -> Result<&str, DbError>;
    /// # Errors
    /// When the column is null, not a number, or has more than `scale` decimals.
    fn dec(&self, column: usize, scale: u8) -> Result<Dec, DbError>;
    fn is_null(&self, column: usize) -> bool;
}
