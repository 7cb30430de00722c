//! The import law: which module may use which. The laws are data; `check` reads
//! one file; the tests at the end show that it can fail.

#[path = "layers/source.rs"]
mod source;

use std::path::{Path, PathBuf};

use source::{Token, imports, tokens};

/// A module and those it may name behind `crate::`. Files may always use their
/// own module. `ALL` stands for every module.
const MAY_USE: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("units", &[]),
    ("random", &["value", "units"]),
    ("stats", &["value", "units"]),
    ("host", &["value", "units"]),
    ("workload", &["value", "units", "random", "stats", "host"]),
    ("db", &["value", "units", "random", "stats", "host"]),
    // The loop measures, not the transaction: no stats.
    (
        "transaction",
        &["value", "units", "random", "host", "workload", "db"],
    ),
    ("run", BELOW_RUN),
    ("server", BELOW_RUN),
    ("study", BELOW_STUDY),
    // Renders what it reads from disk.
    ("report", &["value", "units", "stats", "host"]),
    ("commands", ALL),
    ("cli", ALL),
    ("main", ALL),
    ("lib", &[]),
];

const BELOW_RUN: &[&str] = &[
    "value",
    "units",
    "random",
    "stats",
    "host",
    "workload",
    "db",
    "transaction",
];
const BELOW_STUDY: &[&str] = &[
    "value",
    "units",
    "random",
    "stats",
    "host",
    "workload",
    "db",
    "transaction",
    "run",
    "server",
];
const ALL: &[&str] = &["*"];

/// Crates that only some modules know.
const CRATES: &[(&str, &[&str])] = &[
    ("sqlx", &["db", "server"]),
    ("rand", &["random"]),
    ("rand_distr", &["random"]),
];

/// Modules that read no clock.
const WITHOUT_CLOCK: &[&str] = &["random", "stats", "workload", "transaction", "report"];

/// Macros that write to the terminal, and the files and modules that may.
const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];
const MAY_PRINT: &[&str] = &["commands/", "main.rs"];

/// Breaches of the law in one file; `path` is below `src/`, as `run/worker.rs`.
fn check(path: &str, text: &str) -> Vec<String> {
    let module = path
        .split_once('/')
        .map_or_else(|| path.trim_end_matches(".rs"), |(module, _)| module);
    let mut breaches = Vec::new();
    let mut breach =
        |line: usize, what: String| breaches.push(format!("src/{path}:{line}: {what}"));
    if !text.starts_with("//!") {
        breach(1, "does not begin with `//!`".to_owned());
    }
    let tokens = tokens(text);
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == module) else {
        breach(1, format!("module `{module}` has no place in the law"));
        return breaches;
    };
    for (line, used) in imports(&tokens, path.contains('/')) {
        let free = *allowed == ALL || used == module || allowed.contains(&used.as_str());
        if !free {
            breach(line, format!("{module} may not use {used}"));
        }
    }
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    for (index, Token { text, line }) in tokens.iter().enumerate() {
        let (before, after) = (index.checked_sub(1).map_or("", at), at(index + 1));
        let is_crate = (after == "::" && before != "::") || before == "use" || before == "crate";
        if let Some((name, homes)) = CRATES.iter().find(|(name, _)| name == text)
            && is_crate
            && !homes.contains(&module)
        {
            breach(*line, format!("{name} is for {} only", homes.join(" and ")));
        }
        let reads_clock = (text == "now" && before == "::") || text == "clock_gettime";
        if reads_clock && WITHOUT_CLOCK.contains(&module) {
            breach(*line, format!("{module} may not read a clock"));
        }
        if PRINTING.contains(&text.as_str())
            && after == "!"
            && !MAY_PRINT.iter().any(|place| path.starts_with(place))
        {
            breach(*line, format!("{text}! is not for {path}"));
        }
        if text == "unsafe" {
            breach(*line, "unsafe code".to_owned());
        }
    }
    breaches
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_sources_keep_the_law() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_below(&src, &mut files);
    assert!(files.len() > 50, "only {} files found", files.len());
    let mut breaches = Vec::new();
    for file in files {
        let path = file.strip_prefix(&src).unwrap().to_str().unwrap();
        breaches.extend(check(path, &std::fs::read_to_string(&file).unwrap()));
    }
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
}

