//! The fair queue of this process's writers of one SQLite file.
//!
//! SQLite lets one writer in at a time, and its own busy handler polls with
//! growing pauses: whoever comes last sleeps least and goes first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, Weak};

use tokio::sync::{Mutex, OwnedMutexGuard};

type Queues = BTreeMap<PathBuf, Weak<Mutex<()>>>;

static QUEUES: std::sync::Mutex<Queues> = std::sync::Mutex::new(BTreeMap::new());

/// The place in front of the queue, until it is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

/// First come, first served: tokio's mutex promises it.
#[derive(Clone, Debug)]
pub(crate) struct Queue(Arc<Mutex<()>>);

impl Queue {
    /// The queue of the file `path`, which must be canonical: two names of one
    /// file must not have two queues.
    pub fn of(path: &Path) -> Queue {
        // The map is whole at every step, so a panic elsewhere does not spoil it.
        let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(path).and_then(Weak::upgrade) {
            return Queue(queue);
        }
        queues.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::new(Mutex::new(()));
        queues.insert(path.to_owned(), Arc::downgrade(&queue));
        Queue(queue)
    }

    pub async fn turn(&self) -> Turn {
        Arc::clone(&self.0).lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_file_has_one_queue() {
        let (a, again) = (Queue::of(Path::new("/a")), Queue::of(Path::new("/a")));
        let turn = a.turn().await;
        assert!(again.0.try_lock().is_err());
        assert!(Queue::of(Path::new("/b")).0.try_lock().is_ok());
        drop(turn);
        assert!(again.0.try_lock().is_ok());
    }
}
