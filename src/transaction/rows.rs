//! The rows of a plan's tables, to load them and to check them: each a pure
//! function of seed, table and number.

use crate::random::rng::{Purpose, Rng};
use crate::transaction::tpcc::rows as tpcc;
use crate::value::{Cells, RowBuf};
use crate::workload::draw::Fresh;
use crate::workload::plan::{Plan, RowSource, Table};

/// Appends what a table has under `number` (from 1 to `Table::rows`): a row, or
/// the rows of an order.
pub fn make(
    plan: &Plan,
    table: &Table,
    seed: u64,
    number: u64,
    scratch: &mut Cells,
    into: &mut RowBuf,
) {
    match &table.source {
        RowSource::Draws { program, picks } => {
            let mut rng = Rng::at(seed, Purpose::Load, table.index, number);
            let row = i64::try_from(number).unwrap_or(i64::MAX);
            // No column is `fresh`.
            let mut fresh = Fresh::default();
            program.run(&plan.draws, row, &mut fresh, &mut rng, scratch);
            for &register in picks {
                into.cells.push(scratch.get(usize::from(register)));
            }
        }
        RowSource::Tpcc { table, set } => {
            let compress = plan.tpcc.map_or(0.0, |tpcc| tpcc.scale.compress);
            tpcc::make(*table, *set, compress, seed, number, &mut into.cells);
        }
    }
}

/// How many rows the numbers `from..=to` of a table are.
pub fn count(table: &Table, seed: u64, from: u64, to: u64) -> u64 {
    match &table.source {
        RowSource::Tpcc { table, set } => tpcc::count(*table, *set, seed, from, to),
        RowSource::Draws { .. } => (to + 1).saturating_sub(from),
    }
}

/// About how many rows one number is, to cut a load into pieces of one size.
pub fn rows_a_number(table: &Table) -> u64 {
    match &table.source {
        RowSource::Tpcc { table, .. } => tpcc::rows_a_number(*table),
        RowSource::Draws { .. } => 1,
    }
}
