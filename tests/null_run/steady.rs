//! A steady closed loop: every transaction takes the same time, so that each
//! cell of each file is known.

use tiermark::run::timeline::Stop;

use crate::rig::{ONLY_THIN, PAIR, Ran, Rig, ms};

/// Four clients, three statements and a commit of 5 ms each: a transaction
/// takes 20 ms, and one ends at 0.02 s, 0.04 s, .. on every client.
async fn four_clients(workers: usize) -> Ran {
    let rig = Rig {
        clients: 4,
        workers,
        warmup: ms(2000),
        stop: Stop::After(ms(3000)),
        ..Rig::new(PAIR, "delay=5ms&commit=5ms")
    };
    rig.run().await
}

#[tokio::test(start_paused = true)]
async fn the_summary_is_exact() {
    let ran = four_clients(2).await;
    // The window is [2 s, 5 s). Ends at 2.00, 2.02, .. 4.98 are in it: 150 a
    // client. The one that ends at 5.00 is drained.
    assert_eq!(
        ran.all("transaction clients workers warmup_s measured_s done drained tps"),
        "all 4 2 2 3 600 4 200"
    );
    // Those started at 2.00 .. 4.98 send five statements each: 750 a client.
    assert_eq!(ran.all("qps"), "1000");
    assert_eq!(
        ran.all("retries retries_per_tx failed in_doubt disconnects outage_s empty unfinished"),
        "0 0 0 0 0 0 0 0"
    );
    assert_eq!(
        ran.all("mean_us min_us p50_us p90_us p95_us p99_us p999_us p9999_us max_us"),
        ["20000"; 9].join(" ")
    );
    assert_eq!(
        ran.all("response_mean_us response_p50_us response_p95_us response_p99_us response_p999_us response_max_us"),
        ["20000"; 6].join(" ")
    );
    // 200 transactions in each second.
    assert_eq!(
        ran.all("tps_cv tps_rcv tps_min_over_median longest_stall_s"),
        "0 0 1 0"
    );
    // Closed loop, and nothing failed.
    assert_eq!(
        ran.all("arrivals rate_offered offered skipped_late not_started failed_mean_us failed_max_us gen_lag_p99_us sla_us"),
        ["-"; 9].join(" ")
    );
    let all = &ran.summary.all;
    assert_eq!((all.done, all.drained, all.sent), (600, 4, 3000));
    assert_eq!(all.service.count(), 604);
    assert_eq!(
        (all.service.min_us(), all.service.max_us()),
        (Some(20_000), Some(20_000))
    );
    assert_eq!(all.service.mean_us(), Some(20_000.0));
    // Four clients were busy for all of the three seconds.
    assert_eq!(all.busy, ms(12_000));
    assert_eq!(ran.warnings(), ONLY_THIN);
    assert!(ran.summary.is_good());
    assert_eq!(ran.took, ms(5000));
}

#[tokio::test(start_paused = true)]
async fn every_second_is_a_row() {
    let ran = four_clients(2).await;
    // In [0, 1) ends at 0.02 .. 0.98: 49 a client, but 50 were started there.
    // The drained ones end at 5.00, in an interval of no length.
    assert_eq!(
        ran.seconds("phase second length_s clients done tps qps mean_us p99_us max_us"),
        [
            "warmup -2 1 4 196 196 1000 20000 20000 20000",
            "warmup -1 1 4 200 200 1000 20000 20000 20000",
            "measure 0 1 4 200 200 1000 20000 20000 20000",
            "measure 1 1 4 200 200 1000 20000 20000 20000",
            "measure 2 1 4 200 200 1000 20000 20000 20000",
            "drain 3 0 4 0 - - 20000 20000 20000",
        ]
    );
    let types = ran.cells(
        "intervals.csv",
        "transaction second done clients client_cpu_pct",
    );
    let types: Vec<&String> = types.iter().filter(|row| row.starts_with("pair")).collect();
    assert_eq!(
        types,
        [
            "pair -2 196 - -",
            "pair -1 200 - -",
            "pair 0 200 - -",
            "pair 1 200 - -",
            "pair 2 200 - -",
            "pair 3 0 - -",
        ]
    );
    // The sink saw what the file holds.
    let done: Vec<u64> = ran
        .seen
        .intervals
        .iter()
        .map(|seen| seen.recorder.all().done)
        .collect();
    assert_eq!(done, [196, 200, 200, 200, 200, 0]);
    assert_eq!(ran.seen.connected, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    assert_eq!(ran.seen.finished, 1);
}

#[tokio::test(start_paused = true)]
async fn statements_are_counted_by_the_window_they_are_sent_in() {
    let ran = four_clients(2).await;
    // 600 transactions were started in the window; BEGIN takes no time.
    assert_eq!(
        ran.cells(
            "statements.csv",
            "transaction statement kind count rows errors mean_us p50_us p99_us max_us"
        ),
        [
            "pair read read 1200 1200 0 5000 5000 5000 5000",
            "pair write write 600 600 0 5000 5000 5000 5000",
            "pair begin other 600 0 0 0 0 0 0",
            "pair commit other 600 0 0 5000 5000 5000 5000",
        ]
    );
    assert_eq!(ran.cells("errors.csv", "code"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_number_of_workers_changes_nothing() {
    let with = [
        four_clients(1).await,
        four_clients(2).await,
        four_clients(4).await,
    ];
    for (file, besides) in [
        (
            "summary.csv",
            &["started_utc", "workers", "client_cpu_pct", "client_cpu_s"][..],
        ),
        ("intervals.csv", &["time_utc", "client_cpu_pct"]),
        ("statements.csv", &[]),
        ("percentiles.csv", &[]),
        ("errors.csv", &[]),
    ] {
        let header = csv::Reader::from_path(with[0].path(file))
            .unwrap()
            .headers()
            .unwrap()
            .clone();
        let columns: Vec<&str> = header
            .iter()
            .filter(|name| !besides.contains(name))
            .collect();
        let columns = columns.join(" ");
        let [one, two, four] = [0, 1, 2].map(|index| with[index].cells(file, &columns));
        assert_eq!(one, two, "{file}");
        assert_eq!(one, four, "{file}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_second_is_measured_by_its_length() {
    let rig = Rig {
        warmup: ms(500),
        stop: Stop::After(ms(1500)),
        ..Rig::new(PAIR, "delay=10ms&commit=10ms")
    };
    let ran = rig.run().await;
    // Ends at 0.04, 0.08, ..: 12 before 0.5 s; 0.52 .. 1.48 are 25; 1.52 .. 1.96
    // are 12, and 2.00 is drained.
    assert_eq!(
        ran.seconds("phase second length_s done tps"),
        [
            "warmup -0.5 0.5 12 24",
            "measure 0 1 25 25",
            "measure 1 0.5 12 24",
            "drain 1.5 0 0 -",
        ]
    );
    // 37 / 1.5 s = 24.667; the half second is no part of the steadiness.
    assert_eq!(ran.all("done drained tps tps_cv"), "37 1 24.6667 -");
}
