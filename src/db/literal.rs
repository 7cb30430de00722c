//! Values as literals in SQL text, for sessions that prepare nothing.

use std::fmt::Write;

use crate::value::Value;

use super::cut::Syntax;
use super::moment::Moment;

/// Appends a literal; the error says what the value would have to be.
///
/// PostgreSQL: always a quoted text, whose type the server infers from its
/// place, as it does for a parameter. A bare number would be an integer even
/// beside a text, and a negative one would turn `a -$1` into a comment.
/// MySQL: numbers are bare, because LIMIT takes nothing else, and a float has
/// an exponent, which makes it a DOUBLE and no DECIMAL.
pub(crate) fn push(out: &mut String, value: Value<'_>, syntax: Syntax) -> Result<(), &'static str> {
    // Writing to a String cannot fail.
    match (value, syntax) {
        (Value::Null, _) => out.push_str("NULL"),
        (Value::Int(v), Syntax::Postgres) => _ = write!(out, "'{v}'"),
        (Value::Dec(v), Syntax::Postgres) => _ = write!(out, "'{v}'"),
        (Value::Float(v), Syntax::Postgres) => _ = write!(out, "'{v:e}'"),
        (Value::Int(v), Syntax::Mysql { .. }) => _ = write!(out, "{v}"),
        (Value::Dec(v), Syntax::Mysql { .. }) => _ = write!(out, "{v}"),
        (Value::Float(v), Syntax::Mysql { .. }) => {
            if !v.is_finite() {
                return Err("a finite number");
            }
            _ = write!(out, "{v:e}");
        }
        (Value::Time(v), _) => {
            let moment = Moment::from_micros(v).ok_or("a DATETIME")?;
            _ = write!(out, "'{moment}'");
        }
        (Value::Text(v), Syntax::Postgres) => {
            // It would end the message to the server.
            if v.contains('\0') {
                return Err("a text without zero bytes");
            }
            quoted(out, v, &['\'']);
        }
        (Value::Text(v), Syntax::Mysql { backslash: true }) => quoted(out, v, &['\'', '\\', '\0']),
        (Value::Text(v), Syntax::Mysql { backslash: false }) => quoted(out, v, &['\'']),
        (Value::Bytes(v), Syntax::Postgres) => hex(out, "'\\x", v),
        (Value::Bytes(v), Syntax::Mysql { .. }) => hex(out, "X'", v),
    }
    Ok(())
}

fn quoted(out: &mut String, text: &str, special: &[char]) {
    out.push('\'');
    let mut rest = text;
    while let Some(at) = rest.find(special) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let escaped = match after.as_bytes()[0] {
            b'\'' => "''",
            b'\\' => "\\\\",
            _ => "\\0",
        };
        out.push_str(escaped);
        rest = &after[1..];
    }
    out.push_str(rest);
    out.push('\'');
}

fn hex(out: &mut String, open: &str, bytes: &[u8]) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    out.push_str(open);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Dec;

    fn literal(value: Value<'_>, syntax: Syntax) -> Result<String, &'static str> {
        let mut out = String::new();
        push(&mut out, value, syntax).map(|()| out)
    }

    #[test]
    fn each_engine_has_its_quotes() {
        const MYSQL: Syntax = Syntax::Mysql { backslash: true };
        const PLAIN: Syntax = Syntax::Mysql { backslash: false };
        let money = Value::Dec(Dec {
            units: -1050,
            scale: 2,
        });
        for (value, postgres, mysql, plain) in [
            (Value::Null, "NULL", "NULL", "NULL"),
            (Value::Int(-7), "'-7'", "-7", "-7"),
            (money, "'-10.50'", "-10.50", "-10.50"),
            (Value::Float(0.1), "'1e-1'", "1e-1", "1e-1"),
            (
                Value::Text("a'b\\ü\""),
                "'a''b\\ü\"'",
                "'a''b\\\\ü\"'",
                "'a''b\\ü\"'",
            ),
            (Value::Bytes(&[0, 0xf5]), "'\\x00f5'", "X'00f5'", "X'00f5'"),
            (
                Value::Time(1),
                "'1970-01-01 00:00:00.000001'",
                "'1970-01-01 00:00:00.000001'",
                "'1970-01-01 00:00:00.000001'",
            ),
        ] {
            assert_eq!(literal(value, Syntax::Postgres).unwrap(), postgres);
            assert_eq!(literal(value, MYSQL).unwrap(), mysql);
            assert_eq!(literal(value, PLAIN).unwrap(), plain);
        }
        assert_eq!(literal(Value::Text("\0"), MYSQL).unwrap(), "'\\0'");
    }

    #[test]
    fn what_has_no_literal_is_refused() {
        let mysql = Syntax::Mysql { backslash: true };
        assert!(literal(Value::Text("a\0b"), Syntax::Postgres).is_err());
        assert!(literal(Value::Float(f64::NAN), mysql).is_err());
        assert!(literal(Value::Time(i64::MAX), mysql).is_err());
        assert_eq!(
            literal(Value::Float(f64::NAN), Syntax::Postgres).unwrap(),
            "'NaN'"
        );
    }
}
