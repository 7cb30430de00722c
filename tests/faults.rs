//! What must not break it: loads that are killed, servers that stop, crash,
//! freeze or run out of something, and results that cannot be written. A fault
//! that would hit other tests strikes a server that the test starts itself.

#[path = "real/connection.rs"]
#[allow(dead_code, reason = "shared with the tests of real.rs")]
mod connection;
#[path = "real/database.rs"]
#[allow(dead_code, reason = "shared with the tests of real.rs")]
mod database;
#[path = "faults/freeze.rs"]
mod freeze;
#[path = "faults/full.rs"]
mod full;
#[path = "faults/journal.rs"]
mod journal;
#[path = "faults/limits.rs"]
mod limits;
#[path = "real/loads.rs"]
#[allow(dead_code, reason = "shared with the tests of real.rs")]
mod loads;
#[path = "faults/open_loop.rs"]
mod open_loop;
#[path = "faults/private.rs"]
mod private;
#[path = "real/program.rs"]
#[allow(dead_code, reason = "shared with the tests of real.rs")]
mod program;
#[path = "faults/restarts.rs"]
mod restarts;
#[path = "faults/results.rs"]
mod results;
#[path = "faults/resume.rs"]
mod resume;
#[path = "faults/tables.rs"]
mod tables;
#[path = "faults/targets.rs"]
mod targets;

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
            #[test]
            fn a_restart_is_one_outage() {
                restarts::a_restart_is_one_outage($server);
            }
            #[test]
            fn a_frozen_server_does_not_hold_up_the_end() {
                freeze::a_frozen_server_does_not_hold_up_the_end($server);
            }
            #[test]
            fn a_frozen_server_is_seen_by_all_who_were_due() {
                open_loop::a_frozen_server_is_seen_by_all_who_were_due($server);
            }
        }
    };
}

macro_rules! on_every_server {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on!(postgres, Server::Postgres, $($topic::$check),*);
        on!(mariadb, Server::Mariadb, $($topic::$check),*);
        on!(mysql, Server::Mysql, $($topic::$check),*);
    };
}

on_every_server!(
    resume::a_killed_load_is_taken_up_again,
    resume::a_load_killed_at_its_end_is_taken_up_again,
    resume::an_unfinished_load_is_nothing_else,
    resume::a_table_that_goes_stops_the_load,
    resume::a_row_in_the_way_stops_the_load,
    tables::a_table_that_goes_is_counted,
    targets::clients_are_dealt_to_two_databases,
);

#[test]
fn a_server_that_stays_away_is_an_outage_too() {
    restarts::one_that_stays_away_is_an_outage_too(Server::Postgres);
}

#[test]
fn two_thousand_clients_run() {
    limits::two_thousand_clients_run();
}

#[test]
fn too_many_prepared_statements_are_refused_by_mysql() {
    limits::too_many_prepared_statements_are_refused(Server::Mysql);
}

#[test]
fn too_many_prepared_statements_are_refused_by_mariadb() {
    limits::too_many_prepared_statements_are_refused(Server::Mariadb);
}

#[test]
fn a_full_disk_of_the_server_is_counted() {
    full::a_full_disk_of_the_server_is_counted();
}

#[test]
fn a_full_disk_of_results_does_not_end_the_run() {
    full::a_full_disk_of_results_does_not_end_the_run();
}

#[test]
fn results_below_a_file_are_refused() {
    results::results_below_a_file_are_refused();
}

#[test]
fn two_runs_share_a_folder() {
    results::two_runs_share_a_folder();
}

#[test]
fn a_folder_may_have_any_name() {
    results::a_folder_may_have_any_name();
}

#[test]
fn an_older_table_of_runs_grows() {
    results::an_older_table_of_runs_grows();
}
