//! Texts of random digits after a pattern: sysbench's `c` and `pad`, telephone
//! numbers, zip codes.
//!
//! sysbench spends most of a load on these, so digits are made sixteen at once.

use super::buffer::{Buffer, WORD};
use super::rng::Rng;

/// A text with a random digit for each `#`; other characters stand as they are.
#[derive(Clone, Debug)]
pub struct Mask {
    parts: Vec<Part>,
}

/// Up to a word of digits and up to a word of what follows them. Longer runs are
/// several parts.
#[derive(Clone, Copy, Debug)]
struct Part {
    digits: usize,
    literal: [u8; WORD],
    literal_len: usize,
}

impl Mask {
    /// Any text is a mask, such as `###-##`.
    pub fn new(mask: &str) -> Mask {
        let mut parts = Vec::new();
        let mut rest = mask;
        while !rest.is_empty() {
            let digits = rest
                .bytes()
                .take(WORD)
                .take_while(|byte| *byte == b'#')
                .count();
            rest = &rest[digits..];
            let end = rest.find('#').unwrap_or(rest.len());
            // No character is cut in two.
            let (text, after) = rest.split_at(rest.floor_char_boundary(end.min(WORD)));
            rest = after;
            let mut literal = [0; WORD];
            literal[..text.len()].copy_from_slice(text.as_bytes());
            parts.push(Part {
                digits,
                literal,
                literal_len: text.len(),
            });
        }
        Mask { parts }
    }

    /// Appends one text to `out`.
    pub fn write(&self, rng: &mut Rng, out: &mut String) {
        let mut buffer = Buffer::new(out);
        for part in &self.parts {
            if part.digits > 0 {
                buffer.word(&sixteen_digits(rng.next_u64()), part.digits);
            }
            buffer.word(&part.literal, part.literal_len);
        }
        buffer.flush();
    }
}

/// Sixteen digits from 64 random bits, eight from each half. A string of eight is
/// likelier than another by no more than 2.4 %, a single digit by nothing that
/// matters, as 2^32 is 42.9 times 10^8.
#[inline]
fn sixteen_digits(random: u64) -> [u8; WORD] {
    let eight = |half: u64| eight_digits((half * 100_000_000) >> 32);
    // One word in registers: two halves in memory would stall the copy.
    (u128::from(eight(random >> 32)) | (u128::from(eight(random & 0xffff_ffff)) << 64))
        .to_le_bytes()
}

/// The decimal digits of a number below 10^8: all lanes of a word are divided at
/// once, by 100, then by 10, each time by multiplying and shifting. The leading
/// digit is the lowest byte.
#[inline]
fn eight_digits(number: u64) -> u64 {
    // Two lanes of four digits, the leading one lowest.
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // 10486 / 2^20 is 1/100 for all numbers below 10^4.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((fours - 100 * hundreds) << 16);
    // 103 / 2^10 is 1/10 for all numbers below 100.
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - 10 * tens) << 8);
    digits | 0x3030_3030_3030_3030
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::*;

    fn write(mask: &str, rng: &mut Rng) -> String {
        let mut out = String::new();
        Mask::new(mask).write(rng, &mut out);
        out
    }

    fn rng() -> Rng {
        Rng::at(42, Purpose::Load, 3, 7)
    }

    #[test]
    fn digits_are_those_of_the_number() {
        for number in (0..100_000_000).step_by(997).chain(99_999_990..100_000_000) {
            assert_eq!(
                eight_digits(number).to_le_bytes(),
                *format!("{number:08}").as_bytes()
            );
        }
        assert_eq!(&sixteen_digits(u64::MAX), b"9999999999999999");
        assert_eq!(&sixteen_digits(0), b"0000000000000000");
        assert_eq!(&sixteen_digits(1 << 63), b"5000000000000000");
    }

    #[test]
    fn masks_keep_their_shape() {
        let long =
            "#".repeat(1_000) + &"-".repeat(1_000) + &"é".repeat(99) + "#" + &"ab#".repeat(300);
        let sysbench = ["###########"; 10].join("-");
        for mask in ["", "#", "-", "####11111", "ü#ß##", &sysbench, &long] {
            let text = write(mask, &mut rng());
            assert_eq!(text.len(), mask.len());
            for (wanted, found) in mask.chars().zip(text.chars()) {
                assert!(wanted == found || wanted == '#' && found.is_ascii_digit());
            }
        }
        assert_eq!(sysbench.len(), 119);
    }

    #[test]
    fn a_text_is_appended() {
        let mut out = String::from("before ");
        Mask::new("##").write(&mut rng(), &mut out);
        assert!(out.starts_with("before ") && out.len() == 9);
    }

    #[test]
    fn digits_are_even_at_each_place() {
        let mask = Mask::new(&"#".repeat(20));
        let (mut rng, mut out) = (rng(), String::new());
        let mut counts = [[0_u32; 10]; 20];
        for _ in 0..20_000 {
            out.clear();
            mask.write(&mut rng, &mut out);
            for (place, digit) in out.bytes().enumerate() {
                counts[place][usize::from(digit - b'0')] += 1;
            }
        }
        // Five standard deviations, as 200 counts are looked at.
        let slack = 5.0 * (20_000_f64 * 0.1 * 0.9).sqrt();
        for count in counts.as_flattened() {
            assert!((f64::from(*count) - 2_000.0).abs() < slack, "{count}");
        }
    }

    #[test]
    fn digits_never_change() {
        assert_eq!(
            write("###########-#####################", &mut rng()),
            "01696005226-178542791292124819860"
        );
    }
}
