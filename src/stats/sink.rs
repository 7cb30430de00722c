//! Where results go while a run makes them. Implemented in `report`, handed to
//! `run` by `commands`.

use crate::stats::interval::Interval;
use crate::stats::summary::Summary;

/// A place that results could not be written to; the message names it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Takes results as they are made. Called once a second: `dyn` is fine.
pub trait Sink {
    /// `ready` of `clients` have their session.
    fn connected(&mut self, ready: u64, clients: u64) {
        let _ = (ready, clients);
    }

    /// One interval has ended. What is written must be on its way to the file
    /// when this returns.
    ///
    /// # Errors
    /// When it could not be written.
    fn interval(&mut self, interval: &Interval) -> Result<(), SinkError>;

    /// The run has ended.
    ///
    /// # Errors
    /// When it could not be written.
    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError>;
}
