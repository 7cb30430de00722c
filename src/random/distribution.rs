//! Which key is drawn how often: the distributions of workload files.
//!
//! Closed forms over a range of keys, set up in no time whatever its size. The
//! formulas lie in `skew`, `bell`, `zipf` and `ycsb`, the places of the hot keys
//! in `order`; this file has the range, the choice and the bounds.

use super::bell::{Mean, Normal, Special};
use super::error::{Check, RangeError};
use super::order::Order;
use super::real::real;
use super::rng::Rng;
use super::skew::{Exponential, Hotspot, Nurand, Pareto};
use super::ycsb::Folded;
use super::zipf::Zipf;

/// A distribution with its parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Every key equally often.
    Uniform,
    /// sysbench's bounded, self-similar pareto, `min + floor(n * u^p)` with
    /// `p = ln h / ln(1-h)`: at h = 0.2, its default, 80 % of the draws go to
    /// 20 % of the keys.
    Pareto {
        /// More than 0 and less than 1.
        h: f64,
    },
    /// The true zipf law: the k-th key gets a share of 1 / k^theta.
    Zipf {
        /// 0 (uniform) to 1000. sysbench takes 0.8.
        theta: f64,
    },
    /// sysbench's gaussian: the mean of some uniform numbers.
    Gaussian {
        /// 1 to 100; sysbench takes 12.
        iter: u32,
    },
    /// pgbench's gaussian: 95 % of the draws in the middle 2/p of the keys.
    PgGaussian {
        /// At least 2.
        p: f64,
    },
    /// pgbench's exponential: the hottest 1 % of keys get about p % of the draws.
    Exponential {
        /// More than 0.
        p: f64,
    },
    /// YCSB's hotspot: some keys share most draws evenly.
    Hotspot {
        /// Share of the keys that are hot, more than 0 to 1; YCSB takes 0.2.
        hot_fraction: f64,
        /// Share of the draws that these get, 0 to 1; YCSB takes 0.8.
        hot_share: f64,
    },
    /// The default of sysbench 1.0: `res` % of draws in a window of `pct` % of
    /// the keys, the others gaussian.
    Special {
        /// 0 to 100; sysbench takes 1.
        pct: f64,
        /// 0 to 100; sysbench takes 75.
        res: f64,
        /// 1 to 100; sysbench takes 12.
        iter: u32,
    },
    /// TPC-C's `NURand(A, min, max)`, clause 2.1.6; takes keys from 0.
    Nurand {
        /// 2^k - 1: 255 for last names, 1023 for customers, 8191 for items.
        a: u64,
        /// 0 to A, the same for all clients.
        c: u64,
    },
    /// YCSB's scrambled zipfian, theta 0.99 folded from 10^10 items.
    YcsbZipf,
}

/// A shape whose parameters fit the number of keys.
#[derive(Clone, Copy, Debug)]
enum Form {
    Uniform,
    Pareto(Pareto),
    Zipf(Zipf),
    Mean(Mean),
    Normal(Normal),
    Exponential(Exponential),
    Hotspot(Hotspot),
    Special(Special),
    Nurand(Nurand),
    Folded(Folded),
}

/// A range of keys to draw from.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    min: i64,
    /// 1..=2^63.
    n: u64,
    order: Order,
    form: Form,
}

