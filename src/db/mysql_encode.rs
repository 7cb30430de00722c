//! One value on its way to MySQL or MariaDB, with the type that is declared
//! for it: money as DECIMAL, for a text would turn sums into doubles.

use std::io::Write;

use rust_decimal::Decimal;
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::mysql::MySqlTypeInfo;
use sqlx::{MySql, Type};

use crate::value::Value;

use super::moment::Moment;

#[derive(Clone, Copy, Debug)]
pub(crate) struct MysqlArg<'a>(pub Value<'a>);

impl Type<MySql> for MysqlArg<'_> {
    fn type_info() -> MySqlTypeInfo {
        <str as Type<MySql>>::type_info()
    }
}

impl Encode<'_, MySql> for MysqlArg<'_> {
    fn encode_by_ref(&self, out: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
        match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Int(v) => out.extend(v.to_le_bytes()),
            Value::Float(v) => out.extend(v.to_le_bytes()),
            Value::Dec(v) => short_text(out, &v)?,
            Value::Time(v) => {
                let moment = Moment::from_micros(v).ok_or("the time is beyond the calendar")?;
                short_text(out, &moment)?;
            }
            Value::Text(v) => return <&str as Encode<MySql>>::encode(v, out),
            Value::Bytes(v) => return <&[u8] as Encode<MySql>>::encode(v, out),
        }
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<MySqlTypeInfo> {
        Some(match self.0 {
            Value::Int(_) => <i64 as Type<MySql>>::type_info(),
            Value::Float(_) => <f64 as Type<MySql>>::type_info(),
            Value::Dec(_) => <Decimal as Type<MySql>>::type_info(),
            Value::Bytes(_) => <[u8] as Type<MySql>>::type_info(),
            Value::Null | Value::Text(_) | Value::Time(_) => <str as Type<MySql>>::type_info(),
        })
    }
}

/// Writes a text with its length before it, in place. Decimals and times are
/// far shorter than the 250 bytes that a length of one byte can say.
fn short_text(out: &mut Vec<u8>, value: &impl std::fmt::Display) -> Result<(), BoxDynError> {
    let length_at = out.len();
    out.push(0);
    write!(out, "{value}")?;
    out[length_at] = u8::try_from(out.len() - length_at - 1)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Dec;

    #[test]
    fn decimals_and_times_are_texts_with_their_length() {
        let bytes = |value| {
            let mut out = Vec::new();
            MysqlArg(value).encode_by_ref(&mut out).map(|_| out)
        };
        let money = Dec {
            units: -1050,
            scale: 2,
        };
        assert_eq!(bytes(Value::Dec(money)).unwrap(), b"\x06-10.50");
        assert_eq!(
            bytes(Value::Time(1)).unwrap(),
            b"\x1a1970-01-01 00:00:00.000001"
        );
        assert!(bytes(Value::Time(i64::MAX)).is_err());
    }
}
