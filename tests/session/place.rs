//! Where the checks run, and the few words of SQL in which engines differ.

use std::io::Write;
use std::time::Duration;

use tempfile::TempDir;
use tiermark::db::session::{Protocol, Session, Target};
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
            eprintln!("SKIPPED: {engine}: {variable} is not set");
            return None;
        };
        Some(Place {
            target: Target::parse(&url).unwrap(),
            engine,
            _folder: None,
        })
    }

    /// The same server, spoken to in texts, in a database of its own: the
    /// checks of both protocols use the same tables, at the same time.
    pub async fn simple<S: Session>(self) -> Option<Place> {
        let name = format!("TIERMARK_TEST_{}_ADMIN", self.engine.name().to_uppercase());
        let Ok(admin) = std::env::var(&name) else {
            eprintln!("SKIPPED: {}: {name} is not set", self.engine);
            return None;
        };
        let target = own_database::<S>(&admin, "bench_simple", None).await;
        Some(Place {
            target: target.with_protocol(Protocol::Simple).unwrap(),
            ..self
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

/// Makes a database, unless it is there, and gives its address.
pub async fn own_database<S: Session>(admin: &str, name: &str, owner: Option<&str>) -> Target {
    let target = Target::parse(admin).unwrap();
    let mut url = url::Url::parse(admin).unwrap();
    url.set_path(name);
    let own = Target::parse(url.as_str()).unwrap();
    let mut create = format!("CREATE DATABASE {name}");
    if let Some(owner) = owner {
        create.push_str(&format!(" OWNER {owner}"));
    }
    let mut session = S::open(&target, &[]).await.unwrap();
    let mut why = String::new();
    // Tests of other processes make the same one; PostgreSQL then refuses both.
    for _ in 0..100 {
        if S::open(&own, &[]).await.is_ok() {
            return own;
        }
        if let Err(error) = session.raw(&create).await {
            why = error.to_string();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    panic!("no database {name}: {why}");
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
