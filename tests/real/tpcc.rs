//! TPC-C: one warehouse holds what the specification says, however it was
//! loaded; transactions do the same on every engine.

use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::connection::Content;
use crate::database::{Database, Server};
use crate::program::{PATIENCE, number};
use crate::tpcc_proc;

const TABLES: [&str; 9] = [
    "warehouse",
    "item",
    "district",
    "customer",
    "history",
    "stock",
    "orders",
    "new_order",
    "order_line",
];

/// Money in hundredths and rates in ten thousandths, as a text that is the same
/// on all engines: SQLite holds them so.
fn units(database: &Database, column: &str, scale: u32) -> String {
    match database.engine {
        Engine::Sqlite => column.to_owned(),
        _ => format!("CAST({column} * {} AS DECIMAL(20,0))", 10_u32.pow(scale)),
    }
}

/// A moment that may be null, as a text.
fn moment(column: &str) -> String {
    format!("COALESCE(CAST({column} AS CHAR(19)), 'none')")
}

/// Every column of a table, one text a row.
fn texts_sql(database: &Database, table: &str) -> String {
    let money = |column| units(database, column, 2);
    let rate = |column| units(database, column, 4);
    let plain = |columns: &str| columns.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (columns, key) = match table {
        "warehouse" => {
            let mut columns = plain("w_id w_name w_street_1 w_street_2 w_city w_state w_zip");
            columns.extend([rate("w_tax"), money("w_ytd")]);
            (columns, "w_id")
        }
        "item" => {
            let mut columns = plain("i_id i_im_id i_name i_data");
            columns.push(money("i_price"));
            (columns, "i_id")
        }
        "district" => {
            let mut columns =
                plain("d_w_id d_id d_name d_street_1 d_street_2 d_city d_state d_zip d_next_o_id");
            columns.extend([rate("d_tax"), money("d_ytd")]);
            (columns, "d_w_id, d_id")
        }
        "customer" => {
            let mut columns = plain(
                "c_w_id c_d_id c_id c_first c_middle c_last c_street_1 c_street_2 c_city c_state \
                 c_zip c_phone c_credit c_payment_cnt c_delivery_cnt c_data",
            );
            columns.extend(["c_credit_lim", "c_balance", "c_ytd_payment"].map(money));
            columns.extend([rate("c_discount"), moment("c_since")]);
            (columns, "c_w_id, c_d_id, c_id")
        }
        // Without a key: rows are put in order below.
        "history" => {
            let mut columns = plain("h_c_id h_c_d_id h_c_w_id h_d_id h_w_id h_data");
            columns.extend([moment("h_date"), money("h_amount")]);
            (columns, "h_c_id")
        }
        "stock" => (
            plain(
                "s_w_id s_i_id s_quantity s_dist_01 s_dist_02 s_dist_03 s_dist_04 s_dist_05 \
                 s_dist_06 s_dist_07 s_dist_08 s_dist_09 s_dist_10 s_ytd s_order_cnt s_remote_cnt \
                 s_data",
            ),
            "s_w_id, s_i_id",
        ),
        "orders" => {
            let mut columns = plain("o_w_id o_d_id o_id o_c_id o_ol_cnt o_all_local");
            columns.extend([moment("o_entry_d"), "COALESCE(o_carrier_id, 0)".to_owned()]);
            (columns, "o_w_id, o_d_id, o_id")
        }
        "new_order" => (
            plain("no_w_id no_d_id no_o_id"),
            "no_w_id, no_d_id, no_o_id",
        ),
        "order_line" => {
            let mut columns = plain(
                "ol_w_id ol_d_id ol_o_id ol_number ol_i_id ol_supply_w_id ol_quantity ol_dist_info",
            );
            columns.extend([moment("ol_delivery_d"), money("ol_amount")]);
            (columns, "ol_w_id, ol_d_id, ol_o_id, ol_number")
        }
        other => panic!("no table {other}"),
    };
    let columns = columns.join(", ' ', ");
    format!("SELECT CONCAT({columns}) FROM {table} ORDER BY {key}")
}

/// The content of all nine tables.
pub fn contents(database: &Database) -> Vec<(&'static str, Content)> {
    let content = |table: &'static str| {
        let mut rows = database.texts(&texts_sql(database, table));
        rows.sort_unstable();
        (table, Content::of(&rows))
    };
    TABLES.map(content).to_vec()
}

