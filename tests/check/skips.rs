//! What a check leaves out, and that it says so.

use crate::place::Place;

const WORKLOAD: &str = "oltp_read_write";
const CHANGED: &str = "a run has changed the rows since the load";

pub fn only_a_run_that_writes_leaves_the_sample_out(place: &Place) {
    let all = "500 of 500 rows as loaded";
    place.prepare(2);
    let reads = [
        "--set",
        "index_updates=0",
        "--set",
        "non_index_updates=0",
        "--set",
        "delete_inserts=0",
    ];
    place.run(WORKLOAD, &reads);
    let checked = place.check(WORKLOAD);
    checked.assert_passed("sbtest2", "sample", all);
    checked.assert_faults(&[]);

    // The second finds the mark of the first.
    for _ in 0..2 {
        place.run(WORKLOAD, &["--clients", "2"]);
        let checked = place.check(WORKLOAD);
        for table in ["sbtest1", "sbtest2"] {
            checked.assert_passed(table, "row_count", "500");
            checked.assert_passed(table, "key_range", "1 to 500");
            checked.assert_skipped(table, "sample", CHANGED);
            checked.assert_passed(table, "index", &table.replace("sbtest", "k_"));
        }
        checked.assert_faults(&[]);
    }

    let again = ["--recreate", "--set", "tables=2", "--set", "rows=500"];
    place.good(&[&["prepare", WORKLOAD], &again[..]].concat());
    let checked = place.check(WORKLOAD);
    checked.assert_passed("sbtest2", "sample", all);
    checked.assert_faults(&[]);
}

/// An account book: entries are added, accounts change, and nothing has both a
/// key and an index.
fn accounts(place: &Place) -> String {
    place.file(
        "sql/common/accounts.sql",
        "-- name: create_account\n\
         CREATE TABLE account (id INTEGER NOT NULL PRIMARY KEY, no CHAR(12), opened INTEGER)\n\
         -- name: create_entry\n\
         CREATE TABLE entry (id INTEGER NOT NULL, amount INTEGER, note CHAR(20))\n\
         -- name: create_remark\n\
         CREATE TABLE remark (account INTEGER, text CHAR(20))\n\
         -- name: remark_index\n\
         CREATE INDEX remark_account ON remark (account)\n\
         -- name: add\n\
         INSERT INTO entry (id, amount, note) VALUES (:id, 5, :note)\n",
    );
    place.file(
        "accounts.toml",
        "about = \"entries of accounts\"\n\
         sql = \"accounts\"\n\
         [draw]\n\
         id = { kind = \"uniform\", min = 1001, max = 2000 }\n\
         no = { kind = \"offset\", from = \"seq\", add = 7000 }\n\
         account = { kind = \"uniform\", min = 1, max = 20 }\n\
         note = { kind = \"digits\", mask = \"###-###\" }\n\
         seq = { kind = \"seq\" }\n\
         [[table]]\n\
         name = \"account\"\n\
         create = \"create_account\"\n\
         rows = 20\n\
         columns = { id = \"seq\", no = \"no\", opened = \"account\" }\n\
         [[table]]\n\
         name = \"entry\"\n\
         create = \"create_entry\"\n\
         rows = 100\n\
         grows = true\n\
         columns = { id = \"seq\", amount = \"account\", note = \"note\" }\n\
         [[table]]\n\
         name = \"remark\"\n\
         create = \"create_remark\"\n\
         index = [\"remark_index\"]\n\
         rows = 50\n\
         columns = { account = \"account\", text = \"note\" }\n\
         [[transaction]]\n\
         name = \"add\"\n\
         steps = [{ run = [\"add\"] }]\n",
    )
}

pub fn tables_without_key_or_that_grow_say_so(place: &Place) {
    let workload = accounts(place);
    place.good(&["prepare", &workload]);
    let checked = place.check(&workload);
    checked.assert_passed("entry", "row_count", "100");
    checked.assert_passed("entry", "key_range", "1 to 100");
    checked.assert_passed("entry", "sample", "100 of 100 rows as loaded");
    // A number in a column of text.
    checked.assert_passed("account", "sample", "20 of 20 rows as loaded");
    let no_key = "no column holds the row's number";
    checked.assert_passed("remark", "row_count", "50");
    checked.assert_skipped("remark", "key_range", no_key);
    let nothing_to_find_by = "the table has no key to find its rows by";
    checked.assert_skipped("remark", "sample", nothing_to_find_by);
    checked.assert_passed("remark", "index", "remark_account");
    let no_index = "the workload makes no index beside the keys";
    checked.assert_skipped("account", "index", no_index);
    checked.assert_faults(&[]);

    // Rows of one key, before a run is a reason for it.
    place.sql(&["INSERT INTO entry (id, amount, note) VALUES (40, 1, 'x')"]);
    place.check(&workload).assert_faults(&[
        ("entry", "row_count", "101", "100", ""),
        (
            "entry",
            "sample",
            "99 of 100 rows as loaded, 1 more than once",
            "100 of 100 rows as loaded",
            "40",
        ),
    ]);

    place.run(&workload, &[]);
    let checked = place.check(&workload);
    for check in ["row_count", "key_range", "sample"] {
        checked.assert_skipped("entry", check, CHANGED);
    }
    checked.assert_passed("account", "row_count", "20");
    checked.assert_passed("account", "key_range", "1 to 20");
    checked.assert_faults(&[]);
}
