//! What an embedded SQLite says about itself, its tables and indexes.

use std::path::Path;

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Decode, Row as _, Sqlite};

use crate::value::{Engine, ServerFacts};

use super::failure;
use super::session::DbError;

const TABLES: &str = "
SELECT name FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

/// The settings that decide speed and durability, as the session has them.
const SETTINGS: [(&str, &str); 8] = [
    ("journal_mode", "PRAGMA journal_mode"),
    ("synchronous", "PRAGMA synchronous"),
    ("page_size", "PRAGMA page_size"),
    ("cache_size", "PRAGMA cache_size"),
    ("wal_autocheckpoint", "PRAGMA wal_autocheckpoint"),
    ("mmap_size", "PRAGMA mmap_size"),
    ("temp_store", "PRAGMA temp_store"),
    ("foreign_keys", "PRAGMA foreign_keys"),
];

pub(crate) async fn tables(connection: &mut SqliteConnection) -> Result<Vec<String>, DbError> {
    let rows = all(connection, TABLES).await?;
    Ok(rows.iter().filter_map(|row| cell(row, 0)).collect())
}

pub(crate) async fn indexes(
    connection: &mut SqliteConnection,
    table: &str,
) -> Result<Vec<String>, DbError> {
    let rows = sqlx::query("SELECT name FROM pragma_index_list(?) ORDER BY name")
        .bind(table)
        .persistent(false)
        .fetch_all(connection)
        .await
        .map_err(failure::sqlite)?;
    Ok(rows.iter().filter_map(|row| cell(row, 0)).collect())
}

pub(crate) async fn facts(
    connection: &mut SqliteConnection,
    file: &Path,
) -> Result<ServerFacts, DbError> {
    let version = all(connection, "SELECT sqlite_version()").await?;
    let mut settings = Vec::with_capacity(SETTINGS.len());
    for (name, question) in SETTINGS {
        let answer = all(connection, question).await?;
        if let Some(value) = answer.first().and_then(|row| cell(row, 0)) {
            settings.push((name.to_owned(), readable(name, value)));
        }
    }
    Ok(ServerFacts {
        engine: Some(Engine::Sqlite),
        version: version
            .first()
            .and_then(|row| cell(row, 0))
            .unwrap_or_default(),
        // There are no accounts: the file's permissions decide.
        user: String::new(),
        database: file.display().to_string(),
        tls: false,
        tls_detail: String::new(),
        pooled: false,
        data_directory: file.parent().map(|folder| folder.display().to_string()),
        settings,
        session_notes: vec![
            "writers of this process wait in a fair queue".to_owned(),
            "busy_timeout is 100 ms, for other processes".to_owned(),
        ],
    })
}

/// The one setting that is answered as a number but set and known by a word.
fn readable(name: &str, value: String) -> String {
    match (name, value.as_str()) {
        ("synchronous", "0") => "OFF".to_owned(),
        ("synchronous", "1") => "NORMAL".to_owned(),
        ("synchronous", "2") => "FULL".to_owned(),
        ("synchronous", "3") => "EXTRA".to_owned(),
        _ => value,
    }
}

/// A cell as text, whatever its type.
fn cell(row: &SqliteRow, column: usize) -> Option<String> {
    let value = row.try_get_raw(column).ok()?;
    <String as Decode<Sqlite>>::decode(value).ok()
}

async fn all(
    connection: &mut SqliteConnection,
    sql: &'static str,
) -> Result<Vec<SqliteRow>, DbError> {
    sqlx::raw_sql(sql)
        .fetch_all(connection)
        .await
        .map_err(failure::sqlite)
}
