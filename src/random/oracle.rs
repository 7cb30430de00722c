//! A million draws of each distribution against shares known from analysis.
//!
//! The oracle values were worked out from the formulas of sysbench 1.0 and
//! master, pgbench and TPC-C; a draw may be off by four standard deviations and
//! by the rounding of the value.

use super::distribution::{Keys, Shape};
use super::order::Order;
use super::real::real;
use super::rng::{Purpose, Rng};

const DRAWS: u32 = 1_000_000;

/// Draws that fell below each of some indexes.
fn shares_below(keys: &Keys, limits: &[i64]) -> Vec<f64> {
    let mut rng = Rng::at(2026, Purpose::Run, 1, 1);
    let mut counts = vec![0_u32; limits.len()];
    for _ in 0..DRAWS {
        let key = keys.sample(&mut rng);
        for (count, limit) in counts.iter_mut().zip(limits) {
            *count += u32::from(key < *limit);
        }
    }
    let share = |count| f64::from(count) / f64::from(DRAWS);
    counts.into_iter().map(share).collect()
}

fn assert_share(found: f64, wanted: f64, what: &str) {
    let deviation = libm::sqrt(wanted * (1.0 - wanted) / f64::from(DRAWS));
    let rounding = 0.000_051;
    let off = (found - wanted).abs();
    assert!(
        off < 4.0 * deviation + rounding,
        "{what}: {found}, not {wanted}"
    );
}

/// Compares the shares of the first 1, 5, 10, 20 and 50 % of n keys.
fn assert_first(shape: Shape, n: i64, wanted: [f64; 5]) {
    let limits = [1, 5, 10, 20, 50].map(|percent| n / 100 * percent);
    let keys = Keys::new(shape, 0, n - 1, Order::Ordered).unwrap();
    for (found, wanted) in shares_below(&keys, &limits).into_iter().zip(wanted) {
        assert_share(found, wanted, &format!("{shape:?} of {n}"));
    }
}

/// Compares the shares of the central 1, 5, 10, 20 and 50 % of n keys.
fn assert_central(shape: Shape, n: i64, wanted: [f64; 5]) {
    let keys = Keys::new(shape, 0, n - 1, Order::Ordered).unwrap();
    for (percent, wanted) in [1, 5, 10, 20, 50].into_iter().zip(wanted) {
        let half = n / 200 * percent;
        let shares = shares_below(&keys, &[n / 2 - half, n / 2 + half]);
        assert_share(
            shares[1] - shares[0],
            wanted,
            &format!("{shape:?} {percent} %"),
        );
    }
}

#[test]
fn uniform_is_even() {
    assert_first(Shape::Uniform, 1_000_000, [0.01, 0.05, 0.1, 0.2, 0.5]);
}

#[test]
fn pareto_is_that_of_sysbench() {
    for (h, wanted) in [
        (0.05, [0.9242, 0.9500, 0.9613, 0.9728, 0.9882]),
        (0.1, [0.8100, 0.8719, 0.9000, 0.9290, 0.9688]),
        (0.2, [0.5281, 0.6601, 0.7267, 0.8000, 0.9084]),
        (0.3, [0.2556, 0.4117, 0.5055, 0.6208, 0.8144]),
        (0.5, [0.01, 0.05, 0.1, 0.2, 0.5]),
    ] {
        assert_first(Shape::Pareto { h }, 1_000_000, wanted);
    }
}

#[test]
fn pareto_has_no_limit_of_32_bits() {
    let wanted = [0.5281, 0.6601, 0.7267, 0.8000, 0.9084];
    assert_first(Shape::Pareto { h: 0.2 }, 10_000_000_000, wanted);
    assert_first(Shape::Pareto { h: 0.2 }, i64::MAX, wanted);
}

#[test]
fn zipf_is_that_of_sysbench() {
    for (theta, n, wanted) in [
        (0.8, 10_000, [0.3000, 0.4756, 0.5706, 0.6798, 0.8494]),
        (0.8, 1_000_000, [0.3624, 0.5225, 0.6091, 0.7085, 0.8629]),
        (0.8, 50_000_000, [0.3823, 0.5374, 0.6213, 0.7175, 0.8671]),
        (0.99, 1_000_000, [0.6643, 0.7798, 0.8302, 0.8809, 0.9485]),
        (0.99, 50_000_000, [0.7309, 0.8236, 0.8639, 0.9046, 0.9587]),
        (1.0, 1_000_000, [0.6800, 0.7919, 0.8400, 0.8882, 0.9518]),
    ] {
        assert_first(Shape::Zipf { theta }, n, wanted);
    }
}

#[test]
fn zipf_without_exponent_is_uniform() {
    let wanted = [0.01, 0.05, 0.1, 0.2, 0.5];
    assert_first(Shape::Zipf { theta: 0.0 }, 1_000_000_000, wanted);
}

#[test]
fn gaussian_is_that_of_sysbench() {
    let shape = Shape::Gaussian { iter: 12 };
    assert_first(shape, 1_000_000, [0.0, 0.0, 0.0, 0.0001, 0.5]);
    // These were simulated themselves, with a deviation of their own.
    let keys = Keys::new(shape, 0, 999_999, Order::Ordered).unwrap();
    for (half, wanted) in [
        (5_000, 0.0475),
        (25_000, 0.2336),
        (50_000, 0.4475),
        (100_000, 0.7672),
        (250_000, 0.9979),
    ] {
        let shares = shares_below(&keys, &[500_000 - half, 500_000 + half]);
        let off = (shares[1] - shares[0] - wanted).abs();
        assert!(off < 0.0025, "{half}: {shares:?}, not {wanted}");
    }
}

