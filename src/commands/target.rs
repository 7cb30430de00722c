//! From a URL to a session of the right type: the one `match` over engines.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::time::timeout;

use crate::cli::TargetArgs;
use crate::commands::exit::{server, usage};
use crate::db::session::{Class, DbError, Protocol, Session, Target};
use crate::db::sqlite;
use crate::report::progress::note;
use crate::stats::summary::Warning;
use crate::value::Engine;

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

/// The target that flag or environment name. Warns where its password shows.
pub fn given(args: &TargetArgs) -> Result<Target> {
    let mut targets = all_given(args.url.as_slice(), args.protocol)?;
    if let Some(warning) = password_warning(args.url.as_slice(), &targets) {
        note(format_args!(
            "warning {}: {}",
            warning.code, warning.message
        ));
    }
    Ok(targets.remove(0))
}

/// The targets that flags or environment name: at least one, of one engine.
pub fn all_given(urls: &[String], protocol: Protocol) -> Result<Vec<Target>> {
    if urls.iter().all(String::is_empty) {
        return Err(usage(anyhow!(
            "no database is given; set TIERMARK_URL or --url, such as postgres://user@host/database, mysql://user@host/database or sqlite:file.db"
        )));
    }
    let targets = urls
        .iter()
        .map(|url| Target::parse(url)?.with_protocol(protocol))
        .map(|target| target.map_err(usage));
    let targets: Vec<Target> = targets.collect::<Result<_>>()?;
    if let Some(other) = targets
        .iter()
        .find(|target| target.engine != targets[0].engine)
    {
        return Err(usage(anyhow!(
            "{} and {other} are of different engines; a run has one engine",
            targets[0]
        )));
    }
    Ok(targets)
}

/// A warning where a password can be read in the process list.
pub fn password_warning(urls: &[String], targets: &[Target]) -> Option<Warning> {
    let environment = std::env::var("TIERMARK_URL").unwrap_or_default();
    let shown = |(url, target): (&String, &Target)| target.has_password() && *url != environment;
    urls.iter().zip(targets).any(shown).then(|| Warning {
        code: "url_password",
        message:
            "the password in --url can be read in the process list; put the URL into TIERMARK_URL"
                .to_owned(),
        fatal: false,
    })
}

/// As `open`, but makes no SQLite file where there is none.
pub async fn open_existing<S: Session>(target: &Target) -> Result<S> {
    if target.engine == Engine::Sqlite {
        let file = sqlite::file(target).map_err(usage)?;
        if !file.exists() {
            let file = file.display();
            return Err(usage(anyhow!(
                "there is no file {file}; make it first, with tiermark prepare"
            )));
        }
    }
    open(target).await
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
