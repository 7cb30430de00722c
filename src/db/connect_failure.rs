//! Why a connection could not be opened, in one sentence with a remedy.
//!
//! What retrying cannot mend (user, password, database, URL) is `Other`;
//! everything else is `Disconnected`: the server may come back. A URL or a
//! password is never in the text.

use sqlx::Error;

use super::failure;
use super::identifier::quoted;
use super::session::{Class, DbError};
use super::tls_failure::{self, Words};

/// Where a session was to be opened, for messages.
pub(crate) struct Place<'a> {
    /// The server's product name.
    pub product: &'static str,
    /// Host and port, or a socket.
    pub server: String,
    pub user: &'a str,
    pub database: &'a str,
    /// What its URLs call the ways of TLS.
    pub words: Words,
}

/// A URL that parses, but whose options do not.
pub(crate) fn url(error: Error) -> DbError {
    let cause = match error {
        Error::Configuration(cause) => cause.to_string(),
        other => other.to_string(),
    };
    DbError::new(
        Class::Other,
        "url",
        format!("the options in the target's URL are wrong: {cause}"),
    )
}

pub(crate) fn postgres(error: Error, place: &Place<'_>) -> DbError {
    let Error::Database(cause) = error else {
        return unreachable(error, place, "08001");
    };
    let code = cause.code().unwrap_or_default();
    let said = cause.message();
    match code.as_ref() {
        "3D000" => no_database(place, &code, &quoted(place.database, '"')),
        "28P01" | "28000" | "42501" => refused(place, &code, said),
        "53300" => {
            let raise = if said.contains("for role") {
                let role = quoted(place.user, '"');
                format!("ALTER ROLE {role} CONNECTION LIMIT -1;")
            } else if said.contains("for database") {
                let database = quoted(place.database, '"');
                format!("ALTER DATABASE {database} CONNECTION LIMIT -1;")
            } else {
                "ALTER SYSTEM SET max_connections = 500; and a restart of the server".to_owned()
            };
            full(place, &code, said, &raise)
        }
        _ => unavailable(place, &code, said),
    }
}

pub(crate) fn mysql(error: Error, place: &Place<'_>) -> DbError {
    let Error::Database(cause) = error else {
        return unreachable(error, place, "2003");
    };
    let number = failure::mysql_number(&*cause);
    let code = number.to_string();
    let said = cause.message();
    match number {
        1049 => no_database(place, &code, &quoted(place.database, '`')),
        // Also where there is none, to users who could not see one.
        1044 => not_theirs(place, &code),
        1045 | 1130 | 1251 | 1698 | 1862 | 3118 => refused(place, &code, said),
        1040 => full(place, &code, said, "SET GLOBAL max_connections = 1000;"),
        1203 => full(place, &code, said, "SET GLOBAL max_user_connections = 0;"),
        1226 => {
            let user = quoted(place.user, '\'');
            let raise = format!("ALTER USER {user} WITH MAX_USER_CONNECTIONS 0;");
            full(place, &code, said, &raise)
        }
        _ => unavailable(place, &code, said),
    }
}

/// Anything else than this family of servers that answers at the port.
pub(crate) fn wrong_kind(place: &Place<'_>, hint: &str) -> DbError {
    let Place {
        product, server, ..
    } = place;
    DbError::new(
        Class::Other,
        "kind",
        format!("what answers at {server} is not {product}: {hint}"),
    )
}

fn no_database(place: &Place<'_>, code: &str, quoted: &str) -> DbError {
    let Place {
        server, database, ..
    } = place;
    DbError::new(
        Class::Other,
        code,
        format!(
            "there is no database `{database}` at {server}; create it with: CREATE DATABASE {quoted};"
        ),
    )
}

fn not_theirs(place: &Place<'_>, code: &str) -> DbError {
    let Place {
        server,
        user,
        database,
        ..
    } = place;
    let (name, account) = (quoted(database, '`'), quoted(user, '\''));
    DbError::new(
        Class::Other,
        code,
        format!(
            "the server at {server} has no database `{database}`, or refuses user `{user}` in it; let an administrator send: CREATE DATABASE {name}; or GRANT ALL ON {name}.* TO {account};"
        ),
    )
}

