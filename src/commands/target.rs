//! From a URL to a session of the right type: the one `match` over engines.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::time::timeout;

use crate::cli::TargetArgs;
use crate::commands::exit::{server, usage};
use crate::db::session::{Class, DbError, Session, Target};
use crate::stats::summary::Warning;

/// Calls `$call` with `$session` standing for the session type of `$engine`.
macro_rules! with_session {
    ($engine:expr, $session:ident => $call:expr) => {
        match $engine {
            $crate::value::Engine::Postgres => {
                type $session = $crate::db::postgres::PgSession;
                $call
            }
            $crate::value::Engine::Mysql | $crate::value::Engine::Mariadb => {
                type $session = $crate::db::mysql::MysqlSession;
                $call
            }
            $crate::value::Engine::Sqlite => {
                type $session = $crate::db::sqlite::SqliteSession;
                $call
            }
            $crate::value::Engine::Null => {
                type $session = $crate::db::null::NullSession;
                $call
            }
        }
    };
}
pub(crate) use with_session;

/// For one connection to be opened and to answer a question about itself.
const OPEN_TIMEOUT: Duration = Duration::from_secs(30);

/// The target that flag or environment name.
pub fn given(args: &TargetArgs) -> Result<Target> {
    let url = args.url.as_deref().ok_or_else(|| {
        usage(anyhow!(
            "no database is given; set TIERMARK_URL or --url, such as postgres://user@host/database, mysql://user@host/database or sqlite:file.db"
        ))
    })?;
    let target = Target::parse(url).map_err(usage)?;
    target.with_protocol(args.protocol).map_err(usage)
}

/// A warning where the password can be read in the process list.
pub fn password_warning(args: &TargetArgs, target: &Target) -> Option<Warning> {
    let from_environment = std::env::var("TIERMARK_URL").ok().as_deref() == args.url.as_deref();
    (target.has_password() && !from_environment).then(|| Warning {
        code: "url_password",
        message:
            "the password in --url can be read in the process list; put the URL into TIERMARK_URL"
                .to_owned(),
        fatal: false,
    })
}

/// Opens a session without statements, within a time limit.
pub async fn open<S: Session>(target: &Target) -> Result<S> {
    let opened = timeout(OPEN_TIMEOUT, S::open(target, &[])).await;
    let seconds = OPEN_TIMEOUT.as_secs();
    let opened = opened.unwrap_or_else(|_| {
        Err(DbError::new(
            Class::Disconnected,
            "timeout",
            format!("no answer within {seconds} s"),
        ))
    });
    opened
        .with_context(|| format!("cannot use {target}"))
        .map_err(server)
}

/// A runtime for one command's own thread.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .context("cannot start the program's runtime")?
        .block_on(work)
}
