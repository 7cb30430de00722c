//! Wrong usage: status 2, one message that names the key, and nothing touched.

use crate::place::Place;

const WORKLOAD: &str = "oltp_read_write";

/// A target that would be used if the arguments were right.
const TARGET: [&str; 2] = ["--url", "sqlite:made.db"];

#[test]
fn rows_that_are_no_count_name_the_key() {
    let place = Place::new();
    for value in ["abc", "-5", "0.5", "10X", "", "99999999999999999999"] {
        let set = format!("rows={value}");
        for command in ["run", "prepare"] {
            let message =
                place.refuse(&[&[command, WORKLOAD, "--set", &set][..], &TARGET].concat());
            assert!(
                message.starts_with(&format!("--set {set}: rows: ")),
                "{message}"
            );
            assert!(message.contains(&format!("`{value}`")), "{message}");
        }
        let message = place.refuse(&["show", WORKLOAD, "--set", &set]);
        assert!(message.contains("rows"), "{message}");
    }
}

#[test]
fn a_range_without_keys_names_the_parameter() {
    let place = Place::new();
    for set in ["rows=0", "tables=0"] {
        let message = place.refuse(&["show", WORKLOAD, "--set", set]);
        assert!(message.starts_with(&format!("--set {set}: ")), "{message}");
    }
}

#[test]
fn rows_in_millions_are_millions() {
    let place = Place::new();
    for value in ["50M", "50e6", "50000k", "50000000", "\"50M\""] {
        let said = place.run(&["show", WORKLOAD, "--set", &format!("rows={value}")]);
        assert_eq!(said.status, Some(0), "{said:?}");
        assert!(
            said.out
                .contains("sbtest1 .. sbtest4: 50,000,000 rows each"),
            "{}",
            said.out
        );
        assert!(
            said.out.contains("from 1 to 50000000, 8.6 % of them"),
            "{}",
            said.out
        );
    }
}

#[test]
fn settings_that_are_not_there_name_what_is() {
    let place = Place::new();
    let cases = [
        (&["--set", "rowz=1"][..], "it has tables, rows,"),
        (&["--set", "rows"], "write it as key=value"),
        (
            &["--set", "draw.idd.h=0.1"],
            "there is no `idd`; here are t, id,",
        ),
        (&["--set", "h=2"], "more than 0 and less than 1"),
        (&["--set", "h=wide"], "h: `wide`"),
        (
            &["--set", "distribution=zipfian"],
            "use one of uniform, pareto, zipf, gaussian",
        ),
        (&["--preset", "huge"], "it has small"),
    ];
    for (arguments, expected) in cases {
        let message = place.refuse(&[&["run", WORKLOAD][..], arguments, &TARGET].concat());
        assert!(message.starts_with(&arguments.join(" ")), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn workloads_that_are_not_there_are_named() {
    let place = Place::new();
    for command in ["run", "prepare", "cleanup", "show"] {
        let message = place.refuse(&[command, "oltp_raed"]);
        assert!(message.contains("`oltp_raed`"), "{message}");
        assert!(message.contains(WORKLOAD), "{message}");
        assert!(
            place
                .refuse(&[command, "mine.toml"])
                .contains("cannot read mine.toml")
        );
    }
}

#[test]
fn without_a_target_it_is_said_how_to_give_one() {
    let place = Place::new();
    for command in ["run", "prepare", "cleanup"] {
        let message = place.refuse(&[command, WORKLOAD]);
        for word in [
            "TIERMARK_URL",
            "--url",
            "postgres://",
            "mysql://",
            "sqlite:",
        ] {
            assert!(message.contains(word), "{message}");
        }
    }
}

#[test]
fn no_password_is_printed() {
    let place = Place::new();
    for url in [
        "postgres://joe:geheim@[::1/db",
        "postgres://joe:geheim@host:99999/db",
        "mysq://joe:geheim@host/db",
        "joe:geheim@host/db",
        "mysql://joe:geheim",
    ] {
        for command in ["run", "prepare", "cleanup"] {
            let said = place.run(&[command, WORKLOAD, "--url", url]);
            assert_eq!(said.status, Some(2), "{url}: {said:?}");
            assert!(!format!("{said:?}").contains("geheim"), "{url}: {said:?}");
        }
    }
    // Also where the fault is elsewhere, or nobody answers.
    for arguments in [
        &[
            "run",
            WORKLOAD,
            "--url",
            "postgres://joe:geheim@127.0.0.1:1/db",
            "--clients",
            "0",
        ][..],
        &[
            "run",
            WORKLOAD,
            "--url",
            "postgres://joe:geheim@127.0.0.1:1/db",
        ],
        &[
            "run",
            WORKLOAD,
            "--url",
            "mysql://joe:geheim@127.0.0.1:1/db",
        ],
        &[
            "prepare",
            WORKLOAD,
            "--url",
            "mysql://joe:geheim@127.0.0.1:1/db",
        ],
    ] {
        let said = place.run(arguments);
        assert!(matches!(said.status, Some(2 | 3)), "{said:?}");
        assert!(!format!("{said:?}").contains("geheim"), "{said:?}");
    }
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn numbers_of_the_run_are_checked_first() {
    let place = Place::new();
    let cases = [
        (&["--clients", "0"][..], "--clients"),
        (&["-c", "0"], "--clients"),
        (&["--clients", "many"], "--clients"),
        (&["--workers", "0"], "--workers"),
        (&["--transactions", "0"], "--transactions"),
        (&["--time", "0s"], "--time"),
        (&["--time", "abc"], "--time"),
        (&["--time", "-1s"], "-1"),
        (&["--warmup", "5 parsecs"], "--warmup"),
        (&["--grace", "x"], "--grace"),
        (&["--error-limit", "200%"], "--error-limit"),
        (&["--seed", "-1"], "-1"),
        (&["--time", "5s", "--transactions", "5"], "--transactions"),
        (&["--set", "run.clients=0"], "run.clients"),
        (&["--set", "run.time=0s"], "measured window"),
        (&["--set", "run.time=never"], "run.time"),
        (&["--set", "run.transactions=0"], "run.transactions"),
    ];
    for (arguments, expected) in cases {
        let message = place.refuse(&[&["run", WORKLOAD][..], arguments, &TARGET].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_wait_must_make_sense() {
    let place = Place::new();
    let cases = [
        (
            "tpcc",
            &["--set", "run.wait=-1"][..],
            "run.wait is -1; give 0",
        ),
        ("tpcc", &["--set", "run.wait=1e9"], "up to 1000"),
        ("tpcc", &["--set", "run.wait=long"], "run.wait: `long`"),
        (
            "tpcc",
            &["--set", "run.wait=0.5", "--rate", "100"],
            "run.wait is 0.5 and a rate is given",
        ),
        (
            WORKLOAD,
            &["--set", "run.wait=1"],
            "no transaction of oltp_read_write has a keying or think time",
        ),
        (
            "tpcc",
            &["--set", "transaction.0.think=-1s"],
            "think of transaction new_order: `-1s`",
        ),
    ];
    for (workload, arguments, expected) in cases {
        let message = place.refuse(&[&["run", workload][..], arguments, &TARGET].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
