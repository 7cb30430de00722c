//! Sessions in each other's way: classes of their errors, and stopping them.

use std::time::{Duration, Instant};

use tiermark::db::session::{Cancel, Class, DbError, Session};
use tiermark::value::{Args, RowBuf, Statement, Value};

use crate::place::{Place, drop_table, id};

/// A statement is stopped within milliseconds; this is the promise.
const PROMPT: Duration = Duration::from_secs(1);
/// Long enough for a statement to be on the server and waiting.
const UNDER_WAY: Duration = Duration::from_millis(200);

/// A table with the rows 1 and 2, and statements to insert and update one.
async fn two_rows<S: Session>(place: &Place, table: &str) -> [Statement; 2] {
    let mut session: S = place.open(&[]).await;
    let columns = "id INTEGER PRIMARY KEY, k INTEGER";
    place.create(&mut session, table, columns).await;
    let statements = [
        place.statement(
            "insert",
            &format!("INSERT INTO {table} VALUES (?, ?)"),
            &["id", "k"],
        ),
        place.statement(
            "update",
            &format!("UPDATE {table} SET k = k + 1 WHERE id = ?"),
            &["id"],
        ),
    ];
    let mut session: S = place.open(&statements).await;
    for key in 1..=2 {
        let row = [Value::Int(key), Value::Int(0)];
        session.exec(id(0), Args::List(&row)).await.unwrap();
    }
    statements
}

async fn update<S: Session>(session: &mut S, key: i64) -> Result<u64, DbError> {
    session.exec(id(1), Args::List(&[Value::Int(key)])).await
}

pub async fn a_duplicate_key_has_its_class<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_duplicate";
    let statements = two_rows::<S>(place, TABLE).await;
    let mut session: S = place.open(&statements).await;
    let again = [Value::Int(1), Value::Int(0)];
    let error = session.exec(id(0), Args::List(&again)).await.unwrap_err();
    assert_eq!(error.class, Class::Duplicate, "{error}");
    assert!(error.message.contains("`insert`"), "{error}");
    drop_table(&mut session, TABLE).await;
}

