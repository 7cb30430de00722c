//! From a target to an open SQLite file: its name, its settings, its queue.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};

use super::connect_failure;
use super::failure;
use super::session::{Class, DbError, Target};
use super::sqlite_queue::Queue;

/// Only other processes are waited for by SQLite itself; in this one there
/// is the queue.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// SQLite calls back after so many steps of its machine, some microseconds.
const STEPS_BETWEEN_CHECKS: i32 = 1000;

pub(crate) struct Opened {
    pub connection: SqliteConnection,
    pub file: PathBuf,
    pub queue: Queue,
}

/// The file that a target names.
///
/// # Errors
/// When the URL is none of SQLite.
pub fn file(target: &Target) -> Result<PathBuf, DbError> {
    let options = SqliteConnectOptions::from_str(target.url()).map_err(connect_failure::url)?;
    Ok(options.get_filename().to_owned())
}

/// Opens the file, made if missing; `proceed` is asked within long statements
/// whether to go on.
pub(crate) async fn open(
    target: &Target,
    statements: usize,
    proceed: impl FnMut() -> bool + Send + 'static,
) -> Result<Opened, DbError> {
    let options = SqliteConnectOptions::from_str(target.url()).map_err(connect_failure::url)?;
    let file = canonical(options.get_filename())?;
    let queue = Queue::of(&file);
    let options = options
        .filename(&file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        // SQLite's own default, which sqlx would change.
        .foreign_keys(false)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(statements)
        .disable_statement_logging();
    // The change of a new file to WAL needs it alone, and waits for nobody.
    let turn = queue.turn().await;
    let mut connection = options
        .connect()
        .await
        .map_err(|error| cannot_open(&file, &failure::sqlite(error)))?;
    drop(turn);
    let mut handle = connection.lock_handle().await.map_err(failure::sqlite)?;
    handle.set_progress_handler(STEPS_BETWEEN_CHECKS, proceed);
    drop(handle);
    Ok(Opened {
        connection,
        file,
        queue,
    })
}

/// Makes the file if it is missing, for what does not exist has no canonical
/// name. An empty file is an empty database.
fn canonical(path: &Path) -> Result<PathBuf, DbError> {
    if path.to_string_lossy().starts_with("file:sqlx-in-memory") {
        return Err(DbError::new(
            Class::Other,
            "url",
            "every client would have its own in-memory database; write sqlite:file.db",
        ));
    }
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|_| path.canonicalize())
        .map_err(|error| {
            let path = path.display();
            DbError::new(
                Class::Other,
                "14",
                format!("cannot open the database file `{path}`: {error}"),
            )
        })
}

fn cannot_open(file: &Path, error: &DbError) -> DbError {
    let file = file.display();
    DbError {
        message: format!("cannot open the database file `{file}`: {}", error.message),
        ..error.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_url_forms_lead_to_files() {
        let name = |url: &str| {
            let target = Target::parse(url).unwrap();
            let options = SqliteConnectOptions::from_str(target.url()).unwrap();
            options.get_filename().to_owned()
        };
        assert_eq!(name("sqlite:relative.db"), Path::new("relative.db"));
        assert_eq!(name("sqlite:/abs/path.db"), Path::new("/abs/path.db"));
        assert_eq!(name("sqlite:///abs/path.db"), Path::new("/abs/path.db"));
        assert_eq!(name("sqlite:a%20b.db"), Path::new("a b.db"));
    }
}
