//! One client: draws transactions, runs them one after another, and decides
//! what an error means for the transaction and for the connection.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::db::session::{Class, DbError, Session, Target};
use crate::run::agenda::{Agenda, Pool};
use crate::run::alarm::Alarm;
use crate::run::ledger::{Ledger, Started};
use crate::run::pace::Pace;
use crate::run::tallied::tally;
use crate::run::timed::Timed;
use crate::stats::interval::Phase;
use crate::stats::recorder::Fate;
use crate::transaction::drawn::Drawn;
use crate::transaction::execute::{Failure, Outcome, execute};
use crate::workload::plan::{Plan, Transaction};

/// Between attempts of one transaction: doubled each time.
const FIRST_RETRY: Duration = Duration::from_millis(1);
const LONGEST_RETRY: Duration = Duration::from_millis(100);
/// Between attempts to open a lost connection: doubled each time.
const FIRST_RECONNECT: Duration = Duration::from_millis(10);
const LONGEST_RECONNECT: Duration = Duration::from_secs(1);
/// For one attempt to connect and to prepare all statements.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// What all clients of a worker share.
#[derive(Debug)]
pub struct Work {
    pub plan: Arc<Plan>,
    pub targets: Arc<[Target]>,
    pub ledger: Rc<Ledger>,
    pub seed: u64,
    pub pace: Pace,
    /// Of all workers together.
    pub clients: u64,
    /// How many all clients together run in the window, where that ends it.
    pub transactions: Option<u64>,
    /// Where an open loop has one.
    pub pool: Option<Pool>,
    pub alarm: Alarm,
    /// A new connection waits to have Nagle's algorithm switched off: the worker
    /// does it once for all, as it means to look at every open file.
    pub has_new_sockets: Cell<bool>,
}

/// A client as its worker sees it, also while it hangs.
#[derive(Debug)]
pub struct Slot {
    /// Its server's place among the targets.
    pub server: usize,
    /// Its session on the server; 0 while it has none.
    pub session: Cell<i64>,
    /// The transaction under way.
    pub in_flight: Cell<Option<Started>>,
}

impl Slot {
    pub fn new(server: usize) -> Slot {
        Slot {
            server,
            session: Cell::new(0),
            in_flight: Cell::new(None),
        }
    }
}

/// How a transaction ended.
enum Ended {
    Committed {
        end: Instant,
        /// Districts without an order to deliver.
        skipped: u64,
    },
    RolledBack(Instant),
    Failed(Fate, Instant),
    /// The run was over first.
    Unfinished,
    /// Failed, and the connection is gone.
    Lost(Fate, DbError, Instant),
}

/// Runs transactions until the window ends or the client's share is done, and
/// closes the session.
pub async fn client<S: Session>(
    work: &Work,
    slot: &Slot,
    number: u64,
    share: Option<u64>,
    session: S,
) {
    slot.session.set(session.id());
    let mut session = Timed::new(session, work.ledger.clone(), work.plan.clone());
    let mut drawn = Drawn::new(&work.plan, work.seed, number, work.clients);
    let mut agenda = Agenda::new(work, number, share);
    let mut free = Instant::now();
    while let Some(started) = agenda.next(work, &mut drawn, free).await {
        slot.in_flight.set(Some(started));
        let ended = attempt_until_done(work, &mut session, started, &drawn).await;
        slot.in_flight.set(None);
        match ended {
            Ended::Committed { end, skipped } => {
                let tally = tally(&work.plan, started.transaction, &drawn, skipped);
                work.ledger.committed(&started, end, tally.as_ref());
                free = end;
            }
            Ended::RolledBack(end) => {
                let tally = tally(&work.plan, started.transaction, &drawn, 0);
                work.ledger.rolled_back(&started, end, tally.as_ref());
                free = end;
            }
            Ended::Failed(fate, end) => {
                work.ledger.failed(&started, end, fate);
                free = Instant::now();
            }
            Ended::Unfinished => {
                work.ledger.unfinished(&started, Instant::now());
                break;
            }
            Ended::Lost(fate, error, end) => {
                work.ledger.failed(&started, end, fate);
                if !reconnect(work, slot, &mut session, &error, end).await {
                    return;
                }
                free = Instant::now();
            }
        }
    }
    // What hangs in closing is dropped by the worker at the end of its patience.
    let _ = session.into_inner().close().await;
    slot.session.set(0);
}

