//! Sessions on MySQL and MariaDB, through sqlx.

use sqlx::mysql::{MySqlArguments, MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::{
    Arguments as _, AssertSqlSafe, Connection as _, Either, Executor as _, SqlSafeStr,
    Statement as _,
};

use crate::value::{Args, Isolation, RowBuf, ServerFacts, Statement, StmtId};

use super::drain::{Counts, drain};
use super::failure;
use super::multi_insert;
use super::mysql_connect;
use super::mysql_encode::MysqlArg;
use super::mysql_facts;
use super::prepared::Prepared;
use super::session::{Cancel, DbError, Protocol, Session, Target};
use super::setup;
use super::simple::SimpleTexts;

/// What the protocol's two bytes can count.
const MOST_PARAMS: usize = 65_535;
/// Room in sqlx's statement cache beside the workload's own, so that none of
/// these is ever evicted and prepared again within a run.
const SPARE_STATEMENTS: usize = 16;
/// `ER_NO_SUCH_THREAD`
const NO_SUCH_THREAD: &str = "1094";
/// `ER_MAX_PREPARED_STMT_COUNT_REACHED`
const TOO_MANY_STATEMENTS: &str = "1461";

#[derive(Debug)]
pub struct MysqlSession {
    connection: MySqlConnection,
    statements: Statements,
    id: i64,
    /// The password is from a file that others can read.
    open_file: bool,
}

/// By the target's protocol.
#[derive(Debug)]
enum Statements {
    Prepared(Vec<MysqlStatement>),
    Simple(SimpleTexts),
}

#[derive(Debug)]
struct MysqlStatement {
    prepared: Prepared,
    params: usize,
}

impl MysqlStatement {
    fn arguments(&self, args: Args<'_>) -> Result<MySqlArguments, DbError> {
        self.prepared.check_count(self.params, args.len())?;
        let mut arguments = MySqlArguments::default();
        arguments.reserve(args.len(), args.len() * size_of::<i64>());
        for (index, value) in args.iter().enumerate() {
            arguments
                .add(MysqlArg(value))
                .map_err(|_| self.prepared.misfit(index, value, "a DATETIME"))?;
        }
        Ok(arguments)
    }
}

impl MysqlSession {
    async fn text(&mut self, sql: impl SqlSafeStr) -> Result<Counts, DbError> {
        drain(
            self.connection.fetch_many(sqlx::raw_sql(sql)),
            MySqlQueryResult::rows_affected,
            |_| Ok(()),
            failure::mysql,
        )
        .await
    }

    async fn prepare(&mut self, statement: &Statement) -> Result<MysqlStatement, DbError> {
        let prepared = Prepared::new(statement);
        let on_server = self
            .connection
            .prepare(statement.sql.into_sql_str())
            .await
            .map_err(|error| prepared.failed(explained(failure::mysql(error))))?;
        let params = match on_server.parameters() {
            Some(Either::Right(count)) => count,
            _ => 0,
        };
        Ok(MysqlStatement { prepared, params })
    }
}

impl Session for MysqlSession {
    type Row = MySqlRow;

    async fn open(target: &Target, statements: &[Statement]) -> Result<MysqlSession, DbError> {
        let opened = mysql_connect::connect(target, statements.len() + SPARE_STATEMENTS).await?;
        let mut session = MysqlSession {
            connection: opened.connection,
            open_file: opened.open_file,
            statements: Statements::Prepared(Vec::new()),
            id: 0,
        };
        session.id = mysql_facts::connection_id(&mut session.connection).await?;
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
                let syntax = mysql_facts::syntax(&mut session.connection).await?;
                Statements::Simple(SimpleTexts::new(statements, syntax))
            }
        };
        Ok(session)
    }

    fn id(&self) -> i64 {
        self.id
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        let what = match how {
            Cancel::Statement => "QUERY",
            Cancel::Connection => "CONNECTION",
        };
        match self.text(AssertSqlSafe(format!("KILL {what} {id}"))).await {
            Err(error) if error.code == NO_SUCH_THREAD => Ok(()),
            other => other.map(drop),
        }
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
        let sql = format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}");
        self.text(AssertSqlSafe(sql)).await?;
        mysql_facts::isolation(&mut self.connection).await
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
        each: impl FnMut(&MySqlRow) -> Result<(), DbError>,
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
            MySqlQueryResult::rows_affected,
            each,
            failure::mysql,
        )
        .await;
        match (counts, &self.statements) {
            (Ok(counts), _) => Ok(counts.rows_or_affected()),
            (Err(error), Statements::Prepared(list)) => {
                Err(list[id.index()].prepared.failed(error))
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
        let mut loaded = 0;
        if let Statements::Simple(texts) = &mut self.statements {
            let head = multi_insert::head(table, columns, '`');
            for range in multi_insert::ranges(rows) {
                let sql = AssertSqlSafe(texts.insert(&head, table, columns, rows, range)?);
                let counts = drain(
                    self.connection.fetch_many(sqlx::raw_sql(sql)),
                    MySqlQueryResult::rows_affected,
                    |_| Ok(()),
                    failure::mysql,
                )
                .await?;
                loaded += counts.affected;
            }
            return Ok(loaded);
        }
        for batch in multi_insert::batches(table, columns, rows, MOST_PARAMS, '`') {
            let mut arguments = MySqlArguments::default();
            for row in batch.rows {
                for (column, name) in columns.iter().enumerate() {
                    arguments
                        .add(MysqlArg(rows.value(row, column)))
                        .map_err(|_| multi_insert::misfit(table, name, row))?;
                }
            }
            let sql = AssertSqlSafe(batch.sql);
            let counts = drain(
                self.connection.fetch_many(sqlx::query_with(sql, arguments)),
                MySqlQueryResult::rows_affected,
                |_| Ok(()),
                failure::mysql,
            )
            .await?;
            loaded += counts.affected;
        }
        Ok(loaded)
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        mysql_facts::tables(&mut self.connection).await
    }

    async fn routines(&mut self) -> Result<Vec<String>, DbError> {
        mysql_facts::routines(&mut self.connection).await
    }

    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError> {
        mysql_facts::indexes(&mut self.connection, table).await
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        let mut facts = mysql_facts::facts(&mut self.connection).await?;
        if self.open_file {
            facts
                .session_notes
                .push(mysql_connect::OPEN_FILE.to_owned());
        }
        Ok(facts)
    }

    async fn close(self) -> Result<(), DbError> {
        match self.connection.close().await {
            // The server was faster: it closes at the word of goodbye, and TLS
            // has one of its own after that.
            Err(sqlx::Error::Io(_)) => Ok(()),
            closed => closed.map_err(failure::mysql),
        }
    }
}

/// Adds the remedy to errors of preparing that an administrator can mend.
fn explained(error: DbError) -> DbError {
    if error.code != TOO_MANY_STATEMENTS {
        return error;
    }
    DbError {
        message: format!(
            "{}; raise it: SET GLOBAL max_prepared_stmt_count = 1048576;",
            error.message
        ),
        ..error
    }
}
