//! What an error of sqlx means to a client: its class and its code.
//!
//! Only errors of running statements. Errors of connecting, which need a host
//! and a remedy in their text, are `connect_failure`'s.

use sqlx::Error;
use sqlx::mysql::MySqlDatabaseError;

use super::session::{Class, DbError};

/// The code of a lost PostgreSQL connection: `connection_failure`.
pub(crate) const POSTGRES_LOST: &str = "08006";
/// The code of a lost MySQL connection: `CR_SERVER_LOST`.
pub(crate) const MYSQL_LOST: &str = "2013";

/// The class of a SQLSTATE.
pub(crate) fn postgres_class(code: &str) -> Class {
    match code {
        "40P01" | "55P03" | "40001" => Class::Retry,
        "23505" => Class::Duplicate,
        "57014" => Class::Cancelled,
        // Also ended for being idle, or for its database being dropped.
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => Class::Disconnected,
        _ if code.starts_with("08") => Class::Disconnected,
        _ => Class::Other,
    }
}

/// The class of an error number of MySQL or MariaDB.
pub(crate) fn mysql_class(number: u16) -> Class {
    match number {
        1213 | 1205 | 1020 => Class::Retry,
        1062 => Class::Duplicate,
        1317 => Class::Cancelled,
        1053 | 1927 | 2013 | 3169 | 4031 => Class::Disconnected,
        _ => Class::Other,
    }
}

/// The class of an extended result code of SQLite.
pub(crate) fn sqlite_class(code: i32) -> Class {
    // The low byte is the primary code: 517 is BUSY_SNAPSHOT, of BUSY.
    match (code, code & 0xff) {
        (1555 | 2067, _) => Class::Duplicate,
        (_, 5 | 6) => Class::Retry,
        (_, 9) => Class::Cancelled,
        _ => Class::Other,
    }
}

pub(crate) fn postgres(error: Error) -> DbError {
    match error {
        Error::Database(cause) => {
            let code = cause.code().unwrap_or_default();
            DbError::new(postgres_class(&code), code.as_ref(), cause.message())
        }
        other => outside_database(&other, POSTGRES_LOST),
    }
}

pub(crate) fn mysql(error: Error) -> DbError {
    match error {
        Error::Database(cause) => {
            // The SQLSTATE that `code()` gives is too coarse: HY000 is anything.
            let number = mysql_number(&*cause);
            DbError::new(mysql_class(number), number.to_string(), cause.message())
        }
        other => outside_database(&other, MYSQL_LOST),
    }
}

pub(crate) fn sqlite(error: Error) -> DbError {
    match error {
        Error::Database(cause) => {
            let code = cause.code().unwrap_or_default();
            // SQLite's codes are numbers; 1 is its plain ERROR.
            let class = sqlite_class(code.parse().unwrap_or(1));
            DbError::new(class, code.as_ref(), cause.message())
        }
        other => outside_database(&other, "worker"),
    }
}

pub(crate) fn mysql_number(cause: &dyn sqlx::error::DatabaseError) -> u16 {
    cause
        .try_downcast_ref::<MySqlDatabaseError>()
        .map_or(0, MySqlDatabaseError::number)
}

/// Whatever breaks the conversation with the server has lost the connection:
/// neither side knows any longer what the other one waits for.
fn outside_database(error: &Error, lost: &str) -> DbError {
    match error {
        Error::Io(_) | Error::Tls(_) | Error::Protocol(_) | Error::WorkerCrashed => {
            DbError::new(Class::Disconnected, lost, error.to_string())
        }
        _ => DbError::new(Class::Other, "client", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_codes() {
        assert_eq!(postgres_class("40P01"), Class::Retry);
        assert_eq!(postgres_class("08P01"), Class::Disconnected);
        assert_eq!(postgres_class("42P01"), Class::Other);
        assert_eq!(mysql_class(1205), Class::Retry);
        assert_eq!(mysql_class(1062), Class::Duplicate);
        assert_eq!(mysql_class(1064), Class::Other);
    }

    #[test]
    fn sqlite_busy_is_retried_in_all_its_forms() {
        for code in [5, 6, 261, 262, 517, 773] {
            assert_eq!(sqlite_class(code), Class::Retry, "{code}");
        }
        assert_eq!(sqlite_class(9), Class::Cancelled);
        assert_eq!(sqlite_class(1555), Class::Duplicate);
        assert_eq!(sqlite_class(2067), Class::Duplicate);
        // NOT NULL: a constraint too, but no duplicate.
        assert_eq!(sqlite_class(1299), Class::Other);
    }

    #[test]
    fn a_broken_conversation_is_a_lost_connection() {
        let io = || Error::Io(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!(postgres(io()).code, "08006");
        assert_eq!(mysql(io()).code, "2013");
        assert_eq!(
            mysql(Error::Protocol("x".into())).class,
            Class::Disconnected
        );
        assert_eq!(sqlite(Error::WorkerCrashed).class, Class::Disconnected);
        assert_eq!(postgres(Error::RowNotFound).class, Class::Other);
    }
}