fn refused(place: &Place<'_>, code: &str, said: &str) -> DbError {
    let Place { server, user, .. } = place;
    DbError::new(
        Class::Other,
        code,
        format!(
            "the server at {server} refuses user `{user}`: {said}; check user, password and grants"
        ),
    )
}

fn full(place: &Place<'_>, code: &str, said: &str, raise: &str) -> DbError {
    let server = &place.server;
    DbError::new(
        Class::Disconnected,
        code,
        format!(
            "the server at {server} has no connection left: {said}; use fewer clients, or raise the limit: {raise}"
        ),
    )
}

fn unavailable(place: &Place<'_>, code: &str, said: &str) -> DbError {
    let server = &place.server;
    DbError::new(
        Class::Disconnected,
        code,
        format!("the server at {server} accepts no connection now: {said}"),
    )
}

fn unreachable(error: Error, place: &Place<'_>, code: &str) -> DbError {
    if let Some(explained) = tls_failure::explained(&error, place) {
        return explained;
    }
    let Place {
        product,
        server,
        user,
        ..
    } = place;
    match error {
        Error::Configuration(_) => url(error),
        Error::Io(cause) => DbError::new(
            Class::Disconnected,
            code,
            format!(
                "cannot connect to {product} at {server}: {cause}; check that it runs, and host and port"
            ),
        ),
        Error::Protocol(cause) => match method(without_source(&cause)) {
            Some(method) => DbError::new(
                Class::Other,
                "method",
                format!(
                    "the server at {server} wants user `{user}` to log in by {method}, which tiermark cannot: give this user another way, {}",
                    if code == "2003" {
                        "on MariaDB by ALTER USER .. IDENTIFIED VIA mysql_native_password USING PASSWORD('..'); on MySQL by ALTER USER .. IDENTIFIED WITH caching_sha2_password BY '..';"
                    } else {
                        "such as scram-sha-256 in pg_hba.conf"
                    }
                ),
            ),
            None => wrong_kind(
                place,
                &format!(
                    "{}; check the port, and the scheme of the URL (postgres:// or mysql://)",
                    without_source(&cause)
                ),
            ),
        },
        other => DbError::new(
            Class::Disconnected,
            code,
            format!("no {product} session at {server}: {other}"),
        ),
    }
}

/// sqlx ends these texts with a place in its own source.
fn without_source(said: &str) -> &str {
    said.split(" (sqlx_").next().unwrap_or(said)
}

/// The way of logging in that sqlx does not have. It has no type for this.
fn method(said: &str) -> Option<&str> {
    const MARKS: [&str; 3] = [
        "unknown authentication plugin: ",
        "unsupported authentication method: ",
        "unsupported SASL authentication mechanisms: ",
    ];
    if said.contains("mysql_cleartext_plugin disabled") {
        return Some("mysql_clear_password");
    }
    MARKS
        .iter()
        .find_map(|mark| said.split_once(mark))
        .map(|(_, method)| method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_port_names_host_and_port() {
        let place = Place {
            product: "PostgreSQL",
            server: "db7:5433".to_owned(),
            user: "u",
            database: "d",
            words: tls_failure::POSTGRES,
        };
        let refusal = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = postgres(Error::Io(refusal), &place);
        assert_eq!(error.class, Class::Disconnected);
        assert_eq!(
            error.to_string(),
            "cannot connect to PostgreSQL at db7:5433: connection refused; \
             check that it runs, and host and port (08001)"
        );
        let plugin = Error::Protocol("unknown authentication plugin: client_ed25519".into());
        let error = mysql(plugin, &place);
        assert_eq!(error.class, Class::Other);
        assert!(
            error
                .message
                .contains("`u` to log in by client_ed25519, which"),
            "{error}"
        );
    }
}
