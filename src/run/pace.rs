//! When transactions are to start: when a client is free and has waited as people
//! at terminals do (closed loop), or at planned instants whatever the server does (open loop). Independent of what
//! ends a run and of what session it runs on.

use std::time::Duration;

use crate::value::{Arrivals, Schedule};

/// The kinds of pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// When the last one has ended.
    Closed {
        /// What keying and think times are multiplied by. 0: at once.
        wait: f64,
    },
    Open(Open),
}

/// An open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open {
    /// Transactions per second of all clients together; above 0.
    pub rate: f64,
    pub arrivals: Arrivals,
    pub schedule: Schedule,
    /// What is later than this is skipped, and counted.
    pub late_limit: Option<Duration>,
}

impl Pace {
    pub fn open(&self) -> Option<&Open> {
        match self {
            Pace::Closed { .. } => None,
            Pace::Open(open) => Some(open),
        }
    }
}
