//! CSV files of results as texts that a test can compare.

use std::path::Path;

/// The named columns (separated by blanks) of every row, joined by blanks;
/// an empty cell is `-`.
pub fn cells(path: &Path, columns: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    let header = reader.headers().unwrap().clone();
    let places: Vec<usize> = columns
        .split(' ')
        .map(|name| {
            let place = header.iter().position(|known| known == name);
            place.unwrap_or_else(|| panic!("{} has no column {name}", path.display()))
        })
        .collect();
    let shown = |cell: &str| if cell.is_empty() { "-" } else { cell }.to_owned();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let row: Vec<String> = places.iter().map(|&place| shown(&record[place])).collect();
            row.join(" ")
        })
        .collect()
}
