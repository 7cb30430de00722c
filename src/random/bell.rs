//! Skews whose hot keys lie in the middle: sysbench's gaussian and special, and
//! pgbench's gaussian.
//!
//! Each struct draws an index in `0..n` and knows the share of its hottest
//! index. Bounds, order and names belong to `distribution`.

use super::error::{Check, RangeError};
use super::real::{index, real};
use super::rng::Rng;

/// sysbench's gaussian: the mean of `iter` uniform numbers (Irwin and Hall).
/// Its standard deviation is n / sqrt(12 iter); sysbench's `iter` is 12.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    n: u64,
    iter: u32,
}

impl Mean {
    pub(super) fn new(n: u64, iter: u32, check: Check) -> Result<Mean, RangeError> {
        // Every draw costs `iter` random numbers; 100 is far beyond use.
        check.that((1..=100).contains(&iter), "iter", &iter, "1 to 100")?;
        Ok(Mean { n, iter })
    }

    /// A real in `[0, 1)`.
    fn unit(&self, rng: &mut Rng) -> f64 {
        let sum: f64 = (0..self.iter).map(|_| rng.unit()).sum();
        sum / f64::from(self.iter)
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        index(real(self.n) * self.unit(rng), self.n)
    }

    /// Exact up to `iter` = 20, then by the normal law, some 0.1 % off.
    pub(super) fn hottest(&self) -> f64 {
        let iter = f64::from(self.iter);
        if self.iter > 20 {
            return central(self.n, |width| {
                // The standard deviation of the mean is 1 / sqrt(12 iter).
                libm::erf(width * libm::sqrt(6.0 * iter))
            });
        }
        if self.n > 1_000_000 {
            // So narrow that the density at the peak is exact enough, while a
            // difference of two sums would cancel out.
            return iter * irwin_hall(0.5 * iter, self.iter, self.iter - 1) / real(self.n);
        }
        central(self.n, |width| {
            2.0 * irwin_hall((0.5 + width) * iter, self.iter, self.iter) - 1.0
        })
    }
}

/// The sum of Irwin and Hall for `count` uniform numbers: with `power` = `count`
/// the share of sums below `x`, with `power` = `count` - 1 the density there.
fn irwin_hall(x: f64, count: u32, power: u32) -> f64 {
    let (mut total, mut ways) = (0.0, 1.0);
    for k in 0..=count {
        let rest = x - f64::from(k);
        if rest <= 0.0 {
            break;
        }
        // x^p / p! step by step: neither overflows.
        let term: f64 = (1..=power).map(|j| rest / f64::from(j)).product();
        total += ways * term;
        ways *= -f64::from(count - k) / f64::from(k + 1);
    }
    total
}

/// The share of the middle key of `n`, where `within(w)` is the share of draws
/// no further than `w` from the middle of the unit interval.
fn central(n: u64, within: impl Fn(f64) -> f64) -> f64 {
    let key = 1.0 / real(n);
    if n % 2 == 1 {
        within(key / 2.0)
    } else {
        // Two middle keys share the peak.
        within(key) / 2.0
    }
}

/// pgbench's `random_gaussian`: a normal number cut at `p` standard deviations;
/// 67 % of the draws in the middle 1/p of the keys, 95 % in the middle 2/p.
#[derive(Clone, Copy, Debug)]
pub(super) struct Normal {
    n: u64,
    p: f64,
}

impl Normal {
    pub(super) fn new(n: u64, p: f64) -> Result<Normal, RangeError> {
        // pgbench's limit: below it too many numbers are drawn again.
        let good = p >= 2.0 && p.is_finite();
        Check("gaussian").that(good, "p", &p, "at least 2")?;
        Ok(Normal { n, p })
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        loop {
            // Box and Muller, 1958; the logarithm's argument is never 0.
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.unit()));
            let deviation = radius * libm::sin(std::f64::consts::TAU * rng.unit());
            if -self.p <= deviation && deviation < self.p {
                let unit = (deviation + self.p) / (2.0 * self.p);
                return index(real(self.n) * unit, self.n);
            }
        }
    }

    pub(super) fn hottest(&self) -> f64 {
        let within = |width: f64| {
            // The unit interval is 2 p standard deviations wide.
            libm::erf(width * self.p * std::f64::consts::SQRT_2)
        };
        central(self.n, within) / within(0.5)
    }
}

/// sysbench 1.0's default: `res` % of the draws go to a window of `pct` % of the
/// keys near the middle, the others follow the gaussian of `iter`.
///
/// As in sysbench one uniform number chooses between the two and is used again
/// inside the window, so that at `res` = 75 only the upper three quarters of
/// the window are ever drawn. Its window is kept for comparability.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    n: u64,
    bell: Mean,
    /// Share of draws in the window.
    res: f64,
    /// Share of keys in the window.
    pct: f64,
}

