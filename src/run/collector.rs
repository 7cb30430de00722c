//! Brings the ticks of all workers together: into intervals, in order, and
//! into the total of the measured window.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::run::backlog::Backlog;
use crate::run::execute::RunConfig;
use crate::run::message::Tick;
use crate::run::tallied::audited;
use crate::run::timed::CONTROL_STATEMENTS;
use crate::run::timeline::Place;
use crate::stats::interval::{Interval, Phase};
use crate::stats::latency::Latency;
use crate::stats::recorder::{ErrorStats, Fate, Recorder};
use crate::stats::series::steadiness;
use crate::stats::summary::{ENOUGH_FOR_LAG, GENERATOR_LAG_LIMIT_US, OpenLoop, RunInfo, Summary};
use crate::value::Kind;
use crate::workload::plan::Plan;

#[derive(Debug)]
pub struct Collector {
    info: RunInfo,
    workers: Vec<WorkerState>,
    open: BTreeMap<Place, Part>,
    empty: Recorder,
    total: Recorder,
    measured: Duration,
    client_cpu: Duration,
    /// Transactions of each whole second of the window.
    series: Vec<f64>,
    /// Of an open loop.
    backlog: Option<Backlog>,
    /// Seconds of the window in which the generator was late.
    late_seconds: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct WorkerState {
    /// The last interval that it has reported.
    reported: Option<Place>,
    finished: bool,
}

/// An interval that not all workers have reported yet.
#[derive(Debug)]
struct Part {
    from: Duration,
    to: Duration,
    recorder: Recorder,
    connected: u64,
    cpu: Duration,
}

impl Collector {
    pub fn new(mut info: RunInfo, plan: &Plan, config: &RunConfig) -> Collector {
        info.transactions = plan
            .transactions
            .iter()
            .map(|transaction| transaction.name.clone())
            .collect();
        let blocks = plan
            .blocks
            .iter()
            .map(|block| (block.name.clone(), block.kind));
        let control = CONTROL_STATEMENTS.map(|name| (name.to_owned(), Kind::Other));
        info.statements = blocks.chain(control).collect();
        info.audited = audited(plan);
        let empty = Recorder::new(info.transactions.len(), info.statements.len());
        Collector {
            info,
            workers: vec![WorkerState::default(); config.workers],
            open: BTreeMap::new(),
            total: empty.clone(),
            empty,
            measured: Duration::ZERO,
            client_cpu: Duration::ZERO,
            series: Vec::new(),
            backlog: config.pace.open().map(|open| Backlog::new(open, config)),
            late_seconds: 0,
        }
    }

    /// The workers have been told to go, at this time of the wall clock.
    pub fn start(&mut self, started_us: i64) {
        self.info.started_us = started_us;
    }

    pub fn tls(&self) -> bool {
        self.info.tls
    }

    pub fn tick(&mut self, tick: &Tick) {
        self.workers[tick.worker].reported = Some(tick.place);
        let part = self.open.entry(tick.place).or_insert_with(|| Part {
            from: tick.from,
            to: tick.to,
            recorder: self.empty.clone(),
            connected: 0,
            cpu: Duration::ZERO,
        });
        // Workers that end on their own rule end at slightly different instants.
        part.from = part.from.min(tick.from);
        part.to = part.to.max(tick.to);
        part.recorder.merge(&tick.recorder);
        part.connected += tick.connected;
        part.cpu += tick.cpu;
    }

    pub fn finished(&mut self, worker: usize) {
        self.workers[worker].finished = true;
    }

