//! What the inputs' clauses ask for, over a million draws each.

use std::sync::LazyLock;

use super::constants::Constants;
use super::inputs::{
    Customer, Delivery, Inputs, NO_ITEM, NewOrder, OrderStatus, Payment, StockLevel, Terminal, Work,
};
use crate::random::rng::{Purpose, Rng};
use crate::workload::tpcc::ask::TpccKind;
use crate::workload::tpcc::settings::{Choose, Scale, Tpcc};

const DRAWS: u64 = 1_000_000;

fn tpcc(warehouses: u64, table_sets: u64, choose: Choose) -> Tpcc {
    let scale = Scale {
        warehouses,
        table_sets,
        compress: 0.0,
        foreign_keys: false,
        history_key: false,
    };
    Tpcc {
        scale,
        choose,
        c_load: None,
    }
}

fn inputs(kind: TpccKind, tpcc: &Tpcc, terminal: Terminal, k: u64) -> Inputs {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| Constants::of_run(None, 1));
    let mut rng = Rng::at(1, Purpose::Run, terminal.number, k);
    Inputs::draw(kind, tpcc, &CONSTANTS, terminal, &mut rng)
}

const ALONE: Terminal = Terminal {
    number: 0,
    clients: 1,
};

fn orders(warehouses: u64) -> impl Iterator<Item = (i64, NewOrder)> {
    let tpcc = tpcc(warehouses, 1, Choose::All);
    (0..DRAWS).map(move |k| match inputs(TpccKind::NewOrder, &tpcc, ALONE, k) {
        Inputs {
            w,
            work: Work::NewOrder(order),
            ..
        } => (w, order),
        other => panic!("{other:?}"),
    })
}

fn payments(warehouses: u64) -> impl Iterator<Item = (i64, Payment)> {
    let tpcc = tpcc(warehouses, 1, Choose::All);
    (0..DRAWS).map(move |k| match inputs(TpccKind::Payment, &tpcc, ALONE, k) {
        Inputs {
            w,
            work: Work::Payment(payment),
            ..
        } => (w, payment),
        other => panic!("{other:?}"),
    })
}

fn place(key: i64) -> usize {
    usize::try_from(key).unwrap()
}

/// Four standard deviations of a binomial share.
#[track_caller]
#[expect(clippy::cast_precision_loss, reason = "counts of a few millions")]
fn assert_share(found: u64, of: u64, share: f64) {
    let (found, of) = (found as f64, of as f64);
    let slack = 4.0 * (of * share * (1.0 - share)).sqrt();
    assert!((found - of * share).abs() < slack, "{found} of {of}");
}

#[test]
fn orders_are_as_clause_2_4_1_says() {
    let (mut lines, mut remote, mut with_remote, mut rolled_back) = (0, 0, 0, 0);
    let (mut by_count, mut quantities, mut supplies) = ([0; 16], [0; 11], [0; 5]);
    let mut customers = vec![0_u64; 3_001];
    for (w, order) in orders(4) {
        assert!((1..=10).contains(&order.d) && (1..=3_000).contains(&order.c));
        customers[place(order.c)] += 1;
        by_count[order.lines().len()] += 1;
        let (last, others) = order.lines().split_last().unwrap();
        assert!(others.iter().all(|line| (1..=100_000).contains(&line.item)));
        rolled_back += u64::from(last.item == NO_ITEM);
        let mut has_remote = false;
        for (number, line) in (1..).zip(order.lines()) {
            assert_eq!(line.number, number);
            assert!((1..=4).contains(&line.supply), "{line:?}");
            quantities[place(line.quantity)] += 1;
            lines += 1;
            if line.supply != w {
                remote += 1;
                has_remote = true;
                supplies[place(line.supply)] += 1;
            }
        }
        with_remote += u64::from(has_remote);
    }
    assert_share(rolled_back, DRAWS, 0.01);
    assert_share(remote, lines, 0.01);
    // 1 - the mean of 0.99^n over n = 5 .. 15.
    let all_local = (5..=15).map(|n| 0.99_f64.powi(n)).sum::<f64>() / 11.0;
    assert_share(with_remote, DRAWS, 1.0 - all_local);
    assert_eq!(by_count[..5], [0; 5]);
    for count in &by_count[5..] {
        assert_share(*count, DRAWS, 1.0 / 11.0);
    }
    for count in &quantities[1..] {
        assert_share(*count, lines, 0.1);
    }
    for count in &supplies[1..] {
        assert_share(*count, remote, 0.25);
    }
    // The hottest of 3,000 gets 57.7 times its even share.
    let hottest = *customers.iter().max().unwrap();
    assert_share(hottest, DRAWS, 57.7 / 3_000.0);
}

