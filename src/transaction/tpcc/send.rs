//! Sends a TPC-C transaction by its kind, between BEGIN and COMMIT or ROLLBACK.

use crate::db::session::{Class, DbError, Session};
use crate::transaction::execute::Outcome;
use crate::transaction::tpcc::asker::Asker;
use crate::transaction::tpcc::inputs::{Inputs, Work};
use crate::transaction::tpcc::{delivery, new_order, order_status, payment, stock_level};
use crate::workload::plan::TpccBody;

/// Sends what was drawn; whoever calls it begins and ends the transaction.
///
/// # Errors
/// The first error.
pub async fn send<S: Session>(
    session: &mut S,
    body: &TpccBody,
    inputs: &Inputs,
) -> Result<Outcome, DbError> {
    let mut ask = Asker::new(session, body, inputs.set);
    let w = inputs.w;
    let mut skipped = 0;
    match &inputs.work {
        Work::NewOrder(order) => return new_order::send(&mut ask, w, order).await,
        Work::Payment(payment) => payment::send(&mut ask, w, payment).await?,
        Work::OrderStatus(status) => order_status::send(&mut ask, w, status).await?,
        Work::Delivery(delivery) => skipped = delivery::send(&mut ask, w, delivery).await?,
        Work::StockLevel(level) => stock_level::send(&mut ask, w, level).await?,
        Work::None => {
            let message = "a TPC-C transaction was sent before it was drawn";
            return Err(DbError::new(Class::Other, "not_drawn", message));
        }
    }
    Ok(Outcome::Committed { skipped })
}
