//! What the nine tables are loaded with (clause 4.3.3.1). Each row is drawn from
//! a stream of its own, so that chunks can be made in any order, and again.

use crate::random::names::last_name;
use crate::random::order::Order;
use crate::random::rng::{Purpose, Rng};
use crate::transaction::tpcc::constants::{c_load, loaded_last_name};
use crate::transaction::tpcc::text::Texts;
use crate::value::{Cells, Dec, Value};
use crate::workload::tpcc::table::{
    CUSTOMERS, DISTRICTS, FEWEST_LINES, FIRST_NEW_ORDER, ITEMS, MOST_LINES, NEW_ORDERS, TpccTable,
};

/// 2025-01-01, in microseconds: what is loaded lies in the year that begins then.
const YEAR_START_US: i64 = 1_735_689_600_000_000;
const YEAR_S: u64 = 365 * 86_400;

/// Money is counted in hundredths.
const WHOLE: i64 = 100;

/// Customers that have the last names 0 to 999 in order.
const NAMED_IN_ORDER: u64 = 1_000;

/// What the rows of one table set are made by.
struct Maker<'a> {
    set: u64,
    seed: u64,
    texts: Texts,
    cells: &'a mut Cells,
}

/// Appends the values of unit `unit` (from 1) of a table: a row, or all lines of
/// an order.
pub fn make(table: TpccTable, set: u64, compress: f64, seed: u64, unit: u64, cells: &mut Cells) {
    let mut maker = Maker {
        set,
        seed,
        texts: Texts { compress },
        cells,
    };
    match table {
        TpccTable::Warehouse => maker.warehouse(unit),
        TpccTable::Item => maker.item(unit),
        TpccTable::District => maker.district(unit),
        TpccTable::Customer => maker.customer(unit),
        TpccTable::History => maker.history(unit),
        TpccTable::Stock => maker.stock(unit),
        TpccTable::Orders => maker.order(unit),
        TpccTable::NewOrder => maker.new_order(unit),
        TpccTable::OrderLine => maker.order_lines(unit),
    }
}

/// Rows of the units `from..=to`.
pub fn count(table: TpccTable, set: u64, seed: u64, from: u64, to: u64) -> u64 {
    match table {
        TpccTable::OrderLine => (from..=to).map(|unit| order(set, seed, unit).lines).sum(),
        _ => (to + 1).saturating_sub(from),
    }
}

/// On the average.
pub fn rows_a_number(table: TpccTable) -> u64 {
    match table {
        TpccTable::OrderLine => u64::midpoint(FEWEST_LINES, MOST_LINES),
        _ => 1,
    }
}

fn stream(table: TpccTable, set: u64, seed: u64, unit: u64) -> Rng {
    // Room for more than the nine tables of a set.
    Rng::at(seed, Purpose::Load, 16 * set + table as u64, unit)
}

/// What an order and its lines have in common.
struct LoadedOrder {
    lines: u64,
    entered_us: i64,
    carrier: u64,
}

fn order(set: u64, seed: u64, unit: u64) -> LoadedOrder {
    let mut rng = stream(TpccTable::Orders, set, seed, unit);
    LoadedOrder {
        lines: FEWEST_LINES + rng.below(MOST_LINES - FEWEST_LINES + 1),
        entered_us: moment(&mut rng),
        carrier: 1 + rng.below(10),
    }
}

/// A full second of the year of the load.
fn moment(rng: &mut Rng) -> i64 {
    YEAR_START_US + int(rng.below(YEAR_S)) * 1_000_000
}

/// Warehouse, district and number within the district of a unit of a table that
/// has `each` of them in a district; all from 1.
fn place(unit: u64, each: u64) -> (u64, u64, u64) {
    let (district, number) = ((unit - 1) / each, (unit - 1) % each);
    (
        district / DISTRICTS + 1,
        district % DISTRICTS + 1,
        number + 1,
    )
}

/// The customer of a district's order: a permutation, so that each has one. It
/// is a fixed scattering between two shifts and a stretching by the district's
/// own random numbers, and needs no memory.
fn customer_of(set: u64, seed: u64, warehouse: u64, district: u64, order: u64) -> u64 {
    let district = (warehouse - 1) * DISTRICTS + district;
    // Unit 0 is no customer: the stream is the district's.
    let mut rng = Rng::at(seed, Purpose::Load, 16 * set + OF_DISTRICTS, district);
    let (before, behind) = (rng.below(CUSTOMERS), rng.below(CUSTOMERS));
    let stretch = loop {
        let stretch = 1 + rng.below(CUSTOMERS - 1);
        // 3,000 is 2^3 * 3 * 5^3.
        if ![2, 3, 5].iter().any(|prime| stretch.is_multiple_of(*prime)) {
            break stretch;
        }
    };
    let index = (order - 1 + before) % CUSTOMERS;
    let scattered = Order::Scattered.place(index, CUSTOMERS);
    1 + (scattered * stretch + behind) % CUSTOMERS
}

