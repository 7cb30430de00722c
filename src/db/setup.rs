//! What a client's session is told before its statements are prepared: the
//! user's own statements, then the isolation. Every session of a target that
//! has a setup begins so, one in the place of a lost one too.

use crate::value::{Engine, Isolation};

use super::session::{Class, DbError, Session, Target};

/// Part of a `Target`; empty unless the run asks for something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// SQL texts, each sent once.
    pub statements: Vec<String>,
    /// `None` leaves the server's own.
    pub isolation: Option<Isolation>,
}

impl Setup {
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.isolation.is_none()
    }
}

/// The isolation comes last, so that no statement undoes it unseen.
pub(crate) async fn apply<S: Session>(session: &mut S, target: &Target) -> Result<(), DbError> {
    let setup = target.setup();
    for sql in &setup.statements {
        session.raw(sql).await.map_err(|error| DbError {
            message: format!(
                "the session statement `{sql}` was refused: {}",
                error.message
            ),
            ..error
        })?;
    }
    if !setup.statements.is_empty() {
        leave_transaction(session, target.engine).await?;
    }
    let Some(asked) = setup.isolation else {
        return Ok(());
    };
    let found = session.isolate(asked).await?;
    if found == asked.name() {
        return Ok(());
    }
    Err(DbError::new(
        Class::Other,
        "isolation",
        format!(
            "the isolation {asked} was asked for, but the session has {found}; leave run.isolation out, or use a server that has it"
        ),
    ))
}

/// What a lone statement does must be committed when it is back: a transaction
/// that the user's statements began ends here, and what is not in one commits.
async fn leave_transaction<S: Session>(session: &mut S, engine: Engine) -> Result<(), DbError> {
    match engine {
        // Where there is none this is a warning.
        Engine::Postgres => session.raw("COMMIT").await.map(|_| ()),
        Engine::Mysql | Engine::Mariadb => {
            session.raw("COMMIT").await?;
            session.raw("SET autocommit = 1").await.map(|_| ())
        }
        Engine::Sqlite => match session.raw("COMMIT").await {
            Err(error) if !error.message.contains("no transaction is active") => Err(error),
            _ => Ok(()),
        },
        Engine::Null => Ok(()),
    }
}
