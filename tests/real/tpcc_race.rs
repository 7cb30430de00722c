//! Deliveries that meet in one district.

use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::{PATIENCE, number};

/// Sessions of the program that wait for a lock.
fn waiting_sql(database: &Database) -> String {
    let name = database.name();
    match database.engine {
        Engine::Postgres => format!(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'"
        ),
        _ => format!(
            "SELECT COUNT(*) FROM information_schema.innodb_trx
             JOIN information_schema.processlist ON id = trx_mysql_thread_id
             WHERE db = '{name}' AND trx_state = 'LOCK WAIT'"
        ),
    }
}

/// A delivery that waits for another's new orders, which are then gone: its own
/// snapshot, made in the district before, still has them at repeatable read.
pub fn a_district_that_others_emptied_is_left_out(database: &Database) {
    let mut other = database.connect(&[]);
    other.run("BEGIN");
    // By the key: InnoDB locks what it looks at.
    other.run("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 2");
    let kinds = ["new_orders", "payments", "order_statuses", "stock_levels"];
    let none = kinds.map(|kind| format!("{kind}=0"));
    let mut run = vec!["run", "tpcc", "--clients", "1", "--transactions", "1"];
    for set in &none {
        run.extend(["--set", set]);
    }
    let mut running = database.start(&run);
    let mut watch = database.connect(&[&waiting_sql(database)]);
    let since = Instant::now();
    while watch.number(0) == 0 {
        assert!(running.child.try_wait().unwrap().is_none(), "it ended");
        assert!(since.elapsed() < PATIENCE, "it does not wait");
        // InnoDB looks anew only when nobody has asked for a tenth of a second.
        std::thread::sleep(Duration::from_millis(200));
    }
    other.run("COMMIT");
    let (output, results) = running.wait();
    output.expect(0);
    let all = results.summary();
    assert_eq!(number(&all, "done"), 1);
    let statements = results.statements();
    if number(&all, "retries") == 0 {
        assert_eq!(statements["delivery oldest_new_order"], (10, 9));
        assert_eq!(statements["delivery any_new_order"], (1, 0));
        assert_eq!(statements["delivery delete_new_order"], (9, 9));
    } else {
        // With innodb_snapshot_isolation, newer MariaDB's default, a row that has
        // changed since the snapshot is an error, and worth another attempt.
        assert_eq!(results.csv("errors.csv")[0]["code"], "1020");
    }
    database.run(
        "INSERT INTO new_order (no_w_id, no_d_id, no_o_id)
         SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_d_id = 2 AND o_carrier_id IS NULL",
    );
}
