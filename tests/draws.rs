//! Every kind of draw in a workload file: what it takes, what it refuses, and
//! that its values are what it says. The shapes themselves are tested beside the
//! code in `random`.

use tiermark::random::rng::Purpose;
use tiermark::transaction::drawn::{Drawn, Place};
use tiermark::value::{Engine, Value};
use tiermark::workload::compile::compile;
use tiermark::workload::plan::Plan;
use tiermark::workload::settings::Settings;
use tiermark::workload::source::Source;

const SQL: &str = "-- name: find\nSELECT a FROM t WHERE a = :x\n";

/// A plan whose only statement has the draw `x`, beside a number `n`.
fn plan(draw: &str, settings: &Settings) -> Result<Plan, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.toml");
    let number = if draw.contains("\"n\"") {
        "n = { kind = \"uniform\", min = 0, max = 999 }\n"
    } else {
        ""
    };
    let text = format!(
        "about = \"x\"\nsql = \"one\"\n[params]\nskew = \"zipf\"\nmost = 1000\n[draw]\n{number}\
         other = {{ kind = \"skew\", min = 1, max = \"most\", h = 0.1, theta = 0.5 }}\nx = {draw}\n\
         [[transaction]]\nname = \"t\"\nsteps = [{{ run = [\"find\"] }}, {{ run = [\"other\"] }}]\n"
    );
    std::fs::write(&path, text).unwrap();
    let sql = format!("{SQL}-- name: other\nSELECT a FROM t WHERE a = :other\n");
    std::fs::write(folder.path().join("one.sql"), sql).unwrap();
    let source = Source::open(path.to_str().unwrap(), None).unwrap();
    let compiled = compile(&source, settings, Engine::Postgres);
    compiled.map_err(|error| error.message)
}

fn shown(plan: &Plan, name: &str) -> String {
    let draw = plan.draws.iter().find(|draw| draw.name == name);
    draw.unwrap().generator.to_string()
}

#[test]
fn kinds_of_keys_stay_in_their_range() {
    let more = [
        ("uniform", ""),
        ("pareto", "h = 0.2"),
        ("zipf", "theta = 0.99"),
        ("zipf", "theta = 0"),
        ("gaussian", "iter = 12"),
        ("gaussian", "p = 3"),
        ("exponential", "p = 5"),
        ("hotspot", "hot_fraction = 0.1, hot_share = 0.9"),
        ("special", "pct = 1, res = 75, iter = 12"),
        ("nurand", "a = 255, c = 17"),
        ("ycsb_zipf", ""),
    ];
    for (kind, keys) in more {
        let comma = if keys.is_empty() { "" } else { ", " };
        let draw = format!("{{ kind = \"{kind}\", min = 5, max = \"most\"{comma}{keys} }}");
        let plan =
            plan(&draw, &Settings::default()).unwrap_or_else(|error| panic!("{draw}: {error}"));
        assert!(shown(&plan, "x").starts_with(kind), "{}", shown(&plan, "x"));
        assert!(
            shown(&plan, "x").ends_with("from 5 to 1000"),
            "{}",
            shown(&plan, "x")
        );
        let mut drawn = Drawn::new(&plan, 1, 0, 1);
        for k in 0..1000 {
            drawn.draw(&plan, Purpose::Run, Place::of_client(0, k));
            let Value::Int(key) = drawn.registers.get(0) else {
                panic!("{draw} gives no number");
            };
            assert!((5..=1000).contains(&key), "{draw}: {key}");
        }
    }
}

