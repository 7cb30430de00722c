//! What a TPC-C transaction adds to the counts of an audit: its inputs, once it has
//! completed with them.

use crate::stats::audit::Audited;
use crate::stats::tally::{Count, Tally};
use crate::transaction::drawn::Drawn;
use crate::transaction::tpcc::inputs::{Customer, Inputs, Work};
use crate::workload::plan::{Plan, Transaction};
use crate::workload::tpcc::ask::TpccKind;
use crate::workload::tpcc::settings::Tpcc;
use crate::workload::tpcc::table::DISTRICTS;

/// What an audit must know of a plan with transactions of TPC-C.
pub fn audited(plan: &Plan) -> Option<Audited> {
    let Tpcc { scale, .. } = plan.tpcc?;
    let kind = |transaction: &Transaction| {
        let kind = transaction.body.tpcc_kind();
        kind.map_or("", TpccKind::name)
    };
    Some(Audited {
        kinds: plan.transactions.iter().map(kind).collect(),
        warehouses: scale.warehouses,
        table_sets: scale.table_sets,
    })
}

/// None for a transaction that is not TPC-C's.
pub fn tally(plan: &Plan, transaction: usize, drawn: &Drawn, skipped: u64) -> Option<Tally> {
    plan.transactions[transaction].body.tpcc_kind()?;
    Some(of_inputs(&drawn.tpcc, plan.tpcc.as_ref()?, skipped))
}

fn of_inputs(inputs: &Inputs, tpcc: &Tpcc, skipped: u64) -> Tally {
    let &Inputs { set, w, ref work } = inputs;
    let [set, warehouse] = [set, w].map(|from_one| u64::try_from(from_one - 1).unwrap_or(0));
    let mut tally = Tally::of(set * tpcc.scale.warehouses + warehouse);
    let by_name = |customer: Customer| u64::from(matches!(customer, Customer::LastName(_)));
    match work {
        Work::NewOrder(order) => {
            let lines = order.lines();
            let remote = lines.iter().filter(|line| line.supply != w).count() as u64;
            tally.add(Count::Lines, lines.len() as u64);
            tally.add(Count::RemoteLines, remote);
            tally.add(Count::OrdersWithRemoteLine, remote.min(1));
        }
        Work::Payment(payment) => {
            tally.add(Count::RemotePayments, u64::from(payment.cw != w));
            tally.add(Count::PaymentsByName, by_name(payment.customer));
        }
        Work::OrderStatus(status) => {
            tally.add(Count::StatusesByName, by_name(status.customer));
        }
        Work::Delivery(_) => {
            tally.add(Count::Districts, DISTRICTS);
            tally.add(Count::SkippedDistricts, skipped);
        }
        Work::StockLevel(_) | Work::None => {}
    }
    tally
}
