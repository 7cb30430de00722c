//! Latencies: a histogram with what it would blur kept beside it.
//!
//! Values are whole microseconds at three significant digits, from 1 us to any
//! length; sum, minimum and maximum are exact, and percentiles are held
//! between the two. Percentiles are never averaged: merge, then ask.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::units::micros;

#[derive(Clone, Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
    sum_ns: u128,
    /// Meaningless while `count` is 0.
    min_us: u64,
    max_us: u64,
}

impl Default for Latency {
    fn default() -> Self {
        // One significant digit beyond three would make every histogram ten
        // times larger; auto-resizing starts at 8 KiB.
        #[expect(
            clippy::expect_used,
            reason = "three digits are within the 0..=5 that the crate takes"
        )]
        let mut histogram = Histogram::new(3).expect("three digits are allowed");
        histogram.auto(true);
        Latency {
            histogram,
            sum_ns: 0,
            min_us: u64::MAX,
            max_us: 0,
        }
    }
}

/// One point of the curve of latency by percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    pub percentile: f64,
    pub value_us: u64,
    /// Operations at or below.
    pub count: u64,
}

impl Latency {
    pub fn record(&mut self, latency: Duration) {
        let us = micros(latency);
        // Fails only where the histogram cannot grow, and it can.
        let _ = self.histogram.record(us);
        self.sum_ns += latency.as_nanos();
        self.min_us = self.min_us.min(us);
        self.max_us = self.max_us.max(us);
    }

    pub fn merge(&mut self, other: &Latency) {
        if other.is_empty() {
            return;
        }
        // Fails only where the target cannot grow, and it can.
        let _ = self.histogram.add(&other.histogram);
        self.sum_ns += other.sum_ns;
        self.min_us = self.min_us.min(other.min_us);
        self.max_us = self.max_us.max(other.max_us);
    }

    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub fn is_empty(&self) -> bool {
        self.histogram.is_empty()
    }

    /// Mean in microseconds, from the exact sum.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean needs no more than 53 bits"
    )]
    pub fn mean_us(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum_ns as f64 / 1e3 / self.count() as f64)
    }

    pub fn min_us(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_us)
    }

    pub fn max_us(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_us)
    }

    /// The latency that a share `quantile` (0..=1) of operations did not exceed.
    pub fn quantile_us(&self, quantile: f64) -> Option<u64> {
        (!self.is_empty()).then(|| self.held(self.histogram.value_at_quantile(quantile)))
    }

    /// The points of HdrHistogram's own percentile output, five to a halving.
    pub fn curve(&self) -> Vec<CurvePoint> {
        let mut count = 0;
        self.histogram
            .iter_quantiles(5)
            .map(|point| {
                count += point.count_since_last_iteration();
                CurvePoint {
                    percentile: point.quantile_iterated_to() * 100.0,
                    value_us: self.held(point.value_iterated_to()),
                    count,
                }
            })
            .collect()
    }

    pub fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// A bucket's upper end may lie beyond what was seen.
    fn held(&self, value: u64) -> u64 {
        value.clamp(self.min_us, self.max_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Latency {
        let mut latency = Latency::default();
        for &us in values {
            latency.record(Duration::from_micros(us));
        }
        latency
    }

    #[test]
    fn nothing_recorded_gives_no_figures() {
        let latency = Latency::default();
        assert_eq!(
            (
                latency.mean_us(),
                latency.min_us(),
                latency.quantile_us(0.5)
            ),
            (None, None, None)
        );
        assert_eq!(latency.curve().len(), 0);
    }

    #[test]
    fn three_quarters_of_an_hour_is_recorded() {
        let long = 45 * 60 * 1_000_000;
        let latency = of(&[5, long]);
        assert_eq!(latency.max_us(), Some(long));
        assert_eq!(latency.quantile_us(1.0), Some(long));
        assert_eq!(latency.min_us(), Some(5));
    }

    proptest! {
        #[test]
        fn percentiles_are_true_to_a_thousandth(mut values in prop::collection::vec(0_u64..10_000_000_000, 1..300)) {
            let latency = of(&values);
            values.sort_unstable();
            let mut last = 0;
            for quantile in [0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0] {
                let found = latency.quantile_us(quantile).unwrap();
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len());
                let exact = values[rank - 1];
                prop_assert!(found.abs_diff(exact) <= exact / 1000 + 1, "{found} for {exact}");
                prop_assert!(found >= last && found >= values[0] && found <= *values.last().unwrap());
                last = found;
            }
        }

        #[test]
        fn merging_is_the_same_as_recording_all(left in prop::collection::vec(0_u64..1_000_000_000, 0..50), right in prop::collection::vec(0_u64..1_000_000_000, 0..50)) {
            let mut merged = of(&left);
            merged.merge(&of(&right));
            let all = of(&[left, right].concat());
            prop_assert_eq!(merged.curve(), all.curve());
            prop_assert_eq!(merged.mean_us(), all.mean_us());
            prop_assert_eq!((merged.min_us(), merged.max_us()), (all.min_us(), all.max_us()));
        }
    }
}
