//! A worker: one thread's share of the clients, its ledger and its tick. An
//! `async fn`; in production each runs on its own thread, in tests all run in
//! one runtime with a paused clock, and that is the only difference.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, FuturesUnordered};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Instant, sleep_until, timeout};

use crate::db::nodelay;
use crate::db::session::{Cancel, Class, DbError, Session, Target};
use crate::run::agenda::{Claims, Pool};
use crate::run::alarm::Alarm;
use crate::run::client::{CONNECT_TIMEOUT, Slot, Work, client};
use crate::run::ledger::{Ledger, Measures};
use crate::run::message::{Command, Message, SessionOf};
use crate::run::pace::Pace;
use crate::run::timed::CONTROL_STATEMENTS;
use crate::run::timeline::{Stop, Timeline};
use crate::value::Schedule;
use crate::workload::plan::Plan;

/// Connections that one worker opens at a time: servers answer bursts badly.
const CONNECTING_AT_ONCE: usize = 16;
/// For each step of stopping what does not end by itself.
const PATIENCE: Duration = Duration::from_secs(1);
/// But no less than this for each session that has to be stopped: a round trip.
const PATIENCE_EACH: Duration = Duration::from_millis(1);

/// How long a step of stopping `sessions` may take.
pub fn patience(sessions: usize) -> Duration {
    PATIENCE.max(PATIENCE_EACH * u32::try_from(sessions).unwrap_or(u32::MAX))
}

/// What a worker is told at its start. Crosses to its thread.
#[derive(Clone, Debug)]
pub struct Job {
    pub worker: usize,
    pub workers: usize,
    pub clients: u64,
    pub plan: Arc<Plan>,
    /// Clients are dealt to them round robin.
    pub targets: Arc<[Target]>,
    pub seed: u64,
    pub warmup: Duration,
    pub stop: Stop,
    pub grace: Duration,
    pub pace: Pace,
    pub sla: Option<Duration>,
    pub claims: Arc<Claims>,
    pub clock: Clock,
}

/// What the worker's clients wait by for planned instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A timerfd.
    System,
    /// Tokio's timer, which may be paused.
    Tokio,
}

impl Job {
    /// The server of a client, as its place among the targets.
    fn server_of(&self, client: u64) -> usize {
        // Below the number of targets, which is a usize.
        usize::try_from(client % self.targets.len() as u64).unwrap_or(0)
    }

    fn alarm(&self) -> Result<Alarm, DbError> {
        match self.clock {
            Clock::Tokio => Ok(Alarm::with_tokio()),
            Clock::System => Alarm::with_timerfd().map_err(|error| {
                let message = format!("cannot make a timer for the clients: {error}");
                DbError::new(Class::Other, "timer", message)
            }),
        }
    }

    fn pool(&self) -> Option<Pool> {
        let open = self.pace.open()?;
        (open.schedule == Schedule::Pool).then(|| Pool::new(open, self.seed, self.claims.clone()))
    }

    /// Client numbers of this worker: every `workers`-th.
    fn clients(&self) -> impl Iterator<Item = u64> {
        (self.worker as u64..self.clients).step_by(self.workers)
    }
}

/// Connects, waits for the word to go, runs, and reports when all is over.
pub async fn worker<S: Session + 'static>(
    job: Job,
    mut commands: watch::Receiver<Command>,
    out: UnboundedSender<Message>,
) {
    let not_run = || {
        let _ = out.send(Message::Finished {
            worker: job.worker,
            left: Vec::new(),
        });
    };
    let alarm = match job.alarm() {
        Ok(alarm) => alarm,
        Err(error) => {
            let _ = out.send(Message::Refused(error));
            return not_run();
        }
    };
    let Some(sessions) = connect::<S>(&job, &out, &mut commands).await else {
        return not_run();
    };
    let go = commands
        .wait_for(|command| *command != Command::Wait)
        .await
        .map(|command| *command);
    if !matches!(go, Ok(Command::Go)) {
        return not_run();
    }
    let plan = job.plan.clone();
    let timeline = Timeline::new(job.warmup, job.stop);
    let rows = plan.blocks.len() + CONTROL_STATEMENTS.len();
    let measures = Measures {
        open: job.pace.open().is_some(),
        sla: job.sla,
    };
    let ledger = Ledger::new(
        job.worker,
        measures,
        timeline,
        plan.transactions.len(),
        rows,
        sessions.len() as u64,
        out.clone(),
    );
    let ledger = Rc::new(ledger);
    let work = Rc::new(Work {
        plan,
        targets: job.targets.clone(),
        ledger: ledger.clone(),
        seed: job.seed,
        pace: job.pace,
        clients: job.clients,
        transactions: job.stop.transactions(),
        pool: job.pool(),
        alarm,
        has_new_sockets: Cell::new(false),
    });
    let slots: Rc<[Slot]> = job
        .clients()
        .map(|number| Slot::new(job.server_of(number)))
        .collect();
    let mut running: FuturesUnordered<JoinHandle<()>> = job
        .clients()
        .zip(sessions)
        .enumerate()
        .map(|(index, (number, session))| {
            let (work, slots) = (work.clone(), slots.clone());
            let share = job.stop.share(number, job.clients);
            spawn_local(async move { client(&work, &slots[index], number, share, session).await })
        })
        .collect();

    let ticking = work.clone();
    let alarm = spawn_local(async move { ticking.alarm.tick().await });
    let ended = run_window(&work, job.grace, &mut running, &mut commands).await;
    alarm.abort();
    let left = if ended {
        Vec::new()
    } else {
        stop_rest(&ledger, &slots, &mut running, &out).await
    };
    ledger.finish(Instant::now());
    let _ = out.send(Message::Finished {
        worker: job.worker,
        left,
    });
}

