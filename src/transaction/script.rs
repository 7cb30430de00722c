//! Sends the statements of a script, one after another: no chance, no retries,
//! no statistics.

use crate::db::session::{DbError, Session};
use crate::value::{Args, Cells};
use crate::workload::plan::Script;

/// Sends a script, whose values stand in `registers`.
///
/// # Errors
/// The first error.
pub async fn send<S: Session>(
    session: &mut S,
    script: &Script,
    registers: &Cells,
) -> Result<(), DbError> {
    for op in &script.ops {
        let args = Args::Registers {
            cells: registers,
            picks: op.picks(script),
        };
        session.exec(op.statement(registers), args).await?;
    }
    Ok(())
}
