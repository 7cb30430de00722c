//! New-Order (clause 2.4): a district's next order, its lines, and their stock.

use std::fmt::Write;

use crate::db::session::{DbError, Row, Session};
use crate::transaction::execute::Outcome;
use crate::transaction::tpcc::asker::{Asker, must_be, wrong_rows};
use crate::transaction::tpcc::inputs::{NO_ITEM, NewOrder};
use crate::transaction::tpcc::short::Short;
use crate::value::{Dec, Value};
use crate::workload::tpcc::ask::Ask;

/// 2.4.2.2. The district comes first: a snapshot that is taken behind its lock is
/// not out of date at once. The total is for the terminal's display alone.
pub async fn send<S: Session>(
    ask: &mut Asker<'_, S>,
    w: i64,
    order: &NewOrder,
) -> Result<Outcome, DbError> {
    let all_local = Value::Int(i64::from(order.is_all_local(w)));
    let [w, d, c] = [w, order.d, order.c].map(Value::Int);
    let mut o = 0;
    let read = |row: &S::Row| {
        // The number that the next order will have.
        o = row.int(0)? - 1;
        Ok(())
    };
    ask.change_one(Ask::TakeOrderNumber, Ask::ReadOrderNumber, &[w, d], read)
        .await?;
    let o = Value::Int(o);
    ask.read(Ask::NewOrderCustomer, &[w, d, c], |_| Ok(()))
        .await?;

    let order = order.in_lock_order();
    let count = Value::Int(i64::try_from(order.lines().len()).unwrap_or(i64::MAX));
    let at = Value::Time(order.at);
    let values = [w, d, o, c, at, count, all_local];
    ask.write(Ask::InsertOrder, &values).await?;
    ask.write(Ask::InsertNewOrder, &[w, d, o]).await?;

    for line in order.lines() {
        let item = Value::Int(line.item);
        let mut price = Dec { units: 0, scale: 2 };
        let read = |row: &S::Row| {
            price = row.dec(0, 2)?;
            Ok(())
        };
        let found = ask.fetch(Ask::ReadItem, &[item], read).await?;
        if found == 0 && line.item == NO_ITEM {
            // 2.4.2.3: "Item number is not valid".
            return Ok(Outcome::RolledBack);
        }
        must_be(Ask::ReadItem, "found", found, 1)?;

        let supply = Value::Int(line.supply);
        let quantity = Value::Int(line.quantity);
        let remote = Value::Int(i64::from(supply != w));
        let mut dist_info = Short::<24>::new();
        let read = |row: &S::Row| {
            let written = dist_info.write_str(row.text(2)?);
            written.map_err(|_| wrong_rows("s_dist is longer than 24 characters".to_owned()))
        };
        let values = [supply, item, d, quantity, remote];
        ask.change_one(Ask::TakeStock, Ask::ReadStock, &values, read)
            .await?;

        // Without tax and discount.
        let amount = Value::Dec(Dec {
            units: price.units * line.quantity,
            scale: 2,
        });
        let number = Value::Int(line.number);
        let dist_info = Value::Text(dist_info.as_str());
        let values = [w, d, o, number, item, supply, quantity, amount, dist_info];
        ask.write(Ask::InsertLine, &values).await?;
    }
    Ok(Outcome::Committed { skipped: 0 })
}
