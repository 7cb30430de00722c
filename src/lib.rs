//! tiermark: an OLTP workload generator that compares storage tiers.
#![forbid(unsafe_code)]

pub mod cli;
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
    mod power;
    mod real;
    pub mod rng;
    mod skew;
    pub mod text;
    pub mod think;
    mod ycsb;
    mod zipf;

    #[cfg(test)]
    mod golden;
    #[cfg(test)]
    mod oracle;
}

/// Figures: recording, merging, judging. No SQL, no clock.
pub mod stats {
    pub mod audit;
    pub mod cell;
    pub mod check;
    pub mod interval;
    pub mod latency;
    pub mod recorder;
    pub mod series;
    pub mod sink;
    pub mod summary;
    pub mod tally;
}

/// Workload and SQL files, compiled to a plan.
pub mod workload {
    mod base;
    pub mod compile;
    mod compile_block;
    mod compile_condition;
    mod compile_draw;
    mod compile_fresh;
    mod compile_kind;
    mod compile_procedure;
    mod compile_table;
    mod compile_tpcc;
    mod compile_transaction;
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
    mod sql_scan;

    /// TPC-C as data: tables, statements, sizes.
    pub mod tpcc {
        pub mod ask;
        pub mod settings;
        pub mod table;
    }
}

/// The machine: what it is, and what its storage has left.
pub mod host {
    pub mod environment;
    pub mod space;
}

/// Databases: one file an engine behind the `Session` trait.
pub mod db {
    mod connect_failure;
    mod copy_text;
    mod cut;
    mod drain;
    mod failure;
    pub mod identifier;
    mod kind;
    mod literal;
    mod moment;
    mod multi_insert;
    mod my_cnf;
    pub mod mysql;
    mod mysql_connect;
    mod mysql_encode;
    mod mysql_facts;
    mod mysql_row;
    pub mod nodelay;
    pub mod null;
    mod null_script;
    pub mod postgres;
    mod postgres_connect;
    mod postgres_encode;
    mod postgres_facts;
    mod postgres_pooler;
    mod postgres_row;
    mod postgres_types;
    mod prepared;
    pub mod session;
    pub mod setup;
    mod simple;
    pub mod sqlite;
    mod sqlite_facts;
    mod sqlite_open;
    mod sqlite_queue;
    mod sqlite_row;
    mod stop;
    pub mod target;
    mod tls_failure;
    mod unreadable;
    mod url_options;
}

/// One transaction and one row of a plan: drawn, then sent.
pub mod transaction {
    pub mod drawn;
    pub mod execute;
    pub mod rows;
    mod script;

    /// TPC-C: the five transactions and the rows of its tables.
    pub mod tpcc {
        mod asker;
        pub mod call;
        #[cfg(test)]
        mod clauses;
        pub mod constants;
        mod delivery;
        pub mod inputs;
        mod new_order;
        mod order_status;
        mod payment;
        pub mod rows;
        pub mod send;
        mod short;
        mod shown;
        mod stock_level;
        mod text;
    }
}

/// Many transactions: clients, workers, phases; the load before them, and its
/// check.
pub mod run {
    pub mod agenda;
    pub mod alarm;
    pub mod arrivals;
    mod backlog;
    pub mod check;
    pub mod check_condition;
    mod check_index;
    mod check_sample;
    pub mod client;
    pub mod collector;
    pub mod execute;
    pub mod fresh;
    pub mod key_range;
    pub mod ledger;
    pub mod load;
    pub mod message;
    pub mod meta;
    pub mod orders;
    pub mod pace;
    mod pieces;
    pub mod prewarm;
    mod tallied;
    pub mod timed;
    pub mod timeline;
    pub mod verdict;
    pub mod worker;
}

/// What people and programs read: files and the terminal.
pub mod report {
    pub mod check;
    pub mod check_condition;
    pub mod csv;
    pub mod environment;
    pub mod files;
    pub mod folder;
    pub mod hlog;
    pub mod manifest;
    pub mod progress;
    pub mod runs;
    pub mod terminal;
    pub mod time;
}

/// One file a subcommand: wire and call.
pub mod commands {
    mod check;
    mod cleanup;
    mod dataset;
    mod demo;
    mod dispatch;
    pub mod exit;
    mod foreign;
    mod interrupt;
    mod limits;
    mod list;
    mod prepare;
    mod prewarm;
    mod procedures;
    mod run;
    mod run_config;
    mod run_record;
    mod show;
    mod target;
    mod workload;

    pub use dispatch::dispatch;
}
