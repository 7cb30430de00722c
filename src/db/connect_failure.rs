//! Why a connection could not be opened, in one sentence with a remedy.
//!
//! What retrying cannot mend (user, password, database, URL) is `Other`;
//! everything else is `Disconnected`: the server may come back. A URL or a
//! password is never in the text.

use sqlx::Error;

use super::failure;
use super::session::{Class, DbError};

/// Where a session was to be opened, for messages.
pub(crate) struct Place<'a> {
    /// The server's product name.
    pub product: &'static str,
    /// Host and port, or a socket.
    pub server: String,
    pub user: &'a str,
    pub database: &'a str,
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
    match code.as_ref() {
        "3D000" => {
            let name = place.database.replace('"', "\"\"");
            no_database(place, &code, &format!("CREATE DATABASE \"{name}\";"))
        }
        "28P01" | "28000" | "42501" => refused(place, &code, cause.message()),
        _ => unavailable(place, &code, cause.message()),
    }
}

pub(crate) fn mysql(error: Error, place: &Place<'_>) -> DbError {
    let Error::Database(cause) = error else {
        return unreachable(error, place, "2003");
    };
    let number = failure::mysql_number(&*cause);
    let code = number.to_string();
    match number {
        1049 => {
            let name = place.database.replace('`', "``");
            no_database(place, &code, &format!("CREATE DATABASE `{name}`;"))
        }
        1044 | 1045 | 1130 | 1251 | 1698 | 1862 | 3118 => refused(place, &code, cause.message()),
        _ => unavailable(place, &code, cause.message()),
    }
}

fn no_database(place: &Place<'_>, code: &str, create: &str) -> DbError {
    let Place {
        server, database, ..
    } = place;
    DbError::new(
        Class::Other,
        code,
        format!("there is no database `{database}` at {server}; create it with: {create}"),
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

fn unavailable(place: &Place<'_>, code: &str, said: &str) -> DbError {
    let server = &place.server;
    DbError::new(
        Class::Disconnected,
        code,
        format!("the server at {server} accepts no connection now: {said}"),
    )
}

fn unreachable(error: Error, place: &Place<'_>, code: &str) -> DbError {
    let Place {
        product, server, ..
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
        other => DbError::new(
            Class::Disconnected,
            code,
            format!("no {product} session at {server}: {other}"),
        ),
    }
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
        };
        let refusal = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = postgres(Error::Io(refusal), &place);
        assert_eq!(error.class, Class::Disconnected);
        assert_eq!(
            error.to_string(),
            "cannot connect to PostgreSQL at db7:5433: connection refused; \
             check that it runs, and host and port (08001)"
        );
    }
}
