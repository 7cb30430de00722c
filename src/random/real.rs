//! The two ways between counts and reals that the distributions take.
//!
//! All else in `random` is either exact in integers or in `f64` by `libm`, so
//! that a result never depends on the platform's mathematics.

/// A count as a real. Exact up to 2^53, beyond that the nearest `f64`.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share or a scale; the documented loss is below 2^-53 of it"
)]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

/// The whole part of `x`, held in `0..n`; `n` is at least 1.
///
/// Beyond 2^53 only every 2^k-th index can come out, as an `f64` has 53 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` cuts the fraction and saturates, NaN gives 0; both are wanted"
)]
pub(super) fn index(x: f64, n: u64) -> u64 {
    // Rounding can lift n * u to n itself even though u < 1.
    (x as u64).min(n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_never_leaves_its_range() {
        assert_eq!(index(2.999, 3), 2);
        assert_eq!(index(3.0, 3), 2);
        assert_eq!(index(-1.0, 3), 0);
        assert_eq!(index(f64::NAN, 3), 0);
        assert_eq!(index(f64::INFINITY, 1 << 63), (1 << 63) - 1);
        assert_eq!(index(real(1 << 63), 1 << 63), (1 << 63) - 1);
        assert_eq!(index(0.5, 1), 0);
    }
}
