//! The reference pages for users name every key, kind and column that there is,
//! and no others; their examples compile; the example of a result is one of this
//! version.

#[path = "reference/page.rs"]
mod page;
#[path = "cli/place.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod place;

use std::collections::BTreeMap;

use page::{Block, Page, code, root};
use place::Place;
use serde::de::DeserializeOwned;
use tiermark::stats::cell::Better;
use tiermark::stats::summary::METRICS;
use tiermark::value::Engine;
use tiermark::workload::compile::check;
use tiermark::workload::settings::Settings;
use tiermark::workload::source::Source;
use tiermark::workload::spec::{
    ConditionSpec, DrawSpec, ProcedureSpec, RunSpec, Spec, StepSpec, TableSpec, TransactionSpec,
};
use toml::{Table, Value};

const WORKLOADS: &str = "workloads/README.md";
const SQL: &str = "sql/README.md";
const RESULTS: &str = "results/README.md";

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// The keys of a table in a workload file, as the message to a wrong one says.
fn keys<T: DeserializeOwned>() -> Vec<String> {
    let Err(error) = toml::from_str::<T>("no_key = 1") else {
        panic!("an unknown key is taken");
    };
    code(error.message())
        .into_iter()
        .filter(|name| name != "no_key")
        .collect()
}

#[test]
fn every_key_is_named() {
    let page = Page::read(WORKLOADS);
    for (heading, keys) in [
        ("Keys of the file", keys::<Spec>()),
        ("Draws", keys::<DrawSpec>()),
        ("Tables", keys::<TableSpec>()),
        ("Procedures", keys::<ProcedureSpec>()),
        ("Transactions", keys::<TransactionSpec>()),
        ("Steps", keys::<StepSpec>()),
        ("Conditions", keys::<ConditionSpec>()),
        ("Run", keys::<RunSpec>()),
    ] {
        assert_eq!(
            sorted(page.names(heading, "key")),
            sorted(keys),
            "{heading}"
        );
    }
    // The list of statements has no place in a preset.
    let single: Vec<String> = keys::<RunSpec>()
        .into_iter()
        .filter(|key| key != "session")
        .collect();
    assert_eq!(single, RunSpec::KEYS);
}

/// Checks a workload that stands in a folder with the SQL of the pages, and more.
fn checked(workload: &str, more_sql: &str) -> Result<(), String> {
    let place = Place::new();
    place.write("w.toml", workload);
    place.write("bank.sql", more_sql);
    for folder in ["common", "mysql"] {
        std::fs::create_dir_all(place.path("sql").join(folder)).unwrap();
    }
    for block in Page::read(SQL).blocks() {
        let file = match block.info.as_str() {
            "sql" => "common/bank",
            "sql mysql" => "mysql/bank",
            "sql check" => "common/bank_check",
            other => panic!("{SQL}:{}: what is `{other}`?", block.line),
        };
        place.write(&format!("sql/{file}.sql"), &block.text);
    }
    let path = place.path("w.toml");
    let source = Source::open(path.to_str().unwrap(), None).unwrap();
    match check(&source, &Settings::default()) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// A fragment in the page's whole example: its keys take the place of those there,
/// what it draws is used by a statement, its parameters by a draw.
fn checked_in_bank(fragment: &str) -> Result<(), String> {
    let mut workload = bank();
    let part: Table = fragment.parse().unwrap();
    for (key, value) in part {
        match (workload.get_mut(&key), value) {
            (Some(Value::Table(there)), Value::Table(more)) if key != "run" => there.extend(more),
            (_, value) => drop(workload.insert(key, value)),
        }
    }
    let names = |workload: &Table, key: &str| -> Vec<String> {
        workload[key].as_table().unwrap().keys().cloned().collect()
    };
    for param in names(&workload, "params") {
        let draw = format!("kind = \"const\"\nvalue = \"{param}\"");
        let draws = workload["draw"].as_table_mut().unwrap();
        draws.insert(format!("of_{param}"), Value::Table(draw.parse().unwrap()));
    }
    let values = names(&workload, "draw").join(", :");
    let uses: Table = "name = \"uses\"\nsteps = [{ run = [\"uses\"] }]"
        .parse()
        .unwrap();
    let transactions = workload["transaction"].as_array_mut().unwrap();
    transactions.push(Value::Table(uses));
    checked(
        &toml::to_string(&workload).unwrap(),
        &format!("-- name: uses\nSELECT :{values}\n"),
    )
}

/// The page's whole example.
fn bank() -> Table {
    let blocks = Page::read(WORKLOADS).blocks();
    let whole = blocks.iter().find(|block| block.info == "toml").unwrap();
    whole.text.parse().unwrap()
}

/// The message to a draw that is wrong.
fn refused(draw: &str) -> String {
    checked_in_bank(&format!("[draw]\nx = {draw}\n")).unwrap_err()
}

/// `a, b and c` behind a word of a message.
fn listed(message: &str, behind: &str) -> Vec<String> {
    let (_, list) = message
        .split_once(behind)
        .unwrap_or_else(|| panic!("no `{behind}` in: {message}"));
    let names = list.replace(" and ", ", ");
    let names = names.split(", ").filter(|name| *name != "none");
    names.map(str::to_owned).collect()
}

#[test]
fn every_kind_is_named_with_its_keys() {
    let told: BTreeMap<String, Vec<String>> = Page::read(WORKLOADS)
        .rows("Draws", "kind")
        .iter()
        .map(|row| (code(&row[0]).concat(), sorted(code(&row[1]))))
        .collect();
    let kinds = listed(&refused("{ kind = \"no_kind\" }"), "use one of ");
    let known: BTreeMap<String, Vec<String>> = kinds
        .into_iter()
        .map(|kind| {
            let alien = if kind == "digits" { "len" } else { "mask" };
            let message = refused(&format!("{{ kind = \"{kind}\", {alien} = \"1\" }}"));
            (kind, sorted(listed(&message, "which takes ")))
        })
        .collect();
    assert_eq!(told, known);
}

#[test]
fn every_example_compiles_for_every_engine() {
    let page = Page::read(WORKLOADS);
    let blocks: Vec<Block> = page.blocks();
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in blocks {
        let result = match block.info.as_str() {
            "toml" => checked(&block.text, ""),
            "toml fragment" => checked_in_bank(&block.text),
            other => panic!("{WORKLOADS}:{}: what is `{other}`?", block.line),
        };
        assert_eq!(result, Ok(()), "{WORKLOADS}:{}", block.line);
    }
    // The check sees what is wrong in a fragment.
    let fault = checked_in_bank("[run]\nclients = \"few\"\n").unwrap_err();
    assert!(fault.contains("run.clients"), "{fault}");
}

#[test]
fn every_kind_has_an_example() {
    let blocks = Page::read(WORKLOADS).blocks();
    let examples: String = blocks.iter().map(|block| block.text.as_str()).collect();
    for kind in Page::read(WORKLOADS).names("Draws", "kind") {
        let there = examples.contains(&format!("kind = \"{kind}\""));
        assert!(there, "no example draws `{kind}`");
    }
}

#[test]
fn every_engine_has_its_folders() {
    let told = Page::read(SQL).names("Look-up", "engine");
    let known = Engine::ALL
        .into_iter()
        .filter(|engine| *engine != Engine::Null);
    let known: Vec<String> = known.map(|engine| engine.name().to_owned()).collect();
    assert_eq!(sorted(told), sorted(known));
}

/// The header of each CSV file in a folder.
fn headers(folder: &std::path::Path) -> BTreeMap<String, Vec<String>> {
    let mut headers = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            let mut reader = csv::Reader::from_path(&path).unwrap();
            let header = reader.headers().unwrap().iter().map(str::to_owned);
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            headers.insert(name, header.collect());
        }
    }
    headers
}

