//! Streams of random numbers that are a pure function of what they are for.
//!
//! A stream has an address: seed, purpose and two numbers, such as client and
//! transaction. Making one costs a few nanoseconds, so every transaction and
//! chunk of rows takes its own, and neither order nor threads change a result.
//! Nothing here seeds from time or the operating system.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, SeedableRng};

use super::real::real;

/// What a stream is for. Equal addresses of two purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Rows to load.
    Load,
    /// Transactions before the measurement.
    Warmup,
    /// Transactions that are measured.
    Run,
    /// Shuffles of a deck of transactions.
    Deck,
    /// Gaps between arrivals.
    Pace,
    /// Rows that a check looks at.
    Check,
}

impl Purpose {
    /// Part of every seed: a changed number changes all data and runs.
    fn number(self) -> u64 {
        match self {
            Purpose::Load => 1,
            Purpose::Warmup => 2,
            Purpose::Run => 3,
            Purpose::Deck => 4,
            Purpose::Pace => 5,
            Purpose::Check => 6,
        }
    }
}

/// A stream of random numbers: xoshiro256++ (Blackman and Vigna, 2019), whose
/// output the `rand` crate promises to keep on every platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

/// 2^64 divided by the golden ratio, the step of splitmix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A second step, prime to the first: its small multiples are far from those.
const FAR: u64 = 0xd1b5_4a32_d192_ed03;

/// The output function of splitmix64 (Steele, Lea and Flood, 2014): a bijection
/// that flips about half of the output bits for each flipped input bit.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream at an address, such as client `a`, transaction `b`.
    ///
    /// Addresses are hashed to 64 bits: among 2^32 streams of one seed, two are
    /// expected to be the same.
    #[inline]
    pub fn at(seed: u64, purpose: Purpose, a: u64, b: u64) -> Rng {
        // `a` is mixed before `b` is added: in a plain sum, (a, b) and (a + 1,
        // b - x) would meet. `b` has a step of its own, so that the words of
        // neighbours do not overlap.
        let first = seed.wrapping_add(purpose.number().wrapping_mul(FAR));
        let mut key = mix(first.wrapping_add(a.wrapping_mul(STEP)));
        key = key.wrapping_add(b.wrapping_mul(FAR));
        let mut state = [0; 32];
        for word in state.chunks_exact_mut(8) {
            key = key.wrapping_add(STEP);
            word.copy_from_slice(&mix(key).to_le_bytes());
        }
        Rng(Xoshiro256PlusPlus::from_seed(state))
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..n`, each equally likely; `n` must be at least 1.
    ///
    /// Lemire, "Fast Random Integer Generation in an Interval", 2019.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0, "no number is below 0");
        let (mut low, mut high) = self.next_u64().carrying_mul(n, 0);
        if low < n {
            // 2^64 mod n: so many of the products would make some numbers
            // likelier than others.
            let surplus = n.wrapping_neg() % n.max(1);
            while low < surplus {
                (low, high) = self.next_u64().carrying_mul(n, 0);
            }
        }
        high
    }

    /// A real in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        const TWO_53: f64 = 9_007_199_254_740_992.0;
        real(self.next_u64() >> 11) / TWO_53
    }

    /// A number from `min` to `max`, both included, each equally likely; `max`
    /// must be at least `min`.
    #[inline]
    pub fn range(&mut self, min: i64, max: i64) -> i64 {
        debug_assert!(min <= max, "no number is from {min} to {max}");
        // Right even where max - min does not fit an i64.
        let span = max.wrapping_sub(min).cast_unsigned();
        let step = match span.checked_add(1) {
            Some(n) => self.below(n),
            None => self.next_u64(),
        };
        min.wrapping_add_unsigned(step)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn first<const N: usize>(mut rng: Rng) -> [u64; N] {
        std::array::from_fn(|_| rng.next_u64())
    }

    #[test]
    fn streams_never_change() {
        // Worked out by a second program, in Python.
        assert_eq!(
            first(Rng::at(0, Purpose::Load, 0, 0)),
            [
                8_906_553_845_176_615_818,
                17_745_451_076_409_422_382,
                3_393_135_233_553_697_862
            ]
        );
        assert_eq!(
            first(Rng::at(42, Purpose::Run, 7, 1_000_000)),
            [
                4_027_569_146_218_239_542,
                15_617_723_879_869_554_422,
                16_317_095_712_286_979_077
            ]
        );
    }

    #[test]
    fn neighbouring_streams_differ() {
        let mut seen = HashSet::new();
        for seed in [0, 1, u64::MAX] {
            for purpose in [
                Purpose::Load,
                Purpose::Warmup,
                Purpose::Run,
                Purpose::Deck,
                Purpose::Pace,
            ] {
                for a in 0..20 {
                    for b in 0..20 {
                        let [one] = first(Rng::at(seed, purpose, a, b));
                        let [again] = first(Rng::at(seed, purpose, a, b));
                        assert_eq!(one, again);
                        assert!(seen.insert(one), "{seed} {purpose:?} {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn first_draws_of_neighbours_are_independent() {
        // Each bit of the first draw differs between neighbours half the time.
        let streams = 100_000_u64;
        let (mut along_a, mut along_b) = ([0_u32; 64], [0_u32; 64]);
        for n in 0..streams {
            let [here] = first(Rng::at(1, Purpose::Run, 3, n));
            let [next] = first(Rng::at(1, Purpose::Run, 3, n + 1));
            let [beside] = first(Rng::at(1, Purpose::Run, 4, n));
            for bit in 0..64 {
                along_b[bit] += u32::from((here ^ next) >> bit & 1 == 1);
                along_a[bit] += u32::from((here ^ beside) >> bit & 1 == 1);
            }
        }
        // Five standard deviations of 100,000 tosses, as 128 are looked at.
        let slack = 5.0 * 0.5 * 100_000_f64.sqrt();
        for count in along_a.into_iter().chain(along_b) {
            assert!((f64::from(count) - 50_000.0).abs() < slack, "{count}");
        }
    }

    #[test]
    fn below_is_even() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        let mut counts = [0_u32; 7];
        for _ in 0..700_000 {
            counts[usize::try_from(rng.below(7)).unwrap()] += 1;
        }
        // Four standard deviations: sqrt(700,000 * 1/7 * 6/7) = 293.
        for count in counts {
            assert!((f64::from(count) - 100_000.0).abs() < 4.0 * 293.0);
        }
        // Without rejection, a third of the numbers would be twice as likely.
        let n = 3 << 62;
        let low = (0..100_000).filter(|_| rng.below(n) < n / 3).count();
        assert!((32_737..33_929).contains(&low), "{low}");
    }

    #[test]
    fn units_lie_in_range_and_are_even() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        let draws = 100_000;
        let mut sum = 0.0;
        for _ in 0..draws {
            let u = rng.unit();
            assert!((0.0..1.0).contains(&u));
            sum += u;
        }
        let mean = sum / f64::from(draws);
        assert!((mean - 0.5).abs() < 4.0 * 0.289 / 316.0, "{mean}");
    }

    #[test]
    fn ranges_include_both_ends() {
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        let seen: HashSet<i64> = (0..200).map(|_| rng.range(-2, 2)).collect();
        assert_eq!(seen.len(), 5);
        assert!(seen.iter().all(|key| (-2..=2).contains(key)));
        assert_eq!(rng.range(i64::MAX, i64::MAX), i64::MAX);
        let negative = (0..1000).filter(|_| rng.range(i64::MIN, i64::MAX) < 0);
        assert!((437..563).contains(&negative.count()));
    }
}
