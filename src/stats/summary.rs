//! The outcome of a run, and the one list of metrics that CSV, terminal and
//! comparison go by.

use std::time::Duration;

use crate::stats::audit::{Audited, NEW_ORDER};
use crate::stats::cell::{Better, Cell};
use crate::stats::latency::Latency;
use crate::stats::recorder::{Recorder, TransactionStats};
use crate::stats::series::Steadiness;
use crate::units::micros;
use crate::value::Kind;

/// What a run is, as it stands in each of its rows.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The name of the run's folder.
    pub run: String,
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    pub started_us: i64,
    pub tier: String,
    pub log_tier: String,
    pub workload: String,
    pub workload_sha: String,
    pub engine: String,
    pub server_version: String,
    pub tls: bool,
    pub clients: u64,
    pub workers: u64,
    /// That the workers may use.
    pub cores: u64,
    pub seed: u64,
    pub isolation: String,
    pub warmup: Duration,
    /// `poisson` or `constant`, and planned transactions per second, of an open
    /// loop; empty and `None` in a closed one.
    pub arrivals: String,
    pub rate: Option<f64>,
    /// Longest response time of a good transaction, where one was named.
    pub sla: Option<Duration>,
    /// Names of the transaction types, and of the statements of each.
    pub transactions: Vec<String>,
    pub statements: Vec<(String, Kind)>,
    /// Of a workload with TPC-C's transactions.
    pub audited: Option<Audited>,
}

/// Something a reader must know about the figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A word for the CSV.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
    /// Whether it makes the exit status 1.
    pub fatal: bool,
}

/// Above this the generator's own lag, as p99, spoils figures.
pub const GENERATOR_LAG_LIMIT_US: u64 = 1000;
/// Of fewer transactions the p99 is the one worst moment of the machine.
pub const ENOUGH_FOR_LAG: u64 = 100;

/// What an open loop was asked for beside what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenLoop {
    /// Transactions due in the window.
    pub offered: u64,
    /// Of these, never started.
    pub not_started: u64,
    /// Due in the warm-up and not started by its end.
    pub dropped: u64,
    /// Seconds of the window whose p99 of the generator's lag was above its limit.
    pub late_seconds: u64,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Summary {
    pub info: RunInfo,
    pub measured: Duration,
    /// Of the measured window, with what ended in the grace.
    pub recorder: Recorder,
    pub all: TransactionStats,
    pub steadiness: Option<Steadiness>,
    pub open: Option<OpenLoop>,
    /// CPU time of the workers' threads in the window.
    pub client_cpu: Duration,
    /// Time in which any client was without a connection.
    pub outage: Duration,
    /// Time that clients were without one, summed over the clients.
    pub disconnected: Duration,
    /// How far TPC-C's `d_next_o_id` went in all districts and phases, where the
    /// server was asked.
    pub orders_taken: Option<i64>,
    pub warnings: Vec<Warning>,
}

impl Summary {
    /// CPU share of the cores that the workers may use, in percent.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn client_cpu_pct(&self) -> Option<f64> {
        let seconds = self.measured.as_secs_f64();
        (seconds > 0.0)
            .then(|| 100.0 * self.client_cpu.as_secs_f64() / seconds / self.info.cores as f64)
    }

    /// One row per transaction type, and one for all at the end.
    pub fn rows(&self) -> impl Iterator<Item = SummaryRow<'_>> {
        let types = self
            .recorder
            .transactions
            .iter()
            .zip(&self.info.transactions);
        types
            .map(|(stats, name)| SummaryRow {
                summary: self,
                transaction: name,
                is_all: false,
                stats,
            })
            .chain([self.all_row()])
    }

    pub fn all_row(&self) -> SummaryRow<'_> {
        SummaryRow {
            summary: self,
            transaction: "all",
            is_all: true,
            stats: &self.all,
        }
    }

    /// Whether the run is to be trusted without a second look.
    pub fn is_good(&self) -> bool {
        !self.warnings.iter().any(|warning| warning.fatal)
    }
}

/// One row of `summary.csv`.
#[derive(Clone, Copy, Debug)]
pub struct SummaryRow<'a> {
    pub summary: &'a Summary,
    pub transaction: &'a str,
    pub is_all: bool,
    pub stats: &'a TransactionStats,
}

/// Rounds a figure to the whole unit that CSV cells hold.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "latencies: 0 up to years in microseconds"
)]
pub fn whole(value: f64) -> u64 {
    value.round() as u64
}

