//! Reads tables and their indexes through once, so that a run begins on a full
//! cache: on several connections, before anything is measured. Changes nothing.
//!
//! The texts that read are made by the server, one list a table, as it knows
//! the table's indexes; they go over every row and return one.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::db::session::{DbError, Row, Session, Target};
use crate::run::pieces::{Pieces, share};
use crate::value::{Args, Engine, Kind, Statement, StmtId, Value};
use crate::workload::plan::Plan;

/// A scan by position in the table fills the server's cache, where a sequential
/// scan of a large table passes through a small ring of it; version 13 and older
/// know no such scan and do that. An index is read in its order. One that no
/// order reads through (not a B-tree, or of a part of the rows) is left out.
const POSTGRES: &str = "
SELECT format('SELECT count(*) FROM %s WHERE ctid >= ''(0,0)''', t.oid::regclass)
FROM pg_class t WHERE t.relname = $1::text AND pg_table_is_visible(t.oid)
UNION ALL
SELECT format('SELECT count(*) FROM (SELECT 1 FROM %s ORDER BY %s) AS rows_in_order', t.oid::regclass,
  (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, true)
     || CASE i.indoption[n - 1] & 1 WHEN 1 THEN ' DESC' ELSE ' ASC' END
     || CASE i.indoption[n - 1] & 2 WHEN 2 THEN ' NULLS FIRST' ELSE ' NULLS LAST' END, ', ' ORDER BY n)
   FROM generate_series(1, i.indnkeyatts) n))
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE t.relname = $1::text AND pg_table_is_visible(t.oid)
  AND i.indisvalid AND i.indpred IS NULL AND a.amname = 'btree'";

/// Around each text: nothing but the scan that is meant.
const POSTGRES_ONLY: [&str; 2] = [
    "SET LOCAL enable_seqscan = off",
    "SET LOCAL enable_sort = off",
];

/// Without an index a table is read by its rows, which `InnoDB` keeps in
/// the primary key. An aggregate of an expression cannot be answered from the ends
/// of an index. The two servers have different words for one that may be used.
macro_rules! in_families_of_mysql {
    ($usable:literal) => {
        concat!(
            "
SELECT CONCAT('SELECT MAX(LENGTH(`', REPLACE(COLUMN_NAME, '`', '``'), '`)) FROM `',
  REPLACE(TABLE_NAME, '`', '``'), '` USE INDEX ()')
FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND ORDINAL_POSITION = 1
UNION ALL
SELECT CONCAT('SELECT MAX(LENGTH(`', REPLACE(COLUMN_NAME, '`', '``'), '`)) FROM `',
  REPLACE(TABLE_NAME, '`', '``'), '` FORCE INDEX (`', REPLACE(INDEX_NAME, '`', '``'), '`)')
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND SEQ_IN_INDEX = 1
  AND INDEX_NAME <> 'PRIMARY' AND INDEX_TYPE = 'BTREE' AND COLUMN_NAME IS NOT NULL
  AND ",
            $usable
        )
    };
}
const MYSQL: &str = in_families_of_mysql!("IS_VISIBLE = 'YES'");
const MARIADB: &str = in_families_of_mysql!("IGNORED = 'NO'");

const SQLITE: &str = "
SELECT printf('SELECT COUNT(*) FROM \"%w\" NOT INDEXED', name)
FROM sqlite_master WHERE type = 'table' AND name = ?1
UNION ALL
SELECT printf('SELECT MAX(LENGTH(\"%w\")) FROM \"%w\" INDEXED BY \"%w\"', c.name, ?1, i.name)
FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c
WHERE c.seqno = 0 AND c.name IS NOT NULL AND NOT i.partial";

const LIST: StmtId = StmtId(0);

/// A table could not be read, or a thread not be started.
#[derive(Debug, thiserror::Error)]
pub enum PrewarmError {
    #[error("table {table} could not be read through before the run: {error}")]
    Table { table: String, error: DbError },
    #[error("cannot start a thread to read tables through: {0}")]
    Thread(#[from] std::io::Error),
}

/// One text that reads a table or an index of it.
#[derive(Debug)]
pub struct Scan {
    table: String,
    sql: String,
}

/// What there is to read of the plan's tables; nothing where there is no server.
///
/// # Errors
/// When the server does not tell a table's indexes.
pub async fn scans<S: Session>(plan: &Plan, target: &Target) -> Result<Vec<Scan>, PrewarmError> {
    let (sql, names) = match plan.engine {
        Engine::Postgres => (POSTGRES, 1),
        Engine::Mysql => (MYSQL, 2),
        Engine::Mariadb => (MARIADB, 2),
        Engine::Sqlite => (SQLITE, 1),
        Engine::Null => return Ok(Vec::new()),
    };
    let list = Statement {
        name: "tables and indexes to read through".to_owned(),
        sql,
        params: vec!["table".to_owned(); names],
        kind: Kind::Read,
    };
    let failed = |table: &str, error| PrewarmError::Table {
        table: table.to_owned(),
        error,
    };
    let mut scans = Vec::new();
    let Some(first) = plan.tables.first() else {
        return Ok(scans);
    };
    let mut session = S::open(target, &[list])
        .await
        .map_err(|error| failed(&first.name, error))?;
    for table in &plan.tables {
        let each = |row: &S::Row| {
            scans.push(Scan {
                table: table.name.clone(),
                sql: row.text(0)?.to_owned(),
            });
            Ok(())
        };
        let names = vec![Value::Text(&table.name); names];
        let listed = session.fetch(LIST, Args::List(&names), each).await;
        listed.map_err(|error| failed(&table.name, error))?;
    }
    // All answers are there: how it says goodbye does not matter.
    let _ = session.close().await;
    Ok(scans)
}

/// Runs all scans on up to `threads` connections. `progress` gets the number
/// that are done, ten times a second.
///
/// # Errors
/// The first failure of any thread, with its table.
pub fn prewarm<S: Session>(
    engine: Engine,
    target: &Target,
    scans: Vec<Scan>,
    threads: usize,
    progress: &mut dyn FnMut(u64),
) -> Result<(), PrewarmError> {
    let done = AtomicU64::new(0);
    let body = async |pieces: &Pieces<Scan>| {
        let mut session: Option<S> = None;
        while let Some(scan) = pieces.take() {
            read(&mut session, engine, target, scan)
                .await
                .map_err(|error| PrewarmError::Table {
                    table: scan.table.clone(),
                    error,
                })?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(session) = session {
            let _ = session.close().await;
        }
        Ok(())
    };
    let mut meanwhile = || progress(done.load(Ordering::Relaxed));
    let pieces = Pieces::new(scans);
    share(&pieces, "prewarmer", threads, body, &mut meanwhile)
}

/// In a transaction, so that a pooler's other clients do not inherit settings.
async fn read<S: Session>(
    session: &mut Option<S>,
    engine: Engine,
    target: &Target,
    scan: &Scan,
) -> Result<(), DbError> {
    let session = match session {
        Some(session) => session,
        None => session.insert(S::open(target, &[]).await?),
    };
    session.begin(false).await?;
    if engine == Engine::Postgres {
        for setting in POSTGRES_ONLY {
            session.raw(setting).await?;
        }
    }
    session.raw(&scan.sql).await?;
    session.commit().await
}
