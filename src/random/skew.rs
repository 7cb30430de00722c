//! Skews with a closed form: pareto, exponential, hotspot and nurand.
//!
//! Each struct draws an index in `0..n`, the hot end first, and knows the share
//! of its hottest index. Bounds, order and names belong to `distribution`.

use super::error::{Check, RangeError};
use super::power::power;
use super::real::{index, real};
use super::rng::Rng;

/// sysbench's bounded pareto, Knuth's self-similar law: a share 1-h of the draws
/// goes to a share h of the keys, and so on within these (Gray et al.,
/// "Quickly Generating Billion-Record Synthetic Databases", 1994).
#[derive(Clone, Copy, Debug)]
pub(super) struct Pareto {
    n: u64,
    power: f64,
}

impl Pareto {
    pub(super) fn new(n: u64, h: f64) -> Result<Pareto, RangeError> {
        let good = h > 0.0 && h < 1.0;
        Check("pareto").that(good, "h", &h, "more than 0 and less than 1")?;
        let power = libm::log(h) / libm::log1p(-h);
        Ok(Pareto { n, power })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        index(real(self.n) * power(rng.unit(), self.power), self.n)
    }

    pub(super) fn hottest(&self) -> f64 {
        let first = libm::pow(real(self.n), -1.0 / self.power);
        // Above h = 0.5 the law leans the other way.
        let last = -libm::expm1(libm::log1p(-1.0 / real(self.n)) / self.power);
        first.max(last)
    }
}

/// pgbench's `random_exponential`: density falls by e^-p from the first key to
/// the last; the hottest 1 % of the keys get about p % of the draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponential {
    n: u64,
    p: f64,
}

impl Exponential {
    pub(super) fn new(n: u64, p: f64) -> Result<Exponential, RangeError> {
        let good = p > 0.0 && p.is_finite();
        Check("exponential").that(good, "p", &p, "a number above 0")?;
        Ok(Exponential { n, p })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        // pgbench's formula by expm1 and log1p, which keeps a small p exact.
        let cut = rng.unit() * libm::expm1(-self.p);
        index(real(self.n) * (-libm::log1p(cut) / self.p), self.n)
    }

    pub(super) fn hottest(&self) -> f64 {
        libm::expm1(-self.p / real(self.n)) / libm::expm1(-self.p)
    }
}

/// YCSB's hotspot: a share of the draws goes evenly to the first keys, the rest
/// evenly to the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hotspot {
    n: u64,
    /// Number of hot keys, 1..=n.
    hot: u64,
    share: f64,
}

impl Hotspot {
    pub(super) fn new(n: u64, fraction: f64, share: f64) -> Result<Hotspot, RangeError> {
        let check = Check("hotspot");
        let good = fraction > 0.0 && fraction <= 1.0;
        let allowed = "more than 0 and at most 1";
        check.that(good, "hot_fraction", &fraction, allowed)?;
        let good = (0.0..=1.0).contains(&share);
        check.that(good, "hot_share", &share, "0 to 1")?;
        // YCSB divides by zero where the fraction comes to less than a key.
        let hot = index(real(n) * fraction, n.saturating_add(1)).max(1);
        Ok(Hotspot { n, hot, share })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        let cold = self.n - self.hot;
        if cold == 0 || rng.unit() < self.share {
            rng.below(self.hot)
        } else {
            self.hot + rng.below(cold)
        }
    }

    pub(super) fn hottest(&self) -> f64 {
        if self.hot == self.n {
            return 1.0 / real(self.n);
        }
        let cold = real(self.n - self.hot);
        (self.share / real(self.hot)).max((1.0 - self.share) / cold)
    }
}

/// TPC-C's non-uniform random number, clause 2.1.6:
/// `(((random(0, A) | random(min, max)) + C) mod n) + min`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nurand {
    n: u64,
    min: u64,
    a: u64,
    c: u64,
}

impl Nurand {
    pub(super) fn new(n: u64, min: i64, a: u64, c: u64) -> Result<Nurand, RangeError> {
        let check = Check("nurand");
        let good = a >= 1 && (a + 1).is_power_of_two() && a < 1 << 32;
        let allowed = "2^k - 1 with k from 1 to 32, such as 255, 1023 or 8191";
        check.that(good, "a", &a, allowed)?;
        check.that(c <= a, "c", &c, "0 to a")?;
        // The bitwise or is of the keys themselves, not of their distance to min.
        let first = u64::try_from(min);
        check.that(first.is_ok(), "min", &min, "at least 0")?;
        let min = first.unwrap_or_default();
        Ok(Nurand { n, min, a, c })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        let mask = rng.below(self.a + 1);
        let key = self.min + rng.below(self.n);
        ((mask | key) + self.c) % self.n
    }

