//! Wrong workload and SQL files: one line, with the file and line of the fault.

use crate::place::Place;

const GOOD: &str = r#"about = "for tests"
sql = "two"
mix = "random"
engines = ["postgres", "sqlite"]

[params]
rows = "1k"

[draw]
id = { kind = "uniform", min = 1, max = "rows" }
next = { kind = "offset", from = "id", add = 1 }

[[table]]
name = "t"
create = "make"
rows = "rows"
columns = { id = "seq" }

[[transaction]]
name = "one"
weight = 1
hold = ["id"]
steps = [
  { run = ["read"] },
  { run = ["range"] },
]

[run]
clients = 2
"#;

const SQL: &str = "-- name: make
CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY)

-- name: read
SELECT id FROM t WHERE id = :id

-- name: range
SELECT id FROM t
WHERE id BETWEEN :id
  AND :next
";

/// The line, from 1, of the first line of `text` that holds `part`.
fn line_of(text: &str, part: &str) -> usize {
    let place = text.lines().position(|line| line.contains(part));
    1 + place.unwrap_or_else(|| panic!("`{part}` is not in the text"))
}

fn refused(workload: &str, sql: &str) -> String {
    let place = Place::new();
    place.write("w.toml", workload);
    place.write("two.sql", sql);
    let message = place.refuse(&["show", "w.toml", "--engine", "sqlite"]);
    // No engine and no target is needed to find it.
    assert_eq!(
        place.refuse(&["run", "w.toml", "--url", "sqlite:made.db"]),
        message
    );
    message
}

#[test]
fn the_file_that_the_others_are_made_from_is_good() {
    let place = Place::new();
    place.write("w.toml", GOOD);
    place.write("two.sql", SQL);
    let said = place.run(&["show", "w.toml"]);
    assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
}

/// Replaces `from` by `to` in the workload file; the fault is on the line that
/// then holds `at`, and the message says `says`.
#[test]
fn faults_of_the_workload_name_their_line() {
    let cases = [
        // (what is changed, into what, the fault's line, what must be said)
        (
            "clients = 2",
            "client = 2",
            "client = 2",
            &["`client`", "`clients`", "`time`"][..],
        ),
        (
            "weight = 1",
            "wait = 1",
            "wait = 1",
            &["`wait`", "`weight`"],
        ),
        (
            "mix = \"random\"",
            "mix = \"random\"\ncolour = 1",
            "colour",
            &["`colour`", "`params`"],
        ),
        (
            "add = 1 }",
            "add = 1, sub = 2 }",
            "sub = 2",
            &["`sub`", "`add`"],
        ),
        ("hold = [\"id\"]", "hold = 5", "hold = 5", &["sequence"]),
        ("name = \"one\"", "name = 1", "name = 1", &["string"]),
        ("weight = 1", "weight = true", "weight = true", &["number"]),
        ("rows = \"1k\"", "rows = [1]", "rows = [1]", &["number"]),
        (
            "weight = 1",
            "weight = -1",
            "weight = -1",
            &["weight", "`-1`", "count"],
        ),
        (
            "weight = 1",
            "weight = 0.5",
            "weight = 0.5",
            &["weight", "`0.5`", "count"],
        ),
        (
            "rows = \"1k\"",
            "rows = \"1K\"",
            "rows = \"1K\"",
            &["rows", "`1K`", "250k"],
        ),
        (
            "rows = \"1k\"",
            "rows = \"1k\"\nspare = 5",
            "spare",
            &["`spare`", "used nowhere", "remove it"],
        ),
        (
            "add = 1 }",
            "add = 1 }\nspare = { kind = \"seq\" }",
            "spare",
            &["`spare`", "used by no", "remove it"],
        ),
        (
            "kind = \"uniform\"",
            "kind = \"normal\"",
            "kind = \"normal\"",
            &["`normal`", "uniform", "pareto"],
        ),
        (
            "from = \"id\"",
            "from = \"ix\"",
            "from = \"ix\"",
            &["`ix`", "t"],
        ),
        (
            "from = \"id\"",
            "from = \"next\"",
            "from = \"next\"",
            &["itself"],
        ),
        ("min = 1, ", "", "kind = \"uniform\"", &["`min` is missing"]),
        (
            "run = [\"read\"]",
            "run = [\"raed\"]",
            "raed",
            &["`raed`", "make, read and range"],
        ),
        (
            "create = \"make\"",
            "create = \"mkae\"",
            "mkae",
            &["`mkae`", "make, read and range"],
        ),
        (
            "hold = [\"id\"]",
            "hold = [\"ix\"]",
            "hold = [\"ix\"]",
            &["`ix`", "id and next"],
        ),
        (
            "run = [\"read\"] }",
            "run = [\"read\"], hold = [\"next\"] }",
            "hold = [\"next\"]",
            &["`next`", "none of its statements"],
        ),
        (
            "mix = \"random\"",
            "mix = \"mixed\"",
            "mixed",
            &["`mixed`", "random, deck and sequence"],
        ),
        (
            "\"sqlite\"]",
            "\"oracle\"]",
            "oracle",
            &["`oracle`", "postgres, mysql, mariadb and sqlite"],
        ),
        (
            "columns = { id = \"seq\" }",
            "columns = { id = \"sequ\" }",
            "sequ\"",
            &["`sequ`"],
        ),
        (
            "sql = \"two\"",
            "sql = \"three\"",
            "three",
            &["`three`", "three.sql"],
        ),
        (
            "hold = [\"id\"]\nsteps = [\n  { run = [\"read\"] },\n  { run = [\"range\"] },\n",
            "steps = [\n",
            "name = \"one\"",
            &["sends no statement", "weight = 0"],
        ),
        (
            "rows = \"rows\"",
            "rows = \"rows\"\ncount = 2",
            "count = 2",
            &["`count`", "{t}"],
        ),
        ("weight = 1", "weight = = 1", "= = 1", &[]),
        ("rows = \"1k\"", "rows = \"1k", "rows = \"1k", &[]),
        (
            "weight = 1",
            "weight = 1\nweight = 2",
            "weight = 2",
            &["duplicate"],
        ),
        (
            "[run]",
            "[call]\none = \"read\"\n[run]",
            "one = ",
            &["`one`", "built in", "none"],
        ),
        (
            "[run]",
            "[[procedure]]\nname = \"p\"\ncreate = \"make\"\ntable = \"u\"\n[run]",
            "table = \"u\"",
            &["`u`", "use one of t,"],
        ),
    ];
    for (from, to, at, says) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "`{from}` is not in the text");
        let message = refused(&text, SQL);
        let place = format!("w.toml:{}: ", line_of(&text, at));
        assert!(message.starts_with(&place), "{to}: {place} {message}");
        for word in says {
            assert!(message.contains(word), "{to}: no {word} in: {message}");
        }
    }
}

