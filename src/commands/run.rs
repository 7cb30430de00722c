//! `tiermark run`: one workload on one target, and its results.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::RunArgs;
use crate::commands::dataset::Found;
use crate::commands::exit::{GOOD, SUSPECT, server, usage};
use crate::commands::target::{self, block_on, with_session};
use crate::commands::{limits, workload};
use crate::db::session::{Session, Target};
use crate::host::environment::Environment;
use crate::report::csv::FORMAT;
use crate::report::files::RunFiles;
use crate::report::manifest::{Manifest, OutcomePart, RunPart, TargetPart};
use crate::report::terminal::{self, Terminal};
use crate::report::{environment, folder, time};
use crate::run::execute::{RunConfig, Threads, run as execute};
use crate::run::pace::Pace;
use crate::run::timeline::Stop;
use crate::stats::sink::Sink;
use crate::stats::summary::{RunInfo, Summary, Warning};
use crate::units::human_duration;
use crate::value::{Engine, ServerFacts};
use crate::workload::compile::{compile, resolved_text};
use crate::workload::plan::Plan;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

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
    pub tier: &'a str,
    pub log_tier: &'a str,
    pub results: &'a Path,
    pub quiet: bool,
    pub warnings: Vec<Warning>,
}

pub fn run(args: &RunArgs, quiet: bool) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of the files come before any connection.
    compile(&source, &settings, Engine::Null).map_err(usage)?;
    let target = target::given(&args.target)?;
    let options = RunOptions {
        clients: args.clients,
        workers: args.workers,
        warmup: args.warmup,
        time: args.time,
        transactions: args.transactions,
        grace: args.grace,
        seed: args.seed,
        error_limit: args.error_limit,
        tier: &args.tier,
        log_tier: &args.log_tier,
        results: &args.out.out,
        quiet,
        warnings: target::password_warning(&args.target, &target)
            .into_iter()
            .collect(),
    };
    with_session!(target.engine, S => block_on(measure::<S>(&source, &settings, &target, &options)))
}

/// Runs a workload on a target and writes its results; the exit status.
pub async fn measure<S: Session + 'static>(
    source: &Source,
    settings: &Settings,
    target: &Target,
    options: &RunOptions<'_>,
) -> Result<u8> {
    limits::raise_open_files();
    let mut control: S = target::open(target).await?;
    let mut facts = control.facts().await.map_err(server)?;
    let engine = *facts.engine.get_or_insert(target.engine);
    let found = Found::look(&mut control, target, engine).await?;
    let (plan, adopted) = found.plan(source, settings, engine)?;
    let config = config(&plan, target, options)?;
    let now = now_us();
    let label = if options.tier.is_empty() {
        engine.name()
    } else {
        options.tier
    };
    let folder = folder::create(options.results, now, &format!("{}-{label}", plan.workload))
        .with_context(|| format!("cannot make a folder in {}", options.results.display()))
        .map_err(usage)?;
    let mut info = info(&plan, &facts, &config, options);
    info.run = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let host = Environment::read();
    let mut manifest = manifest(source, &adopted, &plan, &facts, &config, &info, target, now)?;
    manifest.data = found.items(&plan);
    manifest.write(&folder)?;
    environment::write(&folder, &host, &facts, &config.warnings)?;
    if !options.quiet {
        announce(&plan, &facts, &config, target);
    }

    let mut files = RunFiles::create(options.results, &folder, &info)?;
    let mut terminal = Terminal::new(options.quiet);
    let sinks: &mut [&mut dyn Sink] = &mut [&mut files, &mut terminal];
    let ran = execute::<S>(
        &config,
        Arc::new(plan),
        info,
        control,
        Threads::Own,
        sinks,
        interrupted(),
    )
    .await;
    let summary = match ran {
        Ok(summary) => summary,
        Err(error) => {
            manifest.outcome.state = format!("not run: {error}");
            manifest.write(&folder)?;
            return Err(server(error));
        }
    };
    manifest.outcome = outcome(&summary);
    manifest.write(&folder)?;
    environment::write(&folder, &host, &facts, &summary.warnings)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", terminal::summary(&summary))?;
    writeln!(out, "{}", folder.display())?;
    Ok(if summary.is_good() { GOOD } else { SUSPECT })
}

