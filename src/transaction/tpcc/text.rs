//! The random texts of clause 4.3.2.2 and 4.3.3.1.

use std::fmt::Write;

use crate::random::rng::Rng;
use crate::random::text::{alphanumeric, letters};
use crate::value::Cells;

/// Texts whose share `compress` repeats the rest.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    pub compress: f64,
}

impl Texts {
    /// An a-string of `min` to `max` characters.
    pub fn any(self, rng: &mut Rng, min: usize, max: usize, cells: &mut Cells) {
        cells.push_text(|out| self.write(rng, min, max, out));
    }

    /// A text that says `ORIGINAL` somewhere in one row of ten.
    pub fn data(self, rng: &mut Rng, min: usize, max: usize, cells: &mut Cells) {
        const MARK: &str = "ORIGINAL";
        cells.push_text(|out| {
            let start = out.len();
            self.write(rng, min, max, out);
            if rng.below(10) == 0 {
                let places = out.len() - start - MARK.len() + 1;
                let at = start + below(rng, places);
                out.replace_range(at..at + MARK.len(), MARK);
            }
        });
    }

    fn write(self, rng: &mut Rng, min: usize, max: usize, out: &mut String) {
        let len = min + below(rng, max - min + 1);
        let start = out.len();
        alphanumeric(rng, self.fresh(len), out);
        repeat(start, len, out);
    }

    /// What `s_dist_01` and its like hold: 24 letters.
    pub fn district_info(self, rng: &mut Rng, cells: &mut Cells) {
        const LEN: usize = 24;
        cells.push_text(|out| {
            let start = out.len();
            letters(rng, self.fresh(LEN), out);
            repeat(start, LEN, out);
        });
    }

    /// How much of a text of `len` is random.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of 0 to 1 of at most 500 characters"
    )]
    fn fresh(self, len: usize) -> usize {
        (((1.0 - self.compress) * len as f64).ceil() as usize).clamp(1, len)
    }

    /// Two streets, city, state and zip code.
    pub fn address(self, rng: &mut Rng, cells: &mut Cells) {
        for _ in 0..3 {
            self.any(rng, 10, 20, cells);
        }
        cells.push_text(|out| letters(rng, 2, out));
        cells.push_text(|out| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{:04}11111", rng.below(10_000));
        });
    }
}

/// Fills up to `len` characters with what stands there from `start` on.
fn repeat(start: usize, len: usize, out: &mut String) {
    let fresh = out.len() - start;
    while out.len() < start + len {
        let more = (start + len - out.len()).min(fresh);
        out.extend_from_within(start..start + more);
    }
}

fn below(rng: &mut Rng, n: usize) -> usize {
    usize::try_from(rng.below(n as u64)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::rng::Purpose;
    use crate::value::Value;

    fn texts(compress: f64, count: usize) -> Vec<String> {
        let mut rng = Rng::at(1, Purpose::Load, 0, 0);
        let mut cells = Cells::default();
        for _ in 0..count {
            Texts { compress }.data(&mut rng, 26, 50, &mut cells);
        }
        let text = |index| match cells.get(index) {
            Value::Text(text) => text.to_owned(),
            other => panic!("{other:?}"),
        };
        (0..count).map(text).collect()
    }

    #[test]
    fn one_text_of_ten_is_original() {
        let texts = texts(0.0, 100_000);
        let marked = texts.iter().filter(|text| text.contains("ORIGINAL"));
        // Four standard deviations: sqrt(100,000 * 0.1 * 0.9) = 95.
        let marked = marked.count();
        assert!(marked.abs_diff(10_000) < 380, "{marked}");
        let mut lengths: Vec<usize> = texts.iter().map(String::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, (26..=50).collect::<Vec<_>>());
        let ends = |at: fn(&str) -> bool| texts.iter().filter(|text| at(text)).count();
        assert!(ends(|text| text.starts_with("ORIGINAL")) > 100);
        assert!(ends(|text| text.ends_with("ORIGINAL")) > 100);
    }

    #[test]
    fn compressed_texts_repeat_themselves() {
        for text in texts(0.6, 100) {
            let fresh = (text.len() * 4).div_ceil(10);
            if !text.contains("ORIGINAL") {
                assert_eq!(text[..text.len() - fresh], text[fresh..], "{text}");
            }
        }
    }
}
