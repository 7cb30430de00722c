//! An open loop on a paused clock: every transaction is due at a known instant
//! and takes a known time, so that each lag and each count is known.

use std::collections::BTreeSet;
use std::time::Duration;

use tiermark::run::pace::{Open, Pace};
use tiermark::run::timeline::Stop;
use tiermark::value::{Arrivals, Schedule};

use crate::logged::{Logged, Sent, take_log};
use crate::rig::{ONLY_THIN, Ran, Rig, SINGLE, ms};

fn constant(rate: f64) -> Open {
    Open {
        rate,
        arrivals: Arrivals::Constant,
        schedule: Schedule::Pool,
        late_limit: None,
    }
}

fn seconds(seconds: u64) -> Stop {
    Stop::After(Duration::from_secs(seconds))
}

/// `value_us` of `percentiles.csv`'s response curve, or another column of it.
fn response(ran: &Ran, column: &str) -> Vec<String> {
    let rows = ran.cells("percentiles.csv", &format!("transaction measure {column}"));
    rows.iter()
        .filter_map(|row| row.strip_prefix("all response "))
        .map(str::to_owned)
        .collect()
}

/// What a summary must always add up to.
fn assert_all_are_accounted_for(ran: &Ran) {
    let all = &ran.summary.all;
    let open = ran.summary.open.unwrap();
    let ended = all.done + all.rolled_back + all.failed + all.unfinished;
    assert_eq!(all.started, ended);
    assert_eq!(open.offered, ended + all.skipped_late + open.not_started);
    assert!(!ran.warnings().contains(&"miscounted"));
}

