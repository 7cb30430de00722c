//! The plan of an open loop: when each arrival is due, as a pure function of
//! seed, phase and number. Nothing here waits or reads a clock; instants are
//! durations since the start of the phase.

use std::time::Duration;

use crate::random::rng::{Purpose, Rng};
use crate::run::pace::Open;
use crate::run::timeline::Stop;
use crate::value::{Arrivals, Schedule};

/// The arrivals of the pool, or of one client, in order.
#[derive(Debug)]
pub struct Stream {
    gaps: Gaps,
    next: u64,
    /// When the arrival before `next` was due, in seconds.
    last_s: f64,
}

#[derive(Debug)]
enum Gaps {
    /// Arrival i is the `first + i * step`-th of all, which are `1 / rate` apart.
    Constant {
        rate: f64,
        first: f64,
        step: f64,
    },
    Exponential {
        mean_s: f64,
        rng: Rng,
    },
}

impl Stream {
    pub fn of_pool(open: &Open, seed: u64, phase: Purpose) -> Stream {
        Stream::new(open, seed, phase, 0, 1)
    }

    /// Of client `client` of `clients`.
    pub fn of_client(open: &Open, seed: u64, phase: Purpose, client: u64, clients: u64) -> Stream {
        Stream::new(open, seed, phase, client, clients)
    }

    /// Stream `number` of `streams`, which together give the rate.
    #[expect(clippy::cast_precision_loss, reason = "a count of clients")]
    fn new(open: &Open, seed: u64, phase: Purpose, number: u64, streams: u64) -> Stream {
        let gaps = match open.arrivals {
            Arrivals::Constant => Gaps::Constant {
                rate: open.rate,
                first: number as f64,
                step: streams as f64,
            },
            Arrivals::Poisson => Gaps::Exponential {
                mean_s: streams as f64 / open.rate,
                rng: Rng::at(
                    seed,
                    Purpose::Pace,
                    number,
                    u64::from(phase == Purpose::Warmup),
                ),
            },
        };
        Stream {
            gaps,
            next: 0,
            last_s: 0.0,
        }
    }

    /// When arrival `number` (from 0) is due. Asked in rising order: of a number
    /// that was passed it gives the last one's instant.
    pub fn due(&mut self, number: u64) -> Duration {
        while self.next <= number {
            self.step();
        }
        Duration::from_nanos(nanos(self.last_s))
    }

    fn step(&mut self) {
        match &mut self.gaps {
            #[expect(
                clippy::cast_precision_loss,
                reason = "2^53 arrivals are never reached"
            )]
            Gaps::Constant { rate, first, step } => {
                self.last_s = (*first + self.next as f64 * *step) / *rate;
            }
            Gaps::Exponential { mean_s, rng } => {
                self.last_s -= *mean_s * libm::log(1.0 - rng.unit());
            }
        }
        self.next += 1;
    }
}

/// Saturates after 584 years.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds since a start; the cast saturates"
)]
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Counts how many arrivals of all streams together are due, as time goes on.
#[derive(Debug)]
pub struct Offered {
    streams: Vec<Rest>,
    count: u64,
}

/// What is left of a stream.
#[derive(Debug)]
struct Rest {
    stream: Stream,
    /// When the next arrival is due.
    due: Duration,
    arrivals: u64,
}

impl Offered {
    /// The streams of a phase, one for the pool or one for each client. A number
    /// of transactions that ends the run ends each at its share.
    pub fn new(
        open: &Open,
        seed: u64,
        phase: Purpose,
        clients: u64,
        stop: Option<Stop>,
    ) -> Offered {
        let rest = |mut stream: Stream, arrivals: Option<u64>| Rest {
            due: stream.due(0),
            stream,
            arrivals: arrivals.unwrap_or(u64::MAX),
        };
        let streams = match open.schedule {
            Schedule::Pool => {
                let all = stop.and_then(Stop::transactions);
                vec![rest(Stream::of_pool(open, seed, phase), all)]
            }
            Schedule::PerClient => (0..clients)
                .map(|client| {
                    let share = stop.and_then(|stop| stop.share(client, clients));
                    rest(Stream::of_client(open, seed, phase, client, clients), share)
                })
                .collect(),
        };
        Offered { streams, count: 0 }
    }