/// Flags over the file over what stands here.
fn config(plan: &Plan, target: &Target, options: &RunOptions<'_>) -> Result<RunConfig> {
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
        Stop::Transactions(_) => options.warmup.unwrap_or(Duration::ZERO),
        Stop::After(_) => options.warmup.or(file.warmup).unwrap_or(WARMUP),
    };
    let clients = options.clients.or(file.clients).unwrap_or(CLIENTS);
    if clients == 0 {
        return Err(usage(anyhow!("run.clients is 0; run at least 1")));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let workers = options.workers.unwrap_or(cores).min(clients);
    Ok(RunConfig {
        target: target.clone(),
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

fn info(plan: &Plan, facts: &ServerFacts, config: &RunConfig, options: &RunOptions<'_>) -> RunInfo {
    RunInfo {
        tier: options.tier.to_owned(),
        log_tier: options.log_tier.to_owned(),
        workload: plan.workload.clone(),
        workload_sha: plan.sha.clone(),
        engine: plan.engine.name().to_owned(),
        server_version: facts.version.clone(),
        tls: facts.tls,
        clients: config.clients,
        workers: config.workers as u64,
        seed: config.seed,
        isolation: isolation(facts),
        warmup: config.warmup,
        transactions: plan
            .transactions
            .iter()
            .map(|transaction| transaction.name.clone())
            .collect(),
        ..RunInfo::default()
    }
}

/// The server's default, under the name that its engine gives the setting.
fn isolation(facts: &ServerFacts) -> String {
    let names = [
        "default_transaction_isolation",
        "transaction_isolation",
        "tx_isolation",
    ];
    let setting = facts
        .settings
        .iter()
        .find(|(name, _)| names.contains(&name.as_str()));
    setting.map_or(String::new(), |(_, value)| {
        value.to_lowercase().replace('-', " ")
    })
}

#[expect(
    clippy::too_many_arguments,
    reason = "a manifest is all that a run knows"
)]
fn manifest(
    source: &Source,
    settings: &Settings,
    plan: &Plan,
    facts: &ServerFacts,
    config: &RunConfig,
    info: &RunInfo,
    target: &Target,
    now_us: i64,
) -> Result<Manifest> {
    let (text, sql) = resolved_text(source, settings).map_err(usage)?;
    let mut files = source.sql_files(&sql).map_err(usage)?;
    files.insert("workload".to_owned(), text);
    let (time, transactions) = match config.stop {
        Stop::After(time) => (human_duration(time), None),
        Stop::Transactions(count) => (String::new(), Some(count)),
    };
    Ok(Manifest {
        format: FORMAT,
        tiermark: env!("CARGO_PKG_VERSION").to_owned(),
        run: RunPart {
            name: info.run.clone(),
            workload: plan.workload.clone(),
            workload_sha: plan.sha.clone(),
            created_utc: time::for_cells(now_us),
            tier: info.tier.clone(),
            log_tier: info.log_tier.clone(),
            clients: config.clients,
            workers: info.workers,
            seed: config.seed,
            warmup: human_duration(config.warmup),
            time,
            transactions,
            grace: human_duration(config.grace),
            error_limit: format!("{}%", 100.0 * config.error_limit),
        },
        target: TargetPart {
            url: target.to_string(),
            engine: plan.engine.name().to_owned(),
            version: facts.version.clone(),
            user: facts.user.clone(),
            database: facts.database.clone(),
            tls: facts.tls,
            tls_detail: facts.tls_detail.clone(),
            protocol: target.protocol().name().to_owned(),
            isolation: info.isolation.clone(),
            session_notes: facts.session_notes.clone(),
        },
        params: plan.params.iter().cloned().collect(),
        data: std::collections::BTreeMap::new(),
        outcome: OutcomePart {
            state: "running".to_owned(),
            warnings: Vec::new(),
        },
        files,
    })
}

fn outcome(summary: &Summary) -> OutcomePart {
    let interrupted = summary
        .warnings
        .iter()
        .any(|warning| warning.code == "interrupted");
    OutcomePart {
        state: if interrupted {
            "interrupted"
        } else {
            "finished"
        }
        .to_owned(),
        warnings: summary
            .warnings
            .iter()
            .map(|warning| format!("{}: {}", warning.code, warning.message))
            .collect(),
    }
}

fn announce(plan: &Plan, facts: &ServerFacts, config: &RunConfig, target: &Target) {
    let end = match config.stop {
        Stop::After(time) => format!("{} measured", human_duration(time)),
        Stop::Transactions(count) => format!("{count} transactions"),
    };
    let tls = if facts.tls { " with TLS" } else { "" };
    eprintln!(
        "{} on {} {}{tls}, {target}: {} clients, {} of warm-up, {end}, seed {}",
        plan.workload,
        plan.engine,
        facts.version,
        config.clients,
        human_duration(config.warmup),
        config.seed
    );
    let data: Vec<String> = plan
        .data_params
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !data.is_empty() {
        eprintln!("data: {}", data.join(", "));
    }
}

/// Resolves at the first Ctrl-C or SIGTERM; the second ends the program at once.
async fn interrupted() {
    let handlers = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    let (Ok(mut interrupt), Ok(mut terminate)) = handlers else {
        // Without handlers the signals end the program as they always do.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    eprintln!("stopping: what is in flight may end; once more ends at once");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime {
            runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            });
            std::process::exit(130);
        }
    });
}

fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