impl Special {
    pub(super) fn new(n: u64, pct: f64, res: f64, iter: u32) -> Result<Special, RangeError> {
        let check = Check("special");
        let percents = "a percentage from 0 to 100";
        check.that((0.0..=100.0).contains(&pct), "pct", &pct, percents)?;
        check.that((0.0..=100.0).contains(&res), "res", &res, percents)?;
        Ok(Special {
            n,
            bell: Mean::new(n, iter, check)?,
            res: res / 100.0,
            pct: pct / 100.0,
        })
    }

    /// sysbench reckons with the distance of the ends, one less than the keys.
    fn distance(&self) -> f64 {
        real(self.n - 1)
    }

    fn window(&self) -> f64 {
        self.pct * self.distance() + 1.0
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        let (u, distance) = (rng.unit(), self.distance());
        if u < 1.0 - self.res {
            return index(distance * self.bell.unit(rng), self.n);
        }
        let start = distance / 2.0 - self.pct * distance / 2.0;
        index(u * self.window() + start, self.n)
    }

    /// Nearly exact: it takes the bell's peak for the share of every key in the
    /// window.
    pub(super) fn hottest(&self) -> f64 {
        let in_window = self.res.min(1.0 / self.window());
        in_window + (1.0 - self.res) * self.bell.hottest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::*;

    fn near(found: f64, wanted: f64, slack: f64) {
        assert!((found - wanted).abs() < slack, "{found} is not {wanted}");
    }

    #[test]
    fn sums_of_uniform_numbers_follow_irwin_and_hall() {
        near(irwin_hall(0.5, 1, 1), 0.5, 1e-15);
        near(irwin_hall(1.0, 2, 1), 1.0, 1e-15);
        // Peaks of three and four: 3/4 and 2/3.
        near(irwin_hall(1.5, 3, 2), 0.75, 1e-15);
        near(irwin_hall(2.0, 4, 3), 2.0 / 3.0, 1e-15);
        near(irwin_hall(6.0, 12, 12), 0.5, 1e-12);
        near(irwin_hall(20.0, 20, 20), 1.0, 1e-6);
    }

    #[test]
    fn hottest_shares_meet_where_methods_change() {
        let mean = |n, iter| Mean::new(n, iter, Check("gaussian")).unwrap().hottest();
        near(mean(1, 12), 1.0, 1e-9);
        near(mean(2, 12), 0.5, 1e-9);
        near(mean(1_000, 1), 0.001, 1e-12);
        let ratio = mean(1_000_000, 12) * 1_000_000.0 / (mean(1_000_001, 12) * 1_000_001.0);
        near(ratio, 1.0, 1e-6);
        let ratio = mean(1_001, 20) / mean(1_001, 21) * libm::sqrt(21.0 / 20.0);
        near(ratio, 1.0, 0.01);
    }

    #[test]
    fn hottest_shares_are_drawn() {
        let mut rng = Rng::at(3, Purpose::Run, 0, 0);
        let (n, draws) = (101, 200_000_u32);
        let mut assert_share = |draw: &dyn Fn(&mut Rng) -> u64, share: f64| {
            let mut counts = vec![0_u32; 101];
            for _ in 0..draws {
                counts[usize::try_from(draw(&mut rng)).unwrap()] += 1;
            }
            let found = f64::from(*counts.iter().max().unwrap()) / f64::from(draws);
            near(found, share, 5.0 * libm::sqrt(share / f64::from(draws)));
        };
        let mean = Mean::new(n, 12, Check("gaussian")).unwrap();
        assert_share(&|rng| mean.index(rng), mean.hottest());
        let normal = Normal::new(n, 3.0).unwrap();
        assert_share(&|rng| normal.index(rng), normal.hottest());
        let special = Special::new(n, 3.0, 75.0, 12).unwrap();
        assert_share(&|rng| special.index(rng), special.hottest());
    }

    #[test]
    fn pgbench_percentages_hold() {
        let mut rng = Rng::at(4, Purpose::Run, 0, 0);
        let (n, p, draws) = (1_000_000, 4.0, 100_000);
        let normal = Normal::new(n, p).unwrap();
        let (mut one, mut two) = (0, 0);
        for _ in 0..draws {
            let off = normal.index(&mut rng).abs_diff(n / 2);
            one += i32::from(off < n / 8);
            two += i32::from(off < n / 4);
        }
        near(f64::from(one) / f64::from(draws), 0.6827, 0.006);
        near(f64::from(two) / f64::from(draws), 0.9545, 0.003);
    }

    #[test]
    fn extremes_stay_in_range() {
        let mut rng = Rng::at(5, Purpose::Run, 0, 0);
        for n in [1, 2, 3, 1 << 63] {
            for (pct, res) in [(0.0, 0.0), (100.0, 100.0), (1.0, 75.0)] {
                let keys = Special::new(n, pct, res, 12).unwrap();
                assert!((0..1000).all(|_| keys.index(&mut rng) < n));
                assert!((0.0..=1.0 + 1e-9).contains(&keys.hottest()));
            }
            let keys = Normal::new(n, 1e300).unwrap();
            assert!((0..1000).all(|_| keys.index(&mut rng) < n));
            near(keys.hottest(), if n % 2 == 1 { 1.0 } else { 0.5 }, 1e-9);
        }
    }
}
