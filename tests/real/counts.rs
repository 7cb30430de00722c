//! The transactions of `oltp_read_write` are what sysbench sends, statement by
//! statement, and leave as many rows as there were.

use std::collections::BTreeMap;

use crate::database::Database;
use crate::program::number;

const TRANSACTIONS: u64 = 200;

pub fn two_hundred_transactions_are_counted_exactly(database: &Database) {
    database.prepare(2, 1000);
    let arguments = [
        "run",
        "oltp_read_write",
        "--transactions",
        "200",
        "--clients",
        "1",
        "--set",
        "tables=2",
        "--set",
        "rows=1000",
    ];
    let results = database.tiermark(&arguments).expect(0).results();

    let rows = results.csv("statements.csv");
    let column = |column| -> BTreeMap<&str, u64> {
        rows.iter()
            .map(|row| (row["statement"].as_str(), number(row, column)))
            .collect()
    };
    let mut expected: BTreeMap<&str, u64> = [
        "simple_range",
        "sum_range",
        "order_range",
        "distinct_range",
        "index_update",
        "non_index_update",
        "delete",
        "insert",
        "begin",
        "commit",
    ]
    .into_iter()
    .map(|statement| (statement, TRANSACTIONS))
    .collect();
    expected.insert("point_select", 10 * TRANSACTIONS);
    assert_eq!(column("count"), expected);
    assert_eq!(rows.len(), expected.len(), "each has one row");
    assert!(rows.iter().all(|row| row["errors"] == "0"));

    // Every key is there, so that all of these find or change one row.
    let found = column("rows");
    assert_eq!(found["point_select"], 10 * TRANSACTIONS);
    for statement in [
        "sum_range",
        "index_update",
        "non_index_update",
        "delete",
        "insert",
    ] {
        assert_eq!(found[statement], TRANSACTIONS, "{statement}");
    }
    for statement in ["simple_range", "order_range", "distinct_range"] {
        let most = 100 * TRANSACTIONS;
        let some = (TRANSACTIONS..=most).contains(&found[statement]);
        assert!(some, "{statement}: {}", found[statement]);
    }

    assert!(results.csv("errors.csv").is_empty());
    assert!(results.has("errors.csv"));
    let all = results.summary();
    let zero = [
        "failed",
        "retries",
        "empty",
        "unfinished",
        "drained",
        "disconnects",
    ];
    assert!(
        zero.iter().all(|column| number(&all, column) == 0),
        "{all:?}"
    );
    assert_eq!(number(&all, "done"), TRANSACTIONS);
    assert_eq!(all, results.only_run());
    for table in ["sbtest1", "sbtest2"] {
        assert_eq!(database.count(table), 1000);
    }
}
