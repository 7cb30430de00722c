//! Random contents of columns: letters, bytes, and the choice of a text.
//!
//! Written at the end of a buffer that the caller reuses, a word of random bits
//! at a time, for a load spends most of its time here. Digits are in `mask`, texts
//! that are a function of a number in `names`.

use super::buffer::{Buffer, WORD};
use super::error::{Check, RangeError};
use super::mask::Mask;
use super::real::{index, real};
use super::rng::Rng;

/// A generator of texts.
#[derive(Clone, Debug)]
pub enum Text {
    Digits(Mask),
    Letters(Fill),
}

impl Text {
    /// Appends one text to `out`.
    pub fn write(&self, rng: &mut Rng, out: &mut String) {
        match self {
            Text::Digits(mask) => mask.write(rng, out),
            Text::Letters(fill) => fill.letters(rng, out),
        }
    }
}

/// Upper and lower case letters.
const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// TPC-C's characters, clause 4.3.2.2: at least 26 letters of both cases and the
/// digits.
const ALPHANUMERIC: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends `len` random letters of both cases.
pub fn letters(rng: &mut Rng, len: usize, out: &mut String) {
    characters(rng, LETTERS, len, out);
}

/// Appends `len` random letters of both cases and digits, TPC-C's a-string.
pub fn alphanumeric(rng: &mut Rng, len: usize, out: &mut String) {
    characters(rng, ALPHANUMERIC, len, out);
}

fn characters(rng: &mut Rng, alphabet: &[u8], len: usize, out: &mut String) {
    let size = alphabet.len() as u64;
    let mut buffer = Buffer::new(out);
    let mut rest = len;
    while rest > 0 {
        // Two chains that the processor can follow side by side. Four
        // characters from 32 bits: none is likelier by more than 0.4 %.
        let random = rng.next_u64();
        let mut halves = [random >> 32, random & 0xffff_ffff];
        let mut word = [0; WORD];
        for at in (0..8).step_by(2) {
            for (half, slot) in halves.iter_mut().zip(&mut word[at..at + 2]) {
                let product = *half * size;
                *slot = alphabet[(product >> 32) as usize];
                *half = product & 0xffff_ffff;
            }
        }
        let take = rest.min(8);
        buffer.word(&word, take);
        rest -= take;
    }
    buffer.flush();
}

/// A value of fixed length that a compressor can shrink by about a given share.
///
/// Each stretch of up to 512 bytes is random at its start and repeats that for
/// the rest, so that compression of pages and of records finds the same.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    len: usize,
    /// Random part of a stretch, more than 0 to 1.
    kept: f64,
}

const STRETCH: usize = 512;

impl Fill {
    /// Values of `len` bytes, of which a share of `compress`, from 0 to less
    /// than 1, repeats others. Letters alone have 5.7 bits a byte: an entropy
    /// coder such as zstd's shrinks what is left of them by a further 29 %.
    ///
    /// # Errors
    /// When `compress` is outside of its range.
    pub fn new(len: usize, compress: f64) -> Result<Fill, RangeError> {
        let good = (0.0..1.0).contains(&compress);
        Check("text").that(good, "compress", &compress, "0 to less than 1")?;
        let kept = 1.0 - compress;
        Ok(Fill { len, kept })
    }

    /// Appends a value of random letters of both cases to `out`.
    pub fn letters(&self, rng: &mut Rng, out: &mut String) {
        self.stretches(|fresh, len| {
            let start = out.len();
            letters(rng, fresh, out);
            while out.len() < start + len {
                let more = (start + len - out.len()).min(fresh);
                out.extend_from_within(start..start + more);
            }
        });
    }

    /// Appends a value of random bytes to `out`.
    pub fn bytes(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.stretches(|fresh, len| {
            let start = out.len();
            for _ in 0..fresh.div_ceil(8) {
                out.extend_from_slice(&rng.next_u64().to_le_bytes());
            }
            out.truncate(start + fresh);
            while out.len() < start + len {
                let more = (start + len - out.len()).min(fresh);
                out.extend_from_within(start..start + more);
            }
        });
    }

