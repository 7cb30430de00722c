//! Sessions on an embedded SQLite file, through sqlx.
//!
//! Writers of this process wait in a fair queue from the start of their
//! transaction to its end. Only this process's: another one's lock is `Retry`.

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteQueryResult, SqliteRow};
use sqlx::{
    Arguments as _, AssertSqlSafe, Connection as _, Either, Executor as _, SqlSafeStr as _,
    Statement as _,
};

use crate::value::{Args, Isolation, Kind, RowBuf, ServerFacts, Statement, StmtId, Value};

use super::drain::{Counts, drain};
use super::failure;
use super::moment::Moment;
use super::multi_insert;
use super::prepared::Prepared;
use super::session::{Cancel, Class, DbError, Session, Target};
use super::setup;
use super::sqlite_facts;
use super::sqlite_open::{self, Opened};
use super::sqlite_queue::{Queue, Turn};
use super::stop::{self, Stop};

/// SQLite's own limit, as it is built by default.
const MOST_PARAMS: usize = 32_766;
/// Room in sqlx's statement cache beside the workload's own, so that none of
/// these is ever evicted and prepared again within a run.
const SPARE_STATEMENTS: usize = 16;

/// One connection. Each has an operating system's thread of its own in sqlx,
/// so thousands of clients are not for this engine.
pub use super::sqlite_open::file;

#[derive(Debug)]
pub struct SqliteSession {
    connection: SqliteConnection,
    statements: Vec<SqliteStatement>,
    file: PathBuf,
    stop: Arc<Stop>,
    queue: Queue,
    in_transaction: bool,
    /// Held by a transaction that writes. After `connection`, so that a dropped
    /// session lets go of the file before it lets the next writer in.
    turn: Option<Turn>,
}

#[derive(Debug)]
struct SqliteStatement {
    prepared: Prepared,
    params: usize,
    /// By its first keyword: `WITH ... INSERT` counts as a read, and belongs
    /// into a transaction that was begun to write.
    kind: Kind,
}

impl SqliteStatement {
    fn arguments(&self, args: Args<'_>) -> Result<SqliteArguments, DbError> {
        self.prepared.check_count(self.params, args.len())?;
        let mut arguments = SqliteArguments::default();
        arguments.reserve(args.len(), 0);
        for (index, value) in args.iter().enumerate() {
            push(&mut arguments, value)
                .ok_or_else(|| self.prepared.misfit(index, value, "a date and time"))?;
        }
        Ok(arguments)
    }
}

/// `None` when the value has no form in SQLite. There are no decimals there:
/// their units are bound.
fn push(arguments: &mut SqliteArguments, value: Value<'_>) -> Option<()> {
    let added = match value {
        Value::Null => arguments.add(None::<i64>),
        Value::Int(v) => arguments.add(v),
        Value::Float(v) => arguments.add(v),
        Value::Dec(v) => arguments.add(v.units),
        Value::Text(v) => arguments.add(v),
        Value::Bytes(v) => arguments.add(v),
        Value::Time(v) => arguments.add(Moment::from_micros(v)?.to_string()),
    };
    added.ok()
}

impl SqliteSession {
    /// To be called first by everything that runs a statement.
    fn start(&self) -> Result<(), DbError> {
        if self.stop.is_closed() {
            return Err(self.stopped());
        }
        self.stop.start_statement();
        Ok(())
    }

    /// The turn that a statement needs: none in a transaction, which has its
    /// own if it writes.
    async fn turn_if(&self, writes: bool) -> Result<Option<Turn>, DbError> {
        if !writes || self.in_transaction {
            return Ok(None);
        }
        let turn = self.stop.unless_asked(self.queue.turn()).await;
        turn.map(Some).ok_or_else(|| self.stopped())
    }

    fn stopped(&self) -> DbError {
        if self.stop.is_closed() {
            DbError::new(
                Class::Disconnected,
                "closed",
                "the connection was ended on request",
            )
        } else {
            DbError::new(Class::Cancelled, "9", "interrupted")
        }
    }

    /// An interrupted statement of a closed session has lost its connection.
    fn failed(&self, error: DbError) -> DbError {
        if error.class == Class::Cancelled && self.stop.is_closed() {
            return self.stopped();
        }
        error
    }

    /// Runs a text of ours, kept prepared.
    async fn fixed(&mut self, sql: &'static str) -> Result<(), DbError> {
        let query = sqlx::query_with(sql, SqliteArguments::default());
        drain(
            self.connection.fetch_many(query),
            SqliteQueryResult::rows_affected,
            |_| Ok(()),
            failure::sqlite,
        )
        .await
        .map(drop)
        .map_err(|error| self.failed(error))
    }

    /// All rows changed since opening. The count that comes with a statement
    /// is that of the last statement that changed any.
    async fn changes(&mut self) -> Result<u64, DbError> {
        sqlx::query_scalar("SELECT total_changes()")
            .fetch_one(&mut self.connection)
            .await
            .map(i64::unsigned_abs)
            .map_err(failure::sqlite)
    }

    async fn prepare(&mut self, statement: &Statement) -> Result<SqliteStatement, DbError> {
        let prepared = Prepared::new(statement);
        let compiled = self
            .connection
            .prepare(statement.sql.into_sql_str())
            .await
            .map_err(|error| prepared.failed(failure::sqlite(error)))?;
        let params = match compiled.parameters() {
            Some(Either::Right(count)) => count,
            _ => 0,
        };
        Ok(SqliteStatement {
            prepared,
            params,
            kind: statement.kind,
        })
    }
}

