//! One interval of a run, of all workers, and the columns that it fills.

use std::time::Duration;

use crate::stats::cell::Cell;
use crate::stats::recorder::{Recorder, TransactionStats};
use crate::stats::summary::whole;

/// Where in a run an interval lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Warmup,
    Measure,
    /// Nothing new starts; what is in flight may end.
    Drain,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Warmup => "warmup",
            Phase::Measure => "measure",
            Phase::Drain => "drain",
        }
    }
}

/// What all workers saw between two instants.
#[derive(Clone, Debug)]
pub struct Interval {
    pub phase: Phase,
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    pub time_us: i64,
    /// Start, in seconds from the start of the measured window.
    pub second: f64,
    pub length: Duration,
    pub recorder: Recorder,
    /// The fewest that had a connection at a time.
    pub clients: u64,
    /// Transactions that were due in it, and those due and not started at its
    /// end. In an open loop.
    pub offered: Option<u64>,
    pub backlog: Option<u64>,
    /// CPU time of the workers' threads.
    pub cpu: Duration,
    /// That the workers may use.
    pub cores: u64,
}

/// One row of `intervals.csv`: a transaction type, or all.
#[derive(Clone, Debug)]
pub struct IntervalRow<'a> {
    pub interval: &'a Interval,
    /// As `RunInfo` has it.
    pub run: &'a str,
    pub tier: &'a str,
    pub transaction: &'a str,
    pub is_all: bool,
    pub stats: &'a TransactionStats,
}

impl IntervalRow<'_> {
    fn rate(&self, count: u64) -> Cell {
        let seconds = self.interval.length.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        if seconds > 0.0 {
            Cell::from(count as f64 / seconds)
        } else {
            Cell::Empty
        }
    }

    fn client_cpu_pct(&self) -> Cell {
        let length = self.interval.length.as_secs_f64();
        if !self.is_all || length <= 0.0 {
            return Cell::Empty;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let cores = self.interval.cores as f64;
        Cell::from(100.0 * self.interval.cpu.as_secs_f64() / length / cores)
    }

    fn of_all(&self, cell: impl Into<Cell>) -> Cell {
        if self.is_all {
            cell.into()
        } else {
            Cell::Empty
        }
    }
}

/// A column's name, with the unit in it where there is one, and how it is got.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub get: fn(&IntervalRow<'_>) -> Cell,
}

const fn column(name: &'static str, get: fn(&IntervalRow<'_>) -> Cell) -> Column {
    Column { name, get }
}

/// The columns of `intervals.csv`, behind `format`.
pub static COLUMNS: &[Column] = &[
    column("run", |row| row.run.into()),
    column("tier", |row| row.tier.into()),
    column("phase", |row| row.interval.phase.name().into()),
    column("time_utc", |row| Cell::Time(row.interval.time_us)),
    column("second", |row| row.interval.second.into()),
    column("length_s", |row| row.interval.length.as_secs_f64().into()),
    column("transaction", |row| row.transaction.into()),
    column("clients", |row| row.of_all(row.interval.clients)),
    column("offered", |row| row.of_all(row.interval.offered)),
    column("done", |row| row.stats.done.into()),
    column("tps", |row| row.rate(row.stats.done)),
    column("qps", |row| row.rate(row.stats.sent)),
    column("rolled_back", |row| row.stats.rolled_back.into()),
    column("failed", |row| row.stats.failed.into()),
    column("retries", |row| row.stats.retries.into()),
    column("mean_us", |row| {
        row.stats.service.mean_us().map(whole).into()
    }),
    column("p50_us", |row| row.stats.service.quantile_us(0.5).into()),
    column("p95_us", |row| row.stats.service.quantile_us(0.95).into()),
    column("p99_us", |row| row.stats.service.quantile_us(0.99).into()),
    column("max_us", |row| row.stats.service.max_us().into()),
    column("response_p99_us", |row| {
        row.stats.response().quantile_us(0.99).into()
    }),
    column("backlog", |row| row.of_all(row.interval.backlog)),
    column("gen_lag_p99_us", |row| {
        row.stats.generator_lag.quantile_us(0.99).into()
    }),
    column("client_cpu_pct", |row| row.client_cpu_pct()),
];