#[test]
fn every_breach_is_found() {
    // The path, the text behind `//! x`, and what must be said about it.
    let cases = [
        (
            "value.rs",
            "use crate::units::grouped;",
            "value may not use units",
        ),
        (
            "random/a.rs",
            "use crate::stats::cell::Cell;",
            "random may not use stats",
        ),
        (
            "stats/a.rs",
            "fn f() { crate::run::go(); }",
            "stats may not use run",
        ),
        (
            "workload/a.rs",
            "use crate::db::session::Session;",
            "workload may not use db",
        ),
        (
            "db/a.rs",
            "use crate::{value::Kind, workload::plan::Plan};",
            "db may not use workload",
        ),
        (
            "db/a.rs",
            "use super::super::workload::Plan;",
            "db may not use workload",
        ),
        (
            "transaction/a.rs",
            "use crate::stats::recorder::Fate;",
            "transaction may not use stats",
        ),
        (
            "run/a.rs",
            "use crate::{\n  value::{Kind, Engine},\n  report::csv,\n};",
            "run may not use report",
        ),
        (
            "report/a.rs",
            "use crate::workload::plan::Plan;",
            "report may not use workload",
        ),
        (
            "study/a.rs",
            "use crate::report::csv;",
            "study may not use report",
        ),
        (
            "units.rs",
            "use super::value::Kind;",
            "units may not use value",
        ),
        ("run/a.rs", "use crate::*;", "run may not use *"),
        ("new/a.rs", "", "module `new` has no place in the law"),
        (
            "run/a.rs",
            "use sqlx::Connection;",
            "sqlx is for db and server only",
        ),
        (
            "run/a.rs",
            "fn f() -> sqlx::Error { x }",
            "sqlx is for db and server only",
        ),
        ("workload/a.rs", "use rand::Rng;", "rand is for random only"),
        (
            "stats/a.rs",
            "fn f() { Instant::now(); }",
            "stats may not read a clock",
        ),
        (
            "report/a.rs",
            "fn f() { std::time::SystemTime::now(); }",
            "report may not read a clock",
        ),
        (
            "run/a.rs",
            "fn f() { println!(\"x\"); }",
            "println! is not for run/a.rs",
        ),
        (
            "report/csv.rs",
            "fn f() { eprintln!(); }",
            "eprintln! is not for report/csv.rs",
        ),
        ("commands/a.rs", "fn f() { unsafe { g() } }", "unsafe code"),
        // What is stripped must not hide what follows it.
        (
            "run/a.rs",
            "#[cfg(test)]\nmod tests { fn f() { '{'; \"}\"; } }\nuse crate::report::csv;",
            "run may not use report",
        ),
        (
            "run/a.rs",
            "fn f<'a>(x: &'a str) { r#\"\"quoted\"#; println!(); }",
            "println! is not for run/a.rs",
        ),
    ];
    for (path, text, expected) in cases {
        let breaches = check(path, &format!("//! x\n{text}\n"));
        assert_eq!(breaches.len(), 1, "{path} {text}: {breaches:?}");
        assert!(
            breaches[0].ends_with(expected),
            "{path} {text}: {breaches:?}"
        );
    }
    assert_eq!(
        check(
            "run/a.rs",
            "//! x\n\nuse crate::{\n    value::Kind,\n    report::csv,\n};\n"
        ),
        ["src/run/a.rs:5: run may not use report"]
    );
    assert_eq!(
        check("run/a.rs", "use std::fs;\n"),
        ["src/run/a.rs:1: does not begin with `//!`"]
    );
}

#[test]
fn what_is_allowed_passes() {
    let cases = [
        (
            "run/a.rs",
            "use crate::{db::session::Session, run::pace::Pace, transaction::script};",
        ),
        (
            "db/a.rs",
            "use sqlx::Connection; use super::session::Session;",
        ),
        ("random/a.rs", "use rand::{Rng, SeedableRng};"),
        (
            "commands/a.rs",
            "use crate::report::csv; fn f() { println!(); }",
        ),
        ("commands/run.rs", "fn f() { eprintln!(); }"),
        ("db/a.rs", "fn f() { Instant::now(); }"),
        (
            "run/a.rs",
            "// use crate::report::csv; println!()\n/* unsafe /* nested */ sqlx::x */",
        ),
        (
            "run/a.rs",
            "/// `crate::report` and println!(\"x\")\nfn f() { let text = \"crate::report unsafe println!()\"; }",
        ),
        (
            "stats/a.rs",
            "#[cfg(test)]\nmod tests { use crate::run::pace::Pace; fn f() { Instant::now(); } }",
        ),
        (
            "stats/a.rs",
            "#[cfg(test)]\nuse crate::run::pace::Pace;\n#[cfg(test)]\nmod oracle;\nfn f() {}",
        ),
        (
            "workload/a.rs",
            "use crate::random::rng::Rng; fn f(rand: u8, now: u8) {}",
        ),
        (
            "lib.rs",
            "#![forbid(unsafe_code)]\npub mod run { pub mod pace; }",
        ),
    ];
    for (path, text) in cases {
        let breaches = check(path, &format!("//! x\n{text}\n"));
        assert!(breaches.is_empty(), "{path} {text}: {breaches:?}");
    }
}
