//! Sends one transaction that was drawn: its statements, from BEGIN to its end.
//! It runs on any session and knows neither retries nor statistics: `run` hands
//! it a session that measures.

use crate::db::session::{DbError, Session};
use crate::transaction::drawn::Drawn;
use crate::transaction::script;
use crate::transaction::tpcc::{call, send};
use crate::workload::plan::{Body, Transaction};

/// How a transaction ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Committed {
        /// Districts in which a delivery found no order to deliver.
        skipped: u64,
    },
    /// Its inputs asked for this: TPC-C's orders of an item that there is not.
    RolledBack,
}

#[derive(Debug)]
pub struct Failure {
    pub error: DbError,
    /// It came up at COMMIT: the outcome is unknown if the connection was lost.
    pub in_commit: bool,
}

/// Sends a transaction with the inputs that were drawn for it. After a failure
/// the caller must roll back.
///
/// # Errors
/// The first error, and whether it came up at COMMIT.
pub async fn execute<S: Session>(
    session: &mut S,
    transaction: &Transaction,
    drawn: &Drawn,
) -> Result<Outcome, Failure> {
    let before_commit = |error| Failure {
        error,
        in_commit: false,
    };
    let outcome = until_its_end(session, transaction, drawn).await;
    let outcome = outcome.map_err(before_commit)?;
    match outcome {
        _ if !transaction.atomic => {}
        Outcome::Committed { .. } => {
            let committed = session.commit().await;
            committed.map_err(|error| Failure {
                error,
                in_commit: true,
            })?;
        }
        Outcome::RolledBack => session.rollback().await.map_err(before_commit)?,
    }
    Ok(outcome)
}

async fn until_its_end<S: Session>(
    session: &mut S,
    transaction: &Transaction,
    drawn: &Drawn,
) -> Result<Outcome, DbError> {
    if transaction.atomic {
        session.begin(transaction.writes).await?;
    }
    match &transaction.body {
        Body::Script(script) => {
            script::send(session, script, &drawn.registers).await?;
            Ok(Outcome::Committed { skipped: 0 })
        }
        Body::Tpcc(body) => send::send(session, body, &drawn.tpcc).await,
        Body::Call(call) => call::send(session, call, &drawn.tpcc).await,
    }
}