#[test]
fn faults_of_the_sql_name_their_line() {
    let cases = [
        (
            "AND :next",
            "AND :nxt",
            "AND :nxt",
            &["`:nxt`", "`range`", "w.toml", "[draw]"][..],
        ),
        (
            "FROM t\n",
            "FROM t{n}\n",
            "name: range",
            &["`{n}`", "[draw]"],
        ),
        (
            "name: range",
            "name: read",
            "name: range",
            &["`read`", "line 4", "keep one"],
        ),
        (
            "= :id",
            "= ':id",
            "= ':id",
            &["quote is not closed", "`read`"],
        ),
        (
            "-- name: make",
            "SELECT 1;\n-- name: make",
            "SELECT 1",
            &["before the first"],
        ),
        ("name: read", "name: re ad", "re ad", &["letters, digits"]),
        (
            "NOT NULL",
            "DEFAULT :id",
            "DEFAULT :id",
            &["`:id`", "takes no values"],
        ),
    ];
    for (from, to, at, says) in cases {
        let text = SQL.replacen(from, to, 1);
        assert_ne!(text, SQL, "`{from}` is not in the text");
        // The second of two blocks of one name is the one to remove.
        let line = if from == "name: range" {
            7
        } else {
            line_of(&text, at)
        };
        let message = refused(GOOD, &text);
        let place = format!("two.sql:{line}: ");
        assert!(message.starts_with(&place), "{to}: {place} {message}");
        for word in says {
            assert!(message.contains(word), "{to}: no {word} in: {message}");
        }
    }
}

#[test]
fn a_block_that_one_engine_lacks_is_found_for_all() {
    let place = Place::new();
    place.write("w.toml", GOOD);
    std::fs::create_dir_all(place.path("sql/postgres")).unwrap();
    std::fs::create_dir_all(place.path("sql/sqlite")).unwrap();
    place.write("sql/postgres/two.sql", SQL);
    place.write(
        "sql/sqlite/two.sql",
        SQL.split("-- name: range").next().unwrap(),
    );
    let message = place.refuse(&["show", "w.toml", "--engine", "postgres"]);
    let line = line_of(GOOD, "run = [\"range\"]");
    assert!(
        message.starts_with(&format!("w.toml:{line}: ")),
        "{message}"
    );
    assert!(message.contains("`range` for sqlite"), "{message}");
}

#[test]
fn an_engine_that_the_workload_is_not_for_is_refused() {
    let place = Place::new();
    place.write("w.toml", GOOD);
    place.write("two.sql", SQL);
    let message = place.refuse(&["show", "w.toml", "--engine", "mysql"]);
    assert!(
        message.contains("not for mysql; it is for postgres and sqlite"),
        "{message}"
    );
    assert!(
        place
            .refuse(&["show", "w.toml", "--engine", "oracle"])
            .contains("oracle")
    );
}

#[test]
fn a_manifest_of_something_else_is_refused() {
    let place = Place::new();
    place.write("manifest.toml", GOOD);
    assert!(
        place
            .refuse(&["show", "manifest.toml"])
            .contains("no manifest")
    );
}
