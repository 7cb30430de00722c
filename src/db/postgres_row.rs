//! Reads columns of a PostgreSQL row, by the type that the server says it has.

use sqlx::postgres::{PgRow, PgValueFormat, PgValueRef};
use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};

use crate::value::Dec;

use super::moment::{MICROS_A_DAY, Moment};
use super::postgres_types as types;
use super::session::{DbError, Row};
use super::unreadable::{decimal_units, not_a, null};

impl Row for PgRow {
    fn int(&self, column: usize) -> Result<i64, DbError> {
        let cell = Cell::of(self, column)?;
        let number = if cell.binary {
            binary_int(cell.bytes, cell.oid)
        } else {
            text_int(cell.bytes, cell.oid)
        };
        number.ok_or_else(|| cell.not_a("whole number", column))
    }

    fn text(&self, column: usize) -> Result<&str, DbError> {
        let cell = Cell::of(self, column)?;
        types::takes_text(cell.oid)
            .then(|| std::str::from_utf8(cell.bytes).ok())
            .flatten()
            .ok_or_else(|| cell.not_a("text", column))
    }

    fn dec(&self, column: usize, scale: u8) -> Result<Dec, DbError> {
        let cell = Cell::of(self, column)?;
        let units = match (cell.binary, cell.oid) {
            (false, types::NUMERIC | types::INT2 | types::INT4 | types::INT8) => {
                std::str::from_utf8(cell.bytes)
                    .ok()
                    .and_then(|text| decimal_units(text, scale))
            }
            (true, types::NUMERIC) => numeric_units(cell.bytes, scale),
            (false, _) => None,
            (true, oid) => binary_int(cell.bytes, oid)
                .and_then(|v| v.checked_mul(10_i64.checked_pow(scale.into())?)),
        };
        units
            .map(|units| Dec { units, scale })
            .ok_or_else(|| cell.not_a("decimal of the scale", column))
    }

    fn is_null(&self, column: usize) -> bool {
        self.try_get_raw(column)
            .is_ok_and(|value: PgValueRef<'_>| value.is_null())
    }
}

/// One column that is not null.
struct Cell<'a> {
    row: &'a PgRow,
    bytes: &'a [u8],
    oid: u32,
    /// Prepared statements answer in binary, plain texts in text.
    binary: bool,
}

impl<'a> Cell<'a> {
    fn of(row: &'a PgRow, column: usize) -> Result<Cell<'a>, DbError> {
        let value = row.try_get_raw(column).map_err(super::failure::postgres)?;
        let binary = value.format() == PgValueFormat::Binary;
        let bytes = value.as_bytes().map_err(|_| null(column))?;
        let info = value.type_info();
        Ok(Cell {
            row,
            bytes,
            oid: info.oid().map_or(0, |oid| oid.0),
            binary,
        })
    }

    fn not_a(&self, wanted: &str, column: usize) -> DbError {
        let found = self.row.columns().get(column);
        not_a(wanted, column, found.map_or("?", |c| c.type_info().name()))
    }
}

fn binary_int(bytes: &[u8], oid: u32) -> Option<i64> {
    match oid {
        types::INT2 => Some(i16::from_be_bytes(bytes.try_into().ok()?).into()),
        types::INT4 => Some(i32::from_be_bytes(bytes.try_into().ok()?).into()),
        types::INT8 => Some(i64::from_be_bytes(bytes.try_into().ok()?)),
        types::OID => Some(u32::from_be_bytes(bytes.try_into().ok()?).into()),
        types::BOOL => bytes.first().copied().map(i64::from),
        types::NUMERIC => numeric_units(bytes, 0),
        types::TIMESTAMP | types::TIMESTAMPTZ => {
            i64::from_be_bytes(bytes.try_into().ok()?).checked_add(types::EPOCH_MICROS)
        }
        types::DATE => i64::from(i32::from_be_bytes(bytes.try_into().ok()?))
            .checked_mul(MICROS_A_DAY)?
            .checked_add(types::EPOCH_MICROS),
        _ => None,
    }
}

fn text_int(bytes: &[u8], oid: u32) -> Option<i64> {
    let text = std::str::from_utf8(bytes).ok()?;
    match oid {
        types::INT2 | types::INT4 | types::INT8 | types::OID => text.parse().ok(),
        types::NUMERIC => decimal_units(text, 0),
        types::BOOL => Some(i64::from(text == "t")),
        // The session's time zone is UTC, so the offset behind it is none.
        types::TIMESTAMP | types::TIMESTAMPTZ | types::DATE => Moment::parse(text)?.micros(),
        _ => None,
    }
}

/// Digits to base 10,000 into units of `10^-scale`; `None` for NaN, what is too
/// large, and what has more decimals.
fn numeric_units(bytes: &[u8], scale: u8) -> Option<i64> {
    const MINUS: u16 = 0x4000;
    let mut words = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let count = usize::from(words.next()?);
    let weight = i32::from(words.next()?.cast_signed());
    let sign = words.next()?;
    let _shown_decimals = words.next()?;
    let mut units = 0_i128;
    for (place, digit) in (0_i32..).zip(words.take(count)) {
        let digit = i128::from(digit);
        let power = 4 * (weight - place) + i32::from(scale);
        let worth = if power >= 0 {
            digit.checked_mul(10_i128.checked_pow(power.unsigned_abs())?)?
        } else {
            // The digit's last figures lie behind the scale.
            let cut = 10_i128
                .checked_pow(power.unsigned_abs())
                .unwrap_or(i128::MAX);
            (digit % cut == 0).then_some(digit / cut)?
        };
        units = units.checked_add(worth)?;
    }
    match sign {
        0 => i64::try_from(units).ok(),
        MINUS => i64::try_from(-units).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(words: &[u16], scale: u8) -> Option<i64> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        numeric_units(&bytes, scale)
    }

    #[test]
    fn numerics_become_units() {
        let number = [3, 1, 0, 2, 1, 2345, 6700];
        assert_eq!(units(&number, 2), Some(1_234_567));
        assert_eq!(units(&number, 4), Some(123_456_700));
        assert_eq!(units(&number, 1), None);
        assert_eq!(units(&[1, 0xffff, 0x4000, 2, 500], 2), Some(-5));
        assert_eq!(units(&[0, 0, 0, 0], 2), Some(0));
        // 70,000 is sent without its trailing zero digits.
        assert_eq!(units(&[1, 1, 0, 0, 7], 0), Some(70_000));
        assert_eq!(units(&[0, 0, 0xc000, 0], 0), None, "NaN");
        assert_eq!(units(&[1, 9, 0, 0, 1], 0), None, "10^36");
    }
}
