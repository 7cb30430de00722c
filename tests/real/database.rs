//! A database for one test alone: made with the administrator's address, used
//! by the program as the user with few rights, dropped at the end.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::db::session::{Row, Session, Target};
use tiermark::db::sqlite::SqliteSession;
use tiermark::value::{Args, Engine, Kind, Statement, StmtId};
use url::Url;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    Postgres,
    PostgresNew,
    Mariadb,
    MariadbNew,
    Mysql,
    Sqlite,
}

impl Server {
    pub const ALL: [Server; 6] = [
        Server::Postgres,
        Server::PostgresNew,
        Server::Mariadb,
        Server::MariadbNew,
        Server::Mysql,
        Server::Sqlite,
    ];

    fn engine(self) -> Engine {
        match self {
            Server::Postgres | Server::PostgresNew => Engine::Postgres,
            Server::Mariadb | Server::MariadbNew => Engine::Mariadb,
            Server::Mysql => Engine::Mysql,
            Server::Sqlite => Engine::Sqlite,
        }
    }

    /// The environment variable with its address; SQLite needs none.
    fn variable(self) -> &'static str {
        match self {
            Server::Postgres => "TIERMARK_TEST_POSTGRES",
            Server::PostgresNew => "TIERMARK_TEST_POSTGRES_NEW",
            Server::Mariadb => "TIERMARK_TEST_MARIADB",
            Server::MariadbNew => "TIERMARK_TEST_MARIADB_NEW",
            Server::Mysql => "TIERMARK_TEST_MYSQL",
            Server::Sqlite => "",
        }
    }
}

pub struct Database {
    pub engine: Engine,
    /// With the user and password that the program gets.
    pub url: Url,
    /// The same database as the administrator.
    admin: Url,
    /// A database that is always there, to make and drop others from.
    home: Option<Url>,
    /// For workloads and results; also holds the file of SQLite.
    folder: TempDir,
}

impl Database {
    /// A new and empty one, or `None` where the server is not to be had.
    pub fn on(server: Server) -> Option<Database> {
        let folder = tempfile::tempdir().unwrap();
        if server == Server::Sqlite {
            let url = format!("sqlite:{}", folder.path().join("test.db").display());
            let url = Url::parse(&url).unwrap();
            return Some(Database {
                engine: Engine::Sqlite,
                admin: url.clone(),
                url,
                home: None,
                folder,
            });
        }
        let variable = server.variable();
        let mut url = address(variable)?;
        let home = address(&format!("{variable}_ADMIN"))?;
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tiermark_test_{}_{number}", std::process::id());
        url.set_path(&name);
        let mut admin = home.clone();
        admin.set_path(&name);
        let database = Database {
            engine: server.engine(),
            url,
            admin,
            home: Some(home),
            folder,
        };
        database.make(&name);
        Some(database)
    }

    fn make(&self, name: &str) {
        let user = self.user();
        let home = self.home.as_ref().unwrap();
        let mut admin = Connection::open(self.engine, home, &[]);
        if self.engine == Engine::Postgres {
            admin.run(&format!("CREATE DATABASE {name} OWNER {user}"));
            return;
        }
        admin.run(&format!("CREATE DATABASE {name}"));
        // What the README asks for.
        admin.run(&format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES ON {name}.* TO '{user}'@'%'"
        ));
    }

    pub fn is_server(&self) -> bool {
        self.home.is_some()
    }

    pub fn name(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }

    pub fn user(&self) -> &str {
        self.url.username()
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A connection as the administrator, with statements ready.
    pub fn connect(&self, statements: &[&str]) -> Connection {
        Connection::open(self.engine, &self.admin, statements)
    }

    /// Runs a text as the administrator.
    pub fn run(&self, sql: &str) {
        self.connect(&[]).run(sql);
    }

    /// The first column, which must be a text.
    pub fn texts(&self, sql: &str) -> Vec<String> {
        self.connect(&[sql]).texts(0)
    }

    /// The only value of the only row, a whole number.
    pub fn number(&self, sql: &str) -> i64 {
        self.connect(&[sql]).number(0)
    }

    pub fn count(&self, table: &str) -> i64 {
        self.number(&format!("SELECT COUNT(*) FROM {table}"))
    }

    pub fn content(&self, sql: &str) -> Content {
        self.connect(&[sql]).content(0)
    }

    /// Names of the tables there are.
    pub fn tables(&self) -> Vec<String> {
        let mut tables = self.connect(&[]).tables();
        tables.sort();
        tables
    }

    /// The program's sessions on the server.
    pub fn sessions(&self) -> Vec<String> {
        self.texts(&self.sessions_sql())
    }

    fn sessions_sql(&self) -> String {
        let (name, user) = (self.name(), self.user());
        match self.engine {
            Engine::Postgres => format!(
                "SELECT CONCAT(pid) FROM pg_stat_activity WHERE datname = '{name}' AND usename = '{user}'"
            ),
            _ => format!(
                "SELECT CONCAT(id) FROM information_schema.processlist WHERE db = '{name}' AND user = '{user}'"
            ),
        }
    }

    /// Ends all sessions of the program, and tells how many there were.
    pub fn kill_sessions(&self) -> usize {
        let mut admin = self.connect(&[&self.sessions_sql()]);
        let ids = admin.texts(0);
        for id in &ids {
            admin.run(&match self.engine {
                Engine::Postgres => format!("SELECT pg_terminate_backend({id})"),
                _ => format!("KILL {id}"),
            });
        }
        ids.len()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some(home) = &self.home else { return };
        let name = self.name();
        let drop = match self.engine {
            Engine::Postgres => format!("DROP DATABASE {name} WITH (FORCE)"),
            _ => format!("DROP DATABASE {name}"),
        };
        let mut admin = Connection::open(self.engine, home, &[]);
        // In a failing test this must not hide the failure.
        let _ = admin.try_run(&drop);
        if self.engine != Engine::Postgres {
            let user = self.user();
            let _ = admin.try_run(&format!(
                "REVOKE ALL PRIVILEGES ON {name}.* FROM '{user}'@'%'"
            ));
        }
    }
}

fn address(variable: &str) -> Option<Url> {
    let Ok(url) = std::env::var(variable) else {
        skipped(variable, "not set, so there is no such server");
        return None;
    };
    Some(Url::parse(&url).unwrap())
}

/// Says that a test could not run, on the terminal and to `tests/run.sh`.
pub fn skipped(what: &str, why: &str) {
    eprintln!("SKIPPED: {what}: {why}");
    if let Some(list) = std::env::var_os("TIERMARK_SKIPS") {
        let list = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(list);
        list.unwrap()
            .write_all(format!("{what}: {why}\n").as_bytes())
            .unwrap();
    }
}

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
    fn open(engine: Engine, url: &Url, statements: &[&str]) -> Connection {
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

    pub fn try_run(&mut self, sql: &str) -> Result<(), tiermark::db::session::DbError> {
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

    fn tables(&mut self) -> Vec<String> {
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
