//! `u^p` for a uniform draw u, several times as fast as `libm::pow`: a pareto
//! key is drawn for nearly every statement, so this is most of a draw's cost.
//!
//! Only additions, multiplications and tables from libm, in a fixed order: the
//! same bits on every platform. Good to about 1e-12 of the value, far below
//! what the 53 random bits of a draw resolve.

use std::sync::LazyLock;

const LOG_BITS: u32 = 9;
const EXP_BITS: u32 = 8;
/// Bits of a double behind its leading one.
const MANTISSA_BITS: u32 = 52;
const MANTISSA: u64 = (1 << MANTISSA_BITS) - 1;
const BIAS: i64 = 1023;

struct Tables {
    /// For the middle of each 512th of 1..2: a reciprocal and minus its log2.
    log: [(f64, f64); 1 << LOG_BITS],
    /// 2^(i/256).
    exp: [f64; 1 << EXP_BITS],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables {
        log: [(0.0, 0.0); 1 << LOG_BITS],
        exp: [0.0; 1 << EXP_BITS],
    };
    let mut middle = 1.0 + 0.5 / f64::from(1 << LOG_BITS);
    for entry in &mut tables.log {
        let reciprocal = 1.0 / middle;
        *entry = (reciprocal, -libm::log2(reciprocal));
        middle += 1.0 / f64::from(1 << LOG_BITS);
    }
    let mut exponent = 0.0;
    for entry in &mut tables.exp {
        *entry = libm::exp2(exponent);
        exponent += 1.0 / f64::from(1 << EXP_BITS);
    }
    tables
});

/// `base^power` for a base in 0..1 that is 0 or a normal number, and a power
/// above 0.
#[inline]
pub(super) fn power(base: f64, power: f64) -> f64 {
    if base <= 0.0 {
        return 0.0;
    }
    let tables = &*TABLES;
    exp2(tables, power * log2(tables, base))
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "an exponent of at most 1023")]
fn log2(tables: &Tables, x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA_BITS).cast_signed() - BIAS;
    let mantissa = f64::from_bits((bits & MANTISSA) | (BIAS.cast_unsigned() << MANTISSA_BITS));
    let (reciprocal, log) = tables.log[((bits & MANTISSA) >> (MANTISSA_BITS - LOG_BITS)) as usize];
    // |rest| < 2^-10: four terms of ln(1 + rest) leave an error below 2e-16.
    let rest = mantissa * reciprocal - 1.0;
    let series = 1.0 + rest * (-1.0 / 2.0 + rest * (1.0 / 3.0 - rest * (1.0 / 4.0)));
    exponent as f64 + (log + rest * series * std::f64::consts::LOG2_E)
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "steps of a number between -1023 and 0; 8 bits of one"
)]
fn exp2(tables: &Tables, x: f64) -> f64 {
    // Below the smallest normal number; no range of keys is that long.
    if x < -1022.0 {
        return 0.0;
    }
    let steps = f64::from(1 << EXP_BITS);
    // Rounded down: x is at most 0.
    let step = (x * steps) as i64 - 1;
    let rest = (x - step as f64 / steps) * std::f64::consts::LN_2;
    // 0 <= rest < 2 ln(2) / 256: five terms leave an error below 1e-13.
    let series = 1.0 + rest * (1.0 + rest * (1.0 / 2.0 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0))));
    let whole = step >> EXP_BITS;
    let part = (step & ((1 << EXP_BITS) - 1)) as usize;
    let scale = f64::from_bits(((whole + BIAS) as u64) << MANTISSA_BITS);
    tables.exp[part] * series * scale
}

#[cfg(test)]
mod tests {
    use super::super::rng::{Purpose, Rng};
    use super::*;

    #[test]
    fn powers_are_those_of_libm() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        for exponent in [0.1, 1.0, 1.38, 7.212_567_439, 21.854, 58.404] {
            for _ in 0..20_000 {
                // Also far down, where the hot keys come from.
                let base = rng.unit() * libm::exp2(-12.0 * rng.unit());
                let exact = libm::pow(base, exponent);
                let found = power(base, exponent);
                let miss = (found - exact).abs();
                assert!(
                    miss <= 1e-12 * exact + 1e-300,
                    "{base}^{exponent}: {found} {exact}"
                );
            }
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert!(power(0.0, 7.2).abs() < f64::MIN_POSITIVE);
        let below_one = 1.0 - f64::EPSILON / 2.0;
        assert!(power(below_one, 1e-9) <= 1.0);
        assert!(power(f64::EPSILON / 2.0, 58.0) >= 0.0);
        assert!((power(0.5, 3.0) - 0.125).abs() < 1e-15);
    }
}
