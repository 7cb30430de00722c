//! Steadiness of a run, from its transactions per second, one value a second.

/// How even the seconds of a window were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// Standard deviation (n - 1) over mean.
    pub cv: Option<f64>,
    /// 1.4826 x median absolute deviation over median: blind to a few stalls.
    pub robust_cv: Option<f64>,
    pub min_over_median: Option<f64>,
    /// Longest run of seconds below half the median, or, where the median is
    /// 0, of seconds without work.
    pub longest_stall_s: u64,
}

/// Judges a series of at least two seconds.
pub fn steadiness(tps: &[f64]) -> Option<Steadiness> {
    if tps.len() < 2 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    let n = tps.len() as f64;
    let mean = tps.iter().sum::<f64>() / n;
    let middle = median(tps);
    let variance = tps.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let deviations: Vec<f64> = tps.iter().map(|y| (y - middle).abs()).collect();
    let lowest = tps.iter().copied().fold(f64::INFINITY, f64::min);
    let over = |value: f64, by: f64| (by > 0.0).then(|| value / by);
    Some(Steadiness {
        cv: over(variance.sqrt(), mean),
        robust_cv: over(1.4826 * median(&deviations), middle),
        min_over_median: over(lowest, middle),
        longest_stall_s: longest_run(tps, |y| {
            if middle > 0.0 {
                y < 0.5 * middle
            } else {
                y <= 0.0
            }
        }),
    })
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[half - 1], sorted[half])
    } else {
        sorted[half]
    }
}

fn longest_run(values: &[f64], holds: impl Fn(f64) -> bool) -> u64 {
    let mut longest = 0;
    let mut run = 0;
    for &value in values {
        run = if holds(value) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_series_with_a_stall() {
        let found = steadiness(&[100.0, 110.0, 0.0, 0.0, 90.0, 100.0, 100.0]).unwrap();
        // Mean 500/7, squared deviations add up to 14,485.71.. by hand.
        let mean = 500.0 / 7.0;
        let squares: f64 = [100.0, 110.0, 0.0, 0.0, 90.0, 100.0, 100.0_f64]
            .iter()
            .map(|y| (y - mean).powi(2))
            .sum();
        assert!((found.cv.unwrap() - (squares / 6.0).sqrt() / mean).abs() < 1e-12);
        // Deviations from 100: 0, 0, 0, 10, 10, 100, 100.
        assert!((found.robust_cv.unwrap() - 0.14826).abs() < 1e-12);
        assert_eq!(found.min_over_median, Some(0.0));
        assert_eq!(found.longest_stall_s, 2);
    }

    #[test]
    fn a_dead_run_is_one_long_stall() {
        let found = steadiness(&[0.0, 0.0, 0.0]).unwrap();
        assert_eq!((found.cv, found.longest_stall_s), (None, 3));
        assert_eq!(steadiness(&[5.0]), None);
    }
}
