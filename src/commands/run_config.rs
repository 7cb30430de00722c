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
use crate::run::pace::{Open, Pace};
use crate::run::timeline::Stop;
use crate::stats::summary::Warning;
use crate::value::{Arrivals, Engine, Isolation, Schedule};
use crate::workload::plan::{Plan, RunDefaults, Transaction};

/// What a run takes where neither flag nor file says.
const CLIENTS: u64 = 1;
const WARMUP: Duration = Duration::from_secs(10);
const TIME: Duration = Duration::from_mins(1);
const GRACE: Duration = Duration::from_secs(1);
const SEED: u64 = 1;
const ERROR_LIMIT: f64 = 0.01;

/// Transactions per second beyond which planning alone would take the cores.
const HIGHEST_RATE: f64 = 10e6;
/// Times keying and think times: beyond it nobody would wait for the run.
const LONGEST_WAIT: f64 = 1000.0;

/// What the command line asks of a run, beside workload and target.
#[derive(Clone, Debug)]
pub struct RunOptions<'a> {
    /// Flags that stand for keys of `[run]`.
    pub flags: RunDefaults,
    pub workers: Option<u64>,
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
            flags: RunDefaults {
                clients: args.clients,
                warmup: args.warmup,
                time: args.time,
                transactions: args.transactions,
                grace: args.grace,
                seed: args.seed,
                error_limit: args.error_limit,
                rate: args.rate,
                arrivals: args.arrivals,
                schedule: args.schedule,
                late_limit: args.late_limit,
                sla: args.sla,
                ..RunDefaults::default()
            },
            workers: args.workers,
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
    let (flags, file) = (&options.flags, &plan.run);
    // A flag for one end of a run takes the place of the file's other end.
    let transactions = flags
        .transactions
        .or(file.transactions.filter(|_| flags.time.is_none()));
    let stop = match transactions {
        Some(0) => return Err(usage(anyhow!("run.transactions is 0; run at least 1"))),
        Some(count) => Stop::Transactions(count),
        None => Stop::After(flags.time.or(file.time).unwrap_or(TIME)),
    };
    if stop == Stop::After(Duration::ZERO) {
        return Err(usage(anyhow!(
            "the measured window is 0 s long; give --time, such as --time 1m"
        )));
    }
    let warmup = match stop {
        // The file's warm-up goes with the file's end of the run.
        Stop::Transactions(_) => {
            let given = file.warmup.filter(|_| flags.transactions.is_none());
            flags.warmup.or(given).unwrap_or(Duration::ZERO)
        }
        Stop::After(_) => flags.warmup.or(file.warmup).unwrap_or(WARMUP),
    };
    let clients = flags.clients.or(file.clients).unwrap_or(CLIENTS);
    if clients == 0 {
        return Err(usage(anyhow!("run.clients is 0; run at least 1")));
    }
    let setup = setup(plan, targets)?;
    let workers = options.workers.unwrap_or(usable_cores()).min(clients);
    Ok(RunConfig {
        targets: targets
            .iter()
            .map(|target| target.clone().with_setup(setup.clone()))
            .collect(),
        clients,
        workers: usize::try_from(workers).unwrap_or(1),
        seed: flags.seed.or(file.seed).unwrap_or(SEED),
        warmup,
        stop,
        grace: flags.grace.or(file.grace).unwrap_or(GRACE),
        pace: pace(plan, flags)?,
        sla: flags.sla.or(file.sla),
        error_limit: flags
            .error_limit
            .or(file.error_limit)
            .unwrap_or(ERROR_LIMIT),
        warnings: options.warnings.clone(),
    })
}

/// Cores that this process may use.
pub fn usable_cores() -> u64 {
    std::thread::available_parallelism().map_or(1, usize::from) as u64
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

/// What keying and think times are multiplied by.
fn wait(plan: &Plan) -> Result<f64> {
    let wait = plan.run.wait.unwrap_or(0.0);
    if !(0.0..=LONGEST_WAIT).contains(&wait) {
        return Err(usage(anyhow!(
            "run.wait is {wait}; give 0 (as fast as it can), 1 (by the book), or another factor up to {LONGEST_WAIT}"
        )));
    }
    let waits = |transaction: &Transaction| !(transaction.keying + transaction.think).is_zero();
    if wait > 0.0 && !plan.transactions.iter().any(waits) {
        return Err(usage(anyhow!(
            "run.wait is {wait}, but no transaction of {} has a keying or think time; give them one, or leave it out",
            plan.workload
        )));
    }
    Ok(wait)
}

/// When transactions start, if all that says so fits together.
pub fn pace(plan: &Plan, flags: &RunDefaults) -> Result<Pace> {
    let file = &plan.run;
    let wait = wait(plan)?;
    let arrivals = flags.arrivals.or(file.arrivals);
    let schedule = flags.schedule.or(file.schedule);
    let late_limit = flags.late_limit.or(file.late_limit);
    let Some(rate) = flags.rate.or(file.rate) else {
        let without = [
            ("arrivals", arrivals.is_some()),
            ("schedule", schedule.is_some()),
            ("late_limit", late_limit.is_some()),
        ];
        return match without.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(usage(anyhow!(
                "run.{key} is given, but it is for an open loop only; give its rate too, such as --rate 1000"
            ))),
            None => Ok(Pace::Closed { wait }),
        };
    };
    if wait > 0.0 {
        return Err(usage(anyhow!(
            "run.wait is {wait} and a rate is given, but an open loop says itself when transactions start; leave one out"
        )));
    }
    if rate <= 0.0 || rate > HIGHEST_RATE {
        return Err(usage(anyhow!(
            "run.rate is {rate} per second; give one above 0 and up to 10M"
        )));
    }
    if late_limit == Some(Duration::ZERO) {
        return Err(usage(anyhow!(
            "run.late_limit is 0s, and nothing starts at the very instant; give a longer one, such as 10ms"
        )));
    }
    Ok(Pace::Open(Open {
        rate,
        arrivals: arrivals.unwrap_or(Arrivals::Poisson),
        schedule: schedule.unwrap_or(Schedule::Pool),
        late_limit,
    }))
}
