//! A TPC-C transaction as one call of a stored procedure: its inputs as the
//! values of the call, and what the one row of the answer says.

use std::fmt::Write;

use crate::db::session::{Class, DbError, Row, Session};
use crate::random::names::{LONGEST_NAME, last_name};
use crate::transaction::execute::Outcome;
use crate::transaction::tpcc::asker::wrong_rows;
use crate::transaction::tpcc::inputs::{Customer, Inputs, Line, NO_ITEM, Work};
use crate::transaction::tpcc::short::Short;
use crate::value::{Args, Dec, StmtId, Value};
use crate::workload::plan::TpccCall;
use crate::workload::tpcc::ask::TpccKind;

/// Calls the procedure of a transaction, which begins and ends it.
///
/// # Errors
/// What the procedure passed on, after it had undone all.
pub async fn send<S: Session>(
    session: &mut S,
    call: &TpccCall,
    inputs: &Inputs,
) -> Result<Outcome, DbError> {
    if inputs.work == Work::None {
        let message = "a TPC-C transaction was called before it was drawn";
        return Err(DbError::new(Class::Other, "not_drawn", message));
    }
    let texts = Texts::of(&inputs.work);
    let (values, picks) = (&texts.values(inputs), &call.picks);
    let args = Args::Picked { values, picks };
    let mut first = 0;
    let read = |row: &S::Row| {
        if let TpccKind::NewOrder | TpccKind::Delivery = call.kind {
            first = row.int(0)?;
        }
        Ok(())
    };
    let rows = session.fetch(statement(call, inputs), args, read).await?;
    if rows != 1 {
        return Err(wrong_rows(format!("a call returned {rows} rows, not 1")));
    }
    match (call.kind, first) {
        // 2.4.2.3: "Item number is not valid".
        (TpccKind::NewOrder, NO_ITEM) => Ok(Outcome::RolledBack),
        (TpccKind::NewOrder, 1..) => Err(wrong_rows(format!("there is no item {first}"))),
        (TpccKind::Delivery, skipped) => Ok(Outcome::Committed {
            skipped: u64::try_from(skipped).unwrap_or(0),
        }),
        _ => Ok(Outcome::Committed { skipped: 0 }),
    }
}

/// The call in the table set of the inputs.
pub fn statement(call: &TpccCall, inputs: &Inputs) -> StmtId {
    StmtId(call.first.0 + u32::try_from(inputs.set - 1).unwrap_or(0))
}

/// The texts among the values of a call. An item has at most six digits, a
/// warehouse seven.
#[derive(Debug)]
pub struct Texts {
    last: Option<Short<LONGEST_NAME>>,
    numbers: Short<45>,
    items: Short<105>,
    supplies: Short<120>,
    quantities: Short<45>,
}

impl Texts {
    pub fn of(work: &Work) -> Texts {
        let mut texts = Texts {
            last: None,
            numbers: Short::new(),
            items: Short::new(),
            supplies: Short::new(),
            quantities: Short::new(),
        };
        match work {
            Work::NewOrder(order) => {
                let order = order.in_lock_order();
                list(&mut texts.numbers, order.lines(), |line| line.number);
                list(&mut texts.items, order.lines(), |line| line.item);
                list(&mut texts.supplies, order.lines(), |line| line.supply);
                list(&mut texts.quantities, order.lines(), |line| line.quantity);
            }
            Work::Payment(payment) => texts.last = last(payment.customer),
            Work::OrderStatus(status) => texts.last = last(status.customer),
            Work::Delivery(_) | Work::StockLevel(_) | Work::None => {}
        }
        texts
    }

    /// In the order of `TpccKind::call_values`; those behind them are null.
    pub fn values(&self, inputs: &Inputs) -> [Value<'_>; 9] {
        let last = self.last.as_ref();
        let last = last.map_or(Value::Null, |last| Value::Text(last.as_str()));
        let w = inputs.w;
        let mut values = [Value::Null; 9];
        values[0] = Value::Int(w);
        match &inputs.work {
            Work::NewOrder(order) => {
                values[1..].copy_from_slice(&[
                    Value::Int(order.d),
                    Value::Int(order.c),
                    Value::Time(order.at),
                    Value::Int(i64::from(order.is_all_local(w))),
                    Value::Text(self.numbers.as_str()),
                    Value::Text(self.items.as_str()),
                    Value::Text(self.supplies.as_str()),
                    Value::Text(self.quantities.as_str()),
                ]);
            }
            Work::Payment(payment) => {
                let (units, scale) = (payment.amount, 2);
                values[1..8].copy_from_slice(&[
                    Value::Int(payment.d),
                    Value::Int(payment.cw),
                    Value::Int(payment.cd),
                    id(payment.customer),
                    last,
                    Value::Dec(Dec { units, scale }),
                    Value::Time(payment.at),
                ]);
            }
            Work::OrderStatus(status) => {
                let more = [Value::Int(status.d), id(status.customer), last];
                values[1..4].copy_from_slice(&more);
            }
            Work::Delivery(delivery) => {
                let more = [Value::Int(delivery.carrier), Value::Time(delivery.at)];
                values[1..3].copy_from_slice(&more);
            }
            Work::StockLevel(level) => {
                let more = [level.d, level.threshold].map(Value::Int);
                values[1..3].copy_from_slice(&more);
            }
            Work::None => {}
        }
        values
    }
}

