//! The audit of a TPC-C run: counts equal those of the draws themselves, and what
//! is out of bounds is said to be.

use tiermark::random::rng::Purpose;
use tiermark::run::timeline::Stop;
use tiermark::stats::audit::{AuditRow, audit, orders as orders_of};
use tiermark::stats::summary::{RunInfo, Summary};
use tiermark::stats::tally::Count;
use tiermark::transaction::drawn::{Drawn, Place};
use tiermark::transaction::tpcc::inputs::{Customer, Work};

use crate::rig::{Ran, Rig, plan};

/// The null engine answers one row to everything: no item is missing, and an order
/// has too few lines to be delivered or shown.
const SETS: &[&str] = &[
    "warehouses=7",
    "table_sets=3",
    "choose=partitioned",
    "order_statuses=0",
    "deliveries=0",
];
const CLIENTS: u64 = 4;
const EACH: u64 = 500;

async fn ran(sets: &'static [&'static str], clients: u64, workers: usize) -> Ran {
    let rig = Rig {
        shipped: Some(("tpcc", sets)),
        clients,
        workers,
        stop: Stop::Transactions(clients * EACH),
        ..Rig::new("", "")
    };
    rig.run().await
}

#[tokio::test(start_paused = true)]
async fn counts_are_those_of_the_draws() {
    let plan = plan("tpcc", SETS);
    let mut warehouses = Vec::new();
    let (mut lines, mut remote_lines, mut orders, mut with_remote) = (0, 0, 0, 0);
    let (mut remote_payments, mut by_name) = (0, 0);
    for client in 0..CLIENTS {
        let mut drawn = Drawn::new(&plan, 1, client, CLIENTS);
        for k in 0..EACH {
            drawn.draw(&plan, Purpose::Run, Place::of_client(client, k));
            let inputs = &drawn.tpcc;
            warehouses.push((inputs.set, inputs.w));
            match &inputs.work {
                Work::NewOrder(order) => {
                    let remote = order.lines().iter().filter(|line| line.supply != inputs.w);
                    let remote = remote.count() as u64;
                    orders += 1;
                    lines += order.lines().len() as u64;
                    remote_lines += remote;
                    with_remote += u64::from(remote > 0);
                }
                Work::Payment(payment) => {
                    remote_payments += u64::from(payment.cw != inputs.w);
                    by_name += u64::from(matches!(payment.customer, Customer::LastName(_)));
                }
                _ => {}
            }
        }
    }
    warehouses.sort_unstable();
    warehouses.dedup();
    assert!(remote_lines > 20 && remote_payments > 50, "{remote_lines}");

    for workers in [1, 3] {
        let ran = ran(SETS, CLIENTS, workers).await;
        let tallies = &ran.summary.recorder.tallies;
        for (what, wanted) in [
            (Count::Lines, lines),
            (Count::RemoteLines, remote_lines),
            (Count::OrdersWithRemoteLine, with_remote),
            (Count::RemotePayments, remote_payments),
            (Count::PaymentsByName, by_name),
            (Count::StatusesByName, 0),
            (Count::Districts, 0),
            (Count::SkippedDistricts, 0),
        ] {
            assert_eq!(tallies.count(what), wanted, "{what:?}");
        }
        assert_eq!(tallies.warehouses(), warehouses.len() as u64);
        let rows = ran.cells("audit.csv", "item value");
        let wanted = format!("home_warehouses {}", warehouses.len());
        assert!(rows.contains(&wanted), "{rows:?}");
        assert_eq!(ran.summary.orders_taken, None, "there is no server");
        let completed: u64 = ran.summary.recorder.transactions[0].done;
        assert_eq!(completed, orders);
        // 60 times the orders a second, which take no time here.
        assert_eq!(ran.all("new_orders_per_min"), "-");
    }
}

fn row(summary: &Summary, item: &str) -> AuditRow {
    let rows = audit(summary);
    *rows.iter().find(|row| row.item == item).unwrap()
}