pub async fn two_updates_in_opposite_order_are_retried<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_deadlock";
    if !place.is_server() {
        // One writer at a time: there is nothing to lock each other out of.
        return;
    }
    let statements = two_rows::<S>(place, TABLE).await;
    let mut a: S = place.open(&statements).await;
    let mut b: S = place.open(&statements).await;
    a.begin(true).await.unwrap();
    b.begin(true).await.unwrap();
    update(&mut a, 1).await.unwrap();
    update(&mut b, 2).await.unwrap();
    let outcomes = tokio::join!(update(&mut a, 2), update(&mut b, 1));
    let error = match outcomes {
        (Err(error), Ok(1)) | (Ok(1), Err(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(error.class, Class::Retry, "{error}");
    a.rollback().await.unwrap();
    b.rollback().await.unwrap();
    update(&mut a, 1).await.unwrap();
    update(&mut b, 1).await.unwrap();
    drop_table(&mut a, TABLE).await;
}

pub async fn a_waiting_statement_can_be_cancelled<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_cancel";
    let statements = two_rows::<S>(place, TABLE).await;
    let mut holder: S = place.open(&statements).await;
    let mut waiter: S = place.open(&statements).await;
    let mut control: S = place.open(&[]).await;
    holder.begin(true).await.unwrap();
    update(&mut holder, 1).await.unwrap();
    let waiter_id = waiter.id();
    let wait = async {
        waiter.begin(true).await?;
        let outcome = update(&mut waiter, 1).await;
        waiter.rollback().await?;
        outcome
    };
    let stop = async {
        tokio::time::sleep(UNDER_WAY).await;
        let asked = Instant::now();
        control.cancel(waiter_id, Cancel::Statement).await.unwrap();
        asked
    };
    let (outcome, asked) = tokio::join!(wait, stop);
    let error = outcome.unwrap_err();
    assert_eq!(error.class, Class::Cancelled, "{error}");
    assert!(asked.elapsed() < PROMPT);
    holder.commit().await.unwrap();
    // Usable, and the cancelled update has not been done.
    assert_eq!(update(&mut waiter, 1).await.unwrap(), 1);
    let check = format!("DELETE FROM {TABLE} WHERE id = 1 AND k = 2");
    assert_eq!(waiter.raw(&check).await.unwrap(), 1);
    drop_table(&mut waiter, TABLE).await;
}

pub async fn a_waiting_load_can_be_cancelled<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_load_cancel";
    let statements = two_rows::<S>(place, TABLE).await;
    let mut holder: S = place.open(&statements).await;
    let mut loader: S = place.open(&statements).await;
    let mut control: S = place.open(&[]).await;
    holder.begin(true).await.unwrap();
    let taken = [Value::Int(5), Value::Int(0)];
    holder.exec(id(0), Args::List(&taken)).await.unwrap();
    let columns = ["id".to_owned(), "k".to_owned()];
    let mut rows = RowBuf::new(2);
    for key in 3..20_000 {
        rows.cells.push(Value::Int(key));
        rows.cells.push(Value::Int(0));
    }
    let loader_id = loader.id();
    let stop = async {
        tokio::time::sleep(UNDER_WAY).await;
        let asked = Instant::now();
        control.cancel(loader_id, Cancel::Statement).await.unwrap();
        asked
    };
    let (outcome, asked) = tokio::join!(loader.load(TABLE, &columns, &rows), stop);
    let error = outcome.unwrap_err();
    assert_eq!(error.class, Class::Cancelled, "{error}");
    assert!(asked.elapsed() < PROMPT);
    holder.commit().await.unwrap();
    // The second load meets the key that the holder has put meanwhile.
    let error = loader.load(TABLE, &columns, &rows).await.unwrap_err();
    assert_eq!(error.class, Class::Duplicate, "{error}");
    assert_eq!(update(&mut loader, 5).await.unwrap(), 1);
    drop_table(&mut loader, TABLE).await;
}

pub async fn a_closed_connection_is_disconnected<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_closed";
    let statements = two_rows::<S>(place, TABLE).await;
    let mut holder: S = place.open(&statements).await;
    let mut waiter: S = place.open(&statements).await;
    let mut idle: S = place.open(&statements).await;
    let mut control: S = place.open(&[]).await;
    holder.begin(true).await.unwrap();
    update(&mut holder, 1).await.unwrap();
    let waiter_id = waiter.id();
    let stop = async {
        tokio::time::sleep(UNDER_WAY).await;
        let asked = Instant::now();
        control.cancel(waiter_id, Cancel::Connection).await.unwrap();
        asked
    };
    let (outcome, asked) = tokio::join!(update(&mut waiter, 1), stop);
    let error = outcome.unwrap_err();
    assert_eq!(error.class, Class::Disconnected, "{error}");
    assert!(asked.elapsed() < PROMPT);
    let error = update(&mut waiter, 1).await.unwrap_err();
    assert_eq!(error.class, Class::Disconnected, "{error}");
    // One that waits for its client hears of it with its next statement.
    control.cancel(idle.id(), Cancel::Connection).await.unwrap();
    tokio::time::sleep(UNDER_WAY).await;
    let error = update(&mut idle, 1).await.unwrap_err();
    assert_eq!(error.class, Class::Disconnected, "{error}");
    drop(waiter);
    holder.commit().await.unwrap();
    let check = format!("DELETE FROM {TABLE} WHERE id = 1 AND k = 1");
    assert_eq!(holder.raw(&check).await.unwrap(), 1);
    drop_table(&mut holder, TABLE).await;
}

pub async fn what_is_gone_can_be_cancelled<S: Session>(place: &Place) {
    let mut control: S = place.open(&[]).await;
    let gone: S = place.open(&[]).await;
    let gone_id = gone.id();
    gone.close().await.unwrap();
    tokio::time::sleep(UNDER_WAY).await;
    for how in [Cancel::Statement, Cancel::Connection] {
        control.cancel(gone_id, how).await.unwrap();
    }
}
