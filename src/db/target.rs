//! A database to talk to: its URL, how statements reach it, and what a session
//! is told first. Whatever prints a target leaves passwords out.
//!
//! | what | PostgreSQL | MySQL, MariaDB |
//! |---|---|---|
//! | over TCP | `postgres://user@host:5432/database` | `mysql://user@host:3306/database` |
//! | over a unix socket | `postgres://user@%2Frun%2Fpostgresql/database` (its folder) | `mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock` (its file) |
//! | TLS | `sslmode=disable`, `prefer`, `require`, `verify-ca`, `verify-full` | `ssl-mode=DISABLED`, `PREFERRED`, `REQUIRED`, `VERIFY_CA`, `VERIFY_IDENTITY` |
//! | authority | `sslrootcert=FILE` | `ssl-ca=FILE` |
//! | client certificate | `sslcert=FILE&sslkey=FILE` | `ssl-cert=FILE&ssl-key=FILE` |
//! | password from | `~/.pgpass`, `PGPASSWORD` | `~/.my.cnf`: `[client]` |
//!
//! Names and passwords are percent-encoded: `@` is `%40`, `/` is `%2F`, `:` is
//! `%3A`, `%` is `%25`, `#` is `%23`, `?` is `%3F`, a blank is `%20`.

use std::fmt;
use std::sync::Arc;

use crate::value::Engine;

use super::setup::Setup;

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
    setup: Arc<Setup>,
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
        "the target is no URL; write one such as postgres://user@host/database, mysql://user@host/database or sqlite:file.db, and @ / : # ? % in a password as %40 %2F %3A %23 %3F %25"
    )]
    NoUrl,
    #[error("the target's scheme is not known; use postgres://, mysql://, mariadb:// or sqlite:")]
    Scheme,
    #[error(
        "the target has a character in its user, password or database that a URL gives another meaning; write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25"
    )]
    Reserved,
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
        // `u:12/pass@host`: what is taken for a path is a password's rest.
        if server && (url.path().contains('@') || url.fragment().is_some()) {
            return Err(TargetError::Reserved);
        }
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
        let local = is_local(&url, engine);
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
            setup: Arc::default(),
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

    /// The same place, whose sessions begin with `setup`.
    #[must_use]
    pub fn with_setup(self, setup: Setup) -> Target {
        let setup = Arc::new(setup);
        Target { setup, ..self }
    }

    pub fn setup(&self) -> &Setup {
        &self.setup
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

fn is_local(url: &url::Url, engine: Engine) -> bool {
    let option = |names: &[&str]| {
        let mut pairs = url.query_pairs();
        pairs.find_map(|(key, value)| names.contains(&&*key).then(|| value.into_owned()))
    };
    let host = match engine {
        Engine::Postgres => option(&["host", "hostaddr"]),
        _ => None,
    };
    let host = host.or_else(|| url.host_str().map(str::to_owned));
    match host.as_deref() {
        // Then `~/.my.cnf` says where the server is.
        None | Some("") if matches!(engine, Engine::Mysql | Engine::Mariadb) => {
            option(&["socket"]).is_some()
        }
        None | Some("" | "localhost" | "127.0.0.1" | "::1" | "[::1]") => true,
        // PostgreSQL's way to name a socket's folder.
        Some(host) => host.starts_with("%2F") || host.starts_with('/'),
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
            "postgres://u:12/s3cret@h/db",
            "mysql://u:12#s3cret@h/db",
            "mysql://u:12?s3cret@h/db",
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
        assert!(!local("postgres:///d?host=db.example.com"));
        assert!(local("postgres:///d?host=/run/pg"));
        assert!(!local("mysql:///d"), "my.cnf may say another host");
        assert!(local("mysql:///d?socket=/run/s"));
    }
}
