//! The latency curve and the histogram log: both are true to what was recorded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use tiermark::run::timeline::Stop;

use crate::rig::{PAIR, Ran, Rig, ms};

/// Transactions of 11 ms, and of 65 ms where one statement in ten is long.
async fn uneven() -> Ran {
    let rig = Rig {
        clients: 3,
        workers: 2,
        stop: Stop::After(ms(5000)),
        ..Rig::new(PAIR, "delay=3ms&commit=2ms&long=10:57ms")
    };
    rig.run().await
}

#[tokio::test(start_paused = true)]
async fn the_curve_rises_and_stays_within_what_was_seen() {
    let ran = uneven().await;
    let count = ran.summary.all.service.count();
    assert_eq!(ran.all("min_us max_us"), "11000 65000");
    for transaction in ["all", "pair"] {
        let rows = ran.cells(
            "percentiles.csv",
            "transaction measure percentile value_us count",
        );
        let rows: Vec<(f64, u64, u64)> = rows
            .iter()
            .filter_map(|row| row.strip_prefix(transaction)?.strip_prefix(" service "))
            .map(|row| {
                let cells: Vec<&str> = row.split(' ').collect();
                (
                    cells[0].parse().unwrap(),
                    cells[1].parse().unwrap(),
                    cells[2].parse().unwrap(),
                )
            })
            .collect();
        assert!(rows.len() > 10, "{rows:?}");
        for pair in rows.windows(2) {
            assert!(pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1 && pair[0].2 <= pair[1].2);
        }
        assert!(rows.iter().all(|row| (11_000..=65_000).contains(&row.1)));
        assert_eq!(rows[0].1, 11_007);
        assert_eq!(*rows.last().unwrap(), (100.0, 65_000, count));
    }
}

#[tokio::test(start_paused = true)]
async fn the_percentiles_are_those_of_the_sorted_latencies() {
    let ran = uneven().await;
    // Of a session's statements 10, 20, .. are long, three to a transaction: of
    // ten transactions the 4th, 7th and 10th are long, for 7 x 11 + 3 x 65 =
    // 272 ms a round. 18 rounds end at 4896 ms; then 11, 22 and 33 ms, the long
    // one at 4994 ms, and 5005 ms is drained: 184 done a client, 55 of them long.
    assert_eq!(ran.all("done drained"), "552 3");
    // 185 x 3 latencies, 165 of 65 ms: 70.27 % are of 11 ms,
    // whose bucket of 8 us ends at 11,007.
    assert_eq!(
        ran.all("p50_us p90_us p95_us p99_us"),
        "11007 65000 65000 65000"
    );
    // (130 x 11 + 55 x 65) / 185 ms.
    assert_eq!(ran.all("mean_us"), "27054");
    let service = &ran.summary.all.service;
    assert_eq!(service.quantile_us(390.0 / 555.0 - 1e-9), Some(11_007));
    assert_eq!(service.quantile_us(391.0 / 555.0), Some(65_000));
}

#[tokio::test(start_paused = true)]
async fn the_log_merges_to_the_same_histogram() {
    let ran = uneven().await;
    let text = std::fs::read(ran.path("latency.hlog")).unwrap();
    let mut merged = Histogram::<u64>::new(3).unwrap();
    merged.auto(true);
    let mut starts = Vec::new();
    let mut bases = 0;
    for entry in IntervalLogIterator::new(&text) {
        match entry.expect("the log is readable") {
            LogEntry::Interval(interval) => {
                assert_eq!(interval.tag().unwrap().as_str(), "pair");
                starts.push(interval.start_timestamp());
                let bytes = STANDARD.decode(interval.encoded_histogram()).unwrap();
                let histogram: Histogram<u64> = Deserializer::new()
                    .deserialize(&mut bytes.as_slice())
                    .unwrap();
                // Said in milliseconds, as the viewers expect.
                let max_ms = f64::from(u32::try_from(histogram.max()).unwrap()) / 1000.0;
                assert!(
                    (interval.max() - max_ms).abs() < 0.001,
                    "{}",
                    interval.max()
                );
                merged.add(&histogram).unwrap();
            }
            LogEntry::BaseTime(_) => bases += 1,
            LogEntry::StartTime(_) => {}
        }
    }
    // One line a second, the drained ones at the end, from one base.
    assert_eq!(starts, [0, 1000, 2000, 3000, 4000, 5000].map(ms));
    assert_eq!(bases, 1);
    let service = &ran.summary.all.service;
    assert_eq!(merged.len(), service.count());
    assert_eq!(merged.len(), 555);
    assert!(merged.equivalent(merged.max(), service.max_us().unwrap()));
    assert!(merged.equivalent(merged.min(), service.min_us().unwrap()));
    assert_eq!(merged, *service.histogram());
}
