//! Opens connections to PostgreSQL: from a URL to a connection, or to a sentence
//! that says why there is none.
//!
//! A session is started with nothing that PgBouncer would refuse: no
//! `ignore_startup_parameters` is needed, unless the URL has `options` or the
//! environment `PGOPTIONS`.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};

use super::connect_failure::{self, Place, wrong_kind};
use super::kind::{self, Kind};
use super::session::{DbError, Target};
use super::tls_failure;
use super::url_options;

/// `invalid_password`
const WRONG_PASSWORD: &str = "28P01";

pub(crate) async fn connect(target: &Target, statements: usize) -> Result<PgConnection, DbError> {
    let options = options(target, statements)?;
    let server = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let place = Place {
        product: "PostgreSQL",
        words: tls_failure::POSTGRES,
        server,
        user: options.get_username(),
        database: options.get_database().unwrap_or_default(),
    };
    let (host, port) = (options.get_host(), options.get_port());
    // With TLS the first answer tells.
    let blind = matches!(
        options.get_ssl_mode(),
        PgSslMode::Disable | PgSslMode::Allow
    );
    let tcp = options.get_socket().is_none() && !host.starts_with('/');
    if blind && tcp && !kind::is_known(&place) && kind::ask(host, port).await == Kind::Other {
        let hint = "check the port; if it is MySQL or MariaDB, write mysql:// in the URL";
        return Err(wrong_kind(&place, hint));
    }
    let connection = options.connect().await.map_err(|error| {
        let error = connect_failure::postgres(error, &place);
        with_hint(error, target)
    })?;
    kind::remember(&place);
    Ok(connection)
}

pub(crate) fn options(target: &Target, statements: usize) -> Result<PgConnectOptions, DbError> {
    url_options::check(target, &url_options::POSTGRES)?;
    let options = PgConnectOptions::from_str(target.url()).map_err(connect_failure::url)?;
    Ok(options
        .application_name("tiermark")
        // sqlx would change it; the session shall be the server's own.
        .extra_float_digits(None)
        .statement_cache_capacity(statements)
        // It logs every statement slower than a second, inside its time.
        .disable_statement_logging())
}

/// sqlx passes over a password file that others can read, and says nothing.
fn with_hint(error: DbError, target: &Target) -> DbError {
    if error.code != WRONG_PASSWORD || target.has_password() {
        return error;
    }
    let home = std::env::home_dir().map(|home| home.join(".pgpass"));
    let files = [std::env::var_os("PGPASSFILE").map(PathBuf::from), home];
    let open = files.into_iter().flatten().find(|file| {
        let metadata = std::fs::metadata(file);
        metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
    });
    let Some(open) = open else {
        return error;
    };
    let file = open.display();
    DbError {
        message: format!(
            "{}; {file} was not read, because others can read it too: chmod 600 {file}",
            error.message
        ),
        ..error
    }
}
