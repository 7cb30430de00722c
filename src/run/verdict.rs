//! Whether a run's figures may be trusted: the warnings, and which of them make
//! the exit status 1.

use std::time::Duration;

use crate::stats::summary::{Summary, Warning};
use crate::units::{counted, grouped};

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
/// How far busy and reconnect time may miss clients x window.
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
        warn(
            "nothing_done",
            true,
            "no transaction was committed in the window; errors.csv says what came in the way"
                .to_owned(),
        );
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
    if all.unfinished > 0 {
        let age = all.oldest_unfinished.as_secs_f64();
        let what = match (all.cancelled, all.unfinished - all.cancelled) {
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
    if let Some(share) = summary.client_cpu_pct()
        && summary.measured >= SHORTEST_FOR_CPU
        && share > CPU_WARNS
    {
        let cores = summary.info.cores;
        if share > CPU_SPOILS {
            warn(
                "client_bound",
                true,
                format!(
                    "the client used {share:.0} % of its {cores} cores: this run measured the client, not the database"
                ),
            );
        } else {
            warn(
                "client_cpu",
                false,
                format!(
                    "the client used {share:.0} % of its {cores} cores; above {CPU_SPOILS} % it is the bottleneck"
                ),
            );
        }
    }
    if !facts.counted
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
                "{share:.0} % of the changes of {clients} clients go to one row: this may have measured locks, not storage; use more rows or tables, or a flatter distribution"
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

/// Little's law for a closed loop: time in transactions and without a
/// connection, over clients x window.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn little_share(summary: &Summary) -> Option<f64> {
    let available = summary.info.clients as f64 * summary.measured.as_secs_f64();
    let used = summary.all.busy.as_secs_f64() + summary.disconnected.as_secs_f64();
    (available > 0.0).then(|| used / available)
}
