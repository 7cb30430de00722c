//! What people and programs read of a check: `check.csv`, which has each row as
//! soon as it is known, and the table on the terminal.

use std::fmt::Write;
use std::path::Path;

use crate::report::csv::{CsvFile, Form};
use crate::stats::cell::Cell;
use crate::stats::check::{CheckRow, Outcome};
use crate::stats::sink::SinkError;

const COLUMNS: [&str; 7] = [
    "run",
    "check",
    "scope",
    "result",
    "found",
    "expected",
    "first_keys",
];

/// `check.csv` while the check goes on.
#[derive(Debug)]
pub struct CheckFile {
    file: CsvFile,
    run: String,
}

impl CheckFile {
    /// Begins the file in `folder`; `run` is the folder's name.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(folder: &Path, run: &str, form: Form) -> Result<CheckFile, SinkError> {
        Ok(CheckFile {
            file: CsvFile::create(&folder.join("check.csv"), COLUMNS, form)?,
            run: run.to_owned(),
        })
    }

    /// Adds a row, which is in the file when this returns.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn row(&mut self, row: &CheckRow) -> Result<(), SinkError> {
        self.file.row([
            Cell::from(self.run.as_str()),
            Cell::from(row.check.as_str()),
            Cell::from(row.scope.as_str()),
            Cell::from(row.outcome.name()),
            Cell::from(row.found.as_str()),
            Cell::from(row.expected.as_str()),
            Cell::from(row.keys().as_str()),
        ])?;
        self.file.flush()
    }
}

/// The outcomes of one scope in a line: `sbtest1: row_count pass, index pass`.
pub fn line(rows: &[CheckRow]) -> String {
    let outcomes: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.check, row.outcome.name()))
        .collect();
    let scope = rows.first().map_or("", |row| &row.scope);
    format!("{scope}: {}", outcomes.join(", "))
}

/// A line for each scope and a column for each check; then every fault, and why
/// what was skipped was skipped.
pub fn table(scopes: &[Vec<CheckRow>]) -> String {
    let mut checks: Vec<&str> = Vec::new();
    for row in scopes.iter().flatten() {
        if !checks.contains(&row.check.as_str()) {
            checks.push(&row.check);
        }
    }
    let width = scopes.iter().flatten().map(|row| row.scope.len());
    let width = width.chain(["table".len()]).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_table(&mut text, scopes, &checks, width);
    text
}

fn write_table(
    text: &mut String,
    scopes: &[Vec<CheckRow>],
    checks: &[&str],
    width: usize,
) -> std::fmt::Result {
    let mut line = |scope: &str, cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("  {cell:<9}")).collect();
        let line = format!("  {scope:<width$}{}", cells.concat());
        writeln!(text, "{}", line.trim_end())
    };
    line("table", checks)?;
    for rows in scopes {
        let outcome = |check: &&str| {
            let row = rows.iter().find(|row| row.check == *check);
            row.map_or("", |row| row.outcome.name())
        };
        let cells: Vec<&str> = checks.iter().map(outcome).collect();
        line(rows.first().map_or("", |row| &row.scope), &cells)?;
    }
    for row in scopes.iter().flatten() {
        if row.outcome == Outcome::Fail {
            fault(text, row)?;
        }
    }
    skips(text, scopes)
}

pub(super) fn fault(text: &mut String, row: &CheckRow) -> std::fmt::Result {
    writeln!(text, "\n  {} of {} fails", row.check, row.scope)?;
    writeln!(text, "    found     {}", row.found)?;
    writeln!(text, "    expected  {}", row.expected)?;
    if !row.first_keys.is_empty() {
        writeln!(text, "    first at  {}", row.keys())?;
    }
    Ok(())
}

/// Each reason once, however many tables have it.
fn skips(text: &mut String, scopes: &[Vec<CheckRow>]) -> std::fmt::Result {
    let mut told: Vec<(&str, &str, u64)> = Vec::new();
    for row in scopes.iter().flatten() {
        if row.outcome != Outcome::Skipped {
            continue;
        }
        let known = told
            .iter_mut()
            .find(|(check, why, _)| *check == row.check && *why == row.found);
        match known {
            Some((_, _, tables)) => *tables += 1,
            None => told.push((&row.check, &row.found, 1)),
        }
    }
    for (index, (check, why, tables)) in told.iter().enumerate() {
        if index == 0 {
            writeln!(text)?;
        }
        let tables = if *tables == 1 {
            "1 table".to_owned()
        } else {
            format!("{tables} tables")
        };
        writeln!(text, "  {check} is skipped for {tables}: {why}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes() -> Vec<Vec<CheckRow>> {
        let count = |table: &str, found: &str| {
            CheckRow::judged("row_count", table, found.to_owned(), "10".to_owned())
        };
        let skipped = |table: &str| CheckRow::skipped("sample", table, "changed by a run");
        let mut bad = count("a_longer_name", "9");
        bad.first_keys = vec!["4".to_owned(), "7".to_owned()];
        vec![
            vec![count("t", "10"), skipped("t")],
            vec![bad, skipped("a_longer_name")],
        ]
    }

    #[test]
    fn people_read_a_table_and_its_faults() {
        let wanted = "  table          row_count  sample
  t              pass       skipped
  a_longer_name  fail       skipped

  row_count of a_longer_name fails
    found     9
    expected  10
    first at  4 7

  sample is skipped for 2 tables: changed by a run
";
        assert_eq!(table(&scopes()), wanted);
        assert_eq!(line(&scopes()[0]), "t: row_count pass, sample skipped");
    }

    #[test]
    fn a_row_is_in_the_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = CheckFile::create(folder.path(), "now-check-x", Form::Standard).unwrap();
        for row in &scopes()[1] {
            file.row(row).unwrap();
        }
        let read = std::fs::read_to_string(folder.path().join("check.csv")).unwrap();
        assert_eq!(
            read,
            "format,run,check,scope,result,found,expected,first_keys\n\
             1,now-check-x,row_count,a_longer_name,fail,9,10,4 7\n\
             1,now-check-x,sample,a_longer_name,skipped,changed by a run,,\n"
        );
    }
}
