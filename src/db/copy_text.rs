//! Rows in the text form of PostgreSQL's `COPY ... FROM STDIN`.

use std::io::Write;

use crate::value::Value;

use super::moment::Moment;

/// Appends one column's value; `None` when it has no text form (a time beyond
/// the calendar).
pub(crate) fn push_value(out: &mut Vec<u8>, value: Value<'_>) -> Option<()> {
    // Writing to a Vec cannot fail.
    match value {
        Value::Null => out.extend_from_slice(b"\\N"),
        Value::Int(v) => drop(write!(out, "{v}")),
        Value::Float(v) => drop(write!(out, "{v}")),
        Value::Dec(v) => drop(write!(out, "{v}")),
        Value::Time(v) => drop(write!(out, "{}", Moment::from_micros(v)?)),
        Value::Text(v) => push_escaped(out, v.as_bytes()),
        Value::Bytes(v) => push_hex(out, v),
    }
    Some(())
}

fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| b"\\\t\n\r".contains(byte)) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            _ => b"\\\\",
        });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// bytea's hex form; its backslash is escaped for COPY.
fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\\\x");
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Dec;

    fn text(value: Value<'_>) -> String {
        let mut out = Vec::new();
        push_value(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_escaped() {
        assert_eq!(text(Value::Text("a\tb\nc\rd\\e'ü")), "a\\tb\\nc\\rd\\\\e'ü");
        assert_eq!(text(Value::Text("\\N")), "\\\\N");
        assert_eq!(text(Value::Null), "\\N");
        assert_eq!(text(Value::Bytes(&[0, 0xff, 0x5c])), "\\\\x00ff5c");
        assert_eq!(text(Value::Float(0.1)), "0.1");
        assert_eq!(text(Value::Time(0)), "1970-01-01 00:00:00");
        let money = Dec {
            units: -1000,
            scale: 2,
        };
        assert_eq!(text(Value::Dec(money)), "-10.00");
        assert!(push_value(&mut Vec::new(), Value::Time(i64::MAX)).is_none());
    }
}
