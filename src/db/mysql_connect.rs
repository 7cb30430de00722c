//! Opens connections to MySQL and MariaDB: from a URL and `~/.my.cnf` to a
//! connection, or to a sentence that says why there is none.

use std::pin::pin;
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use tokio::time::sleep;

use super::connect_failure::{self, Place, wrong_kind};
use super::kind::{self, Kind};
use super::my_cnf;
use super::session::{DbError, Target};
use super::tls_failure;
use super::url_options;

/// A MySQL server speaks first; PostgreSQL waits for its client, and so would
/// we, until the time for connecting is over.
const SILENCE: Duration = Duration::from_secs(2);

/// Of a password that others can read.
pub(crate) const OPEN_FILE: &str =
    "the password is from ~/.my.cnf, which others can read; close it: chmod 600 ~/.my.cnf";

pub(crate) struct Opened {
    pub connection: MySqlConnection,
    /// The password is from a file that others can read.
    pub open_file: bool,
}

pub(crate) async fn connect(target: &Target, statements: usize) -> Result<Opened, DbError> {
    url_options::check(target, &url_options::MYSQL)?;
    let options = MySqlConnectOptions::from_str(target.url()).map_err(connect_failure::url)?;
    let (options, open_file) = with_file(options, target);
    let options = options
        .statement_cache_capacity(statements)
        // sqlx would change all three; the session shall be the server's own.
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .timezone(None::<String>)
        // It logs every statement slower than a second, inside its time.
        .disable_statement_logging();
    let server = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let place = Place {
        product: "MySQL or MariaDB",
        server,
        user: options.get_username(),
        database: options.get_database().unwrap_or_default(),
        words: tls_failure::MYSQL,
    };
    let connection = connect_to(&options, &place).await?;
    Ok(Opened {
        connection,
        open_file,
    })
}

async fn connect_to(
    options: &MySqlConnectOptions,
    place: &Place<'_>,
) -> Result<MySqlConnection, DbError> {
    let mut connecting = pin!(options.connect());
    let done = if options.get_socket().is_some() || kind::is_known(place) {
        connecting.await
    } else {
        tokio::select! {
            done = &mut connecting => done,
            () = sleep(SILENCE) => {
                if kind::ask(options.get_host(), options.get_port()).await == Kind::Postgres {
                    let hint = "it is PostgreSQL; check the port, or write postgres:// in the URL";
                    return Err(wrong_kind(place, hint));
                }
                connecting.await
            }
        }
    };
    let connection = done.map_err(|error| connect_failure::mysql(error, place))?;
    kind::remember(place);
    Ok(connection)
}

/// Fills in from `~/.my.cnf` what the URL leaves out.
fn with_file(options: MySqlConnectOptions, target: &Target) -> (MySqlConnectOptions, bool) {
    let Ok(url) = url::Url::parse(target.url()) else {
        return (options, false);
    };
    let no_user = url.username().is_empty();
    let no_password = url.password().is_none();
    let no_place = url.host_str().is_none_or(str::is_empty) && options.get_socket().is_none();
    if !(no_user || no_password || no_place) {
        return (options, false);
    }
    let file = my_cnf::read();
    let mut options = options;
    let mut open_file = false;
    if let Some(user) = file.user.filter(|_| no_user) {
        options = options.username(&user);
    }
    if let Some(password) = file.password.filter(|_| no_password) {
        options = options.password(&password);
        open_file = file.readable_by_others;
    }
    if url.port().is_none()
        && let Some(port) = file.port
    {
        options = options.port(port);
    }
    if no_place {
        let local = file.host.as_deref().is_none_or(|host| host == "localhost");
        if let Some(socket) = file.socket.filter(|_| local) {
            options = options.socket(socket);
        } else if let Some(host) = file.host {
            options = options.host(&host);
        }
    }
    (options, open_file)
}
