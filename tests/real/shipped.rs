//! Each shipped workload, from prepare to check: its transactions are the
//! statements of the script whose name it has, in their number.

use std::collections::BTreeMap;

use tiermark::workload::shipped;

use crate::database::Database;

/// A workload, what makes it small, and the statements of 20 transactions.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, u64)],
);

const FEW_ROWS: &[&str] = &["--set", "rows=300"];

/// sysbench's counts, where it has a script of that name: 14 reads, 4 writes,
/// BEGIN and COMMIT in a transaction of `oltp_read_write`.
const CASES: [Case; 14] = [
    ("oltp_read_write", FEW_ROWS, READ_WRITE),
    (
        "oltp_read_only",
        FEW_ROWS,
        &[
            ("begin", 20),
            ("point_select", 200),
            ("simple_range", 20),
            ("sum_range", 20),
            ("order_range", 20),
            ("distinct_range", 20),
            ("commit", 20),
        ],
    ),
    (
        "oltp_write_only",
        FEW_ROWS,
        &[
            ("begin", 20),
            ("index_update", 20),
            ("non_index_update", 20),
            ("delete", 20),
            ("insert", 20),
            ("commit", 20),
        ],
    ),
    ("oltp_point_select", FEW_ROWS, &[("point_select", 20)]),
    ("oltp_update_index", FEW_ROWS, &[("index_update", 20)]),
    (
        "oltp_update_non_index",
        FEW_ROWS,
        &[("non_index_update", 20)],
    ),
    ("oltp_delete", FEW_ROWS, &[("delete", 20)]),
    ("oltp_insert", FEW_ROWS, &[("insert", 20)]),
    (
        "bulk_insert",
        &["--set", "batch=30"],
        &[("bulk_insert", 20)],
    ),
    ("select_random_points", FEW_ROWS, &[("random_points", 20)]),
    ("select_random_ranges", FEW_ROWS, &[("random_ranges", 20)]),
    ("oltp_7030", FEW_ROWS, READ_WRITE),
    (
        "oltp_write_heavy",
        FEW_ROWS,
        &[
            ("begin", 20),
            ("non_index_update", 20),
            ("delete", 20),
            ("insert", 20),
            ("commit", 20),
        ],
    ),
    // One of both in each deck.
    (
        "oltp_spill",
        &["--set", "rows=300", "--set", "spill_rows=100"],
        &[("spill_sort", 10), ("spill_hash", 10)],
    ),
];

const READ_WRITE: &[(&str, u64)] = &[
    ("begin", 20),
    ("point_select", 200),
    ("simple_range", 20),
    ("sum_range", 20),
    ("order_range", 20),
    ("distinct_range", 20),
    ("index_update", 20),
    ("non_index_update", 20),
    ("delete", 20),
    ("insert", 20),
    ("commit", 20),
];

pub fn every_workload_does_what_it_says(database: &Database) {
    let names: Vec<&str> = CASES.iter().map(|(name, _, _)| *name).collect();
    // TPC-C has tests of its own: what it sends depends on what it finds.
    let scripts = shipped::workload_names().filter(|name| !name.starts_with("tpcc"));
    assert_eq!(names, scripts.collect::<Vec<_>>());
    for (workload, sets, expected) in CASES {
        let small = [&[workload, "--preset", "small"][..], sets].concat();
        let prepare = [&["prepare"][..], &small, &["--recreate"]].concat();
        database.tiermark(&prepare).expect(0);
        // One client: nobody is in its way, so that no statement is sent twice.
        let end = ["--clients", "1", "--transactions", "20"];
        let run = [&["run"][..], &small, &end].concat();
        let results = database.tiermark(&run).expect(0).results();
        let all = results.summary();
        assert_eq!(
            (&*all["done"], &*all["failed"], &*all["retries"]),
            ("20", "0", "0"),
            "{workload}"
        );
        let mut sent: BTreeMap<String, u64> = BTreeMap::new();
        for (name, (count, _)) in results.statements() {
            let statement = name.split(' ').next_back().unwrap();
            *sent.entry(statement.to_owned()).or_default() += count;
        }
        let expected = expected.iter();
        let expected = expected.map(|(statement, count)| ((*statement).to_owned(), *count));
        assert_eq!(sent, expected.collect(), "{workload}");
        let check = [&["check"][..], &small].concat();
        database.tiermark(&check).expect(0);
    }
}
