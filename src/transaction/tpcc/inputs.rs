//! The inputs of the five transactions (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1 and
//! 2.8.1): drawn without a database, from the stream of one transaction.

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
#[expect(
    clippy::large_enum_variant,
    reason = "a client has one, which is drawn over and over"
)]
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

    /// With its lines in the order of their stock rows' keys: all orders lock these
    /// in one order, so that two may wait for each other but never both. The item
    /// that there is not stays the last.
    #[must_use]
    pub fn in_lock_order(mut self) -> NewOrder {
        self.lines[..self.line_count].sort_unstable_by_key(|line| {
            (line.item == NO_ITEM, line.supply, line.item, line.number)
        });
        self
    }

    /// Whether all lines are supplied by the home warehouse.
    pub fn is_all_local(&self, w: i64) -> bool {
        self.lines().iter().all(|line| line.supply == w)
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
        amount: rng.range(100, 500_000),
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
