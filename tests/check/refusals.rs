//! Data sets that a check does not look at, with status 2, and servers that it
//! cannot use, with status 3. None leaves a folder behind.

use tiermark::db::session::Target;

use crate::place::Place;

const WORKLOAD: &str = "oltp_read_write";

pub fn what_is_not_there_or_not_the_same_is_refused(place: &Place) {
    let results = place.results();
    let out = ["check", WORKLOAD, "--out", results.to_str().unwrap()];
    let refused = |more: &[&str], wanted: i32, why: &str| {
        let (status, stdout, stderr) = place.tiermark(&[&out[..], more].concat());
        assert_eq!((status, stdout.as_str()), (wanted, ""), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
        assert!(!results.exists());
    };
    refused(&[], 2, "make it first");
    place.sql(&["CREATE TABLE sbtest1 (id INTEGER)"]);
    refused(&[], 2, "was not made by tiermark");
    place.sql(&["DROP TABLE sbtest1"]);
    place.prepare(2);
    refused(&["--set", "rows=600"], 2, "were prepared with rows = 500");
    place.sql(&[
        "UPDATE tiermark_meta SET value = 'loading' WHERE scope = 'sbtest2' AND item = 'state'",
    ]);
    refused(&[], 2, "the load of table sbtest2 did not come to its end");
    place.sql(&["UPDATE tiermark_meta SET value = 'loaded' WHERE item = 'state'"]);
    place.sql(&["DELETE FROM tiermark_meta WHERE scope = 'sbtest2' AND item = 'seed'"]);
    refused(
        &[],
        2,
        "does not say which seed table sbtest2 was loaded with",
    );

    refused(&["--url", "null:"], 2, "keeps no rows to check");
    let nobody = "postgres://nobody@127.0.0.1:1/nothing";
    assert!(Target::parse(nobody).is_ok());
    refused(&["--url", nobody], 3, "127.0.0.1:1");
}
