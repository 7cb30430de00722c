//! The true zipf law over any number of keys, for any exponent from 0.
//!
//! Set-up takes no time in the number of keys, other than YCSB's. The folded
//! zipf of YCSB is in `ycsb`.

use super::error::{Check, RangeError};
use super::real::{index, real};
use super::rng::Rng;

/// The key of rank k is drawn with a share of 1 / k^theta: rejection-inversion
/// (Hörmann and Derflinger, "Rejection-Inversion to Generate Variates from
/// Monotone Discrete Distributions", 1996).
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    n: u64,
    theta: f64,
    /// The integral of the hat at its two ends.
    first: f64,
    last: f64,
    /// Ranks no further than this above their x need no second look.
    sure: f64,
}

impl Zipf {
    pub(super) fn new(n: u64, theta: f64) -> Result<Zipf, RangeError> {
        let good = (0.0..=1000.0).contains(&theta);
        Check("zipf").that(good, "theta", &theta, "0 to 1000")?;
        Ok(Zipf {
            n,
            theta,
            first: integral(1.5, theta) - 1.0,
            last: integral(real(n) + 0.5, theta),
            sure: 2.0 - inverse(integral(2.5, theta) - density(2.0, theta), theta),
        })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        loop {
            let area = self.last + rng.unit() * (self.first - self.last);
            let x = inverse(area, self.theta);
            // Rank x rounded, counted from 0.
            let at = index(x - 0.5, self.n);
            let rank = real(at + 1);
            if rank - x <= self.sure
                || area >= integral(rank + 0.5, self.theta) - density(rank, self.theta)
            {
                return at;
            }
        }
    }

    /// 1 / H(n, theta), the generalised harmonic number.
    pub(super) fn hottest(&self) -> f64 {
        1.0 / harmonic(self.n, self.theta)
    }
}

fn density(x: f64, theta: f64) -> f64 {
    libm::exp(-theta * libm::log(x))
}

/// The integral of x^-theta from 1 to `x`, without a gap at theta = 1.
fn integral(x: f64, theta: f64) -> f64 {
    let log = libm::log(x);
    let t = (1.0 - theta) * log;
    if t.abs() > 1e-8 {
        libm::expm1(t) / t * log
    } else {
        (1.0 + t / 2.0) * log
    }
}

/// The `x` up to which the integral of x^-theta is `area`.
fn inverse(area: f64, theta: f64) -> f64 {
    // Rounding can carry it beyond the pole.
    let t = ((1.0 - theta) * area).max(-1.0);
    let log = if t.abs() > 1e-8 {
        libm::log1p(t) / t * area
    } else {
        (1.0 - t / 2.0) * area
    };
    libm::exp(log)
}

/// The sum of k^-theta for k from 1 to `n`: term by term up to 100, then by the
/// formula of Euler and Maclaurin, to some 12 digits.
fn harmonic(n: u64, theta: f64) -> f64 {
    const TERMS: u64 = 100;
    let sum: f64 = (1..=n.min(TERMS)).map(|k| density(real(k), theta)).sum();
    if n <= TERMS {
        return sum;
    }
    let (from, to) = (real(TERMS), real(n));
    let (at_from, at_to) = (density(from, theta), density(to, theta));
    let area = integral(to, theta) - integral(from, theta);
    let slope = theta / 12.0 * (at_from / from - at_to / to);
    sum + area + (at_to - at_from) / 2.0 + slope
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::*;

    #[test]
    fn harmonic_numbers_are_exact_enough() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2, 3.0] {
            let n = 50_000;
            let exact: f64 = (1..=n).rev().map(|k| density(real(k), theta)).sum();
            let found = harmonic(n, theta);
            assert!(
                (found / exact - 1.0).abs() < 1e-10,
                "{theta}: {found} {exact}"
            );
        }
    }

    #[test]
    fn hottest_shares_match_the_oracle() {
        // Of sysbench's zipfian.
        for (theta, n, share) in [
            (0.8, 10_000, 0.0369),
            (0.8, 1_000_000, 0.0134),
            (0.8, 50_000_000, 0.0059),
            (0.99, 10_000, 0.0978),
            (0.99, 1_000_000, 0.0650),
            (0.99, 50_000_000, 0.0501),
        ] {
            let found = Zipf::new(n, theta).unwrap().hottest();
            assert!((found - share).abs() < 0.000_051, "{theta} {n}: {found}");
        }
    }

    #[test]
    fn any_theta_over_many_keys_is_ready_at_once() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        for n in [1, 2, 1_000_000_000, 1 << 63] {
            for theta in [0.0, 0.5, 0.99, 1.0, 1.0 + 1e-12, 1.2, 50.0, 1000.0] {
                let keys = Zipf::new(n, theta).unwrap();
                let draws = 2_000_u32;
                let mut first = 0;
                for _ in 0..draws {
                    let at = keys.index(&mut rng);
                    assert!(at < n);
                    first += u32::from(at == 0);
                }
                let share = keys.hottest();
                let slack = 4.5 * libm::sqrt(share / f64::from(draws)) + 1e-9;
                let found = f64::from(first) / f64::from(draws);
                assert!(
                    (found - share).abs() < slack,
                    "{n} {theta}: {found} {share}"
                );
            }
        }
    }

    #[test]
    fn ranks_follow_the_law() {
        let (n, draws) = (10, 200_000_u32);
        for theta in [0.5, 1.0, 2.0] {
            let keys = Zipf::new(n, theta).unwrap();
            let mut rng = Rng::at(2, Purpose::Run, 0, 0);
            let mut counts = [0_u32; 10];
            for _ in 0..draws {
                counts[usize::try_from(keys.index(&mut rng)).unwrap()] += 1;
            }
            for (rank, count) in (1..).zip(counts) {
                let share = density(f64::from(rank), theta) * keys.hottest();
                let slack = 4.0 * libm::sqrt(share * (1.0 - share) / f64::from(draws));
                let found = f64::from(count) / f64::from(draws);
                assert!((found - share).abs() < slack, "{theta} {rank}: {found}");
            }
        }
    }
}
