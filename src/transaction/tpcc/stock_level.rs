//! Stock-Level (clause 2.8): how many items of a district's last 20 orders are
//! short in stock. Reads only.

use crate::db::session::{DbError, Row, Session};
use crate::transaction::tpcc::asker::Asker;
use crate::transaction::tpcc::inputs::StockLevel;
use crate::value::Value;
use crate::workload::tpcc::ask::Ask;

/// 2.8.2.2
pub async fn send<S: Session>(
    ask: &mut Asker<'_, S>,
    w: i64,
    level: &StockLevel,
) -> Result<(), DbError> {
    let [w, d, threshold] = [w, level.d, level.threshold].map(Value::Int);
    let mut next = 0;
    let read = |row: &S::Row| {
        next = row.int(0)?;
        Ok(())
    };
    ask.read(Ask::NextOrderNumber, &[w, d], read).await?;
    let (from, to) = (Value::Int(next - 20), Value::Int(next - 1));
    let values = [w, d, from, to, threshold];
    ask.read(Ask::LowStock, &values, |_| Ok(())).await
}
