//! The program itself on real servers, from prepare to cleanup: the same checks
//! on a new SQLite file and, each in a database of its own, on every server
//! that the environment names (see `tests/run.sh`).

#[path = "real/connection.rs"]
mod connection;
#[path = "real/counts.rs"]
mod counts;
#[path = "real/database.rs"]
mod database;
#[path = "real/disconnects.rs"]
mod disconnects;
#[path = "real/endings.rs"]
mod endings;
#[path = "real/loads.rs"]
mod loads;
#[path = "real/locks.rs"]
mod locks;
#[path = "real/ownership.rs"]
mod ownership;
#[path = "real/program.rs"]
mod program;
#[path = "real/retries.rs"]
mod retries;
#[path = "real/same_work.rs"]
mod same_work;
#[path = "real/secrets.rs"]
mod secrets;
#[path = "real/tpcc.rs"]
mod tpcc;

use database::{Database, Server};

macro_rules! on {
    ($name:ident, $server:expr, $($topic:ident::$check:ident),* $(,)?) => {
        mod $name {
            use super::*;
            $(
                #[test]
                fn $check() {
                    if let Some(database) = Database::on($server) {
                        $topic::$check(&database);
                    }
                }
            )*
        }
    };
}

macro_rules! on_every_engine {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on!(postgres, Server::Postgres, $($topic::$check),*);
        on!(postgres_new, Server::PostgresNew, $($topic::$check),*);
        on!(mariadb, Server::Mariadb, $($topic::$check),*);
        on!(mariadb_new, Server::MariadbNew, $($topic::$check),*);
        on!(mysql, Server::Mysql, $($topic::$check),*);
        on!(sqlite, Server::Sqlite, $($topic::$check),*);
    };
}

on_every_engine!(
    counts::two_hundred_transactions_are_counted_exactly,
    loads::threads_do_not_change_the_data,
    ownership::data_of_another_size_is_refused,
    ownership::a_run_takes_the_parameters_of_the_load,
    ownership::a_table_of_someone_else_is_not_touched,
    ownership::our_own_tables_are_kept_without_recreate,
    ownership::an_empty_database_is_to_be_prepared,
    ownership::cleanup_drops_only_ours,
    locks::a_lock_does_not_hold_up_the_end,
    endings::a_killed_run_leaves_its_seconds,
    endings::an_interrupted_run_is_marked,
    secrets::a_password_is_nowhere,
    secrets::a_password_is_in_no_error,
    same_work::workers_do_not_change_the_work,
    retries::deadlocks_are_retried_until_they_commit,
    disconnects::lost_connections_are_opened_again,
    disconnects::a_lost_control_connection_still_stops_statements,
    tpcc::a_warehouse_is_the_same_however_it_is_loaded,
    tpcc::sets_and_foreign_keys_are_made_and_dropped,
);

/// What must be equal from one engine to another.
mod all_engines {
    use super::{loads, same_work, tpcc};

    #[test]
    fn load_the_same_rows() {
        loads::engines_load_the_same_rows();
    }

    #[test]
    fn get_the_same_work() {
        same_work::engines_get_the_same_work();
    }

    #[test]
    fn do_the_same_transactions() {
        tpcc::engines_do_the_same_work();
    }
}