    /// Arrivals that are due before `until`, which does not go back.
    pub fn before(&mut self, until: Duration) -> u64 {
        for rest in &mut self.streams {
            while rest.due < until && rest.arrivals > 0 {
                self.count += 1;
                rest.arrivals -= 1;
                rest.due = rest.stream.due(rest.stream.next);
            }
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(rate: f64, arrivals: Arrivals, schedule: Schedule) -> Open {
        Open {
            rate,
            arrivals,
            schedule,
            late_limit: None,
        }
    }

    fn pool(rate: f64, arrivals: Arrivals, seed: u64) -> Stream {
        let open = open(rate, arrivals, Schedule::Pool);
        Stream::of_pool(&open, seed, Purpose::Run)
    }

    #[test]
    fn constant_arrivals_are_exact() {
        let mut stream = pool(5.0, Arrivals::Constant, 1);
        assert_eq!(stream.due(0), Duration::ZERO);
        assert_eq!(stream.due(7), Duration::from_millis(1400));
        let mut thirds = pool(3.0, Arrivals::Constant, 1);
        assert_eq!(thirds.due(1), Duration::from_nanos(333_333_333));
        // No drift: a third of a second, 3 million times.
        assert_eq!(thirds.due(3_000_000), Duration::from_secs(1_000_000));
    }

    #[test]
    fn clients_share_constant_arrivals_evenly() {
        let open = open(8.0, Arrivals::Constant, Schedule::PerClient);
        let mut all: Vec<Duration> = Vec::new();
        for client in 0..4 {
            let mut stream = Stream::of_client(&open, 1, Purpose::Run, client, 4);
            all.extend((0..2).map(|number| stream.due(number)));
        }
        all.sort_unstable();
        let eighths: Vec<Duration> = (0..8).map(|n| Duration::from_millis(125) * n).collect();
        assert_eq!(all, eighths);
    }

    #[test]
    fn poisson_gaps_have_the_exponential_mean_and_variance() {
        const N: u32 = 1_000_000;
        let mut stream = pool(100.0, Arrivals::Poisson, 7);
        let mut last = 0.0;
        let (mut sum, mut squares) = (0.0, 0.0);
        for number in 0..N {
            let due = stream.due(u64::from(number)).as_secs_f64();
            let gap = (due - last) * 100.0;
            last = due;
            sum += gap;
            squares += gap * gap;
        }
        let n = f64::from(N);
        let mean = sum / n;
        let variance = squares / n - mean * mean;
        // Of Exp(1): mean 1, variance 1; the variance's own is (9 - 1) / n.
        assert!((mean - 1.0).abs() < 4.0 / n.sqrt(), "{mean}");
        assert!(
            (variance - 1.0).abs() < 4.0 * (8.0 / n).sqrt(),
            "{variance}"
        );
    }

    #[test]
    fn the_plan_is_a_function_of_seed_phase_and_number() {
        let mut walked = pool(50.0, Arrivals::Poisson, 1);
        for number in 0..100 {
            walked.due(number);
        }
        let mut jumped = pool(50.0, Arrivals::Poisson, 1);
        assert_eq!(walked.due(100), jumped.due(100));
        assert_ne!(walked.due(101), pool(50.0, Arrivals::Poisson, 2).due(101));
        let open = open(50.0, Arrivals::Poisson, Schedule::Pool);
        let mut warmup = Stream::of_pool(&open, 1, Purpose::Warmup);
        assert_ne!(warmup.due(0), pool(50.0, Arrivals::Poisson, 1).due(0));
    }

    #[test]
    fn offered_counts_what_is_due() {
        for schedule in [Schedule::Pool, Schedule::PerClient] {
            let open = open(10.0, Arrivals::Constant, schedule);
            let new = |stop| Offered::new(&open, 1, Purpose::Run, 4, stop);
            let mut offered = new(None);
            assert_eq!(offered.before(Duration::ZERO), 0);
            assert_eq!(offered.before(Duration::from_nanos(1)), 1);
            assert_eq!(offered.before(Duration::from_secs(1)), 10);
            assert_eq!(offered.before(Duration::from_secs(1)), 10);
            let mut few = new(Some(Stop::Transactions(7)));
            assert_eq!(few.before(Duration::from_secs(1)), 7);
        }
    }

    /// Clients of their own pace: one that has had its share waits for no other.
    #[test]
    fn each_client_is_offered_its_share_alone() {
        let open = open(10.0, Arrivals::Poisson, Schedule::PerClient);
        let stop = Stop::Transactions(20);
        let mut offered = Offered::new(&open, 1, Purpose::Run, 4, Some(stop));
        let mut dues: Vec<Duration> = Vec::new();
        for client in 0..4 {
            let mut stream = Stream::of_client(&open, 1, Purpose::Run, client, 4);
            dues.extend((0..5).map(|number| stream.due(number)));
        }
        for tenth in 1..100 {
            let until = Duration::from_millis(100) * tenth;
            let due = dues.iter().filter(|due| **due < until).count() as u64;
            assert_eq!(offered.before(until), due, "{until:?}");
        }
    }
}