/// A stream beside those of the nine tables.
const OF_DISTRICTS: u64 = 15;

impl Maker<'_> {
    fn stream(&self, table: TpccTable, unit: u64) -> Rng {
        stream(table, self.set, self.seed, unit)
    }

    fn int(&mut self, number: u64) {
        self.cells.push(Value::Int(int(number)));
    }

    fn ints(&mut self, numbers: &[u64]) {
        for &number in numbers {
            self.int(number);
        }
    }

    fn text(&mut self, text: &str) {
        self.cells.push(Value::Text(text));
    }

    /// Hundredths.
    fn money(&mut self, units: i64) {
        self.cells.push(Value::Dec(Dec { units, scale: 2 }));
    }

    /// Ten thousandths, from none to `most`.
    fn rate(&mut self, rng: &mut Rng, most: u64) {
        let units = int(rng.below(most + 1));
        self.cells.push(Value::Dec(Dec { units, scale: 4 }));
    }

    fn warehouse(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::Warehouse, unit);
        self.int(unit);
        self.texts.any(&mut rng, 6, 10, self.cells);
        self.texts.address(&mut rng, self.cells);
        self.rate(&mut rng, 2_000);
        self.money(300_000 * WHOLE);
    }

    fn district(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::District, unit);
        let (warehouse, district, _) = place(unit, 1);
        self.ints(&[warehouse, district]);
        self.texts.any(&mut rng, 6, 10, self.cells);
        self.texts.address(&mut rng, self.cells);
        self.rate(&mut rng, 2_000);
        self.money(30_000 * WHOLE);
        self.int(CUSTOMERS + 1);
    }

    fn item(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::Item, unit);
        self.ints(&[unit, 1 + rng.below(10_000)]);
        self.texts.any(&mut rng, 14, 24, self.cells);
        self.money(rng.range(WHOLE, 100 * WHOLE));
        self.texts.data(&mut rng, 26, 50, self.cells);
    }

    fn stock(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::Stock, unit);
        let (warehouse, item) = ((unit - 1) / ITEMS + 1, (unit - 1) % ITEMS + 1);
        self.ints(&[warehouse, item, 10 + rng.below(91)]);
        for _ in 0..DISTRICTS {
            self.texts.district_info(&mut rng, self.cells);
        }
        self.ints(&[0, 0, 0]);
        self.texts.data(&mut rng, 26, 50, self.cells);
    }

    fn customer(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::Customer, unit);
        let (warehouse, district, customer) = place(unit, CUSTOMERS);
        self.ints(&[warehouse, district, customer]);
        self.texts.any(&mut rng, 8, 16, self.cells);
        self.text("OE");
        let name = if customer <= NAMED_IN_ORDER {
            customer - 1
        } else {
            loaded_last_name(&mut rng, c_load(self.seed))
        };
        self.cells.push_text(|out| last_name(name, out));
        self.texts.address(&mut rng, self.cells);
        let (front, back) = (rng.below(100_000_000), rng.below(100_000_000));
        // Writing to a String cannot fail.
        self.cells.push_text(|out| {
            use std::fmt::Write;
            let _ = write!(out, "{front:08}{back:08}");
        });
        self.cells.push(Value::Time(moment(&mut rng)));
        self.text(if rng.below(10) == 0 { "BC" } else { "GC" });
        self.money(50_000 * WHOLE);
        self.rate(&mut rng, 5_000);
        self.money(-10 * WHOLE);
        self.money(10 * WHOLE);
        self.ints(&[1, 0]);
        self.texts.any(&mut rng, 300, 500, self.cells);
    }

    fn history(&mut self, unit: u64) {
        let mut rng = self.stream(TpccTable::History, unit);
        let (warehouse, district, customer) = place(unit, CUSTOMERS);
        self.ints(&[customer, district, warehouse, district, warehouse]);
        self.cells.push(Value::Time(moment(&mut rng)));
        self.money(10 * WHOLE);
        self.texts.any(&mut rng, 12, 24, self.cells);
    }

    fn order(&mut self, unit: u64) {
        let order = order(self.set, self.seed, unit);
        let (warehouse, district, number) = place(unit, CUSTOMERS);
        let customer = customer_of(self.set, self.seed, warehouse, district, number);
        self.ints(&[warehouse, district, number, customer]);
        self.cells.push(Value::Time(order.entered_us));
        if number < FIRST_NEW_ORDER {
            self.int(order.carrier);
        } else {
            self.cells.push(Value::Null);
        }
        self.ints(&[order.lines, 1]);
    }

    fn new_order(&mut self, unit: u64) {
        let (warehouse, district, number) = place(unit, NEW_ORDERS);
        self.ints(&[warehouse, district, FIRST_NEW_ORDER - 1 + number]);
    }

    fn order_lines(&mut self, unit: u64) {
        let order = order(self.set, self.seed, unit);
        let mut rng = self.stream(TpccTable::OrderLine, unit);
        let (warehouse, district, number) = place(unit, CUSTOMERS);
        for line in 1..=order.lines {
            let item = 1 + rng.below(ITEMS);
            self.ints(&[warehouse, district, number, line, item, warehouse]);
            let (delivered, amount) = if number < FIRST_NEW_ORDER {
                (Value::Time(order.entered_us), 0)
            } else {
                (Value::Null, rng.range(1, 10_000 * WHOLE - 1))
            };
            self.cells.push(delivered);
            self.int(5);
            self.money(amount);
            self.texts.district_info(&mut rng, self.cells);
        }
    }
}

