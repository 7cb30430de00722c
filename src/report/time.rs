//! Instants as texts, always UTC.

use jiff::Timestamp;
use jiff::tz::TimeZone;

fn zoned(us: i64, format: &str) -> String {
    match Timestamp::from_microsecond(us) {
        Ok(timestamp) => timestamp
            .to_zoned(TimeZone::UTC)
            .strftime(format)
            .to_string(),
        // Beyond the year 9999.
        Err(_) => String::new(),
    }
}

/// `2026-11-30 09:00:00`, as spreadsheets read it.
pub fn for_cells(us: i64) -> String {
    zoned(us, "%Y-%m-%d %H:%M:%S")
}

/// `20261130-090000`, as file names sort it.
pub fn for_names(us: i64) -> String {
    zoned(us, "%Y%m%d-%H%M%S")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_utc() {
        assert_eq!(for_cells(0), "1970-01-01 00:00:00");
        assert_eq!(for_cells(1_796_029_200_999_999), "2026-11-30 09:00:00");
        assert_eq!(for_cells(i64::MAX), "");
    }
}
