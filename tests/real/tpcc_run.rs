//! TPC-C under many clients: exact work whatever is retried, the shares that the
//! specification asks for, and nothing lost with the sessions that are killed.

use tiermark::random::rng::Purpose;
use tiermark::transaction::drawn::{Drawn, Place};
use tiermark::transaction::tpcc::inputs::{NO_ITEM, Work};
use tiermark::value::Engine;
use tiermark::workload::compile::compile;
use tiermark::workload::settings::Settings;
use tiermark::workload::source::Source;

use crate::database::Database;
use crate::program::{Results, Row, number, real};

const WAREHOUSES: &str = "warehouses=2";
/// Whole decks, so that the mix is exact.
const EACH: u64 = 100;

/// Of the run that is compared with its draws.
const CONTENDERS: u64 = 8;

/// SQLite's writers wait for one another, whatever their number.
fn clients(database: &Database) -> u64 {
    if database.is_server() { 16 } else { 4 }
}

/// All of a contended run on two warehouses, on one load.
pub fn many_clients_do_what_the_book_says(database: &Database) {
    let prepare = ["prepare", "tpcc", "--set", WAREHOUSES];
    database.tiermark(&prepare).expect(0);
    retried_inputs_stay_the_same(database);
    shares_are_those_of_the_specification(database);
    if database.is_server() {
        killed_sessions_lose_nothing(database);
    }
    let check = database.tiermark(&["-q", "check", "tpcc", "--out", "checks"]);
    check.expect(0);
    if database.is_server() {
        an_order_of_someone_else_is_noticed(database);
    }
}

/// What the clients of a run draw, and so must have done once all has committed.
#[derive(Debug, Default, PartialEq)]
struct Done {
    /// By type, in the order of the file; those rolled back by design apart.
    completed: [u64; 5],
    rolled_back: u64,
    lines: i64,
    quantities: i64,
    remote: i64,
    /// Hundredths.
    paid: i64,
}

fn drawn(database: &Database) -> Done {
    let source = Source::open("tpcc", None).unwrap();
    let settings = Settings {
        preset: None,
        sets: vec![WAREHOUSES.to_owned()],
    };
    let mut plan = compile(&source, &settings, database.engine).unwrap();
    let c_load = "SELECT value FROM tiermark_meta WHERE item = 'c_load' AND scope = 'item'";
    plan.tpcc.as_mut().unwrap().c_load = Some(database.texts(c_load)[0].parse().unwrap());
    let mut done = Done::default();
    for client in 0..CONTENDERS {
        let mut drawn = Drawn::new(&plan, 1, client, CONTENDERS);
        for k in 0..EACH {
            let picked = drawn.draw(&plan, Purpose::Run, Place::of_client(client, k));
            done.completed[picked] += 1;
            match &drawn.tpcc.work {
                Work::NewOrder(order) => {
                    let lines = order.lines();
                    if lines.iter().any(|line| line.item == NO_ITEM) {
                        done.rolled_back += 1;
                        continue;
                    }
                    for line in lines {
                        done.lines += 1;
                        done.quantities += line.quantity;
                        done.remote += i64::from(line.supply != drawn.tpcc.w);
                    }
                }
                Work::Payment(payment) => done.paid += payment.amount,
                _ => {}
            }
        }
    }
    done
}

fn whole(database: &Database, sql: &str) -> i64 {
    let (what, from) = sql.split_once(" FROM ").unwrap();
    database.number(&format!(
        "SELECT CAST(COALESCE({what}, 0) AS DECIMAL(20,0)) FROM {from}"
    ))
}

/// The same of the tables, after a run on fresh ones.
fn found(database: &Database, results: &Results) -> Done {
    let completed = |row: &Row| number(row, "done") + number(row, "rolled_back");
    let types = &results.csv("summary.csv")[..5];
    let money = match database.engine {
        Engine::Sqlite => "SUM(h_amount)",
        _ => "SUM(h_amount * 100)",
    };
    // What was loaded: one payment of 10.00 for each customer.
    let loaded = 2 * 30_000 * 1_000;
    Done {
        completed: std::array::from_fn(|index| completed(&types[index])),
        rolled_back: number(&types[0], "rolled_back"),
        lines: whole(database, "COUNT(*) FROM order_line WHERE ol_o_id > 3000"),
        quantities: whole(database, "SUM(s_ytd) FROM stock"),
        remote: whole(database, "SUM(s_remote_cnt) FROM stock"),
        paid: whole(database, &format!("{money} FROM history")) - loaded,
    }
}

/// At an isolation at which nearly everything is in somebody's way.
fn retried_inputs_stay_the_same(database: &Database) {
    let isolation: &[&str] = match database.engine {
        // From here on it fails who comes second to a row.
        Engine::Postgres => &["--set", "run.isolation=repeatable read"],
        // Reads lock rows, and who then writes waits for the others' locks.
        Engine::Mysql | Engine::Mariadb => &["--set", "run.isolation=serializable"],
        Engine::Sqlite | Engine::Null => &[],
    };
    let clients = CONTENDERS.to_string();
    let end = (CONTENDERS * EACH).to_string();
    let run = ["run", "tpcc", "--clients", &clients, "--transactions", &end];
    let run = [&run[..], isolation].concat();
    let results = database.tiermark(&run).expect(0).results();
    let all = results.summary();
    assert_eq!(number(&all, "failed") + number(&all, "unfinished"), 0);
    let retries = number(&all, "retries");
    assert_eq!(retries > 20, database.is_server(), "{retries} retries");
    let wanted = drawn(database);
    assert_eq!(
        wanted.completed,
        [45, 43, 4, 4, 4].map(|cards| cards * CONTENDERS)
    );
    assert_eq!(found(database, &results), wanted);
    assert_orders_are_right(database);
}

