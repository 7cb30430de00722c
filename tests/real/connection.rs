//! The test's own connections: plain SQL, blocking, on any engine.

use std::hash::{DefaultHasher, Hash, Hasher};

use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::db::session::{DbError, Row, Session, Target};
use tiermark::db::sqlite::SqliteSession;
use tiermark::value::{Args, Engine, Kind, Statement, StmtId};
use url::Url;

/// What a query returned: short to print, and equal only for equal rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    pub rows: usize,
    pub hash: u64,
}

impl Content {
    pub fn of(texts: &[String]) -> Content {
        let mut hasher = DefaultHasher::new();
        texts.hash(&mut hasher);
        Content {
            rows: texts.len(),
            hash: hasher.finish(),
        }
    }
}

/// One connection of the test's own, for as long as it holds it.
pub struct Connection {
    runtime: tokio::runtime::Runtime,
    session: AnySession,
}

enum AnySession {
    Postgres(PgSession),
    Mysql(MysqlSession),
    Sqlite(SqliteSession),
}

/// Calls a function for whichever type of session it is.
macro_rules! each {
    ($connection:expr, $session:ident => $call:expr) => {{
        let Connection { runtime, session } = $connection;
        runtime.block_on(async {
            match session {
                AnySession::Postgres($session) => $call.await,
                AnySession::Mysql($session) => $call.await,
                AnySession::Sqlite($session) => $call.await,
            }
        })
    }};
}

impl Connection {
    pub fn open(engine: Engine, url: &Url, statements: &[&str]) -> Connection {
        let target = Target::parse(url.as_str()).unwrap();
        let statements: Vec<Statement> = statements
            .iter()
            .map(|sql| Statement {
                name: "test".to_owned(),
                // A handful for the life of the test.
                sql: String::leak((*sql).to_owned()),
                params: Vec::new(),
                kind: Kind::Read,
            })
            .collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let session = runtime.block_on(async {
            match engine {
                Engine::Postgres => {
                    AnySession::Postgres(PgSession::open(&target, &statements).await.unwrap())
                }
                Engine::Sqlite => {
                    AnySession::Sqlite(SqliteSession::open(&target, &statements).await.unwrap())
                }
                _ => AnySession::Mysql(MysqlSession::open(&target, &statements).await.unwrap()),
            }
        });
        Connection { runtime, session }
    }

    pub fn try_run(&mut self, sql: &str) -> Result<(), DbError> {
        each!(self, session => session.raw(sql)).map(drop)
    }

    pub fn run(&mut self, sql: &str) {
        if let Err(error) = self.try_run(sql) {
            panic!("{sql}: {error}");
        }
    }

    pub fn texts(&mut self, statement: u32) -> Vec<String> {
        each!(self, session => column(session, statement, |row| row.text(0).unwrap().to_owned()))
    }

    pub fn number(&mut self, statement: u32) -> i64 {
        let numbers = each!(self, session => column(session, statement, |row| row.int(0).unwrap()));
        assert_eq!(numbers.len(), 1);
        numbers[0]
    }

    pub fn content(&mut self, statement: u32) -> Content {
        Content::of(&self.texts(statement))
    }

    pub fn routines(&mut self) -> Vec<String> {
        each!(self, session => session.routines()).unwrap()
    }

    pub fn tables(&mut self) -> Vec<String> {
        each!(self, session => session.tables()).unwrap()
    }
}

async fn column<S: Session, T>(
    session: &mut S,
    statement: u32,
    cell: impl Fn(&dyn Row) -> T,
) -> Vec<T> {
    let mut cells = Vec::new();
    let each = |row: &S::Row| {
        cells.push(cell(row));
        Ok(())
    };
    let fetched = session.fetch(StmtId(statement), Args::NONE, each).await;
    fetched.unwrap();
    cells
}
