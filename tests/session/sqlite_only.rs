//! SQLite's writers: their fair queue, and locks of other processes.

use std::time::{Duration, Instant};

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tiermark::db::session::{Cancel, Class, Row, Session};
use tiermark::db::sqlite::SqliteSession;
use tiermark::value::{Args, Statement, Value};

use crate::place::{Place, id};

async fn counters(place: &Place) -> [Statement; 2] {
    let mut session: SqliteSession = place.open(&[]).await;
    place
        .create(
            &mut session,
            "t_session_counters",
            "id INTEGER PRIMARY KEY, k INTEGER",
        )
        .await;
    session
        .raw("INSERT INTO t_session_counters VALUES (1, 0)")
        .await
        .unwrap();
    [
        place.statement(
            "add",
            "UPDATE t_session_counters SET k = k + ? WHERE id = 1",
            &["n"],
        ),
        place.statement("read", "SELECT k FROM t_session_counters", &[]),
    ]
}

async fn total(session: &mut SqliteSession) -> i64 {
    let mut total = 0;
    session
        .fetch(id(1), Args::NONE, |row| {
            total = row.int(0)?;
            Ok(())
        })
        .await
        .unwrap();
    total
}

/// A connection that knows nothing of the queue, as another process has.
async fn outsider(place: &Place) -> SqliteConnection {
    let options: SqliteConnectOptions = place.target.url().parse().unwrap();
    options.connect().await.unwrap()
}

/// Only one of them may change a new file to WAL, and SQLite lets none wait.
#[tokio::test]
async fn clients_open_a_new_file_together() {
    let place = Place::sqlite();
    let clients = (0..16).map(|_| place.open::<SqliteSession>(&[]));
    let mut clients = futures_util::future::join_all(clients).await;
    let facts = clients[7].facts().await.unwrap();
    let has = |name: &str, value: &str| {
        let wanted = (name.to_owned(), value.to_owned());
        assert!(facts.settings.contains(&wanted), "{:?}", facts.settings);
    };
    has("journal_mode", "wal");
    has("synchronous", "FULL");
    has("foreign_keys", "0");
}

#[tokio::test]
async fn writers_take_turns() {
    const CLIENTS: usize = 8;
    const TRANSACTIONS: usize = 50;
    let place = Place::sqlite();
    let statements = counters(&place).await;
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut session: SqliteSession = place.open(&statements).await;
        clients.push(async move {
            let mut waited = Duration::ZERO;
            let one = [Value::Int(1)];
            for _ in 0..TRANSACTIONS {
                let start = Instant::now();
                session.begin(true).await.unwrap();
                waited += start.elapsed();
                session.exec(id(0), Args::List(&one)).await.unwrap();
                session.commit().await.unwrap();
                // One without a transaction waits in the same queue.
                session.exec(id(0), Args::List(&one)).await.unwrap();
            }
            waited
        });
    }
    let waits = futures_util::future::join_all(clients).await;
    let all: Duration = waits.iter().sum();
    // None waits for more than half of what the others wait together.
    for wait in &waits {
        assert!(*wait * 3 < all, "{waits:?}");
    }
    let mut session: SqliteSession = place.open(&statements).await;
    let done = i64::try_from(CLIENTS * TRANSACTIONS * 2).unwrap();
    assert_eq!(total(&mut session).await, done);
}

#[tokio::test]
async fn another_process_is_retried_after_a_short_wait() {
    let place = Place::sqlite();
    let statements = counters(&place).await;
    let mut session: SqliteSession = place.open(&statements).await;
    let mut outsider = outsider(&place).await;
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut outsider)
        .await
        .unwrap();
    let start = Instant::now();
    let error = session.begin(true).await.unwrap_err();
    assert_eq!((error.class, &*error.code), (Class::Retry, "5"));
    assert!(start.elapsed() >= Duration::from_millis(50));
    let one = [Value::Int(1)];
    let error = session.exec(id(0), Args::List(&one)).await.unwrap_err();
    assert_eq!(error.class, Class::Retry);
    // A reader does not mind.
    assert_eq!(total(&mut session).await, 0);
    sqlx::raw_sql("COMMIT")
        .execute(&mut outsider)
        .await
        .unwrap();
    session.begin(true).await.unwrap();
    session.exec(id(0), Args::List(&one)).await.unwrap();
    session.commit().await.unwrap();
    assert_eq!(total(&mut session).await, 1);
}

#[tokio::test]
async fn a_stale_snapshot_is_retried() {
    let place = Place::sqlite();
    let statements = counters(&place).await;
    let mut reader: SqliteSession = place.open(&statements).await;
    let mut writer: SqliteSession = place.open(&statements).await;
    let one = [Value::Int(1)];
    reader.begin(false).await.unwrap();
    assert_eq!(total(&mut reader).await, 0);
    writer.exec(id(0), Args::List(&one)).await.unwrap();
    let error = reader.exec(id(0), Args::List(&one)).await.unwrap_err();
    assert_eq!((error.class, &*error.code), (Class::Retry, "517"));
    reader.rollback().await.unwrap();
    assert_eq!(total(&mut reader).await, 1);
}

#[tokio::test]
async fn a_computing_statement_can_be_stopped() {
    let place = Place::sqlite();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT count(*) FROM n";
    let statements = [place.statement("endless", endless, &[])];
    let mut session: SqliteSession = place.open(&statements).await;
    let mut control: SqliteSession = place.open(&[]).await;
    let session_id = session.id();
    for (how, class) in [
        (Cancel::Statement, Class::Cancelled),
        (Cancel::Connection, Class::Disconnected),
    ] {
        let stop = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let asked = Instant::now();
            control.cancel(session_id, how).await.unwrap();
            asked
        };
        let (outcome, asked) = tokio::join!(session.exec(id(0), Args::NONE), stop);
        assert_eq!(outcome.unwrap_err().class, class);
        assert!(asked.elapsed() < Duration::from_secs(1));
    }
}

/// A write of a session that is gone must not be done later.
#[tokio::test]
async fn a_dropped_session_changes_nothing() {
    let place = Place::sqlite();
    counters(&place).await;
    let slow = "INSERT INTO t_session_counters \
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 5000000) \
                SELECT i, 0 FROM n";
    let statements = [place.statement("slow", slow, &[])];
    let mut session: SqliteSession = place.open(&statements).await;
    let started = tokio::time::timeout(Duration::from_millis(50), session.exec(id(0), Args::NONE));
    assert!(started.await.is_err());
    drop(session);
    let statements = [place.statement("rows", "SELECT id FROM t_session_counters", &[])];
    let mut session: SqliteSession = place.open(&statements).await;
    // It is rolled back before the next writer comes in.
    let one = "INSERT INTO t_session_counters VALUES (-1, 0)";
    let start = Instant::now();
    while session.raw(one).await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(session.exec(id(0), Args::NONE).await.unwrap(), 2);
}
