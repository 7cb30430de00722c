//! Where the checks run, and the few words of SQL in which engines differ.

use std::io::Write;

use tempfile::TempDir;
use tiermark::db::session::{Session, Target};
use tiermark::value::{Engine, Kind, Statement, StmtId};

pub struct Place {
    pub target: Target,
    pub engine: Engine,
    /// Keeps the file of an embedded database.
    _folder: Option<TempDir>,
}

impl Place {
    pub fn postgres() -> Option<Place> {
        Place::server(Engine::Postgres, "TIERMARK_TEST_POSTGRES")
    }

    pub fn mariadb() -> Option<Place> {
        Place::server(Engine::Mariadb, "TIERMARK_TEST_MARIADB")
    }

    pub fn mysql() -> Option<Place> {
        Place::server(Engine::Mysql, "TIERMARK_TEST_MYSQL")
    }

    pub fn sqlite() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a name with blanks.db");
        let url = format!("sqlite:{}", file.display()).replace(' ', "%20");
        Place {
            target: Target::parse(&url).unwrap(),
            engine: Engine::Sqlite,
            _folder: Some(folder),
        }
    }

    fn server(engine: Engine, variable: &str) -> Option<Place> {
        let Ok(url) = std::env::var(variable) else {
            skipped(engine.name(), &format!("{variable} is not set"));
            return None;
        };
        Some(Place {
            target: Target::parse(&url).unwrap(),
            engine,
            _folder: None,
        })
    }

    pub fn is_server(&self) -> bool {
        self.engine != Engine::Sqlite
    }

    /// The same place with a part of its URL changed.
    pub fn with_url(&self, change: impl FnOnce(&mut url::Url)) -> Target {
        let mut url = url::Url::parse(self.target.url()).unwrap();
        change(&mut url);
        let target = Target::parse(url.as_str()).unwrap();
        target.with_protocol(self.target.protocol()).unwrap()
    }

    /// A statement named `name`, from a text with `?` for its parameters.
    pub fn statement(&self, name: &str, text: &str, params: &[&str]) -> Statement {
        let mut sql = String::new();
        let mut number = 0;
        for letter in text.chars() {
            if letter == '?' && self.engine == Engine::Postgres {
                number += 1;
                sql.push('$');
                sql.push_str(&number.to_string());
            } else {
                sql.push(letter);
            }
        }
        Statement {
            name: name.to_owned(),
            sql: sql.leak(),
            params: params.iter().map(|&param| param.to_owned()).collect(),
            kind: match text.split(' ').next() {
                Some("SELECT") => Kind::Read,
                Some("INSERT" | "UPDATE" | "DELETE") => Kind::Write,
                _ => Kind::Other,
            },
        }
    }

    pub async fn open<S: Session>(&self, statements: &[Statement]) -> S {
        S::open(&self.target, statements).await.unwrap()
    }

    /// Makes `table` anew with `columns`, whose types are PostgreSQL's.
    pub async fn create<S: Session>(&self, session: &mut S, table: &str, columns: &str) {
        let columns = match self.engine {
            Engine::Postgres => columns.to_owned(),
            Engine::Sqlite => columns
                .replace("NUMERIC(12,2)", "INTEGER")
                .replace("BYTEA", "BLOB"),
            _ => columns
                .replace("TIMESTAMP", "DATETIME(6)")
                .replace("BYTEA", "BLOB"),
        };
        drop_table(session, table).await;
        // Some servers still come with latin1.
        let charset = match self.engine {
            Engine::Mysql | Engine::Mariadb => " CHARACTER SET utf8mb4",
            _ => "",
        };
        let create = format!("CREATE TABLE {table} ({columns}){charset}");
        session.raw(&create).await.unwrap();
    }
}

pub async fn drop_table<S: Session>(session: &mut S, table: &str) {
    let drop = format!("DROP TABLE IF EXISTS {table}");
    session.raw(&drop).await.unwrap();
}

/// Says that something could not be tested, also to the whole test run.
pub fn skipped(what: &str, why: &str) {
    eprintln!("SKIPPED: {what}: {why}");
    let Some(list) = std::env::var_os("TIERMARK_SKIPS") else {
        return;
    };
    let list = std::fs::OpenOptions::new().append(true).open(list);
    writeln!(list.unwrap(), "{what}: {why}").unwrap();
}

pub fn id(index: u32) -> StmtId {
    StmtId(index)
}
