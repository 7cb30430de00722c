//! `runs.csv`: one row per run of a results folder, for the spreadsheet.
//! Several runs may write it at once; a lock keeps their rows whole.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use crate::report::csv::{FORMAT, text};
use crate::stats::cell::Cell;
use crate::stats::sink::SinkError;
use crate::stats::summary::{METRICS, SummaryRow};

/// Appends the row to `<results>/runs.csv`. Where the file was begun by a
/// version with fewer columns it is rewritten, with empty cells for the new.
///
/// # Errors
/// When the file cannot be written, or is of another kind.
pub fn append(results: &Path, row: &SummaryRow<'_>) -> Result<(), SinkError> {
    let path = results.join("runs.csv");
    let failed = |error: &dyn std::fmt::Display| {
        SinkError(format!("cannot write {}: {error}", path.display()))
    };
    // A lock file of its own: runs.csv itself may be replaced.
    let lock = File::create(results.join(".runs.lock")).map_err(|error| failed(&error))?;
    lock.lock().map_err(|error| failed(&error))?;

    let header: Vec<&str> = ["format"]
        .into_iter()
        .chain(METRICS.iter().map(|metric| metric.name))
        .collect();
    let cells = METRICS.iter().map(|metric| (metric.get)(row));
    let cells: Vec<String> = [Cell::Int(FORMAT)]
        .into_iter()
        .chain(cells)
        .map(|cell| text(&cell))
        .collect();

    let mut old = String::new();
    if let Ok(mut file) = File::open(&path) {
        file.read_to_string(&mut old)
            .map_err(|error| failed(&error))?;
    }
    let old_columns = columns(&old).map_err(|error| failed(&error))?;
    if !header.starts_with(&old_columns.iter().map(String::as_str).collect::<Vec<_>>()) {
        return Err(failed(
            &"its header is not that of this version; move it away",
        ));
    }
    if old_columns.len() == header.len() {
        let line = record(&cells).map_err(|error| failed(&error))?;
        let mut file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|error| failed(&error))?;
        return file.write_all(&line).map_err(|error| failed(&error));
    }
    let mut whole = record(&header).map_err(|error| failed(&error))?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(old.as_bytes());
    for known in reader.records() {
        let mut known = known.map_err(|error| failed(&error))?;
        while known.len() < header.len() {
            known.push_field("");
        }
        whole.extend(record(&known).map_err(|error| failed(&error))?);
    }
    whole.extend(record(&cells).map_err(|error| failed(&error))?);
    let fresh = results.join(".runs.csv.new");
    std::fs::write(&fresh, whole).map_err(|error| failed(&error))?;
    std::fs::rename(&fresh, &path).map_err(|error| failed(&error))
}

fn columns(text: &str) -> Result<Vec<String>, csv::Error> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    Ok(reader.headers()?.iter().map(str::to_owned).collect())
}

fn record<T: AsRef<[u8]>>(cells: impl IntoIterator<Item = T>) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells)?;
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}
