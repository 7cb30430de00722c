//! What the rows of all engines share: the errors of columns that cannot be
//! read as asked, and decimals from their text.

use rust_decimal::Decimal;

use super::session::{Class, DbError};

pub(crate) fn null(column: usize) -> DbError {
    DbError::new(
        Class::Other,
        "null",
        format!("column {column} of the answer is null"),
    )
}

pub(crate) fn not_a(wanted: &str, column: usize, found: &str) -> DbError {
    DbError::new(
        Class::Other,
        "type",
        format!("column {column} of the answer is no {wanted} but {found}"),
    )
}

/// `12.50` at scale 2 is 1250; `None` when digits would be lost.
pub(crate) fn decimal_units(text: &str, scale: u8) -> Option<i64> {
    let mut number: Decimal = text.parse().ok()?;
    number = number.normalize();
    if number.scale() > scale.into() {
        return None;
    }
    number.rescale(scale.into());
    // A number too large for the scale keeps a smaller one.
    (number.scale() == u32::from(scale))
        .then(|| i64::try_from(number.mantissa()).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_lose_no_digit() {
        assert_eq!(decimal_units("12.50", 2), Some(1250));
        assert_eq!(decimal_units("-0.05", 2), Some(-5));
        assert_eq!(decimal_units("12.00", 0), Some(12));
        assert_eq!(decimal_units("12.505", 2), None);
        assert_eq!(decimal_units("99999999999999999999", 0), None);
        assert_eq!(decimal_units("x", 2), None);
    }
}
