//! Loads a plan's tables: chunks of rows on several threads, also within one
//! table; then indexes and statistics. A thread that fails stops the others.
//!
//! Each chunk commits together with its note in `tiermark_meta`, so that a load
//! that was cut off at any point can be taken up again and ends the same.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::db::nodelay;
use crate::db::session::{Class, DbError, Session, Target};
use crate::run::meta::{LOADED, Meta, MetaError, MetaSession, STATE};
use crate::value::{Cells, Engine, RowBuf};
use crate::workload::plan::{Plan, Table};

/// Rows of a chunk, which is one transaction.
const CHUNK_ROWS: u64 = 10_000;
const CHUNK_STEP: usize = 10_000;
/// Attempts at a chunk that another session's locks got in the way of.
const ATTEMPTS: u32 = 10;
/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// A table could not be loaded, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the load of {table} failed: {error}")]
    Table { table: String, error: MetaError },
    #[error("cannot start a thread for the load: {0}")]
    Thread(std::io::Error),
    #[error(
        "rows {from} to {to} of {table} were loaded by another version of tiermark, in other chunks; load anew with --recreate"
    )]
    OtherChunks { table: String, from: u64, to: u64 },
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

/// Fills tables that are there, on `threads` connections, leaving out what
/// `meta` says is loaded. `progress` gets the rows loaded so far, those included.
/// Returns how many rows were there already.
///
/// # Errors
/// The first failure of any thread, with its table.
pub fn load<S: Session>(
    plan: &Arc<Plan>,
    target: &Target,
    seed: u64,
    threads: usize,
    meta: &Meta,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, LoadError> {
    let (rows, done) = row_pieces(plan, meta)?;
    work::<S>(plan, target, seed, threads, rows, &mut |more| {
        progress(done + more);
    })?;
    let open = |table: &usize| meta.item(&plan.tables[*table].name, STATE) != Some(LOADED);
    let finish = (0..plan.tables.len())
        .filter(open)
        .map(|table| Piece::Finish { table });
    work::<S>(plan, target, seed, threads, finish.collect(), &mut |_| {})?;
    Ok(done)
}

/// Chunks of all tables, taking turns among the tables, so that each table is
/// filled in key order by few threads where there are several tables. Also the
/// rows that are there already.
fn row_pieces(plan: &Plan, meta: &Meta) -> Result<(Vec<Piece>, u64), LoadError> {
    let mut missing: Vec<(u64, usize, u64)> = Vec::new();
    let mut done = 0;
    for (table, spec) in plan.tables.iter().enumerate() {
        if meta.item(&spec.name, STATE) == Some(LOADED) {
            done += spec.rows;
            continue;
        }
        let mut loaded: BTreeMap<u64, u64> = meta.chunks(&spec.name).into_iter().collect();
        for from in (1..=spec.rows).step_by(CHUNK_STEP) {
            let to = (from + CHUNK_ROWS - 1).min(spec.rows);
            match loaded.remove(&from) {
                Some(last) if last == to => done += to - from + 1,
                Some(last) => return Err(other_chunks(spec, from, last)),
                None => missing.push((from, table, to)),
            }
        }
        if let Some((from, to)) = loaded.pop_first() {
            return Err(other_chunks(spec, from, to));
        }
    }
    missing.sort_unstable();
    let piece = |(from, table, to)| Piece::Rows { table, from, to };
    Ok((missing.into_iter().map(piece).collect(), done))
}

fn other_chunks(table: &Table, from: u64, to: u64) -> LoadError {
    LoadError::OtherChunks {
        table: table.name.clone(),
        from,
        to,
    }
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
    let mut book = None;
    while !shared.stop.load(Ordering::Relaxed) {
        let Some(piece) = shared
            .pieces
            .get(shared.next.fetch_add(1, Ordering::Relaxed))
        else {
            break;
        };
        let (Piece::Rows { table, .. } | Piece::Finish { table }) = piece;
        let table = &shared.plan.tables[*table];
        if let Err(error) = take::<S>(shared, &mut book, piece, table).await {
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
    if let Some(book) = book {
        // All its work is committed: how it says goodbye does not matter.
        let _ = book.into_inner().close().await;
    }
}

async fn take<S: Session>(
    shared: &Shared,
    book: &mut Option<MetaSession<S>>,
    piece: &Piece,
    table: &Table,
) -> Result<(), MetaError> {
    if book.is_none() {
        *book = Some(MetaSession::open(&shared.target, shared.plan.engine).await?);
        // Long INSERTs over TLS are where Nagle's algorithm costs most. Where it
        // cannot be switched off the load is slow, but right.
        let _ = nodelay::switch_on();
    }
    let Some(book) = book else { return Ok(()) };
    match piece {
        Piece::Rows { from, to, .. } => {
            load_chunk(shared, book, table, *from, *to).await?;
            shared.rows_done.fetch_add(to - from + 1, Ordering::Relaxed);
        }
        Piece::Finish { .. } => {
            for sql in &table.indexes {
                let made = book.session().raw(sql).await;
                made.map(|_| ()).or_else(unless_it_exists)?;
            }
            if let Some(sql) = analyze(shared.plan.engine, &table.name) {
                book.session().raw(&sql).await?;
            }
            book.set_loaded(&table.name).await?;
        }
    }
    Ok(())
}

/// A load that was cut off between an index and the note of it finds the index
/// there: making one is all or nothing on every engine.
fn unless_it_exists(error: DbError) -> Result<(), DbError> {
    let exists =
        matches!(error.code.as_str(), "42P07" | "1061") || error.message.contains("already exists");
    if exists { Ok(()) } else { Err(error) }
}

async fn load_chunk<S: Session>(
    shared: &Shared,
    book: &mut MetaSession<S>,
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
    for attempt in 1.. {
        let Err(error) = commit_chunk(book, table, &rows, from, to).await else {
            return Ok(());
        };
        if error.class == Class::Disconnected {
            return Err(error);
        }
        book.session().rollback().await?;
        match error.class {
            // A killed load's last commit may arrive only now.
            Class::Duplicate if book.has_chunk(&table.name, from).await? => return Ok(()),
            Class::Retry if attempt < ATTEMPTS => {}
            _ => return Err(error),
        }
    }
    Ok(())
}

async fn commit_chunk<S: Session>(
    book: &mut MetaSession<S>,
    table: &Table,
    rows: &RowBuf,
    from: u64,
    to: u64,
) -> Result<(), DbError> {
    book.session().begin(true).await?;
    // The note first: two loads of one chunk meet here, not after the rows.
    book.chunk_loaded(&table.name, from, to).await?;
    book.session()
        .load(&table.name, &table.columns, rows)
        .await?;
    book.session().commit().await
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
