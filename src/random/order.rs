//! Where the hot keys lie: side by side at one end of the range, or all over it.
//!
//! At the same skew this decides how many pages are hot: with 37 rows a page,
//! the hot 20 % of the keys are 20 % of the pages when they lie side by side
//! and nearly all pages when they are scattered. Only places, no chance: which
//! key is how hot is the business of `distribution`.

/// Where the keys of a skewed distribution lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// As the distribution's formula has it; the hot keys mostly first.
    #[default]
    Ordered,
    /// The other way round: what was first is last.
    Reversed,
    /// All over the range, by a fixed bijection: every key has one place. The
    /// same in every run, for it depends on the number of keys alone.
    Scattered,
}

impl Order {
    pub const ALL: [Order; 3] = [Order::Ordered, Order::Reversed, Order::Scattered];

    /// The name in workload files.
    pub fn name(self) -> &'static str {
        match self {
            Order::Ordered => "ordered",
            Order::Reversed => "reversed",
            Order::Scattered => "scattered",
        }
    }

    /// The place in `0..n` of the key that the formula numbers `index`, which
    /// must be below `n`; `n` is at most 2^63.
    #[inline]
    pub fn place(self, index: u64, n: u64) -> u64 {
        match self {
            Order::Ordered => index,
            Order::Reversed => n - 1 - index,
            Order::Scattered => scatter(index, n),
        }
    }
}

/// One multiplier a round; any odd numbers with well mixed bits do. A change
/// moves every scattered key.
const ROUNDS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xd1b5_4a32_d192_ed03,
    0xaef1_7502_108e_f2d9,
];

/// A Feistel network over the fewest bits that hold `0..n`, walked on until it
/// lands below `n` again (Black and Rogaway, "Ciphers with Arbitrary Finite
/// Domains", 2002): fewer than two turns on average, a bijection for any n.
fn scatter(index: u64, n: u64) -> u64 {
    debug_assert!(index < n, "place {index} of {n}");
    let bits = u64::BITS - (n - 1).leading_zeros();
    let low_bits = bits - bits / 2;
    let low_mask = (1_u64 << low_bits) - 1;
    let high_mask = (1_u64 << (bits / 2)) - 1;
    let mut place = index;
    loop {
        let (mut high, mut low) = (place >> low_bits, place & low_mask);
        for multiplier in ROUNDS {
            low ^= stir(high, multiplier) & low_mask;
            high ^= stir(low, multiplier) & high_mask;
        }
        place = high << low_bits | low;
        if place < n {
            return place;
        }
    }
}

/// Hashes one half of a Feistel network; the good bits are the low ones.
#[inline]
fn stir(half: u64, multiplier: u64) -> u64 {
    let product = (half ^ multiplier >> 32).wrapping_mul(multiplier);
    (product ^ product >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_bijection(order: Order, n: u64) {
        let mut taken = vec![false; usize::try_from(n).unwrap()];
        for index in 0..n {
            let place = order.place(index, n);
            assert!(place < n, "{index} of {n} went to {place}");
            let slot = &mut taken[usize::try_from(place).unwrap()];
            assert!(!*slot, "{place} of {n} is taken twice");
            *slot = true;
        }
    }

    #[test]
    fn every_key_has_one_place() {
        for order in Order::ALL {
            for n in 1..=300 {
                assert_bijection(order, n);
            }
        }
        for n in [4_096, 65_537, 131_071, 1_000_003] {
            assert_bijection(Order::Scattered, n);
        }
    }

    #[test]
    fn places_never_change() {
        let first = |n| -> [u64; 5] { [0, 1, 2, 3, 4].map(|i| Order::Scattered.place(i, n)) };
        assert_eq!(first(10), [9, 4, 8, 6, 0]);
        assert_eq!(
            first(1_000_000),
            [701_012, 80_383, 260_635, 182_332, 295_605]
        );
        assert_eq!(
            first(1 << 63),
            [
                937_879_219_666_729_010,
                5_276_126_498_126_163_766,
                132_027_876_964_393_086,
                6_473_853_329_730_876_620,
                3_347_986_336_716_884_733
            ]
        );
        assert_eq!(Order::Reversed.place(0, 10), 9);
    }

    #[test]
    fn huge_ranges_are_bijections_too() {
        // Cannot be enumerated; but each key that is tried must stay in range
        // and have a place of its own.
        for n in [
            (1 << 32) + 1,
            (1 << 40) - 3,
            i64::MAX.cast_unsigned(),
            1 << 63,
        ] {
            let places: std::collections::HashSet<u64> = (0..5_000)
                .chain(n - 5_000..n)
                .map(|index| Order::Scattered.place(index, n))
                .collect();
            assert_eq!(places.len(), 10_000);
            assert!(places.iter().all(|place| *place < n));
        }
    }

    #[test]
    fn scattered_keys_touch_nearly_all_pages() {
        let (n, rows_a_page) = (370_000, 37);
        let mut hits = vec![0_u32; 10_000];
        for index in 0..n / 5 {
            let place = Order::Scattered.place(index, n);
            hits[usize::try_from(place / rows_a_page).unwrap()] += 1;
        }
        // By chance 0.8^37 = 0.026 % of the pages are spared: 2.6 of 10,000.
        let spared = hits.iter().filter(|hits| **hits == 0).count();
        assert!(spared < 12, "{spared}");
        // A binomial of 37 rows has the variance 37 * 0.2 * 0.8 = 5.92.
        let variance = hits
            .iter()
            .map(|h| (f64::from(*h) - 7.4).powi(2))
            .sum::<f64>()
            / 1e4;
        assert!((5.5..6.4).contains(&variance), "{variance}");
    }
}
