//! A data set on embedded SQLite from its making to its removal.

use std::path::{Path, PathBuf};

use crate::place::{Place, Said};
use crate::table::cells;

const WORKLOAD: &str = "oltp_read_write";
const URL: [&str; 2] = ["--url", "sqlite:test.db"];
const SMALL: [&str; 4] = ["--set", "rows=500", "--set", "tables=2"];

fn prepared() -> Place {
    let place = Place::new();
    let said = place.run(&[&["prepare", WORKLOAD][..], &URL, &SMALL].concat());
    assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.err.contains("2 tables, 1,000 rows"), "{said:?}");
    place
}

/// The folder that a run names in its last line.
fn folder(place: &Place, said: &Said) -> PathBuf {
    assert!(matches!(said.status, Some(0 | 1)), "{said:?}");
    place.path(said.out.lines().last().unwrap())
}

fn run(place: &Place, workload: &str, more: &[&str]) -> PathBuf {
    let arguments = [
        "--quiet",
        "run",
        workload,
        "--clients",
        "2",
        "--transactions",
        "50",
    ];
    let said = place.run(&[&arguments[..], &URL, more].concat());
    assert_eq!(said.status, Some(0), "{said:?}");
    folder(place, &said)
}

fn manifest(folder: &Path) -> toml::Table {
    let text = std::fs::read_to_string(folder.join("manifest.toml")).unwrap();
    text.parse().unwrap()
}

#[test]
fn a_run_is_repeated_from_its_manifest() {
    let place = prepared();
    let first = run(&place, WORKLOAD, &["--tier", "nand"]);
    assert_eq!(
        cells(
            &first.join("summary.csv"),
            "run transaction engine tier clients done failed unfinished seed warmup_s"
        ),
        ["read_write", "all"].map(|transaction| format!(
            "{} {transaction} sqlite nand 2 50 0 0 1 0",
            first.file_name().unwrap().to_str().unwrap()
        ))
    );
    let counts = cells(
        &first.join("statements.csv"),
        "transaction statement kind count errors",
    );
    assert_eq!(
        counts,
        [
            "read_write point_select read 500 0",
            "read_write simple_range read 50 0",
            "read_write sum_range read 50 0",
            "read_write order_range read 50 0",
            "read_write distinct_range read 50 0",
            "read_write index_update write 50 0",
            "read_write non_index_update write 50 0",
            "read_write delete write 50 0",
            "read_write insert write 50 0",
            "read_write begin other 50 0",
            "read_write commit other 50 0",
        ]
    );
    let path = first.join("manifest.toml");
    let second = run(&place, path.to_str().unwrap(), &[]);
    assert_ne!(first, second);
    for columns in ["workload workload_sha done", "seed clients"] {
        assert_eq!(
            cells(&first.join("summary.csv"), columns),
            cells(&second.join("summary.csv"), columns)
        );
    }
    let columns = "transaction statement kind count rows errors";
    assert_eq!(
        cells(&first.join("statements.csv"), columns),
        cells(&second.join("statements.csv"), columns)
    );
    // A row of each in the table of all runs.
    assert_eq!(
        cells(&place.path("results/runs.csv"), "transaction done tier"),
        ["all 50 nand", "all 50 -"]
    );
    // The parameters of the load, which the command line of the run did not give.
    for folder in [&first, &second] {
        let manifest = manifest(folder);
        assert_eq!(manifest["params"]["rows"].as_str(), Some("500"));
        assert_eq!(manifest["outcome"]["state"].as_str(), Some("finished"));
    }
    // `show` knows a manifest too.
    let shown = place.run(&["show", path.to_str().unwrap(), "--engine", "sqlite"]);
    assert_eq!(shown.status, Some(0), "{shown:?}");
    assert!(
        shown.out.contains("sbtest1 .. sbtest2: 500 rows each"),
        "{}",
        shown.out
    );
    let set = ["--client", "1", "--first", "2", "--engine", "sqlite"];
    let from_manifest = place.run(&[&["show", path.to_str().unwrap()][..], &set].concat());
    let from_name = place.run(&[&["show", WORKLOAD][..], &set, &SMALL].concat());
    assert_eq!(from_manifest.out, from_name.out);

    let said = place.run(&[&["cleanup", WORKLOAD][..], &URL].concat());
    assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.err.contains("sbtest1, sbtest2"), "{said:?}");
    let message = place.refuse(&[&["run", WORKLOAD][..], &URL].concat());
    assert!(message.contains("tiermark prepare"), "{message}");
    let again = place.run(&[&["cleanup", WORKLOAD][..], &URL].concat());
    assert_eq!(again.status, Some(0), "{again:?}");
    assert!(again.err.contains("no tables"), "{again:?}");
}

/// A manifest repeats the run, not only its transactions.
#[test]
fn a_manifest_repeats_what_the_flags_said() {
    let place = prepared();
    let said = place.run(
        &[
            &[
                "--quiet",
                "run",
                WORKLOAD,
                "--clients",
                "3",
                "--transactions",
                "7",
            ][..],
            &[
                "--warmup",
                "200ms",
                "--grace",
                "2s",
                "--seed",
                "9",
                "--error-limit",
                "5%",
            ],
            &URL,
        ]
        .concat(),
    );
    let first = folder(&place, &said);
    let path = first.join("manifest.toml");
    let said = place.run(&[&["--quiet", "run", path.to_str().unwrap()][..], &URL].concat());
    let second = folder(&place, &said);
    for key in [
        "clients",
        "seed",
        "transactions",
        "warmup",
        "grace",
        "error_limit",
        "workload_sha",
    ] {
        assert_eq!(
            manifest(&first)["run"][key],
            manifest(&second)["run"][key],
            "{key}"
        );
    }
}

#[test]
fn a_run_on_other_data_is_refused() {
    let place = prepared();
    let message = place.refuse(&[&["run", WORKLOAD, "--set", "rows=600"][..], &URL].concat());
    assert!(
        message.contains("rows is 600 here") && message.contains("rows = 500"),
        "{message}"
    );
    let message = place.refuse(&[&["prepare", WORKLOAD][..], &URL].concat());
    assert!(message.contains("--recreate"), "{message}");
    // The same, written otherwise, is the same.
    run(&place, WORKLOAD, &["--set", "rows=0.5k"]);
}

#[test]
fn a_run_leaves_these_files_and_no_others() {
    let place = prepared();
    let folder = run(&place, WORKLOAD, &[]);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, crate::demo::FILES);
}