/// What a run and a check of this version write.
fn written() -> BTreeMap<String, Vec<String>> {
    let place = Place::new();
    let mut all = BTreeMap::new();
    for workload in ["tpcc", "oltp_read_write"] {
        let run = ["-q", "run", workload, "--url", "null:"];
        let said = place.run(&[&run[..], &["--transactions", "1"]].concat());
        assert_eq!(said.status, Some(0), "{said:?}");
        all.extend(headers(&place.path("results")));
        all.extend(headers(&place.path(said.out.lines().last().unwrap())));
    }
    let small = ["--url", "sqlite:a.db", "--set", "tables=1"];
    let command = |words: &[&str]| place.run(&[words, &small].concat());
    let said = command(&["-q", "prepare", "oltp_read_write", "--set", "rows=200"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let said = command(&["-q", "check", "oltp_read_write"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    all.extend(headers(&place.path(said.out.lines().last().unwrap())));
    all
}

#[test]
fn every_column_is_named() {
    let page = Page::read(RESULTS);
    let written = written();
    assert_eq!(written["runs.csv"], written["summary.csv"]);
    assert!(written.len() >= 8, "{:?}", written.keys());
    for (file, columns) in &written {
        let heading = match file.as_str() {
            "runs.csv" | "summary.csv" => "summary.csv and runs.csv",
            file => file,
        };
        assert_eq!(&page.names(heading, "column"), columns, "{file}");
    }
    let rows = page.rows("summary.csv and runs.csv", "column");
    for metric in METRICS {
        let row = rows
            .iter()
            .find(|row| code(&row[0]).contains(&metric.name.to_owned()));
        let better = match metric.better {
            Better::Higher => "+",
            Better::Lower => "-",
            Better::Neither => "",
        };
        assert_eq!(row.unwrap()[4], better, "{}", metric.name);
    }
}

#[test]
fn the_example_is_of_this_version() {
    let folder = root().join("results/example");
    let example = headers(&folder);
    assert!(example.len() >= 5, "{:?}", example.keys());
    let written = written();
    for (file, columns) in &example {
        let again = "make it anew: tests/bench/example.sh";
        assert_eq!(written.get(file), Some(columns), "{file}; {again}");
    }
    let read = |file| std::fs::read_to_string(folder.join(file)).unwrap();
    let manifest: Table = read("manifest.toml").parse().unwrap();
    assert_eq!(manifest["outcome"]["state"].as_str(), Some("finished"));
    assert_eq!(
        manifest["run"]["workload"].as_str(),
        Some("oltp_read_write")
    );
    for file in ["manifest.toml", "environment.json"] {
        assert!(!read(file).contains("/tmp/"), "{file} names a folder");
    }
}