    /// The oldest interval that every worker has reported or gone past.
    pub fn next_interval(&mut self) -> Option<Interval> {
        let (&place, _) = self.open.first_key_value()?;
        let waiting = |worker: &WorkerState| {
            !worker.finished && worker.reported.is_none_or(|reported| reported < place)
        };
        if self.workers.iter().any(waiting) {
            return None;
        }
        let (place, part) = self.open.pop_first()?;
        Some(self.close(place, part))
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    fn close(&mut self, place: Place, part: Part) -> Interval {
        let length = part.to.saturating_sub(part.from);
        let owed = self
            .backlog
            .as_mut()
            .map(|backlog| backlog.close(place.phase, part.to, &part.recorder));
        match place.phase {
            Phase::Warmup => self.keep_ever(&part.recorder),
            Phase::Measure => {
                self.total.merge(&part.recorder);
                self.measured += length;
                self.client_cpu += part.cpu;
                self.late_seconds += u64::from(is_late(&part.recorder));
                if length == Duration::from_secs(1) {
                    let done: u64 = part
                        .recorder
                        .transactions
                        .iter()
                        .map(|stats| stats.done)
                        .sum();
                    self.series.push(done as f64);
                }
            }
            Phase::Drain => self.total.merge(&part.recorder),
        }
        let from_us = i64::try_from(part.from.as_micros()).unwrap_or(i64::MAX);
        Interval {
            phase: place.phase,
            time_us: self.info.started_us.saturating_add(from_us),
            second: part.from.as_secs_f64() - self.info.warmup.as_secs_f64(),
            length,
            recorder: part.recorder,
            clients: part.connected,
            offered: owed.map(|owed| owed.offered),
            backlog: owed.map(|owed| owed.backlog),
            cpu: part.cpu,
            cores: self.info.cores,
        }
    }

    /// Of the warm-up, what counts in any phase.
    fn keep_ever(&mut self, warmup: &Recorder) {
        let of = self.total.transactions.iter_mut().zip(&warmup.transactions);
        for (total, warmup) in of {
            total.ever_committed += warmup.ever_committed;
            total.ever_unsure += warmup.ever_unsure;
        }
    }

    pub fn summary(mut self) -> Summary {
        let (outages, mut errors): (Vec<_>, Vec<_>) = std::mem::take(&mut self.total.errors)
            .into_iter()
            .partition(|error| error.fate == Fate::Outage);
        let disconnected = outages.iter().filter_map(|error| error.lost).sum();
        let outages = merge_outages(outages);
        let outage = outages.iter().filter_map(|error| error.lost).sum();
        errors.extend(outages);
        for error in &mut errors {
            // The row says which statement it was.
            let (statement, _) = &self.info.statements[error.statement];
            let prefix = format!("statement `{statement}`: ");
            if let Some(message) = error.message.strip_prefix(&prefix) {
                error.message = message.to_owned();
            }
        }
        self.total.errors = errors;
        let all = self.total.all();
        Summary {
            info: self.info,
            measured: self.measured,
            all,
            recorder: self.total,
            steadiness: steadiness(&self.series),
            open: self.backlog.map(|backlog| OpenLoop {
                offered: backlog.offered(),
                not_started: backlog.not_started(),
                dropped: backlog.dropped(),
                late_seconds: self.late_seconds,
            }),
            client_cpu: self.client_cpu,
            outage,
            disconnected,
            orders_taken: None,
            warnings: Vec::new(),
        }
    }
}

/// Whether the generator itself was late in an interval.
fn is_late(recorder: &Recorder) -> bool {
    let mut lag = Latency::default();
    for stats in &recorder.transactions {
        lag.merge(&stats.generator_lag);
    }
    lag.count() >= ENOUGH_FOR_LAG && lag.quantile_us(0.99) > Some(GENERATOR_LAG_LIMIT_US)
}

/// Clients that are without a connection at the same time are in one outage:
/// its length is that of their union, its count the clients.
fn merge_outages(mut single: Vec<ErrorStats>) -> Vec<ErrorStats> {
    single.sort_by_key(|outage| outage.first);
    let mut merged: Vec<ErrorStats> = Vec::new();
    for outage in single {
        match merged.last_mut() {
            Some(last) if outage.first <= last.last => {
                let from = last.last.saturating_sub(last.lost.unwrap_or_default());
                let from = from.min(outage.last.saturating_sub(outage.lost.unwrap_or_default()));
                last.last = last.last.max(outage.last);
                last.lost = Some(last.last.saturating_sub(from));
                last.count += 1;
            }
            _ => merged.push(outage),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outage(first: u64, last: u64) -> ErrorStats {
        ErrorStats {
            transaction: 0,
            statement: 0,
            code: "57P01".to_owned(),
            fate: Fate::Outage,
            count: 1,
            first: Duration::from_secs(first),
            last: Duration::from_secs(last),
            lost: Some(Duration::from_secs(last - first)),
            message: String::new(),
        }
    }

    #[test]
    fn clients_without_a_connection_at_the_same_time_share_an_outage() {
        let merged = merge_outages(vec![outage(7, 8), outage(1, 3), outage(2, 5), outage(5, 6)]);
        let found: Vec<_> = merged
            .iter()
            .map(|outage| {
                (
                    outage.first.as_secs(),
                    outage.lost.unwrap().as_secs(),
                    outage.count,
                )
            })
            .collect();
        assert_eq!(found, [(1, 5, 3), (7, 1, 1)]);
    }
}
