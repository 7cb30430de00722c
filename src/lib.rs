//! tiermark: an OLTP workload generator that compares storage tiers.
#![forbid(unsafe_code)]

pub mod units;
pub mod value;

/// Chance: generators, distributions and texts. No SQL, no clock.
pub mod random {}

/// Databases: one file an engine behind the `Session` trait.
pub mod db {
    pub mod session;
}
