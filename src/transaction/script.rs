//! Runs a drawn transaction of a plan: BEGIN, its statements in order, COMMIT.
//!
//! Knows neither clock nor statistics: `run` hands it a session that measures.

use crate::db::session::{DbError, Session};
use crate::value::{Args, Cells, StmtId};
use crate::workload::plan::Transaction;

/// Where in a transaction an error came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Begin,
    Statement(StmtId),
    /// The outcome is unknown if the connection was lost here.
    Commit,
}

#[derive(Debug)]
pub struct Failure {
    pub error: DbError,
    pub at: At,
}

/// Sends one transaction, whose values stand in `registers`. After a failure
/// the caller must roll back.
///
/// # Errors
/// The first error, and where it came up.
pub async fn execute<S: Session>(
    session: &mut S,
    transaction: &Transaction,
    registers: &Cells,
) -> Result<(), Failure> {
    if transaction.atomic {
        let begun = session.begin(transaction.writes).await;
        begun.map_err(|error| Failure {
            error,
            at: At::Begin,
        })?;
    }
    for op in &transaction.ops {
        let id = op.statement(registers);
        let picks = op.picks(transaction);
        let args = Args::Registers {
            cells: registers,
            picks,
        };
        let sent = session.exec(id, args).await;
        sent.map_err(|error| Failure {
            error,
            at: At::Statement(id),
        })?;
    }
    if transaction.atomic {
        let committed = session.commit().await;
        committed.map_err(|error| Failure {
            error,
            at: At::Commit,
        })?;
    }
    Ok(())
}
