//! `tiermark prepare`: makes and fills the tables of a workload.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::cli::PrepareArgs;
use crate::commands::dataset::{Found, announce};
use crate::commands::exit::{GOOD, server, usage};
use crate::commands::target::{self, block_on, with_session};
use crate::commands::workload;
use crate::db::session::{Session, Target};
use crate::host::space::free_bytes;
use crate::report::terminal::{LoadBar, rows_in};
use crate::run::load::{estimate, load};
use crate::run::meta::{self, MetaSession};
use crate::units::{grouped, human_bytes};
use crate::value::{Engine, ServerFacts};
use crate::workload::compile::{check, compile};
use crate::workload::plan::Plan;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

/// What a load takes beside its workload.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub threads: usize,
    pub seed: u64,
    pub recreate: bool,
    pub quiet: bool,
}

pub fn run(args: &PrepareArgs, quiet: bool) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of the files come before any connection.
    check(&source, &settings).map_err(usage)?;
    let target = target::given(&args.target)?;
    if let Some(warning) = target::password_warning(&args.target, &target) {
        eprintln!("warning {}: {}", warning.code, warning.message);
    }
    let options = LoadOptions {
        threads: args.threads.map_or_else(default_threads, |threads| {
            usize::try_from(threads).unwrap_or(usize::MAX)
        }),
        seed: args.seed,
        recreate: args.recreate,
        quiet,
    };
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
    let plan = Arc::new(compile(source, settings, engine).map_err(usage)?);
    if plan.tables.is_empty() {
        return Err(usage(anyhow!("{} has no tables to prepare", source.name)));
    }
    let found = Found::look(&mut control, target, engine).await?;
    found.refuse_foreign(&plan)?;
    let owned = found.owned(&plan);
    if !owned.is_empty() && !options.recreate {
        let first = &owned[0];
        let state = found.meta.item(first, meta::STATE).unwrap_or("unknown");
        return Err(usage(anyhow!(
            "table {first} is there already ({state}, prepared by {}); keep it and run, or use --recreate to load it anew",
            found.meta.item(first, meta::WORKLOAD).unwrap_or("tiermark")
        )));
    }
    let (rows, bytes) = estimate(&plan, options.seed);
    eprintln!(
        "{} tables, {} rows, about {}",
        plan.tables.len(),
        grouped(rows),
        human_bytes(bytes)
    );
    refuse_beyond_space(target, &facts, bytes)?;

    if !owned.is_empty() {
        announce(
            target,
            &facts,
            &format!("dropping {} tables that tiermark made", owned.len()),
        );
    }
    make_tables(
        &mut control,
        target,
        engine,
        &plan,
        &found,
        &owned,
        options.seed,
    )
    .await?;
    control.close().await.map_err(server)?;

    let started = Instant::now();
    let bar = LoadBar::new(rows, options.quiet);
    let loaded = load::<S>(&plan, target, options.seed, options.threads, &mut |done| {
        bar.rows(done);
    });
    bar.done();
    loaded.map_err(server)?;
    let mut book = MetaSession::<S>::open(target, engine)
        .await
        .map_err(server)?;
    for table in &plan.tables {
        book.set_loaded(&table.name).await.map_err(server)?;
    }
    book.into_inner().close().await.map_err(server)?;
    eprintln!("loaded {}", rows_in(rows, started.elapsed()));
    Ok(())
}

/// Drops what is ours and in the way, enters the new tables, makes them.
async fn make_tables<S: Session>(
    control: &mut S,
    target: &Target,
    engine: Engine,
    plan: &Plan,
    found: &Found,
    owned: &[String],
    seed: u64,
) -> Result<()> {
    if !found.has(meta::TABLE) {
        let create = meta::ddl("create", engine).map_err(server)?;
        control
            .raw(&create)
            .await
            .context("cannot make tiermark_meta")
            .map_err(server)?;
    }
    let mut book = MetaSession::<S>::open(target, engine)
        .await
        .map_err(server)?;
    drop_tables(control, &mut book, found, owned).await?;
    for table in &plan.tables {
        book.enter(plan, table, seed).await.map_err(server)?;
        let made = control.raw(&table.create).await;
        made.with_context(|| format!("cannot make table {}", table.name))
            .map_err(server)?;
    }
    book.into_inner().close().await.map_err(server)
}

/// Drops tables that tiermark made and forgets them.
pub async fn drop_tables<S: Session>(
    control: &mut S,
    book: &mut MetaSession<S>,
    found: &Found,
    owned: &[String],
) -> Result<()> {
    for table in owned {
        if found.has(table) {
            let dropped = control.raw(&format!("DROP TABLE {table}")).await;
            dropped
                .with_context(|| format!("cannot drop table {table}"))
                .map_err(server)?;
        }
        book.forget(table).await.map_err(server)?;
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