impl Keys {
    /// Keys from `min` to `max`, both included.
    ///
    /// # Errors
    /// When the range is empty or holds more than 2^63 keys, or a parameter of
    /// the shape is outside its bounds.
    pub fn new(shape: Shape, min: i64, max: i64, order: Order) -> Result<Keys, RangeError> {
        if max < min {
            return Err(RangeError::Empty { min, max });
        }
        // Right even where max - min does not fit an i64.
        let span = max.wrapping_sub(min).cast_unsigned();
        if span > i64::MAX.cast_unsigned() {
            return Err(RangeError::TooWide { min, max });
        }
        let n = span + 1;
        let form = match shape {
            Shape::Uniform => Form::Uniform,
            Shape::Pareto { h } => Form::Pareto(Pareto::new(n, h)?),
            Shape::Zipf { theta } => Form::Zipf(Zipf::new(n, theta)?),
            Shape::Gaussian { iter } => Form::Mean(Mean::new(n, iter, Check("gaussian"))?),
            Shape::PgGaussian { p } => Form::Normal(Normal::new(n, p)?),
            Shape::Exponential { p } => Form::Exponential(Exponential::new(n, p)?),
            Shape::Hotspot {
                hot_fraction,
                hot_share,
            } => Form::Hotspot(Hotspot::new(n, hot_fraction, hot_share)?),
            Shape::Special { pct, res, iter } => Form::Special(Special::new(n, pct, res, iter)?),
            Shape::Nurand { a, c } => Form::Nurand(Nurand::new(n, min, a, c)?),
            Shape::YcsbZipf => Form::Folded(Folded::new(n)),
        };
        Ok(Keys {
            min,
            n,
            order,
            form,
        })
    }

    /// The number of keys, 1 to 2^63.
    pub fn count(&self) -> u64 {
        self.n
    }

