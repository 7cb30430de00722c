//! Reads columns of a row of MySQL or MariaDB, by the type that the server
//! says it has.

use sqlx::mysql::{MySqlRow, MySqlValueRef};
use sqlx::{Decode, MySql, Row as _, TypeInfo as _, ValueRef as _};

use crate::value::Dec;

use super::failure;
use super::moment::Moment;
use super::session::{DbError, Row};
use super::unreadable::{decimal_units, not_a, null};

impl Row for MySqlRow {
    fn int(&self, column: usize) -> Result<i64, DbError> {
        let cell = Cell::of(self, column)?;
        let number = match cell.family() {
            Family::Signed => cell.decoded::<i64>(),
            Family::Unsigned => cell.decoded::<u64>().and_then(|v| i64::try_from(v).ok()),
            Family::Decimal => cell.str().and_then(|text| decimal_units(text, 0)),
            Family::Moment => cell.bytes().and_then(moment).and_then(Moment::micros),
            Family::Text | Family::Other => None,
        };
        number.ok_or_else(|| cell.not_a("whole number"))
    }

    fn text(&self, column: usize) -> Result<&str, DbError> {
        let cell = Cell::of(self, column)?;
        let text = match cell.family() {
            Family::Text => cell.str(),
            _ => None,
        };
        text.ok_or_else(|| cell.not_a("text"))
    }

    fn dec(&self, column: usize, scale: u8) -> Result<Dec, DbError> {
        let cell = Cell::of(self, column)?;
        let units = match cell.family() {
            Family::Decimal => cell.str().and_then(|text| decimal_units(text, scale)),
            Family::Signed | Family::Unsigned => self
                .int(column)?
                .checked_mul(10_i64.pow(u32::from(scale.min(18)))),
            _ => None,
        };
        units
            .map(|units| Dec { units, scale })
            .ok_or_else(|| cell.not_a("decimal of the scale"))
    }

    fn is_null(&self, column: usize) -> bool {
        self.try_get_raw(column)
            .is_ok_and(|value: MySqlValueRef<'_>| value.is_null())
    }
}

/// What columns have in common that are read alike.
#[derive(Clone, Copy)]
enum Family {
    Signed,
    Unsigned,
    Decimal,
    Moment,
    Text,
    Other,
}

/// One column that is not null.
struct Cell<'a> {
    column: usize,
    value: MySqlValueRef<'a>,
}

impl<'a> Cell<'a> {
    fn of(row: &'a MySqlRow, column: usize) -> Result<Cell<'a>, DbError> {
        let value = row.try_get_raw(column).map_err(failure::mysql)?;
        if value.is_null() {
            return Err(null(column));
        }
        Ok(Cell { column, value })
    }

    fn family(&self) -> Family {
        match self.value.type_info().name() {
            "BOOLEAN" | "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "BIGINT" => Family::Signed,
            "TINYINT UNSIGNED" | "SMALLINT UNSIGNED" | "MEDIUMINT UNSIGNED" | "INT UNSIGNED"
            | "BIGINT UNSIGNED" | "YEAR" => Family::Unsigned,
            "DECIMAL" => Family::Decimal,
            "DATE" | "DATETIME" | "TIMESTAMP" => Family::Moment,
            "FLOAT" | "DOUBLE" | "TIME" | "BIT" | "GEOMETRY" | "NULL" => Family::Other,
            // Texts, and byte strings that are valid texts: sorting and
            // concatenation often answer VARBINARY for what was a text.
            _ => Family::Text,
        }
    }

    fn decoded<T: Decode<'a, MySql>>(&self) -> Option<T> {
        T::decode(self.value.clone()).ok()
    }

    fn bytes(&self) -> Option<&'a [u8]> {
        self.decoded()
    }

    fn str(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn not_a(&self, wanted: &str) -> DbError {
        let info = self.value.type_info();
        not_a(wanted, self.column, info.name())
    }
}

/// A date with or without time of day: text, or the binary form, whose first
/// byte is its length (0, 4, 7 or 11).
fn moment(bytes: &[u8]) -> Option<Moment> {
    let &[_, year_low, year_high, month, day, ref time @ ..] = bytes else {
        return None;
    };
    if bytes.len() != usize::from(bytes[0]) + 1 {
        return Moment::parse(std::str::from_utf8(bytes).ok()?);
    }
    let year = i16::from_le_bytes([year_low, year_high]);
    let date = (year, month.cast_signed(), day.cast_signed());
    let part = |index: usize| time.get(index).copied().unwrap_or(0).cast_signed();
    let micros = match time.get(3..7) {
        Some(four) => i32::from_le_bytes(four.try_into().ok()?),
        None => 0,
    };
    Moment::from_parts(date, (part(0), part(1), part(2)), micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_textual_datetimes_are_moments() {
        let shown = |bytes: &[u8]| moment(bytes).map(|moment| moment.to_string());
        let whole = [11, 0xe8, 0x07, 2, 29, 12, 30, 5, 250, 0, 0, 0];
        assert_eq!(shown(&whole).as_deref(), Some("2024-02-29 12:30:05.000250"));
        assert_eq!(
            shown(&[4, 0xe8, 0x07, 2, 29]).as_deref(),
            Some("2024-02-29 00:00:00")
        );
        assert_eq!(
            shown(b"2024-02-29 12:30:05").as_deref(),
            Some("2024-02-29 12:30:05")
        );
        assert_eq!(shown(&[0]), None);
    }
}