impl<'a> SummaryRow<'a> {
    fn info(&self) -> &'a RunInfo {
        &self.summary.info
    }

    fn rate(&self, count: u64) -> Cell {
        let seconds = self.summary.measured.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        if seconds > 0.0 {
            Cell::from(count as f64 / seconds)
        } else {
            Cell::Empty
        }
    }

    fn of_all(&self, cell: impl Into<Cell>) -> Cell {
        if self.is_all {
            cell.into()
        } else {
            Cell::Empty
        }
    }

    fn steadiness(&self, get: fn(&Steadiness) -> Cell) -> Cell {
        let steadiness = self.summary.steadiness.filter(|_| self.is_all);
        steadiness.as_ref().map_or(Cell::Empty, get)
    }

    fn retries_per_tx(&self) -> Cell {
        let ended = self.stats.done + self.stats.rolled_back + self.stats.failed;
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        if ended > 0 {
            Cell::from(self.stats.retries as f64 / ended as f64)
        } else {
            Cell::Empty
        }
    }

    /// The greatest latency, of unfinished ones too.
    fn max_us(&self) -> Cell {
        let unfinished = (self.stats.unfinished > 0).then(|| micros(self.stats.oldest_unfinished));
        self.stats.service.max_us().max(unfinished).into()
    }

    fn response_max_us(&self) -> Cell {
        let unfinished = (self.stats.unfinished > 0).then(|| micros(self.stats.oldest_response));
        self.stats.response().max_us().max(unfinished).into()
    }

    /// A figure that only an open loop has.
    fn open(&self, cell: impl Into<Cell>) -> Cell {
        match self.summary.open {
            Some(_) => cell.into(),
            None => Cell::Empty,
        }
    }

    fn open_loop(&self, get: fn(&OpenLoop) -> u64) -> Cell {
        self.of_all(self.summary.open.as_ref().map(get))
    }

    fn within_sla_pct(&self) -> Cell {
        let committed = self.stats.service.count();
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        if self.info().sla.is_some() && committed > 0 {
            Cell::from(100.0 * self.stats.within_sla as f64 / committed as f64)
        } else {
            Cell::Empty
        }
    }

    /// Completed, as TPC-C counts them: committed, or rolled back by design.
    fn new_orders_per_min(&self) -> Cell {
        let orders = self.summary.of_kind(NEW_ORDER);
        let mine = orders.filter(|(name, _)| self.is_all || *name == self.transaction);
        let completed = mine.map(|(_, stats)| stats.done + stats.rolled_back);
        match completed.reduce(|sum, more| sum + more) {
            Some(orders) => self.rate(60 * orders),
            None => Cell::Empty,
        }
    }

    fn warnings(&self) -> Cell {
        let codes: Vec<&str> = self
            .summary
            .warnings
            .iter()
            .map(|warning| warning.code)
            .collect();
        self.of_all(codes.join(" ").as_str())
    }
}

fn mean_us(latency: &Latency) -> Cell {
    latency.mean_us().map(whole).into()
}

/// One metric: its name, with the unit in it where there is one, which way it
/// is better, and how it is got.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: &'static str,
    pub better: Better,
    pub get: fn(&SummaryRow<'_>) -> Cell,
}

const fn metric(name: &'static str, better: Better, get: fn(&SummaryRow<'_>) -> Cell) -> Metric {
    Metric { name, better, get }
}

const NEITHER: Better = Better::Neither;
const HIGHER: Better = Better::Higher;
const LOWER: Better = Better::Lower;