const PREPARE: [&str; 4] = ["prepare", "tpcc", "--set", "warehouses=1"];

pub fn prepare(database: &Database, more: &[&str]) {
    database.tiermark(&[&PREPARE[..], more].concat()).expect(0);
}

/// What clauses 1.2.1 and 4.3.3.1 say of one warehouse.
fn assert_cardinalities(database: &Database) {
    let number = |sql: &str| database.number(sql);
    for (table, rows) in [
        ("warehouse", 1),
        ("item", 100_000),
        ("district", 10),
        ("customer", 30_000),
        ("history", 30_000),
        ("stock", 100_000),
        ("orders", 30_000),
        ("new_order", 9_000),
    ] {
        assert_eq!(database.count(table), rows, "{table}");
    }
    // An order has ten lines on the average, with a deviation of 3.16.
    let lines = database.count("order_line");
    assert!(lines.abs_diff(300_000) < 4 * 548, "{lines}");
    assert_eq!(
        number("SELECT CAST(SUM(o_ol_cnt) AS DECIMAL(20,0)) FROM orders"),
        lines
    );

    let none = |what: &str, sql: &str| assert_eq!(number(sql), 0, "{what}");
    none(
        "each customer has one order",
        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM orders GROUP BY o_d_id, o_c_id HAVING COUNT(*) <> 1) AS twice",
    );
    none(
        "orders from 2101 on wait for delivery, and only they",
        "SELECT COUNT(*) FROM orders WHERE (o_id >= 2101) <> (o_carrier_id IS NULL)",
    );
    none(
        "new orders are 2101 to 3000",
        "SELECT COUNT(*) FROM new_order WHERE no_o_id NOT BETWEEN 2101 AND 3000",
    );
    none(
        "what is delivered cost nothing, at the time of its order",
        "SELECT COUNT(*) FROM order_line, orders WHERE o_w_id = ol_w_id AND o_d_id = ol_d_id
         AND o_id = ol_o_id AND o_id < 2101 AND (ol_amount <> 0 OR ol_delivery_d <> o_entry_d)",
    );
    none(
        "what is not cost something",
        "SELECT COUNT(*) FROM order_line
         WHERE ol_o_id >= 2101 AND (ol_amount <= 0 OR ol_delivery_d IS NOT NULL)",
    );
    none(
        "the first thousand customers have a name each",
        "SELECT 10 * 1000 - COUNT(*) FROM (SELECT DISTINCT c_d_id, c_last FROM customer
         WHERE c_id <= 1000) AS names",
    );
    let names = |id: u32| format!("SELECT c_last FROM customer WHERE c_d_id = 3 AND c_id = {id}");
    assert_eq!(database.texts(&names(1)), ["BARBARBAR"]);
    assert_eq!(database.texts(&names(372)), ["PRICALLYOUGHT"]);
    // One of ten, within four deviations of a binomial share.
    let share = |sql: &str, of: u64, slack: u64| {
        let found = number(sql);
        assert!(found.abs_diff(of.cast_signed()) < slack, "{found}: {sql}");
    };
    share(
        "SELECT COUNT(*) FROM customer WHERE c_credit = 'BC'",
        3_000,
        208,
    );
    for (table, column) in [("item", "i_data"), ("stock", "s_data")] {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE {column} LIKE '%ORIGINAL%'");
        share(&sql, 10_000, 380);
    }
    let c_load = "SELECT value FROM tiermark_meta WHERE item = 'c_load' AND scope = 'item'";
    let c_load: u64 = database.texts(c_load)[0].parse().unwrap();
    assert!(c_load <= 255);
}