fn id(customer: Customer) -> Value<'static> {
    match customer {
        Customer::Id(id) => Value::Int(id),
        Customer::LastName(_) => Value::Null,
    }
}

fn last(customer: Customer) -> Option<Short<LONGEST_NAME>> {
    match customer {
        Customer::Id(_) => None,
        Customer::LastName(number) => {
            let mut last = Short::new();
            last_name(number, &mut last);
            Some(last)
        }
    }
}

/// `1,5,9`
fn list<const N: usize>(text: &mut Short<N>, lines: &[Line], value: impl Fn(&Line) -> i64) {
    for (place, line) in lines.iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        // There is room for fifteen of the longest.
        let _ = write!(text, "{comma}{}", value(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::rng::{Purpose, Rng};
    use crate::transaction::tpcc::constants::Constants;
    use crate::transaction::tpcc::inputs::Terminal;
    use crate::workload::tpcc::settings::{Choose, Scale, Tpcc};

    fn inputs(kind: TpccKind, k: u64) -> Inputs {
        // The most there may be: the longest numbers.
        let scale = Scale {
            warehouses: 1_000_000,
            table_sets: 1,
            compress: 0.0,
            foreign_keys: false,
            history_key: false,
        };
        let tpcc = Tpcc {
            scale,
            choose: Choose::All,
            c_load: None,
        };
        let terminal = Terminal {
            number: 0,
            clients: 1,
        };
        let mut rng = Rng::at(1, Purpose::Run, 0, k);
        Inputs::draw(kind, &tpcc, &Constants::of_run(None, 1), terminal, &mut rng)
    }

    /// A list of a call as numbers.
    fn numbers(value: Value<'_>) -> Vec<i64> {
        match value {
            Value::Text(text) => text.split(',').map(|part| part.parse().unwrap()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lists_hold_all_lines_in_the_order_of_locks() {
        let mut most = 0;
        for k in 0..1_000 {
            let inputs = inputs(TpccKind::NewOrder, k);
            let Work::NewOrder(order) = inputs.work else {
                panic!("{inputs:?}");
            };
            let texts = Texts::of(&inputs.work);
            let values = texts.values(&inputs);
            let lists: Vec<Vec<i64>> = values[5..].iter().map(|value| numbers(*value)).collect();
            most = most.max(lists[0].len());
            let mut lines: Vec<[i64; 4]> = (0..lists[0].len())
                .map(|line| [0, 1, 2, 3].map(|list| lists[list][line]))
                .collect();
            let keys = lines
                .iter()
                .map(|&[number, item, supply, _]| (item == NO_ITEM, supply, item, number));
            assert!(keys.is_sorted(), "{lines:?}");
            lines.sort_unstable();
            let wanted = order.lines().iter();
            let wanted = wanted.map(|line| [line.number, line.item, line.supply, line.quantity]);
            assert_eq!(lines, wanted.collect::<Vec<_>>());
        }
        assert_eq!(most, 15);
    }

    #[test]
    fn every_value_has_its_place() {
        for kind in TpccKind::ALL {
            for k in 0..20 {
                let inputs = inputs(kind, k);
                let texts = Texts::of(&inputs.work);
                let values = texts.values(&inputs);
                let names = kind.call_values();
                let place = |name| names.iter().position(|known| *known == name);
                assert_eq!(values[0], Value::Int(inputs.w));
                if let Some(at) = place("at") {
                    assert!(matches!(values[at], Value::Time(_)), "{values:?}");
                }
                if let (Some(c), Some(last)) = (place("c"), place("last")) {
                    let nulls = [values[c], values[last]].map(|value| value == Value::Null);
                    assert_ne!(nulls[0], nulls[1], "{values:?}");
                }
                let behind = &values[names.len()..];
                assert!(behind.iter().all(|value| *value == Value::Null));
                let shown = names.len() - usize::from(place("last").is_some());
                let given = values.iter().filter(|value| **value != Value::Null);
                assert_eq!(given.count(), shown, "{kind:?}: {values:?}");
            }
        }
    }
}
