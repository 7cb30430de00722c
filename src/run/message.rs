//! What crosses between threads in a run: commands to the workers, one message
//! per worker and interval back, and at the end what must be cancelled.
//! No instant crosses: each thread has its own origin.

use std::time::Duration;

use crate::db::session::{Cancel, DbError};
use crate::run::timeline::Place;
use crate::stats::recorder::Recorder;

/// What the collector tells all workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Connect, and wait.
    Wait,
    /// The warm-up starts now.
    Go,
    /// End the window now.
    Stop,
    /// Do not start: another worker could not connect.
    Abort,
}

#[derive(Debug)]
pub enum Message {
    /// One more client has its session.
    Connected,
    /// A client could not be connected.
    Refused(DbError),
    Tick(Box<Tick>),
    /// These sessions did not end in time: stop what they do.
    Stuck {
        sessions: Vec<SessionOf>,
        how: Cancel,
    },
    /// The worker is done; these sessions of its could not be stopped.
    Finished {
        worker: usize,
        left: Vec<SessionOf>,
    },
}

/// A session, by its server's place among the targets and its id there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOf {
    pub server: usize,
    pub id: i64,
}

/// One interval of one worker.
#[derive(Debug)]
pub struct Tick {
    pub worker: usize,
    pub place: Place,
    /// Since the worker's origin.
    pub from: Duration,
    pub to: Duration,
    pub recorder: Recorder,
    /// The fewest clients that had a connection at a time.
    pub connected: u64,
    pub cpu: Duration,
}
