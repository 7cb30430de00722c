//! What was changed by hand behind a load's back: each change is found by the
//! checks that look for it, and by no others.

use tiermark::value::Engine;

use crate::place::{Checked, Place};

const WORKLOAD: &str = "oltp_read_write";
const ALL: &str = "500 of 500 rows as loaded";

fn assert_intact(checked: &Checked, table: &str) {
    checked.assert_passed(table, "row_count", "500");
    checked.assert_passed(table, "key_range", "1 to 500");
    checked.assert_passed(table, "sample", ALL);
    checked.assert_passed(table, "index", &table.replace("sbtest", "k_"));
}

/// Every table has a change of its own, but for the first.
pub fn each_change_is_found_by_its_own_checks(place: &Place) {
    place.prepare(6);
    let checked = place.check(WORKLOAD);
    checked.assert_faults(&[]);
    assert_eq!(checked.lines.len(), 24);
    for number in 1..=6 {
        assert_intact(&checked, &format!("sbtest{number}"));
    }

    let pad = match place.engine {
        Engine::Mysql | Engine::Mariadb => "CONCAT('x', SUBSTR(pad, 2))",
        _ => "'x' || SUBSTR(pad, 2)",
    };
    let drop = match place.engine {
        Engine::Mysql | Engine::Mariadb => "DROP INDEX k_5 ON sbtest5",
        _ => "DROP INDEX k_5",
    };
    place.sql(&[
        "DELETE FROM sbtest2 WHERE id = 250",
        &format!("UPDATE sbtest3 SET pad = {pad} WHERE id IN (17, 400)"),
        "UPDATE sbtest4 SET id = 505 WHERE id = 500",
        drop,
        "DELETE FROM sbtest6",
    ]);
    let checked = place.check(WORKLOAD);
    assert_intact(&checked, "sbtest1");
    let one_missing = "499 of 500 rows as loaded, 1 missing";
    let two_changed = "498 of 500 rows as loaded, 2 changed in pad";
    let all_missing = "0 of 500 rows as loaded, 500 missing";
    checked.assert_faults(&[
        ("sbtest2", "row_count", "499", "500", ""),
        ("sbtest2", "sample", one_missing, ALL, "250"),
        ("sbtest3", "sample", two_changed, ALL, "17 400"),
        ("sbtest4", "key_range", "1 to 505", "1 to 500", ""),
        ("sbtest4", "sample", one_missing, ALL, "500"),
        ("sbtest5", "index", "none", "k_5", ""),
        ("sbtest6", "row_count", "0", "500", ""),
        ("sbtest6", "key_range", "no rows", "1 to 500", ""),
        (
            "sbtest6",
            "sample",
            all_missing,
            ALL,
            "1 2 3 4 5 6 7 8 9 10",
        ),
    ]);
}

/// Another seed than the default, and tables of which not all is looked at.
#[test]
fn a_large_table_is_sampled() {
    let place = Place::sqlite();
    let larger = ["--set", "tables=2", "--set", "rows=3k", "--seed", "7"];
    place.good(&[&["prepare", WORKLOAD], &larger[..]].concat());
    let table = "
  table    row_count  key_range  sample     index
  sbtest1  pass       pass       pass       pass
  sbtest2  pass       pass       pass       pass
";
    let checked = place.check(WORKLOAD);
    assert!(checked.stdout.starts_with(table), "{}", checked.stdout);
    let told = "sbtest2: row_count pass, key_range pass, sample pass, index pass";
    assert!(checked.stderr.contains(told), "{}", checked.stderr);
    checked.assert_passed("sbtest1", "row_count", "3000");
    checked.assert_passed("sbtest1", "sample", "1000 of 1000 rows as loaded");
    checked.assert_faults(&[]);

    let results = place.results();
    let quiet = ["-q", "check", WORKLOAD, "--out", results.to_str().unwrap()];
    let (status, stdout, stderr) = place.tiermark(&quiet);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with(table), "{stdout}");

    place.sql(&["UPDATE sbtest1 SET c = 'x', k = k + 1"]);
    let checked = place.check(WORKLOAD);
    let line = checked.line("sbtest1", "sample");
    assert_eq!(line.found, "0 of 1000 rows as loaded, 1000 changed in k, c");
    assert_eq!(checked.status, 1);
}
