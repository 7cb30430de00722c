//! Reads the answer of a statement to its end, the same on all engines.
//!
//! Rows that stay on the wire would be read by the next statement, in its
//! time; so even a callback that fails does not end the reading.

use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use sqlx::Either;

use super::session::DbError;

/// What came back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub rows: u64,
    pub affected: u64,
}

impl Counts {
    /// Rows returned, or else affected. A server that counts a SELECT's rows as
    /// affected (PostgreSQL) does not count them twice.
    pub fn rows_or_affected(self) -> u64 {
        if self.rows > 0 {
            self.rows
        } else {
            self.affected
        }
    }
}

pub(crate) async fn drain<Done, Row>(
    mut answer: BoxStream<'_, Result<Either<Done, Row>, sqlx::Error>>,
    affected: impl Fn(&Done) -> u64,
    mut each: impl FnMut(&Row) -> Result<(), DbError>,
    failure: fn(sqlx::Error) -> DbError,
) -> Result<Counts, DbError> {
    let mut counts = Counts::default();
    let mut refusal = None;
    while let Some(part) = answer.try_next().await.map_err(failure)? {
        match part {
            Either::Left(done) => counts.affected += affected(&done),
            Either::Right(row) => {
                counts.rows += 1;
                if refusal.is_none() {
                    refusal = each(&row).err();
                }
            }
        }
    }
    refusal.map_or(Ok(counts), Err)
}
