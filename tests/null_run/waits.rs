//! Keying and think times: clients that wait as people at terminals do, each
//! instant known from the draws.

use std::time::Duration;

use tiermark::random::rng::Purpose;
use tiermark::run::pace::Pace;
use tiermark::run::timeline::Stop;
use tiermark::transaction::drawn::{Drawn, Place};
use tiermark::workload::plan::Plan;

use crate::rig::{ONLY_THIN, Rig, ms, plan};

/// Of two kinds, so that what is keyed in depends on what is drawn.
const TYPED: &str = r#"
[[transaction]]
name = "order"
weight = 2
keying = "30ms"
think = "20ms"
steps = [{ run = ["read"] }]
[[transaction]]
name = "look"
keying = "10ms"
think = "50ms"
steps = [{ run = ["read"] }]
"#;

/// Nobody comes back from this within a test.
const THINKER: &str = r#"
[[transaction]]
name = "thinker"
think = "10h"
steps = [{ run = ["read"] }]
"#;

const DELAY: Duration = Duration::from_millis(10);

/// A paused timer works in whole milliseconds.
fn whole_ms(time: Duration) -> Duration {
    ms(u64::try_from(time.as_micros().div_ceil(1000)).unwrap())
}

/// When each transaction of a client ends, by type.
fn ends(plan: &Plan, client: u64, wait: f64, warmup: Duration, end: Duration) -> Vec<Duration> {
    let mut drawn = Drawn::new(plan, 1, client, 1);
    let (mut now, mut warm, mut run) = (Duration::ZERO, 0, 0);
    let mut ends = Vec::new();
    loop {
        now = whole_ms(now + drawn.think.mul_f64(wait));
        let (phase, k) = if now < warmup {
            (Purpose::Warmup, &mut warm)
        } else {
            (Purpose::Run, &mut run)
        };
        let picked = drawn.draw(plan, phase, Place::of_client(client, *k));
        *k += 1;
        now = whole_ms(now + plan.transactions[picked].keying.mul_f64(wait));
        if now >= end {
            return ends;
        }
        now += DELAY;
        ends.push(now);
    }
}

#[tokio::test(start_paused = true)]
async fn every_wait_is_as_drawn() {
    for (wait, workers) in [(1.0, 1), (1.0, 2), (0.25, 2), (3.5, 1)] {
        let (warmup, window) = (ms(1500), ms(3000));
        let end = warmup + window;
        let rig = Rig {
            clients: 3,
            workers,
            warmup,
            stop: Stop::After(window),
            pace: Pace::Closed { wait },
            ..Rig::new(TYPED, "delay=10ms")
        };
        let ran = rig.run().await;
        let plan = plan(ran.results.path().join("w.toml").to_str().unwrap(), &[]);
        let all: Vec<Duration> = (0..3)
            .flat_map(|client| ends(&plan, client, wait, warmup, end))
            .collect();
        let within = |from: Duration, to: Duration| {
            let ended = all.iter().filter(|at| (from..to).contains(at));
            u64::try_from(ended.count()).unwrap()
        };
        let done = within(warmup, end);
        assert!(done > 30, "{done}");
        let summary = &ran.summary.all;
        assert_eq!(
            (summary.done, summary.drained),
            (done, within(end, end * 2)),
            "{wait}"
        );
        let seconds: Vec<u64> = [500, 1500, 2500, 3500]
            .map(|from: u64| within(ms(from), ms(from + 1000)))
            .to_vec();
        let found: Vec<u64> = ran
            .seen
            .intervals
            .iter()
            .map(|of| of.recorder.all().done)
            .collect();
        assert_eq!(found[1..5], seconds, "{wait}");
        // Nothing of it is in a latency, and all of it is accounted for.
        assert_eq!(summary.service.max_us(), Some(10_000));
        assert_eq!(summary.busy + ran.summary.recorder.waited, 3 * window);
        assert_eq!(ran.warnings(), ONLY_THIN);
        assert!(ran.took <= end + DELAY, "{:?}", ran.took);
    }
}

#[tokio::test(start_paused = true)]
async fn a_factor_of_nothing_waits_for_nothing() {
    let ran = Rig::new(TYPED, "delay=10ms").run().await;
    assert_eq!(ran.all("done drained"), "99 1");
    assert_eq!(ran.summary.recorder.waited, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn who_thinks_at_the_end_is_no_fault() {
    let rig = Rig {
        clients: 5,
        workers: 2,
        stop: Stop::After(ms(3000)),
        pace: Pace::Closed { wait: 1.0 },
        ..Rig::new(THINKER, "delay=10ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done drained unfinished tps"), "5 0 0 1.6667");
    assert_eq!(ran.took, ms(3000));
    assert_eq!(ran.summary.recorder.waited, 5 * ms(2990));
    assert_eq!(ran.warnings(), ONLY_THIN);
}

#[tokio::test(start_paused = true)]
async fn an_interruption_wakes_the_thinkers() {
    let rig = Rig {
        clients: 2,
        workers: 2,
        stop: Stop::After(ms(60_000)),
        interrupt: Some(ms(1500)),
        pace: Pace::Closed { wait: 1.0 },
        ..Rig::new(THINKER, "delay=10ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done measured_s"), "2 1.5");
    assert_eq!(ran.took, ms(1500));
    assert_eq!(ran.warnings(), ["interrupted", "thin_p99", "thin_p999"]);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_after_the_last_transaction() {
    let rig = Rig {
        clients: 3,
        stop: Stop::Transactions(3),
        pace: Pace::Closed { wait: 1.0 },
        ..Rig::new(THINKER, "delay=10ms")
    };
    let ran = rig.run().await;
    assert_eq!(ran.all("done measured_s"), "3 0.01");
    assert_eq!(ran.took, DELAY);
}
