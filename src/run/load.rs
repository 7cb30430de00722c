//! Loads a plan's tables: chunks of rows on several threads, also within one
//! table; then indexes and statistics. A thread that fails stops the others.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::db::nodelay;
use crate::db::session::{DbError, Session, Target};
use crate::value::{Cells, Engine, RowBuf};
use crate::workload::plan::{Plan, Table};

/// Rows of a chunk, which is one transaction.
const CHUNK_ROWS: u64 = 10_000;
/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// A table could not be loaded, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the load of {table} failed: {error}")]
    Table { table: String, error: DbError },
    #[error("cannot start a thread for the load: {0}")]
    Thread(std::io::Error),
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
struct Shared {
    plan: Arc<Plan>,
    target: Target,
    seed: u64,
    pieces: Vec<Piece>,
    next: AtomicUsize,
    rows_done: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<LoadError>>,
}

/// Fills tables that are there and empty, on `threads` connections. `progress`
/// gets the rows loaded so far.
///
/// # Errors
/// The first failure of any thread, with its table.
pub fn load<S: Session>(
    plan: &Arc<Plan>,
    target: &Target,
    seed: u64,
    threads: usize,
    progress: &mut dyn FnMut(u64),
) -> Result<(), LoadError> {
    work::<S>(plan, target, seed, threads, row_pieces(plan), progress)?;
    let finish = (0..plan.tables.len())
        .map(|table| Piece::Finish { table })
        .collect();
    work::<S>(plan, target, seed, threads, finish, &mut |_| {})
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

fn work<S: Session>(
    plan: &Arc<Plan>,
    target: &Target,
    seed: u64,
    threads: usize,
    pieces: Vec<Piece>,
    progress: &mut dyn FnMut(u64),
) -> Result<(), LoadError> {
    let threads = threads.min(pieces.len());
    let shared = Arc::new(Shared {
        plan: plan.clone(),
        target: target.clone(),
        seed,
        pieces,
        next: AtomicUsize::new(0),
        rows_done: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        failure: Mutex::new(None),
    });
    let mut handles = Vec::new();
    for number in 0..threads {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(LoadError::Thread)?;
        let shared = shared.clone();
        let body = move || runtime.block_on(loader::<S>(&shared));
        let thread = std::thread::Builder::new().name(format!("loader-{number}"));
        handles.push(thread.spawn(body).map_err(LoadError::Thread)?);
    }
    while handles.iter().any(|handle| !handle.is_finished()) {
        std::thread::sleep(PROGRESS_EVERY);
        progress(shared.rows_done.load(Ordering::Relaxed));
    }
    for handle in handles {
        if let Err(panic) = handle.join() {
            std::panic::resume_unwind(panic);
        }
    }
    let failure = shared
        .failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    failure.map_or(Ok(()), Err)
}

/// One thread: takes pieces until there are none, or another thread failed.
async fn loader<S: Session>(shared: &Shared) {
    let mut session = None;
    while !shared.stop.load(Ordering::Relaxed) {
        let Some(piece) = shared
            .pieces
            .get(shared.next.fetch_add(1, Ordering::Relaxed))
        else {
            break;
        };
        let (Piece::Rows { table, .. } | Piece::Finish { table }) = piece;
        let table = &shared.plan.tables[*table];
        if let Err(error) = take::<S>(shared, &mut session, piece, table).await {
            shared.stop.store(true, Ordering::Relaxed);
            let mut failure = shared
                .failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(LoadError::Table {
                table: table.name.clone(),
                error,
            });
            return;
        }
    }
    if let Some(session) = session {
        // All its work is committed: how it says goodbye does not matter.
        let _ = session.close().await;
    }
}

async fn take<S: Session>(
    shared: &Shared,
    session: &mut Option<S>,
    piece: &Piece,
    table: &Table,
) -> Result<(), DbError> {
    if session.is_none() {
        *session = Some(S::open(&shared.target, &[]).await?);
        // Long INSERTs over TLS are where Nagle's algorithm costs most. Where it
        // cannot be switched off the load is slow, but right.
        let _ = nodelay::switch_on();
    }
    let Some(session) = session else {
        return Ok(());
    };
    match piece {
        Piece::Rows { from, to, .. } => {
            load_rows(shared, session, table, *from, *to).await?;
            shared.rows_done.fetch_add(to - from + 1, Ordering::Relaxed);
        }
        Piece::Finish { .. } => {
            for sql in &table.indexes {
                session.raw(sql).await?;
            }
            if let Some(sql) = analyze(shared.plan.engine, &table.name) {
                session.raw(&sql).await?;
            }
        }
    }
    Ok(())
}

async fn load_rows<S: Session>(
    shared: &Shared,
    session: &mut S,
    table: &Table,
    from: u64,
    to: u64,
) -> Result<(), DbError> {
    let mut rows = RowBuf::new(table.columns.len());
    let mut scratch = Cells::default();
    for row in from..=to {
        table.make_row(
            &shared.plan.draws,
            shared.seed,
            row,
            &mut scratch,
            &mut rows,
        );
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
