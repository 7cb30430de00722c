//! `tiermark prepare`: makes and fills the tables of a workload.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::cli::PrepareArgs;
use crate::commands::dataset::{Found, KEEP_AWAY, announce};
use crate::commands::exit::{GOOD, server, usage};
use crate::commands::interrupt;
use crate::commands::procedures;
use crate::commands::target::{self, block_on, with_session};
use crate::commands::workload;
use crate::db::session::{Session, Target};
use crate::host::space::free_bytes;
use crate::report::progress::{StepBar, note, rows_in};
use crate::run::load::{estimate, load};
use crate::run::meta::{self, MetaSession};
use crate::units::{counted, grouped, human_bytes};
use crate::value::ServerFacts;
use crate::workload::compile::{check, compile};
use crate::workload::plan::Plan;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

/// What a load takes beside its workload.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub threads: usize,
    pub seed: u64,
    pub leftovers: Leftovers,
    pub quiet: bool,
}

/// What becomes of tables that an earlier load made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftovers {
    Refuse,
    Resume,
    Recreate,
}

pub fn run(args: &PrepareArgs, quiet: bool) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of the files come before any connection.
    check(&source, &settings).map_err(usage)?;
    let target = target::given(&args.target)?;
    let options = LoadOptions {
        threads: args.threads.map_or_else(default_threads, |threads| {
            usize::try_from(threads).unwrap_or(usize::MAX)
        }),
        seed: args.seed,
        leftovers: match (args.resume, args.recreate) {
            (true, _) => Leftovers::Resume,
            (_, true) => Leftovers::Recreate,
            _ => Leftovers::Refuse,
        },
        quiet,
    };
    interrupt::say_and_exit(format!(
        "stopped; go on with tiermark prepare {} --resume",
        source.name
    ));
    with_session!(target.engine, S => block_on(prepare::<S>(&source, &settings, &target, &options)))?;
    Ok(GOOD)
}

pub fn default_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * cores).clamp(2, 8)
}

/// Prepares a workload on a target.
pub async fn prepare<S: Session>(
    source: &Source,
    settings: &Settings,
    target: &Target,
    options: &LoadOptions,
) -> Result<()> {
    let mut control: S = target::open(target).await?;
    let facts = control.facts().await.map_err(server)?;
    let engine = facts.engine.unwrap_or(target.engine);
    let mut plan = compile(source, settings, engine).map_err(usage)?;
    if plan.tables.is_empty() {
        return Err(usage(anyhow!("{} has no tables to prepare", source.name)));
    }
    let mut found = Found::look(&mut control, target, engine).await?;
    found.refuse_foreign(&plan, KEEP_AWAY)?;
    procedures::refuse_foreign(&found, &plan)?;
    let owned = found.owned(&plan);
    let owned_procedures = procedures::owned(&found, &plan.workload, &owned);
    match (owned.first(), options.leftovers) {
        (None, _) => {}
        (Some(first), Leftovers::Refuse) => {
            control.close().await.map_err(server)?;
            return match found.plan(source, settings, engine, KEEP_AWAY) {
                Ok((plan, _)) if !procedures::missing(&found, &plan).is_empty() => {
                    procedures::make::<S>(target, &found, &plan, options.quiet).await
                }
                _ => Err(usage(refusal(&found, first))),
            };
        }
        (Some(_), Leftovers::Resume) => {
            (plan, _) = found.adopt(source, settings, &plan)?;
            found.check_leftovers(&plan, options.seed)?;
        }
        (Some(_), Leftovers::Recreate) => {
            let mut what = counted(owned.len() as u64, "table");
            if !owned_procedures.is_empty() {
                let procedures = counted(owned_procedures.len() as u64, "procedure");
                what = format!("{what} and {procedures}");
            }
            let what = format!("dropping {what} that tiermark made");
            announce(target, &facts, &what);
        }
    }
    let (rows, bytes) = estimate(&plan, options.seed);
    if !options.quiet {
        note(format_args!(
            "{}, {} rows, about {}",
            counted(plan.tables.len() as u64, "table"),
            grouped(rows),
            human_bytes(bytes)
        ));
    }
    // What a cut-off load has written is no longer free, nor needed again.
    if options.leftovers != Leftovers::Resume {
        refuse_beyond_space(target, &facts, bytes)?;
    }

    if !found.has(meta::TABLE) {
        let create = meta::ddl("create", engine).map_err(server)?;
        let made = control.raw(&create).await;
        made.context("cannot make tiermark_meta").map_err(server)?;
    }
    let opened = MetaSession::<S>::open(target, engine).await;
    let mut book = opened.map_err(server)?;
    if options.leftovers == Leftovers::Recreate {
        procedures::drop(&mut book, &found, &owned_procedures).await?;
        drop_tables(&mut control, &mut book, &found, &owned).await?;
        found = Found::look(&mut control, target, engine).await?;
    }
    make_tables(&mut control, &mut book, &plan, &found, options.seed).await?;
    book.into_inner().close().await.map_err(server)?;
    control.close().await.map_err(server)?;

    let started = Instant::now();
    let mut bar = StepBar::new("loading", "rows", rows, options.quiet);
    let (seed, threads) = (options.seed, options.threads);
    let progress = &mut |done| bar.steps(done, ", making indexes");
    let loaded = load::<S>(&plan, target, seed, threads, &found.meta, progress);
    bar.done();
    let already = loaded.map_err(server)?;
    if !options.quiet {
        say_loaded(rows, already, started);
    }
    procedures::make::<S>(target, &found, &plan, options.quiet).await
}