/// Keys and counts are far below 2^63.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_customer_of_a_district_has_one_order() {
        let customers = |warehouse, district| -> Vec<u64> {
            (1..=CUSTOMERS)
                .map(|order| customer_of(1, 7, warehouse, district, order))
                .collect()
        };
        let first = customers(1, 1);
        for other in [customers(1, 2), customers(2, 1)] {
            let same = first.iter().zip(&other).filter(|(a, b)| a == b).count();
            // One on the average, where two permutations are independent.
            assert!(same < 20, "{same}");
            let mut sorted = other;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(1..=CUSTOMERS));
        }
        // Half of the neighbours rise, as in random order: deviation 16.
        let rising = first.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!((1_400..1_600).contains(&rising), "{rising}");
    }

    #[test]
    fn lines_are_as_many_as_their_order_says() {
        let mut total = 0;
        for unit in 1..=3_000 {
            let (mut order, mut lines) = (Cells::default(), Cells::default());
            make(TpccTable::Orders, 1, 0.0, 1, unit, &mut order);
            make(TpccTable::OrderLine, 1, 0.0, 1, unit, &mut lines);
            let columns = TpccTable::OrderLine.columns().len();
            let count = (lines.len() / columns) as u64;
            assert_eq!(lines.len() % columns, 0);
            assert_eq!(order.get(6), Value::Int(int(count)));
            assert!((FEWEST_LINES..=MOST_LINES).contains(&count));
            assert_eq!(count, super::count(TpccTable::OrderLine, 1, 1, unit, unit));
            total += count;
        }
        assert_eq!(total, super::count(TpccTable::OrderLine, 1, 1, 1, 3_000));
        // Ten each, with a deviation of 3.16 * sqrt(3,000) = 173.
        assert!(total.abs_diff(30_000) < 4 * 173, "{total}");
    }

    #[test]
    fn rows_have_a_value_for_each_column_and_sets_differ() {
        for table in TpccTable::ALL {
            let row = |set, seed| {
                let mut cells = Cells::default();
                make(table, set, 0.0, seed, 2, &mut cells);
                assert_eq!(cells.len() % table.columns().len(), 0, "{table:?}");
                let values = (0..cells.len()).map(|index| format!("{:?}", cells.get(index)));
                values.collect::<Vec<_>>()
            };
            assert_eq!(row(1, 1), row(1, 1));
            if table != TpccTable::NewOrder {
                assert_ne!(row(1, 1), row(2, 1), "{table:?}");
                assert_ne!(row(1, 1), row(1, 2), "{table:?}");
            }
        }
    }

    #[test]
    fn places_count_from_one() {
        assert_eq!(place(1, 3_000), (1, 1, 1));
        assert_eq!(place(30_000, 3_000), (1, 10, 3_000));
        assert_eq!(place(30_001, 3_000), (2, 1, 1));
        assert_eq!(place(900, NEW_ORDERS), (1, 1, 900));
        assert_eq!(place(20, 1), (2, 10, 1));
    }
}
