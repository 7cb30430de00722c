//! What could go wrong with values in texts: quotes, backslashes, extremes; and
//! that the server really prepares nothing.

use tiermark::db::session::{Row, Session};
use tiermark::value::{Args, Engine, RowBuf, Value};

use crate::place::{Place, drop_table, id};

const ODD: [&str; 9] = [
    "it's",
    "a\\",
    "\\'; DROP TABLE t; --",
    "''",
    "?, $1, :x",
    "/* \" ` */ # --",
    "line\r\n\ttab",
    "日本 ü 🦀",
    "",
];

pub async fn odd_texts_come_back<S: Session>(place: &Place) {
    let (text, bytes) = match place.engine {
        Engine::Postgres => ("?::text", "WHERE ?::bytea"),
        _ => ("?", "FROM dual WHERE ?"),
    };
    let statements = [
        place.statement("echo", &format!("SELECT {text}, '$1'"), &["text"]),
        place.statement("same", &format!("SELECT 1 {bytes} = ?"), &[]),
    ];
    let mut session: S = place.open(&statements).await;
    for text in ODD {
        let mut found = None;
        session
            .fetch(id(0), Args::List(&[Value::Text(text)]), |row| {
                assert_eq!(row.text(1)?, "$1");
                found = Some(row.text(0)?.to_owned());
                Ok(())
            })
            .await
            .unwrap();
        assert_eq!(found.as_deref(), Some(text));
    }
    let all: Vec<u8> = (0..=255).collect();
    let args = [Value::Bytes(&all), Value::Bytes(&all)];
    assert_eq!(session.exec(id(1), Args::List(&args)).await.unwrap(), 1);
}

pub async fn extreme_numbers_come_back<S: Session>(place: &Place) {
    const TABLE: &str = "t_simple_numbers";
    const FLOATS: [f64; 7] = [
        0.1,
        -1.5e-7,
        f64::MAX,
        f64::MIN_POSITIVE,
        1.0 / 3.0,
        -0.0,
        9_007_199_254_740_993.0,
    ];
    let mut session: S = place.open(&[]).await;
    let columns = "id BIGINT PRIMARY KEY, f DOUBLE PRECISION";
    place.create(&mut session, TABLE, columns).await;
    let statements = [
        place.statement("put", &format!("INSERT INTO {TABLE} VALUES (?, ?)"), &[]),
        // Also where a sign could make a comment of what follows.
        place.statement(
            "found",
            &format!("SELECT id FROM {TABLE} WHERE id = ? AND f = ? AND 1-?=6"),
            &[],
        ),
    ];
    let mut session: S = place.open(&statements).await;
    for (step, float) in (0..).zip(FLOATS) {
        for key in [i64::MIN + step, i64::MAX - step] {
            let row = [Value::Int(key), Value::Float(float)];
            assert_eq!(session.exec(id(0), Args::List(&row)).await.unwrap(), 1);
            let args = [row[0], row[1], Value::Int(-5)];
            let count = session.exec(id(1), Args::List(&args)).await.unwrap();
            assert_eq!(count, 1, "{key} {float}");
        }
    }
    drop_table(&mut session, TABLE).await;
}

/// Also not while connecting, loading, and asking for facts and tables.
pub async fn nothing_is_prepared<S: Session>(place: &Place) {
    const TABLE: &str = "t_simple_prepared";
    let mut session: S = place.open(&[]).await;
    place
        .create(&mut session, TABLE, "id INTEGER PRIMARY KEY")
        .await;
    let count = match place.engine {
        Engine::Postgres => "SELECT 'n', count(*)::text FROM pg_prepared_statements",
        _ => "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'",
    };
    let statements = [
        place.statement("put", &format!("INSERT INTO {TABLE} VALUES (?)"), &["id"]),
        place.statement("count", count, &[]),
    ];
    let mut session: S = place.open(&statements).await;
    session
        .exec(id(0), Args::List(&[Value::Int(1)]))
        .await
        .unwrap();
    let mut rows = RowBuf::new(1);
    rows.cells.push(Value::Int(2));
    session
        .load(TABLE, &["id".to_owned()], &rows)
        .await
        .unwrap();
    session.facts().await.unwrap();
    session.tables().await.unwrap();
    let mut prepared = None;
    session
        .fetch(id(1), Args::NONE, |row| {
            prepared = Some(row.text(1)?.to_owned());
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(prepared.as_deref(), Some("0"));
    drop_table(&mut session, TABLE).await;
}

/// Where a quote could end elsewhere than it seems, nothing is sent.
pub async fn doubtful_quotes_are_refused<S: Session>(place: &Place) {
    let (option, part) = match place.engine {
        Engine::Postgres => (
            "options[standard_conforming_strings]=off",
            "needs standard_conforming_strings = on",
        ),
        _ => ("charset=latin1", "this session has latin1"),
    };
    let target = place.with_url(|url| url.set_query(Some(option)));
    let error = S::open(&target, &[]).await.err().unwrap();
    assert!(error.message.contains(part), "{error}");
}
