//! TPC-C's conditions on one warehouse: they hold after the load, after runs and
//! while one goes on, and what is changed by hand breaks those that speak of it,
//! with its key, and no others.

use std::collections::{BTreeMap, BTreeSet};

use crate::database::Database;
use crate::program::{Row, number};
use crate::tpcc::prepare;
use crate::tpcc_race;

/// Keys of the rows that break a condition, by its name.
type Broken = BTreeMap<String, BTreeSet<String>>;

/// A change of one row.
struct Case {
    /// What, and why it breaks these conditions.
    why: &'static str,
    change: String,
    undo: String,
    breaks: Vec<(&'static str, Vec<String>)>,
}

impl Case {
    /// A column of one row, changed by one.
    fn add(
        why: &'static str,
        [table, column, row]: [&str; 3],
        breaks: Vec<(&'static str, Vec<String>)>,
    ) -> Case {
        let change = |sign| format!("UPDATE {table} SET {column} = {column} {sign} 1 WHERE {row}");
        Case {
            why,
            change: change('+'),
            undo: change('-'),
            breaks,
        }
    }

    /// A column of one row, from one value to another.
    fn set(
        why: &'static str,
        [table, row]: [&str; 2],
        column: &str,
        [from, to]: [&str; 2],
        breaks: Vec<(&'static str, Vec<String>)>,
    ) -> Case {
        let change = |value| format!("UPDATE {table} SET {column} = {value} WHERE {row}");
        Case {
            why,
            change: change(to),
            undo: change(from),
            breaks,
        }
    }
}

/// Rows of `check.csv` about conditions; those about tables have other scopes.
fn conditions(database: &Database) -> (Option<i32>, Vec<Row>) {
    let output = database.tiermark(&["-q", "check", "tpcc", "--out", "checks"]);
    let mut rows = output.results().csv("check.csv");
    rows.retain(|row| row["scope"] == "w=1" || row["scope"] == "tpcc");
    assert_eq!(rows.len(), 19, "{}", output.everything());
    (output.status, rows)
}

fn assert_all_hold(database: &Database, of_the_load: &str) {
    let (status, rows) = conditions(database);
    for row in &rows {
        let wanted = match row["check"].as_str() {
            "3.3.2.11" => of_the_load,
            _ => "pass",
        };
        assert_eq!(row["result"], wanted, "{row:?}");
    }
    assert_eq!(status, Some(0));
}

/// All at once: each is about rows of its own, so its keys tell whose they are.
fn assert_found(database: &Database, cases: &[Case]) {
    let mut wanted = Broken::new();
    for case in cases {
        database.run(&case.change);
        for (condition, keys) in &case.breaks {
            let known = wanted.entry((*condition).to_owned()).or_default();
            for key in keys {
                assert!(known.insert(key.clone()), "{}", case.why);
            }
        }
    }
    let (status, rows) = conditions(database);
    let mut found = Broken::new();
    for row in rows.iter().filter(|row| row["result"] == "fail") {
        let keys = row["first_keys"].split(' ').map(str::to_owned);
        let keys: BTreeSet<String> = keys.collect();
        let exceptions = match keys.len() {
            1 => "1 exception".to_owned(),
            some => format!("{some} exceptions"),
        };
        assert_eq!(row["found"], exceptions, "{row:?}");
        found.insert(row["check"].clone(), keys);
    }
    let why: Vec<&str> = cases.iter().map(|case| case.why).collect();
    assert_eq!(found, wanted, "{why:#?}");
    assert_eq!(status, Some(1));
    for case in cases {
        database.run(&case.undo);
    }
}

fn w() -> Vec<String> {
    vec!["w=1".to_owned()]
}

fn district(d: u32) -> Vec<String> {
    vec![format!("w=1/d={d}")]
}

fn order(d: u32, o: i64) -> Vec<String> {
    vec![format!("w=1/d={d}/o={o}")]
}

fn line(d: u32, o: i64, number: i64) -> Vec<String> {
    vec![format!("w=1/d={d}/o={o}/number={number}")]
}

fn customer(d: u32, c: i64) -> Vec<String> {
    vec![format!("w=1/d={d}/c={c}")]
}

fn item(i: i64) -> Vec<String> {
    vec![format!("w=1/i={i}")]
}

fn both(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    [one, other].concat()
}

/// What the cases ask about the rows that they change.
struct Asked<'a>(&'a Database);

impl Asked<'_> {
    fn customer_of(&self, d: u32, o: i64) -> i64 {
        let sql = format!("SELECT o_c_id FROM orders WHERE o_d_id = {d} AND o_id = {o}");
        self.0.number(&sql)
    }

