//! `tiermark check` from the command line: what it passes, what it finds, and
//! what it leaves out. On a new SQLite file, and in a database of each test's
//! own on the servers that the environment names with the addresses of their
//! administrators (`TIERMARK_TEST_POSTGRES`, `TIERMARK_TEST_POSTGRES_ADMIN`).

#[path = "check/conditions.rs"]
mod conditions;
#[path = "check/faults.rs"]
mod faults;
#[path = "check/place.rs"]
mod place;
#[path = "check/refusals.rs"]
mod refusals;
#[path = "check/skips.rs"]
mod skips;

use place::Place;

macro_rules! on {
    ($engine:ident, $place:expr, $($topic:ident::$check:ident),* $(,)?) => {
        mod $engine {
            use super::*;
            $(
                #[test]
                fn $check() {
                    if let Some(place) = $place {
                        $topic::$check(&place);
                    }
                }
            )*
        }
    };
}

macro_rules! on_every_engine {
    ($($topic:ident::$check:ident),* $(,)?) => {
        on!(postgres, Place::postgres(), $($topic::$check),*);
        on!(mariadb, Place::mariadb(), $($topic::$check),*);
        on!(mysql, Place::mysql(), $($topic::$check),*);
        on!(sqlite, Some(Place::sqlite()), $($topic::$check),*);
    };
}

on_every_engine!(
    faults::each_change_is_found_by_its_own_checks,
    skips::only_a_run_that_writes_leaves_the_sample_out,
    skips::tables_without_key_or_that_grow_say_so,
    conditions::each_is_asked_everywhere_and_names_its_keys,
    refusals::what_is_not_there_or_not_the_same_is_refused,
);
