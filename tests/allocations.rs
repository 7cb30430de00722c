//! The hot path allocates nothing per transaction or statement: a run on the
//! null engine of twice as many transactions allocates as often.

use std::sync::Arc;
use std::time::Duration;

use tiermark::db::null::NullSession;
use tiermark::db::session::{Session, Target};
use tiermark::run::execute::{RunConfig, Threads, run};
use tiermark::run::pace::{Open, Pace};
use tiermark::run::timeline::Stop;
use tiermark::stats::summary::{RunInfo, Summary};
use tiermark::value::{Arrivals, Engine, Schedule};
use tiermark::workload::compile::compile;
use tiermark::workload::plan::Plan;
use tiermark::workload::settings::Settings;
use tiermark::workload::source::Source;

async fn transactions(plan: Arc<Plan>, pace: Pace, count: u64) -> Summary {
    let target = Target::parse("null:").unwrap();
    let config = RunConfig {
        targets: vec![target.clone()].into(),
        clients: 2,
        workers: 1,
        seed: 1,
        warmup: Duration::ZERO,
        stop: Stop::Transactions(count),
        grace: Duration::from_secs(1),
        pace,
        sla: None,
        error_limit: 0.01,
        warnings: Vec::new(),
    };
    let info = RunInfo {
        clients: config.clients,
        workers: 1,
        cores: 1,
        transactions: vec![plan.transactions[0].name.clone()],
        ..RunInfo::default()
    };
    let control = NullSession::open(&target, &[]).await.unwrap();
    let ran = run(
        &config,
        plan,
        info,
        vec![control],
        Threads::Callers,
        &mut [],
        std::future::pending(),
    );
    ran.await.unwrap()
}

/// Allocations of a whole run in this thread, where all of it happens.
fn allocations(plan: &Arc<Plan>, pace: Pace, count: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let mut done = 0;
    let counted = allocation_counter::measure(|| {
        let summary = runtime.block_on(transactions(plan.clone(), pace, count));
        done = summary.all.done;
    });
    assert_eq!(done, count);
    counted.count_total
}

#[test]
fn more_transactions_allocate_no_more() {
    let open = Open {
        rate: 10_000.0,
        arrivals: Arrivals::Constant,
        schedule: Schedule::Pool,
        late_limit: None,
    };
    let closed = Pace::Closed { wait: 0.0 };
    for (workload, pace) in [
        ("oltp_read_write", closed),
        ("oltp_insert", closed),
        ("oltp_read_write", Pace::Open(open)),
    ] {
        let source = Source::open(workload, None).unwrap();
        let plan = compile(&source, &Settings::default(), Engine::Null).unwrap();
        let plan = Arc::new(plan);
        // What is made once and kept.
        allocations(&plan, pace, 100);
        let (some, twice) = (
            allocations(&plan, pace, 1_000),
            allocations(&plan, pace, 2_000),
        );
        assert!(some > 0);
        // One statement of the thousand transactions more would be a thousand.
        assert!(twice < some + 50, "{workload}: {some} and {twice}");
    }
}
