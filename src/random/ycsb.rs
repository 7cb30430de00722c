//! YCSB's scrambled zipfian, as YCSB draws it, for comparability.
//!
//! It is not zipf over the keys: ranks are drawn out of 10^10 items whatever the
//! number of keys and folded by a hash modulo n, so that some keys get no share
//! of their own and others several. The hottest key gets about 3.8 % of the
//! draws at any size. The true law is in `zipf`, scattered by `order`.

use super::names::fnv64;
use super::real::{index, real};
use super::rng::Rng;

/// YCSB's constants: the number of items, their harmonic number and theta.
const ITEMS: u64 = 10_000_000_001;
const ZETA: f64 = 26.469_028_201_783_02;
const THETA: f64 = 0.99;

/// Gray et al., "Quickly Generating Billion-Record Synthetic Databases", 1994,
/// with the constants and the hash of YCSB's `ScrambledZipfianGenerator`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    n: u64,
    /// 1 + 2^-theta, the share of the first two ranks times zeta.
    two: f64,
    eta: f64,
}

impl Folded {
    pub(super) fn new(n: u64) -> Folded {
        let two = 1.0 + libm::pow(0.5, THETA);
        let eta = (1.0 - libm::pow(2.0 / real(ITEMS), 1.0 - THETA)) / (1.0 - two / ZETA);
        Folded { n, two, eta }
    }

    fn rank(&self, rng: &mut Rng) -> u64 {
        let u = rng.unit();
        let area = u * ZETA;
        if area < 1.0 {
            return 0;
        }
        if area < self.two {
            return 1;
        }
        let x = libm::pow(self.eta * u - self.eta + 1.0, 1.0 / (1.0 - THETA));
        index(real(ITEMS) * x, ITEMS)
    }

    pub(super) fn index(&self, rng: &mut Rng) -> u64 {
        fnv64(self.rank(rng)) % self.n
    }

    /// The first rank's own share and an even part of all others; what else
    /// folds on its key may add some tenths of a percent.
    pub(super) fn hottest(&self) -> f64 {
        let first = 1.0 / ZETA;
        first + (1.0 - first) / real(self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::*;

    #[test]
    fn shares_are_those_measured_of_ycsb() {
        // Hottest key and hottest 20 % of the keys, 400,000 draws of YCSB.
        for (n, hottest, fifth) in [(1_000, 0.039, 0.39), (100_000, 0.038, 0.60)] {
            let keys = Folded::new(n);
            let mut rng = Rng::at(1, Purpose::Run, 0, 0);
            let draws = 400_000;
            let mut counts = vec![0_u32; usize::try_from(n).unwrap()];
            for _ in 0..draws {
                counts[usize::try_from(keys.index(&mut rng)).unwrap()] += 1;
            }
            counts.sort_unstable_by(|x, y| y.cmp(x));
            let share = |keys: usize| f64::from(counts[..keys].iter().sum::<u32>()) / 400_000.0;
            assert!((share(1) - hottest).abs() < 0.002, "{n}: {}", share(1));
            assert!((share(1) - keys.hottest()).abs() < 0.002);
            let top = share(counts.len() / 5);
            assert!((top - fifth).abs() < 0.01, "{n}: {top}");
        }
    }
}
