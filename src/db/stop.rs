//! Stopping sessions that live in this process (SQLite, the null engine):
//! their ids, and the requests to stop them, across threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

use super::session::Cancel;

static NEXT_ID: AtomicI64 = AtomicI64::new(1);
static SESSIONS: Mutex<BTreeMap<i64, Weak<Stop>>> = Mutex::new(BTreeMap::new());

/// What one session has been asked to stop.
#[derive(Debug)]
pub(crate) struct Stop {
    id: i64,
    statement: AtomicBool,
    connection: AtomicBool,
    asked: Notify,
}

impl Stop {
    /// Gives a new session its id, under which others reach it while it lives.
    pub fn register() -> Arc<Stop> {
        let stop = Arc::new(Stop {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            statement: AtomicBool::new(false),
            connection: AtomicBool::new(false),
            asked: Notify::new(),
        });
        with_sessions(|sessions| sessions.insert(stop.id, Arc::downgrade(&stop)));
        stop
    }

    pub fn id(&self) -> i64 {
        self.id
    }

    /// Forgets a request that came when no statement ran: as on a server, it
    /// does not hit the next one.
    pub fn start_statement(&self) {
        self.statement.store(false, Ordering::Release);
    }

    pub fn is_closed(&self) -> bool {
        self.connection.load(Ordering::Acquire)
    }

    /// Whether the running statement is to end.
    pub fn is_asked(&self) -> bool {
        self.statement.load(Ordering::Acquire) || self.is_closed()
    }

    /// Waits for `work`; `None` when a request ends it.
    pub async fn unless_asked<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        // Made before the flag is read, so that no request falls in between.
        let asked = self.asked.notified();
        if self.is_asked() {
            return None;
        }
        tokio::select! {
            biased;
            () = asked => None,
            done = work => Some(done),
        }
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        with_sessions(|sessions| sessions.remove(&self.id));
    }
}

/// Asks the session `id` to stop; one that is gone is no error.
pub(crate) fn request(id: i64, how: Cancel) {
    let stop = with_sessions(|sessions| sessions.get(&id).and_then(Weak::upgrade));
    if let Some(stop) = stop {
        let flag = match how {
            Cancel::Statement => &stop.statement,
            Cancel::Connection => &stop.connection,
        };
        flag.store(true, Ordering::Release);
        stop.asked.notify_waiters();
    }
}

fn with_sessions<T>(work: impl FnOnce(&mut BTreeMap<i64, Weak<Stop>>) -> T) -> T {
    // The map is whole at every step, so a panic elsewhere does not spoil it.
    work(&mut SESSIONS.lock().unwrap_or_else(PoisonError::into_inner))
}
