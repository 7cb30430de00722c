//! Loads a plan's tables: chunks of rows on several threads, also within one
//! table; then indexes and statistics. A thread that fails stops the others.
//!
//! Each chunk commits together with its note in `tiermark_meta`, so that a load
//! that was cut off at any point can be taken up again and ends the same.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::db::nodelay;
use crate::db::session::{Class, DbError, Session, Target};
use crate::run::meta::{LOADED, Meta, MetaError, MetaSession, STATE};
use crate::run::pieces::{Pieces, share};
use crate::transaction::rows;
use crate::value::{Cells, Engine, RowBuf};
use crate::workload::plan::{Plan, Table};

/// Rows of a chunk, about; a chunk is one transaction.
const CHUNK_ROWS: u64 = 10_000;
/// Attempts at a chunk that another session's locks got in the way of.
const ATTEMPTS: u32 = 10;

/// A table could not be loaded, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the load of {table} failed: {error}")]
    Table { table: String, error: MetaError },
    #[error("cannot start a thread for the load: {0}")]
    Thread(#[from] std::io::Error),
    #[error(
        "rows {from} to {to} of {table} were loaded by another version of tiermark, in other chunks; load anew with --recreate"
    )]
    OtherChunks { table: String, from: u64, to: u64 },
}

/// One piece of work for a thread.
#[derive(Clone, Debug)]
enum Piece {
    /// What a table has under the numbers `from..=to`.
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

/// Fills tables that are there, on `threads` connections, leaving out what
/// `meta` says is loaded. `progress` gets the rows loaded so far, those included.
/// Returns how many rows were there already.
///
/// # Errors
/// The first failure of any thread, with its table.
pub fn load<S: Session>(
    plan: &Plan,
    target: &Target,
    seed: u64,
    threads: usize,
    meta: &Meta,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, LoadError> {
    let (rows, done) = row_pieces(plan, seed, meta)?;
    let load = Load {
        plan,
        target,
        seed,
        rows_done: AtomicU64::new(done),
    };
    let body = async |pieces: &Pieces<Piece>| loader::<S>(&load, pieces).await;
    share(&Pieces::new(rows), "loader", threads, body, &mut || {
        progress(load.rows_done.load(Ordering::Relaxed));
    })?;
    let open = |table: &usize| meta.item(&plan.tables[*table].name, STATE) != Some(LOADED);
    let tables = (0..plan.tables.len()).filter(open);
    let finish = Pieces::new(tables.map(|table| Piece::Finish { table }).collect());
    share(&finish, "loader", threads, body, &mut || {
        progress(load.rows_done.load(Ordering::Relaxed));
    })?;
    Ok(done)
}

/// Chunks of all tables, taking turns among the tables, so that each table is
/// filled in key order by few threads where there are several tables. Also the
/// rows that are there already.
fn row_pieces(plan: &Plan, seed: u64, meta: &Meta) -> Result<(Vec<Piece>, u64), LoadError> {
    let mut missing: Vec<(u64, usize, u64)> = Vec::new();
    let mut done = 0;
    for (table, spec) in plan.tables.iter().enumerate() {
        if meta.item(&spec.name, STATE) == Some(LOADED) {
            done += rows::count(spec, seed, 1, spec.rows);
            continue;
        }
        let mut loaded: BTreeMap<u64, u64> = meta.chunks(&spec.name).into_iter().collect();
        let each = CHUNK_ROWS / rows::rows_a_number(spec).max(1);
        let step = usize::try_from(each).unwrap_or(usize::MAX);
        for from in (1..=spec.rows).step_by(step) {
            let to = (from + each - 1).min(spec.rows);
            match loaded.remove(&from) {
                Some(last) if last == to => done += rows::count(spec, seed, from, to),
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

/// One thread, on one connection.
async fn loader<S: Session>(load: &Load<'_>, pieces: &Pieces<Piece>) -> Result<(), LoadError> {
    let mut book = None;
    while let Some(piece) = pieces.take() {
        let (Piece::Rows { table, .. } | Piece::Finish { table }) = piece;
        let table = &load.plan.tables[*table];
        take::<S>(load, &mut book, piece, table)
            .await
            .map_err(|error| LoadError::Table {
                table: table.name.clone(),
                error,
            })?;
    }
    if let Some(book) = book {
        // All its work is committed: how it says goodbye does not matter.
        let _ = book.into_inner().close().await;
    }
    Ok(())
}

async fn take<S: Session>(
    load: &Load<'_>,
    book: &mut Option<MetaSession<S>>,
    piece: &Piece,
    table: &Table,
) -> Result<(), MetaError> {
    if book.is_none() {
        *book = Some(MetaSession::open(load.target, load.plan.engine).await?);
        // Long INSERTs over TLS are where Nagle's algorithm costs most. Where it
        // cannot be switched off the load is slow, but right.
        let _ = nodelay::switch_on();
    }
    let Some(book) = book else { return Ok(()) };
    match piece {
        Piece::Rows { from, to, .. } => {
            let rows = load_chunk(load, book, table, *from, *to).await?;
            load.rows_done.fetch_add(rows, Ordering::Relaxed);
        }
        Piece::Finish { .. } => {
            for sql in &table.indexes {
                make(book.session(), sql).await?;
            }
            make_foreign_keys(load.plan.engine, book.session(), table).await?;
            if let Some(sql) = analyze(load.plan.engine, &table.name) {
                book.session().raw(&sql).await?;
            }
            book.set_loaded(&table.name).await?;
        }
    }
    Ok(())
}

async fn make<S: Session>(session: &mut S, sql: &str) -> Result<(), DbError> {
    let made = session.raw(sql).await;
    made.map(|_| ()).or_else(unless_it_exists)
}

/// MySQL would look up each row's partner one by one, which takes longer than the
/// load; the rows are the generator's, and each has its partner.
async fn make_foreign_keys<S: Session>(
    engine: Engine,
    session: &mut S,
    table: &Table,
) -> Result<(), DbError> {
    let switches =
        matches!(engine, Engine::Mysql | Engine::Mariadb) && !table.foreign_keys.is_empty();
    if switches {
        session.raw("SET foreign_key_checks = 0").await?;
    }
    for sql in &table.foreign_keys {
        make(session, sql).await?;
    }
    if switches {
        session.raw("SET foreign_key_checks = 1").await?;
    }
    Ok(())
}

/// A load that was cut off between an index or foreign key and the note of it
/// finds it there: making one is all or nothing on every engine.
fn unless_it_exists(error: DbError) -> Result<(), DbError> {
    let exists = match error.code.as_str() {
        // An index of this name, or a foreign key on MySQL.
        "42P07" | "1061" | "1826" => true,
        // A foreign key on MariaDB, whose reason stands in the text alone.
        "1005" => error.message.contains("errno: 121"),
        _ => error.message.contains("already exists"),
    };
    if exists { Ok(()) } else { Err(error) }
}

async fn load_chunk<S: Session>(
    load: &Load<'_>,
    book: &mut MetaSession<S>,
    table: &Table,
    from: u64,
    to: u64,
) -> Result<u64, DbError> {
    let mut rows = RowBuf::new(table.columns.len());
    let mut scratch = Cells::default();
    for number in from..=to {
        rows::make(load.plan, table, load.seed, number, &mut scratch, &mut rows);
    }
    // A count beyond u64 does not fit into memory.
    let count = rows.rows() as u64;
    for attempt in 1.. {
        let Err(error) = commit_chunk(book, table, &rows, from, to).await else {
            return Ok(count);
        };
        if error.class == Class::Disconnected {
            return Err(error);
        }
        book.session().rollback().await?;
        match error.class {
            // A killed load's last commit may arrive only now.
            Class::Duplicate if book.has_chunk(&table.name, from).await? => return Ok(count),
            Class::Retry if attempt < ATTEMPTS => {}
            _ => return Err(error),
        }
    }
    Ok(count)
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
        for number in 1..=sample {
            rows::make(plan, table, seed, number, &mut scratch, &mut sampled);
        }
        let made = (sampled.rows() as u64).max(1);
        let each = width(&sampled) / made + ROW_OVERHEAD;
        let each = each + INDEX_ENTRY * table.indexes.len() as u64;
        let table_rows = rows::count(table, seed, 1, table.rows);
        rows = rows.saturating_add(table_rows);
        bytes = bytes.saturating_add(table_rows.saturating_mul(each));
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
