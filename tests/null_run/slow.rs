//! What takes long: a transaction of 45 minutes, and servers that stop.

use tiermark::run::timeline::Stop;

use crate::rig::{PAIR, Rig, SINGLE, ms};

#[tokio::test(start_paused = true)]
async fn three_quarters_of_an_hour_are_recorded() {
    let rig = Rig {
        stop: Stop::Transactions(3),
        ..Rig::new(SINGLE, "delay=1200ms&long=2:45m")
    };
    let ran = rig.run().await;
    // Ends at 1.2 s, 2701.2 s and 2702.4 s. The mean is 2702.4 s / 3; a
    // percentile is the upper end of its bucket, of 1.024 ms at 1.2 s: 1,199,104
    // to 1,200,127 us. The ends of the curve are exact.
    assert_eq!(
        ran.all("done measured_s mean_us min_us p50_us p99_us p9999_us max_us"),
        "3 2702.4 900800000 1200000 1200127 2700000000 2700000000 2700000000"
    );
    assert_eq!(ran.took, ms(2_702_400));
    let seconds = ran.seconds("second done max_us");
    assert_eq!(seconds.len(), 2703);
    let busy: Vec<&String> = seconds
        .iter()
        .filter(|row| !row.ends_with(" 0 -"))
        .collect();
    assert_eq!(busy, ["1 1 1200000", "2701 1 2700000000", "2702 1 1200000"]);
}

#[tokio::test(start_paused = true)]
async fn stalled_seconds_are_empty_rows() {
    let rig = Rig {
        clients: 2,
        workers: 2,
        stop: Stop::After(ms(5000)),
        ..Rig::new(SINGLE, "delay=100ms&stall=1s:2500ms")
    };
    let ran = rig.run().await;
    // Ends at 0.1 .. 0.9; what is due at 1.0 comes at 3.5; then 3.6 .. 4.9, and
    // 5.0 is drained.
    assert_eq!(
        ran.seconds("phase second length_s clients done tps mean_us p50_us p99_us max_us"),
        [
            "measure 0 1 2 18 18 100000 100000 100000 100000",
            "measure 1 1 2 0 0 - - - -",
            "measure 2 1 2 0 0 - - - -",
            // Five of each client: one of 2.6 s, four of 0.1 s. The bucket of
            // 0.1 s ends at 1563 x 64 - 1 us.
            "measure 3 1 2 10 10 600000 100031 2600000 2600000",
            "measure 4 1 2 20 20 100000 100000 100000 100000",
            "drain 5 0 2 0 - 100000 100000 100000 100000",
        ]
    );
    // Median 10 a second: two seconds are below half of it.
    assert_eq!(
        ran.all("done drained tps max_us tps_min_over_median longest_stall_s unfinished"),
        "48 2 9.6 2600000 0 2 0"
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_end_finds_stalled_is_cancelled_and_unfinished() {
    let rig = Rig {
        clients: 3,
        workers: 2,
        stop: Stop::After(ms(3000)),
        ..Rig::new(SINGLE, "delay=100ms&stall=1s:1h")
    };
    let ran = rig.run().await;
    // Nine of each client end before 1 s. The tenth began at 0.9 s and is
    // cancelled when the grace is over, at 4 s.
    assert_eq!(
        ran.all("done drained unfinished failed retries tps mean_us max_us response_max_us"),
        "27 0 3 0 0 9 100000 3100000 3100000"
    );
    assert_eq!(
        ran.seconds("phase second length_s done p99_us max_us"),
        [
            "measure 0 1 27 100000 100000",
            "measure 1 1 0 - -",
            "measure 2 1 0 - -",
            "drain 3 1 0 - -",
            "drain 4 0 0 - -",
        ]
    );
    assert_eq!(ran.took, ms(4000));
    assert_eq!(ran.warnings(), ["unfinished", "thin_p99", "thin_p999"]);
    assert!(!ran.summary.is_good());
    assert_eq!(ran.cells("errors.csv", "code"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_does_not_roll_back_is_ended() {
    let rig = Rig {
        clients: 2,
        workers: 1,
        stop: Stop::After(ms(3000)),
        ..Rig::new(PAIR, "delay=100ms&commit=100ms&stall=1s:1h")
    };
    let ran = rig.run().await;
    // Ends at 0.4 and 0.8. In the third the second statement hangs; cancelled at
    // 4 s, its ROLLBACK hangs too, and the connection is ended at 5 s.
    assert_eq!(
        ran.all("done unfinished failed disconnects max_us"),
        "4 2 0 0 4200000"
    );
    assert_eq!(ran.took, ms(5000), "window + grace + 1 s");
    assert_eq!(ran.warnings(), ["unfinished", "thin_p99", "thin_p999"]);
}
