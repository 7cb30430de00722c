//! Conditions of a workload file: mistakes name their line, and nothing of them
//! is part of the work.

use crate::place::{Place, Said};

const WORKLOAD: &str = r#"about = "for tests"
sql = "own"

[params]
n = 3

[draw]
t = { kind = "uniform", min = 1, max = 2 }

[[table]]
name = "t{t}"
create = "make"
count = 2
rows = 10
columns = { id = "seq" }

[[transaction]]
name = "one"
steps = [{ run = ["read"], repeat = "n" }]

[condition]
whole = { run = "whole", key = ["id"], about = "ids begin with 1", when = "loaded" }
part = { run = "part", each = { i = "n" }, key = ["i"], about = "there is an i" }
"#;

const SQL: &str = "-- name: make
CREATE TABLE t{t} (id INTEGER NOT NULL)
-- name: read
SELECT COUNT(*) FROM t{t}
";

const CHECK_SQL: &str = "-- name: whole
SELECT MIN(id) FROM t{t} HAVING MIN(id) <> 1
-- name: part
SELECT id FROM t{t}
WHERE id = :i AND id < 0
";

fn shown(workload: &str, check_sql: Option<&str>) -> (Place, Said) {
    let place = Place::new();
    place.write("w.toml", workload);
    place.write("own.sql", SQL);
    if let Some(text) = check_sql {
        place.write("own_check.sql", text);
    }
    let said = place.run(&["show", "w.toml"]);
    (place, said)
}

#[test]
fn show_names_them() {
    let (_, said) = shown(WORKLOAD, Some(CHECK_SQL));
    assert_eq!(said.status, Some(0), "{said:?}");
    let text = "
conditions, for check
  whole  ids begin with 1
  part   there is an i
";
    assert!(said.out.contains(text), "{}", said.out);
}

#[test]
fn mistakes_name_their_line() {
    // What is changed, into what, the file and line of the fault, what is said.
    for (from, to, at, says) in [
        (
            "when = \"loaded\"",
            "wen = \"loaded\"",
            "w.toml:22: ",
            "`when`",
        ),
        (
            "\"loaded\"",
            "\"later\"",
            "w.toml:22: ",
            "use one of always and loaded",
        ),
        (
            "run = \"whole\"",
            "run = \"hole\"",
            "w.toml:22: ",
            "`hole` for postgres in `own_check`; there are whole and part",
        ),
        (
            "key = [\"id\"]",
            "key = []",
            "w.toml:22: ",
            "`key` names no column",
        ),
        (", about = \"there is an i\"", "", "w.toml:23: ", "about"),
        (
            "each = { i = \"n\" }",
            "each = { i = 0 }",
            "w.toml:23: ",
            "0 is not possible",
        ),
        ("n = 3", "n = \"few\"", "w.toml:5: ", "`few`"),
        (
            "each = { i = \"n\" }",
            "each = { i = 2, j = 2 }",
            "w.toml:23: ",
            "`each` is one name",
        ),
        (
            "each = { i = \"n\" }, ",
            "",
            "own_check.sql:5: ",
            "`:i` in block `part` is not in `each` of condition `part`",
        ),
        (
            "run = \"part\"",
            "run = \"whole\"",
            "w.toml:23: ",
            "block `whole` does not name `:i`",
        ),
        (
            "SELECT MIN(id)",
            "DELETE",
            "own_check.sql:1: ",
            "changes nothing",
        ),
        (
            "FROM t{t} HAVING",
            "FROM t{u} HAVING",
            "own_check.sql:1: ",
            "`{u}` in block `whole` is in no table's name",
        ),
        (
            "FROM t{t} HAVING",
            "FROM t{t}, t{u} HAVING",
            "own_check.sql:1: ",
            "several table numbers",
        ),
        (
            ":i AND",
            "':i AND",
            "own_check.sql:5: ",
            "quote is not closed",
        ),
    ] {
        let [workload, check_sql] = [WORKLOAD, CHECK_SQL].map(|text| text.replacen(from, to, 1));
        assert!(workload != WORKLOAD || check_sql != CHECK_SQL, "{from}");
        let (place, _) = shown(&workload, Some(&check_sql));
        // Also those that only `check` would ask.
        let message = place.refuse(&["run", "w.toml", "--url", "null:"]);
        assert!(message.starts_with(at), "{to}: {message}");
        assert!(message.contains(says), "{to}: {message}");
    }
    let (place, _) = shown(WORKLOAD, None);
    let message = place.refuse(&["show", "w.toml"]);
    assert!(
        message.contains("in `own_check`; there are none"),
        "{message}"
    );
}

/// Two runs of the same work compare, whatever is asked of the tables; a manifest
/// can be checked with what was asked then.
#[test]
fn they_are_no_part_of_the_work_and_stand_in_the_manifest() {
    let run = [
        "-q",
        "run",
        "w.toml",
        "--url",
        "null:",
        "--transactions",
        "1",
    ];
    let (plain, _) = WORKLOAD.split_once("[condition]").unwrap();
    let other = CHECK_SQL.replace("id < 0", "id < 1");
    let manifests = [
        (plain, None),
        (WORKLOAD, Some(CHECK_SQL)),
        (WORKLOAD, Some(&*other)),
    ]
    .map(|(workload, check_sql)| {
        let (place, _) = shown(workload, check_sql);
        let said = place.run(&run);
        assert_eq!(said.status, Some(0), "{said:?}");
        let folder = said.out.lines().last().unwrap();
        let path = place.path(folder).join("manifest.toml");
        let again = place.run(&["show", path.to_str().unwrap()]);
        assert_eq!(again.status, Some(0), "{again:?}");
        let asks = again.out.contains("conditions, for check");
        assert_eq!(asks, check_sql.is_some(), "{}", again.out);
        let text = std::fs::read_to_string(path).unwrap();
        text.parse::<toml::Table>().unwrap()
    });
    let sha = |manifest: &toml::Table| manifest["run"]["workload_sha"].clone();
    assert_eq!(sha(&manifests[0]), sha(&manifests[1]));
    assert_eq!(sha(&manifests[1]), sha(&manifests[2]));
    let file = |manifest: &toml::Table| manifest["files"].get("common/own_check.sql").cloned();
    assert_eq!(file(&manifests[0]), None);
    assert_eq!(file(&manifests[1]), Some(CHECK_SQL.into()));
}
