//! Wakes clients at planned instants. Tokio's own timer works in whole
//! milliseconds, too coarse for latencies below one; sleeping short of the
//! instant and spinning the rest burns the core that is to be measured. So each
//! worker has one timerfd, set to the earliest instant that any client waits for.
//!
//! Under a paused clock, in tests, tokio's timer takes its place.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Poll, Waker};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

#[derive(Debug)]
pub struct Alarm {
    clock: Clock,
    /// Nobody is to wait any more: the window was ended early.
    rung: Cell<bool>,
}

#[derive(Debug)]
enum Clock {
    Timer(Timer),
    /// Tokio's, with what ends all waiting.
    Tokio(Notify),
}

#[derive(Debug)]
struct Timer {
    fd: AsyncFd<OwnedFd>,
    waiting: RefCell<BinaryHeap<Reverse<Waiting>>>,
}

/// A client that waits. Ordered by its instant.
#[derive(Debug)]
struct Waiting {
    until: Instant,
    waker: Waker,
}

impl Alarm {
    /// On a timerfd of this thread's runtime.
    ///
    /// # Errors
    /// When the system gives none: too many open files.
    pub fn with_timerfd() -> io::Result<Alarm> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        #[allow(
            deprecated,
            reason = "for types whose descriptor may change or close; an OwnedFd's does not, and what takes its place is unsafe"
        )]
        let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
        Ok(Alarm::new(Clock::Timer(Timer {
            fd,
            waiting: RefCell::default(),
        })))
    }

    /// On tokio's timer, which tests can pause.
    pub fn with_tokio() -> Alarm {
        Alarm::new(Clock::Tokio(Notify::new()))
    }

    fn new(clock: Clock) -> Alarm {
        Alarm {
            clock,
            rung: Cell::new(false),
        }
    }

    /// Waits until then, or until all are rung.
    pub async fn until(&self, at: Instant) {
        match &self.clock {
            Clock::Tokio(_) if self.rung.get() => {}
            Clock::Tokio(ring) => {
                tokio::select! {
                    () = sleep_until(at) => {}
                    () = ring.notified() => {}
                }
            }
            Clock::Timer(timer) => {
                poll_fn(|context| {
                    if self.rung.get() || Instant::now() >= at {
                        return Poll::Ready(());
                    }
                    timer.wait(at, context.waker().clone());
                    Poll::Pending
                })
                .await;
            }
        }
    }

    /// Wakes everybody, and whoever comes later waits no more.
    pub fn ring(&self) {
        self.rung.set(true);
        match &self.clock {
            Clock::Tokio(ring) => ring.notify_waiters(),
            Clock::Timer(timer) => {
                for Reverse(waiting) in timer.waiting.borrow_mut().drain() {
                    waiting.waker.wake();
                }
            }
        }
    }

    /// Wakes those who are due, again and again: to be polled beside the clients.
    pub async fn tick(&self) {
        match &self.clock {
            Clock::Tokio(_) => std::future::pending().await,
            Clock::Timer(timer) => timer.tick().await,
        }
    }
}

impl Timer {
    fn wait(&self, until: Instant, waker: Waker) {
        let mut waiting = self.waiting.borrow_mut();
        let is_first = waiting
            .peek()
            .is_none_or(|Reverse(first)| until < first.until);
        waiting.push(Reverse(Waiting { until, waker }));
        if is_first {
            self.set(until);
        }
    }

    async fn tick(&self) {
        loop {
            match self.fd.readable().await {
                Ok(mut ready) => ready.clear_ready(),
                // The runtime is at its end; should it not be, clients wake late.
                Err(_) => sleep(Duration::from_millis(1)).await,
            }
            let now = Instant::now();
            let mut waiting = self.waiting.borrow_mut();
            while let Some(first) = waiting.peek() {
                if first.0.until > now {
                    self.set(first.0.until);
                    break;
                }
                if let Some(Reverse(due)) = waiting.pop() {
                    due.waker.wake();
                }
            }
        }
    }

    /// Setting it also takes back an expiry that nobody has read.
    fn set(&self, at: Instant) {
        // Zero would switch it off.
        let left = at
            .saturating_duration_since(Instant::now())
            .max(Duration::from_nanos(1));
        let once = Itimerspec {
            it_interval: Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            },
        };
        // Cannot fail: the descriptor is a timer and the time is in range.
        let _ = timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::empty(), &once);
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.until.cmp(&other.until)
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.until == other.until
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn sleepers_wake_and_not_before_their_time() {
        let alarm = Alarm::with_timerfd().unwrap();
        let start = Instant::now();
        let woken = RefCell::new(Vec::new());
        let sleeper = |ms: u64| {
            let (alarm, woken) = (&alarm, &woken);
            async move {
                let at = start + Duration::from_millis(ms);
                alarm.until(at).await;
                assert!(Instant::now() >= at);
                woken.borrow_mut().push(ms);
            }
        };
        tokio::select! {
            () = alarm.tick() => unreachable!(),
            _ = futures_util::future::join3(sleeper(30), sleeper(10), sleeper(20)) => {}
        }
        // In any order, where a busy machine wakes them at once.
        let mut woken = woken.into_inner();
        woken.sort_unstable();
        assert_eq!(woken, [10, 20, 30]);
    }

    #[tokio::test]
    async fn ringing_wakes_all_for_good() {
        for alarm in [Alarm::with_timerfd().unwrap(), Alarm::with_tokio()] {
            let start = Instant::now();
            let long = start + Duration::from_hours(1);
            let ring = async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                alarm.ring();
            };
            tokio::select! {
                () = alarm.tick() => unreachable!(),
                _ = futures_util::future::join3(alarm.until(long), alarm.until(long), ring) => {}
            }
            assert!(start.elapsed() >= Duration::from_millis(20));
        }
    }
}
