//! `tiermark run`: one workload on its targets, and its results.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};

use crate::cli::RunArgs;
use crate::commands::dataset::Found;
use crate::commands::exit::{GOOD, SUSPECT, server, usage};
use crate::commands::interrupt::interrupted;
use crate::commands::prewarm::prewarm;
use crate::commands::run_config::{RunOptions, config};
use crate::commands::run_record::{info, manifest, outcome, shown};
use crate::commands::target::{self, block_on, with_session};
use crate::commands::{foreign, limits, procedures, workload};
use crate::db::session::{Protocol, Session, Target};
use crate::host::environment::Environment;
use crate::report::files::RunFiles;
use crate::report::progress::{Progress, note};
use crate::report::terminal;
use crate::report::{environment, folder, time};
use crate::run::execute::{RunConfig, RunError, Threads, not_written, run as execute};
use crate::run::pace::Pace;
use crate::run::timeline::Stop;
use crate::run::{fresh, meta};
use crate::stats::sink::Sink;
use crate::units::{counted, human_duration};
use crate::value::ServerFacts;
use crate::workload::compile::check;
use crate::workload::draw::Generator;
use crate::workload::plan::Plan;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

pub fn run(args: &RunArgs, quiet: bool) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of files and flags come before any connection.
    let plan = check(&source, &settings).map_err(usage)?;
    let targets = target::all_given(&args.targets.urls, args.targets.protocol)?;
    let password = target::password_warning(&args.targets.urls, &targets);
    let options = RunOptions::of(args, quiet, password.into_iter().collect());
    config(&plan, &targets, &options)?;
    with_session!(targets[0].engine, S => block_on(measure::<S>(&source, &settings, &targets, &options)))
}

/// The servers of a run, with what is in them.
struct Servers<S> {
    /// One session on each, to cancel with.
    controls: Vec<S>,
    facts: Vec<ServerFacts>,
    found: Vec<Found>,
    plan: Plan,
    /// With the parameters that were taken from the load.
    settings: Settings,
}

/// Runs a workload on its targets and writes its results; the exit status.
pub async fn measure<S: Session + 'static>(
    source: &Source,
    settings: &Settings,
    targets: &[Target],
    options: &RunOptions<'_>,
) -> Result<u8> {
    let Servers {
        controls,
        mut facts,
        found,
        mut plan,
        settings,
    } = look::<S>(source, settings, targets, options.foreign_data).await?;
    let config = config(&plan, targets, options)?;
    limits::open_files(plan.engine, config.clients)?;
    let each = config.clients.div_ceil(targets.len() as u64);
    for facts in &facts {
        let prepared = match config.targets[0].protocol() {
            Protocol::Prepared => plan.statements.len() as u64,
            Protocol::Simple => 0,
        };
        limits::of_server(facts, each, prepared)?;
    }
    set_up::<S>(&config, &mut facts).await?;
    if options.foreign_data {
        for target in targets {
            foreign::try_statements::<S>(&plan, target).await?;
            foreign::refuse_shorter::<S>(&plan, target).await?;
        }
    }
    let facts = &facts[0];
    if plan.run.prewarm {
        prewarm::<S>(&plan, targets, config.workers, options.quiet).await?;
    }
    fresh::find::<S>(&mut plan, targets).await.map_err(server)?;
    refuse_full_columns(&plan)?;

    let now = now_us();
    let engine = plan.engine.name();
    let label = format!("{}-{}", plan.workload, options.tier.unwrap_or(engine));
    let folder = folder::create(options.results, now, &label)
        .with_context(|| format!("cannot make a folder in {}", options.results.display()))
        .map_err(usage)?;
    let mut info = info(&plan, facts, &config, options);
    let name = folder.file_name().unwrap_or_default();
    info.run = name.to_string_lossy().into_owned();
    let host = Environment::read();
    let mut manifest = manifest(source, &settings, &plan, facts, &config, &info, now)?;
    manifest.run.foreign_data = options.foreign_data;
    if !options.foreign_data {
        manifest.data = found[0].items(&plan);
    }
    manifest.write(&folder)?;
    environment::write(&folder, &host, facts, &config.warnings)?;
    let mut files = RunFiles::create(options.results, &folder, &info, options.csv)?;
    let mut progress = Progress::new(options.quiet);
    let sinks: &mut [&mut dyn Sink] = &mut [&mut files, &mut progress];
    if !options.quiet {
        announce(&plan, facts, &config, &manifest.data);
    }

    let plan = Arc::new(plan);
    let ran = async {
        if !options.foreign_data {
            for (found, target) in found.iter().zip(targets) {
                let at = time::for_cells(now);
                found.mark_written::<S>(&plan, target, &at).await?;
            }
        }
        let (plan, threads) = (plan.clone(), Threads::Own);
        let ran = execute::<S>(&config, plan, info, controls, threads, sinks, interrupted());
        ran.await.map_err(|error| match error {
            RunError::Interrupted => error.into(),
            RunError::Connect(_) | RunError::Thread(_) => server(error),
        })
    };
    let mut summary = match ran.await {
        Ok(summary) => summary,
        Err(error) => {
            manifest.outcome.state = format!("not run: {error:#}");
            // The error itself matters more than its copy on disk.
            let _ = manifest.write(&folder);
            return Err(error);
        }
    };
    manifest.outcome = outcome(&summary);
    let written = manifest
        .write(&folder)
        .and_then(|()| environment::write(&folder, &host, facts, &summary.warnings));
    if let Err(error) = written {
        summary.warnings.push(not_written(&error));
    }
    let mut out = std::io::stdout().lock();
    // Whether someone reads this or not, the status is that of the run.
    let _ = writeln!(out, "{}", terminal::summary(&summary));
    let _ = writeln!(out, "{}", folder.display());
    Ok(if summary.is_good() { GOOD } else { SUSPECT })
}

