//! What PostgreSQL says about itself, and which tables and indexes a name
//! reaches. Nothing of this enters the statement cache.

use sqlx::postgres::{PgConnection, PgRow};

use crate::value::{Engine, ServerFacts};

use super::failure;
use super::session::{Class, DbError, Row as _};

/// The identity of server and session in one row. `pg_settings` hides what the
/// user may not see, where `SHOW data_directory` would be an error.
const IDENTITY: &str = "
SELECT current_setting('server_version'), current_user, current_database(),
       (SELECT version || ' ' || cipher FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()),
       (SELECT setting FROM pg_settings WHERE name = 'data_directory')";

/// The settings that decide speed and durability; those that a version does not
/// have are no rows.
const SETTINGS: &str = "
SELECT name, current_setting(name) FROM pg_settings WHERE name IN (
  'autovacuum', 'bgwriter_delay', 'bgwriter_lru_maxpages', 'block_size',
  'checkpoint_completion_target', 'checkpoint_timeout', 'commit_delay', 'commit_siblings',
  'data_checksums', 'default_transaction_isolation', 'effective_cache_size',
  'effective_io_concurrency', 'fsync', 'full_page_writes', 'huge_pages', 'io_method',
  'io_workers', 'jit', 'maintenance_io_concurrency', 'maintenance_work_mem',
  'max_connections', 'max_parallel_workers_per_gather', 'max_wal_size', 'min_wal_size',
  'random_page_cost', 'search_path', 'shared_buffers', 'synchronous_commit', 'synchronous_standby_names',
  'temp_buffers', 'track_io_timing', 'track_wal_io_timing', 'wal_buffers', 'wal_compression',
  'wal_init_zero', 'wal_level', 'wal_recycle', 'wal_segment_size', 'wal_sync_method',
  'wal_writer_delay', 'work_mem') ORDER BY name";

const TABLES: &str = "
SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(oid)
  AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
ORDER BY relname";

const ROUTINES: &str = "
SELECT DISTINCT proname::text FROM pg_proc
WHERE pg_function_is_visible(oid)
  AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
ORDER BY 1";

/// One whose building failed is there by name only.
const INDEXES: &str = "
SELECT i.relname::text FROM pg_index
JOIN pg_class i ON i.oid = indexrelid JOIN pg_class t ON t.oid = indrelid
WHERE t.relname = $1 AND pg_table_is_visible(t.oid) AND indisvalid ORDER BY 1";

pub(crate) async fn backend_pid(connection: &mut PgConnection) -> Result<i64, DbError> {
    one(connection, "SELECT pg_backend_pid()").await?.int(0)
}

/// Of transactions to come.
pub(crate) async fn isolation(connection: &mut PgConnection) -> Result<String, DbError> {
    let sql = "SELECT current_setting('default_transaction_isolation')";
    owned(&one(connection, sql).await?, 0)
}

/// # Errors
/// Where a backslash in a literal would not be itself.
pub(crate) async fn check_quotes(connection: &mut PgConnection) -> Result<(), DbError> {
    let sql = "SELECT coalesce(current_setting('standard_conforming_strings', true), 'on')";
    if one(connection, sql).await?.text(0)? == "on" {
        return Ok(());
    }
    Err(DbError::new(
        Class::Other,
        "quotes",
        "the simple protocol needs standard_conforming_strings = on, which is PostgreSQL's default, and this session has it off; switch it on with: ALTER ROLE CURRENT_USER SET standard_conforming_strings = on;",
    ))
}

pub(crate) async fn tables(connection: &mut PgConnection) -> Result<Vec<String>, DbError> {
    let rows = all(connection, TABLES).await?;
    rows.iter().map(|row| owned(row, 0)).collect()
}

pub(crate) async fn routines(connection: &mut PgConnection) -> Result<Vec<String>, DbError> {
    let rows = all(connection, ROUTINES).await?;
    rows.iter().map(|row| owned(row, 0)).collect()
}

pub(crate) async fn indexes(
    connection: &mut PgConnection,
    table: &str,
) -> Result<Vec<String>, DbError> {
    let rows = sqlx::query(INDEXES)
        .bind(table)
        .persistent(false)
        .fetch_all(connection)
        .await
        .map_err(failure::postgres)?;
    rows.iter().map(|row| owned(row, 0)).collect()
}

pub(crate) async fn facts(connection: &mut PgConnection) -> Result<ServerFacts, DbError> {
    let identity = one(connection, IDENTITY).await?;
    let version = identity.text(0)?;
    let settings = all(connection, SETTINGS).await?;
    Ok(ServerFacts {
        engine: Some(Engine::Postgres),
        // `15.18 (Debian 15.18-0+deb12u1)`: the rest is the packager's.
        version: version.split(' ').next().unwrap_or(version).to_owned(),
        user: owned(&identity, 1)?,
        database: owned(&identity, 2)?,
        tls: !identity.is_null(3),
        tls_detail: owned(&identity, 3).unwrap_or_default(),
        pooled: false,
        data_directory: owned(&identity, 4).ok(),
        settings: settings
            .iter()
            .map(|row| Ok((owned(row, 0)?, owned(row, 1)?)))
            .collect::<Result<_, DbError>>()?,
        session_notes: vec![
            "DateStyle is ISO, MDY".to_owned(),
            "TimeZone is UTC".to_owned(),
            "client_encoding is UTF8".to_owned(),
        ],
    })
}

fn owned(row: &PgRow, column: usize) -> Result<String, DbError> {
    row.text(column).map(str::to_owned)
}

pub(crate) async fn one(
    connection: &mut PgConnection,
    sql: &'static str,
) -> Result<PgRow, DbError> {
    sqlx::raw_sql(sql)
        .fetch_one(connection)
        .await
        .map_err(failure::postgres)
}

async fn all(connection: &mut PgConnection, sql: &'static str) -> Result<Vec<PgRow>, DbError> {
    sqlx::raw_sql(sql)
        .fetch_all(connection)
        .await
        .map_err(failure::postgres)
}
