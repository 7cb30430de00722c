//! The inputs of the five transactions (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1 and
//! 2.8.1): drawn without a database, from the stream of one transaction.

use std::fmt;

use crate::random::rng::Rng;
use crate::transaction::tpcc::constants::Constants;
use crate::workload::tpcc::ask::TpccKind;
use crate::workload::tpcc::settings::{Choose, Tpcc};

/// 2026-01-01, in microseconds: what a run enters lies in the year that begins
/// then, behind all that was loaded.
const YEAR_START_US: i64 = 1_767_225_600_000_000;
const YEAR_S: i64 = 365 * 86_400;

const DISTRICTS: i64 = 10;
const FEWEST_LINES: i64 = 5;
const MOST_LINES: usize = 15;
/// An item that there is not (clause 2.4.1.5).
pub const NO_ITEM: i64 = 100_001;

/// Who asks: a client by its number, of so many.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    pub number: u64,
    pub clients: u64,
}

/// What one transaction is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The table set, from 1.
    pub set: i64,
    /// The home warehouse.
    pub w: i64,
    pub work: Work,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Work {
    NewOrder(NewOrder),
    Payment(Payment),
    OrderStatus(OrderStatus),
    Delivery(Delivery),
    StockLevel(StockLevel),
    /// Nothing was drawn yet.
    #[default]
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewOrder {
    pub d: i64,
    pub c: i64,
    /// Microseconds since 1970.
    pub at: i64,
    lines: [Line; MOST_LINES],
    line_count: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: i64,
    pub item: i64,
    /// The warehouse that supplies it.
    pub supply: i64,
    pub quantity: i64,
}

/// How a customer is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Customer {
    Id(i64),
    /// The number of a last name, below 1,000.
    LastName(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    pub d: i64,
    /// The customer's warehouse and district.
    pub cw: i64,
    pub cd: i64,
    pub customer: Customer,
    /// Hundredths.
    pub amount: i64,
    pub at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderStatus {
    pub d: i64,
    pub customer: Customer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub carrier: i64,
    pub at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StockLevel {
    pub d: i64,
    pub threshold: i64,
}

impl NewOrder {
    pub fn lines(&self) -> &[Line] {
        &self.lines[..self.line_count]
    }
}

impl Default for Inputs {
    fn default() -> Self {
        Inputs {
            set: 1,
            w: 1,
            work: Work::None,
        }
    }
}

impl Inputs {
    pub fn draw(
        kind: TpccKind,
        tpcc: &Tpcc,
        constants: &Constants,
        terminal: Terminal,
        rng: &mut Rng,
    ) -> Inputs {
        let (set, w) = home(tpcc, terminal, rng);
        let warehouses = int(tpcc.scale.warehouses);
        let work = match kind {
            TpccKind::NewOrder => Work::NewOrder(new_order(w, warehouses, constants, rng)),
            TpccKind::Payment => Work::Payment(payment(w, warehouses, constants, rng)),
            TpccKind::OrderStatus => Work::OrderStatus(OrderStatus {
                d: rng.range(1, DISTRICTS),
                customer: customer(constants, rng),
            }),
            TpccKind::Delivery => Work::Delivery(Delivery {
                carrier: rng.range(1, 10),
                at: moment(rng),
            }),
            TpccKind::StockLevel => Work::StockLevel(StockLevel {
                d: stock_level_district(tpcc, terminal, rng),
                threshold: rng.range(10, 20),
            }),
        };
        Inputs { set, w, work }
    }
}

/// Table set and warehouse. Those of all sets are one row of warehouses here.
fn home(tpcc: &Tpcc, terminal: Terminal, rng: &mut Rng) -> (i64, i64) {
    let all = tpcc.scale.table_sets * tpcc.scale.warehouses;
    let Terminal { number, clients } = terminal;
    let index = match tpcc.choose {
        Choose::All => rng.below(all),
        Choose::Home => number % all,
        // More clients than warehouses share them.
        Choose::Partitioned if clients >= all => number % all,
        Choose::Partitioned => {
            let share = |number: u64| {
                let exact = u128::from(number) * u128::from(all) / u128::from(clients.max(1));
                // At most `all`, as the client's number is below `clients`.
                u64::try_from(exact).unwrap_or(all)
            };
            let number = number % clients.max(1);
            let (from, to) = (share(number), share(number + 1));
            from + rng.below((to - from).max(1))
        }
    };
    let warehouses = tpcc.scale.warehouses;
    (int(index / warehouses) + 1, int(index % warehouses) + 1)
}

/// A terminal keeps to one district (clause 2.8.1.1): (warehouse, district) is
/// another for each of the ten terminals of a warehouse.
fn stock_level_district(tpcc: &Tpcc, terminal: Terminal, rng: &mut Rng) -> i64 {
    let all = tpcc.scale.table_sets * tpcc.scale.warehouses;
    match tpcc.choose {
        Choose::Home => int(terminal.number / all) % DISTRICTS + 1,
        Choose::All | Choose::Partitioned => rng.range(1, DISTRICTS),
    }
}

fn new_order(w: i64, warehouses: i64, constants: &Constants, rng: &mut Rng) -> NewOrder {
    let (d, c) = (rng.range(1, DISTRICTS), int(constants.customer(rng)));
    let at = moment(rng);
    let count = rng.range(FEWEST_LINES, int(MOST_LINES as u64));
    // 2.4.1.4: one of a hundred is rolled back.
    let is_rolled_back = rng.range(1, 100) == 1;
    let mut lines = [Line::default(); MOST_LINES];
    let mut line_count = 0;
    for (number, line) in (1..=count).zip(&mut lines) {
        let mut item = int(constants.item(rng));
        if is_rolled_back && number == count {
            item = NO_ITEM;
        }
        // 2.4.1.5: one line of a hundred comes from another warehouse.
        let is_remote = rng.range(1, 100) == 1;
        let supply = if is_remote {
            other(w, warehouses, rng)
        } else {
            w
        };
        let quantity = rng.range(1, 10);
        *line = Line {
            number,
            item,
            supply,
            quantity,
        };
        line_count += 1;
    }
    NewOrder {
        d,
        c,
        at,
        lines,
        line_count,
    }
}

fn payment(w: i64, warehouses: i64, constants: &Constants, rng: &mut Rng) -> Payment {
    let d = rng.range(1, DISTRICTS);
    // 2.5.1.2: 15 of a hundred customers are of another warehouse.
    let is_remote = rng.range(1, 100) > 85;
    let (cw, cd) = if is_remote && warehouses > 1 {
        (other(w, warehouses, rng), rng.range(1, DISTRICTS))
    } else {
        (w, d)
    };
    Payment {
        d,
        cw,
        cd,
        customer: customer(constants, rng),
        amount: rng.range(1_00, 5_000_00),
        at: moment(rng),
    }
}

/// 60 of a hundred by last name (clauses 2.5.1.2 and 2.6.1.2).
fn customer(constants: &Constants, rng: &mut Rng) -> Customer {
    if rng.range(1, 100) <= 60 {
        Customer::LastName(constants.last_name(rng))
    } else {
        Customer::Id(int(constants.customer(rng)))
    }
}

/// Another warehouse, each equally likely; the same where there is no other.
fn other(w: i64, warehouses: i64, rng: &mut Rng) -> i64 {
    if warehouses == 1 {
        return w;
    }
    let other = rng.range(1, warehouses - 1);
    other + i64::from(other >= w)
}

/// A full second of the year of runs.
fn moment(rng: &mut Rng) -> i64 {
    YEAR_START_US + rng.range(0, YEAR_S - 1) * 1_000_000
}

/// Keys and counts are far below 2^63.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl fmt::Display for Customer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Customer::Id(id) => write!(f, "customer {id}"),
            Customer::LastName(number) => {
                let mut name = String::new();
                crate::random::names::last_name(*number, &mut name);
                write!(f, "customer {name}")
            }
        }
    }
}

