//! One value on its way to PostgreSQL, in the binary form of the type that the
//! server inferred for its place.
//!
//! Declaring Rust's types instead (int8, text) would turn `char_col = $1` into
//! a text comparison without index, and money into floats.

use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Postgres, Type};

use crate::value::{Dec, Value};

use super::moment::MICROS_A_DAY;
use super::postgres_types as types;

/// A value and the type that it must become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PgArg<'a> {
    pub value: Value<'a>,
    pub oid: u32,
}

impl Type<Postgres> for PgArg<'_> {
    fn type_info() -> PgTypeInfo {
        // 0 lets the server infer, should sqlx ever prepare the text again.
        PgTypeInfo::with_oid(Oid(0))
    }
}

impl Encode<'_, Postgres> for PgArg<'_> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        if self.value == Value::Null {
            return Ok(IsNull::Yes);
        }
        match encode(self.value, self.oid, buffer) {
            Some(()) => Ok(IsNull::No),
            None => Err("the value does not fit its type".into()),
        }
    }
}

/// `None` when the value does not fit; what is in `out` is then undefined.
fn encode(value: Value<'_>, oid: u32, out: &mut Vec<u8>) -> Option<()> {
    match (value, oid) {
        (Value::Int(v), types::INT2) => out.extend(i16::try_from(v).ok()?.to_be_bytes()),
        (Value::Int(v), types::INT4) => out.extend(i32::try_from(v).ok()?.to_be_bytes()),
        (Value::Int(v), types::INT8) => out.extend(v.to_be_bytes()),
        (Value::Int(v), types::NUMERIC) => numeric(Dec { units: v, scale: 0 }, out),
        (Value::Int(v), types::FLOAT8) => out.extend(exact_float(v)?.to_be_bytes()),
        (Value::Int(v), types::FLOAT4) => out.extend(narrow(exact_float(v)?)?.to_be_bytes()),
        (Value::Int(v), types::TEXT | types::VARCHAR | types::BPCHAR) => integer_text(v, out),
        (Value::Float(v), types::FLOAT8) => out.extend(v.to_be_bytes()),
        (Value::Float(v), types::FLOAT4) => out.extend(narrow(v)?.to_be_bytes()),
        (Value::Dec(v), types::NUMERIC) => numeric(v, out),
        (Value::Text(v), _) if types::takes_text(oid) => out.extend_from_slice(v.as_bytes()),
        (Value::Bytes(v), types::BYTEA) => out.extend_from_slice(v),
        (Value::Time(v), types::TIMESTAMP | types::TIMESTAMPTZ) => {
            out.extend(v.checked_sub(types::EPOCH_MICROS)?.to_be_bytes());
        }
        (Value::Time(v), types::DATE) => {
            let days = v.checked_sub(types::EPOCH_MICROS)?.div_euclid(MICROS_A_DAY);
            out.extend(i32::try_from(days).ok()?.to_be_bytes());
        }
        _ => return None,
    }
    Some(())
}

fn integer_text(value: i64, out: &mut Vec<u8>) {
    use std::io::Write;
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{value}");
}

fn exact_float(value: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "what is lost is refused below")]
    let float = value as f64;
    // Beyond 2^53 neighbours share a float.
    (value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS).then_some(float)
}

fn narrow(value: f64) -> Option<f32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding is what a float4 does; overflow is refused below"
    )]
    let float = value as f32;
    (float.is_finite() || !value.is_finite()).then_some(float)
}

/// The wire form: count of digits, weight, sign, digits shown behind the point,
/// then the digits to base 10,000, the first one weighing `10_000^weight`.
fn numeric(value: Dec, out: &mut Vec<u8>) {
    const SIGN_MINUS: u16 = 0x4000;
    // 10^3 times a u64 at most, which is below 10,000^6.
    const MOST_DIGITS: usize = 6;
    let behind = u32::from(value.scale).div_ceil(4);
    let padding = behind * 4 - u32::from(value.scale);
    let mut rest = u128::from(value.units.unsigned_abs()) * 10_u128.pow(padding);
    let mut digits = [0_u16; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    while rest > 0 {
        first -= 1;
        digits[first] = (rest % 10_000) as u16;
        rest /= 10_000;
    }
    let digits = &digits[first..];
    let count = u16::try_from(digits.len()).unwrap_or_default();
    // Both are below 10, so the difference is too.
    let weight = i16::try_from(digits.len()).unwrap_or_default()
        - i16::try_from(behind).unwrap_or_default()
        - 1;
    let sign = if value.units < 0 { SIGN_MINUS } else { 0 };
    out.extend(count.to_be_bytes());
    out.extend(weight.to_be_bytes());
    out.extend(sign.to_be_bytes());
    out.extend(u16::from(value.scale).to_be_bytes());
    for digit in digits {
        out.extend(digit.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(value: Value<'_>, oid: u32) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        encode(value, oid, &mut out).map(|()| out)
    }

    fn numeric_words(units: i64, scale: u8) -> Vec<u16> {
        let mut out = Vec::new();
        numeric(Dec { units, scale }, &mut out);
        out.chunks(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect()
    }

    #[test]
    fn numerics_are_digits_to_base_10_000() {
        // 12345.67: weight 1, digits 1, 2345, 6700.
        assert_eq!(numeric_words(1_234_567, 2), [3, 1, 0, 2, 1, 2345, 6700]);
        assert_eq!(numeric_words(-5, 2), [1, 0xffff, 0x4000, 2, 500]);
        assert_eq!(numeric_words(0, 2)[0], 0);
        // 0.00000001 weighs 10,000^-2.
        assert_eq!(numeric_words(1, 8), [1, 0xfffe, 0, 8, 1]);
        assert_eq!(
            numeric_words(i64::MIN, 17),
            [6, 0, 0x4000, 17, 92, 2337, 2036, 8547, 7580, 8000]
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(bytes(Value::Int(32_767), types::INT2).is_some());
        assert!(bytes(Value::Int(32_768), types::INT2).is_none());
        assert!(bytes(Value::Int(i64::from(i32::MIN) - 1), types::INT4).is_none());
        assert!(bytes(Value::Int(i64::MAX), types::FLOAT8).is_none());
        assert!(bytes(Value::Float(1e300), types::FLOAT4).is_none());
        assert!(bytes(Value::Float(0.5), types::NUMERIC).is_none());
        assert!(bytes(Value::Text("7"), types::INT4).is_none());
        assert!(bytes(Value::Time(i64::MIN), types::TIMESTAMP).is_none());
    }

    #[test]
    fn times_count_from_2000() {
        let two_days_before = types::EPOCH_MICROS - 2 * MICROS_A_DAY + 1;
        assert_eq!(
            bytes(Value::Time(two_days_before), types::DATE),
            Some((-2_i32).to_be_bytes().to_vec())
        );
        assert_eq!(
            bytes(Value::Time(types::EPOCH_MICROS), types::TIMESTAMPTZ),
            Some(vec![0; 8])
        );
        assert_eq!(
            bytes(Value::Int(-7), types::BPCHAR).as_deref(),
            Some(&b"-7"[..])
        );
    }
}