    /// Exact where the keys hold a whole block of A + 1 and no two values fold
    /// on the hottest key, as in all of TPC-C's; else an estimate.
    pub(super) fn hottest(&self) -> f64 {
        // Hottest is a key whose low k bits are all one: each of them is one in
        // three of four cases, so 2^k (3/4)^k pairs of a key and a mask give it.
        let bits = (self.a + 1).ilog2();
        (libm::pow(1.5, f64::from(bits)) / real(self.n)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hottest_shares_match_closed_forms() {
        let pareto = |n, h| Pareto::new(n, h).unwrap().hottest();
        // From the analysis of sysbench's pareto at h = 0.2.
        assert!((pareto(10_000, 0.2) - 0.2789).abs() < 1e-4);
        assert!((pareto(50_000_000, 0.2) - 0.0856).abs() < 1e-4);
        assert!((pareto(1_000, 0.5) - 0.001).abs() < 1e-12);
        assert!((pareto(1_000, 0.8) - pareto(1_000, 0.2)).abs() > 0.1);
        assert!((pareto(1, 0.2) - 1.0).abs() < 1e-12);
        let exponential = Exponential::new(100, 5.0).unwrap().hottest();
        assert!((exponential - 0.0491).abs() < 1e-4);
        let hotspot = Hotspot::new(1_000, 0.2, 0.8).unwrap().hottest();
        assert!((hotspot - 0.8 / 200.0).abs() < 1e-12);
    }

    #[test]
    fn tiny_and_steep_parameters_stay_in_range() {
        let mut rng = Rng::at(1, super::super::rng::Purpose::Run, 0, 0);
        for n in [1, 2, 1 << 63] {
            for p in [1e-300, 1e-9, 1.0, 700.0, 1e300] {
                let keys = Exponential::new(n, p).unwrap();
                assert!((0..100).all(|_| keys.index(&mut rng) < n));
                assert!((0.0..=1.0 + 1e-12).contains(&keys.hottest()), "{n} {p}");
            }
            for h in [1e-300, 1e-9, 0.5, 0.999_999_999] {
                let keys = Pareto::new(n, h).unwrap();
                assert!((0..100).all(|_| keys.index(&mut rng) < n));
                assert!((0.0..=1.0).contains(&keys.hottest()), "{n} {h}");
            }
            for fraction in [1e-300, 0.5, 1.0] {
                let keys = Hotspot::new(n, fraction, 0.8).unwrap();
                assert!((0..100).all(|_| keys.index(&mut rng) < n));
                assert!((0.0..=1.0).contains(&keys.hottest()), "{n} {fraction}");
            }
        }
    }

    /// The share of each index, by trying every pair of mask and key.
    fn enumerate(keys: &Nurand) -> Vec<f64> {
        let mut counts = vec![0_u32; usize::try_from(keys.n).unwrap()];
        for mask in 0..=keys.a {
            for key in keys.min..keys.min + keys.n {
                let at = ((mask | key) + keys.c) % keys.n;
                counts[usize::try_from(at).unwrap()] += 1;
            }
        }
        let pairs = real(keys.n * (keys.a + 1));
        counts.iter().map(|c| f64::from(*c) / pairs).collect()
    }

    #[test]
    fn nurand_is_as_hot_as_enumeration_says() {
        for (a, min, n, hotter) in [(255, 0, 1_000, 25.6), (1_023, 1, 3_000, 57.7)] {
            let keys = Nurand::new(n, min, a, 77).unwrap();
            let mut shares = enumerate(&keys);
            shares.sort_by(|x, y| y.total_cmp(x));
            assert!((keys.hottest() - shares[0]).abs() < 1e-9);
            assert!((keys.hottest() * real(n) - hotter).abs() < 0.05);
        }
        // TPC-C's items, by the same reckoning 1.5^13 = 194.6 times as hot.
        let items = Nurand::new(100_000, 1, 8_191, 0).unwrap();
        assert!((items.hottest() - 1.95e-3).abs() < 1e-5);
    }
}
