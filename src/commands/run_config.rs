//! What a run is to be: flags over the workload's `[run]` over defaults.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};

use crate::cli::RunArgs;
use crate::commands::exit::usage;
use crate::db::session::Target;
use crate::db::setup::Setup;
use crate::report::csv::Form;
use crate::run::execute::RunConfig;
use crate::run::pace::Pace;
use crate::run::timeline::Stop;
use crate::stats::summary::Warning;
use crate::value::{Engine, Isolation};
use crate::workload::plan::Plan;

/// What a run takes where neither flag nor file says.
const CLIENTS: u64 = 1;
const WARMUP: Duration = Duration::from_secs(10);
const TIME: Duration = Duration::from_mins(1);
const GRACE: Duration = Duration::from_secs(1);
const SEED: u64 = 1;
const ERROR_LIMIT: f64 = 0.01;

/// What the command line asks of a run, beside workload and target.
#[derive(Clone, Debug)]
pub struct RunOptions<'a> {
    pub clients: Option<u64>,
    pub workers: Option<u64>,
    pub warmup: Option<Duration>,
    pub time: Option<Duration>,
    pub transactions: Option<u64>,
    pub grace: Option<Duration>,
    pub seed: Option<u64>,
    pub error_limit: Option<f64>,
    pub tier: Option<&'a str>,
    pub log_tier: Option<&'a str>,
    /// The tables were made by another tool.
    pub foreign_data: bool,
    pub csv: Form,
    pub results: &'a Path,
    pub quiet: bool,
    pub warnings: Vec<Warning>,
}

impl RunOptions<'_> {
    pub fn of(args: &RunArgs, quiet: bool, warnings: Vec<Warning>) -> RunOptions<'_> {
        RunOptions {
            clients: args.clients,
            workers: args.workers,
            warmup: args.warmup,
            time: args.time,
            transactions: args.transactions,
            grace: args.grace,
            seed: args.seed,
            error_limit: args.error_limit,
            tier: args.tier.as_deref(),
            log_tier: args.log_tier.as_deref(),
            foreign_data: args.foreign_data,
            csv: args.out.csv,
            results: &args.out.out,
            quiet,
            warnings,
        }
    }
}

/// Flags over the file over what stands here.
pub fn config(plan: &Plan, targets: &[Target], options: &RunOptions<'_>) -> Result<RunConfig> {
    let file = &plan.run;
    // A flag for one end of a run takes the place of the file's other end.
    let transactions = options
        .transactions
        .or(file.transactions.filter(|_| options.time.is_none()));
    let stop = match transactions {
        Some(0) => return Err(usage(anyhow!("run.transactions is 0; run at least 1"))),
        Some(count) => Stop::Transactions(count),
        None => Stop::After(options.time.or(file.time).unwrap_or(TIME)),
    };
    if stop == Stop::After(Duration::ZERO) {
        return Err(usage(anyhow!(
            "the measured window is 0 s long; give --time, such as --time 1m"
        )));
    }
    let warmup = match stop {
        // The file's warm-up goes with the file's end of the run.
        Stop::Transactions(_) => {
            let given = file.warmup.filter(|_| options.transactions.is_none());
            options.warmup.or(given).unwrap_or(Duration::ZERO)
        }
        Stop::After(_) => options.warmup.or(file.warmup).unwrap_or(WARMUP),
    };
    let clients = options.clients.or(file.clients).unwrap_or(CLIENTS);
    if clients == 0 {
        return Err(usage(anyhow!("run.clients is 0; run at least 1")));
    }
    let setup = setup(plan, targets)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let workers = options.workers.unwrap_or(cores).min(clients);
    Ok(RunConfig {
        targets: targets
            .iter()
            .map(|target| target.clone().with_setup(setup.clone()))
            .collect(),
        clients,
        workers: usize::try_from(workers).unwrap_or(1),
        seed: options.seed.or(file.seed).unwrap_or(SEED),
        warmup,
        stop,
        grace: options.grace.or(file.grace).unwrap_or(GRACE),
        pace: Pace::Closed,
        error_limit: options
            .error_limit
            .or(file.error_limit)
            .unwrap_or(ERROR_LIMIT),
        warnings: options.warnings.clone(),
    })
}

/// What clients' sessions begin with; refused where the engine cannot do it.
fn setup(plan: &Plan, targets: &[Target]) -> Result<Setup> {
    let isolation = plan.run.isolation;
    let other = isolation.filter(|level| *level != Isolation::Serializable);
    match other {
        Some(level) if targets[0].engine == Engine::Sqlite => Err(usage(anyhow!(
            "run.isolation: SQLite knows serializable only, not {level}; leave it out"
        ))),
        _ => Ok(Setup {
            statements: plan.run.session.clone(),
            isolation,
        }),
    }
}