/// Whether a value is as its draw says.
type Fits = fn(Value<'_>) -> bool;

#[test]
fn texts_have_their_form() {
    let cases: [(&str, Fits); 5] = [
        (
            "{ kind = \"digits\", mask = \"##-#\" }",
            |value| matches!(value, Value::Text(text) if text.len() == 4 && text.as_bytes()[2] == b'-'),
        ),
        (
            "{ kind = \"letters\", len = 40 }",
            |value| matches!(value, Value::Text(text) if text.len() == 40 && text.bytes().all(|b| b.is_ascii_alphabetic())),
        ),
        (
            "{ kind = \"bytes\", len = 100, compress = 0.5 }",
            |value| matches!(value, Value::Bytes(bytes) if bytes.len() == 100),
        ),
        ("{ kind = \"const\", value = \"abc\" }", |value| {
            value == Value::Text("abc")
        }),
        (
            "{ kind = \"choice\", values = [1, 2], weights = [1, 0] }",
            |value| value == Value::Int(1),
        ),
    ];
    for (draw, fits) in cases {
        let plan =
            plan(draw, &Settings::default()).unwrap_or_else(|error| panic!("{draw}: {error}"));
        let mut drawn = Drawn::new(&plan, 1, 0, 1);
        drawn.draw(&plan, Purpose::Run, Place::of_client(0, 0));
        let registers = &drawn.registers;
        assert!(fits(registers.get(0)), "{draw}: {:?}", registers.get(0));
    }
    // Made from a number, which is drawn before it.
    for (kind, starts) in [
        (
            "name",
            [
                "BAR", "OUGHT", "ABLE", "PRI", "ESE", "ANTI", "CALLY", "ATION", "EING",
            ]
            .as_slice(),
        ),
        ("key", &["user"]),
    ] {
        let plan = plan(
            &format!("{{ kind = \"{kind}\", from = \"n\" }}"),
            &Settings::default(),
        )
        .unwrap();
        let mut drawn = Drawn::new(&plan, 1, 0, 1);
        drawn.draw(&plan, Purpose::Run, Place::of_client(0, 0));
        let registers = &drawn.registers;
        let Value::Text(text) = registers.get(1) else {
            panic!("{kind} gives no text");
        };
        assert!(starts.iter().any(|start| text.starts_with(start)), "{text}");
    }
}

#[test]
fn a_parameter_may_choose_among_the_skews() {
    let settings = |set: &str| Settings {
        preset: None,
        sets: vec![set.to_owned()],
    };
    let uniform = "{ kind = \"uniform\", min = 1, max = 2 }";
    let other = |set: &str| plan(uniform, &settings(set)).map(|plan| shown(&plan, "other"));
    assert_eq!(
        other("skew=pareto").unwrap(),
        "pareto h=0.1 ordered from 1 to 1000"
    );
    assert_eq!(
        other("skew=zipf").unwrap(),
        "zipf theta=0.5 ordered from 1 to 1000"
    );
    assert_eq!(other("skew=uniform").unwrap(), "uniform from 1 to 1000");
    assert!(
        other("skew=digits")
            .unwrap_err()
            .contains("use one of uniform, pareto, zipf")
    );
}

#[test]
fn the_hottest_changed_row_is_known() {
    let share = |workload: &str, sets: &[&str]| {
        let source = Source::open(workload, None).unwrap();
        let settings = Settings {
            preset: None,
            sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        };
        compile(&source, &settings, Engine::Mysql)
            .unwrap()
            .hottest_changed()
    };
    let near = |found: f64, exact: f64| assert!((found - exact).abs() < 0.0005, "{found}");
    // Pareto 0.2 over 10,000 keys: 27.89 % of the draws are the first one.
    near(share("oltp_read_write", &["rows=10k", "tables=1"]), 0.2789);
    near(
        share("oltp_read_write", &["rows=10k", "tables=4"]),
        0.2789 / 4.0,
    );
    near(
        share(
            "oltp_read_write",
            &["rows=10k", "tables=1", "distribution=uniform"],
        ),
        0.0001,
    );
    near(share("oltp_read_only", &["rows=10k", "tables=1"]), 0.0);
}

#[test]
fn keys_of_other_kinds_and_parameters_out_of_range_are_refused() {
    let cases = [
        (
            "{ kind = \"uniform\", min = 1, max = 2, h = 0.2 }",
            "`h` has no meaning for kind `uniform`",
        ),
        (
            "{ kind = \"zipf\", min = 1, max = 2, h = 0.2 }",
            "which takes min, max, theta and order",
        ),
        (
            "{ kind = \"zipf\", min = 1, max = 2, theta = -1 }",
            "theta of zipf is -1",
        ),
        (
            "{ kind = \"letters\", len = 5, mask = \"#\" }",
            "`mask` has no meaning",
        ),
        ("{ kind = \"letters\" }", "`len` is missing"),
        ("{ kind = \"bytes\", len = \"2G\" }", "more than 1 GiB"),
        (
            "{ kind = \"bytes\", len = 5, compress = 1.5 }",
            "compress of text is 1.5",
        ),
        ("{ kind = \"name\" }", "`from` is missing"),
        (
            "{ kind = \"name\", from = \"x\" }",
            "no whole number to start from",
        ),
        (
            "{ kind = \"nurand\", min = 0, max = 9, a = 100 }",
            "a of nurand is 100",
        ),
        (
            "{ kind = \"exponential\", min = 0, max = 9, p = 0 }",
            "p of exponential is 0",
        ),
    ];
    for (draw, expected) in cases {
        let message = plan(draw, &Settings::default()).unwrap_err();
        assert!(message.contains(expected), "{draw}: {message}");
    }
}

/// Two draws above the keys of the numbered tables `a1` and `a2`, one of them
/// ten at a time, and one above those of `b`.
const FRESH: &str = r#"
about = "x"
sql = "fresh"
[draw]
t = { kind = "uniform", min = 1, max = 2 }
one = { kind = "fresh", table = "a{t}" }
ten = { kind = "fresh", table = "a{t}", count = 10 }
next = { kind = "offset", from = "ten", add = 1 }
other = { kind = "fresh", table = "b" }
[[table]]
name = "a{t}"
create = "create_a"
count = 2
rows = 500
columns = { id = "seq" }
[[table]]
name = "b"
create = "create_b"
rows = 7
columns = { id = "seq" }
[[transaction]]
name = "t"
steps = [{ run = ["find"] }]
"#;

fn fresh_plan(toml: &str) -> Result<Plan, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fresh.toml");
    std::fs::write(&path, toml).unwrap();
    let sql = "-- name: create_a\nCREATE TABLE a{t} (id INTEGER)\n\
        -- name: create_b\nCREATE TABLE b (id INTEGER)\n\
        -- name: find\nSELECT id FROM a{t} WHERE id IN (:one, :ten, :next, :other)\n";
    std::fs::write(folder.path().join("fresh.sql"), sql).unwrap();
    let source = Source::open(path.to_str().unwrap(), None).unwrap();
    let compiled = compile(&source, &Settings::default(), Engine::Sqlite);
    compiled.map_err(|error| error.message)
}

