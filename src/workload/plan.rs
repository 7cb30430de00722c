//! A compiled workload: numbers, registers and prepared statements; no names
//! are looked up after this.

use std::time::Duration;

use crate::value::{Arrivals, Cells, Engine, Isolation, Kind, Schedule, Statement, StmtId};
use crate::workload::draw::{Draw, Generator, Program};
use crate::workload::mix::Mix;
use crate::workload::tpcc::ask::{Ask, TpccKind};
use crate::workload::tpcc::settings::Tpcc;
use crate::workload::tpcc::table::TpccTable;

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
    pub procedures: Vec<Procedure>,
    /// What sessions prepare.
    pub statements: Vec<Statement>,
    /// SQL blocks in order of first use, and which one a statement is from.
    pub blocks: Vec<BlockInfo>,
    pub block_of: Vec<u16>,
    pub transactions: Vec<Transaction>,
    pub conditions: Vec<Condition>,
    pub mix: Mix,
    pub run: RunDefaults,
    /// For tables and transactions that are built in.
    pub tpcc: Option<Tpcc>,
    /// Reads TPC-C's `d_next_o_id`, one statement a table set; none where no
    /// transaction is a New-Order.
    pub order_numbers: Vec<Statement>,
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
    /// What a client waits before it, and on the average after it, times
    /// `RunDefaults::wait`.
    pub keying: Duration,
    pub think: Duration,
    /// Sent between BEGIN and COMMIT.
    pub atomic: bool,
    /// Whether any statement changes rows.
    pub writes: bool,
    /// It deletes rows.
    pub deletes: bool,
    /// It deletes and inserts, so that a duplicate key is another client's
    /// doing and worth another attempt.
    pub replaces_keys: bool,
    pub body: Body,
}

/// What a transaction sends.
#[derive(Clone, Debug)]
pub enum Body {
    Script(Script),
    Tpcc(TpccBody),
    Call(TpccCall),
}

impl Body {
    /// Which of TPC-C's transactions it is, if it is one.
    pub fn tpcc_kind(&self) -> Option<TpccKind> {
        match self {
            Body::Script(_) => None,
            Body::Tpcc(body) => Some(body.kind),
            Body::Call(call) => Some(call.kind),
        }
    }
}

/// Statements one after another, whatever they return.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub program: Program,
    pub ops: Vec<Op>,
    /// Registers of all arguments, one operation's behind another's.
    pub picks: Vec<u16>,
}

/// A transaction whose steps depend on what the server returns.
#[derive(Clone, Debug)]
pub struct TpccBody {
    pub kind: TpccKind,
    /// By `Ask::place`.
    pub statements: Vec<TpccStatement>,
}

#[derive(Clone, Debug)]
pub struct TpccStatement {
    pub ask: Ask,
    /// The statement of the first table set; those of the others follow.
    pub first: StmtId,
    /// `picks[i]` is the place of argument i among the values of the `Ask`.
    pub picks: Vec<u16>,
}

/// A transaction that is one call of a stored procedure, which begins and ends it.
#[derive(Clone, Debug)]
pub struct TpccCall {
    pub kind: TpccKind,
    /// The statement of the first table set; those of the others follow.
    pub first: StmtId,
    /// `picks[i]` is the place of argument i among the values of the call.
    pub picks: Vec<u16>,
}

impl Transaction {
    /// Whether it is one statement without BEGIN, which commits by itself.
    pub fn is_one_statement(&self) -> bool {
        match &self.body {
            Body::Script(script) => !self.atomic && script.ops.len() == 1,
            Body::Tpcc(_) => false,
            Body::Call(_) => true,
        }
    }

    /// Whether a procedure begins and ends it.
    pub fn is_call(&self) -> bool {
        matches!(self.body, Body::Call(_))
    }

    /// Whether the session may still hold a part of it after an error. A procedure
    /// that was killed does not come to its own ROLLBACK on MySQL.
    pub fn needs_rollback(&self) -> bool {
        self.atomic || self.is_call()
    }
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

    pub fn picks<'a>(&self, script: &'a Script) -> &'a [u16] {
        &script.picks[self.args_from as usize..self.args_to as usize]
    }
}

