//! What one worker writes down: the recorder of the running interval, cut at
//! exact instants and sent off when the interval ends.
//!
//! One thread owns a ledger. Its clients record into it and its ticker turns
//! the page, also while every client hangs; whichever comes first after an
//! interval's end sends it.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use crate::db::session::DbError;
use crate::run::message::{Message, Tick};
use crate::run::timeline::{Place, Timeline};
use crate::stats::interval::Phase;
use crate::stats::recorder::{ErrorStats, Fate, Recorder};
use crate::stats::tally::Tally;
use crate::value::Kind;

/// A statement's place in the recorder: its transaction type and row.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub transaction: usize,
    pub statement: usize,
}

/// A transaction under way.
#[derive(Clone, Copy, Debug)]
pub struct Started {
    /// Its type.
    pub transaction: usize,
    /// When it was planned to start; in a closed loop, when it did.
    pub due: Instant,
    pub sent: Instant,
}

/// What is counted of transactions beside the outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measures {
    /// Transactions are due at planned instants: they belong to the phase in
    /// which they are due, and in a closed loop to that in which they end.
    pub open: bool,
    /// How long a good one may take.
    pub sla: Option<Duration>,
}

#[derive(Debug)]
pub struct Ledger {
    worker: usize,
    measures: Measures,
    origin: Instant,
    timeline: Cell<Timeline>,
    page: RefCell<Page>,
    /// The page's end and the window's ends as instants: they are asked for twice
    /// a statement, and instants compare faster than durations are reckoned.
    turns_at: Cell<Instant>,
    window_start: Instant,
    window_end: Cell<Option<Instant>>,
    /// Clients with a connection.
    connected: Cell<u64>,
    /// Set when the grace is over: nothing more may be sent.
    pub closed: Cell<bool>,
    out: UnboundedSender<Message>,
    transactions: usize,
    statements_each: usize,
}

#[derive(Debug)]
struct Page {
    recorder: Recorder,
    from: Duration,
    to: Duration,
    place: Place,
    /// CPU time of this thread when the page was begun.
    cpu: Duration,
    /// The fewest clients that had a connection since then.
    fewest: u64,
}

impl Ledger {
    pub fn new(
        worker: usize,
        measures: Measures,
        timeline: Timeline,
        transactions: usize,
        statements_each: usize,
        connected: u64,
        out: UnboundedSender<Message>,
    ) -> Ledger {
        let origin = Instant::now();
        Ledger {
            worker,
            measures,
            origin,
            timeline: Cell::new(timeline),
            turns_at: Cell::new(origin + timeline.end_of(Duration::ZERO)),
            window_start: origin + timeline.warmup,
            window_end: Cell::new(timeline.window_end.map(|end| origin + end)),
            page: RefCell::new(Page {
                recorder: Recorder::new(transactions, statements_each),
                from: Duration::ZERO,
                to: timeline.end_of(Duration::ZERO),
                place: timeline.place(Duration::ZERO),
                cpu: thread_cpu(),
                fewest: connected,
            }),
            connected: Cell::new(connected),
            closed: Cell::new(false),
            out,
            transactions,
            statements_each,
        }
    }