    fn lines_of(&self, d: u32, o: i64) -> Vec<String> {
        let sql = format!("SELECT o_ol_cnt FROM orders WHERE o_d_id = {d} AND o_id = {o}");
        let count = self.0.number(&sql);
        (1..=count).flat_map(|number| line(d, o, number)).collect()
    }

    fn last_order(&self, d: u32) -> i64 {
        let sql = format!("SELECT d_next_o_id - 1 FROM district WHERE d_id = {d}");
        let last = self.0.number(&sql);
        assert!(last > 3000, "a run took orders of district {d}");
        last
    }

    /// An undelivered order whose lines are all shown: at most ten.
    fn short_order(&self, d: u32) -> i64 {
        self.0.number(&format!(
            "SELECT MIN(o_id) FROM orders WHERE o_d_id = {d} AND o_id > 2500 AND o_ol_cnt < 11"
        ))
    }

    /// A customer that has not paid since the load.
    fn who_has_not_paid(&self, d: u32) -> i64 {
        self.0.number(&format!(
            "SELECT MIN(c_id) FROM customer WHERE c_d_id = {d} AND c_payment_cnt = 1"
        ))
    }

    fn delivered_at(&self, row: &str) -> String {
        let sql = format!("SELECT CAST(ol_delivery_d AS CHAR(19)) FROM order_line WHERE {row}");
        format!("'{}'", self.0.texts(&sql)[0])
    }
}

/// Each condition by the change that it is there for. Money is changed by one
/// unit. Orders up to 2108 of a district are delivered, those from 2101 on by the
/// run; what was loaded as delivered cost nothing.
fn one_of_each(asked: &Asked) -> Vec<Case> {
    let carried = asked.short_order(7);
    let carried_row = format!("o_d_id = 7 AND o_id = {carried}");
    let undone_row = "ol_d_id = 8 AND ol_o_id = 2101 AND ol_number = 1";
    let undone_at = asked.delivered_at(undone_row);
    let undone = asked.customer_of(8, 2101);
    vec![
        Case::add(
            "w_ytd is compared with districts and with payments",
            ["warehouse", "w_ytd", "w_id = 1"],
            vec![("3.3.2.1", w()), ("3.3.2.8", w())],
        ),
        Case::add(
            "the next order is compared with the last, and with how many there are",
            ["district", "d_next_o_id", "d_id = 4"],
            vec![("3.3.2.2", district(4)), ("order_numbers", district(4))],
        ),
        Case {
            why: "a gap in the new orders, whose order has no carrier yet",
            change: "DELETE FROM new_order WHERE no_d_id = 5 AND no_o_id = 2500".to_owned(),
            undo: "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 5, 2500)"
                .to_owned(),
            breaks: vec![("3.3.2.3", district(5)), ("3.3.2.5", order(5, 2500))],
        },
        Case::add(
            "o_ol_cnt is compared by district and by order",
            ["orders", "o_ol_cnt", "o_d_id = 6 AND o_id = 100"],
            vec![("3.3.2.4", district(6)), ("3.3.2.6", order(6, 100))],
        ),
        Case::set(
            "a carrier of a new order, whose lines and customer know of no delivery",
            ["orders", &carried_row],
            "o_carrier_id",
            ["NULL", "7"],
            vec![
                ("3.3.2.5", order(7, carried)),
                ("3.3.2.7", asked.lines_of(7, carried)),
                (
                    "delivery_counts",
                    customer(7, asked.customer_of(7, carried)),
                ),
            ],
        ),
        Case::set(
            "a line that is not delivered any more is missing in both sums of its customer",
            ["order_line", undone_row],
            "ol_delivery_d",
            [&undone_at, "NULL"],
            vec![
                ("3.3.2.7", line(8, 2101, 1)),
                ("3.3.2.10", customer(8, undone)),
                ("3.3.2.12", customer(8, undone)),
            ],
        ),
        Case::add(
            "both conditions of a customer have c_balance",
            ["customer", "c_balance", "c_d_id = 9 AND c_id = 5"],
            vec![("3.3.2.10", customer(9, 5)), ("3.3.2.12", customer(9, 5))],
        ),
        Case {
            why: "what c_balance loses and c_ytd_payment gains is the same sum of deliveries",
            change: "UPDATE customer SET c_balance = c_balance - 1, c_ytd_payment = c_ytd_payment + 1 WHERE c_d_id = 10 AND c_id = 5"
                .to_owned(),
            undo: "UPDATE customer SET c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1 WHERE c_d_id = 10 AND c_id = 5"
                .to_owned(),
            breaks: vec![("3.3.2.10", customer(10, 5))],
        },
        Case::add(
            "payments are compared with c_balance, not with c_ytd_payment",
            ["customer", "c_ytd_payment", "c_d_id = 1 AND c_id = 5"],
            vec![("3.3.2.12", customer(1, 5))],
        ),
        Case::add(
            "deliveries are counted by customer, in no sum of money",
            ["customer", "c_delivery_cnt", "c_d_id = 2 AND c_id = 5"],
            vec![("delivery_counts", customer(2, 5))],
        ),
        Case::add(
            "payments are counted by customer, in no sum of money",
            ["customer", "c_payment_cnt", "c_d_id = 2 AND c_id = 5"],
            vec![("payment_counts", customer(2, 5))],
        ),
        Case::set(
            "no line is of another warehouse",
            ["orders", "o_d_id = 3 AND o_id = 10"],
            "o_all_local",
            ["1", "0"],
            vec![("all_local", order(3, 10))],
        ),
        Case::add(
            "what was ordered of an item; the next two are of other items",
            ["stock", "s_ytd", "s_i_id = 1"],
            vec![("stock_counts", item(1))],
        ),
        Case::add(
            "how often it was ordered",
            ["stock", "s_order_cnt", "s_i_id = 2"],
            vec![("stock_counts", item(2))],
        ),
        Case::add(
            "how often by another warehouse",
            ["stock", "s_remote_cnt", "s_i_id = 3"],
            vec![("stock_counts", item(3))],
        ),
    ]
}

/// The other side of each comparison.
fn from_the_other_side(asked: &Asked) -> Vec<Case> {
    let newest = asked.last_order(5);
    let ordered = asked.last_order(2);
    let short = asked.short_order(7);
    let loaded_row = "ol_d_id = 8 AND ol_o_id = 100 AND ol_number = 2";
    let loaded_at = asked.delivered_at(loaded_row);
    let paid = asked.customer_of(1, 2101);
    let stock = asked
        .0
        .number("SELECT s_quantity FROM stock WHERE s_i_id = 4");
    let stock = stock.to_string();
    vec![
        Case::add(
            "d_ytd is compared with its warehouse and with payments",
            ["district", "d_ytd", "d_id = 3"],
            vec![("3.3.2.1", w()), ("3.3.2.9", district(3))],
        ),
        Case {
            why: "the new orders end before the orders; there is no gap among them",
            change: format!("DELETE FROM new_order WHERE no_d_id = 5 AND no_o_id = {newest}"),
            undo: format!(
                "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 5, {newest})"
            ),
            breaks: vec![("3.3.2.2", district(5)), ("3.3.2.5", order(5, newest))],
        },
        Case {
            why: "a line under another order of the district, which has as many as before",
            change: "UPDATE order_line SET ol_o_id = 101, ol_number = 16 WHERE ol_d_id = 6 AND ol_o_id = 100 AND ol_number = 5"
                .to_owned(),
            undo: "UPDATE order_line SET ol_o_id = 100, ol_number = 5 WHERE ol_d_id = 6 AND ol_o_id = 101 AND ol_number = 16"
                .to_owned(),
            breaks: vec![("3.3.2.6", both(order(6, 100), order(6, 101)))],
        },
        Case {
            why: "a new order without an order, behind the last and a gap",
            change: "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 7, 99999)"
                .to_owned(),
            undo: "DELETE FROM new_order WHERE no_d_id = 7 AND no_o_id = 99999".to_owned(),
            breaks: vec![
                ("3.3.2.2", district(7)),
                ("3.3.2.3", district(7)),
                ("3.3.2.5", order(7, 99999)),
            ],
        },
        Case::set(
            "a line that cost nothing is in no sum",
            ["order_line", loaded_row],
            "ol_delivery_d",
            [&loaded_at, "NULL"],
            vec![("3.3.2.7", line(8, 100, 2))],
        ),
        Case::add(
            "the amount of a delivered line is in both sums of its customer",
            [
                "order_line",
                "ol_amount",
                "ol_d_id = 1 AND ol_o_id = 2101 AND ol_number = 3",
            ],
            vec![
                ("3.3.2.10", customer(1, paid)),
                ("3.3.2.12", customer(1, paid)),
            ],
        ),
        Case::add(
            "the amount of a run's line that is not delivered",
            [
                "order_line",
                "ol_amount",
                &format!("ol_d_id = 2 AND ol_o_id = {ordered} AND ol_number = 1"),
            ],
            vec![("line_amounts", line(2, ordered, 1))],
        ),
        Case::set(
            "a loaded line of another warehouse: the counts of stock begin behind it",
            [
                "order_line",
                &format!("ol_d_id = 7 AND ol_o_id = {short} AND ol_number = 1"),
            ],
            "ol_supply_w_id",
            ["1", "2"],
            vec![("all_local", order(7, short))],
        ),
        Case::set(
            "no other condition speaks of it",
            ["stock", "s_i_id = 4"],
            "s_quantity",
            [&stock, "9"],
            vec![("stock_quantity", item(4))],
        ),
    ]
}

/// Rows that have no partner any more, and payments.
fn without_a_partner(asked: &Asked) -> Vec<Case> {
    let [from, payer] = [2, 9].map(|d| asked.who_has_not_paid(d));
    let stray = asked.0.number(
        "SELECT ol_i_id FROM order_line WHERE ol_d_id = 6 AND ol_o_id = 100 AND ol_number = 5",
    );
    vec![
        Case::add(
            "h_amount is in the sums of warehouse, district and customer",
            [
                "history",
                "h_amount",
                &format!("h_c_d_id = 9 AND h_c_id = {payer}"),
            ],
            vec![
                ("3.3.2.8", w()),
                ("3.3.2.9", district(9)),
                ("3.3.2.10", customer(9, payer)),
            ],
        ),
        Case::set(
            "a payment of another customer of the district, who is not there",
            ["history", &format!("h_c_d_id = 2 AND h_c_id IN ({from}, -1)")],
            "h_c_id",
            [&from.to_string(), "-1"],
            vec![
                ("3.3.2.10", both(customer(2, from), customer(2, -1))),
                ("payment_counts", both(customer(2, from), customer(2, -1))),
            ],
        ),
        Case {
            why: "a line without an order, of a number that runs would give: neither price nor stock know of it",
            change: "UPDATE order_line SET ol_o_id = 99999 WHERE ol_d_id = 6 AND ol_o_id = 100 AND ol_number = 5"
                .to_owned(),
            undo: "UPDATE order_line SET ol_o_id = 100 WHERE ol_d_id = 6 AND ol_o_id = 99999 AND ol_number = 5"
                .to_owned(),
            breaks: vec![
                ("3.3.2.6", both(order(6, 100), order(6, 99999))),
                ("3.3.2.7", line(6, 99999, 5)),
                ("line_amounts", line(6, 99999, 5)),
                ("stock_counts", item(stray)),
            ],
        },
        Case::set(
            "neither old nor new number of a district has both orders and a row; 3.3.2.1 adds all up",
            ["district", "d_id IN (10, 11)"],
            "d_id",
            ["10", "11"],
            vec![
                ("3.3.2.2", both(district(10), district(11))),
                ("3.3.2.9", both(district(10), district(11))),
                ("order_numbers", both(district(10), district(11))),
            ],
        ),
    ]
}

/// The warehouse itself under another number; 3.3.2.1 is asked about 1 alone.
fn without_a_warehouse() -> Vec<Case> {
    vec![Case::set(
        "districts and payments are there, the warehouse is not",
        ["warehouse", "w_id IN (1, 2)"],
        "w_id",
        ["1", "2"],
        vec![
            ("3.3.2.1", w()),
            ("3.3.2.8", both(w(), vec!["w=2".to_owned()])),
        ],
    )]
}

pub fn conditions_hold_and_find_what_breaks_them(database: &Database) {
    prepare(database, &[]);
    assert_all_hold(database, "pass");
    let first_delivered = Case {
        why: "an order is neither new nor carried, and one more of its district is not new; no gap",
        change: "DELETE FROM new_order WHERE no_d_id = 1 AND no_o_id = 2101".to_owned(),
        undo: "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 1, 2101)".to_owned(),
        breaks: vec![("3.3.2.5", order(1, 2101)), ("3.3.2.11", district(1))],
    };
    assert_found(database, &[first_delivered]);

    let run = [
        "-q",
        "run",
        "tpcc",
        "--transactions",
        "200",
        "--out",
        "first",
    ];
    let all = database.tiermark(&run).expect(0).results().summary();
    assert_eq!(number(&all, "done") + number(&all, "rolled_back"), 200);
    assert_all_hold(database, "skipped");
    let asked = Asked(database);
    assert_found(database, &one_of_each(&asked));
    assert_found(database, &from_the_other_side(&asked));
    assert_found(database, &without_a_partner(&asked));
    assert_found(database, &without_a_warehouse());
    assert_all_hold(database, "skipped");
    if database.is_server() {
        hold_while_a_run_goes_on(database);
        tpcc_race::a_district_that_others_emptied_is_left_out(database);
        assert_all_hold(database, "skipped");
    }
}

fn hold_while_a_run_goes_on(database: &Database) {
    let run = [
        "run",
        "tpcc",
        "--clients",
        "8",
        "--warmup",
        "0s",
        "--time",
        "10m",
    ];
    let mut running = database.start(&run);
    running.wait_for_second(0);
    assert_all_hold(database, "skipped");
    assert!(running.child.try_wait().unwrap().is_none(), "it ended");
    let results = running.kill();
    assert!(results.intervals("measure").len() > 1);
    std::fs::remove_dir_all(database.results()).unwrap();
}
