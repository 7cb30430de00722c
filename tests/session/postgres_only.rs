//! PostgreSQL's inference of parameter types, and what does not fit them.

use tiermark::db::postgres::PgSession;
use tiermark::db::session::{Class, Row, Session};
use tiermark::value::{Args, Dec, Value};

use crate::place::{Place, drop_table, id};

/// Declared as text, the value would turn the index off.
#[tokio::test]
async fn a_char_key_uses_its_index() {
    const TABLE: &str = "t_session_char_key";
    let Some(place) = Place::postgres() else {
        return;
    };
    let mut session: PgSession = place.open(&[]).await;
    let columns = "k CHAR(16) PRIMARY KEY, n INTEGER UNIQUE";
    place.create(&mut session, TABLE, columns).await;
    let statements = [
        place.statement(
            "by_char",
            &format!("EXPLAIN SELECT n FROM {TABLE} WHERE k = ?"),
            &["k"],
        ),
        place.statement(
            "by_int",
            &format!("EXPLAIN SELECT k FROM {TABLE} WHERE n = ?"),
            &["n"],
        ),
    ];
    let mut session: PgSession = place.open(&statements).await;
    session.raw("SET enable_seqscan = off").await.unwrap();
    for (statement, value) in [(0, Value::Text("key")), (1, Value::Int(7))] {
        let mut plan = String::new();
        session
            .fetch(id(statement), Args::List(&[value]), |row| {
                plan.push_str(row.text(0)?);
                plan.push('\n');
                Ok(())
            })
            .await
            .unwrap();
        assert!(plan.contains("Index Cond"), "{plan}");
    }
    drop_table(&mut session, TABLE).await;
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_named() {
    const TABLE: &str = "t_session_misfit";
    let Some(place) = Place::postgres() else {
        return;
    };
    let mut session: PgSession = place.open(&[]).await;
    let columns = "small SMALLINT, money NUMERIC(12,2), word VARCHAR(20)";
    place.create(&mut session, TABLE, columns).await;
    let statements = [place.statement(
        "put",
        &format!("INSERT INTO {TABLE} VALUES (?, ?, ?)"),
        &["small", "money", "word"],
    )];
    let mut session: PgSession = place.open(&statements).await;
    let money = Value::Dec(Dec {
        units: 150,
        scale: 2,
    });
    let good = [Value::Int(7), money, Value::Text("w")];
    for (place, value, wanted) in [
        (
            0,
            Value::Int(70_000),
            "the integer 70000 does not fit :small, which is INT2",
        ),
        (
            0,
            Value::Text("7"),
            "the text '7' does not fit :small, which is INT2",
        ),
        (
            1,
            Value::Float(1.5),
            "the float 1.5 does not fit :money, which is NUMERIC",
        ),
        (2, Value::Time(0), "does not fit :word, which is VARCHAR"),
    ] {
        let mut row = good;
        row[place] = value;
        let error = session.exec(id(0), Args::List(&row)).await.unwrap_err();
        assert_eq!(error.class, Class::Other);
        assert!(error.message.contains("statement `put`"), "{error}");
        assert!(error.message.contains(wanted), "{error}");
        // Nothing was sent: the session goes on.
        assert_eq!(session.exec(id(0), Args::List(&good)).await.unwrap(), 1);
    }
    drop_table(&mut session, TABLE).await;
}

#[tokio::test]
async fn more_types_are_inferred() {
    let Some(place) = Place::postgres() else {
        return;
    };
    let text = "SELECT (?::numeric * 2)::numeric(20,4), ?::date - '2024-01-01'::date, \
                ?::timestamptz, ?::real = 0.5::real, ?::text || 'x', ?::name::text";
    let statements = [place.statement("cast", text, &[])];
    let mut session: PgSession = place.open(&statements).await;
    let args = [
        Value::Dec(Dec {
            units: -123_456_789_012_345,
            scale: 4,
        }),
        Value::Time(1_704_153_600_000_000),
        Value::Time(-1),
        Value::Float(0.5),
        Value::Int(-42),
        Value::Text("n"),
    ];
    session
        .fetch(id(0), Args::List(&args), |row| {
            assert_eq!(row.dec(0, 4)?.to_string(), "-24691357802.4690");
            assert_eq!(row.int(1)?, 1, "2024-01-02");
            assert_eq!(row.int(2)?, -1);
            assert_eq!(row.int(3)?, 1);
            assert_eq!((row.text(4)?, row.text(5)?), ("-42x", "n"));
            Ok(())
        })
        .await
        .unwrap();
}
