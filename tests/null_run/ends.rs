//! Ends other than the clock: a number of transactions, and an interruption.

use tiermark::run::timeline::Stop;

use crate::rig::{ONLY_THIN, PAIR, Rig, SINGLE, ms};

#[tokio::test(start_paused = true)]
async fn transactions_are_dealt_evenly_and_exactly() {
    for workers in [1, 2, 3] {
        let rig = Rig {
            clients: 3,
            workers,
            stop: Stop::Transactions(10),
            ..Rig::new(SINGLE, "delay=900ms")
        };
        let ran = rig.run().await;
        // 4, 3 and 3: three end at 0.9, 1.8 and 2.7 s, one at 3.6 s.
        assert_eq!(
            ran.seconds("phase second length_s done"),
            [
                "measure 0 1 3",
                "measure 1 1 3",
                "measure 2 1 3",
                "measure 3 0.6 1",
            ],
            "{workers} workers"
        );
        assert_eq!(
            ran.all("done drained unfinished measured_s tps warmup_s"),
            "10 0 0 3.6 2.7778 0"
        );
        assert_eq!(ran.cells("statements.csv", "statement count"), ["read 10"]);
        assert_eq!(ran.took, ms(3600));
        // That two clients had nothing to do at the end is no fault.
        assert_eq!(ran.warnings(), ONLY_THIN, "{workers} workers");
    }
}

#[tokio::test(start_paused = true)]
async fn fewer_transactions_than_clients() {
    let rig = Rig {
        clients: 3,
        workers: 3,
        stop: Stop::Transactions(2),
        ..Rig::new(SINGLE, "delay=900ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done measured_s"), "2 0.9");
    assert_eq!(ran.took, ms(900));
}

#[tokio::test(start_paused = true)]
async fn a_warm_up_takes_nothing_from_the_transactions() {
    let rig = Rig {
        clients: 2,
        workers: 2,
        warmup: ms(1000),
        stop: Stop::Transactions(10),
        ..Rig::new(SINGLE, "delay=300ms")
    };
    let ran = rig.run().await;
    // Warm-up: ends at 0.3, 0.6, 0.9; the one that ends at 1.2 s was begun in it
    // and is done in the window. Then five of each: 1.5 .. 2.7 s.
    assert_eq!(
        ran.seconds("phase second length_s done"),
        ["warmup -1 1 6", "measure 0 1 6", "measure 1 0.7 6"]
    );
    assert_eq!(ran.all("measured_s"), "1.7");
    assert_eq!(ran.cells("statements.csv", "statement count"), ["read 10"]);
}

#[tokio::test(start_paused = true)]
async fn an_interruption_ends_the_window() {
    let rig = Rig {
        clients: 2,
        workers: 2,
        stop: Stop::After(ms(60_000)),
        interrupt: Some(ms(1500)),
        ..Rig::new(PAIR, "delay=10ms&commit=10ms")
    };
    let ran = rig.run().await;
    // Ends at 0.04 .. 1.48 s: 37 a client. 1.52 s is in the grace.
    assert_eq!(
        ran.all("done drained unfinished measured_s tps"),
        "74 2 0 1.5 49.3333"
    );
    assert_eq!(
        ran.seconds("phase second length_s done"),
        ["measure 0 1 48", "measure 1 0.5 26", "drain 1.5 0.02 0"]
    );
    assert_eq!(ran.took, ms(1520));
    assert_eq!(ran.warnings(), ["interrupted", "thin_p99", "thin_p999"]);
    assert!(!ran.summary.is_good());
    assert_eq!(ran.all("warnings"), "interrupted thin_p99 thin_p999");
}

#[tokio::test(start_paused = true)]
async fn an_interruption_in_the_warm_up_measures_nothing() {
    let rig = Rig {
        warmup: ms(2000),
        stop: Stop::After(ms(3000)),
        interrupt: Some(ms(1500)),
        ..Rig::new(PAIR, "delay=10ms&commit=10ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done measured_s tps"), "0 0 -");
    assert_eq!(
        ran.seconds("phase second length_s done"),
        ["warmup -2 1 24", "warmup -1 0.5 13", "drain -0.5 0.02 0"]
    );
    assert!(ran.warnings().contains(&"interrupted"));
}
