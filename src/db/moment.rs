//! Points in time between microseconds since 1970 and the text that databases
//! read and write: `2024-02-29 12:30:00.000250`. Without time zones.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

pub(crate) const MICROS_A_DAY: i64 = 86_400_000_000;

/// A point in time that prints as SQL text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(DateTime);

impl Moment {
    /// `None` outside the years -9999 to 9999.
    pub fn from_micros(micros: i64) -> Option<Moment> {
        let timestamp = Timestamp::from_microsecond(micros).ok()?;
        Some(Moment(Offset::UTC.to_datetime(timestamp)))
    }

    /// `None` when there is no such day or time of day.
    pub fn from_parts(date: (i16, i8, i8), time: (i8, i8, i8), micros: i32) -> Option<Moment> {
        let (year, month, day) = date;
        let (hour, minute, second) = time;
        let nanos = micros.checked_mul(1000)?;
        let civil = DateTime::new(year, month, day, hour, minute, second, nanos);
        civil.ok().map(Moment)
    }

    pub fn parse(text: &str) -> Option<Moment> {
        text.parse().ok().map(Moment)
    }

    pub fn micros(self) -> Option<i64> {
        let timestamp = Offset::UTC.to_timestamp(self.0).ok()?;
        Some(timestamp.as_microsecond())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.0;
        write!(
            f,
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second()
        )?;
        match at.subsec_nanosecond() / 1000 {
            0 => Ok(()),
            micros => write!(f, ".{micros:06}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_print_and_read_back() {
        for (micros, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_400_000_250, "2000-02-29 00:00:00.000250"),
            (-1, "1969-12-31 23:59:59.999999"),
        ] {
            assert_eq!(Moment::from_micros(micros).unwrap().to_string(), text);
            assert_eq!(Moment::parse(text).unwrap().micros(), Some(micros));
        }
        assert!(Moment::from_micros(i64::MAX).is_none());
        assert!(Moment::parse("yesterday").is_none());
        assert!(Moment::from_parts((2023, 2, 29), (0, 0, 0), 0).is_none());
    }
}
