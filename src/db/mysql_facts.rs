//! What MySQL and MariaDB say about themselves, and which tables and indexes
//! a name reaches. Nothing of this stays prepared.

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Decode, MySql, Row as _};

use crate::value::{Engine, ServerFacts};

use super::cut::Syntax;
use super::failure;
use super::session::{Class, DbError};

const IDENTITY: &str = "
SELECT VERSION(), CURRENT_USER(), DATABASE(), @@datadir";

const TLS: &str = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')";

/// What decides how a text is written as a literal. No `@@`: a proxy would bind
/// the session to one server for it.
const TEXT_RULES: &str =
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('sql_mode', 'character_set_client')";

/// The settings that decide speed and durability, with the session's own value
/// where it has one; those that a server does not have are no rows.
const SETTINGS: &str = "
SHOW SESSION VARIABLES WHERE Variable_name IN (
  'autocommit', 'binlog_format', 'binlog_group_commit_sync_delay', 'binlog_order_commits',
  'binlog_row_image', 'character_set_server', 'collation_server', 'default_storage_engine',
  'innodb_adaptive_hash_index', 'innodb_autoinc_lock_mode', 'innodb_buffer_pool_instances',
  'innodb_buffer_pool_size', 'innodb_change_buffering', 'innodb_checksum_algorithm',
  'innodb_dedicated_server', 'innodb_doublewrite', 'innodb_file_per_table',
  'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_flush_neighbors',
  'innodb_io_capacity', 'innodb_io_capacity_max', 'innodb_lock_wait_timeout',
  'innodb_log_buffer_size', 'innodb_log_file_size', 'innodb_log_write_ahead_size',
  'innodb_lru_scan_depth', 'innodb_max_dirty_pages_pct', 'innodb_page_cleaners',
  'innodb_page_size', 'innodb_purge_threads', 'innodb_read_io_threads',
  'innodb_redo_log_capacity', 'innodb_snapshot_isolation', 'innodb_thread_concurrency',
  'innodb_use_native_aio', 'innodb_write_io_threads', 'log_bin', 'max_allowed_packet',
  'max_connections', 'max_prepared_stmt_count', 'performance_schema', 'query_cache_type',
  'skip_log_bin', 'sql_mode', 'sync_binlog', 'table_open_cache', 'thread_cache_size',
  'thread_handling', 'time_zone', 'transaction_isolation', 'tx_isolation')";

/// `tx_isolation` until MariaDB 11.1.
const ISOLATION: &str =
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation')";

const TABLES: &str = "
SELECT TABLE_NAME FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME";

const ROUTINES: &str = "
SELECT ROUTINE_NAME FROM information_schema.ROUTINES
WHERE ROUTINE_SCHEMA = DATABASE() ORDER BY ROUTINE_NAME";

const INDEXES: &str = "
SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY INDEX_NAME";

pub(crate) async fn connection_id(connection: &mut MySqlConnection) -> Result<i64, DbError> {
    let rows = all(connection, "SELECT CONNECTION_ID()").await?;
    rows.first()
        .and_then(|row| cell(row, 0)?.parse().ok())
        .ok_or_else(no_answer)
}

/// Of transactions to come: `READ-COMMITTED` as `read committed`.
pub(crate) async fn isolation(connection: &mut MySqlConnection) -> Result<String, DbError> {
    let rows = all(connection, ISOLATION).await?;
    let value = rows.first().and_then(|row| cell(row, 1));
    let value = value.ok_or_else(no_answer)?;
    Ok(value.to_lowercase().replace('-', " "))
}

/// How texts are written as literals in this session.
///
/// # Errors
/// When the URL chose a character set in which a quote or a backslash could be
/// a part of another character.
pub(crate) async fn syntax(connection: &mut MySqlConnection) -> Result<Syntax, DbError> {
    let rules = named(&all(connection, TEXT_RULES).await?);
    let charset = find(&rules, "character_set_client");
    if !charset.starts_with("utf8") {
        return Err(DbError::new(
            Class::Other,
            "charset",
            format!(
                "the simple protocol sends texts as utf8mb4 and this session has {charset}; leave charset out of the target's URL"
            ),
        ));
    }
    let backslash = !find(&rules, "sql_mode").contains("NO_BACKSLASH_ESCAPES");
    Ok(Syntax::Mysql { backslash })
}

