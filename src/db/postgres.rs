//! Sessions on PostgreSQL, through sqlx.
//!
//! Statements are prepared without parameter types, so that the server infers
//! them as it would for a literal, and values are encoded to what it inferred.

use sqlx::postgres::{PgArguments, PgConnection, PgRow, PgTypeInfo};
use sqlx::{
    Arguments as _, AssertSqlSafe, Connection as _, Either, Executor as _, SqlSafeStr,
    Statement as _, TypeInfo as _,
};

use crate::value::{Args, Isolation, RowBuf, ServerFacts, Statement, StmtId};

use super::copy_text;
use super::cut::Syntax;
use super::drain::{Counts, drain};
use super::failure;
use super::identifier;
use super::multi_insert;
use super::postgres_connect;
use super::postgres_encode::PgArg;
use super::postgres_facts;
use super::postgres_pooler;
use super::prepared::Prepared;
use super::session::{Cancel, DbError, Protocol, Session, Target};
use super::setup;
use super::simple::SimpleTexts;

/// Sizes from 8 KiB to 1 MiB load equally fast.
const COPY_CHUNK: usize = 64 << 10;
/// Room in sqlx's statement cache beside the workload's own, so that none of
/// these is ever evicted and prepared again within a run.
const SPARE_STATEMENTS: usize = 16;
/// `duplicate_prepared_statement`, `invalid_sql_statement_name`
const LOST_STATEMENT: [&str; 2] = ["42P05", "26000"];

#[derive(Debug)]
pub struct PgSession {
    connection: PgConnection,
    statements: Statements,
    id: i64,
    target: Target,
    /// Whether something between us and the server deals sessions to backends,
    /// so that `id` may be anybody's. Not known before it is asked.
    pooled: Option<bool>,
}

/// By the target's protocol.
#[derive(Debug)]
enum Statements {
    Prepared(Vec<PgStatement>),
    Simple(SimpleTexts),
}

#[derive(Debug)]
struct PgStatement {
    prepared: Prepared,
    params: Box<[Param]>,
}

/// What the server inferred for one parameter.
#[derive(Debug)]
struct Param {
    oid: u32,
    info: PgTypeInfo,
}

impl PgStatement {
    fn arguments(&self, args: Args<'_>) -> Result<PgArguments, DbError> {
        self.prepared.check_count(self.params.len(), args.len())?;
        let mut arguments = PgArguments::default();
        arguments.reserve(args.len(), args.len() * size_of::<i64>());
        for (index, (value, param)) in args.iter().zip(&self.params).enumerate() {
            let oid = param.oid;
            arguments
                .add(PgArg { value, oid })
                .map_err(|_| self.prepared.misfit(index, value, param.info.name()))?;
        }
        Ok(arguments)
    }
}

impl PgSession {
    async fn text(&mut self, sql: impl SqlSafeStr) -> Result<Counts, DbError> {
        let answer = self.connection.fetch_many(sqlx::raw_sql(sql));
        drain(
            answer,
            sqlx::postgres::PgQueryResult::rows_affected,
            |_| Ok(()),
            failure::postgres,
        )
        .await
    }

    async fn prepare(&mut self, statement: &Statement) -> Result<PgStatement, DbError> {
        let prepared = Prepared::new(statement);
        let inferred = self
            .connection
            .prepare_with(statement.sql.into_sql_str(), &[])
            .await
            .map_err(|error| prepared.failed(explained(failure::postgres(error))))?;
        let params = match inferred.parameters() {
            Some(Either::Left(types)) => types
                .iter()
                .map(|info| Param {
                    oid: info.oid().map_or(0, |oid| oid.0),
                    info: info.clone(),
                })
                .collect(),
            _ => Box::default(),
        };
        Ok(PgStatement { prepared, params })
    }
}

impl PgSession {
    /// Asked once. Poolers that keep prepared statements look like a server.
    async fn is_pooled(&mut self) -> bool {
        if let Some(known) = self.pooled {
            return known;
        }
        let pooled = match postgres_connect::options(&self.target, 0) {
            Ok(options) => {
                postgres_pooler::is_pooled(&mut self.connection, self.id, &options).await
            }
            Err(_) => true,
        };
        self.pooled = Some(pooled);
        pooled
    }
}

impl Session for PgSession {
    type Row = PgRow;

    async fn open(target: &Target, statements: &[Statement]) -> Result<PgSession, DbError> {
        let connection =
            postgres_connect::connect(target, statements.len() + SPARE_STATEMENTS).await?;
        let mut session = PgSession {
            connection,
            statements: Statements::Prepared(Vec::new()),
            id: 0,
            target: target.clone(),
            pooled: None,
        };
        session.id = postgres_facts::backend_pid(&mut session.connection).await?;
        setup::apply(&mut session, target).await?;
        session.statements = match target.protocol() {
            Protocol::Prepared => {
                let mut list = Vec::with_capacity(statements.len());
                for statement in statements {
                    list.push(session.prepare(statement).await?);
                }
                Statements::Prepared(list)
            }
            Protocol::Simple => {
                postgres_facts::check_quotes(&mut session.connection).await?;
                Statements::Simple(SimpleTexts::new(statements, Syntax::Postgres))
            }
        };
        Ok(session)
    }