#[tokio::test(start_paused = true)]
async fn a_server_too_slow_by_a_factor_of_five() {
    // One client, a second each, five due a second. The k-th starts at k s, is
    // due at 0.2 k s and ends at k + 1 s: its response time is 1 + 0.8 k s.
    let rig = Rig {
        stop: seconds(30),
        pace: Pace::Open(constant(5.0)),
        ..Rig::new(SINGLE, "delay=1s")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    // 150 are due; k = 0 .. 29 start. The last ends at 30 s, within the grace.
    assert_eq!(
        ran.all("offered done drained failed rolled_back skipped_late unfinished not_started"),
        "150 30 1 0 0 0 0 120"
    );
    assert_eq!(
        ran.all("min_us mean_us p50_us p99_us max_us"),
        ["1000000"; 5].join(" ")
    );
    // The mean of 1 + 0.8 k for k = 0 .. 29; the largest is 24.2 s.
    assert_eq!(
        ran.all("response_mean_us response_max_us gen_lag_p99_us"),
        "12600000 24200000 0"
    );
    let response = &ran.summary.all.response;
    for k in 0..30_u32 {
        let quantile = (f64::from(k) + 0.5) / 30.0;
        let found = response.quantile_us(quantile).unwrap();
        let exact = u64::from(1_000_000 + 800_000 * k);
        assert!(found.abs_diff(exact) <= exact / 1000, "{found} for {exact}");
    }
    assert_eq!(ran.all("tps arrivals rate_offered"), "1 constant 5");
    assert!(ran.warnings().contains(&"saturated"));
    assert!(!ran.summary.is_good());
    assert_eq!(ran.took, ms(30_000));
    // Each second 5 are due and 1 starts: the backlog grows by 4.
    let backlog: Vec<String> = ran.seconds("second offered done backlog");
    assert_eq!(backlog[0], "0 5 0 4");
    assert_eq!(backlog[1], "1 5 1 8");
    assert_eq!(backlog[29], "29 5 1 120");
    let types = ran.cells("intervals.csv", "transaction offered backlog");
    assert!(types.contains(&"single - -".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn lags_grow_by_what_a_gap_is_too_short() {
    // Gap 0.1 s, service 2 s: sent at 0, 2, 4, 6 s, due at 0, 0.1, 0.2, 0.3 s.
    let rig = Rig {
        stop: Stop::Transactions(4),
        pace: Pace::Open(constant(10.0)),
        ..Rig::new(SINGLE, "delay=2s")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    let lag = &ran.summary.all.lag;
    let lags: Vec<u64> = [0.1, 0.4, 0.6, 0.9]
        .iter()
        .map(|&quantile| lag.quantile_us(quantile).unwrap() / 10_000)
        .collect();
    assert_eq!(lags, [0, 190, 380, 570]);
    assert_eq!(lag.mean_us(), Some(2_850_000.0));
    assert_eq!(ran.all("offered done measured_s"), "4 4 8");
}

#[tokio::test(start_paused = true)]
async fn a_frozen_server_is_seen_by_all_who_were_due() {
    // 100 due a second, 10 ms each, on enough clients; frozen from 2 s to 4 s.
    let frozen = |pace| Rig {
        clients: 16,
        workers: 2,
        stop: seconds(10),
        pace,
        ..Rig::new(SINGLE, "delay=10ms&stall=2s:2s")
    };
    let ran = frozen(Pace::Open(constant(100.0))).run().await;
    assert_all_are_accounted_for(&ran);
    assert_eq!(
        ran.all("offered done not_started min_us"),
        "1000 1000 0 10000"
    );
    // Half of all and more never noticed.
    assert!(ran.summary.all.response.quantile_us(0.5) <= Some(10_010));
    // Due at 1.99 s, caught at 2.00 s, the stall's first instant: back at 4 s.
    let worst: u64 = ran.all("response_max_us").parse().unwrap();
    assert!((1_990_000..2_020_000).contains(&worst), "{worst}");
    // A fifth of all were due in the stall, and waited a second on average.
    let mean: u64 = ran.all("response_mean_us").parse().unwrap();
    assert!((200_000..260_000).contains(&mean), "{mean}");
    let rows = ran.seconds("second offered done backlog response_p99_us");
    assert_eq!(rows[2], "2 100 0 85 -");
    assert_eq!(rows[3], "3 100 0 185 -");
    let closed = frozen(Pace::Closed { wait: 0.0 }).run().await;
    // The same stall in a closed loop: one sample a client, and it says so.
    assert!(closed.summary.all.service.quantile_us(0.99) <= Some(10_010));
    assert!(closed.warnings().contains(&"stall"));
    assert!(!ran.warnings().contains(&"stall"));
}

#[tokio::test(start_paused = true)]
async fn what_is_too_late_is_skipped_and_counted() {
    let rig = Rig {
        clients: 4,
        stop: seconds(10),
        pace: Pace::Open(Open {
            late_limit: Some(ms(10)),
            ..constant(100.0)
        }),
        ..Rig::new(SINGLE, "delay=10ms&stall=2s:2s")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    let all = &ran.summary.all;
    // Four are caught in the stall; those due until 10 ms before its end are
    // given up when it ends.
    assert!(
        (190..=198).contains(&all.skipped_late),
        "{}",
        all.skipped_late
    );
    assert_eq!(all.skipped_late + all.done, 1000);
    // The caught ones are not hidden.
    assert!(all.response.max_us().unwrap() >= 1_970_000);
    assert!(ran.warnings().contains(&"saturated"));
}

#[tokio::test(start_paused = true)]
async fn a_warm_up_keeps_its_backlog_to_itself() {
    // In the warm-up nothing returns for 2 s of its 3; the window starts clean.
    let rig = Rig {
        clients: 2,
        warmup: ms(3000),
        stop: seconds(5),
        pace: Pace::Open(constant(100.0)),
        ..Rig::new(SINGLE, "delay=10ms&stall=1s:2s")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    // Those of 0.99 s and 1.00 s were in flight in the stall, 199 waited.
    assert_eq!(ran.summary.open.unwrap().dropped, 199);
    assert_eq!(
        ran.all("offered done not_started p99_us response_p99_us"),
        "500 500 0 10000 10000"
    );
    let rows = ran.seconds("phase second offered done backlog");
    assert_eq!(
        rows[..5],
        [
            "warmup -3 100 99 0",
            "warmup -2 100 0 99",
            "warmup -1 100 0 199",
            "measure 0 100 99 0",
            "measure 1 100 100 0"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_pool_sends_the_same_work_in_the_same_order() {
    let of = |clients, schedule| Rig {
        clients,
        workers: 2,
        stop: seconds(20),
        pace: Pace::Open(Open {
            arrivals: Arrivals::Poisson,
            schedule,
            ..constant(10.0)
        }),
        ..Rig::new(SINGLE, "delay=1ms")
    };
    let mut sent = Vec::new();
    for (clients, schedule) in [
        (1, Schedule::Pool),
        (16, Schedule::Pool),
        (16, Schedule::PerClient),
    ] {
        let ran = of(clients, schedule).run_on::<Logged>().await;
        assert_all_are_accounted_for(&ran);
        sent.push(take_log());
    }
    let keys = |log: &[Sent]| -> Vec<i64> { log.iter().map(|sent| sent.key).collect() };
    let sessions =
        |log: &[Sent]| -> BTreeSet<i64> { log.iter().map(|sent| sent.session).collect() };
    assert!(sent[0].len() > 100);
    assert_eq!(keys(&sent[0]), keys(&sent[1]));
    assert_eq!(
        (sessions(&sent[0]).len(), sessions(&sent[1]).len()),
        (1, 16)
    );
    // Clients of their own have work of their own.
    assert_ne!(keys(&sent[0]), keys(&sent[2]));
}

#[tokio::test(start_paused = true)]
async fn exact_numbers_of_transactions_and_errors() {
    // Every fourth statement fails for good.
    for schedule in [Schedule::Pool, Schedule::PerClient] {
        let rig = Rig {
            clients: 3,
            workers: 2,
            stop: Stop::Transactions(100),
            error_limit: 1.0,
            pace: Pace::Open(Open {
                arrivals: Arrivals::Poisson,
                schedule,
                ..constant(50.0)
            }),
            ..Rig::new(SINGLE, "delay=10ms&fail=42P01:4")
        };
        let ran = rig.run().await;
        assert_all_are_accounted_for(&ran);
        let all = &ran.summary.all;
        assert_eq!(all.done + all.failed, 100);
        assert!((23..=25).contains(&all.failed), "{}", all.failed);
    }
}

#[tokio::test(start_paused = true)]
async fn what_hangs_at_the_end_is_counted_from_its_plan() {
    // The third never returns; it is cancelled at 2 s + 1 s of grace.
    let rig = Rig {
        stop: seconds(2),
        pace: Pace::Open(constant(10.0)),
        ..Rig::new(SINGLE, "delay=10ms&stall=200ms:1h")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    assert_eq!(
        ran.all("offered done unfinished not_started response_max_us"),
        "20 2 1 17 2800000"
    );
}

#[tokio::test(start_paused = true)]
async fn an_interruption_ends_the_plan_too() {
    let rig = Rig {
        clients: 4,
        stop: seconds(60),
        pace: Pace::Open(constant(0.5)),
        interrupt: Some(ms(4500)),
        ..Rig::new(SINGLE, "delay=10ms")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    // Due at 0, 2 and 4 s.
    assert_eq!(ran.all("offered done"), "3 3");
    assert_eq!(ran.took, ms(4500));
}

#[tokio::test(start_paused = true)]
async fn a_window_without_arrivals_says_so() {
    // A thousand seconds apart, the first of them far behind the window.
    let rig = Rig {
        stop: seconds(1),
        pace: Pace::Open(Open {
            arrivals: Arrivals::Poisson,
            ..constant(0.001)
        }),
        ..Rig::new(SINGLE, "delay=1ms")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    assert_eq!(ran.all("offered done not_started"), "0 0 0");
    assert_eq!(ran.warnings(), ["nothing_done"]);
    let why = &ran.summary.warnings[0].message;
    assert!(why.contains("give a higher rate"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn an_interruption_finds_work_in_flight_and_a_backlog() {
    for schedule in [Schedule::Pool, Schedule::PerClient] {
        for stop in [seconds(60), Stop::Transactions(10_000)] {
            let rig = Rig {
                clients: 5,
                workers: 2,
                warmup: ms(1000),
                stop,
                interrupt: Some(ms(4321)),
                pace: Pace::Open(Open {
                    arrivals: Arrivals::Poisson,
                    schedule,
                    ..constant(40.0)
                }),
                ..Rig::new(SINGLE, "delay=250ms")
            };
            let ran = rig.run().await;
            assert_all_are_accounted_for(&ran);
            let open = ran.summary.open.unwrap();
            // Half of what is due can be done.
            assert!(open.not_started > 30, "{open:?}");
            assert_eq!(ran.summary.all.drained, 5);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lost_connections_are_accounted_for() {
    let rig = Rig {
        clients: 4,
        workers: 2,
        warmup: ms(1000),
        stop: seconds(5),
        error_limit: 1.0,
        pace: Pace::Open(constant(100.0)),
        ..Rig::new(SINGLE, "delay=10ms&fail=57P01:20")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    let all = &ran.summary.all;
    assert!(all.disconnects > 10, "{}", all.disconnects);
    assert_eq!(all.failed, all.disconnects);
    // Errors of what was due in the warm-up are not the window's.
    let errors = ran.cells("errors.csv", "class count");
    let of_window: u64 = errors
        .iter()
        .filter_map(|row| row.strip_prefix("disconnected "))
        .map(|count| count.parse::<u64>().unwrap())
        .sum();
    assert_eq!(of_window, all.failed);
}

#[tokio::test(start_paused = true)]
async fn an_unhurried_server_is_not_saturated() {
    let rig = Rig {
        clients: 8,
        workers: 2,
        warmup: ms(1000),
        stop: seconds(10),
        sla: Some(ms(5)),
        pace: Pace::Open(constant(200.0)),
        ..Rig::new(SINGLE, "delay=5ms")
    };
    let ran = rig.run().await;
    assert_all_are_accounted_for(&ran);
    assert_eq!(ran.warnings(), ONLY_THIN);
    assert_eq!(
        ran.all("offered done response_p99_us sla_us within_sla_pct"),
        "2000 2000 5000 5000 100"
    );
    let curve = response(&ran, "value_us");
    assert!(!curve.is_empty() && curve.iter().all(|value| value == "5000"));
    assert_eq!(response(&ran, "count").last().unwrap(), "2000");
}

#[tokio::test(start_paused = true)]
async fn a_limit_on_latency_counts_a_closed_loop_too() {
    let rig = Rig {
        stop: Stop::Transactions(10),
        sla: Some(ms(10)),
        ..Rig::new(SINGLE, "delay=10ms&long=5:11ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done sla_us within_sla_pct"), "10 10000 80");
}