    /// Draws a key.
    ///
    /// Skewed shapes reckon with 53 bits: far from the hot end of a range of
    /// more than 2^53 keys, only every 2^k-th can come out.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> i64 {
        let index = match &self.form {
            Form::Uniform => rng.below(self.n),
            Form::Pareto(form) => form.index(rng),
            Form::Zipf(form) => form.index(rng),
            Form::Mean(form) => form.index(rng),
            Form::Normal(form) => form.index(rng),
            Form::Exponential(form) => form.index(rng),
            Form::Hotspot(form) => form.index(rng),
            Form::Special(form) => form.index(rng),
            Form::Nurand(form) => form.index(rng),
            Form::Folded(form) => form.index(rng),
        };
        // Below n, so it never passes max.
        self.min
            .wrapping_add_unsigned(self.order.place(index, self.n))
    }

    /// The share of all draws, 0 to 1, that goes to the most frequent key: how
    /// hot the hottest row is.
    ///
    /// Exact for uniform, pareto, zipf, exponential and hotspot and for
    /// TPC-C's three uses of nurand. Within 1 % for both gaussians. An estimate
    /// for special, for other parameters of nurand, and for `YcsbZipf`.
    pub fn hottest_share(&self) -> f64 {
        match &self.form {
            Form::Uniform => 1.0 / real(self.n),
            Form::Pareto(form) => form.hottest(),
            Form::Zipf(form) => form.hottest(),
            Form::Mean(form) => form.hottest(),
            Form::Normal(form) => form.hottest(),
            Form::Exponential(form) => form.hottest(),
            Form::Hotspot(form) => form.hottest(),
            Form::Special(form) => form.hottest(),
            Form::Nurand(form) => form.hottest(),
            Form::Folded(form) => form.hottest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{
        Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest,
    };

    use super::super::rng::Purpose;
    use super::*;

    fn refusal(shape: Shape, min: i64, max: i64) -> String {
        Keys::new(shape, min, max, Order::Ordered)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn wrong_ranges_and_parameters_are_refused() {
        let uniform = |min, max| refusal(Shape::Uniform, min, max);
        assert_eq!(
            uniform(10, 9),
            "the range 10 to 9 is empty; set max to at least min"
        );
        assert!(uniform(i64::MIN, 0).contains("more than 2^63"));
        assert!(uniform(i64::MIN, i64::MAX).contains("more than 2^63"));
        let message = |shape| refusal(shape, 1, 100);
        assert_eq!(
            message(Shape::Pareto { h: 1.0 }),
            "h of pareto is 1; set it to more than 0 and less than 1"
        );
        assert_eq!(
            message(Shape::Zipf { theta: -0.1 }),
            "theta of zipf is -0.1; set it to 0 to 1000"
        );
        assert!(message(Shape::Zipf { theta: f64::NAN }).starts_with("theta of zipf is NaN"));
        assert!(message(Shape::Gaussian { iter: 0 }).starts_with("iter of gaussian is 0"));
        assert!(message(Shape::PgGaussian { p: 1.9 }).ends_with("at least 2"));
        assert!(message(Shape::Exponential { p: 0.0 }).starts_with("p of exponential"));
        let hotspot = |hot_fraction, hot_share| {
            message(Shape::Hotspot {
                hot_fraction,
                hot_share,
            })
        };
        assert!(hotspot(0.0, 0.8).starts_with("hot_fraction of hotspot is 0"));
        assert!(hotspot(0.2, 1.1).starts_with("hot_share of hotspot is 1.1"));
        let special = |pct, res, iter| message(Shape::Special { pct, res, iter });
        assert!(special(101.0, 75.0, 12).starts_with("pct of special is 101"));
        assert!(special(1.0, -1.0, 12).starts_with("res of special is -1"));
        assert!(special(1.0, 75.0, 101).starts_with("iter of special is 101"));
        assert!(message(Shape::Nurand { a: 100, c: 0 }).starts_with("a of nurand is 100"));
        assert!(message(Shape::Nurand { a: 255, c: 256 }).starts_with("c of nurand is 256"));
        let negative = refusal(Shape::Nurand { a: 255, c: 0 }, -1, 9);
        assert!(negative.starts_with("min of nurand is -1"));
    }

    fn any_shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            Just(Shape::Uniform),
            (0.001..0.999_f64).prop_map(|h| Shape::Pareto { h }),
            (0.0..4.0_f64).prop_map(|theta| Shape::Zipf { theta }),
            (1..40_u32).prop_map(|iter| Shape::Gaussian { iter }),
            (2.0..50.0_f64).prop_map(|p| Shape::PgGaussian { p }),
            (0.001..50.0_f64).prop_map(|p| Shape::Exponential { p }),
            (0.001..=1.0_f64, 0.0..=1.0_f64).prop_map(|(hot_fraction, hot_share)| {
                Shape::Hotspot {
                    hot_fraction,
                    hot_share,
                }
            }),
            (0.0..=100.0_f64, 0.0..=100.0_f64, 1..20_u32)
                .prop_map(|(pct, res, iter)| Shape::Special { pct, res, iter }),
            (1..=32_u32, any::<u64>()).prop_map(|(k, c)| {
                let a = (1 << k) - 1;
                Shape::Nurand { a, c: c & a }
            }),
            Just(Shape::YcsbZipf),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn draws_stay_in_range(
            shape in any_shape(),
            min in prop_oneof![0..=1000_i64, (1 << 32)..=i64::MAX, Just(i64::MAX)],
            // Ranges of all magnitudes, from one key to 2^63.
            span in (0..63_u32, any::<i64>()).prop_map(|(bits, x)| (x & i64::MAX) >> bits),
            order in prop_oneof![Just(Order::Ordered), Just(Order::Reversed), Just(Order::Scattered)],
            seed in any::<u64>(),
        ) {
            let max = min.saturating_add(span);
            let keys = Keys::new(shape, min, max, order).unwrap();
            let mut rng = Rng::at(seed, Purpose::Run, 0, 0);
            for _ in 0..50 {
                let key = keys.sample(&mut rng);
                prop_assert!((min..=max).contains(&key), "{key}");
            }
            let share = keys.hottest_share();
            let even = 1.0 / real(keys.count());
            prop_assert!(share > even * 0.99 && share < 1.000_001, "{share}");
        }
    }

    #[test]
    fn negative_ranges_are_drawn_from() {
        let keys = Keys::new(Shape::Pareto { h: 0.2 }, i64::MIN, -1, Order::Reversed).unwrap();
        let mut rng = Rng::at(1, Purpose::Run, 0, 0);
        assert_eq!(keys.count(), 1 << 63);
        assert!((0..1000).all(|_| keys.sample(&mut rng) < 0));
    }
}
