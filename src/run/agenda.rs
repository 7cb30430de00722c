//! What a client does next, and when: the next transaction of its own in a
//! closed loop, after keying and think times where it takes any, the next arrival that it can take in an open one.
//!
//! Draws a transaction before it waits for the instant, so that no generator
//! time is in a latency.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

use crate::random::rng::Purpose;
use crate::run::arrivals::Stream;
use crate::run::client::Work;
use crate::run::ledger::Started;
use crate::run::pace::{Open, Pace};
use crate::stats::interval::Phase;
use crate::transaction::drawn::{Drawn, Place};

/// The next arrivals of the pool in warm-up and window: what all clients of a
/// run share.
#[derive(Debug, Default)]
pub struct Claims {
    warmup: AtomicU64,
    run: AtomicU64,
}

/// The pool as the clients of one worker see it. They walk through the plan
/// together: what each claims comes behind what was claimed before on its thread,
/// and is looked up at once.
#[derive(Debug)]
pub struct Pool {
    claims: Arc<Claims>,
    warmup: RefCell<Stream>,
    run: RefCell<Stream>,
}

impl Pool {
    pub fn new(open: &Open, seed: u64, claims: Arc<Claims>) -> Pool {
        let stream = |phase| RefCell::new(Stream::of_pool(open, seed, phase));
        Pool {
            claims,
            warmup: stream(Purpose::Warmup),
            run: stream(Purpose::Run),
        }
    }

    /// The next arrival, which no other client will take, and when it is due.
    fn claim(&self, phase: Purpose) -> (Place, Duration) {
        let (next, stream) = match phase {
            Purpose::Warmup => (&self.claims.warmup, &self.warmup),
            _ => (&self.claims.run, &self.run),
        };
        let number = next.fetch_add(1, Ordering::Relaxed);
        (Place::of_pool(number), stream.borrow_mut().due(number))
    }
}

/// Arrivals that are skipped before other clients of the thread have a turn.
const SKIPPED_AT_ONCE: u64 = 256;

/// One client's way through its work.
#[derive(Debug)]
pub struct Agenda {
    client: u64,
    warmup: Track,
    run: Track,
}

/// Its place in the work of one phase.
#[derive(Debug)]
struct Track {
    phase: Purpose,
    /// Transactions of its own so far.
    own: u64,
    /// How many it may run.
    limit: Option<u64>,
    /// Its own arrivals, where an open loop has no pool.
    arrivals: Option<Stream>,
}

impl Agenda {
    /// `share` is how many transactions of the window are this client's.
    pub fn new(work: &Work, client: u64, share: Option<u64>) -> Agenda {
        let own = work.pace.open().filter(|_| work.pool.is_none());
        let track = |phase, limit| Track {
            phase,
            own: 0,
            limit,
            arrivals: own
                .map(|open| Stream::of_client(open, work.seed, phase, client, work.clients)),
        };
        let limit = match work.pool {
            // Whoever is free takes the next: the limit is that of all.
            Some(_) => work.transactions,
            None => share,
        };
        Agenda {
            client,
            warmup: track(Purpose::Warmup, None),
            run: track(Purpose::Run, limit),
        }
    }

    /// Draws the next transaction into `drawn` and waits until it is to
    /// start. None when the window is over, or the client's work is done. The
    /// client has been free since `free`.
    pub async fn next(&mut self, work: &Work, drawn: &mut Drawn, free: Instant) -> Option<Started> {
        match &work.pace {
            Pace::Closed { wait } => self.next_own(work, *wait, drawn, free).await,
            Pace::Open(open) => self.next_arrival(work, open, drawn, free).await,
        }
    }

