//! Order-Status (clause 2.6): the last order of a customer. Reads only.

use crate::db::session::{DbError, Row, Session};
use crate::random::names::{LONGEST_NAME, last_name};
use crate::transaction::tpcc::asker::{Asker, wrong_rows};
use crate::transaction::tpcc::inputs::{Customer, OrderStatus};
use crate::transaction::tpcc::payment::middle;
use crate::transaction::tpcc::short::Short;
use crate::value::Value;
use crate::workload::tpcc::ask::Ask;

/// 2.6.2.2
pub async fn send<S: Session>(
    ask: &mut Asker<'_, S>,
    w: i64,
    status: &OrderStatus,
) -> Result<(), DbError> {
    let [w, d] = [w, status.d].map(Value::Int);
    let c = match status.customer {
        Customer::Id(id) => {
            let values = [w, d, Value::Int(id)];
            ask.read(Ask::CustomerById, &values, |_| Ok(())).await?;
            id
        }
        Customer::LastName(number) => {
            let mut last = Short::<LONGEST_NAME>::new();
            last_name(number, &mut last);
            // A few of a name on the average; the transaction's only allocation.
            let mut ids = Vec::new();
            let read = |row: &S::Row| {
                ids.push(row.int(0)?);
                Ok(())
            };
            let values = [w, d, Value::Text(last.as_str())];
            ask.fetch(Ask::CustomersByName, &values, read).await?;
            let id = middle(&ids).copied();
            id.ok_or_else(|| wrong_rows("no customer has the last name asked for".to_owned()))?
        }
    };
    let mut o = 0;
    let read = |row: &S::Row| {
        o = row.int(0)?;
        Ok(())
    };
    ask.read(Ask::LastOrder, &[w, d, Value::Int(c)], read)
        .await?;
    let values = [w, d, Value::Int(o)];
    let lines = ask.fetch(Ask::OrderLines, &values, |_| Ok(())).await?;
    if (5..=15).contains(&lines) {
        return Ok(());
    }
    Err(wrong_rows(format!(
        "order_lines found {lines} rows, not 5 to 15"
    )))
}
