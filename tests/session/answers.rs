//! What comes back: counts, errors of reading, transactions, facts.

use tiermark::db::session::{Class, DbError, Row, Session};
use tiermark::value::{Args, Engine, Value};

use crate::place::{Place, drop_table, id};

pub async fn rows_are_counted<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_counts";
    let mut session: S = place.open(&[]).await;
    let columns = "id INTEGER PRIMARY KEY, k INTEGER";
    place.create(&mut session, TABLE, columns).await;
    let statements = [
        place.statement(
            "insert",
            &format!("INSERT INTO {TABLE} VALUES (?, ?)"),
            &["id", "k"],
        ),
        place.statement(
            "update",
            &format!("UPDATE {TABLE} SET k = k + 1 WHERE id >= ?"),
            &["id"],
        ),
        place.statement(
            "select",
            &format!("SELECT k FROM {TABLE} WHERE id >= ?"),
            &["id"],
        ),
    ];
    let mut session: S = place.open(&statements).await;
    for key in 1..=5 {
        let row = [Value::Int(key), Value::Int(0)];
        session.exec(id(0), Args::List(&row)).await.unwrap();
    }
    for (from, rows) in [(2, 4), (9, 0), (1, 5)] {
        let from = [Value::Int(from)];
        for statement in [1, 2] {
            let count = session.exec(id(statement), Args::List(&from)).await;
            assert_eq!(count.unwrap(), rows, "statement {statement}");
        }
    }
    let none = [Value::Int(9)];
    // A SELECT without rows does not repeat the count of the last UPDATE.
    assert_eq!(session.exec(id(2), Args::List(&none)).await.unwrap(), 0);
    let delete = format!("DELETE FROM {TABLE} WHERE id > 2");
    assert_eq!(session.raw(&delete).await.unwrap(), 3);
    drop_table(&mut session, TABLE).await;
}

pub async fn a_failing_callback_leaves_the_session_usable<S: Session>(place: &Place) {
    let statements = [place.statement(
        "three",
        "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3",
        &[],
    )];
    let mut session: S = place.open(&statements).await;
    for _ in 0..2 {
        let mut calls = 0;
        let outcome = session
            .fetch(id(0), Args::NONE, |_| {
                calls += 1;
                Err(DbError::new(Class::Other, "mine", "enough"))
            })
            .await;
        assert_eq!(outcome.unwrap_err().code, "mine");
        assert_eq!(calls, 1);
        assert_eq!(session.exec(id(0), Args::NONE).await.unwrap(), 3);
    }
}

pub async fn wrong_reads_are_errors<S: Session>(place: &Place) {
    let statements = [place.statement("mixed", "SELECT 7 AS n, 'word' AS w", &[])];
    let mut session: S = place.open(&statements).await;
    session
        .fetch(id(0), Args::NONE, |row| {
            assert_eq!((row.int(0)?, row.text(1)?), (7, "word"));
            for error in [
                row.int(1).unwrap_err(),
                row.text(0).unwrap_err(),
                row.dec(1, 2).unwrap_err(),
                row.int(2).unwrap_err(),
            ] {
                assert_eq!(error.class, Class::Other, "{error}");
            }
            Ok(())
        })
        .await
        .unwrap();
}

pub async fn a_wrong_number_of_values_is_refused<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_arity";
    let mut session: S = place.open(&[]).await;
    place
        .create(&mut session, TABLE, "id INTEGER PRIMARY KEY")
        .await;
    let text = format!("SELECT id FROM {TABLE} WHERE id = ?");
    let statements = [place.statement("pick", &text, &["id"])];
    let mut session: S = place.open(&statements).await;
    for _ in 0..2 {
        let error = session.exec(id(0), Args::NONE).await.unwrap_err();
        assert!(error.message.contains("`pick` takes 1 values"), "{error}");
        let one = [Value::Int(1)];
        assert_eq!(session.exec(id(0), Args::List(&one)).await.unwrap(), 0);
    }
    drop_table(&mut session, TABLE).await;
}

