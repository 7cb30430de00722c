//! Sessions that prepare nothing: the checks of `session.rs` on each server with
//! its statements sent as texts, and whole runs through PgBouncer.

#[path = "session/answers.rs"]
#[expect(dead_code, reason = "a missing table is not noticed at open here")]
mod answers;
#[path = "secure/cli.rs"]
mod cli;
#[path = "session/contention.rs"]
mod contention;
#[path = "simple/database.rs"]
mod database;
#[path = "session/place.rs"]
#[expect(dead_code, reason = "SQLite has no protocol to choose")]
mod place;
#[path = "simple/pooler.rs"]
mod pooler;
#[path = "simple/texts.rs"]
mod texts;
#[path = "session/values.rs"]
mod values;

use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;

use place::Place;

macro_rules! on {
    ($engine:ident, $session:ty, $($topic:ident::$check:ident),* $(,)?) => {
        mod $engine {
            use super::*;
            $(
                #[tokio::test]
                async fn $check() {
                    let Some(place) = Place::$engine() else { return };
                    if let Some(place) = database::simple::<$session>(place).await {
                        $topic::$check::<$session>(&place).await;
                    }
                }
            )*
        }
    };
}

macro_rules! on_every_server {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on!(postgres, PgSession, $($topic::$check),*);
        on!(mariadb, MysqlSession, $($topic::$check),*);
        on!(mysql, MysqlSession, $($topic::$check),*);
    };
}

on_every_server!(
    values::one_text_serves_all_engines,
    values::money_is_exact,
    values::null_is_null,
    values::a_load_keeps_odd_characters,
    values::a_long_load_is_complete,
    answers::rows_are_counted,
    answers::a_failing_callback_leaves_the_session_usable,
    answers::wrong_reads_are_errors,
    answers::a_wrong_number_of_values_is_refused,
    answers::transactions_commit_and_roll_back,
    answers::facts_and_tables,
    contention::a_duplicate_key_has_its_class,
    contention::two_updates_in_opposite_order_are_retried,
    contention::a_waiting_statement_can_be_cancelled,
    contention::a_waiting_load_can_be_cancelled,
    contention::a_closed_connection_is_disconnected,
    contention::what_is_gone_can_be_cancelled,
    texts::nothing_is_prepared,
    texts::odd_texts_come_back,
    texts::extreme_numbers_come_back,
    texts::doubtful_quotes_are_refused,
);
