//! Multi-row `INSERT`: its text, and how many rows go into one statement. Knows
//! no driver.

use std::ops::Range;
use std::sync::Arc;

use crate::value::{RowBuf, Value};

use super::identifier::{quoted, quoted_list};
use super::session::{Class, DbError};

/// More rows a statement load no faster on MySQL, MariaDB or SQLite.
const ROWS: usize = 500;
/// Below the smallest `max_allowed_packet` that servers come with, by far.
const BYTES: usize = 1 << 20;
/// What a value that is no text takes on the wire, with its type.
const FIXED_VALUE: usize = 12;

/// One statement of a load: its text and the rows that go into it.
pub(crate) struct Batch {
    pub sql: Arc<str>,
    pub rows: Range<usize>,
}

/// Deals rows to statements of one size and one smaller one for the rest. Equal
/// texts are one text, which a driver prepares once.
pub(crate) fn batches(
    table: &str,
    columns: &[String],
    rows: &RowBuf,
    params: usize,
    quote: char,
) -> impl Iterator<Item = Batch> {
    let each = rows_a_statement(rows, params);
    let total = rows.rows();
    let rest = total % each;
    let sql = |count: usize| -> Arc<str> { text(table, columns, count, quote).into() };
    let whole_sql = (total >= each).then(|| sql(each));
    let rest_sql = (rest > 0).then(|| sql(rest));
    let whole = (0..total / each)
        .zip(std::iter::repeat(whole_sql))
        .filter_map(move |(index, sql)| {
            let rows = index * each..(index + 1) * each;
            sql.map(|sql| Batch { sql, rows })
        });
    whole.chain(rest_sql.map(|sql| Batch {
        sql,
        rows: total - rest..total,
    }))
}

/// The same dealing, for statements that have their values in their text.
pub(crate) fn ranges(rows: &RowBuf) -> impl Iterator<Item = Range<usize>> {
    let each = rows_a_statement(rows, usize::MAX);
    let total = rows.rows();
    (0..total)
        .step_by(each)
        .map(move |start| start..total.min(start + each))
}

/// Rows of `rows` that one statement takes when it may have `params`
/// parameters. Halves instead of dividing, so that the loads of one table share
/// a few statements even where their texts differ in length.
fn rows_a_statement(rows: &RowBuf, params: usize) -> usize {
    let columns = rows.columns().max(1);
    let longest = (0..rows.rows())
        .map(|row| {
            (0..columns)
                .map(|column| size(rows.value(row, column)))
                .sum()
        })
        .max()
        .unwrap_or(1)
        .max(1);
    let mut count = ROWS;
    while count > 1 && (count * columns > params || count * longest > BYTES) {
        count /= 2;
    }
    count
}

fn size(value: Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len() + FIXED_VALUE,
        Value::Bytes(bytes) => bytes.len() + FIXED_VALUE,
        _ => FIXED_VALUE,
    }
}

/// `INSERT INTO t (a, b) VALUES (?, ?), (?, ?)`
fn text(table: &str, columns: &[String], rows: usize, quote: char) -> String {
    let mut one_row = "(?".to_owned();
    one_row.push_str(&", ?".repeat(columns.len().saturating_sub(1)));
    one_row.push(')');
    let rows = vec![one_row; rows].join(", ");
    format!("{} {rows}", head(table, columns, quote))
}

/// `INSERT INTO t (a, b) VALUES`
pub(crate) fn head(table: &str, columns: &[String], quote: char) -> String {
    format!(
        "INSERT INTO {} ({}) VALUES",
        quoted(table, quote),
        quoted_list(columns, quote)
    )
}

/// # Errors
/// When rows and columns do not belong together.
pub(crate) fn check_shape(table: &str, columns: &[String], rows: &RowBuf) -> Result<(), DbError> {
    let (named, given) = (columns.len(), rows.columns());
    if named > 0 && named == given && rows.cells.len().is_multiple_of(given) {
        return Ok(());
    }
    Err(DbError::new(
        Class::Other,
        "value",
        format!("rows for table `{table}` have {given} values for {named} columns"),
    ))
}

/// The error of a value that the driver cannot send, in a load.
pub(crate) fn misfit(table: &str, column: &str, row: usize) -> DbError {
    DbError::new(
        Class::Other,
        "value",
        format!("row {row} of a load of table `{table}`: the value of `{column}` cannot be sent"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_placeholder() {
        let columns = ["id".to_owned(), "or`der".to_owned()];
        assert_eq!(
            text("t", &columns, 2, '`'),
            "INSERT INTO `t` (`id`, `or``der`) VALUES (?, ?), (?, ?)"
        );
    }

    #[test]
    fn all_rows_are_dealt_once() {
        let columns = ["id".to_owned()];
        for (total, sizes) in [
            (0, vec![]),
            (3, vec![3]),
            (500, vec![500]),
            (1201, vec![500, 500, 201]),
        ] {
            let mut rows = RowBuf::new(1);
            for id in 0..total {
                rows.cells.push(Value::Int(id));
            }
            let mut next = 0;
            let mut dealt = Vec::new();
            for batch in batches("t", &columns, &rows, 65_535, '`') {
                assert_eq!(batch.rows.start, next);
                assert_eq!(batch.sql.matches('?').count(), batch.rows.len());
                next = batch.rows.end;
                dealt.push(batch.rows.len());
            }
            assert_eq!(dealt, sizes);
            let ranges: Vec<usize> = ranges(&rows).map(|range| range.len()).collect();
            assert_eq!(ranges, sizes);
        }
    }

    #[test]
    fn wide_and_long_rows_go_in_smaller_statements() {
        let narrow = RowBuf::new(4);
        assert_eq!(rows_a_statement(&narrow, 65_535), 500);
        let wide = RowBuf::new(200);
        assert_eq!(rows_a_statement(&wide, 65_535), 250);
        assert_eq!(rows_a_statement(&wide, 32_766), 125);
        let mut long = RowBuf::new(1);
        long.cells.push(Value::Text(&"x".repeat(10_000)));
        assert_eq!(rows_a_statement(&long, 65_535), 62);
        let mut huge = RowBuf::new(1);
        huge.cells.push(Value::Text(&"x".repeat(3_000_000)));
        assert_eq!(rows_a_statement(&huge, 65_535), 1);
    }
}
