//! Think times: how long a person at a terminal looks at an answer (TPC-C, clause
//! 5.2.5.4).

use std::time::Duration;

use super::rng::Rng;

/// Nobody thinks longer than so many times the mean.
const LONGEST: f64 = 10.0;

/// Exponential with this mean, cut at ten times of it; without a mean nothing is
/// drawn.
pub fn think_time(mean: Duration, rng: &mut Rng) -> Duration {
    if mean.is_zero() {
        return mean;
    }
    mean.mul_f64((-libm::log(1.0 - rng.unit())).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::rng::Purpose;

    #[test]
    fn times_are_exponential_and_cut() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        let mean = Duration::from_secs(12);
        let draws = 1_000_000;
        let times: Vec<Duration> = (0..draws).map(|_| think_time(mean, &mut rng)).collect();
        let sum: Duration = times.iter().sum();
        // The deviation is the mean itself, the cut takes 5e-5 of it.
        let found = sum.as_secs_f64() / f64::from(draws);
        assert!((found - 12.0).abs() < 4.0 * 12.0 / 1e3, "{found}");
        // e^-1 are longer than the mean: deviation 482.
        let longer = times.iter().filter(|time| **time > mean).count();
        assert!(longer.abs_diff(367_879) < 4 * 482, "{longer}");
        // e^-10 of a million are cut: 45, deviation 6.7.
        let cut = times.iter().filter(|time| **time == mean * 10).count();
        assert!((18..=72).contains(&cut), "{cut}");
        assert_eq!(times.iter().max(), Some(&(mean * 10)));
        let mut other = rng.clone();
        assert_eq!(think_time(Duration::ZERO, &mut rng), Duration::ZERO);
        assert_eq!(rng.next_u64(), other.next_u64(), "nothing is drawn");
    }
}