#[test]
fn payments_are_as_clause_2_5_1_says() {
    let (mut remote, mut by_name) = (0, 0);
    let mut names = [0; 1_000];
    for (w, payment) in payments(4) {
        assert!((100..=500_000).contains(&payment.amount));
        if payment.cw == w {
            assert_eq!(payment.cd, payment.d);
        } else {
            assert!((1..=4).contains(&payment.cw));
            remote += 1;
        }
        if let Customer::LastName(number) = payment.customer {
            by_name += 1;
            names[usize::try_from(number).unwrap()] += 1;
        }
    }
    assert_share(remote, DRAWS, 0.15);
    assert_share(by_name, DRAWS, 0.6);
    // The hottest of 1,000 gets 25.6 times its even share.
    let hottest = *names.iter().max().unwrap();
    assert_share(hottest, by_name, 25.6 / 1_000.0);
}

#[test]
fn one_warehouse_has_no_other() {
    for (w, order) in orders(1).take(10_000) {
        assert!(order.lines().iter().all(|line| line.supply == w));
    }
    assert!(payments(1).take(10_000).all(|(w, payment)| payment.cw == w));
}

#[test]
fn other_inputs_stay_in_range() {
    let tpcc = tpcc(3, 2, Choose::All);
    for k in 0..10_000 {
        let of = |kind| inputs(kind, &tpcc, ALONE, k);
        let home = of(TpccKind::Delivery);
        assert!((1..=2).contains(&home.set) && (1..=3).contains(&home.w));
        assert!(matches!(
            home.work,
            Work::Delivery(Delivery {
                carrier: 1..=10,
                ..
            })
        ));
        let level = of(TpccKind::StockLevel).work;
        let fits = matches!(
            level,
            Work::StockLevel(StockLevel {
                d: 1..=10,
                threshold: 10..=20
            })
        );
        assert!(fits, "{level:?}");
        let status = of(TpccKind::OrderStatus).work;
        assert!(matches!(
            status,
            Work::OrderStatus(OrderStatus { d: 1..=10, .. })
        ));
    }
}

fn homes(tpcc: &Tpcc, client: u64, clients: u64) -> Vec<(i64, i64)> {
    let terminal = Terminal {
        number: client,
        clients,
    };
    let mut homes: Vec<(i64, i64)> = (0..1_000)
        .map(|k| inputs(TpccKind::Delivery, tpcc, terminal, k))
        .map(|inputs| (inputs.set, inputs.w))
        .collect();
    homes.sort_unstable();
    homes.dedup();
    homes
}

#[test]
fn clients_keep_to_their_warehouses() {
    let all = tpcc(3, 2, Choose::All);
    assert_eq!(homes(&all, 5, 9).len(), 6);
    let home = tpcc(3, 2, Choose::Home);
    assert_eq!(homes(&home, 0, 9), [(1, 1)]);
    assert_eq!(homes(&home, 5, 9), [(2, 3)]);
    assert_eq!(homes(&home, 6, 9), [(1, 1)]);
    // Ten terminals of a warehouse have a district each.
    let district = |client| {
        let terminal = Terminal {
            number: client,
            clients: 60,
        };
        match inputs(TpccKind::StockLevel, &home, terminal, 0).work {
            Work::StockLevel(level) => level.d,
            other => panic!("{other:?}"),
        }
    };
    let districts: Vec<i64> = (0..60).step_by(6).map(district).collect();
    assert_eq!(districts, (1..=10).collect::<Vec<_>>());

    let partitioned = tpcc(3, 2, Choose::Partitioned);
    assert_eq!(homes(&partitioned, 0, 2), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(homes(&partitioned, 1, 2), [(2, 1), (2, 2), (2, 3)]);
    let shares: Vec<usize> = (0..4)
        .map(|client| homes(&partitioned, client, 4).len())
        .collect();
    assert_eq!(shares.iter().sum::<usize>(), 6);
    assert_eq!(homes(&partitioned, 7, 12), [(1, 2)]);
}
