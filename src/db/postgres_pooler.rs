//! Whether a PostgreSQL server is reached through a pooler, such as PgBouncer in
//! transaction mode: each transaction then runs on whatever backend is free, and
//! cancelling by a backend's id would hit other people's statements.

use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use super::failure;
use super::postgres_facts::{backend_pid, one};
use super::session::{DbError, Row as _};

/// A pooler lets a session wait until others are done.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a pooler means for results.
pub(crate) const NOTES: [&str; 2] = [
    "a pooler stands before the server: statements that have not ended with the run cannot be cancelled there",
    "a pooler stands before the server: TLS is that between pooler and server",
];

/// This backend, and its age in microseconds by the server's clock.
const BACKEND: &str = "
SELECT pid, (extract(epoch FROM clock_timestamp() - backend_start) * 1000000)::bigint
FROM pg_stat_activity WHERE pid = pg_backend_pid()";

/// True also where it cannot be found out: not to cancel harms nobody.
pub(crate) async fn is_pooled(
    own: &mut PgConnection,
    own_id: i64,
    options: &PgConnectOptions,
) -> bool {
    let looked = timeout(PATIENCE, look(own, own_id, options)).await;
    !matches!(looked, Ok(Ok(false)))
}

/// Opens a second session. Without a pooler its backend is younger than the
/// wish for it, whatever the clocks say: both are spans. A pooler gives it a
/// backend that is free, and at least that of the first session is; unless
/// others use all of them, and then the first session moves to another one.
async fn look(
    own: &mut PgConnection,
    own_id: i64,
    options: &PgConnectOptions,
) -> Result<bool, DbError> {
    let asked = Instant::now();
    let mut second = options.connect().await.map_err(failure::postgres)?;
    // In a transaction, so that a pooler cannot give its backend to the first.
    sqlx::raw_sql("BEGIN")
        .execute(&mut second)
        .await
        .map_err(failure::postgres)?;
    let row = one(&mut second, BACKEND).await?;
    let (backend, age) = (row.int(0)?, row.int(1)?);
    let waited = i64::try_from(asked.elapsed().as_micros()).unwrap_or(i64::MAX);
    // A pool of one backend has none for the first session now.
    let pooled = backend == own_id || age > waited || backend_pid(own).await? != own_id;
    sqlx::raw_sql("ROLLBACK")
        .execute(&mut second)
        .await
        .map_err(failure::postgres)?;
    second.close().await.map_err(failure::postgres)?;
    Ok(pooled)
}
