//! A compiled workload: numbers, registers and prepared statements; no names
//! are looked up after this.

use std::time::Duration;

use crate::random::rng::{Purpose, Rng};
use crate::value::{Arrivals, Cells, Engine, Isolation, Kind, RowBuf, Schedule, Statement, StmtId};
use crate::workload::draw::{Draw, Fresh, Generator, Program};
use crate::workload::mix::Mix;

/// A workload for one engine, ready to load and to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub workload: String,
    pub about: String,
    pub engine: Engine,
    /// SHA-256 of the resolved workload without `[run]`, and of the SQL in force.
    pub sha: String,
    /// Every parameter with its value, in file order.
    pub params: Vec<(String, String)>,
    /// Parameters that a flag or preset gave, with what to call it.
    pub given: Vec<(String, String)>,
    /// The parameters that decide what the tables hold.
    pub data_params: Vec<(String, String)>,
    pub draws: Vec<Draw>,
    pub tables: Vec<Table>,
    /// What sessions prepare.
    pub statements: Vec<Statement>,
    /// SQL blocks in order of first use, and which one a statement is from.
    pub blocks: Vec<BlockInfo>,
    pub block_of: Vec<u16>,
    pub transactions: Vec<Transaction>,
    pub mix: Mix,
    pub run: RunDefaults,
}

#[derive(Clone, Debug)]
pub struct BlockInfo {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a transaction, each asked by itself"
)]
pub struct Transaction {
    pub name: String,
    pub weight: u64,
    /// Sent between BEGIN and COMMIT.
    pub atomic: bool,
    /// Whether any statement changes rows.
    pub writes: bool,
    /// It deletes rows.
    pub deletes: bool,
    /// It deletes and inserts, so that a duplicate key is another client's
    /// doing and worth another attempt.
    pub replaces_keys: bool,
    pub program: Program,
    pub ops: Vec<Op>,
    /// Registers of all arguments, one operation's behind another's.
    pub picks: Vec<u16>,
}

/// One statement of a script.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// The statement for the smallest table number.
    pub first: StmtId,
    /// The register with the table's number, and the smallest number.
    pub by: Option<(u16, i64)>,
    pub args_from: u32,
    pub args_to: u32,
}

impl Op {
    /// The statement to send, given the drawn registers.
    pub fn statement(&self, registers: &Cells) -> StmtId {
        let Some((register, min)) = self.by else {
            return self.first;
        };
        match registers.get(usize::from(register)) {
            // The draw's bounds were checked against the statements made.
            crate::value::Value::Int(number) => {
                StmtId(self.first.0 + u32::try_from(number - min).unwrap_or(0))
            }
            _ => self.first,
        }
    }

    pub fn picks<'a>(&self, transaction: &'a Transaction) -> &'a [u16] {
        &transaction.picks[self.args_from as usize..self.args_to as usize]
    }
}

/// One table as it is made and filled.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    /// Its name in the file, such as `sbtest{t}`, which numbered tables share.
    pub entry: String,
    /// Place among the workload's tables: the stream its rows are drawn from.
    pub index: u64,
    pub create: String,
    /// Run after the load.
    pub indexes: Vec<String>,
    pub rows: u64,
    pub columns: Vec<String>,
    pub program: Program,
    /// The register of each column.
    pub picks: Vec<u16>,
    /// Runs change the number of rows.
    pub grows: bool,
    /// SHA-256 of all that decides the table's content, but for the seed.
    pub sha: String,
}

impl Table {
    /// The column that holds the row's number, if one does.
    pub fn key(&self, draws: &[Draw]) -> Option<usize> {
        self.picks.iter().position(|&register| {
            let step = self.program.steps[usize::from(register)];
            matches!(draws[usize::from(step.draw)].generator, Generator::Seq)
        })
    }

    /// Appends row `row` (from 1): a pure function of (seed, table, row).
    pub fn make_row(
        &self,
        draws: &[Draw],
        seed: u64,
        row: u64,
        scratch: &mut Cells,
        into: &mut RowBuf,
    ) {
        let mut rng = Rng::at(seed, Purpose::Load, self.index, row);
        let number = i64::try_from(row).unwrap_or(i64::MAX);
        // No column is `fresh`.
        let mut fresh = Fresh::default();
        self.program
            .run(draws, number, &mut fresh, &mut rng, scratch);
        for &register in &self.picks {
            into.cells.push(scratch.get(usize::from(register)));
        }
    }
}

/// How a run goes: `[run]` of the file, or what the command line says over it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunDefaults {
    pub clients: Option<u64>,
    pub warmup: Option<Duration>,
    pub time: Option<Duration>,
    pub transactions: Option<u64>,
    pub grace: Option<Duration>,
    pub seed: Option<u64>,
    pub error_limit: Option<f64>,
    /// Transactions per second, of an open loop.
    pub rate: Option<f64>,
    pub arrivals: Option<Arrivals>,
    pub schedule: Option<Schedule>,
    pub late_limit: Option<Duration>,
    pub sla: Option<Duration>,
    pub isolation: Option<Isolation>,
    /// Tables and indexes are read through before the run.
    pub prewarm: bool,
    /// SQL that each client sends once.
    pub session: Vec<String>,
}

impl Plan {
    /// Lets the `fresh` draws for the tables of an entry begin above a key.
    pub fn set_fresh_base(&mut self, entry: &str, largest: i64) {
        for draw in &mut self.draws {
            match &mut draw.generator {
                Generator::Fresh { table, base, .. } if table == entry => *base = largest,
                _ => {}
            }
        }
    }

    /// The largest share, 0 to 1, of the changes by one kind of statement that
    /// goes to one row: that of its most frequent key, in one of its tables.
    pub fn hottest_changed(&self) -> f64 {
        let changes = |op: &&Op| {
            let sql = self.statements[op.first.index()].sql.trim_start();
            let verb = sql.get(..6).unwrap_or_default();
            verb.eq_ignore_ascii_case("UPDATE") || verb.eq_ignore_ascii_case("DELETE")
        };
        let draw_of = |transaction: &Transaction, register: u16| {
            let step = transaction.program.steps[usize::from(register)];
            &self.draws[usize::from(step.draw)].generator
        };
        let mut hottest: f64 = 0.0;
        for transaction in &self.transactions {
            for op in transaction.ops.iter().filter(changes) {
                let tables = op.by.map_or(1.0, |(register, _)| {
                    draw_of(transaction, register).key_count().unwrap_or(1.0)
                });
                for &register in op.picks(transaction) {
                    let share = draw_of(transaction, register).hottest().unwrap_or(0.0);
                    hottest = hottest.max(share / tables);
                }
            }
        }
        hottest
    }

    /// Draws the `k`-th transaction (from 0) of a client in a phase into
    /// `registers` and tells which it is: a pure function of its arguments, of
    /// which `fresh` moves on.
    pub fn draw(
        &self,
        seed: u64,
        phase: Purpose,
        client: u64,
        k: u64,
        fresh: &mut Fresh,
        registers: &mut Cells,
    ) -> usize {
        let mut rng = Rng::at(seed, phase, client, k);
        let picked = self.mix.pick(&mut rng, seed, client, k);
        self.transactions[picked]
            .program
            .run(&self.draws, 0, fresh, &mut rng, registers);
        picked
    }
}
