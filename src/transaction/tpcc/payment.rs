//! Payment (clause 2.5): to a warehouse and district, from a customer.

use std::fmt::Write;

use crate::db::session::{DbError, Row, Session};
use crate::random::names::{LONGEST_NAME, last_name};
use crate::transaction::tpcc::asker::{Asker, wrong_rows};
use crate::transaction::tpcc::inputs::{Customer, Payment};
use crate::transaction::tpcc::short::Short;
use crate::value::{Dec, Value};
use crate::workload::tpcc::ask::Ask;

/// 2.5.2.2
pub async fn send<S: Session>(
    ask: &mut Asker<'_, S>,
    home: i64,
    payment: &Payment,
) -> Result<(), DbError> {
    let [w, d, cw, cd] = [home, payment.d, payment.cw, payment.cd].map(Value::Int);
    let paid = Dec {
        units: payment.amount,
        scale: 2,
    };
    let amount = Value::Dec(paid);

    // 2.5.3.3: both names, with four blanks between them.
    let mut history = Short::<24>::new();
    let read = |row: &S::Row| append(&mut history, format_args!("{}    ", row.text(0)?));
    ask.change_one(Ask::PayWarehouse, Ask::ReadWarehouse, &[w, amount], read)
        .await?;
    let read = |row: &S::Row| append(&mut history, format_args!("{}", row.text(0)?));
    let values = [w, d, amount];
    ask.change_one(Ask::PayDistrict, Ask::ReadDistrict, &values, read)
        .await?;

    let payer = payer(ask, cw, cd, payment.customer).await?;
    let c = Value::Int(payer.id);
    if payer.has_bad_credit {
        let mut data = Short::<128>::new();
        append(
            &mut data,
            format_args!(
                "{} {} {} {} {} {paid} ",
                payer.id, payment.cd, payment.cw, payment.d, home
            ),
        )?;
        let values = [cw, cd, c, amount, Value::Text(data.as_str())];
        ask.write(Ask::PayBadCredit, &values).await?;
    } else {
        let values = [cw, cd, c, amount];
        ask.write(Ask::PayGoodCredit, &values).await?;
    }
    let (at, history) = (Value::Time(payment.at), Value::Text(history.as_str()));
    let values = [c, cd, cw, d, w, at, amount, history];
    ask.write(Ask::InsertHistory, &values).await
}

#[derive(Clone, Copy)]
struct Payer {
    id: i64,
    has_bad_credit: bool,
}

async fn payer<S: Session>(
    ask: &mut Asker<'_, S>,
    cw: Value<'_>,
    cd: Value<'_>,
    customer: Customer,
) -> Result<Payer, DbError> {
    // A few of a name on the average; the transaction's only allocation.
    let mut payers = Vec::new();
    let read = |row: &S::Row| {
        payers.push(Payer {
            id: row.int(0)?,
            has_bad_credit: row.text(1)? == "BC",
        });
        Ok(())
    };
    match customer {
        Customer::Id(id) => {
            let values = [cw, cd, Value::Int(id)];
            ask.read(Ask::PayerById, &values, read).await?;
        }
        Customer::LastName(number) => {
            let mut last = Short::<LONGEST_NAME>::new();
            last_name(number, &mut last);
            let values = [cw, cd, Value::Text(last.as_str())];
            ask.fetch(Ask::PayersByName, &values, read).await?;
        }
    }
    let payer = middle(&payers).copied();
    payer.ok_or_else(|| wrong_rows("no customer has the last name that pays".to_owned()))
}

/// Row n/2, rounded up and counted from 1, of those in order of first names.
pub fn middle<T>(rows: &[T]) -> Option<&T> {
    rows.get(rows.len().checked_sub(1)? / 2)
}

fn append<const N: usize>(
    text: &mut Short<N>,
    more: std::fmt::Arguments<'_>,
) -> Result<(), DbError> {
    text.write_fmt(more)
        .map_err(|_| wrong_rows(format!("a text is longer than {N} characters")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_rounded_up() {
        assert_eq!(middle::<u8>(&[]), None);
        assert_eq!(middle(&[1]), Some(&1));
        assert_eq!(middle(&[1, 2]), Some(&1));
        assert_eq!(middle(&[1, 2, 3]), Some(&2));
        assert_eq!(middle(&[1, 2, 3, 4]), Some(&2));
        assert_eq!(middle(&[1, 2, 3, 4, 5]), Some(&3));
    }
}
