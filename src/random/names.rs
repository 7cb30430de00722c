//! Texts that are a function of a number: TPC-C's last names and YCSB's keys.
//!
//! No chance here: which number, a distribution has drawn.

use std::fmt::Write;

/// The syllables of TPC-C clause 4.3.2.3, one for each digit.
const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// The longest last name has this many characters: three times five.
pub const LONGEST_NAME: usize = 15;

/// Appends TPC-C's last name of the last three digits of `number`, clause
/// 4.3.2.3: 371 is `PRICALLYOUGHT`. `out` must have room for `LONGEST_NAME`.
pub fn last_name(number: u64, out: &mut impl Write) {
    for power in [100, 10, 1] {
        // An index below ten in any case.
        let digit = (number / power % 10) as usize;
        let _ = out.write_str(SYLLABLES[digit]);
    }
}

/// YCSB's hash of a number: FNV over its eight bytes, the lowest first, and of
/// that as a signed number the absolute value.
pub fn fnv64(number: u64) -> u64 {
    let hash = number
        .to_le_bytes()
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
        });
    hash.cast_signed().unsigned_abs()
}

/// Appends YCSB's key of record `number` under its default, hashed insert order:
/// `user` and the decimal of [`fnv64`].
pub fn user_key(number: u64, out: &mut String) {
    // Writing into a String never fails.
    let _ = write!(out, "user{}", fnv64(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn last_names_have_three_syllables() {
        for (number, name) in [
            (0, "BARBARBAR"),
            (40, "BARPRESBAR"),
            (371, "PRICALLYOUGHT"),
            (999, "EINGEINGEING"),
            (1_371, "PRICALLYOUGHT"),
        ] {
            assert_eq!(text(|out| last_name(number, out)), name);
        }
    }

    #[test]
    fn keys_are_those_of_ycsb() {
        for (number, key) in [
            (0, "user6284781860667377211"),
            (1, "user8517097267634966620"),
            (2, "user1820151046732198393"),
            (3, "user4052466453699787802"),
        ] {
            assert_eq!(text(|out| user_key(number, out)), key);
        }
    }
}
