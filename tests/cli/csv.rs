//! `--csv eu`: `;` between cells and `,` in numbers, in every CSV file of the
//! command.

use std::path::Path;

use crate::place::{Place, Said};

const URL: [&str; 2] = ["--url", "sqlite:test.db"];
const RUN: [&str; 6] = [
    "--quiet",
    "run",
    "oltp_read_write",
    "--transactions",
    "50",
    "-c",
];

fn did(place: &Place, arguments: &[&str]) -> Said {
    let said = place.run(&[arguments, &URL].concat());
    assert_eq!(said.status, Some(0), "{said:?}");
    said
}

/// All cells, header first; every row must be as long as it.
fn rows(path: &Path, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .from_path(path)
        .unwrap();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        row.iter().map(str::to_owned).collect()
    });
    rows.collect()
}

fn figure(rows: &[Vec<String>], row: usize, column: &str) -> f64 {
    let place = rows[0].iter().position(|name| name == column).unwrap();
    let cell = &rows[row][place];
    assert!(!cell.contains('.'), "{column} is {cell}");
    cell.replace(',', ".").parse().unwrap()
}

#[test]
fn every_file_of_a_command_has_one_form() {
    let place = Place::new();
    let size = ["--set", "rows=500", "--set", "tables=1"];
    did(
        &place,
        &[&["prepare", "oltp_read_write"][..], &size].concat(),
    );
    let runs = place.path("results/runs.csv");

    did(&place, &[&RUN[..], &["2", "--tier", "v1.5"]].concat());
    let standard = std::fs::read_to_string(&runs).unwrap();
    assert!(standard.starts_with("format,run,"));

    let said = did(
        &place,
        &[&RUN[..], &["2", "--csv", "eu", "--tier", "a;b"]].concat(),
    );
    let folder = place.path(said.out.lines().last().unwrap());
    let check = did(
        &place,
        &["--quiet", "check", "oltp_read_write", "--csv", "eu"],
    );
    let check = place
        .path(check.out.lines().last().unwrap())
        .join("check.csv");
    let files = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "csv"));
    assert_eq!(files.len(), 5, "{files:?}");
    files.extend([runs.clone(), check]);
    for path in &files {
        let rows = rows(path, b';');
        assert_eq!(rows[0][..2], ["format", "run"], "{}", path.display());
        assert!(
            rows.len() > 1 || path.ends_with("errors.csv"),
            "{}",
            path.display()
        );
    }

    let percentiles = rows(&folder.join("percentiles.csv"), b';');
    let last = percentiles.len() - 1;
    assert!(percentiles.iter().any(|row| row[4].contains(',')));
    assert!((figure(&percentiles, last, "percentile") - 100.0).abs() < f64::EPSILON);
    let summary = rows(&folder.join("summary.csv"), b';');
    for row in [1, 2] {
        let (tps, measured) = (
            figure(&summary, row, "tps"),
            figure(&summary, row, "measured_s"),
        );
        // Each is rounded to four decimals.
        assert!(
            (tps * measured / 50.0 - 1.0).abs() < 0.01,
            "{tps} {measured}"
        );
    }
    let all = rows(&runs, b';');
    assert_eq!(all.len(), 3);
    assert_eq!(all[2], summary[2]);
    let tiers: Vec<&str> = all[1..].iter().map(|row| row[5].as_str()).collect();
    assert_eq!(tiers, ["v1.5", "a;b"], "names stay as they are");

    // The form asked for last is that of the whole file, and nothing is lost.
    did(&place, &[&RUN[..], &["2"]].concat());
    let back = std::fs::read_to_string(&runs).unwrap();
    assert_eq!(back.lines().count(), 4);
    assert!(back.starts_with(&standard), "{back}");
}

#[test]
fn an_unknown_form_is_refused() {
    let place = Place::new();
    let message = place.refuse(&[&["run", "oltp_read_write", "--csv", "us"][..], &URL].concat());
    assert!(message.contains("use standard or eu"), "{message}");
}
