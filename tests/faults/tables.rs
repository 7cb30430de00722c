//! A table that somebody drops while a run works on it.

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::{errors_of, number};

pub fn a_table_that_goes_is_counted(database: &Database) {
    database.prepare(1, 1000);
    let mut running = database.start(&[
        "run",
        "oltp_read_write",
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "3s",
    ]);
    running.wait_for_second(0);
    database.run("DROP TABLE sbtest1");
    let (output, results) = running.wait();
    let output = output.expect(1);
    assert!(output.stdout.contains("error_limit"), "{}", output.stdout);

    let all = results.summary();
    assert_eq!(all["measured_s"], "3");
    assert_eq!(results.seconds("measure"), ["0", "1", "2"]);
    let failed = number(&all, "failed");
    assert!(failed > 4, "{all:?}");
    assert_eq!(all["disconnects"], "0");
    let errors = results.csv("errors.csv");
    assert_eq!(errors_of(&errors, "failed"), failed, "{errors:?}");
    let code = match database.engine {
        Engine::Postgres => "42P01",
        _ => "1146",
    };
    assert!(errors.iter().any(|row| row["code"] == code), "{errors:?}");
    let last = results.intervals("measure").pop().unwrap();
    assert_eq!((&*last["done"], &*last["clients"]), ("0", "4"));
    assert_eq!(database.sessions(), [""; 0]);
}