    pub fn since_origin(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.origin)
    }

    pub fn phase(&self, at: Instant) -> Phase {
        if self.window_end.get().is_some_and(|end| at >= end) {
            Phase::Drain
        } else if at < self.window_start {
            Phase::Warmup
        } else {
            Phase::Measure
        }
    }

    /// When the warm-up starts.
    pub fn origin(&self) -> Instant {
        self.origin
    }

    pub fn window_start(&self) -> Instant {
        self.window_start
    }

    pub fn window_end(&self) -> Option<Instant> {
        self.window_end.get()
    }

    /// When the running interval ends.
    pub fn next_turn(&self) -> Instant {
        self.turns_at.get()
    }

    /// Ends the window here: the last transaction is done, or someone said stop.
    pub fn end_window(&self, at: Instant) {
        self.turn(at);
        let mut timeline = self.timeline.get();
        let at = self.since_origin(at);
        if timeline.window_end.is_none_or(|end| at < end) {
            timeline.window_end = Some(at);
            self.timeline.set(timeline);
            self.window_end.set(Some(self.origin + at));
            let mut page = self.page.borrow_mut();
            page.to = page.to.min(at);
            self.turns_at.set(self.origin + page.to);
        }
        self.turn(self.origin + at);
    }

    /// Sends off every interval that has ended by `at`.
    pub fn turn(&self, at: Instant) {
        if at >= self.turns_at.get() {
            self.turn_pages(self.since_origin(at));
        }
    }

    #[cold]
    fn turn_pages(&self, at: Duration) {
        let timeline = self.timeline.get();
        let cpu = thread_cpu();
        let mut page = self.page.borrow_mut();
        while at >= page.to {
            let to = page.to;
            self.send(&mut page, to, cpu);
            page.from = to;
            page.to = timeline.end_of(to);
            page.place = timeline.place(to);
            page.cpu = cpu;
            page.fewest = self.connected.get();
        }
        self.turns_at.set(self.origin + page.to);
    }

    fn send(&self, page: &mut Page, to: Duration, cpu: Duration) {
        let fresh = Recorder::new(self.transactions, self.statements_each);
        let tick = Tick {
            worker: self.worker,
            place: page.place,
            from: page.from,
            to,
            recorder: std::mem::replace(&mut page.recorder, fresh),
            connected: page.fewest,
            cpu: cpu.saturating_sub(page.cpu),
        };
        // The collector outlives its workers; if it is gone, so is the run.
        let _ = self.out.send(Message::Tick(Box::new(tick)));
    }

    /// Sends what is left of the running interval and ends the book.
    pub fn finish(&self, at: Instant) {
        self.turn(at);
        let at = self.since_origin(at);
        let mut page = self.page.borrow_mut();
        // The moment between the last transaction and this is no interval.
        let is_window = page.place.phase != Phase::Drain;
        if (is_window && at > page.from)
            || !page.recorder.waited.is_zero()
            || !page.recorder.errors.is_empty()
            || page
                .recorder
                .transactions
                .iter()
                .any(|stats| stats.is_active())
        {
            let to = at.max(page.from);
            self.send(&mut page, to, thread_cpu());
        }
    }

    /// A client has lost its connection.
    pub fn disconnected(&self, at: Instant) {
        self.turn(at);
        self.connected.set(self.connected.get().saturating_sub(1));
        let mut page = self.page.borrow_mut();
        page.fewest = page.fewest.min(self.connected.get());
    }

    /// A client has a connection again.
    pub fn connected(&self) {
        self.connected.set(self.connected.get() + 1);
    }

    fn with<T>(&self, at: Instant, write: impl FnOnce(&mut Recorder, Phase) -> T) -> T {
        self.turn(at);
        let page = &mut *self.page.borrow_mut();
        write(&mut page.recorder, page.place.phase)
    }

    /// A statement goes out. Those that go out after the window are not its work.
    pub fn sent(&self, line: Line, at: Instant) {
        self.with(at, |recorder, phase| {
            if phase != Phase::Drain {
                recorder.transactions[line.transaction].sent += 1;
                recorder.statement(line.transaction, line.statement).count += 1;
            }
        });
    }

    /// A statement that went out at `start` has come back with `rows`.
    pub fn answered(&self, line: Line, kind: Kind, start: Instant, end: Instant, rows: u64) {
        let started_in = self.phase(start);
        self.with(end, |recorder, phase| {
            if started_in == Phase::Drain || (started_in == Phase::Warmup && phase != Phase::Warmup)
            {
                return;
            }
            if rows == 0 && kind != Kind::Other {
                recorder.transactions[line.transaction].empty += 1;
            }
            let statement = recorder.statement(line.transaction, line.statement);
            statement.rows += rows;
            statement.latency.record(end - start);
        });
    }

    /// A statement has come back with an error, and what that meant for its
    /// transaction.
    pub fn error(&self, started: &Started, line: Line, error: &DbError, fate: Fate, at: Instant) {
        let since = self.since_origin(at);
        self.with(at, |recorder, phase| {
            if self.is_of_another_phase(started, phase) {
                return;
            }
            recorder.statement(line.transaction, line.statement).errors += 1;
            recorder.error(ErrorStats {
                transaction: line.transaction,
                statement: line.statement,
                code: error.code.clone(),
                fate,
                count: 1,
                first: since,
                last: since,
                lost: None,
                message: error.message.clone(),
            });
        });
    }

    /// A client was without a connection from `from` to `to`.
    pub fn outage(&self, line: Line, error: &DbError, from: Instant, to: Instant) {
        let first = self.since_origin(from);
        let last = self.since_origin(to);
        self.with(to, |recorder, _| {
            recorder.error(ErrorStats {
                transaction: line.transaction,
                statement: line.statement,
                code: error.code.clone(),
                fate: Fate::Outage,
                count: 1,
                first,
                last,
                // What lies in the warm-up is not the window's.
                lost: Some(last.saturating_sub(first.max(self.timeline.get().warmup))),
                message: error.message.clone(),
            });
        });
    }

    pub fn retried(&self, started: &Started, at: Instant) {
        self.with(at, |recorder, phase| {
            if !self.is_of_another_phase(started, phase) {
                recorder.transactions[started.transaction].retries += 1;
            }
        });
    }

    /// In an open loop: a transaction goes out, `generator_lag` later than it
    /// could have.
    pub fn started(&self, started: &Started, generator_lag: Duration) {
        self.with(started.sent, |recorder, _| {
            let stats = &mut recorder.transactions[started.transaction];
            stats.started += 1;
            stats.lag.record(started.sent - started.due);
            stats.generator_lag.record(generator_lag);
        });
    }

    /// In an open loop: a transaction was later than the limit.
    pub fn skipped_late(&self, transaction: usize, at: Instant) {
        self.with(at, |recorder, _| {
            recorder.transactions[transaction].skipped_late += 1;
        });
    }

    /// A transaction that its own inputs rolled back.
    pub fn rolled_back(&self, started: &Started, end: Instant, tally: Option<&Tally>) {
        let busy = self.in_window(started.sent, end);
        let open = self.measures.open;
        self.with(end, |recorder, phase| {
            let stats = &mut recorder.transactions[started.transaction];
            stats.busy += busy;
            if self.is_of_another_phase(started, phase) {
                return;
            }
            stats.drained += u64::from(phase == Phase::Drain);
            if phase != Phase::Drain || open {
                stats.rolled_back += 1;
                tally.inspect(|tally| recorder.tallies.add(tally));
            }
        });
    }

    pub fn committed(&self, started: &Started, end: Instant, tally: Option<&Tally>) {
        let busy = self.in_window(started.sent, end);
        let Measures { open, sla } = self.measures;
        self.with(end, |recorder, phase| {
            let stats = &mut recorder.transactions[started.transaction];
            stats.busy += busy;
            stats.ever_committed += 1;
            if self.is_of_another_phase(started, phase) {
                return;
            }
            stats.service.record(end - started.sent);
            if open {
                stats.response.record(end - started.due);
            }
            stats.within_sla += u64::from(sla.is_some_and(|sla| end - started.due <= sla));
            stats.drained += u64::from(phase == Phase::Drain);
            if phase != Phase::Drain || open {
                stats.done += 1;
                tally.inspect(|tally| recorder.tallies.add(tally));
            }
        });
    }

    pub fn failed(&self, started: &Started, end: Instant, fate: Fate) {
        let busy = self.in_window(started.sent, end);
        self.with(end, |recorder, phase| {
            let stats = &mut recorder.transactions[started.transaction];
            stats.busy += busy;
            stats.ever_unsure += u64::from(fate == Fate::InDoubt);
            if self.is_of_another_phase(started, phase) {
                return;
            }
            stats.failures.record(end - started.sent);
            stats.failed += 1;
            stats.in_doubt += u64::from(fate == Fate::InDoubt);
            stats.disconnects += u64::from(matches!(fate, Fate::InDoubt | Fate::Disconnected));
        });
    }

    /// A transaction that the end of the run found under way: one that had to
    /// be cancelled, or one between two attempts.
    pub fn unfinished(&self, started: &Started, end: Instant) {
        let cancelled = self.closed.get();
        let busy = self.in_window(started.sent, end);
        self.with(end, |recorder, phase| {
            let stats = &mut recorder.transactions[started.transaction];
            stats.busy += busy;
            stats.cancelled += u64::from(cancelled);
            stats.ever_unsure += 1;
            stats.oldest_unfinished = stats.oldest_unfinished.max(end - started.sent);
            if self.is_of_another_phase(started, phase) {
                return;
            }
            stats.unfinished += 1;
            stats.oldest_response = stats.oldest_response.max(end - started.due);
        });
    }

    /// In an open loop: due in the warm-up, and ended after it.
    fn is_of_another_phase(&self, started: &Started, ended_in: Phase) -> bool {
        self.measures.open && started.due < self.window_start && ended_in != Phase::Warmup
    }

    /// A client thought, or keyed in what it was to send.
    pub fn waited(&self, from: Instant, to: Instant) {
        let waited = self.in_window(from, to);
        self.with(to, |recorder, _| recorder.waited += waited);
    }

    /// The part of a time that lies in the window.
    fn in_window(&self, start: Instant, end: Instant) -> Duration {
        let timeline = self.timeline.get();
        let from = self.since_origin(start).max(timeline.warmup);
        let to = self.since_origin(end);
        let to = timeline
            .window_end
            .map_or(to, |window_end| to.min(window_end));
        to.saturating_sub(from)
    }
}

/// CPU time of this thread: of our own work, not of an embedded engine's threads.
fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
