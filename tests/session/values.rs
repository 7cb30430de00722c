//! Values go in and come out the same, with one SQL text on all engines.

use tiermark::db::session::{Row, Session};
use tiermark::value::{Args, Dec, RowBuf, Value};

use crate::place::{Place, drop_table, id};

/// 2024-02-29 12:30:05.000250
const LEAP_DAY: i64 = 1_709_209_805_000_250;

const COLUMNS: &str = "id INTEGER PRIMARY KEY, k SMALLINT, c CHAR(120), v VARCHAR(80), \
     amount NUMERIC(12,2), ratio DOUBLE PRECISION, happened TIMESTAMP, b BYTEA";

fn names() -> Vec<String> {
    let names = ["id", "k", "c", "v", "amount", "ratio", "happened", "b"];
    names.map(str::to_owned).to_vec()
}

fn money(units: i64) -> Value<'static> {
    Value::Dec(Dec { units, scale: 2 })
}

pub async fn one_text_serves_all_engines<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_one_text";
    let mut session: S = place.open(&[]).await;
    place.create(&mut session, TABLE, COLUMNS).await;
    let text = |text: &str| text.replace("TABLE", TABLE);
    let statements = [
        place.statement(
            "insert",
            &text(
                "INSERT INTO TABLE (id, k, c, v, amount, ratio, happened, b) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ),
            &["id", "k", "c", "v", "amount", "ratio", "happened", "b"],
        ),
        place.statement(
            "by_value",
            &text(
                "SELECT id, k, c, v, amount, happened FROM TABLE \
                 WHERE c = ? AND v = ? AND amount = ? AND ratio = ? AND happened = ? AND b = ?",
            ),
            &["c", "v", "amount", "ratio", "happened", "b"],
        ),
        place.statement(
            "some",
            &text("SELECT id FROM TABLE WHERE id IN (?, ?) ORDER BY id LIMIT ?"),
            &["a", "b", "limit"],
        ),
        place.statement(
            "range",
            &text("SELECT count(*), sum(k) FROM TABLE WHERE id BETWEEN ? AND ?"),
            &["low", "high"],
        ),
        place.statement(
            "part",
            &text("SELECT substr(c, 1, ?) FROM TABLE WHERE id = ?"),
            &["length", "id"],
        ),
    ];
    let mut session: S = place.open(&statements).await;
    let wide = "0123456789".repeat(12);
    let bytes: Vec<u8> = (0..=255).collect();
    for key in 1..=3 {
        let row = [
            Value::Int(key),
            Value::Int(-key),
            Value::Text(&wide),
            Value::Text("höt"),
            money(-1050),
            Value::Float(0.1),
            Value::Time(LEAP_DAY),
            Value::Bytes(&bytes),
        ];
        assert_eq!(session.exec(id(0), Args::List(&row)).await.unwrap(), 1);
    }

    let wanted = [
        Value::Text(&wide),
        Value::Text("höt"),
        money(-1050),
        Value::Float(0.1),
        Value::Time(LEAP_DAY),
        Value::Bytes(&bytes),
    ];
    let found = session
        .fetch(id(1), Args::List(&wanted), |row| {
            assert_eq!(row.int(1)?, -row.int(0)?);
            assert_eq!((row.text(2)?, row.text(3)?), (wide.as_str(), "höt"));
            assert_eq!(row.dec(4, 2)?.to_string(), "-10.50");
            assert_eq!(row.int(5)?, LEAP_DAY);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(found, 3);

    let mut keys = Vec::new();
    let some = [Value::Int(1), Value::Int(3), Value::Int(1)];
    session
        .fetch(id(2), Args::List(&some), |row| {
            keys.push(row.int(0)?);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(keys, [1]);

    let range = [Value::Int(2), Value::Int(3)];
    let mut sums = (0, 0);
    session
        .fetch(id(3), Args::List(&range), |row| {
            sums = (row.int(0)?, row.int(1)?);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(sums, (2, -5));

    let part = [Value::Int(5), Value::Int(2)];
    let mut text = String::new();
    session
        .fetch(id(4), Args::List(&part), |row| {
            row.text(0)?.clone_into(&mut text);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(text, "01234");
    drop_table(&mut session, TABLE).await;
}

pub async fn money_is_exact<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_money";
    let mut session: S = place.open(&[]).await;
    let columns = "id INTEGER PRIMARY KEY, amount NUMERIC(12,2)";
    place.create(&mut session, TABLE, columns).await;
    let statements = [
        place.statement(
            "insert",
            &format!("INSERT INTO {TABLE} VALUES (?, ?)"),
            &["id", "amount"],
        ),
        place.statement(
            "add",
            &format!("UPDATE {TABLE} SET amount = amount + ? WHERE id = ?"),
            &["amount", "id"],
        ),
        place.statement("read", &format!("SELECT amount FROM {TABLE}"), &[]),
    ];
    let mut session: S = place.open(&statements).await;
    let start = [Value::Int(1), money(999_999_999)];
    session.exec(id(0), Args::List(&start)).await.unwrap();
    // As floats, 300 times 0.10 is not 30.00 on top of ten million.
    for _ in 0..300 {
        let more = [money(10), Value::Int(1)];
        assert_eq!(session.exec(id(1), Args::List(&more)).await.unwrap(), 1);
    }
    let mut amount = None;
    session
        .fetch(id(2), Args::NONE, |row| {
            amount = Some(row.dec(0, 2)?);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(amount.unwrap().to_string(), "10000029.99");
    drop_table(&mut session, TABLE).await;
}

pub async fn null_is_null<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_null";
    let mut session: S = place.open(&[]).await;
    place.create(&mut session, TABLE, COLUMNS).await;
    let statements = [
        place.statement(
            "insert",
            &format!("INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
            &[],
        ),
        place.statement("read", &format!("SELECT * FROM {TABLE}"), &[]),
    ];
    let mut session: S = place.open(&statements).await;
    let mut row = [Value::Null; 8];
    row[0] = Value::Int(1);
    session.exec(id(0), Args::List(&row)).await.unwrap();
    session
        .fetch(id(1), Args::NONE, |row| {
            assert!(!row.is_null(0));
            for column in 1..8 {
                assert!(row.is_null(column), "column {column}");
            }
            assert_eq!(row.int(1).unwrap_err().code, "null");
            assert_eq!(row.text(2).unwrap_err().code, "null");
            assert_eq!(row.dec(4, 2).unwrap_err().code, "null");
            Ok(())
        })
        .await
        .unwrap();
    drop_table(&mut session, TABLE).await;
}

pub async fn a_load_keeps_odd_characters<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_odd";
    const ODD: [&str; 8] = [
        "tab\there",
        "line\nand\r\nline",
        "back\\slash \\N \\. \\x41",
        "it's \"quoted\" `here`",
        "Grüße, 中文, 🦀",
        "",
        "a,b;c%d_e?$1:f",
        "\\N",
    ];
    let mut session: S = place.open(&[]).await;
    place.create(&mut session, TABLE, COLUMNS).await;
    let statements = [place.statement(
        "read",
        &format!("SELECT id, v, amount, happened FROM {TABLE} WHERE b = ? AND ratio = ?"),
        &["b", "ratio"],
    )];
    let mut session: S = place.open(&statements).await;
    let bytes = [0, b'\\', b'\n', b'\'', 0xff];
    let mut rows = RowBuf::new(8);
    for (key, text) in (0..).zip(ODD) {
        rows.cells.push(Value::Int(key));
        rows.cells.push(Value::Null);
        rows.cells.push(Value::Text("x"));
        rows.cells.push(Value::Text(text));
        rows.cells.push(money(-key));
        rows.cells.push(Value::Float(-1.5e-7));
        rows.cells.push(Value::Time(LEAP_DAY + key));
        rows.cells.push(Value::Bytes(&bytes));
    }
    let loaded = session.load(TABLE, &names(), &rows).await.unwrap();
    assert_eq!(loaded, ODD.len() as u64);
    let args = [Value::Bytes(&bytes), Value::Float(-1.5e-7)];
    let found = session
        .fetch(id(0), Args::List(&args), |row| {
            let key = row.int(0)?;
            assert_eq!(row.text(1)?, ODD[usize::try_from(key).unwrap()]);
            assert_eq!(row.dec(2, 2)?.units, -key);
            assert_eq!(row.int(3)?, LEAP_DAY + key);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(found, ODD.len() as u64);

    let mut bad = RowBuf::new(1);
    bad.cells.push(Value::Time(i64::MAX));
    let column = ["happened".to_owned()];
    let error = session.load(TABLE, &column, &bad).await.unwrap_err();
    assert!(error.message.contains("`happened`"), "{error}");
    let error = session.load(TABLE, &names(), &bad).await.unwrap_err();
    assert!(error.message.contains("8 columns"), "{error}");
    assert_eq!(session.exec(id(0), Args::List(&args)).await.unwrap(), found);
    drop_table(&mut session, TABLE).await;
}

pub async fn a_long_load_is_complete<S: Session>(place: &Place) {
    const TABLE: &str = "t_session_long_load";
    const ROWS: i64 = 1234;
    let mut session: S = place.open(&[]).await;
    let columns = "id INTEGER PRIMARY KEY, v VARCHAR(400)";
    place.create(&mut session, TABLE, columns).await;
    let statements = [place.statement(
        "read",
        &format!("SELECT count(*), sum(id) FROM {TABLE} WHERE v = ?"),
        &["v"],
    )];
    let mut session: S = place.open(&statements).await;
    let long = "x\t".repeat(200);
    let columns = ["id".to_owned(), "v".to_owned()];
    let mut rows = RowBuf::new(2);
    session.begin(true).await.unwrap();
    for start in [0, ROWS] {
        rows.cells.clear();
        for key in start..start + ROWS {
            rows.cells.push(Value::Int(key));
            rows.cells.push(Value::Text(&long));
        }
        let loaded = session.load(TABLE, &columns, &rows).await.unwrap();
        assert_eq!(loaded, ROWS.unsigned_abs());
    }
    session.commit().await.unwrap();
    rows.cells.clear();
    assert_eq!(session.load(TABLE, &columns, &rows).await.unwrap(), 0);
    let mut found = (0, 0);
    session
        .fetch(id(0), Args::List(&[Value::Text(&long)]), |row| {
            found = (row.int(0)?, row.int(1)?);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(found, (2 * ROWS, ROWS * (2 * ROWS - 1)));
    drop_table(&mut session, TABLE).await;
}