    fn id(&self) -> i64 {
        self.id
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        if self.is_pooled().await {
            return Ok(());
        }
        // Both answer false, without an error, when the backend is gone.
        let function = match how {
            Cancel::Statement => "pg_cancel_backend",
            Cancel::Connection => "pg_terminate_backend",
        };
        self.text(AssertSqlSafe(format!("SELECT {function}({id})")))
            .await?;
        Ok(())
    }

    async fn begin(&mut self, _writes: bool) -> Result<(), DbError> {
        self.text("BEGIN").await.map(drop)
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.text("COMMIT").await.map(drop)
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.text("ROLLBACK").await.map(drop)
    }

    async fn isolate(&mut self, level: Isolation) -> Result<String, DbError> {
        let sql = format!("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {level}");
        self.text(AssertSqlSafe(sql)).await?;
        postgres_facts::isolation(&mut self.connection).await
    }

    async fn raw(&mut self, sql: &str) -> Result<u64, DbError> {
        Ok(self.text(AssertSqlSafe(sql)).await?.affected)
    }

    async fn exec(&mut self, id: StmtId, args: Args<'_>) -> Result<u64, DbError> {
        self.fetch(id, args, |_| Ok(())).await
    }

    async fn fetch(
        &mut self,
        id: StmtId,
        args: Args<'_>,
        each: impl FnMut(&PgRow) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        let answer = match &mut self.statements {
            Statements::Prepared(list) => {
                let statement = &list[id.index()];
                let arguments = statement.arguments(args)?;
                let query = sqlx::query_with(statement.prepared.sql, arguments);
                self.connection.fetch_many(query)
            }
            Statements::Simple(texts) => {
                let sql = AssertSqlSafe(texts.text(id, args)?);
                self.connection.fetch_many(sqlx::raw_sql(sql))
            }
        };
        let counts = drain(
            answer,
            sqlx::postgres::PgQueryResult::rows_affected,
            each,
            failure::postgres,
        );
        match (counts.await, &self.statements) {
            (Ok(counts), _) => Ok(counts.rows_or_affected()),
            (Err(error), Statements::Prepared(list)) => {
                Err(list[id.index()].prepared.failed(explained(error)))
            }
            (Err(error), Statements::Simple(texts)) => Err(texts.failed(id, error)),
        }
    }

    async fn load(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError> {
        multi_insert::check_shape(table, columns, rows)?;
        let sql = format!(
            "COPY {} ({}) FROM STDIN",
            identifier::quoted(table, '"'),
            identifier::quoted_list(columns, '"')
        );
        let mut copy = self
            .connection
            .copy_in_raw(&sql)
            .await
            .map_err(failure::postgres)?;
        let mut chunk = Vec::with_capacity(COPY_CHUNK * 2);
        for row in 0..rows.rows() {
            for (column, name) in columns.iter().enumerate() {
                if column > 0 {
                    chunk.push(b'\t');
                }
                if copy_text::push_value(&mut chunk, rows.value(row, column)).is_none() {
                    // A COPY that is only dropped fails the next statement.
                    copy.abort("a value has no text form")
                        .await
                        .map_err(failure::postgres)?;
                    return Err(multi_insert::misfit(table, name, row));
                }
            }
            chunk.push(b'\n');
            if chunk.len() >= COPY_CHUNK {
                copy.send(&chunk[..]).await.map_err(failure::postgres)?;
                chunk.clear();
            }
        }
        copy.send(&chunk[..]).await.map_err(failure::postgres)?;
        copy.finish().await.map_err(failure::postgres)
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        postgres_facts::tables(&mut self.connection).await
    }

    async fn routines(&mut self) -> Result<Vec<String>, DbError> {
        postgres_facts::routines(&mut self.connection).await
    }

    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError> {
        postgres_facts::indexes(&mut self.connection, table).await
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        let mut facts = postgres_facts::facts(&mut self.connection).await?;
        if self.is_pooled().await {
            facts.pooled = true;
            facts
                .session_notes
                .extend(postgres_pooler::NOTES.map(str::to_owned));
        }
        Ok(facts)
    }

    async fn close(self) -> Result<(), DbError> {
        self.connection.close().await.map_err(failure::postgres)
    }
}

/// Adds the remedy where prepared statements are lost or another client's.
fn explained(error: DbError) -> DbError {
    if !LOST_STATEMENT.contains(&error.code.as_str()) {
        return error;
    }
    DbError {
        message: format!(
            "{}; where a pooler such as PgBouncer deals out transactions, use --protocol simple",
            error.message
        ),
        ..error
    }
}