/// Opens all sessions of this worker. `None` when one could not be opened, or
/// another worker's could not.
async fn connect<S: Session>(
    job: &Job,
    out: &UnboundedSender<Message>,
    commands: &mut watch::Receiver<Command>,
) -> Option<Vec<S>> {
    let open = |number| async move {
        let target = &job.targets[job.server_of(number)];
        let opened = timeout(CONNECT_TIMEOUT, S::open(target, &job.plan.statements)).await;
        let seconds = CONNECT_TIMEOUT.as_secs();
        opened.unwrap_or_else(|_| {
            let message = format!("{target} gave no session within {seconds} s");
            Err(DbError::new(Class::Disconnected, "timeout", message))
        })
    };
    let mut opening = stream::iter(job.clients())
        .map(open)
        .buffered(CONNECTING_AT_ONCE);
    let mut sessions = Vec::new();
    loop {
        tokio::select! {
            next = opening.next() => match next {
                Some(Ok(session)) => {
                    let _ = out.send(Message::Connected);
                    sessions.push(session);
                }
                Some(Err(error)) => {
                    let _ = out.send(Message::Refused(error));
                    return None;
                }
                None => return Some(sessions),
            },
            _ = commands.wait_for(|command| matches!(command, Command::Abort | Command::Stop)) => return None,
        }
    }
}

/// Turns the ledger's pages until all clients have ended. False when some were
/// still running at the end of the window plus grace.
async fn run_window(
    work: &Work,
    grace: Duration,
    running: &mut FuturesUnordered<JoinHandle<()>>,
    commands: &mut watch::Receiver<Command>,
) -> bool {
    let ledger = &work.ledger;
    let mut stopped = false;
    loop {
        let grace_over = ledger.window_end().map(|end| end + grace);
        let wake = grace_over.map_or(ledger.next_turn(), |end| end.min(ledger.next_turn()));
        tokio::select! {
            ended = running.next() => match ended {
                Some(ended) => propagate_panic(ended),
                None => {
                    ledger.end_window(Instant::now());
                    return true;
                }
            },
            () = sleep_until(wake) => {
                let now = Instant::now();
                ledger.turn(now);
                if work.has_new_sockets.take() {
                    // As at the start of the run; refused there, refused here.
                    let _ = nodelay::switch_on();
                }
                if grace_over.is_some_and(|end| now >= end) {
                    return false;
                }
            }
            stop = commands.wait_for(|command| *command == Command::Stop), if !stopped => {
                // An error means that the collector is gone: the same.
                let _ = stop;
                stopped = true;
                ledger.end_window(Instant::now());
                work.alarm.ring();
            }
        }
    }
}

/// Cancels on the server what is still running, while it is still polled; then
/// ends its connection; then drops it. Returns the sessions that were dropped.
async fn stop_rest(
    ledger: &Ledger,
    slots: &[Slot],
    running: &mut FuturesUnordered<JoinHandle<()>>,
    out: &UnboundedSender<Message>,
) -> Vec<SessionOf> {
    ledger.closed.set(true);
    for how in [Cancel::Statement, Cancel::Connection] {
        if running.is_empty() {
            return Vec::new();
        }
        let sessions = busy_sessions(slots);
        let deadline = Instant::now() + patience(sessions.len());
        let _ = out.send(Message::Stuck { sessions, how });
        while !running.is_empty() && Instant::now() < deadline {
            tokio::select! {
                ended = running.next() => if let Some(ended) = ended { propagate_panic(ended) },
                () = sleep_until(deadline.min(ledger.next_turn())) => ledger.turn(Instant::now()),
            }
        }
    }
    let now = Instant::now();
    for slot in slots {
        if let Some(started) = slot.in_flight.take() {
            ledger.unfinished(&started, now);
        }
    }
    for client in running.iter() {
        client.abort();
    }
    // Until they have let go of their connections.
    while running.next().await.is_some() {}
    busy_sessions(slots)
}

fn busy_sessions(slots: &[Slot]) -> Vec<SessionOf> {
    let session = |slot: &Slot| SessionOf {
        server: slot.server,
        id: slot.session.get(),
    };
    slots
        .iter()
        .map(session)
        .filter(|session| session.id != 0)
        .collect()
}

/// A bug in a client must not look like a client that has ended.
fn propagate_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        std::panic::resume_unwind(error.into_panic());
    }
}
