//! The border to every database: the `Session` trait, the target it is opened
//! on, and errors by what a client does about them.
//!
//! One session is one connection. It never reads a clock and never retries;
//! `run` measures around it and decides.

use std::fmt;

use crate::value::{Args, Dec, Engine, RowBuf, ServerFacts, Statement, StmtId};

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

    /// Connects and prepares every statement. Values are later encoded to the
    /// types that the server inferred.
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

/// How statements reach a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once a session, then sent as their number and values.
    #[default]
    Prepared,
    /// Sent as a text with the values in it, for poolers that lose prepared
    /// statements between transactions.
    Simple,
}

impl Protocol {
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Prepared => "prepared",
            Protocol::Simple => "simple",
        }
    }
}

/// A database to talk to, from a URL. `Debug` and `Display` leave the password
/// out; only `url` has it.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// As the URL's scheme says. A MySQL URL may lead to a MariaDB server:
    /// `Session::facts` knows.
    pub engine: Engine,
    protocol: Protocol,
    url: String,
    shown: String,
    has_password: bool,
    local: bool,
}

/// A URL that names no database of ours. Never quotes the URL: it may hold a
/// password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error(
        "the target is no URL; write one such as postgres://user@host/database, mysql://user@host/database or sqlite:file.db"
    )]
    NoUrl,
    #[error(
        "the target's scheme is not known; use postgres://, mysql://, mariadb://, sqlite: or null:"
    )]
    Scheme,
    #[error("the target names no database; end the URL with /database")]
    NoDatabase,
    #[error("the target names no file; write sqlite:file.db")]
    NoFile,
    #[error(
        "the simple protocol is for servers behind a pooler, and {0} is no server; leave --protocol out"
    )]
    NoProtocol(Engine),
}

impl Target {
    /// # Errors
    /// When the URL does not parse or names no database.
    pub fn parse(text: &str) -> Result<Target, TargetError> {
        let mut url = url::Url::parse(text).map_err(|_| TargetError::NoUrl)?;
        let engine = match url.scheme() {
            "postgres" | "postgresql" => Engine::Postgres,
            "mysql" => Engine::Mysql,
            "mariadb" => Engine::Mariadb,
            "sqlite" => Engine::Sqlite,
            "null" => Engine::Null,
            _ => return Err(TargetError::Scheme),
        };
        let server = !matches!(engine, Engine::Sqlite | Engine::Null);
        if server && url.path().trim_matches('/').is_empty() {
            return Err(TargetError::NoDatabase);
        }
        if engine == Engine::Sqlite && url.path().trim_matches('/').is_empty() {
            return Err(TargetError::NoFile);
        }
        let secret_keys = ["password", "sslpassword"];
        let has_password = url.password().is_some()
            || url
                .query_pairs()
                .any(|(key, _)| secret_keys.contains(&&*key));
        let local = match url.host_str() {
            None | Some("" | "localhost" | "127.0.0.1" | "[::1]") => true,
            // PostgreSQL's way to name a socket's folder.
            Some(host) => host.starts_with("%2F") || host.starts_with('/'),
        };
        if url.password().is_some() {
            // Fails only for URLs that cannot have a password, and this one has.
            let _ = url.set_password(None);
        }
        if server || engine == Engine::Sqlite {
            // Options may hold secrets; none is needed to know the place.
            url.set_query(None);
        }
        Ok(Target {
            engine,
            protocol: Protocol::default(),
            url: text.to_owned(),
            shown: url.to_string(),
            has_password,
            local,
        })
    }

    /// The same place, spoken to by `protocol`.
    ///
    /// # Errors
    /// Where statements pass no network, there is nothing to choose.
    pub fn with_protocol(self, protocol: Protocol) -> Result<Target, TargetError> {
        if protocol == Protocol::Simple && matches!(self.engine, Engine::Sqlite | Engine::Null) {
            return Err(TargetError::NoProtocol(self.engine));
        }
        Ok(Target { protocol, ..self })
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The URL as given, password and all. Never print it.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn has_password(&self) -> bool {
        self.has_password
    }

    /// Whether the server is on this host, so that its paths are ours.
    pub fn is_local(&self) -> bool {
        self.local
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_of_printing_a_target_shows_its_password() {
        for text in [
            "postgres://u:s3cret@h:5432/db",
            "mysql://u:s3cret@h/db?ssl-mode=REQUIRED",
            "postgres://h/db?user=u&password=s3cret",
            "mariadb://u:s3cret%40x@h/db",
        ] {
            let target = Target::parse(text).unwrap();
            assert!(target.has_password());
            assert!(!format!("{target} {target:?} {target:#?}").contains("s3cret"));
            assert_eq!(target.url(), text);
        }
        for text in [
            "nonsense s3cret",
            "ftp://u:s3cret@h/db",
            "mysql://u:s3cret@h/",
        ] {
            let error = Target::parse(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("s3cret"));
        }
    }

    #[test]
    fn schemes_name_engines() {
        let engine = |text| Target::parse(text).unwrap().engine;
        assert_eq!(engine("postgresql://h/d"), Engine::Postgres);
        assert_eq!(engine("mariadb://h/d"), Engine::Mariadb);
        assert_eq!(engine("sqlite:/tmp/x.db"), Engine::Sqlite);
        assert_eq!(engine("null:?delay=1ms"), Engine::Null);
    }

    #[test]
    fn the_protocol_is_a_choice_of_servers_only() {
        let simple = |text| {
            let target = Target::parse(text).unwrap();
            assert_eq!(target.protocol(), Protocol::Prepared);
            target.with_protocol(Protocol::Simple)
        };
        assert_eq!(simple("mysql://h/d").unwrap().protocol(), Protocol::Simple);
        for text in ["sqlite:x.db", "null:"] {
            let error = simple(text).unwrap_err().to_string();
            assert!(error.contains("leave --protocol out"), "{error}");
        }
    }

    #[test]
    fn locality_is_by_host() {
        let local = |text| Target::parse(text).unwrap().is_local();
        assert!(local("postgres://127.0.0.1/d"));
        assert!(local("postgres://%2Frun%2Fpg/d"));
        assert!(!local("mysql://db.example.com/d"));
    }
}