#[tokio::test(start_paused = true)]
async fn shares_are_judged_by_the_specification_or_by_chance() {
    let ran = ran(SETS, CLIENTS, 1).await;
    // Decks of 92 cards, 43 of them payments; no deliveries.
    let mut summary = ran.summary;
    assert!(row(&summary, "mix_payment_pct").passes.unwrap());
    assert_eq!(row(&summary, "mix_delivery_pct").passes, Some(false));
    assert_eq!(row(&summary, "skipped_deliveries_pct").value, None);
    assert_eq!(row(&summary, "skipped_deliveries_pct").passes, None);
    assert!(
        summary
            .warnings
            .iter()
            .any(|warning| warning.code == "audit")
    );
    assert!(
        !summary
            .warnings
            .iter()
            .any(|warning| warning.code == "audit" && warning.fatal),
        "the mix is the user's"
    );
    // 100 orders may have 10 +- 4 * 0.316 lines; of 10,000 no less than 9.5.
    for (orders, lower) in [(100, 10.0 - 4.0 * 0.1_f64.sqrt()), (10_000, 9.5)] {
        summary.recorder.transactions[0].done = orders;
        let found = row(&summary, "lines_per_order").lower.unwrap();
        assert!((found - lower).abs() < 1e-9, "{found}");
    }
    let by_name = row(&summary, "payments_by_name_pct");
    // Some 930 payments: 4 * sqrt(0.6 * 0.4 / 930) = 6.4 %, more than the 3 % of the
    // specification.
    let payments = u32::try_from(summary.recorder.transactions[1].done).unwrap();
    let slack = 400.0 * (0.24 / f64::from(payments)).sqrt();
    assert!((by_name.upper.unwrap() - (60.0 + slack)).abs() < 1e-9);
    summary.recorder.transactions[1].done *= 1_000;
    let by_name = row(&summary, "payments_by_name_pct");
    assert!((by_name.lower.unwrap() - 57.0).abs() < 1e-9);
    assert!((by_name.upper.unwrap() - 63.0).abs() < 1e-9);
    assert_eq!(by_name.passes, Some(false));
}

#[tokio::test(start_paused = true)]
async fn the_server_may_have_what_is_in_doubt_and_no_more() {
    let mut summary = ran(SETS, CLIENTS, 1).await.summary;
    let orders = &mut summary.recorder.transactions[0];
    assert_eq!(orders.ever_committed, orders.done);
    orders.ever_unsure = 2;
    let committed = i64::try_from(orders.done).unwrap();
    for (taken, agrees) in [(-1, false), (0, true), (2, true), (3, false)] {
        summary.orders_taken = Some(committed + taken);
        assert_eq!(orders_of(&summary).unwrap().agree(), agrees, "{taken}");
        assert_eq!(row(&summary, "orders_taken").passes, Some(agrees));
    }
}

#[tokio::test(start_paused = true)]
async fn one_warehouse_has_nothing_remote_to_judge() {
    let ran = ran(&["warehouses=1", "deliveries=0", "order_statuses=0"], 1, 1).await;
    let remote = row(&ran.summary, "remote_payments_pct");
    assert_eq!((remote.value, remote.passes), (Some(0.0), None));
    assert_eq!(row(&ran.summary, "home_warehouses").upper, Some(1.0));
}

#[tokio::test(start_paused = true)]
async fn only_tpcc_is_audited() {
    let ran = Rig::new(crate::rig::SINGLE, "delay=1ms").run().await;
    assert!(audit(&ran.summary).is_empty());
    assert!(!ran.path("audit.csv").exists());
    assert_eq!(ran.all("new_orders_per_min"), "-");
    assert_eq!(ran.summary.info.audited, RunInfo::default().audited);
}

#[tokio::test(start_paused = true)]
async fn new_orders_are_counted_by_the_minute() {
    // BEGIN takes no time; the other statements a millisecond each.
    let rig = Rig {
        shipped: Some(("tpcc", SETS)),
        stop: Stop::After(std::time::Duration::from_secs(20)),
        ..Rig::new("", "delay=1ms")
    };
    let ran = rig.run().await;
    let orders: u64 = ran.summary.recorder.transactions[0].done;
    assert!(orders > 100, "{orders}");
    let rows = ran.cells("summary.csv", "transaction new_orders_per_min");
    let rate = 3 * orders;
    assert_eq!(rows[0], format!("new_order {rate}"));
    assert_eq!(rows[1], "payment -");
    assert_eq!(rows.last().unwrap(), &format!("all {rate}"));
}
