//! `runs.csv`: one row per run of a results folder, for the spreadsheet.
//! Several runs may write it at once; a lock keeps their rows whole.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::report::csv::{FORMAT, Form, text};
use crate::report::progress::note;
use crate::stats::cell::Cell;
use crate::stats::sink::SinkError;
use crate::stats::summary::{METRICS, SummaryRow};

/// The last of the columns that only name the run. A version number or a tier's
/// name among them may look like a figure.
const LAST_NAME: &str = "transaction";

/// Appends the row to `<results>/runs.csv`. Where the file was begun by a
/// version with fewer columns it is rewritten, with empty cells for the new;
/// and where it was begun in another form, as a whole in this one.
///
/// # Errors
/// When the file cannot be written, or is of another kind.
pub fn append(results: &Path, row: &SummaryRow<'_>, form: Form) -> Result<(), SinkError> {
    let path = results.join("runs.csv");
    // What a link leads to is written, not the link.
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    let failed = |error: &dyn std::fmt::Display| {
        SinkError(format!("cannot write {}: {error}", path.display()))
    };
    // A lock file of its own: runs.csv itself may be replaced.
    let lock = File::create(results.join(".runs.lock")).map_err(|error| failed(&error))?;
    if lock.try_lock().is_err() {
        note(format_args!(
            "waiting for another run to write its row into {}",
            path.display()
        ));
        lock.lock().map_err(|error| failed(&error))?;
    }

    let header: Vec<&str> = ["format"]
        .into_iter()
        .chain(METRICS.iter().map(|metric| metric.name))
        .collect();
    let cells = METRICS.iter().map(|metric| (metric.get)(row));
    let cells = [Cell::Int(FORMAT)].into_iter().chain(cells);
    let mut cells: Vec<String> = cells.map(|cell| text(&cell, form)).collect();

    let old = match std::fs::read_to_string(&path) {
        Ok(old) => old,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(&error)),
    };
    let old = old.trim_start_matches('\u{feff}').to_owned();
    let old_form = Form::of(&old);
    let old_header = columns(&old, old_form).map_err(|error| failed(&error))?;
    let same = old_header.iter().zip(&header).all(|(old, new)| old == new);
    if !same {
        return Err(failed(
            &"its columns are not those of tiermark; move it away",
        ));
    }
    let width = old_header.len().max(header.len());
    // A later version may have begun it, with more columns.
    cells.resize(width, String::new());
    if old_header.len() == width && old_form == form {
        let mut line = record(&cells, form).map_err(|error| failed(&error))?;
        if !old.ends_with('\n') {
            // Some editors drop the last line's end.
            line.insert(0, b'\n');
        }
        let file = OpenOptions::new().append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(&line));
        return written.map_err(|error| failed(&error));
    }
    let mut whole = if old_header.len() == width {
        record(&old_header, form)
    } else {
        record(&header, form)
    }
    .map_err(|error| failed(&error))?;
    let names = header.iter().position(|name| *name == LAST_NAME);
    for known in reader(&old, old_form).records() {
        let known = known.map_err(|error| failed(&error))?;
        let kept = known.iter().enumerate().map(|(column, cell)| {
            if names.is_some_and(|names| column <= names) {
                cell.to_owned()
            } else {
                moved(cell, old_form, form)
            }
        });
        let mut kept: Vec<String> = kept.collect();
        kept.resize(kept.len().max(width), String::new());
        whole.extend(record(&kept, form).map_err(|error| failed(&error))?);
    }
    whole.extend(record(&cells, form).map_err(|error| failed(&error))?);
    replace(&path, &whole).map_err(|error| failed(&error))
}

/// Puts a file in the place of another, with its permissions, where it may be
/// written at all.
fn replace(path: &Path, whole: &[u8]) -> std::io::Result<()> {
    let old = match OpenOptions::new().append(true).open(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let fresh = path.with_extension("csv.new");
    std::fs::write(&fresh, whole)?;
    if let Some(old) = old {
        std::fs::set_permissions(&fresh, old.metadata()?.permissions())?;
    }
    std::fs::rename(&fresh, path)
}

/// A figure with a fraction from one form to another; anything else as it is.
fn moved(cell: &str, from: Form, to: Form) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match cell.split_once(from.mark()) {
        Some((whole, fraction))
            if is_number(whole.trim_start_matches('-')) && is_number(fraction) =>
        {
            format!("{whole}{}{fraction}", to.mark())
        }
        _ => cell.to_owned(),
    }
}

