//! The command line as clap sees it. No logic.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::db::session::Protocol;
use crate::report::csv::Form;
use crate::units::{parse_count, parse_duration, parse_percent, parse_real};
use crate::value::{Arrivals, Engine, Schedule};

/// OLTP workloads on real MySQL, MariaDB and PostgreSQL servers, to compare
/// storage tiers.
#[derive(Debug, Parser)]
#[command(name = "tiermark", version, max_term_width = 100)]
pub struct Cli {
    /// No progress on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the shipped workloads
    List,
    /// Show what a workload does, or the exact statements that a client sends first
    Show(ShowArgs),
    /// Make and fill a workload's tables
    Prepare(PrepareArgs),
    /// Run a workload and write its results
    Run(Box<RunArgs>),
    /// Compare a workload's tables with what was loaded, and ask its conditions
    Check(CheckArgs),
    /// Drop a workload's tables
    Cleanup(CleanupArgs),
    /// Prepare, run and show `oltp_read_write` on embedded SQLite: nothing to install
    Demo(DemoArgs),
}

/// Which workload, and what is changed in it.
#[derive(Clone, Debug, Args)]
pub struct WorkloadArgs {
    /// A shipped name (see `tiermark list`), a workload file, or a run's manifest.toml
    pub workload: String,

    /// Use one of the file's presets
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Change a parameter (rows=10k) or any key (draw.id.h=0.1); may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,

    /// Look for SQL files here before the shipped ones: DIR/ENGINE/ and DIR/common/
    #[arg(long, value_name = "DIR")]
    pub sql_dir: Option<PathBuf>,
}

/// Which database.
#[derive(Clone, Debug, Args)]
pub struct TargetArgs {
    /// postgres://, mysql://, mariadb:// or sqlite: URL of the database; better in `TIERMARK_URL`,
    /// which is not in the process list
    #[arg(long, value_name = "URL", env = "TIERMARK_URL", hide_env_values = true)]
    pub url: Option<String>,

    /// How statements are sent: prepared, or simple, which prepares nothing and
    /// so passes PgBouncer in transaction mode and ProxySQL
    #[arg(long, value_name = "PROTOCOL", default_value = "prepared", value_parser = protocol)]
    pub protocol: Protocol,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub workload: WorkloadArgs,

    /// For which engine: postgres, mysql, mariadb or sqlite
    #[arg(long, value_name = "ENGINE", default_value = "postgres", value_parser = engine)]
    pub engine: Engine,

    /// Print the first transactions of this client (from 0); with a rate in `[run]`
    /// and the schedule pool, the first arrivals, whoever takes them
    #[arg(long, value_name = "N")]
    pub client: Option<u64>,

    /// How many transactions to print
    #[arg(long, value_name = "K", default_value = "1", value_parser = parse_count, requires = "client")]
    pub first: u64,

    /// Those of the warm-up
    #[arg(long, requires = "client")]
    pub warmup: bool,

    /// Seed of the run
    #[arg(long, value_name = "S", value_parser = parse_count)]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
pub struct PrepareArgs {
    #[command(flatten)]
    pub workload: WorkloadArgs,

    #[command(flatten)]
    pub target: TargetArgs,

    /// Connections that load at a time [default: two per core, 2 to 8]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub threads: Option<u64>,

    /// Seed of the data
    #[arg(long, value_name = "S", default_value = "1", value_parser = parse_count)]
    pub seed: u64,

    /// Go on with a load that was cut off
    #[arg(long, conflicts_with = "recreate")]
    pub resume: bool,

