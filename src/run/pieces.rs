//! Pieces of work on several threads, each with a runtime of its own. A thread
//! that fails stops the others. What a piece is, and what connection it needs,
//! is the caller's.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How often the caller's thread has a turn.
const TURN_EVERY: Duration = Duration::from_millis(100);

/// What there is to do, and how far it is dealt.
#[derive(Debug)]
pub struct Pieces<P> {
    list: Vec<P>,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl<P> Pieces<P> {
    pub fn new(list: Vec<P>) -> Pieces<P> {
        Pieces {
            list,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// A piece that nobody has taken yet: none when all are, or when a thread
    /// has failed.
    pub fn take(&self) -> Option<&P> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.list.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Runs `body` on `threads` threads, or fewer where there are fewer pieces;
/// each takes pieces until there are none. `meanwhile` is called again and
/// again on the caller's thread.
///
/// # Errors
/// The failure of a thread; of the first by number, should several fail.
pub fn share<P, E>(
    pieces: &Pieces<P>,
    name: &str,
    threads: usize,
    body: impl AsyncFn(&Pieces<P>) -> Result<(), E> + Sync,
    meanwhile: &mut dyn FnMut(),
) -> Result<(), E>
where
    P: Sync,
    E: From<io::Error> + Send,
{
    let work = || {
        let outcome = one_thread(pieces, &body);
        if outcome.is_err() {
            pieces.stop();
        }
        outcome
    };
    std::thread::scope(|scope| {
        let mut handles = Vec::new();
        let mut outcome = Ok(());
        for number in 0..threads.min(pieces.list.len()) {
            let thread = std::thread::Builder::new().name(format!("{name}-{number}"));
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    pieces.stop();
                    outcome = Err(error.into());
                    break;
                }
            }
        }
        while handles.iter().any(|handle| !handle.is_finished()) {
            std::thread::sleep(TURN_EVERY);
            meanwhile();
        }
        for handle in handles {
            let ended = handle
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome = outcome.and(ended);
        }
        outcome
    })
}

fn one_thread<P, E: From<io::Error>>(
    pieces: &Pieces<P>,
    body: &impl AsyncFn(&Pieces<P>) -> Result<(), E>,
) -> Result<(), E> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(body(pieces))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn every_piece_is_done_once() {
        let sum = AtomicU64::new(0);
        let pieces = Pieces::new((1..=1000).collect::<Vec<u64>>());
        let mut turns = 0;
        let outcome: Result<(), io::Error> = share(
            &pieces,
            "test",
            4,
            async |pieces| {
                while let Some(piece) = pieces.take() {
                    sum.fetch_add(*piece, Ordering::Relaxed);
                }
                Ok(())
            },
            &mut || turns += 1,
        );
        outcome.unwrap();
        assert_eq!(sum.into_inner(), 500_500);
        let none: Pieces<u64> = Pieces::new(Vec::new());
        let outcome: Result<(), io::Error> =
            share(&none, "test", 4, async |_| unreachable!(), &mut || {});
        outcome.unwrap();
    }

    #[test]
    fn a_thread_that_fails_stops_the_others() {
        let done = AtomicU64::new(0);
        let pieces = Pieces::new((0..1_000_000).collect::<Vec<u64>>());
        let outcome = share(
            &pieces,
            "test",
            2,
            async |pieces| {
                while let Some(piece) = pieces.take() {
                    if *piece == 10 {
                        return Err(io::Error::other("ten"));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                Ok(())
            },
            &mut || {},
        );
        assert_eq!(outcome.unwrap_err().to_string(), "ten");
        assert!(done.into_inner() < 1_000_000);
    }
}
