//! Ways into a server, and why there is none: TLS, passwords, sockets, odd names.
//! On each server that the environment names, and on false ones that say what a
//! healthy server does not.

#[path = "secure/cli.rs"]
mod cli;
#[path = "secure/failures.rs"]
mod failures;
#[path = "secure/fake.rs"]
mod fake;
#[path = "secure/limits.rs"]
mod limits;
#[path = "secure/names.rs"]
mod names;
#[path = "secure/passwords.rs"]
mod passwords;
#[path = "secure/server.rs"]
mod server;
#[path = "secure/tls.rs"]
mod tls;

use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::value::Engine;

use server::Server;

macro_rules! on_every_server {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on_every_server!(@ postgres, Postgres, PgSession, $($topic::$check),*);
        on_every_server!(@ mariadb, Mariadb, MysqlSession, $($topic::$check),*);
        on_every_server!(@ mysql, Mysql, MysqlSession, $($topic::$check),*);
    };
    (@ $name:ident, $engine:ident, $session:ty, $($topic:ident::$check:ident),*) => {
        mod $name {
            use super::*;
            $(
                #[tokio::test]
                async fn $check() {
                    if let Some(server) = Server::of(Engine::$engine) {
                        $topic::$check::<$session>(&server).await;
                    }
                }
            )*
        }
    };
}

on_every_server!(
    tls::each_mode_does_what_it_says,
    tls::a_client_certificate_is_shown,
    tls::what_was_negotiated_is_in_the_manifest,
    failures::a_certificate_that_is_not_accepted_is_explained,
    failures::a_server_without_tls_is_said,
    failures::another_kind_of_server_is_said,
    failures::refusals_are_one_sentence_and_status_3,
    limits::a_user_without_connections_left_is_said,
    names::odd_names_load_and_run,
    passwords::a_file_has_the_password,
    passwords::a_socket_is_reached_by_url,
);