    /// Drop the workload's tables first, if tiermark made them
    #[arg(long)]
    pub recreate: bool,
}

/// One or more servers of one engine and version.
#[derive(Clone, Debug, Args)]
pub struct TargetsArgs {
    /// postgres://, mysql://, mariadb:// or sqlite: URL of the database; better in `TIERMARK_URL`,
    /// which is not in the process list. Given several times, clients are dealt
    /// to the servers in turn
    #[arg(
        long = "url",
        value_name = "URL",
        env = "TIERMARK_URL",
        hide_env_values = true
    )]
    pub urls: Vec<String>,

    /// How statements are sent: prepared, or simple, which prepares nothing and
    /// so passes PgBouncer in transaction mode and ProxySQL
    #[arg(long, value_name = "PROTOCOL", default_value = "prepared", value_parser = protocol)]
    pub protocol: Protocol,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub workload: WorkloadArgs,

    #[command(flatten)]
    pub targets: TargetsArgs,

    /// Connections that run transactions at the same time
    #[arg(long, short = 'c', alias = "threads", value_name = "N", value_parser = positive)]
    pub clients: Option<u64>,

    /// Threads that share the clients [default: the cores, at most the clients]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub workers: Option<u64>,

    /// Length of the warm-up, which is not measured
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub warmup: Option<Duration>,

    /// Length of the measured window
    #[arg(long, short = 'T', value_name = "D", value_parser = parse_duration, conflicts_with = "transactions")]
    pub time: Option<Duration>,

    /// End after exactly this many transactions instead; no warm-up unless asked for
    #[arg(long, value_name = "N", value_parser = positive)]
    pub transactions: Option<u64>,

    /// For what is in flight at the end of the window [default: 1s]
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub grace: Option<Duration>,

    /// Seed of the run [default: 1]
    #[arg(long, value_name = "S", value_parser = parse_count)]
    pub seed: Option<u64>,

    /// Failed share above which the exit status is 1 [default: 1%]
    #[arg(long, value_name = "P", value_parser = parse_percent)]
    pub error_limit: Option<f64>,

    /// Open loop: start this many transactions a second, all clients together, at
    /// planned instants, however long the server takes
    #[arg(long, value_name = "R", value_parser = parse_real)]
    pub rate: Option<f64>,

    /// Gaps between the planned instants: poisson (independent users) or
    /// constant [default: poisson]
    #[arg(long, value_name = "KIND", value_parser = arrivals)]
    pub arrivals: Option<Arrivals>,

    /// Who takes a transaction that is due: any free client (pool), or its own
    /// client (`per_client`) [default: pool]
    #[arg(long, value_name = "KIND", value_parser = schedule)]
    pub schedule: Option<Schedule>,

    /// Skip, and count, what could not start this soon after its planned instant
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub late_limit: Option<Duration>,

    /// Count the share of transactions with a response time within this
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub sla: Option<Duration>,

    /// Name of the tier that the data lies on, for the results
    #[arg(long, value_name = "NAME")]
    pub tier: Option<String>,

    /// Name of the tier that the log lies on, for the results
    #[arg(long, value_name = "NAME")]
    pub log_tier: Option<String>,

    /// Run on tables that another tool made, such as sysbench or pgbench: their size is what
    /// file and --set say
    #[arg(long)]
    pub foreign_data: bool,

    #[command(flatten)]
    pub out: OutArgs,
}

#[derive(Clone, Debug, Args)]
pub struct OutArgs {
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,

    /// Form of the CSV files: standard, or eu, with ; between cells and , in numbers
    #[arg(long, value_name = "FORM", default_value = "standard", value_parser = csv_form)]
    pub csv: Form,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub workload: WorkloadArgs,

    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub out: OutArgs,
}

#[derive(Debug, Args)]
pub struct CleanupArgs {
    #[command(flatten)]
    pub workload: WorkloadArgs,

    #[command(flatten)]
    pub target: TargetArgs,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    #[command(flatten)]
    pub out: OutArgs,
}

fn engine(text: &str) -> Result<Engine, String> {
    let known = [
        Engine::Postgres,
        Engine::Mysql,
        Engine::Mariadb,
        Engine::Sqlite,
    ];
    let found = known.into_iter().find(|engine| engine.name() == text);
    found.ok_or_else(|| format!("`{text}` is no engine; use postgres, mysql, mariadb or sqlite"))
}

fn arrivals(text: &str) -> Result<Arrivals, String> {
    one_of("kind of arrivals", &Arrivals::NAMES, text)
}

fn schedule(text: &str) -> Result<Schedule, String> {
    one_of("schedule", &Schedule::NAMES, text)
}

fn one_of<T: Copy>(what: &str, known: &[(&str, T)], text: &str) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("`{text}` is no {what}; use {}", names.join(" or "))
    })
}

fn protocol(text: &str) -> Result<Protocol, String> {
    let found = [Protocol::Prepared, Protocol::Simple]
        .into_iter()
        .find(|protocol| protocol.name() == text);
    found.ok_or_else(|| format!("`{text}` is no protocol; use prepared or simple"))
}

fn csv_form(text: &str) -> Result<Form, String> {
    let found = Form::ALL.into_iter().find(|form| form.name() == text);
    found.ok_or_else(|| format!("`{text}` is no form; use standard or eu"))
}

fn positive(text: &str) -> Result<u64, String> {
    match parse_count(text) {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(count) => Ok(count),
        Err(error) => Err(error.to_string()),
    }
}