impl Session for SqliteSession {
    type Row = SqliteRow;

    async fn open(target: &Target, statements: &[Statement]) -> Result<SqliteSession, DbError> {
        let stop = Stop::register();
        // A session that is dropped while its statement runs must not change
        // anything later: with the session goes the permission to proceed.
        let alive = Arc::downgrade(&stop);
        let Opened {
            connection,
            file,
            queue,
        } = sqlite_open::open(target, statements.len() + SPARE_STATEMENTS, move || {
            alive.upgrade().is_some_and(|stop| !stop.is_asked())
        })
        .await?;
        let mut session = SqliteSession {
            connection,
            statements: Vec::with_capacity(statements.len()),
            file,
            stop,
            queue,
            in_transaction: false,
            turn: None,
        };
        setup::apply(&mut session, target).await?;
        for statement in statements {
            let prepared = session.prepare(statement).await?;
            session.statements.push(prepared);
        }
        Ok(session)
    }

    fn id(&self) -> i64 {
        self.stop.id()
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        stop::request(id, how);
        Ok(())
    }

    async fn begin(&mut self, writes: bool) -> Result<(), DbError> {
        self.start()?;
        if self.in_transaction {
            // Its own turn would be waited for, for ever.
            return Err(DbError::new(
                Class::Other,
                "1",
                "a transaction begins within a transaction",
            ));
        }
        let turn = self.turn_if(writes).await?;
        self.fixed(if writes { "BEGIN IMMEDIATE" } else { "BEGIN" })
            .await?;
        self.turn = turn;
        self.in_transaction = true;
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.start()?;
        // After an error the transaction is still open, and waits for ROLLBACK.
        self.fixed("COMMIT").await?;
        self.in_transaction = false;
        self.turn = None;
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.start()?;
        let outcome = self.fixed("ROLLBACK").await;
        self.in_transaction = false;
        self.turn = None;
        match outcome {
            // An interrupted write has rolled its transaction back already.
            Err(error) if error.message.contains("no transaction is active") => Ok(()),
            other => other,
        }
    }

    /// There is no other.
    async fn isolate(&mut self, _level: Isolation) -> Result<String, DbError> {
        Ok(Isolation::Serializable.name().to_owned())
    }

    async fn raw(&mut self, sql: &str) -> Result<u64, DbError> {
        self.start()?;
        let _turn = self.turn_if(true).await?;
        let before = self.changes().await?;
        drain(
            self.connection
                .fetch_many(sqlx::raw_sql(AssertSqlSafe(sql))),
            SqliteQueryResult::rows_affected,
            |_| Ok(()),
            failure::sqlite,
        )
        .await
        .map_err(|error| self.failed(error))?;
        Ok(self.changes().await?.saturating_sub(before))
    }

    async fn exec(&mut self, id: StmtId, args: Args<'_>) -> Result<u64, DbError> {
        self.fetch(id, args, |_| Ok(())).await
    }

    async fn fetch(
        &mut self,
        id: StmtId,
        args: Args<'_>,
        each: impl FnMut(&SqliteRow) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        self.start()?;
        let statement = &self.statements[id.index()];
        let arguments = statement.arguments(args)?;
        let _turn = self.turn_if(statement.kind != Kind::Read).await?;
        let query = sqlx::query_with(statement.prepared.sql, arguments);
        let counts = drain(
            self.connection.fetch_many(query),
            SqliteQueryResult::rows_affected,
            each,
            failure::sqlite,
        )
        .await
        .map_err(|error| self.failed(statement.prepared.failed(error)))?;
        // Only a statement that changes rows has a count of its own.
        Ok(match statement.kind {
            Kind::Write => counts.rows_or_affected(),
            Kind::Read | Kind::Other => counts.rows,
        })
    }

    async fn load(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError> {
        multi_insert::check_shape(table, columns, rows)?;
        self.start()?;
        let _turn = self.turn_if(true).await?;
        let mut loaded = 0;
        for batch in multi_insert::batches(table, columns, rows, MOST_PARAMS, '"') {
            let mut arguments = SqliteArguments::default();
            arguments.reserve(batch.rows.len() * columns.len(), 0);
            for row in batch.rows {
                for (column, name) in columns.iter().enumerate() {
                    push(&mut arguments, rows.value(row, column))
                        .ok_or_else(|| multi_insert::misfit(table, name, row))?;
                }
            }
            let query = sqlx::query_with(AssertSqlSafe(batch.sql), arguments);
            let Counts { affected, .. } = drain(
                self.connection.fetch_many(query),
                SqliteQueryResult::rows_affected,
                |_| Ok(()),
                failure::sqlite,
            )
            .await
            .map_err(|error| self.failed(error))?;
            loaded += affected;
        }
        Ok(loaded)
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        self.start()?;
        sqlite_facts::tables(&mut self.connection).await
    }

    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError> {
        self.start()?;
        sqlite_facts::indexes(&mut self.connection, table).await
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        self.start()?;
        sqlite_facts::facts(&mut self.connection, &self.file).await
    }

    async fn close(self) -> Result<(), DbError> {
        self.connection.close().await.map_err(failure::sqlite)
    }
}
