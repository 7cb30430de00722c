//! tiermark: an OLTP workload generator that compares storage tiers.
#![forbid(unsafe_code)]

pub mod units;
pub mod value;

/// Chance: generators, distributions and texts. No SQL, no clock.
pub mod random {
    mod bell;
    mod buffer;
    pub mod distribution;
    pub mod error;
    pub mod mask;
    pub mod names;
    pub mod order;
    mod real;
    pub mod rng;
    mod skew;
    pub mod text;
    mod ycsb;
    mod zipf;

    #[cfg(test)]
    mod golden;
    #[cfg(test)]
    mod oracle;
}

/// Figures: recording, merging, judging. No SQL, no clock.
pub mod stats {
    pub mod cell;
    pub mod interval;
    pub mod latency;
    pub mod recorder;
    pub mod series;
    pub mod sink;
    pub mod summary;
}

/// Workload and SQL files, compiled to a plan.
pub mod workload {
    pub mod compile;
    mod compile_draw;
    mod compile_table;
    pub mod draw;
    pub mod error;
    pub mod mix;
    pub mod plan;
    mod resolve;
    pub mod settings;
    pub mod shipped;
    pub mod source;
    pub mod spec;
    pub mod sql;
}

/// The machine: what it is, and what its storage has left.
pub mod host {
    pub mod environment;
    pub mod space;
}

/// Databases: one file an engine behind the `Session` trait.
pub mod db {
    pub mod session;
}

/// One transaction: the interpreter of a plan.
pub mod transaction {
    pub mod script;
}

/// Many transactions: clients, workers, phases, and the load before them.
pub mod run {
    pub mod client;
    pub mod collector;
    pub mod execute;
    pub mod ledger;
    pub mod message;
    pub mod pace;
    pub mod timed;
    pub mod timeline;
    pub mod verdict;
    pub mod worker;
}
