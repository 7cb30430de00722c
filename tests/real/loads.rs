//! The data is a function of seed and parameters alone: not of the threads that
//! load it, nor of the engine that it is loaded into.

use tiermark::value::Engine;

use crate::connection::Content;
use crate::database::{Database, Server};

/// The last chunk is not full, and neither is its last INSERT.
const ROWS: u32 = 12_345;
const TABLES: u32 = 2;

fn prepare(database: &Database, more: &[&str]) {
    let mut arguments = vec!["prepare", "oltp_read_write", "--set", "tables=2"];
    arguments.extend(["--set", "rows=12345"]);
    arguments.extend(more);
    database.tiermark(&arguments).expect(0);
}

pub fn threads_do_not_change_the_data(database: &Database) {
    prepare(database, &["--threads", "1"]);
    check_indexes_and_state(database);
    let by_one = database.sbtests(TABLES);
    prepare(database, &["--threads", "8", "--recreate"]);
    check_indexes_and_state(database);
    let by_eight = database.sbtests(TABLES);
    assert_eq!(by_one, by_eight);
    assert_eq!(by_one[0].rows, ROWS as usize);
    assert_ne!(by_one[0], by_one[1], "tables have rows of their own");

    prepare(database, &["--seed", "2", "--recreate"]);
    let other_seed = database.sbtests(TABLES);
    assert_eq!(other_seed[0].rows, ROWS as usize);
    assert_ne!(by_one, other_seed);
}

pub fn check_indexes_and_state(database: &Database) {
    for table in 1..=TABLES {
        let index = format!("k_{table}");
        let indexes = match database.engine {
            Engine::Postgres => format!(
                "SELECT COUNT(*) FROM pg_indexes WHERE tablename = 'sbtest{table}' AND indexname = '{index}'"
            ),
            Engine::Sqlite => format!(
                "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'sbtest{table}' AND name = '{index}'"
            ),
            _ => format!(
                "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'sbtest{table}' AND index_name = '{index}' AND column_name = 'k'"
            ),
        };
        assert_eq!(database.number(&indexes), 1);
    }
    let state =
        "SELECT CONCAT(scope, ' ', value) FROM tiermark_meta WHERE item = 'state' ORDER BY scope";
    assert_eq!(database.texts(state), ["sbtest1 loaded", "sbtest2 loaded"]);
}

pub fn engines_load_the_same_rows() {
    let mut first: Option<(Engine, Vec<Content>)> = None;
    for database in Server::ALL.into_iter().filter_map(Database::on) {
        prepare(&database, &[]);
        let rows = database.sbtests(TABLES);
        assert_eq!(rows[0].rows, ROWS as usize);
        match &first {
            None => first = Some((database.engine, rows)),
            Some((engine, expected)) => {
                assert_eq!(expected, &rows, "{engine} and {}", database.engine);
            }
        }
    }
}