/// Opens a session as each client's will be: what it is told may be refused, and
/// what it then says about itself is what is in force.
async fn set_up<S: Session>(config: &RunConfig, facts: &mut [ServerFacts]) -> Result<()> {
    let asked = config.targets.iter().zip(facts);
    for (target, facts) in asked.filter(|(target, _)| !target.setup().is_empty()) {
        if facts.pooled {
            return Err(usage(anyhow!(
                "a pooler stands before {target}, where run.session and run.isolation would reach other clients' sessions; leave them out, or give the server's own address"
            )));
        }
        let mut session: S = target::open(target).await?;
        let told = session.facts().await.map_err(server)?;
        session.close().await.map_err(server)?;
        refuse_another_place(facts, &told)?;
        *facts = told;
        let sent = target.setup().statements.iter();
        facts
            .session_notes
            .extend(sent.map(|sql| format!("each client was first told: {sql}")));
    }
    Ok(())
}

/// Where keys have come to the end of their column there are no fresh ones.
fn refuse_full_columns(plan: &Plan) -> Result<()> {
    for draw in &plan.draws {
        let Generator::Fresh { table, base, .. } = &draw.generator else {
            continue;
        };
        let of_entry = plan.tables.iter().find(|known| &known.entry == table);
        let most = of_entry.and_then(|table| table.max_rows);
        if let Some(most) = most
            && base.unsigned_abs() >= most
        {
            return Err(usage(anyhow!(
                "the largest key of {table} is {base}, and its columns hold numbers up to {most}: there are no fresh ones; load anew with prepare --recreate"
            )));
        }
    }
    Ok(())
}

/// The tables were looked at as the URL leads to them; clients must find the same.
fn refuse_another_place(asked: &ServerFacts, told: &ServerFacts) -> Result<()> {
    let path = |facts: &ServerFacts| {
        let path = facts
            .settings
            .iter()
            .find(|(name, _)| name == "search_path");
        path.map(|(_, path)| path.clone())
    };
    if (&asked.database, path(asked)) == (&told.database, path(told)) {
        return Ok(());
    }
    Err(usage(anyhow!(
        "run.session leads to other tables than the URL does: tiermark would look at the one and change the other; give database and search path in the URL, such as ?options[search_path]=NAME"
    )))
}