/// One table as it is made and filled.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    /// Its name in the file, such as `sbtest{t}`, which numbered tables share.
    pub entry: String,
    /// What stands in `name` for `{t}`.
    pub number: Option<i64>,
    /// Place among the workload's tables: the stream its rows are drawn from.
    pub index: u64,
    pub create: String,
    /// Run after the load.
    pub indexes: Vec<String>,
    /// Run after the indexes.
    pub foreign_keys: Vec<String>,
    /// What a load counts and asks its source for, from 1: rows, but in TPC-C's
    /// `order_line` orders.
    pub rows: u64,
    pub columns: Vec<String>,
    pub source: RowSource,
    /// The largest number that its key's column holds, where the file says it.
    pub max_rows: Option<u64>,
    /// Runs change the number of rows.
    pub grows: bool,
    /// SHA-256 of all that decides the table's content, but for the seed.
    pub sha: String,
}

/// A stored procedure as it is made.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    /// The table that it goes with.
    pub table: String,
    pub create: String,
    /// SHA-256 of `create`.
    pub sha: String,
}

/// Where a table's rows come from.
#[derive(Clone, Debug)]
pub enum RowSource {
    Draws {
        program: Program,
        /// The register of each column.
        picks: Vec<u16>,
    },
    Tpcc {
        table: TpccTable,
        /// From 1.
        set: u64,
    },
}

impl Table {
    /// The column that holds the row's number, if one does.
    pub fn key(&self, draws: &[Draw]) -> Option<usize> {
        match self.key_columns(draws)[..] {
            [key] => Some(key),
            _ => None,
        }
    }

    /// The columns that tell its rows apart; a single one holds the row's number.
    pub fn key_columns(&self, draws: &[Draw]) -> Vec<usize> {
        match &self.source {
            RowSource::Draws { program, picks } => {
                let is_number = |register: &u16| {
                    let step = program.steps[usize::from(*register)];
                    matches!(draws[usize::from(step.draw)].generator, Generator::Seq)
                };
                picks.iter().position(is_number).into_iter().collect()
            }
            RowSource::Tpcc { table, .. } => (0..table.key_columns()).collect(),
        }
    }
}

/// What holds of the rows after any number of transactions.
#[derive(Clone, Debug)]
pub struct Condition {
    pub name: String,
    pub about: String,
    /// Names of the columns that it returns: the key of a row that breaks it.
    pub key: Vec<String>,
    /// The name that it is sent for, and how often: from 1 to this number.
    pub each: Option<(String, u64)>,
    /// The first run that changes rows ends it.
    pub only_loaded: bool,
    /// The name of the number in its tables' names.
    pub numbered: Option<String>,
    /// That number, and the statement with it.
    pub texts: Vec<(Option<i64>, String)>,
    /// How often the statement takes the value of `each`.
    pub arguments: usize,
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
    /// What keying and think times are multiplied by; 0 where it is not said.
    pub wait: Option<f64>,
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
        let transactions = self.transactions.iter();
        transactions
            .map(|transaction| match &transaction.body {
                Body::Script(script) => self.hottest_of_script(script),
                Body::Tpcc(TpccBody { kind, .. }) | Body::Call(TpccCall { kind, .. }) => {
                    self.hottest_of_tpcc(*kind)
                }
            })
            .fold(0.0, f64::max)
    }

    fn hottest_of_script(&self, script: &Script) -> f64 {
        let changes = |op: &&Op| {
            let sql = self.statements[op.first.index()].sql.trim_start();
            let verb = sql.get(..6).unwrap_or_default();
            verb.eq_ignore_ascii_case("UPDATE") || verb.eq_ignore_ascii_case("DELETE")
        };
        let draw_of = |register: u16| {
            let step = script.program.steps[usize::from(register)];
            &self.draws[usize::from(step.draw)].generator
        };
        let mut hottest: f64 = 0.0;
        for op in script.ops.iter().filter(changes) {
            let tables = op.by.map_or(1.0, |(register, _)| {
                draw_of(register).key_count().unwrap_or(1.0)
            });
            for &register in op.picks(script) {
                let share = draw_of(register).hottest().unwrap_or(0.0);
                hottest = hottest.max(share / tables);
            }
        }
        hottest
    }

    /// Payment's is the row of a warehouse, New-Order's that of a district.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn hottest_of_tpcc(&self, kind: TpccKind) -> f64 {
        let Some(Tpcc { scale, .. }) = &self.tpcc else {
            return 0.0;
        };
        let warehouses = (scale.warehouses * scale.table_sets) as f64;
        match kind {
            TpccKind::Payment => 1.0 / warehouses,
            TpccKind::NewOrder => 0.1 / warehouses,
            TpccKind::OrderStatus | TpccKind::Delivery | TpccKind::StockLevel => 0.0,
        }
    }
}