fn audit_of<'a>(audit: &'a [Row], item: &str) -> &'a Row {
    audit.iter().find(|row| row["item"] == item).unwrap()
}

fn shares_are_those_of_the_specification(database: &Database) {
    let clients = clients(database).to_string();
    let run = ["run", "tpcc", "--clients", &clients, "--seed", "2"];
    let end = ["--warmup", "1s", "--time", "10s", "--grace", "10s"];
    let before = whole(database, "SUM(d_next_o_id) FROM district");
    let output = database.tiermark(&[&run[..], &end].concat()).expect(0);
    let results = output.results();
    let audit = results.csv("audit.csv");
    // Bounds are the specification's, or four standard deviations.
    let failed: Vec<&Row> = audit.iter().filter(|row| row["result"] == "fail").collect();
    assert!(failed.is_empty(), "{failed:?}");
    let judged = audit.iter().filter(|row| row["result"] == "pass").count();
    assert_eq!(judged, 12, "{audit:?}");
    assert_eq!(audit_of(&audit, "skipped_deliveries_pct")["value"], "0");
    assert_eq!(audit_of(&audit, "home_warehouses")["value"], "2");
    let taken = number(audit_of(&audit, "orders_taken"), "value");
    let after = whole(database, "SUM(d_next_o_id) FROM district");
    assert_eq!(after - before, i64::try_from(taken).unwrap());

    let rows = results.csv("summary.csv");
    let completed = number(&rows[0], "done") + number(&rows[0], "rolled_back");
    assert!(completed > 0 && completed < taken, "{completed} of {taken}");
    for row in [&rows[0], rows.last().unwrap()] {
        let rate = real(row, "new_orders_per_min");
        #[expect(clippy::cast_precision_loss, reason = "a few thousands")]
        let wanted = 60.0 * completed as f64 / real(row, "measured_s");
        assert!((rate - wanted).abs() < 0.001, "{rate} is not {wanted}");
    }
    assert_eq!(rows[1]["new_orders_per_min"], "");
    assert!(output.stdout.contains("per minute"), "{}", output.stdout);
    assert_orders_are_right(database);
}

fn killed_sessions_lose_nothing(database: &Database) {
    let run = [
        "run",
        "tpcc",
        "--clients",
        "16",
        "--seed",
        "3",
        "--warmup",
        "0s",
    ];
    let end = ["--time", "6s", "--grace", "10s", "--out", "killed"];
    let mut running = database.start_in("killed", &[&run[..], &end].concat());
    running.wait_for_second(1);
    let killed = database.kill_some_sessions(8);
    running.wait_for_second(3);
    let killed = killed + database.kill_some_sessions(8);
    let (output, results) = running.wait();
    // So many of some hundreds may be more than one in a hundred.
    assert!(
        matches!(output.status, Some(0 | 1)),
        "{}",
        output.everything()
    );
    let all = results.summary();
    // The control session may be among them, or one that was just gone.
    let lost = number(&all, "disconnects");
    let killed = u64::try_from(killed).unwrap();
    assert!((8..=killed).contains(&lost), "{lost} of {killed}");
    assert_eq!(number(&all, "failed"), lost);
    assert!(!all["warnings"].contains("miscounted"), "{all:?}");
    let audit = results.csv("audit.csv");
    let taken = audit_of(&audit, "orders_taken");
    assert_eq!(taken["result"], "pass", "{taken:?}");
    assert_orders_are_right(database);
}

fn an_order_of_someone_else_is_noticed(database: &Database) {
    let run = [
        "run",
        "tpcc",
        "--clients",
        "2",
        "--warmup",
        "0s",
        "--time",
        "2s",
    ];
    let mut running = database.start_in("alone", &[&run[..], &["--out", "alone"]].concat());
    running.wait_for_second(0);
    database.run("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1");
    let (output, results) = running.wait();
    let output = output.expect(1);
    assert!(output.stdout.contains("miscounted"), "{}", output.stdout);
    let audit = results.csv("audit.csv");
    let taken = audit_of(&audit, "orders_taken");
    assert_eq!(taken["result"], "fail");
    assert_eq!(number(taken, "value"), number(taken, "upper") + 1);
}

/// Each order was delivered once or waits, and none was passed over.
fn assert_orders_are_right(database: &Database) {
    let delivered = whole(
        database,
        "COUNT(*) FROM orders WHERE o_id > 2100 AND o_carrier_id IS NOT NULL",
    );
    assert!(delivered > 0);
    let credited = whole(database, "SUM(c_delivery_cnt) FROM customer");
    assert_eq!(credited, delivered, "each is delivered once");
    let passed_over = database.number(
        "SELECT COUNT(*) FROM orders WHERE o_carrier_id IS NOT NULL AND o_id >
           (SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = o_w_id AND no_d_id = o_d_id)",
    );
    assert_eq!(passed_over, 0, "the oldest goes first");
}
