//! Errors: what is retried, what fails, what loses the connection; and the time
//! that each of them takes.

use tiermark::run::timeline::Stop;

use crate::rig::{ONLY_THIN, PAIR, Rig, SINGLE, ms};

/// It commits by itself.
const LONE_WRITE: &str = r#"
[[transaction]]
name = "lone"
steps = [{ run = ["write"] }]
"#;

#[tokio::test(start_paused = true)]
async fn a_retry_is_part_of_its_transaction() {
    let ran = Rig::new(PAIR, "delay=5ms&commit=5ms&fail=40P01:4")
        .run()
        .await;
    // The first transaction takes 3 statements and 20 ms. Each later one fails
    // at its first statement (the 4th, 8th, .. of the session): 5 ms, ROLLBACK,
    // 1 ms of patience, and 20 ms. Ends at 20 + 26 j ms: j = 0 .. 37 below 1 s.
    assert_eq!(
        ran.all("done drained retries failed measured_s tps"),
        "38 1 38 0 1 38"
    );
    // 20 ms once and 26 ms 38 times: 1008 / 39 ms.
    assert_eq!(
        ran.all("mean_us min_us p50_us p99_us max_us"),
        "25846 20000 26000 26000 26000"
    );
    assert_eq!(ran.all("retries_per_tx"), "1");
    // The 39th began at 982 ms: at 987 ms its first attempt failed, and its
    // COMMIT went out at 1003 ms, after the window. Reads: 2 + 37 x 3 + 3.
    assert_eq!(
        ran.cells("statements.csv", "statement count rows errors"),
        [
            "read 116 78 38",
            "write 39 39 0",
            "begin 77 0 0",
            "commit 38 0 0",
            "rollback 38 0 0",
        ]
    );
    assert_eq!(ran.all("qps"), "308");
    assert_eq!(
        ran.cells(
            "errors.csv",
            "transaction statement code class count seconds_lost"
        ),
        ["pair read 40P01 retried 38 -"]
    );
    assert_eq!(ran.warnings(), ONLY_THIN);
}

#[tokio::test(start_paused = true)]
async fn patience_doubles_up_to_a_tenth_of_a_second() {
    let ran = Rig::new(SINGLE, "delay=5ms&fail=40P01:1").run().await;
    // Attempts begin at 0, 6, 13, 22, 35, 56, 93, 162 ms (after 1, 2, 4, .. 64 ms
    // of patience) and at 267, 372, .. 897 ms (after 100 ms each): 15 attempts.
    // The next would begin at 1002 ms, when the window is over.
    assert_eq!(
        ran.all("done retries failed unfinished tps mean_us max_us"),
        "0 14 0 1 0 - 1002000"
    );
    assert_eq!(
        ran.cells("statements.csv", "statement count rows errors"),
        ["read 15 0 15"]
    );
    assert_eq!(ran.took, ms(1002));
    assert!(!ran.summary.is_good());
}

#[tokio::test(start_paused = true)]
async fn other_errors_fail_their_transaction() {
    let rig = |error_limit| Rig {
        stop: Stop::After(ms(1020)),
        error_limit,
        ..Rig::new(SINGLE, "delay=10ms&long=3:30ms&fail=XX000:3")
    };
    let ran = rig(0.01).run().await;
    // 10 ms, 10 ms, and 30 ms that fail: 50 ms a round. 20 rounds end at 1000 ms;
    // one more at 1010 ms, and the one at 1020 ms is drained.
    assert_eq!(ran.all("done failed drained retries"), "41 20 1 0");
    assert_eq!(ran.all("tps"), "40.1961");
    assert_eq!(
        ran.all("mean_us max_us failed_mean_us failed_max_us"),
        "10000 10000 30000 30000"
    );
    assert_eq!(
        ran.seconds("second length_s done failed max_us"),
        ["0 1 40 19 10000", "1 0.02 1 1 10000", "1.02 0 0 0 10000"]
    );
    assert_eq!(
        ran.cells("errors.csv", "statement code class count message"),
        ["read XX000 failed 20 the null target was told to fail"]
    );
    // 20 of 61 failed.
    assert_eq!(ran.warnings(), ["error_limit", "thin_p99", "thin_p999"]);
    assert!(ran.summary.warnings[0].message.starts_with("32.79 %"));
    assert!(!ran.summary.is_good());

    let tolerant = rig(0.33).run().await;
    assert_eq!(tolerant.warnings(), ONLY_THIN);
    assert!(tolerant.summary.is_good());
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_opened_again() {
    let rig = Rig {
        clients: 2,
        workers: 2,
        stop: Stop::After(ms(1050)),
        ..Rig::new(SINGLE, "delay=10ms&fail=08006:10")
    };
    let ran = rig.run().await;
    // Each session loses its tenth transaction, at 100, 200, .. 1000 ms; a null
    // session opens at once. Of the 104 that end before 1050 ms 10 are lost.
    assert_eq!(
        ran.all("done failed disconnects in_doubt retries drained outage_s"),
        "188 20 20 0 0 2 0"
    );
    assert_eq!(
        ran.seconds("second clients done failed"),
        ["0 0 180 18", "1 0 8 2", "1.05 2 0 0"]
    );
    let errors = ran.cells("errors.csv", "statement code class count seconds_lost");
    let (outages, lost): (Vec<&String>, Vec<&String>) =
        errors.iter().partition(|row| row.contains("outage"));
    assert_eq!(lost, ["read 08006 disconnected 20 -"]);
    // Both lose theirs at the same instant, which is one outage.
    assert_eq!(outages, vec!["read 08006 outage 2 0"; 10]);
    assert_eq!(ran.warnings(), ["error_limit", "thin_p99", "thin_p999"]);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_commits_by_itself_may_be_in_doubt() {
    let rig = Rig {
        stop: Stop::After(ms(1050)),
        ..Rig::new(LONE_WRITE, "delay=10ms&fail=08006:10")
    };
    let ran = rig.run().await;
    assert_eq!(
        ran.all("done failed disconnects in_doubt drained"),
        "94 10 10 10 1"
    );
    let errors = ran.cells("errors.csv", "statement code class count");
    assert!(
        errors.contains(&"write 08006 in_doubt 10".to_owned()),
        "{errors:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn statements_without_rows_are_counted() {
    let ran = Rig::new(PAIR, "delay=5ms&commit=5ms&rows=0").run().await;
    // 49 transactions and one drained; three statements of each find nothing.
    assert_eq!(ran.all("done drained empty"), "49 1 150");
    assert_eq!(ran.warnings(), ["empty", "thin_p99", "thin_p999"]);
    assert!(ran.summary.is_good(), "a warning only");
}