    /// Calls `write` with the random part and the length of each stretch.
    fn stretches(&self, mut write: impl FnMut(usize, usize)) {
        let mut rest = self.len;
        while rest > 0 {
            let len = rest.min(STRETCH);
            let fresh = index(real(len as u64) * self.kept + 0.5, len as u64 + 1);
            let fresh = usize::try_from(fresh).unwrap_or(len);
            write(fresh.max(1), len);
            rest -= len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::*;

    fn rng() -> Rng {
        Rng::at(42, Purpose::Load, 3, 7)
    }

    #[test]
    fn letters_have_their_length_and_alphabet() {
        for len in [0, 1, 7, 8, 9, 127, 128, 129, 1_000] {
            let mut out = String::new();
            letters(&mut rng(), len, &mut out);
            assert_eq!(out.len(), len);
            assert!(out.bytes().all(|byte| byte.is_ascii_alphabetic()));
            out.clear();
            alphanumeric(&mut rng(), len, &mut out);
            assert_eq!(out.len(), len);
            assert!(out.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        }
    }

    #[test]
    fn letters_are_even() {
        let mut out = String::new();
        letters(&mut rng(), 520_000, &mut out);
        // Five standard deviations of 520,000 draws among 52.
        let slack = 5.0 * 10_000_f64.sqrt();
        for letter in LETTERS {
            let count = out.bytes().filter(|byte| byte == letter).count();
            assert!((real(count as u64) - 10_000.0).abs() < slack, "{count}");
        }
    }

    #[test]
    fn values_have_their_length() {
        for len in [0, 1, 5, 511, 512, 513, 5_000] {
            for compress in [0.0, 0.3, 0.999] {
                let fill = Fill::new(len, compress).unwrap();
                let (mut text, mut bytes) = (String::from("x"), vec![1]);
                Text::Letters(fill).write(&mut rng(), &mut text);
                fill.bytes(&mut rng(), &mut bytes);
                assert_eq!((text.len(), bytes.len()), (len + 1, len + 1));
            }
        }
        let refused = Fill::new(10, 1.0).unwrap_err().to_string();
        assert_eq!(refused, "compress of text is 1; set it to 0 to less than 1");
    }

    /// By how much zstd shrinks many values one after the other.
    fn shrinks(compress: f64, len: usize, letters: bool) -> f64 {
        let fill = Fill::new(len, compress).unwrap();
        let (mut rng, mut text, mut bytes) = (rng(), String::new(), Vec::new());
        for _ in 0..400_000 / len {
            if letters {
                fill.letters(&mut rng, &mut text);
            } else {
                fill.bytes(&mut rng, &mut bytes);
            }
        }
        bytes.extend_from_slice(text.as_bytes());
        let small = zstd::bulk::compress(&bytes, 3).unwrap();
        1.0 - real(small.len() as u64) / real(bytes.len() as u64)
    }

    #[test]
    fn values_shrink_as_said() {
        for len in [400, 4_000] {
            for compress in [0.0, 0.3, 0.6, 0.9] {
                let found = shrinks(compress, len, false);
                assert!((found - compress).abs() < 0.03, "{len} {compress}: {found}");
                let found = shrinks(compress, len, true);
                // An entropy coder packs 52 letters into log2(52) of 8 bits.
                let wanted = 1.0 - (1.0 - compress) * 52_f64.log2() / 8.0;
                assert!((found - wanted).abs() < 0.03, "{len} {compress}: {found}");
            }
        }
    }

    #[test]
    fn texts_never_change() {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let fill = Fill::new(24, 0.5).unwrap();
        fill.letters(&mut rng(), &mut text);
        fill.bytes(&mut rng(), &mut bytes);
        assert_eq!(text, "ALtnsdlrJGOlALtnsdlrJGOl");
        assert_eq!(bytes[..5], [133, 133, 230, 57, 110]);
        text.clear();
        alphanumeric(&mut rng(), 13, &mut text);
        assert_eq!(text, "1E31CP3XB840J");
    }
}
