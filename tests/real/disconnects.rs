//! A server that drops its clients: they come back, what it cost is counted,
//! and the end of the run is as orderly as that of any other.

use crate::database::Database;
use crate::locks::{lock, unlock};
use crate::program::{errors_of, number, real, sbtest};

pub fn lost_connections_are_opened_again(database: &Database) {
    if !database.is_server() {
        return;
    }
    database.prepare(1, 1000);
    let mut running = database.start(&[
        "run",
        "oltp_read_write",
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "4s",
    ]);
    running.wait_for_second(0);
    // With the one that watches over the others.
    assert_eq!(database.kill_sessions(), 5);
    let (output, results) = running.wait();
    // Four failures may be more than one in a hundred on a slow machine.
    assert!(
        matches!(output.status, Some(0 | 1)),
        "{}",
        output.everything()
    );

    let all = results.summary();
    assert_eq!(all["measured_s"], "4");
    assert_eq!(all["disconnects"], "4", "{:?}", results.csv("errors.csv"));
    assert_eq!(all["failed"], "4");
    let errors = results.csv("errors.csv");
    let lost = errors_of(&errors, "disconnected") + errors_of(&errors, "in_doubt");
    assert_eq!(lost, 4, "{errors:?}");
    assert_eq!(errors_of(&errors, "in_doubt"), number(&all, "in_doubt"));
    // Clients that are away at the same time share one outage.
    assert_eq!(errors_of(&errors, "outage"), 4, "{errors:?}");
    let lengths = errors.iter().filter(|row| row["class"] == "outage");
    let sum: f64 = lengths.map(|row| real(row, "seconds_lost")).sum();
    assert!(sum > 0.0);
    // Four decimals of a second in each cell.
    assert!((sum - real(&all, "outage_s")).abs() < 0.001, "{errors:?}");

    assert_eq!(results.seconds("measure"), ["0", "1", "2", "3"]);
    let intervals = results.intervals("measure");
    let fewest = intervals.iter().map(|row| number(row, "clients")).min();
    assert!(fewest < Some(4), "they were away for a moment");
    let last = intervals.last().unwrap();
    assert_eq!(last["clients"], "4");
    assert_ne!(last["done"], "0");
    assert_eq!(database.count("sbtest1"), 1000);
    assert_eq!(database.sessions(), [""; 0]);
}

/// The connection over which statements are cancelled was idle when the server
/// dropped it, so nobody has noticed until it is needed.
pub fn a_lost_control_connection_still_stops_statements(database: &Database) {
    if !database.is_server() {
        return;
    }
    database.prepare(1, 1000);
    let rows = sbtest(1);
    let mut holder = database.connect(&[&rows]);
    let mut running = database.start(&[
        "run",
        "oltp_read_write",
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "5s",
    ]);
    running.wait_for_second(0);
    assert_eq!(database.kill_sessions(), 5);
    // The clients are back by then.
    running.wait_for_second(2);
    lock(&mut holder, database.engine);
    let (output, results) = running.wait();
    assert_eq!(database.sessions(), [""; 0], "{}", output.everything());
    output.expect(1);
    let all = results.summary();
    assert_eq!(all["unfinished"], "4");
    assert!(!all["warnings"].contains("left_running"), "{all:?}");
    let behind_the_lock = holder.content(0);
    unlock(&mut holder, database.engine);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(database.content(&rows), behind_the_lock);
}
