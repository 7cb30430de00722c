//! `runs.csv`: one row per run of a results folder, for the spreadsheet.
//! Several runs may write it at once; a lock keeps their rows whole.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
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
    let cells = [Cell::Int(FORMAT)].into_iter().chain(cells);
    let mut cells: Vec<String> = cells.map(|cell| text(&cell)).collect();

    let old = match std::fs::read_to_string(&path) {
        Ok(old) => old,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(&error)),
    };
    let old_header = columns(&old).map_err(|error| failed(&error))?;
    let same = old_header.iter().zip(&header).all(|(old, new)| old == new);
    if !same {
        return Err(failed(
            &"its columns are not those of tiermark; move it away",
        ));
    }
    if old_header.len() >= header.len() {
        // A later version may have begun it, with more columns.
        cells.resize(old_header.len(), String::new());
        let mut line = record(&cells).map_err(|error| failed(&error))?;
        if !old.ends_with('\n') {
            // Some editors drop the last line's end.
            line.insert(0, b'\n');
        }
        let file = OpenOptions::new().append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(&line));
        return written.map_err(|error| failed(&error));
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
    let replaced = std::fs::write(&fresh, whole).and_then(|()| std::fs::rename(&fresh, &path));
    replaced.map_err(|error| failed(&error))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::stats::recorder::Recorder;
    use crate::stats::summary::{RunInfo, Summary};

    fn summary(run: &str) -> Summary {
        let recorder = Recorder::new(0, 0);
        Summary {
            info: RunInfo {
                run: run.to_owned(),
                ..RunInfo::default()
            },
            measured: Duration::from_secs(1),
            all: recorder.all(),
            recorder,
            steadiness: None,
            open: None,
            client_cpu: Duration::ZERO,
            outage: Duration::ZERO,
            disconnected: Duration::ZERO,
            warnings: Vec::new(),
        }
    }

    fn appended(before: Option<&str>) -> Result<Vec<Vec<String>>, SinkError> {
        let results = tempfile::tempdir().unwrap();
        let path = results.path().join("runs.csv");
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        append(results.path(), &summary("a,\"b\"").all_row())?;
        append(results.path(), &summary("second").all_row())?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_path(&path)
            .unwrap();
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect());
        Ok(rows.collect())
    }

    #[test]
    fn rows_are_appended_under_one_header() {
        let rows = appended(None).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(
            (rows[0][0].as_str(), rows[0].len()),
            ("format", METRICS.len() + 1)
        );
        assert_eq!(rows[1][1], "a,\"b\"");
        assert_eq!(rows[2][1], "second");
    }

    #[test]
    fn an_older_file_gets_the_new_columns_and_keeps_its_rows() {
        let rows = appended(Some("format,run\n1,old")).unwrap();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[1][1], "old");
        assert!(rows.iter().all(|row| row.len() == METRICS.len() + 1));
    }

    #[test]
    fn a_newer_file_keeps_its_columns() {
        let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        let header = format!("format,{},newer\n", names.join(","));
        let rows = appended(Some(&header)).unwrap();
        assert!(rows.iter().all(|row| row.len() == METRICS.len() + 2));
        assert_eq!(rows[1][METRICS.len() + 1], "");
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let error = appended(Some("when,what\n1,2\n")).unwrap_err();
        assert!(error.to_string().contains("move it away"), "{error}");
    }
}
