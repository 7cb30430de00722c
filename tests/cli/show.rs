//! `list` and `show`: what they print, that it repeats, and readers that leave.

use std::io::Read;
use std::process::Stdio;

use crate::place::Place;

const WORKLOAD: &str = "oltp_read_write";

#[test]
fn the_list_has_a_line_for_each_workload() {
    let said = Place::new().run(&["list"]);
    assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
    let line = said.out.lines().find(|line| line.starts_with(WORKLOAD));
    assert!(
        line.is_some_and(|line| line.contains("14 reads and 4 writes")),
        "{}",
        said.out
    );
    let place = Place::new();
    for line in said.out.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert_eq!(place.run(&["show", name]).status, Some(0), "{name}");
    }
}

#[test]
fn a_plan_shows_all_that_it_does() {
    let place = Place::new();
    let said = place.run(&[
        "show",
        WORKLOAD,
        "--set",
        "point_selects=3",
        "--set",
        "sum_ranges=0",
    ]);
    assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
    for part in [
        "  sbtest1 .. sbtest4: 250,000 rows each of id, k, c, pad\n",
        "  1,000,000 rows in all, about ",
        "pareto h=0.2 ordered from 1 to 250000, 17.8 % of them one key\n",
        "  point_selects      3\n",
        "  read_write (weight 1): begin, 3 x point_select, simple_range, order_range, \
         distinct_range, index_update, non_index_update, delete, insert, commit\n",
        "16 clients, 10s of warm-up, 1m measured\n",
    ] {
        assert!(said.out.contains(part), "no `{part}` in:\n{}", said.out);
    }
    let small = place.run(&["show", WORKLOAD, "--preset", "small", "--set", "rows=20k"]);
    assert!(
        small.out.contains("  sbtest1: 20,000 rows each of"),
        "{}",
        small.out
    );
    assert!(
        small
            .out
            .contains("4 clients, 1s of warm-up, 5s measured\n"),
        "{}",
        small.out
    );
}

#[test]
fn transactions_are_shown_the_same_each_time() {
    let place = Place::new();
    let show = |more: &[&str]| {
        let said = place.run(&[&["show", WORKLOAD][..], more].concat());
        assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
        said.out
    };
    let third = show(&["--client", "3", "--first", "5"]);
    assert_eq!(show(&["--client", "3", "--first", "5"]), third);
    assert_eq!(third.lines().filter(|line| *line == "BEGIN;").count(), 5);
    assert_eq!(third.lines().filter(|line| *line == "COMMIT;").count(), 5);
    assert_eq!(third.matches("-- client 3, transaction ").count(), 5);
    assert_eq!(third.matches("SELECT c FROM sbtest").count(), 5 * 12);
    // Values stand in the place of all placeholders.
    assert!(!third.contains(['$', '?', '{']), "{third}");
    // The first ones of more are the same; another client's, seed's or phase's are not.
    assert!(show(&["--client", "3", "--first", "6"]).starts_with(&third));
    assert!(third.starts_with(&show(&["--client", "3"])));
    for other in [
        &["--client", "2", "--first", "5"][..],
        &["--client", "3", "--first", "5", "--seed", "2"],
        &["--client", "3", "--first", "5", "--warmup"],
    ] {
        let shown = show(other).replace("client 2", "client 3");
        assert_ne!(shown, third, "{other:?}");
    }
    // Engines differ in nothing but their SQL, which is one text here.
    for engine in ["mysql", "mariadb", "sqlite"] {
        assert_eq!(
            show(&["--client", "3", "--first", "5", "--engine", engine]),
            third
        );
    }
    assert_eq!(
        show(&["--client", "3", "--first", "5", "--seed", "1"]),
        third
    );
}

/// One CALL, with all its values.
#[test]
fn calls_are_shown_as_they_are_sent() {
    let place = Place::new();
    for engine in ["postgres", "mysql", "mariadb"] {
        let show = ["show", "tpcc_proc", "--client", "0", "--first", "20"];
        let said = place.run(&[&show[..], &["--engine", engine]].concat());
        assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
        let lines: Vec<&str> = said.out.lines().collect();
        assert_eq!(lines.len(), 40);
        for pair in lines.chunks_exact(2) {
            let (_, name) = pair[0].rsplit_once(' ').unwrap();
            let call = format!("CALL tiermark_{name}(");
            assert!(pair[1].starts_with(&call), "{}", pair[1]);
            assert!(!pair[1].contains(['$', '?', '{']), "{}", pair[1]);
        }
    }
}

#[test]
fn numbers_that_depend_on_the_server_are_said_to() {
    let place = Place::new();
    let arguments = ["oltp_insert", "--set", "rows=1k", "--set", "run.clients=8"];
    let show = |more: &[&str]| {
        let said = place.run(&[&["show"], &arguments[..], more].concat());
        assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
        said.out
    };
    assert!(show(&[]).contains("  id   fresh, above all keys of sbtest{t}\n"));
    let said = show(&["--client", "2", "--first", "2"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    for part in [
        "-- :id is fresh: ",
        "above 1000, as after the load",
        "of 8 clients",
    ] {
        assert!(lines[0].contains(part), "{said}");
    }
    assert!(lines[2].contains("VALUES (1003, "), "{said}");
    assert!(lines[4].contains("VALUES (1011, "), "{said}");
    let refused = place.run(&["show", "oltp_insert", "--set", "rows=3G"]);
    assert_eq!(refused.status, Some(2));
    let why = "rows of table sbtest{t} is 3000000000; its columns hold numbers up to 2147483647";
    assert!(refused.err.contains(why), "{}", refused.err);
}

#[test]
fn a_workload_file_is_shown_by_its_path() {
    let place = Place::new();
    place.write(
        "mine.toml",
        &format!("about = \"mine\"\nsql = \"oltp\"\n{MINE}"),
    );
    let said = place.run(&["show", "mine.toml", "--client", "0"]);
    assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", said.out);
    assert_eq!(lines[0], "-- client 0, transaction 0: look");
    assert!(
        lines[1].starts_with("SELECT c FROM sbtest1 WHERE id = "),
        "{}",
        said.out
    );
}

/// One point select of sysbench's, without a transaction around it.
const MINE: &str = r#"
[params]
rows = 10
[draw]
t = { kind = "uniform", min = 1, max = 1 }
id = { kind = "uniform", min = 1, max = "rows" }
[[transaction]]
name = "look"
steps = [{ run = ["point_select"] }]
"#;

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let place = Place::new();
    let arguments = ["show", WORKLOAD, "--client", "0", "--first", "10k"];
    let mut child = place
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // As `head -c 10`: what follows is far more than a pipe holds.
    let mut first = [0; 10];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    drop(out);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[test]
fn help_and_version_are_on_stdout() {
    let place = Place::new();
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let said = place.run(arguments);
        assert_eq!(
            (said.status, said.err.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        assert!(said.out.contains("tiermark"), "{}", said.out);
    }
    for arguments in [
        &[][..],
        &["runn"],
        &["run"],
        &["run", "a", "b"],
        &["show", "a", "--first", "2"],
    ] {
        assert_eq!(place.run(arguments).status, Some(2), "{arguments:?}");
    }
}