/// The columns of `summary.csv` and `runs.csv`, behind `format`. New ones go to
/// the end: the order never changes.
pub static METRICS: &[Metric] = &[
    metric("run", NEITHER, |row| row.info().run.as_str().into()),
    metric("started_utc", NEITHER, |row| {
        Cell::Time(row.info().started_us)
    }),
    metric("study", NEITHER, |_| Cell::Empty),
    metric("placement", NEITHER, |_| Cell::Empty),
    metric("tier", NEITHER, |row| row.info().tier.as_str().into()),
    metric("log_tier", NEITHER, |row| {
        row.info().log_tier.as_str().into()
    }),
    metric("point", NEITHER, |_| Cell::Empty),
    metric("repeat", NEITHER, |_| Cell::Empty),
    metric("workload", NEITHER, |row| {
        row.info().workload.as_str().into()
    }),
    metric("workload_sha", NEITHER, |row| {
        row.info().workload_sha.as_str().into()
    }),
    metric("engine", NEITHER, |row| row.info().engine.as_str().into()),
    metric("server_version", NEITHER, |row| {
        row.info().server_version.as_str().into()
    }),
    metric("tls", NEITHER, |row| Cell::yes_no(row.info().tls)),
    metric("transaction", NEITHER, |row| row.transaction.into()),
    metric("clients", NEITHER, |row| row.info().clients.into()),
    metric("workers", NEITHER, |row| row.info().workers.into()),
    metric("seed", NEITHER, |row| row.info().seed.into()),
    metric("isolation", NEITHER, |row| {
        row.info().isolation.as_str().into()
    }),
    metric("arrivals", NEITHER, |row| {
        row.info().arrivals.as_str().into()
    }),
    metric("rate_offered", NEITHER, |row| row.info().rate.into()),
    metric("warmup_s", NEITHER, |row| {
        row.info().warmup.as_secs_f64().into()
    }),
    metric("measured_s", NEITHER, |row| {
        row.summary.measured.as_secs_f64().into()
    }),
    metric("steady", NEITHER, |_| Cell::Empty),
    metric("tps", HIGHER, |row| row.rate(row.stats.done)),
    metric("qps", HIGHER, |row| row.rate(row.stats.sent)),
    metric("offered", NEITHER, |row| row.open_loop(|open| open.offered)),
    metric("done", HIGHER, |row| row.stats.done.into()),
    metric("rolled_back", NEITHER, |row| row.stats.rolled_back.into()),
    metric("retries", LOWER, |row| row.stats.retries.into()),
    metric("retries_per_tx", LOWER, |row| row.retries_per_tx()),
    metric("failed", LOWER, |row| row.stats.failed.into()),
    metric("in_doubt", LOWER, |row| row.stats.in_doubt.into()),
    metric("disconnects", LOWER, |row| row.stats.disconnects.into()),
    metric("outage_s", LOWER, |row| {
        row.of_all(row.summary.outage.as_secs_f64())
    }),
    metric("empty", LOWER, |row| row.stats.empty.into()),
    metric("skipped_late", LOWER, |row| {
        row.open(row.stats.skipped_late)
    }),
    metric("not_started", LOWER, |row| {
        row.open_loop(|open| open.not_started)
    }),
    metric("unfinished", LOWER, |row| row.stats.unfinished.into()),
    metric("drained", LOWER, |row| row.stats.drained.into()),
    metric("mean_us", LOWER, |row| mean_us(&row.stats.service)),
    metric("min_us", LOWER, |row| row.stats.service.min_us().into()),
    metric("p50_us", LOWER, |row| {
        row.stats.service.quantile_us(0.5).into()
    }),
    metric("p90_us", LOWER, |row| {
        row.stats.service.quantile_us(0.9).into()
    }),
    metric("p95_us", LOWER, |row| {
        row.stats.service.quantile_us(0.95).into()
    }),
    metric("p99_us", LOWER, |row| {
        row.stats.service.quantile_us(0.99).into()
    }),
    metric("p999_us", LOWER, |row| {
        row.stats.service.quantile_us(0.999).into()
    }),
    metric("p9999_us", LOWER, |row| {
        row.stats.service.quantile_us(0.9999).into()
    }),
    metric("max_us", LOWER, |row| row.max_us()),
    // In a closed loop a transaction is planned for the instant it is sent.
    metric("response_mean_us", LOWER, |row| {
        mean_us(row.stats.response())
    }),
    metric("response_p50_us", LOWER, |row| {
        row.stats.response().quantile_us(0.5).into()
    }),
    metric("response_p95_us", LOWER, |row| {
        row.stats.response().quantile_us(0.95).into()
    }),
    metric("response_p99_us", LOWER, |row| {
        row.stats.response().quantile_us(0.99).into()
    }),
    metric("response_p999_us", LOWER, |row| {
        row.stats.response().quantile_us(0.999).into()
    }),
    metric("response_max_us", LOWER, |row| row.response_max_us()),
    metric("failed_mean_us", NEITHER, |row| {
        mean_us(&row.stats.failures)
    }),
    metric("failed_max_us", NEITHER, |row| {
        row.stats.failures.max_us().into()
    }),
    metric("gen_lag_p99_us", LOWER, |row| {
        row.stats.generator_lag.quantile_us(0.99).into()
    }),
    metric("tps_cv", LOWER, |row| {
        row.steadiness(|steady| steady.cv.into())
    }),
    metric("tps_rcv", LOWER, |row| {
        row.steadiness(|steady| steady.robust_cv.into())
    }),
    metric("tps_min_over_median", HIGHER, |row| {
        row.steadiness(|steady| steady.min_over_median.into())
    }),
    metric("longest_stall_s", LOWER, |row| {
        row.steadiness(|steady| steady.longest_stall_s.into())
    }),
    metric("client_cpu_pct", LOWER, |row| {
        row.of_all(row.summary.client_cpu_pct())
    }),
    metric("sla_us", NEITHER, |row| row.info().sla.map(micros).into()),
    metric("within_sla_pct", HIGHER, |row| row.within_sla_pct()),
    metric("client_cpu_s", LOWER, |row| {
        row.of_all(row.summary.client_cpu.as_secs_f64())
    }),
    metric("warnings", NEITHER, |row| row.warnings()),
    metric("new_orders_per_min", HIGHER, |row| row.new_orders_per_min()),
];