/// Threads, and a load that is cut off and taken up again, make the same rows.
pub fn a_warehouse_is_the_same_however_it_is_loaded(database: &Database) {
    prepare(database, &["--threads", "1"]);
    assert_cardinalities(database);
    database.tiermark(&["check", "tpcc"]).expect(0);
    let whole = contents(database);

    let arguments = [&PREPARE[..], &["--threads", "4", "--recreate"]].concat();
    let mut loading = database.start(&arguments);
    let since = Instant::now();
    // Some chunks are there, and far from all 62.
    let chunks = "SELECT COUNT(*) FROM tiermark_meta WHERE item LIKE 'chunk:%'";
    while !(5..30).contains(&database.number(chunks)) {
        assert!(loading.child.try_wait().unwrap().is_none(), "it ended");
        assert!(since.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
    loading.child.kill().unwrap();
    loading.child.wait().unwrap();
    let resumed = [&PREPARE[..], &["--threads", "4", "--resume"]].concat();
    let resumed = database.tiermark(&resumed).expect(0);
    assert!(
        resumed.stderr.contains("there already"),
        "{}",
        resumed.stderr
    );
    assert_eq!(contents(database), whole);
}

/// A second table set, foreign keys and a key for history, all run and dropped.
pub fn sets_and_foreign_keys_are_made_and_dropped(database: &Database) {
    // MySQL copies a table for each foreign key: one set takes it a minute.
    let sets: &[&str] = match database.engine {
        Engine::Mysql => &[""],
        _ => &["", "2"],
    };
    let fk = format!("fk={}", database.is_server());
    let table_sets = format!("table_sets={}", sets.len());
    let settings = [
        "--set",
        &table_sets,
        "--set",
        &fk,
        "--set",
        "history_key=true",
    ];
    prepare(database, &settings);
    // What was loaded is known: no setting is given again.
    let run = ["run", "tpcc", "--clients", "4", "--transactions", "100"];
    let all = database.tiermark(&run).expect(0).results().summary();
    assert_eq!(number(&all, "failed"), 0, "{all:?}");
    assert_eq!(number(&all, "done") + number(&all, "rolled_back"), 100);
    for set in sets {
        let taken =
            format!("SELECT CAST(SUM(d_next_o_id - 3001) AS DECIMAL(20,0)) FROM district{set}");
        assert!(database.number(&taken) > 0, "set {set} is used");
    }
    if database.is_server() {
        tpcc_proc::each_set_has_procedures(database, sets);
    }
    database.tiermark(&["cleanup", "tpcc"]).expect(0);
    assert!(database.routines().is_empty());
    let left = database.tables();
    let ours = |table: &String| TABLES.contains(&table.trim_end_matches('2'));
    assert!(!left.iter().any(ours), "{left:?}");
}

/// The same transactions leave the same rows.
pub fn engines_do_the_same_work() {
    let mut first = None;
    let databases = [
        Server::Postgres,
        Server::Mariadb,
        Server::Mysql,
        Server::Sqlite,
    ];
    for database in databases.into_iter().filter_map(Database::on) {
        prepare(&database, &[]);
        let loaded = contents(&database);
        let run = ["run", "tpcc", "--clients", "1", "--transactions", "1000"];
        let results = database.tiermark(&run).expect(0).results();
        assert!(results.csv("errors.csv").is_empty());
        let all = results.summary();
        let (done, rolled_back) = (number(&all, "done"), number(&all, "rolled_back"));
        assert_eq!(done + rolled_back, 1_000, "{all:?}");
        // One of a hundred of 450 orders: 13 would be four deviations.
        assert!((1..=13).contains(&rolled_back), "{rolled_back}");
        assert_eq!(number(&all, "failed") + number(&all, "retries"), 0);
        // The server's own count of orders is the client's.
        let orders = 450 - i64::try_from(rolled_back).unwrap();
        let taken = "SELECT CAST(SUM(d_next_o_id - 3001) AS DECIMAL(20,0)) FROM district";
        assert_eq!(database.number(taken), orders);
        assert_eq!(database.count("orders"), 30_000 + orders);
        assert_eq!(database.count("history"), 30_000 + 430);
        assert_eq!(database.count("new_order"), 9_000 + orders - 10 * 40);
        let done = contents(&database);
        for ((table, before), (_, after)) in loaded.iter().zip(&done) {
            assert_eq!(before == after, *table == "item", "{table} changes");
        }
        match &first {
            None => first = Some((database.engine, loaded, done.clone())),
            Some((engine, first_loaded, first_done)) => {
                assert_eq!(first_loaded, &loaded, "{engine} and {}", database.engine);
                assert_eq!(first_done, &done, "{engine} and {}", database.engine);
            }
        }
        if database.is_server() {
            assert_eq!(tpcc_proc::contents_after_a_run(&database), done);
        }
    }
}