/// Runs one transaction, again and again while its errors allow it, with the
/// same inputs.
async fn attempt_until_done<S: Session>(
    work: &Work,
    session: &mut Timed<S>,
    started: Started,
    drawn: &Drawn,
) -> Ended {
    let Started {
        transaction, sent, ..
    } = started;
    let plan = &work.plan.transactions[transaction];
    let mut pause = FIRST_RETRY;
    session.start(transaction, sent);
    loop {
        let failure = match execute(session, plan, drawn).await {
            Ok(Outcome::Committed { skipped }) => {
                let (_, end) = session.last();
                return Ended::Committed { end, skipped };
            }
            Ok(Outcome::RolledBack) => return Ended::RolledBack(session.last().1),
            Err(failure) => failure,
        };
        let (line, at) = session.last();
        let fate = fate(&failure, plan);
        let class = failure.error.class;
        if work.ledger.closed.get() && matches!(class, Class::Cancelled | Class::Disconnected) {
            // The worker cut it off when the grace was over: no fault of the
            // server's, whichever way it took.
            if plan.needs_rollback() && class == Class::Cancelled {
                let _ = session.rollback().await;
            }
            return Ended::Unfinished;
        }
        work.ledger.error(&started, line, &failure.error, fate, at);
        if class == Class::Disconnected {
            return Ended::Lost(fate, failure.error, at);
        }
        if plan.needs_rollback()
            && let Err(error) = session.rollback().await
        {
            // Whatever it was: a session that may still hold a half transaction
            // must not go on, for the next BEGIN would commit it on MySQL.
            let (line, at) = session.last();
            work.ledger
                .error(&started, line, &error, Fate::Disconnected, at);
            return Ended::Lost(Fate::Disconnected, error, at);
        }
        if fate != Fate::Retried {
            return Ended::Failed(fate, session.last().1);
        }
        if work.ledger.phase(at) == Phase::Drain {
            return Ended::Unfinished;
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_RETRY);
        let again = Instant::now();
        if work.ledger.phase(again) == Phase::Drain {
            return Ended::Unfinished;
        }
        work.ledger.retried(&started, again);
        session.start(transaction, again);
    }
}

fn fate(failure: &Failure, plan: &Transaction) -> Fate {
    // A statement on its own commits by itself.
    let commits = failure.in_commit || (plan.writes && !plan.atomic);
    match failure.error.class {
        // Without BEGIN, what came before in the transaction is committed, and
        // would be done twice.
        Class::Retry if plan.atomic || plan.is_one_statement() => Fate::Retried,
        Class::Duplicate if plan.replaces_keys => Fate::Retried,
        Class::Disconnected if commits => Fate::InDoubt,
        // MySQL and MariaDB may stop a procedure behind its COMMIT.
        Class::Cancelled if commits && plan.is_call() => Fate::InDoubt,
        Class::Disconnected => Fate::Disconnected,
        Class::Retry | Class::Duplicate | Class::Cancelled | Class::Other => Fate::Failed,
    }
}

/// Opens a new session in the place of a lost one. False when the window ended
/// first.
async fn reconnect<S: Session>(
    work: &Work,
    slot: &Slot,
    session: &mut Timed<S>,
    why: &DbError,
    since: Instant,
) -> bool {
    let ledger = &work.ledger;
    let (line, _) = session.last();
    slot.session.set(0);
    ledger.disconnected(since);
    let mut pause = FIRST_RECONNECT;
    let mut why = why.clone();
    loop {
        let open = timeout(
            CONNECT_TIMEOUT,
            S::open(&work.targets[slot.server], &work.plan.statements),
        );
        let opened = tokio::select! {
            // At the deadline itself the run is over, whatever else is ready.
            biased;
            () = window_end(ledger) => {
                ledger.outage(line, &why, since, Instant::now());
                return false;
            }
            opened = open => opened,
        };
        let refusal = match opened {
            Ok(Ok(fresh)) => {
                work.has_new_sockets.set(true);
                slot.session.set(fresh.id());
                session.replace(fresh);
                ledger.connected();
                ledger.outage(line, &why, since, Instant::now());
                return true;
            }
            Ok(Err(refusal)) => Some(refusal.message),
            Err(_) => None,
        };
        // Why it lasts says more than how it began.
        why.message = refusal.unwrap_or(why.message);
        tokio::select! {
            () = sleep(pause) => {}
            () = window_end(ledger) => {}
        }
        pause = (pause * 2).min(LONGEST_RECONNECT);
    }
}

/// Waits for the end of the window, which an interruption may bring forward.
async fn window_end(ledger: &Ledger) {
    loop {
        let now = Instant::now();
        match ledger.window_end() {
            Some(end) if now >= end => return,
            Some(end) => sleep((end - now).min(LONGEST_RETRY)).await,
            None => sleep(LONGEST_RETRY).await,
        }
    }
}
