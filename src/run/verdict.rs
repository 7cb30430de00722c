//! Whether a run's figures may be trusted: the warnings, and which of them make
//! the exit status 1.

use std::time::Duration;

use crate::stats::audit::{audit, orders};
use crate::stats::summary::{ENOUGH_FOR_LAG, GENERATOR_LAG_LIMIT_US, OpenLoop, Summary, Warning};
use crate::units::{counted, grouped, human_duration};

/// What the summary alone does not know.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub interrupted: bool,
    pub left_running: u64,
    pub error_limit: f64,
    pub grace: Duration,
    /// A number of transactions ended the run: a client whose share was done
    /// earlier had nothing to do, and Little's law says nothing.
    pub counted: bool,
    /// The largest share of changes that go to one row, 0 to 1.
    pub hottest_changed: f64,
    /// Whether the workload deletes rows, so that others look for them in vain.
    pub deletes: bool,
}

/// Client CPU, in percent of the cores the workers may use.
const CPU_WARNS: f64 = 70.0;
const CPU_SPOILS: f64 = 90.0;
/// In a moment, no client can wait long enough to look idle.
const SHORTEST_FOR_CPU: Duration = Duration::from_secs(1);
/// Fewer samples than these make a percentile a matter of luck.
const ENOUGH_FOR_P99: u64 = 10_000;
const ENOUGH_FOR_P999: u64 = 100_000;
/// Share of statements that found no row.
const EMPTY_WARNS: f64 = 0.01;
/// Share of changes to one row, and the clients that make it a queue.
const HOT_ROW: f64 = 0.05;
const HOT_ROW_CLIENTS: u64 = 8;
/// Share of the planned transactions that must be done.
const SATURATED: f64 = 0.97;
/// A closed loop's longest latency is a stall beyond so many times the p99 and
/// this long: shorter ones are the scheduler's.
const STALL_TIMES_P99: u64 = 20;
const SHORTEST_STALL_US: u64 = 100_000;
/// How far busy, think and reconnect time may miss clients x window.
const LITTLE_MISS: f64 = 0.05;

