//! What every engine must do behind the `Session` trait: the same checks on a
//! new SQLite file and on each server that the environment names in
//! `TIERMARK_TEST_POSTGRES`, `TIERMARK_TEST_MARIADB` and `TIERMARK_TEST_MYSQL`.

#[path = "session/answers.rs"]
mod answers;
#[path = "session/connecting.rs"]
mod connecting;
#[path = "session/contention.rs"]
mod contention;
#[path = "session/place.rs"]
mod place;
#[path = "session/postgres_only.rs"]
mod postgres_only;
#[path = "session/sqlite_only.rs"]
mod sqlite_only;
#[path = "session/values.rs"]
mod values;

use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::db::sqlite::SqliteSession;

use place::Place;

macro_rules! on {
    ($engine:ident, $session:ty, $place:expr, $($topic:ident::$check:ident),* $(,)?) => {
        mod $engine {
            use super::*;
            $(
                #[tokio::test]
                async fn $check() {
                    if let Some(place) = $place {
                        $topic::$check::<$session>(&place).await;
                    }
                }
            )*
        }
    };
}

macro_rules! on_every_engine {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on!(postgres, PgSession, Place::postgres(), $($topic::$check),*);
        on!(mariadb, MysqlSession, Place::mariadb(), $($topic::$check),*);
        on!(mysql, MysqlSession, Place::mysql(), $($topic::$check),*);
        on!(sqlite, SqliteSession, Some(Place::sqlite()), $($topic::$check),*);
    };
}

on_every_engine!(
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
    answers::a_missing_table_names_the_statement,
    answers::facts_and_tables,
    contention::a_duplicate_key_has_its_class,
    contention::two_updates_in_opposite_order_are_retried,
    contention::a_waiting_statement_can_be_cancelled,
    contention::a_waiting_load_can_be_cancelled,
    contention::a_closed_connection_is_disconnected,
    contention::what_is_gone_can_be_cancelled,
    connecting::a_wrong_password_is_said,
    connecting::an_unknown_database_is_said,
    connecting::a_refused_port_is_said,
);
