//! A server under test: its addresses, and databases and users of a test's own.

use std::io::Write;
use std::time::Duration;

use tiermark::db::session::{Session, Target};
use tiermark::value::Engine;
use url::Url;

pub struct Server {
    pub engine: Engine,
    /// Of a user with all privileges.
    pub admin: Url,
    /// The folder of certificates.
    pub certs: String,
}

impl Server {
    pub fn of(engine: Engine) -> Option<Server> {
        let name = engine.name().to_uppercase();
        let (Some(admin), Some(certs)) = (
            variable(&format!("TIERMARK_TEST_{name}_ADMIN")),
            variable("TIERMARK_TEST_CERTS"),
        ) else {
            skipped(
                &format!("ways into {engine}"),
                "no address of an administrator, or no certificates",
            );
            return None;
        };
        Some(Server {
            engine,
            admin: Url::parse(&admin).unwrap(),
            certs,
        })
    }

    pub fn is_postgres(&self) -> bool {
        self.engine == Engine::Postgres
    }

    pub fn variable(&self, what: &str) -> String {
        let name = self.engine.name().to_uppercase();
        variable(&format!("TIERMARK_TEST_{name}_{what}")).unwrap()
    }

    /// The file `name` of the certificates, as an option's value.
    pub fn cert(&self, name: &str) -> String {
        format!("{}/{name}", self.certs)
    }

    /// Options for TLS: its mode by PostgreSQL's name, and the authority.
    pub fn tls(&self, mode: &str, authority: &str) -> String {
        if self.is_postgres() {
            return format!("sslmode={mode}&sslrootcert={authority}");
        }
        let mode = match mode {
            "disable" => "DISABLED",
            "require" => "REQUIRED",
            "verify-ca" => "VERIFY_CA",
            _ => "VERIFY_IDENTITY",
        };
        format!("ssl-mode={mode}&ssl-ca={authority}")
    }

    pub async fn session<S: Session>(&self) -> S {
        S::open(&Target::parse(self.admin.as_str()).unwrap(), &[])
            .await
            .unwrap()
    }

    /// A name in the quotes of this engine.
    pub fn quoted(&self, name: &str) -> String {
        let quote = if self.is_postgres() { '"' } else { '`' };
        format!(
            "{quote}{}{quote}",
            name.replace(quote, &format!("{quote}{quote}"))
        )
    }

    /// A new, empty database.
    pub async fn database<S: Session>(&self, name: &str) {
        let mut session: S = self.session().await;
        let name = self.quoted(name);
        let drop = format!("DROP DATABASE IF EXISTS {name}");
        session.raw(&drop).await.unwrap();
        let create = format!("CREATE DATABASE {name}");
        for _ in 0..100 {
            match session.raw(&create).await {
                Ok(_) => return,
                // Another test makes a database from the same template.
                Err(error) if error.code == "55006" => {}
                Err(error) => panic!("{create}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the template is always in use");
    }

    /// A new user who may do everything in `database`. `how` follows the name:
    /// the password and limits.
    pub async fn user<S: Session>(&self, name: &str, how: &str, database: &str) {
        let mut session: S = self.session().await;
        let database = self.quoted(database);
        let statements = if self.is_postgres() {
            let name = self.quoted(name);
            vec![
                format!("DROP ROLE IF EXISTS {name}"),
                format!("CREATE ROLE {name} LOGIN {how}"),
                format!("ALTER DATABASE {database} OWNER TO {name}"),
            ]
        } else {
            let name = format!("{}@'%'", literal(name));
            vec![
                format!("DROP USER IF EXISTS {name}"),
                format!("CREATE USER {name} {how}"),
                format!("GRANT ALL ON {database}.* TO {name}"),
            ]
        };
        for sql in statements {
            session.raw(&sql).await.unwrap();
        }
    }

    pub async fn drop<S: Session>(&self, database: &str, user: &str) {
        let mut session: S = self.session().await;
        let gone = format!("DROP DATABASE {}", self.quoted(database));
        session.raw(&gone).await.unwrap();
        let gone = if self.is_postgres() {
            format!("DROP ROLE {}", self.quoted(user))
        } else {
            format!("DROP USER {}@'%'", literal(user))
        };
        session.raw(&gone).await.unwrap();
    }
}

/// A text in SQL; of neither family's special characters but the quote.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
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