/// Appends the warnings that the summary deserves.
pub fn judge(summary: &mut Summary, facts: &Facts) {
    let mut warnings = Vec::new();
    let mut warn = |code, fatal, message: String| {
        warnings.push(Warning {
            code,
            message,
            fatal,
        });
    };
    let all = &summary.all;
    if facts.interrupted {
        warn(
            "interrupted",
            true,
            "the run was interrupted; the figures cover the time until then".to_owned(),
        );
    }
    if all.done + all.rolled_back == 0 {
        let nothing_due = summary.open.is_some_and(|open| open.offered == 0);
        let why = if nothing_due {
            "no transaction was due in the window; give a higher rate or a longer time"
        } else {
            "no transaction was committed in the window; errors.csv says what came in the way"
        };
        warn("nothing_done", true, why.to_owned());
    }
    if !summary.outage.is_zero() {
        let seconds = summary.outage.as_secs_f64();
        warn(
            "outage",
            false,
            format!(
                "clients were without a connection for {seconds:.1} s; errors.csv has each outage"
            ),
        );
    }
    if all.failed_share() > facts.error_limit {
        let (share, limit) = (100.0 * all.failed_share(), 100.0 * facts.error_limit);
        warn(
            "error_limit",
            true,
            format!(
                "{share:.2} % of the transactions failed, more than the limit of {limit} %; errors.csv says why"
            ),
        );
    }
    if all.unfinished + all.cancelled > 0 {
        let age = all.oldest_unfinished.as_secs_f64();
        let waiting = all.unfinished.saturating_sub(all.cancelled);
        let what = match (all.cancelled, waiting) {
            (cancelled, 0) => format!("{} had to be cancelled", counted(cancelled, "transaction")),
            (0, waiting) => format!(
                "{} waited for another attempt when the window ended",
                counted(waiting, "transaction")
            ),
            (cancelled, waiting) => format!(
                "{} had to be cancelled, and {} waited for another attempt when the window ended",
                counted(cancelled, "transaction"),
                grouped(waiting)
            ),
        };
        let message = format!("{what}; the oldest was {age:.1} s old");
        // Waiting for another attempt is part of a contended run, unless it
        // goes on for longer than a transaction is waited for.
        let fatal = all.cancelled > 0 || all.oldest_unfinished > facts.grace;
        warn("unfinished", fatal, message);
    }
    if facts.left_running > 0 {
        warn(
            "left_running",
            true,
            format!(
                "{} sessions could not be stopped; what they do may still change the data",
                facts.left_running
            ),
        );
    }
    judge_client(summary, &mut warn);
    if let Some(open) = &summary.open {
        judge_open_loop(summary, open, &mut warn);
    } else {
        judge_stall(summary, &mut warn);
    }
    let failed = audit(summary)
        .into_iter()
        .filter(|row| row.passes == Some(false));
    let failed: Vec<&str> = failed.map(|row| row.item).collect();
    if !failed.is_empty() {
        warn(
            "audit",
            false,
            format!(
                "the work was not what TPC-C asks for; out of bounds: {}",
                failed.join(", ")
            ),
        );
    }
    if let Some(orders) = orders(summary).filter(|orders| !orders.agree()) {
        warn(
            "miscounted",
            true,
            format!(
                "clients saw {} new orders commit, {} more are uncertain, and d_next_o_id went on by {}: did anybody else enter orders? else it is a fault of tiermark's or of the server's",
                orders.committed, orders.unsure, orders.taken
            ),
        );
    }
    if !facts.counted
        && summary.open.is_none()
        && let Some(share) = little_share(summary)
        && (share - 1.0).abs() > LITTLE_MISS
    {
        warn(
            "littles_law",
            false,
            format!(
                "clients were accounted for in {:.0} % of clients x window; latencies and TPS do not fit together",
                100.0 * share
            ),
        );
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    if !facts.deletes && all.empty as f64 > EMPTY_WARNS * all.sent as f64 {
        warn(
            "empty",
            false,
            format!(
                "{} statements found no row; is the data what the workload expects?",
                grouped(all.empty)
            ),
        );
    }
    if facts.hottest_changed > HOT_ROW && summary.info.clients > HOT_ROW_CLIENTS {
        let share = 100.0 * facts.hottest_changed;
        let clients = summary.info.clients;
        warn(
            "hot_row",
            false,
            format!(
                "{share:.0} % of the changes of {clients} clients go to one row: this may have measured locks, not storage; use more rows, tables or warehouses, or a flatter distribution"
            ),
        );
    }
    let samples = all.service.count();
    if samples > 0 && samples < ENOUGH_FOR_P99 {
        warn(
            "thin_p99",
            false,
            format!(
                "p99 rests on {} transactions; from {} on it is solid",
                grouped(samples),
                grouped(ENOUGH_FOR_P99)
            ),
        );
    }
    if samples > 0 && samples < ENOUGH_FOR_P999 {
        warn(
            "thin_p999",
            false,
            format!(
                "p99.9 rests on {} transactions; from {} on it is solid",
                grouped(samples),
                grouped(ENOUGH_FOR_P999)
            ),
        );
    }
    summary.warnings.append(&mut warnings);
}

/// Whether an open loop kept its plan, and whose fault it was if not.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn judge_open_loop(
    summary: &Summary,
    open: &OpenLoop,
    warn: &mut impl FnMut(&'static str, bool, String),
) {
    let all = &summary.all;
    let ended = all.done + all.rolled_back + all.failed + all.unfinished;
    if open.offered != ended + all.skipped_late + open.not_started {
        warn(
            "miscounted",
            true,
            format!(
                "{} transactions were due and {} are accounted for: a fault of tiermark's, please report it",
                grouped(open.offered),
                grouped(ended + all.skipped_late + open.not_started)
            ),
        );
    }
    let achieved = (all.done + all.rolled_back) as f64 / open.offered as f64;
    if open.offered > 0 && achieved < SATURATED {
        warn(
            "saturated",
            true,
            format!(
                "{:.1} % of the planned transactions were done: {}",
                100.0 * achieved,
                if all.failed > open.not_started + all.skipped_late {
                    "most of the others failed, errors.csv says why"
                } else {
                    "the server, or the number of clients, is too small for this rate"
                }
            ),
        );
    }
}

/// Whether tiermark itself was in the way: short of CPU, or late in sending.
fn judge_client(summary: &Summary, warn: &mut impl FnMut(&'static str, bool, String)) {
    let cpu = summary
        .client_cpu_pct()
        .filter(|_| summary.measured >= SHORTEST_FOR_CPU)
        .unwrap_or(0.0);
    let cores = summary.info.cores;
    let lag = &summary.all.generator_lag;
    let lag_us = lag
        .quantile_us(0.99)
        .filter(|_| lag.count() >= ENOUGH_FOR_LAG)
        .unwrap_or(0);
    let mut faults = Vec::new();
    if cpu > CPU_SPOILS {
        faults.push(format!("used {cpu:.0} % of its {cores} cores"));
    }
    if lag_us > GENERATOR_LAG_LIMIT_US {
        let ms = Duration::from_micros(lag_us).as_secs_f64() * 1e3;
        let samples = grouped(lag.count());
        faults.push(format!(
            "sent transactions {ms:.1} ms late (p99 of {samples})"
        ));
    }
    if !faults.is_empty() {
        let faults = faults.join(" and ");
        let message = format!(
            "the client {faults}: this run measured the client, not the database; give it more cores, or a host with less else to do"
        );
        warn("client_bound", true, message);
        return;
    }
    if cpu > CPU_WARNS {
        warn(
            "client_cpu",
            false,
            format!(
                "the client used {cpu:.0} % of its {cores} cores; above {CPU_SPOILS} % it is the bottleneck"
            ),
        );
    }
    if let Some(open) = &summary.open
        && open.late_seconds > 0
    {
        let seconds = counted(open.late_seconds, "second");
        warn(
            "client_lag",
            false,
            format!("in {seconds} the client itself sent transactions more than 1 ms late (p99)"),
        );
    }
}

/// In a closed loop the clients wait in a stall and send nothing: few samples
/// tell of it, however long it was.
fn judge_stall(summary: &Summary, warn: &mut impl FnMut(&'static str, bool, String)) {
    let all = &summary.all;
    let (Some(p99), Some(max)) = (all.service.quantile_us(0.99), all.service.max_us()) else {
        return;
    };
    if max >= SHORTEST_STALL_US && max > STALL_TIMES_P99 * p99 {
        let clients = counted(summary.info.clients, "client");
        let longest = human_duration(Duration::from_millis(max / 1000));
        let ms = Duration::from_micros(p99).as_secs_f64() * 1e3;
        warn(
            "stall",
            false,
            format!(
                "the longest transaction took {longest}, the p99 is {ms:.1} ms: while the server stalled, a closed loop of {clients} has at most one sample from each; --rate measures what users would have waited"
            ),
        );
    }
}

/// Little's law for a closed loop: time in transactions, in thought and without a
/// connection, over clients x window.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn little_share(summary: &Summary) -> Option<f64> {
    let available = summary.info.clients as f64 * summary.measured.as_secs_f64();
    let used = summary.all.busy + summary.recorder.waited + summary.disconnected;
    (available > 0.0).then(|| used.as_secs_f64() / available)
}