    /// Thinks about the last transaction, draws the next, and keys it in. One that
    /// is drawn in the warm-up is the warm-up's, however long the keying takes.
    async fn next_own(
        &mut self,
        work: &Work,
        wait: f64,
        drawn: &mut Drawn,
        free: Instant,
    ) -> Option<Started> {
        let ledger = &work.ledger;
        // After the last of all, nobody is waited for.
        let is_last = self.run.is_done(self.run.own) && ledger.phase(free) != Phase::Warmup;
        if is_last {
            return None;
        }
        let now = pause(work, free, drawn.think.mul_f64(wait)).await;
        let track = match ledger.phase(now) {
            Phase::Warmup => &mut self.warmup,
            Phase::Measure => &mut self.run,
            Phase::Drain => return None,
        };
        let place = Place::of_client(self.client, track.own);
        if track.is_done(place.k) {
            return None;
        }
        track.own += 1;
        let transaction = drawn.draw(&work.plan, track.phase, place);
        let keying = work.plan.transactions[transaction].keying.mul_f64(wait);
        let sent = pause(work, Instant::now(), keying).await;
        if !keying.is_zero() && ledger.phase(sent) == Phase::Drain {
            return None;
        }
        Some(Started {
            transaction,
            due: sent,
            sent,
        })
    }

    async fn next_arrival(
        &mut self,
        work: &Work,
        open: &Open,
        drawn: &mut Drawn,
        free: Instant,
    ) -> Option<Started> {
        let ledger = &work.ledger;
        let mut skipped = 0;
        let mut now = free;
        loop {
            let (track, start) = match ledger.phase(now) {
                Phase::Warmup => (&mut self.warmup, ledger.origin()),
                Phase::Measure => (&mut self.run, ledger.window_start()),
                Phase::Drain => return None,
            };
            let (place, due) = track.claim(self.client, work.pool.as_ref())?;
            let due = start + due;
            let phase_end = match track.phase {
                Purpose::Warmup => Some(ledger.window_start()),
                _ if track.is_done(place.k) => return None,
                _ => ledger.window_end(),
            };
            if let Some(end) = phase_end
                && due >= end
            {
                // No arrival of this phase is left for this client.
                work.alarm.until(end).await;
                now = Instant::now().max(end);
                continue;
            }
            let phase = track.phase;
            let transaction = drawn.draw(&work.plan, phase, place);
            if due > Instant::now() {
                work.alarm.until(due).await;
            }
            now = Instant::now();
            let in_time = match ledger.phase(now) {
                Phase::Warmup => true,
                // What the warm-up left undone is dropped with it.
                Phase::Measure => phase == Purpose::Run,
                Phase::Drain => return None,
            };
            if !in_time {
                continue;
            }
            let late = now.saturating_duration_since(due);
            if open.late_limit.is_some_and(|limit| late > limit) {
                ledger.skipped_late(transaction, now);
                skipped += 1;
                if skipped % SKIPPED_AT_ONCE == 0 {
                    yield_now().await;
                }
                continue;
            }
            let started = Started {
                transaction,
                due,
                sent: now,
            };
            ledger.started(&started, now - due.max(free).min(now));
            return Some(started);
        }
    }
}

/// Waits for so long, but not beyond the window, and tells when it was over.
async fn pause(work: &Work, from: Instant, length: Duration) -> Instant {
    if length.is_zero() {
        return from;
    }
    let ledger = &work.ledger;
    let until = from + length;
    let end = ledger.window_end().unwrap_or(until);
    work.alarm.until(until.min(end)).await;
    let now = Instant::now();
    ledger.waited(from, now);
    now
}

impl Track {
    fn is_done(&self, k: u64) -> bool {
        self.limit.is_some_and(|limit| k >= limit)
    }

    /// The next arrival that is this client's to take, and when it is due.
    fn claim(&mut self, client: u64, pool: Option<&Pool>) -> Option<(Place, Duration)> {
        if let Some(pool) = pool {
            return Some(pool.claim(self.phase));
        }
        let k = self.own;
        self.own += 1;
        let due = self.arrivals.as_mut()?.due(k);
        Some((Place::of_client(client, k), due))
    }
}
