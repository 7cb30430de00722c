//! CSV files as spreadsheets take them: RFC 4180, a header always, empty cells
//! for what is missing, and every row in the file when `row` returns.

use std::fs::File;
use std::path::Path;

use crate::report::time;
use crate::stats::cell::Cell;
use crate::stats::sink::SinkError;

/// Version of all columns; the first cell of each row.
pub const FORMAT: u64 = 1;

/// One CSV file that is being written.
#[derive(Debug)]
pub struct CsvFile {
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
    ) -> Result<CsvFile, SinkError> {
        let name = path.display().to_string();
        let file = File::create_new(path)
            .map_err(|error| SinkError(format!("cannot make {name}: {error}")))?;
        let mut file = CsvFile {
            writer: csv::Writer::from_writer(file),
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
        self.record(cells.map(|cell| text(&cell)))
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
pub fn text(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Int(number) => number.to_string(),
        Cell::Real(number) => real(*number),
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
        let mut file = CsvFile::create(&path, ["name", "value"]).unwrap();
        file.row([Cell::Text("a,\"b\"\nc".to_owned()), Cell::Empty])
            .unwrap();
        file.flush().unwrap();
        let read = std::fs::read_to_string(&path).unwrap();
        assert_eq!(read, "format,name,value\n1,\"a,\"\"b\"\"\nc\",\n");
        assert!(
            CsvFile::create(&path, ["name"]).is_err(),
            "nothing is overwritten"
        );
    }
}
