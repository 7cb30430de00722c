//! CSV files as spreadsheets take them: RFC 4180, a header always, empty cells
//! for what is missing, and every row in the file after `flush`. In the form of
//! countries whose spreadsheets want it, with `;` and decimal commas.

use std::fs::File;
use std::path::Path;

use crate::report::time;
use crate::stats::cell::Cell;
use crate::stats::sink::SinkError;

/// Version of all columns; the first cell of each row.
pub const FORMAT: u64 = 1;

/// What stands between cells, and within numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `,` between cells and `.` in numbers.
    #[default]
    Standard,
    /// `;` between cells and `,` in numbers.
    Eu,
}

impl Form {
    pub const ALL: [Form; 2] = [Form::Standard, Form::Eu];

    pub fn name(self) -> &'static str {
        match self {
            Form::Standard => "standard",
            Form::Eu => "eu",
        }
    }

    /// Between cells.
    pub fn delimiter(self) -> u8 {
        match self {
            Form::Standard => b',',
            Form::Eu => b';',
        }
    }

    /// Between a number's whole part and its fraction.
    pub fn mark(self) -> char {
        match self {
            Form::Standard => '.',
            Form::Eu => ',',
        }
    }

    /// The form of a file that begins with this text.
    pub fn of(text: &str) -> Form {
        // Spreadsheets may save a mark in front, and each cell in quotes.
        let head = text.trim_start_matches('\u{feff}').trim_start_matches('"');
        let head = head.strip_prefix("format").unwrap_or_default();
        if head.trim_start_matches('"').starts_with(';') {
            Form::Eu
        } else {
            Form::Standard
        }
    }

    /// A number with a point, in this form.
    pub fn number(self, text: &str) -> String {
        match self {
            Form::Standard => text.to_owned(),
            Form::Eu => text.replace('.', ","),
        }
    }
}

/// One CSV file that is being written.
#[derive(Debug)]
pub struct CsvFile {
    form: Form,
    writer: csv::Writer<File>,
    name: String,
}

impl CsvFile {
    /// Makes the file and writes its header, `format` first.
    ///
    /// # Errors
    /// When the file cannot be made or written.
    pub fn create<'a>(
        path: &Path,
        columns: impl IntoIterator<Item = &'a str>,
        form: Form,
    ) -> Result<CsvFile, SinkError> {
        let name = path.display().to_string();
        let file = File::create_new(path)
            .map_err(|error| SinkError(format!("cannot make {name}: {error}")))?;
        let mut file = CsvFile {
            form,
            writer: csv::WriterBuilder::new()
                .delimiter(form.delimiter())
                .from_writer(file),
            name,
        };
        file.record(["format"].into_iter().chain(columns))?;
        file.flush()?;
        Ok(file)
    }

    /// Adds a row; it is in the file after `flush`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), SinkError> {
        let cells = [Cell::Int(FORMAT)].into_iter().chain(cells);
        let form = self.form;
        self.record(cells.map(|cell| text(&cell, form)))
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> Result<(), SinkError> {
        let name = &self.name;
        self.writer
            .flush()
            .map_err(|error| SinkError(format!("cannot write {name}: {error}")))
    }

    fn record<T: AsRef<[u8]>>(
        &mut self,
        cells: impl IntoIterator<Item = T>,
    ) -> Result<(), SinkError> {
        let name = &self.name;
        self.writer
            .write_record(cells)
            .map_err(|error| SinkError(format!("cannot write {name}: {error}")))
    }
}

/// A cell as it stands in the file.
pub fn text(cell: &Cell, form: Form) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Int(number) => number.to_string(),
        Cell::Real(number) => form.number(&real(*number)),
        Cell::Text(text) => harmless(text),
        Cell::Time(us) => time::for_cells(*us),
    }
}

/// Four decimals at most, and none that say nothing.
fn real(number: f64) -> String {
    let text = format!("{number:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A spreadsheet runs what begins like a formula.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_a_spreadsheet_reads() {
        let text = |cell: &Cell| text(cell, Form::Standard);
        assert_eq!(text(&Cell::Real(1234.5)), "1234.5");
        assert_eq!(text(&Cell::Real(2.0)), "2");
        assert_eq!(text(&Cell::Real(-0.000_01)), "0");
        assert_eq!(text(&Cell::Real(0.123_456)), "0.1235");
        assert_eq!(text(&Cell::Text("=1+1".to_owned())), "'=1+1");
        assert_eq!(text(&Cell::Empty), "");
    }

    #[test]
    fn rows_are_in_the_file_and_odd_texts_are_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = CsvFile::create(&path, ["name", "value"], Form::Standard).unwrap();
        file.row([Cell::Text("a,\"b\"\nc".to_owned()), Cell::Empty])
            .unwrap();
        file.flush().unwrap();
        let read = std::fs::read_to_string(&path).unwrap();
        assert_eq!(read, "format,name,value\n1,\"a,\"\"b\"\"\nc\",\n");
        assert!(
            CsvFile::create(&path, ["name"], Form::Standard).is_err(),
            "nothing is overwritten"
        );
    }

    #[test]
    fn eu_has_semicolons_and_decimal_commas() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = CsvFile::create(&path, ["a", "b", "c", "d"], Form::Eu).unwrap();
        file.row([
            Cell::Int(1_234_567),
            Cell::Real(1234.5),
            Cell::Text("1.5, or; 2".to_owned()),
            Cell::Time(0),
        ])
        .unwrap();
        file.flush().unwrap();
        let read = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            read,
            "format;a;b;c;d\n1;1234567;1234,5;\"1.5, or; 2\";1970-01-01 00:00:00\n"
        );
        assert_eq!(Form::of(&read), Form::Eu);
    }
}