#[test]
fn fresh_numbers_never_meet() {
    let mut plan = fresh_plan(FRESH).unwrap();
    assert_eq!(shown(&plan, "one"), "fresh, above all keys of a{t}");
    assert_eq!(
        shown(&plan, "ten"),
        "fresh, 10 at a time, above all keys of a{t}"
    );
    let drawn = |plan: &Plan| {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        for client in 0..3 {
            let mut inputs = Drawn::new(plan, 1, client, 3);
            for (phase, k) in [
                (Purpose::Warmup, 0),
                (Purpose::Warmup, 1),
                (Purpose::Run, 0),
                (Purpose::Run, 1),
            ] {
                inputs.draw(plan, phase, Place::of_client(client, k));
                let number = |register| match inputs.registers.get(register) {
                    Value::Int(number) => number,
                    other => panic!("{other:?}"),
                };
                // In the order of use: t, one, ten, next, other.
                of_a.push(number(1));
                of_a.extend((0..10).map(|more| number(2) + more));
                assert_eq!(number(3), number(2) + 1);
                of_b.push(number(4));
            }
        }
        for numbers in [&mut of_a, &mut of_b] {
            let all = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), all, "{numbers:?}");
        }
        (of_a[0], of_b[0])
    };
    // Client 0 begins with `one`; `other` is its third.
    assert_eq!(drawn(&plan), (501, 7 + 1 + 2 * 3));
    plan.set_fresh_base("a{t}", 90_000);
    assert_eq!(drawn(&plan), (90_001, 7 + 1 + 2 * 3));
}

#[test]
fn fresh_numbers_out_of_place_are_refused() {
    let cases = [
        (
            "one = { kind = \"fresh\", table = \"a{t}\" }",
            "one = { kind = \"fresh\" }",
            "draw `one`: `table` is missing",
        ),
        (
            "one = { kind = \"fresh\", table = \"a{t}\" }",
            "one = { kind = \"fresh\", table = \"a1\" }",
            "there is no [[table]] named `a1`; there are a{t} and b",
        ),
        ("count = 10", "count = 0", "`count` is 0"),
        (
            "rows = 7\ncolumns = { id = \"seq\" }",
            "rows = 7\ncolumns = { id = \"t\" }",
            "no column of table `b` is \"seq\"",
        ),
        (
            "rows = 7\ncolumns = { id = \"seq\" }",
            "rows = 7\ncolumns = { id = \"seq\", n = \"next\" }",
            "column `n`: `ten` is fresh",
        ),
        (
            "t = { kind = \"uniform\", min = 1, max = 2 }",
            "t = { kind = \"fresh\", table = \"b\" }",
            "`{t}` needs a draw with min and max",
        ),
        (
            "rows = 500",
            "rows = 500\nmax_rows = 499",
            "rows of table a{t} is 500; its columns hold numbers up to 499 (max_rows)",
        ),
    ];
    for (good, bad, expected) in cases {
        assert!(FRESH.contains(good), "{good}");
        let message = fresh_plan(&FRESH.replace(good, bad)).unwrap_err();
        assert!(message.contains(expected), "{bad}: {message}");
    }
}
