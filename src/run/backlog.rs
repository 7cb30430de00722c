//! What an open loop owes: arrivals that are due by the plan, less those that
//! were started or skipped. Known from the plan and the ticks alone, so that it
//! grows in each second also while every client hangs.

use std::time::Duration;

use crate::random::rng::Purpose;
use crate::run::arrivals::Offered;
use crate::run::execute::RunConfig;
use crate::run::pace::Open;
use crate::stats::interval::Phase;
use crate::stats::recorder::Recorder;

#[derive(Debug)]
pub struct Backlog {
    warmup: Account,
    window: Account,
    warmup_length: Duration,
}

/// One phase.
#[derive(Debug)]
struct Account {
    plan: Offered,
    offered: u64,
    taken: u64,
}

/// What an interval added, and how many were waiting at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owed {
    pub offered: u64,
    pub backlog: u64,
}

impl Backlog {
    pub fn new(open: &Open, config: &RunConfig) -> Backlog {
        let account = |phase, stop| Account {
            plan: Offered::new(open, config.seed, phase, config.clients, stop),
            offered: 0,
            taken: 0,
        };
        Backlog {
            warmup: account(Purpose::Warmup, None),
            window: account(Purpose::Run, Some(config.stop)),
            warmup_length: config.warmup,
        }
    }

    /// Closes an interval that ends at `to`, since the start of the warm-up.
    pub fn close(&mut self, phase: Phase, to: Duration, recorder: &Recorder) -> Owed {
        match phase {
            Phase::Warmup => self.warmup.close(to, recorder),
            Phase::Measure => {
                let since = to.saturating_sub(self.warmup_length);
                self.window.close(since, recorder)
            }
            Phase::Drain => Owed {
                offered: 0,
                backlog: self.window.backlog(),
            },
        }
    }

    /// Transactions that were due in the window.
    pub fn offered(&self) -> u64 {
        self.window.offered
    }

    /// Those of the window that were never started.
    pub fn not_started(&self) -> u64 {
        self.window.backlog()
    }

    /// Those of the warm-up that were waiting at its end, and were dropped.
    pub fn dropped(&self) -> u64 {
        self.warmup.backlog()
    }
}

impl Account {
    fn close(&mut self, until: Duration, recorder: &Recorder) -> Owed {
        let offered = self.plan.before(until);
        let taken = recorder
            .transactions
            .iter()
            .map(|stats| stats.started + stats.skipped_late);
        self.taken += taken.sum::<u64>();
        let added = offered.saturating_sub(self.offered);
        self.offered = offered;
        Owed {
            offered: added,
            backlog: self.backlog(),
        }
    }

    fn backlog(&self) -> u64 {
        self.offered.saturating_sub(self.taken)
    }
}