/// As `show` prints them, one line for each order line.
impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.set > 1 {
            write!(f, "table set {}, ", self.set)?;
        }
        write!(f, "warehouse {}", self.w)?;
        match &self.work {
            Work::NewOrder(order) => {
                write!(f, ", district {}, customer {}", order.d, order.c)?;
                for line in order.lines() {
                    write!(
                        f,
                        "\nline {}: {} of item {} from warehouse {}",
                        line.number, line.quantity, line.item, line.supply
                    )?;
                }
                Ok(())
            }
            Work::Payment(payment) => {
                let (whole, cents) = (payment.amount / 100, payment.amount % 100);
                write!(
                    f,
                    ", district {}: {} of warehouse {}, district {} pays {whole}.{cents:02}",
                    payment.d, payment.customer, payment.cw, payment.cd
                )
            }
            Work::OrderStatus(status) => {
                write!(f, ", district {}: {}", status.d, status.customer)
            }
            Work::Delivery(delivery) => write!(f, ": carrier {}", delivery.carrier),
            Work::StockLevel(level) => {
                write!(f, ", district {}: below {}", level.d, level.threshold)
            }
            Work::None => f.write_str(": nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::random::rng::Purpose;
    use crate::workload::tpcc::settings::Scale;

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

    /// Four standard deviations of a binomial share.
    #[track_caller]
    fn assert_share(found: u64, of: u64, share: f64) {
        let (found, of) = (found as f64, of as f64);
        let slack = 4.0 * (of * share * (1.0 - share)).sqrt();
        assert!((found - of * share).abs() < slack, "{found} of {of}");
    }

    #[test]
    fn orders_are_as_clause_2_4_1_says() {
        let (mut lines, mut remote, mut with_remote, mut rolled_back) = (0, 0, 0, 0);
        let (mut by_count, mut quantities, mut supplies) = ([0; 16], [0; 11], [0; 5]);
        let mut customers = [0_u64; 3_001];
        for (w, order) in orders(4) {
            assert!((1..=10).contains(&order.d) && (1..=3_000).contains(&order.c));
            customers[order.c as usize] += 1;
            by_count[order.lines().len()] += 1;
            let (last, others) = order.lines().split_last().unwrap();
            assert!(others.iter().all(|line| (1..=100_000).contains(&line.item)));
            rolled_back += u64::from(last.item == NO_ITEM);
            let mut has_remote = false;
            for (number, line) in (1..).zip(order.lines()) {
                assert_eq!(line.number, number);
                assert!((1..=4).contains(&line.supply), "{line:?}");
                quantities[line.quantity as usize] += 1;
                lines += 1;
                if line.supply != w {
                    remote += 1;
                    has_remote = true;
                    supplies[line.supply as usize] += 1;
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
            assert!((1_00..=5_000_00).contains(&payment.amount));
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
}