fn say_loaded(rows: u64, already: u64, started: Instant) {
    match (already, rows - already) {
        (0, _) => {}
        (_, 0) => note(format_args!("all rows were there already")),
        _ => note(format_args!("{} rows were there already", grouped(already))),
    }
    if rows > already {
        let loaded = rows_in(rows - already, started.elapsed());
        note(format_args!("loaded {loaded}"));
    }
}

fn refusal(found: &Found, table: &str) -> anyhow::Error {
    let by = found.meta.item(table, meta::WORKLOAD).unwrap_or("tiermark");
    if found.meta.item(table, meta::STATE) == Some(meta::LOADED) {
        anyhow!(
            "table {table} is there already, prepared by {by}; keep it and run, or use --recreate to load it anew"
        )
    } else {
        anyhow!(
            "table {table} is there from a load by {by} that did not come to its end; use --resume to go on, or --recreate to load it anew"
        )
    }
}

/// Enters and makes the tables that are not there yet.
async fn make_tables<S: Session>(
    control: &mut S,
    book: &mut MetaSession<S>,
    plan: &Plan,
    found: &Found,
    seed: u64,
) -> Result<()> {
    for table in &plan.tables {
        if !found.meta.owns(&table.name) {
            book.enter(plan, table, seed).await.map_err(server)?;
        }
        if !found.has(&table.name) {
            let made = control.raw(&table.create).await;
            if made.is_err() {
                // What was not made is not ours, whoever makes it later.
                book.forget(&table.name).await.map_err(server)?;
            }
            made.with_context(|| format!("cannot make table {}", table.name))
                .map_err(server)?;
        }
    }
    Ok(())
}

/// Drops tables that tiermark made and forgets them. A table that another one
/// refers to goes after it, so that one that cannot be dropped is tried again.
pub async fn drop_tables<S: Session>(
    control: &mut S,
    book: &mut MetaSession<S>,
    found: &Found,
    owned: &[String],
) -> Result<()> {
    let mut left: Vec<&String> = owned.iter().collect();
    while !left.is_empty() {
        let (mut kept, mut why) = (Vec::new(), None);
        for &table in &left {
            if found.has(table)
                && let Err(error) = control.raw(&format!("DROP TABLE {table}")).await
            {
                why.get_or_insert((table, error));
                kept.push(table);
                continue;
            }
            book.forget(table).await.map_err(server)?;
        }
        if let Some((table, error)) = why.filter(|_| kept.len() == left.len()) {
            let refused = Err(error).with_context(|| format!("cannot drop table {table}"));
            return refused.map_err(server);
        }
        left = kept;
    }
    Ok(())
}

/// Where the server's data directory is ours to see, a load must leave a fifth
/// of the free space.
fn refuse_beyond_space(target: &Target, facts: &ServerFacts, bytes: u64) -> Result<()> {
    let directory = facts
        .data_directory
        .as_deref()
        .filter(|_| target.is_local());
    if directory.is_none() && target.is_local() {
        note(format_args!(
            "free space is not checked: user {} may not read where the server's data lies",
            facts.user
        ));
    }
    let Some(free) = directory.and_then(|directory| free_bytes(Path::new(directory))) else {
        return Ok(());
    };
    if bytes > free / 5 * 4 {
        return Err(usage(anyhow!(
            "the data needs about {}, and {} has {} free, of which at most 80 % are used; load fewer rows, such as --set rows=10k",
            human_bytes(bytes),
            directory.unwrap_or_default(),
            human_bytes(free)
        )));
    }
    Ok(())
}
