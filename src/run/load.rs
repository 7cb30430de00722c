//! Loads a plan's tables: chunks of rows on several threads, also within one
//! table; then indexes and statistics. A thread that fails stops the others.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::db::nodelay;
use crate::db::session::{DbError, Session, Target};
use crate::run::pieces::{Pieces, share};
use crate::value::{Cells, Engine, RowBuf};
use crate::workload::plan::{Plan, Table};

/// Rows of a chunk, which is one transaction.
const CHUNK_ROWS: u64 = 10_000;

/// A table could not be loaded, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the load of {table} failed: {error}")]
    Table { table: String, error: DbError },
    #[error("cannot start a thread for the load: {0}")]
    Thread(#[from] std::io::Error),
}

/// One piece of work for a thread.
#[derive(Clone, Debug)]
enum Piece {
    /// Rows `from..=to` of a table.
    Rows { table: usize, from: u64, to: u64 },
    /// Index and statistics statements, in order.
    Finish { table: usize },
}

/// What the threads share.
#[derive(Debug)]
struct Load<'a> {
    plan: &'a Plan,
    target: &'a Target,
    seed: u64,
    rows_done: AtomicU64,
}

/// Fills tables that are there and empty, on `threads` connections. `progress`
/// gets the rows loaded so far.
///
/// # Errors
/// The first failure of any thread, with its table.
pub fn load<S: Session>(
    plan: &Plan,
    target: &Target,
    seed: u64,
    threads: usize,
    progress: &mut dyn FnMut(u64),
) -> Result<(), LoadError> {
    let load = Load {
        plan,
        target,
        seed,
        rows_done: AtomicU64::new(0),
    };
    let body = async |pieces: &Pieces<Piece>| loader::<S>(&load, pieces).await;
    let rows = Pieces::new(row_pieces(plan));
    share(&rows, "loader", threads, body, &mut || {
        progress(load.rows_done.load(Ordering::Relaxed));
    })?;
    let finish = (0..plan.tables.len()).map(|table| Piece::Finish { table });
    let finish = Pieces::new(finish.collect());
    share(&finish, "loader", threads, body, &mut || {})
}

/// Chunks of all tables, taking turns among the tables, so that each table is
/// filled in key order by few threads where there are several tables.
fn row_pieces(plan: &Plan) -> Vec<Piece> {
    let most = plan
        .tables
        .iter()
        .map(|table| table.rows)
        .max()
        .unwrap_or(0);
    let mut pieces = Vec::new();
    let mut from = 1;
    while from <= most {
        let to = from.saturating_add(CHUNK_ROWS - 1);
        for (table, rows) in plan.tables.iter().map(|table| table.rows).enumerate() {
            if from <= rows {
                pieces.push(Piece::Rows {
                    table,
                    from,
                    to: to.min(rows),
                });
            }
        }
        from = to.saturating_add(1);
    }
    pieces
}

/// One thread, on one connection.
async fn loader<S: Session>(load: &Load<'_>, pieces: &Pieces<Piece>) -> Result<(), LoadError> {
    let mut session = None;
    while let Some(piece) = pieces.take() {
        let (Piece::Rows { table, .. } | Piece::Finish { table }) = piece;
        let table = &load.plan.tables[*table];
        take::<S>(load, &mut session, piece, table)
            .await
            .map_err(|error| LoadError::Table {
                table: table.name.clone(),
                error,
            })?;
    }
    if let Some(session) = session {
        // All its work is committed: how it says goodbye does not matter.
        let _ = session.close().await;
    }
    Ok(())
}

async fn take<S: Session>(
    load: &Load<'_>,
    session: &mut Option<S>,
    piece: &Piece,
    table: &Table,
) -> Result<(), DbError> {
    if session.is_none() {
        *session = Some(S::open(load.target, &[]).await?);
        // Long INSERTs over TLS are where Nagle's algorithm costs most. Where it
        // cannot be switched off the load is slow, but right.
        let _ = nodelay::switch_on();
    }
    let Some(session) = session else {
        return Ok(());
    };
    match piece {
        Piece::Rows { from, to, .. } => {
            load_rows(load, session, table, *from, *to).await?;
            load.rows_done.fetch_add(to - from + 1, Ordering::Relaxed);
        }
        Piece::Finish { .. } => {
            for sql in &table.indexes {
                session.raw(sql).await?;
            }
            if let Some(sql) = analyze(load.plan.engine, &table.name) {
                session.raw(&sql).await?;
            }
        }
    }
    Ok(())
}

async fn load_rows<S: Session>(
    load: &Load<'_>,
    session: &mut S,
    table: &Table,
    from: u64,
    to: u64,
) -> Result<(), DbError> {
    let mut rows = RowBuf::new(table.columns.len());
    let mut scratch = Cells::default();
    for row in from..=to {
        table.make_row(&load.plan.draws, load.seed, row, &mut scratch, &mut rows);
    }
    session.begin(true).await?;
    session.load(&table.name, &table.columns, &rows).await?;
    session.commit().await
}

/// Statistics for the planner; on PostgreSQL also the visibility map, so that
/// the first run is not the one that writes hint bits.
fn analyze(engine: Engine, table: &str) -> Option<String> {
    match engine {
        Engine::Postgres => Some(format!("VACUUM ANALYZE {table}")),
        Engine::Mysql | Engine::Mariadb => Some(format!("ANALYZE TABLE {table}")),
        Engine::Sqlite => Some(format!("ANALYZE {table}")),
        Engine::Null => None,
    }
}

/// Rows and estimated bytes of all tables, indexes included. Measured on the
/// generator's own rows; what the server adds is a rule of thumb.
pub fn estimate(plan: &Plan, seed: u64) -> (u64, u64) {
    const SAMPLE: u64 = 100;
    /// Row header, item pointer and primary key of a row.
    const ROW_OVERHEAD: u64 = 56;
    const INDEX_ENTRY: u64 = 24;
    let (mut rows, mut bytes) = (0_u64, 0_u64);
    let mut scratch = Cells::default();
    for table in &plan.tables {
        let sample = table.rows.min(SAMPLE);
        let mut sampled = RowBuf::new(table.columns.len());
        for row in 1..=sample {
            table.make_row(&plan.draws, seed, row, &mut scratch, &mut sampled);
        }
        let width = width(&sampled).checked_div(sample).unwrap_or(0);
        let each = width + ROW_OVERHEAD + INDEX_ENTRY * table.indexes.len() as u64;
        rows = rows.saturating_add(table.rows);
        bytes = bytes.saturating_add(table.rows.saturating_mul(each));
    }
    (rows, bytes)
}

fn width(rows: &RowBuf) -> u64 {
    use crate::value::Value;
    let values = (0..rows.cells.len()).map(|index| rows.cells.get(index));
    values
        .map(|value| match value {
            Value::Text(text) => text.len() as u64 + 1,
            Value::Bytes(bytes) => bytes.len() as u64 + 1,
            Value::Null => 0,
            _ => 8,
        })
        .sum()
}
