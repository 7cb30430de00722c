//! Reads columns of a SQLite row. Every value has a type of its own there,
//! whatever its column is declared as; decimals are integers, their units.

use sqlx::sqlite::{SqliteRow, SqliteValueRef};
use sqlx::{Decode, Row as _, Sqlite, TypeInfo as _, ValueRef as _};

use crate::value::Dec;

use super::failure;
use super::moment::Moment;
use super::session::{DbError, Row};
use super::unreadable::{not_a, null};

impl Row for SqliteRow {
    fn int(&self, column: usize) -> Result<i64, DbError> {
        let value = cell(self, column)?;
        let info = value.type_info().into_owned();
        let number = match info.name() {
            "INTEGER" | "BOOLEAN" => <i64 as Decode<Sqlite>>::decode(value).ok(),
            "REAL" => <f64 as Decode<Sqlite>>::decode(value).ok().and_then(whole),
            "TEXT" | "DATETIME" => <&str as Decode<Sqlite>>::decode(value)
                .ok()
                .and_then(Moment::parse)
                .and_then(Moment::micros),
            _ => None,
        };
        number.ok_or_else(|| not_a("whole number", column, info.name()))
    }

    fn text(&self, column: usize) -> Result<&str, DbError> {
        let value = cell(self, column)?;
        let info = value.type_info().into_owned();
        let text = match info.name() {
            "INTEGER" | "REAL" | "BOOLEAN" => None,
            _ => <&str as Decode<Sqlite>>::decode(value).ok(),
        };
        text.ok_or_else(|| not_a("text", column, info.name()))
    }

    fn dec(&self, column: usize, scale: u8) -> Result<Dec, DbError> {
        let units = self.int(column)?;
        Ok(Dec { units, scale })
    }

    fn is_null(&self, column: usize) -> bool {
        self.try_get_raw(column)
            .is_ok_and(|value: SqliteValueRef<'_>| value.is_null())
    }
}

fn cell(row: &SqliteRow, column: usize) -> Result<SqliteValueRef<'_>, DbError> {
    let value = row.try_get_raw(column).map_err(failure::sqlite)?;
    if value.is_null() {
        return Err(null(column));
    }
    Ok(value)
}

fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and within 2^53, where every integer is exact"
    )]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}
