//! Runs a drawn transaction of a plan: BEGIN, its statements in order, COMMIT.
//!
//! Knows neither clock nor statistics: `run` hands it a session that measures.

use crate::db::session::{DbError, Session};
use crate::value::{Args, Cells};
use crate::workload::plan::Transaction;

#[derive(Debug)]
pub struct Failure {
    pub error: DbError,
    /// It came up at COMMIT: the outcome is unknown if the connection was lost.
    pub in_commit: bool,
}

/// Sends one transaction, whose values stand in `registers`. After a failure
/// the caller must roll back.
///
/// # Errors
/// The first error, and whether it came up at COMMIT.
pub async fn execute<S: Session>(
    session: &mut S,
    transaction: &Transaction,
    registers: &Cells,
) -> Result<(), Failure> {
    let before_commit = |error| Failure {
        error,
        in_commit: false,
    };
    if transaction.atomic {
        let begun = session.begin(transaction.writes).await;
        begun.map_err(before_commit)?;
    }
    for op in &transaction.ops {
        let id = op.statement(registers);
        let picks = op.picks(transaction);
        let args = Args::Registers {
            cells: registers,
            picks,
        };
        session.exec(id, args).await.map_err(before_commit)?;
    }
    if transaction.atomic {
        let committed = session.commit().await;
        committed.map_err(|error| Failure {
            error,
            in_commit: true,
        })?;
    }
    Ok(())
}
