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
#[path = "real/foreign.rs"]
mod foreign;
#[path = "real/grows.rs"]
mod grows;
#[path = "real/loads.rs"]
mod loads;
#[path = "real/locks.rs"]
mod locks;
#[path = "real/open_loop.rs"]
mod open_loop;
#[path = "real/opening.rs"]
mod opening;
#[path = "real/ownership.rs"]
mod ownership;
#[path = "real/prewarm.rs"]
mod prewarm;
#[path = "real/program.rs"]
mod program;
#[path = "real/retries.rs"]
mod retries;
#[path = "real/same_work.rs"]
mod same_work;
#[path = "real/secrets.rs"]
mod secrets;
#[path = "real/shipped.rs"]
mod shipped;
#[path = "real/spills.rs"]
mod spills;
#[path = "real/sysbench.rs"]
mod sysbench;
#[path = "real/tpcc.rs"]
mod tpcc;
#[path = "real/tpcc_check.rs"]
mod tpcc_check;
#[path = "real/tpcc_proc.rs"]
mod tpcc_proc;
#[path = "real/tpcc_race.rs"]
mod tpcc_race;
#[path = "real/tpcc_run.rs"]
mod tpcc_run;

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
    shipped::every_workload_does_what_it_says,
    grows::no_key_is_fresh_at_the_end_of_its_column,
    grows::inserts_go_on_above_what_is_there,
    grows::a_batch_is_one_statement,
    spills::sorts_and_hashes_go_to_disk,
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
    retries::replaced_hot_rows_stay_as_many,
    disconnects::lost_connections_are_opened_again,
    disconnects::a_lost_control_connection_still_stops_statements,
    opening::every_client_is_told_first,
    opening::a_refused_session_statement_ends_the_run,
    opening::what_is_done_is_committed_whatever_sessions_were_told,
    opening::sessions_that_are_led_elsewhere_are_refused,
    opening::the_isolation_is_in_force_and_recorded,
    prewarm::tables_and_indexes_are_read_through,
    foreign::tables_of_others_are_run_on_when_told,
    foreign::tables_that_do_not_fit_are_refused,
    tpcc::a_warehouse_is_the_same_however_it_is_loaded,
);

/// On the servers that both programs speak to.
mod beside_sysbench {
    use super::{Database, Server, sysbench};

    on!(
        postgres,
        Server::Postgres,
        sysbench::it_runs_on_our_tables,
        sysbench::we_run_on_its_tables
    );
    on!(
        mariadb,
        Server::Mariadb,
        sysbench::it_runs_on_our_tables,
        sysbench::we_run_on_its_tables
    );
    on!(
        mysql,
        Server::Mysql,
        sysbench::it_runs_on_our_tables,
        sysbench::we_run_on_its_tables
    );
}

macro_rules! on_every_server {
    ($($topic:ident::$check:ident),* $(,)?) => {
        mod servers {
            use super::*;
            on!(postgres, Server::Postgres, $($topic::$check),*);
            on!(mariadb, Server::Mariadb, $($topic::$check),*);
            on!(mysql, Server::Mysql, $($topic::$check),*);
        }
    };
}

// Statements that sleep, and stored procedures: SQLite has none.
on_every_server!(
    open_loop::more_than_the_capacity_is_said_to_be_so,
    open_loop::what_it_can_do_is_done_in_time,
    tpcc_proc::procedures_go_with_a_load,
);

/// Long ones, on one version of each engine.
mod once {
    use super::*;

    macro_rules! on_one_of_each {
        ($($topic:ident::$check:ident),* $(,)?) => {
            on!(postgres, Server::Postgres, $($topic::$check),*);
            on!(mariadb, Server::Mariadb, $($topic::$check),*);
            on!(mysql, Server::Mysql, $($topic::$check),*);
            on!(sqlite, Server::Sqlite, $($topic::$check),*);
        };
    }

    on_one_of_each!(
        tpcc::sets_and_foreign_keys_are_made_and_dropped,
        tpcc_check::conditions_hold_and_find_what_breaks_them,
        tpcc_run::many_clients_do_what_the_book_says,
    );
}

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
