//! Delivery (clause 2.7): the oldest new order of each of the ten districts of a
//! warehouse, all in one transaction.

use crate::db::session::{Class, DbError, Row, Session};
use crate::transaction::tpcc::asker::{Asker, wrong_rows};
use crate::transaction::tpcc::inputs::Delivery;
use crate::value::{Dec, Value};
use crate::workload::tpcc::ask::Ask;

/// Deliveries of one district that may overtake this one.
const ATTEMPTS: u32 = 100;

/// 2.7.4.2. Returns in how many districts there was nothing to deliver.
pub async fn send<S: Session>(
    ask: &mut Asker<'_, S>,
    w: i64,
    delivery: &Delivery,
) -> Result<u64, DbError> {
    let mut skipped = 0;
    let [w, carrier] = [w, delivery.carrier].map(Value::Int);
    let at = Value::Time(delivery.at);
    for d in (1..=10).map(Value::Int) {
        let Some(o) = oldest(ask, w, d).await? else {
            skipped += 1;
            continue;
        };
        let o = Value::Int(o);
        ask.write(Ask::DeleteNewOrder, &[w, d, o]).await?;
        let mut c = 0;
        let read = |row: &S::Row| {
            c = row.int(0)?;
            Ok(())
        };
        let values = [w, d, o, carrier];
        ask.change_one(Ask::DeliverOrder, Ask::OrderCustomer, &values, read)
            .await?;
        let mut total = Dec { units: 0, scale: 2 };
        let read = |row: &S::Row| {
            total.units += row.dec(0, 2)?.units;
            Ok(())
        };
        let values = [w, d, o, at];
        let lines = ask.change_and_read(Ask::DeliverLines, Ask::LineAmounts, &values, read);
        let lines = lines.await?;
        if !(5..=15).contains(&lines) {
            let message = format!("deliver_lines changed {lines} rows, not 5 to 15");
            return Err(wrong_rows(message));
        }
        let values = [w, d, Value::Int(c), Value::Dec(total)];
        ask.write(Ask::CreditCustomer, &values).await?;
    }
    Ok(skipped)
}

/// The oldest new order of a district, locked. Another delivery may take it while
/// this one waits for the lock: at read committed the answer is then empty
/// although there are more, so it is asked for again.
async fn oldest<S: Session>(
    ask: &mut Asker<'_, S>,
    w: Value<'_>,
    d: Value<'_>,
) -> Result<Option<i64>, DbError> {
    let mut o = None;
    for _ in 0..ATTEMPTS {
        let read = |row: &S::Row| {
            o = Some(row.int(0)?);
            Ok(())
        };
        ask.fetch(Ask::OldestNewOrder, &[w, d], read).await?;
        if o.is_some() {
            return Ok(o);
        }
        if ask.fetch(Ask::AnyNewOrder, &[w, d], |_| Ok(())).await? == 0 {
            return Ok(None);
        }
    }
    let message = format!("others took the oldest new order {ATTEMPTS} times in turn");
    Err(DbError::new(Class::Retry, "delivery_race", message))
}