pub(crate) async fn tables(connection: &mut MySqlConnection) -> Result<Vec<String>, DbError> {
    let rows = all(connection, TABLES).await?;
    Ok(rows.iter().filter_map(|row| cell(row, 0)).collect())
}

pub(crate) async fn routines(connection: &mut MySqlConnection) -> Result<Vec<String>, DbError> {
    let rows = all(connection, ROUTINES).await?;
    Ok(rows.iter().filter_map(|row| cell(row, 0)).collect())
}

pub(crate) async fn indexes(
    connection: &mut MySqlConnection,
    table: &str,
) -> Result<Vec<String>, DbError> {
    let rows = sqlx::query(INDEXES)
        .bind(table)
        .persistent(false)
        .fetch_all(connection)
        .await
        .map_err(failure::mysql)?;
    Ok(rows.iter().filter_map(|row| cell(row, 0)).collect())
}

pub(crate) async fn facts(connection: &mut MySqlConnection) -> Result<ServerFacts, DbError> {
    let identity = all(connection, IDENTITY).await?;
    let identity = identity.first().ok_or_else(no_answer)?;
    let version = cell(identity, 0).ok_or_else(no_answer)?;
    let account = cell(identity, 1).unwrap_or_default();
    let tls = named(&all(connection, TLS).await?);
    let (version_of_tls, cipher) = (find(&tls, "Ssl_version"), find(&tls, "Ssl_cipher"));
    let settings = named(&all(connection, SETTINGS).await?);
    Ok(ServerFacts {
        engine: Some(engine(&version)),
        version: short(&version).to_owned(),
        user: account
            .rsplit_once('@')
            .map_or(&*account, |(user, _)| user)
            .to_owned(),
        database: cell(identity, 2).unwrap_or_default(),
        tls: !cipher.is_empty(),
        tls_detail: format!("{version_of_tls} {cipher}").trim().to_owned(),
        pooled: false,
        data_directory: cell(identity, 3),
        settings,
        session_notes: vec![
            "IGNORE_SPACE is on".to_owned(),
            "FOUND_ROWS is on: an UPDATE counts the rows it matched".to_owned(),
            "the character set is utf8mb4".to_owned(),
        ],
    })
}

fn engine(version: &str) -> Engine {
    if version.contains("MariaDB") {
        Engine::Mariadb
    } else {
        Engine::Mysql
    }
}

/// `10.11.19-MariaDB-0+deb12u1` without what the packager added.
fn short(version: &str) -> &str {
    const MARK: &str = "-MariaDB";
    match version.find(MARK) {
        Some(at) => &version[..at + MARK.len()],
        None => version,
    }
}

/// A cell as text, whatever its type: SHOW gives its columns many.
fn cell(row: &MySqlRow, column: usize) -> Option<String> {
    let value = row.try_get_raw(column).ok()?;
    let bytes = <&[u8] as Decode<MySql>>::decode(value).ok()?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// Rows of SHOW: name and value.
fn named(rows: &[MySqlRow]) -> Vec<(String, String)> {
    rows.iter()
        .filter_map(|row| Some((cell(row, 0)?, cell(row, 1)?)))
        .collect()
}

fn find<'a>(rows: &'a [(String, String)], name: &str) -> &'a str {
    let row = rows.iter().find(|(known, _)| known == name);
    row.map_or("", |(_, value)| value)
}

fn no_answer() -> DbError {
    DbError::new(
        Class::Other,
        "client",
        "the server did not say what it is; is it MySQL or MariaDB?",
    )
}

async fn all(
    connection: &mut MySqlConnection,
    sql: &'static str,
) -> Result<Vec<MySqlRow>, DbError> {
    sqlx::raw_sql(sql)
        .fetch_all(connection)
        .await
        .map_err(failure::mysql)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_name_the_engine() {
        assert_eq!(engine("10.11.19-MariaDB-0+deb12u1"), Engine::Mariadb);
        assert_eq!(engine("9.7.4-2"), Engine::Mysql);
        assert_eq!(short("10.11.19-MariaDB-0+deb12u1"), "10.11.19-MariaDB");
        assert_eq!(short("9.7.4-2"), "9.7.4-2");
    }
}