#[test]
fn special_is_that_of_sysbench() {
    let shape = Shape::Special {
        pct: 1.0,
        res: 75.0,
        iter: 12,
    };
    assert_first(shape, 1_000_000, [0.0, 0.0, 0.0, 0.0, 0.375]);
    assert_central(shape, 1_000_000, [0.762, 0.8085, 0.862, 0.942, 0.9995]);
}

#[test]
fn exponential_is_its_closed_form() {
    for p in [0.5, 5.0, 20.0] {
        let share = |f: f64| libm::expm1(-p * f) / libm::expm1(-p);
        let wanted = [0.01, 0.05, 0.1, 0.2, 0.5].map(share);
        assert_first(Shape::Exponential { p }, 1_000_000, wanted);
    }
}

#[test]
fn hotspot_is_its_closed_form() {
    let shape = Shape::Hotspot {
        hot_fraction: 0.2,
        hot_share: 0.8,
    };
    assert_first(shape, 1_000_000, [0.04, 0.2, 0.4, 0.8, 0.875]);
}

/// How many of the pairs of a mask and a key from min on give each value below n,
/// with C = 0.
fn pairs(a: u64, min: u64, n: u64) -> Vec<u32> {
    let mut pairs = vec![0; usize::try_from(n).unwrap()];
    for key in min..min + n {
        for mask in 0..=a {
            pairs[usize::try_from((key | mask) % n).unwrap()] += 1;
        }
    }
    pairs
}

/// The same for TPC-C's 8191 and 100,000 items, too many to try each pair.
fn pairs_of_items() -> Vec<u32> {
    let (masks, items) = (8_192_usize, 100_000);
    let mut pairs = vec![0; items];
    for (value, pairs) in pairs.iter_mut().enumerate().take(items / masks * masks) {
        // Each one-bit of the value is in the mask, the item or both.
        *pairs = 3_u32.pow((value % masks).count_ones());
    }
    // The last block of items is not whole, and what passes 100,000 folds.
    for item in items / masks * masks..=items {
        for mask in 0..masks {
            pairs[(item | mask) % items] += 1;
        }
    }
    // There is no item 0.
    for value in &mut pairs[..masks] {
        *value -= 1;
    }
    pairs
}

/// Compares the shares of the hottest 1, 5, 10, 20 and 50 % of keys, which are
/// too many to be ranked by how often they are drawn.
fn assert_nurand(a: u64, min: i64, pairs: &[u32], wanted: [f64; 5]) {
    let n = pairs.len();
    let all = f64::from(pairs.iter().sum::<u32>());
    assert!((all - real(a + 1) * real(n as u64)).abs() < 0.5);
    let mut ranked: Vec<usize> = (0..n).collect();
    ranked.sort_by_key(|value| std::cmp::Reverse(pairs[*value]));
    let max = min + i64::try_from(n).unwrap() - 1;
    let keys = Keys::new(Shape::Nurand { a, c: 0 }, min, max, Order::Ordered).unwrap();
    let hottest = f64::from(pairs[ranked[0]]) / all;
    assert!((keys.hottest_share() - hottest).abs() < 1e-5);
    let mut counts = vec![0_u32; n];
    let mut rng = Rng::at(2026, Purpose::Run, 1, 1);
    for _ in 0..DRAWS {
        counts[usize::try_from(keys.sample(&mut rng) - min).unwrap()] += 1;
    }
    for (percent, wanted) in [1, 5, 10, 20, 50].into_iter().zip(wanted) {
        let top = &ranked[..n * percent / 100];
        let exact = f64::from(top.iter().map(|v| pairs[*v]).sum::<u32>()) / all;
        assert!(
            (exact - wanted).abs() < 0.000_51,
            "{a} {percent} %: {exact}"
        );
        let found = f64::from(top.iter().map(|v| counts[*v]).sum::<u32>()) / f64::from(DRAWS);
        assert_share(found, exact, &format!("nurand {a}, top {percent} %"));
    }
}

#[test]
fn nurand_is_that_of_tpcc() {
    let names = [0.147, 0.400, 0.542, 0.723, 0.926];
    assert_nurand(255, 0, &pairs(255, 0, 1_000), names);
    let customers = [0.222, 0.487, 0.613, 0.790, 0.949];
    assert_nurand(1_023, 1, &pairs(1_023, 1, 3_000), customers);
    let items = [0.305, 0.590, 0.710, 0.844, 0.974];
    assert_nurand(8_191, 1, &pairs_of_items(), items);
}

#[test]
fn orders_move_the_hot_keys_and_keep_their_shares() {
    let n = 1_000;
    let shape = Shape::Pareto { h: 0.2 };
    let keys = |order| Keys::new(shape, 1, n, order).unwrap();
    let reversed = shares_below(&keys(Order::Reversed), &[801]);
    assert_share(1.0 - reversed[0], 0.8, "the last 20 %, reversed");
    let scattered = keys(Order::Scattered);
    let hottest = Order::Scattered.place(0, 1_000).cast_signed() + 1;
    let around = shares_below(&scattered, &[hottest, hottest + 1]);
    assert_share(
        around[1] - around[0],
        scattered.hottest_share(),
        "the hottest",
    );
    // The fifth with the first keys holds about a fifth of the hot ones, less
    // or more by the few that are hottest.
    let fifth = shares_below(&scattered, &[201])[0];
    assert!((0.05..0.6).contains(&fifth), "{fifth}");
}