fn reader(text: &str, form: Form) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .flexible(true)
        .delimiter(form.delimiter())
        .from_reader(text.as_bytes())
}

fn columns(text: &str, form: Form) -> Result<Vec<String>, csv::Error> {
    let mut reader = reader(text, form);
    Ok(reader.headers()?.iter().map(str::to_owned).collect())
}

fn record<T: AsRef<[u8]>>(
    cells: impl IntoIterator<Item = T>,
    form: Form,
) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(form.delimiter())
        .from_writer(Vec::new());
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
            orders_taken: None,
            warnings: Vec::new(),
        }
    }

    fn appended(before: Option<&str>) -> Result<Vec<Vec<String>>, SinkError> {
        let results = tempfile::tempdir().unwrap();
        let path = results.path().join("runs.csv");
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        append(
            results.path(),
            &summary("a,\"b\"").all_row(),
            Form::Standard,
        )?;
        append(results.path(), &summary("second").all_row(), Form::Standard)?;
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

    /// As Excel saves it, and with a link in its place.
    #[test]
    fn a_saved_file_is_known_again_and_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let results = tempfile::tempdir().unwrap();
        let elsewhere = results.path().join("elsewhere.csv");
        append(results.path(), &summary("first").all_row(), Form::Eu).unwrap();
        let begun = results.path().join("runs.csv");
        let text = std::fs::read_to_string(&begun).unwrap();
        let quoted = text.replacen("format;run;", "\"format\";\"run\";", 1);
        std::fs::write(&elsewhere, format!("\u{feff}{quoted}")).unwrap();
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&elsewhere, mode).unwrap();
        std::fs::remove_file(&begun).unwrap();
        symlink(&elsewhere, &begun).unwrap();
        for (run, form) in [("second", Form::Eu), ("third", Form::Standard)] {
            append(results.path(), &summary(run).all_row(), form).unwrap();
        }
        assert!(begun.is_symlink());
        let mode = elsewhere.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = std::fs::read_to_string(&begun).unwrap();
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().nth(3).unwrap().starts_with("1,third,"));
    }

    /// The form asked for last is that of the whole file, whatever its width.
    #[test]
    fn a_file_of_the_other_form_is_rewritten() {
        let results = tempfile::tempdir().unwrap();
        let path = results.path().join("runs.csv");
        let read = || std::fs::read_to_string(&path).unwrap();
        append(results.path(), &summary("1.5").all_row(), Form::Standard).unwrap();
        let before = read();
        let more = before.replacen("warnings\n", "warnings,newer\n", 1);
        for begun in [before, more] {
            std::fs::write(&path, &begun).unwrap();
            append(results.path(), &summary("second;").all_row(), Form::Eu).unwrap();
            let rewritten = read();
            let lines: Vec<&str> = rewritten.lines().collect();
            assert_eq!(lines.len(), 3);
            assert_eq!(lines[0], begun.lines().next().unwrap().replace(',', ";"));
            // Figures have a comma now, and names their point.
            assert!(lines[1].starts_with("1;1.5;"), "{}", lines[1]);
            assert!(lines[2].starts_with("1;\"second;\";"), "{}", lines[2]);

            append(results.path(), &summary("third").all_row(), Form::Standard).unwrap();
            let back = read();
            assert_eq!(back.lines().count(), 4);
            assert_eq!(
                back.lines().nth(1).unwrap().trim_end_matches(','),
                begun.lines().nth(1).unwrap().trim_end_matches(',')
            );
        }
    }

    #[test]
    fn figures_move_and_names_stay() {
        let moved = |cell| moved(cell, Form::Standard, Form::Eu);
        assert_eq!(moved("-12.5"), "-12,5");
        for same in [
            "12",
            "",
            "1.2.3",
            "read committed",
            "2026-11-30 09:00:00",
            ".",
        ] {
            assert_eq!(moved(same), same);
        }
    }
}