pub async fn transactions_commit_and_roll_back<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_transaction";
    let mut session: S = place.open(&[]).await;
    place
        .create(&mut session, TABLE, "id INTEGER PRIMARY KEY")
        .await;
    let statements = [
        place.statement(
            "insert",
            &format!("INSERT INTO {TABLE} VALUES (?)"),
            &["id"],
        ),
        place.statement("all", &format!("SELECT id FROM {TABLE}"), &[]),
    ];
    let mut session: S = place.open(&statements).await;
    let mut other: S = place.open(&statements).await;
    for (key, keep, kept) in [(1, false, 0), (2, true, 1)] {
        session.begin(true).await.unwrap();
        session
            .exec(id(0), Args::List(&[Value::Int(key)]))
            .await
            .unwrap();
        assert_eq!(other.exec(id(1), Args::NONE).await.unwrap(), 0);
        if keep {
            session.commit().await.unwrap();
        } else {
            session.rollback().await.unwrap();
        }
        assert_eq!(other.exec(id(1), Args::NONE).await.unwrap(), kept);
    }
    other.begin(false).await.unwrap();
    assert_eq!(other.exec(id(1), Args::NONE).await.unwrap(), 1);
    other.commit().await.unwrap();
    // After an error within a transaction, a rollback makes it usable again.
    session.begin(true).await.unwrap();
    let twice = [Value::Int(2)];
    session.exec(id(0), Args::List(&twice)).await.unwrap_err();
    session.rollback().await.unwrap();
    assert_eq!(session.exec(id(1), Args::NONE).await.unwrap(), 1);
    drop_table(&mut session, TABLE).await;
    session.close().await.unwrap();
}

pub async fn a_missing_table_names_the_statement<S: Session>(place: &Place) {
    let text = "SELECT id FROM t_session_not_there WHERE id = ?";
    let statements = [place.statement("lost", text, &["id"])];
    let error = S::open(&place.target, &statements).await.err().unwrap();
    assert_eq!(error.class, Class::Other);
    assert!(error.message.contains("statement `lost`"), "{error}");
    assert!(error.message.contains("t_session_not_there"), "{error}");
}

pub async fn facts_and_tables<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_facts";
    let mut session: S = place.open(&[]).await;
    place
        .create(&mut session, TABLE, "id INTEGER PRIMARY KEY")
        .await;
    let tables = session.tables().await.unwrap();
    assert!(tables.iter().any(|name| name == TABLE), "{tables:?}");
    assert!(!tables.iter().any(|name| name == "pg_class"), "{tables:?}");
    drop_table(&mut session, TABLE).await;
    let tables = session.tables().await.unwrap();
    assert!(!tables.iter().any(|name| name == TABLE), "{tables:?}");

    let facts = session.facts().await.unwrap();
    assert_eq!(facts.engine, Some(place.engine));
    assert!(
        facts
            .version
            .starts_with(|first: char| first.is_ascii_digit())
    );
    assert!(!facts.version.contains(' '), "{}", facts.version);
    assert!(!facts.session_notes.is_empty());
    // PostgreSQL shows it to administrators only; to others it is no error.
    if place.engine != Engine::Postgres || facts.user == "postgres" {
        assert!(facts.data_directory.is_some());
    }
    let url = url::Url::parse(place.target.url()).unwrap();
    if place.is_server() {
        assert_eq!(facts.user, url.username());
        assert_eq!(facts.database, url.path().trim_matches('/'));
    }
    // MySQL offers TLS by itself, and it is taken where it is offered.
    if place.engine == Engine::Mysql {
        assert!(facts.tls);
    }
    let durability = match place.engine {
        Engine::Postgres => "synchronous_commit",
        Engine::Sqlite => "synchronous",
        _ => "innodb_flush_log_at_trx_commit",
    };
    let setting = facts.settings.iter().find(|(name, _)| name == durability);
    let known = ["on", "FULL", "1"];
    assert!(
        known.contains(&&*setting.unwrap().1),
        "{:?}",
        facts.settings
    );
}
