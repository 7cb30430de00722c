//! New orders as the server counts them, to hold against what the clients saw
//! commit: TPC-C's `d_next_o_id`, summed over all districts.

use std::time::Duration;

use tokio::time::timeout;

use crate::db::session::{Class, DbError, Row, Session, Target};
use crate::value::{Args, Engine, StmtId};
use crate::workload::plan::Plan;

/// A server that has not answered by then will not.
const PATIENCE: Duration = Duration::from_secs(10);

/// The sum of the districts' next order numbers. None where the plan has no new
/// orders; the null engine has no districts, and several targets may be one
/// database or several.
///
/// # Errors
/// When it cannot be read.
pub async fn next_numbers<S: Session>(
    plan: &Plan,
    targets: &[Target],
) -> Result<Option<i64>, DbError> {
    match targets {
        [target] if plan.engine != Engine::Null && !plan.order_numbers.is_empty() => {
            let sum = timeout(PATIENCE, sum::<S>(plan, target)).await;
            let late = |_| {
                let message = format!("{target} did not say its order numbers in time");
                DbError::new(Class::Disconnected, "timeout", message)
            };
            sum.map_err(late)?.map(Some)
        }
        _ => Ok(None),
    }
}

async fn sum<S: Session>(plan: &Plan, target: &Target) -> Result<i64, DbError> {
    let mut session = S::open(target, &plan.order_numbers).await?;
    let mut sum = 0;
    for (id, _) in (0..).zip(&plan.order_numbers) {
        let add = |row: &S::Row| {
            sum += row.int(0)?;
            Ok(())
        };
        session.fetch(StmtId(id), Args::NONE, add).await?;
    }
    session.close().await?;
    Ok(sum)
}