/// Connects to every server and sees that it is of one kind with the others and
/// holds the workload's data.
async fn look<S: Session>(
    source: &Source,
    settings: &Settings,
    targets: &[Target],
    foreign_data: bool,
) -> Result<Servers<S>> {
    let mut controls: Vec<S> = Vec::new();
    let mut facts: Vec<ServerFacts> = Vec::new();
    for target in targets {
        let mut control: S = target::open_existing(target).await?;
        facts.push(control.facts().await.map_err(server)?);
        controls.push(control);
    }
    refuse_several_kinds(&facts, targets)?;
    let engine = facts[0].engine.unwrap_or(targets[0].engine);
    let mut found = vec![Found::look(&mut controls[0], &targets[0], engine).await?];
    let plan_of = |found: &Found, settings: &Settings| -> Result<(Plan, Settings)> {
        if foreign_data {
            let plan = foreign::plan(found, source, settings, engine)?;
            return Ok((plan, settings.clone()));
        }
        let (plan, settings) = found.plan(source, settings, engine, foreign::REMEDY)?;
        procedures::refuse_foreign(found, &plan)?;
        procedures::refuse_missing(found, &plan)?;
        Ok((plan, settings))
    };
    let (plan, settings) = plan_of(&found[0], settings)?;
    for (control, target) in controls.iter_mut().zip(targets).skip(1) {
        let other = Found::look(control, target, engine).await?;
        plan_of(&other, &settings)?;
        found.push(other);
    }
    Ok(Servers {
        controls,
        facts,
        found,
        plan,
        settings,
    })
}

fn refuse_several_kinds(servers: &[ServerFacts], targets: &[Target]) -> Result<()> {
    let first = &servers[0];
    for (other, target) in servers.iter().zip(targets) {
        if (other.engine, &other.version) != (first.engine, &first.version) {
            return Err(usage(anyhow!(
                "{} is version {} and {target} is version {}; a run has one version",
                targets[0],
                first.version,
                other.version
            )));
        }
    }
    Ok(())
}

fn announce(
    plan: &Plan,
    facts: &ServerFacts,
    config: &RunConfig,
    items: &BTreeMap<String, String>,
) {
    let end = match config.stop {
        Stop::After(time) => format!("{} measured", human_duration(time)),
        Stop::Transactions(count) => counted(count, "transaction"),
    };
    let tls = if facts.tls { " with TLS" } else { "" };
    let pace = match &config.pace {
        Pace::Closed { wait } if *wait > 0.0 => format!(", keying and think times times {wait}"),
        Pace::Closed { .. } => String::new(),
        Pace::Open(open) => format!(
            ", {} due a second ({}, {})",
            open.rate,
            open.arrivals.name(),
            open.schedule.name()
        ),
    };
    note(format_args!(
        "{} on {} {}{tls}, {}: {}{pace}, {} of warm-up, {end}, seed {}",
        plan.workload,
        plan.engine,
        facts.version,
        shown(&config.targets),
        counted(config.clients, "client"),
        human_duration(config.warmup),
        config.seed
    ));
    let data = plan.data_params.iter();
    let data: Vec<String> = data
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !data.is_empty() {
        let by = match items.get(meta::WORKLOAD) {
            Some(workload) => format!("prepared by {workload}"),
            None => "as file and flags say".to_owned(),
        };
        note(format_args!("data: {}, {by}", data.join(", ")));
    }
    let keys = plan.draws.iter().filter_map(|draw| match &draw.generator {
        Generator::Fresh { base, .. } => {
            let first = base.saturating_add(1);
            Some(format!("{} {}, from {first}", draw.name, draw.generator))
        }
        keys if keys.bounds().is_some() => {
            Some(format!("{} {}", draw.name, keys.shown_with_hottest()))
        }
        _ => None,
    });
    let keys: Vec<String> = keys.collect();
    if !keys.is_empty() {
        note(format_args!("draws: {}", keys.join("; ")));
    }
}

pub fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
