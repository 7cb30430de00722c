//! Counts, sizes and durations as people write them, and back.
//!
//! `50M` is fifty million, `1e6` a million, `500ms` half a second. What does
//! not parse is refused with the form that would.

use std::time::Duration;

use thiserror::Error;

/// A text that is not the number it should be.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{text}` is not {wanted}")]
pub struct UnitError {
    text: String,
    wanted: &'static str,
}

impl UnitError {
    fn new(text: &str, wanted: &'static str) -> UnitError {
        UnitError {
            text: text.to_owned(),
            wanted,
        }
    }
}

const COUNT: &str = "a count; write a whole number such as 250000, 250k, 50M or 1e6";
const INTEGER: &str = "a whole number; write one such as 250000, -5, 250k, 50M or 1e6";
const DURATION: &str = "a duration; write one such as 500ms, 90s, 5m or 2h";
const PERCENT: &str = "a percentage; write one such as 1% or 0.5%";
const REAL: &str = "a number; write one such as 0.2 or 3";

/// Parses a whole number >= 0, such as `250k`.
///
/// # Errors
/// When the text is no such number.
pub fn parse_count(text: &str) -> Result<u64, UnitError> {
    parse_integer(text)
        .ok()
        .and_then(|number| u64::try_from(number).ok())
        .ok_or_else(|| UnitError::new(text, COUNT))
}

/// Parses a whole number with `k`, `M`, `G` or an exponent, in the range of `i64`.
///
/// # Errors
/// When the text is no such number.
pub fn parse_integer(text: &str) -> Result<i64, UnitError> {
    let wrong = || UnitError::new(text, INTEGER);
    let (digits, power) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 3),
        Some(b'M') => (&text[..text.len() - 1], 6),
        Some(b'G') => (&text[..text.len() - 1], 9),
        _ => (text, 0),
    };
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (
            mantissa,
            exponent.parse::<u32>().map_err(|_| wrong())?.min(99),
        ),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let power = exponent + power;
    // `1.5M` is whole, `0.5` is not.
    let shift = u32::try_from(fraction.len())
        .ok()
        .and_then(|length| power.checked_sub(length))
        .ok_or_else(wrong)?;
    let unsigned = whole.strip_prefix('-').unwrap_or(whole);
    if unsigned.is_empty()
        || !unsigned
            .bytes()
            .chain(fraction.bytes())
            .all(|b| b.is_ascii_digit())
    {
        return Err(wrong());
    }
    format!("{whole}{fraction}")
        .parse::<i64>()
        .ok()
        .and_then(|number| number.checked_mul(10_i64.checked_pow(shift)?))
        .ok_or_else(wrong)
}

/// Parses a finite number, such as `0.2`, `250k` or `1e-3`.
///
/// # Errors
/// When the text is no such number.
pub fn parse_real(text: &str) -> Result<f64, UnitError> {
    if let Ok(number) = parse_integer(text) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a real parameter; 2^53 is far beyond any"
        )]
        return Ok(number as f64);
    }
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| UnitError::new(text, REAL))
}

/// Parses `500ms`, `90s`, `5m`, `2h`; a bare number is seconds.
///
/// # Errors
/// When the text is no such duration, or longer than ten years.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let wrong = || UnitError::new(text, DURATION);
    let unit_at = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let seconds_each = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = number * seconds_each;
    if seconds > 3650.0 * 86_400.0 {
        return Err(wrong());
    }
    // Whole microseconds, so that 0.1s is exactly 100 ms.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked: 0..=3.2e14"
    )]
    let micros = (seconds * 1e6).round() as u64;
    Ok(Duration::from_micros(micros))
}

/// Parses `1%` or `0.5%` into a share, 0.01 or 0.005; the sign may be left out.
///
/// # Errors
/// When the text is not a percentage from 0 to 100.
pub fn parse_percent(text: &str) -> Result<f64, UnitError> {
    text.strip_suffix('%')
        .unwrap_or(text)
        .trim_end()
        .parse::<f64>()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| UnitError::new(text, PERCENT))
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 table`, `2,000 tables`.
pub fn counted(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(number))
}

/// A size for people, in powers of 1000: `2.4 GB`.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 || size >= 99.95 {
        format!("{size:.0} {}", UNITS[unit])
    } else {
        format!("{size:.1} {}", UNITS[unit])
    }
}

/// A duration for people and for files: `500ms`, `90s`, `1.5s`, `2h`.
/// Parses back to the same duration, to the microsecond.
pub fn human_duration(duration: Duration) -> String {
    let micros = duration.as_micros();
    let units: [(u128, &str); 4] = [
        (3_600_000_000, "h"),
        (60_000_000, "m"),
        (1_000_000, "s"),
        (1_000, "ms"),
    ];
    for (size, unit) in units {
        if micros >= size && micros.is_multiple_of(size) {
            return format!("{}{unit}", micros / size);
        }
    }
    if micros >= 1_000_000 {
        format!("{}s", duration.as_secs_f64())
    } else if micros == 0 {
        "0s".to_owned()
    } else {
        format!("{micros}us")
    }
}

/// Whole microseconds of a duration, held at `u64::MAX`.
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_take_suffixes_and_exponents() {
        assert_eq!(parse_count("50M"), Ok(50_000_000));
        assert_eq!(parse_count("250k"), Ok(250_000));
        assert_eq!(parse_count("1e6"), Ok(1_000_000));
        assert_eq!(parse_count("1.5M"), Ok(1_500_000));
        assert_eq!(parse_count("1.50"), Err(UnitError::new("1.50", COUNT)));
        assert_eq!(parse_count("3.0"), Ok(3));
        assert_eq!(parse_count("0"), Ok(0));
        assert_eq!(parse_integer("-2k"), Ok(-2_000));
        assert_eq!(parse_integer("9223372036854775807"), Ok(i64::MAX));
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for text in [
            "abc",
            "-5",
            "0.5",
            "10X",
            "",
            "k",
            "1.2.3",
            "1e",
            "e6",
            "9G9",
            " 5",
            "1e30",
            "99999999999G",
            "-",
            "+5",
            "1e-3",
            "٣",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_units_and_bare_numbers_are_seconds() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_mins(5)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_hours(2)));
        assert_eq!(parse_duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(parse_duration("0.1"), Ok(Duration::from_millis(100)));
        for text in ["", "s", "-1s", "5 s", "1d", "1.2.3s", "99999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_print_as_they_parse() {
        for text in ["500ms", "90s", "5m", "2h", "1.5s", "250us", "0s"] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(parse_duration(&human_duration(duration)), Ok(duration));
        }
        assert_eq!(human_duration(Duration::from_secs(90)), "90s");
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(human_bytes(512), "512 B");
        assert_eq!(human_bytes(2_400_000_000), "2.4 GB");
        assert_eq!(human_bytes(999_999), "1.0 MB");
        assert_eq!(parse_percent("1%"), Ok(0.01));
        assert!(parse_percent("101%").is_err());
    }
}
