//! A database for one test alone: made with the administrator's address, used
//! by the program as the user with few rights, dropped at the end.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tiermark::value::Engine;
use url::Url;

use crate::connection::{Connection, Content};

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

    pub fn engine(self) -> Engine {
        match self {
            Server::Postgres | Server::PostgresNew => Engine::Postgres,
            Server::Mariadb | Server::MariadbNew => Engine::Mariadb,
            Server::Mysql => Engine::Mysql,
            Server::Sqlite => Engine::Sqlite,
        }
    }

    /// The environment variable with its address; SQLite needs none.
    pub fn variable(self) -> &'static str {
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

/// Tells the databases of one process apart.
static NEXT: AtomicU32 = AtomicU32::new(0);

pub struct Database {
    pub engine: Engine,
    /// With the user and password that the program gets.
    pub url: Url,
    /// The same database as the administrator.
    admin: Url,
    /// A database that is always there, to make and drop this one from.
    home: Option<Url>,
    /// For workloads and results; also holds the file of SQLite.
    folder: TempDir,
}

impl Database {
    /// A new and empty one, or `None` where the server is not to be had.
    pub fn on(server: Server) -> Option<Database> {
        if server == Server::Sqlite {
            let mut database = Database::at(server, Url::parse("sqlite:").unwrap(), None);
            let url = format!("sqlite:{}", database.folder().join("test.db").display());
            database.url = Url::parse(&url).unwrap();
            database.admin = database.url.clone();
            return Some(database);
        }
        let variable = server.variable();
        let mut url = address(variable)?;
        let home = address(&format!("{variable}_ADMIN"))?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tiermark_test_{}_{number}", std::process::id());
        url.set_path(&name);
        let mut database = Database::at(server, url, None);
        database.admin = home.clone();
        database.admin.set_path(&name);
        database.home = Some(home);
        database.make(&name);
        Some(database)
    }

    /// The database of this address, which is there and which nobody drops;
    /// without an administrator's address this one does.
    pub fn at(server: Server, url: Url, admin: Option<Url>) -> Database {
        Database {
            engine: server.engine(),
            admin: admin.unwrap_or_else(|| url.clone()),
            url,
            home: None,
            folder: tempfile::tempdir().unwrap(),
        }
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
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES, CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON {name}.* TO '{user}'@'%'"
        ));
    }

    pub fn is_server(&self) -> bool {
        self.engine != Engine::Sqlite
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

    /// Names of the stored procedures and functions there are.
    pub fn routines(&self) -> Vec<String> {
        let mut routines = self.connect(&[]).routines();
        routines.sort();
        routines
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

    /// Stops what the program's sessions are at.
    pub fn cancel_statements(&self) {
        let mut admin = self.connect(&[&self.sessions_sql()]);
        for id in admin.texts(0) {
            // One that has ended since is no session any longer.
            let _ = admin.try_run(&match self.engine {
                Engine::Postgres => format!("SELECT pg_cancel_backend({id})"),
                _ => format!("KILL QUERY {id}"),
            });
        }
    }

    /// Ends all sessions of the program, and tells how many there were.
    pub fn kill_sessions(&self) -> usize {
        self.kill_some_sessions(usize::MAX)
    }

    /// The same of so many.
    pub fn kill_some_sessions(&self, most: usize) -> usize {
        let mut admin = self.connect(&[&self.sessions_sql()]);
        let mut ids = admin.texts(0);
        ids.truncate(most);
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
