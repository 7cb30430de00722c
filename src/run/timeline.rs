//! The phases of a run as arithmetic: warm-up, measured window, drain, and the
//! one-second intervals that they are cut into.
//!
//! All instants are durations since the run's origin, the start of the warm-up,
//! so that workers whose clocks have different bases cut alike.

use std::time::Duration;

use crate::stats::interval::Phase;

/// When a run ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After this length of the measured window.
    After(Duration),
    /// When this many transactions have been run by all clients together.
    Transactions(u64),
}

impl Stop {
    /// How many transactions end the run, if a number does.
    pub fn transactions(self) -> Option<u64> {
        match self {
            Stop::After(_) => None,
            Stop::Transactions(all) => Some(all),
        }
    }

    /// How many transactions client `client` of `clients` runs.
    pub fn share(self, client: u64, clients: u64) -> Option<u64> {
        let all = self.transactions()?;
        Some(all / clients + u64::from(client < all % clients))
    }
}

/// Phases of a run. `window_end` comes with the stop rule, or when the last
/// transaction has ended, or when the run is interrupted.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    pub warmup: Duration,
    pub window_end: Option<Duration>,
}

const SECOND: Duration = Duration::from_secs(1);

/// An interval's place among those of its phase: seconds from the start of the
/// window, or of the drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub phase: Phase,
    pub number: i64,
}

impl Timeline {
    pub fn new(warmup: Duration, stop: Stop) -> Timeline {
        Timeline {
            warmup,
            window_end: match stop {
                Stop::After(time) => Some(warmup + time),
                Stop::Transactions(_) => None,
            },
        }
    }

    pub fn phase(&self, at: Duration) -> Phase {
        if self.window_end.is_some_and(|end| at >= end) {
            Phase::Drain
        } else if at < self.warmup {
            Phase::Warmup
        } else {
            Phase::Measure
        }
    }

    /// The interval that `at` lies in.
    pub fn place(&self, at: Duration) -> Place {
        let phase = self.phase(at);
        let number = match phase {
            // -1 is the second that ends where the window starts.
            Phase::Warmup => -seconds(
                self.warmup
                    .saturating_sub(at)
                    .as_nanos()
                    .div_ceil(SECOND.as_nanos()),
            ),
            Phase::Measure => {
                seconds(at.saturating_sub(self.warmup).as_nanos() / SECOND.as_nanos())
            }
            Phase::Drain => seconds(
                at.saturating_sub(self.window_end.unwrap_or(at)).as_nanos() / SECOND.as_nanos(),
            ),
        };
        Place { phase, number }
    }

    /// Where the interval that `at` lies in ends.
    pub fn end_of(&self, at: Duration) -> Duration {
        let Place { phase, number } = self.place(at);
        let after = |from: Duration| from + SECOND * u32::try_from(number + 1).unwrap_or(u32::MAX);
        match phase {
            Phase::Warmup => {
                let left = SECOND * u32::try_from(-(number + 1)).unwrap_or(0);
                let end = self.warmup.saturating_sub(left);
                self.window_end
                    .map_or(end, |window_end| window_end.min(end))
            }
            Phase::Measure => self
                .window_end
                .map_or(after(self.warmup), |end| end.min(after(self.warmup))),
            Phase::Drain => after(self.window_end.unwrap_or(at)),
        }
    }
}

fn seconds(count: u128) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn intervals(timeline: &Timeline, until: Duration) -> Vec<(Phase, i64, u64, u64)> {
        let mut at = Duration::ZERO;
        let mut found = Vec::new();
        while at < until {
            let place = timeline.place(at);
            let end = timeline.end_of(at);
            found.push((place.phase, place.number, millis(at), millis(end)));
            at = end;
        }
        found
    }

    fn millis(duration: Duration) -> u64 {
        u64::try_from(duration.as_millis()).unwrap()
    }

    #[test]
    fn seconds_are_cut_from_the_start_of_the_window() {
        let timeline = Timeline::new(ms(1500), Stop::After(ms(2500)));
        let expected = [
            (Phase::Warmup, -2, 0, 500),
            (Phase::Warmup, -1, 500, 1500),
            (Phase::Measure, 0, 1500, 2500),
            (Phase::Measure, 1, 2500, 3500),
            (Phase::Measure, 2, 3500, 4000),
            (Phase::Drain, 0, 4000, 5000),
        ];
        assert_eq!(intervals(&timeline, ms(5000)), expected);
    }

    #[test]
    fn an_early_end_cuts_the_running_interval() {
        let mut timeline = Timeline::new(ms(1500), Stop::Transactions(5));
        assert_eq!(timeline.end_of(ms(9600)), ms(10_500));
        timeline.window_end = Some(ms(1000));
        assert_eq!(timeline.end_of(ms(700)), ms(1000));
        assert_eq!(timeline.phase(ms(1200)), Phase::Drain);
    }

    #[test]
    fn transactions_are_dealt_evenly() {
        let shares: Vec<_> = (0..3)
            .map(|client| Stop::Transactions(200).share(client, 3).unwrap())
            .collect();
        assert_eq!(shares, [67, 67, 66]);
    }
}
