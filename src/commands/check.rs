//! `tiermark check`: whether the tables hold what was loaded.

use std::io::Write;

use anyhow::{Context, Result, anyhow};

use crate::cli::{CheckArgs, OutArgs};
use crate::commands::dataset::{Found, KEEP_AWAY};
use crate::commands::exit::{GOOD, SUSPECT, server, usage};
use crate::commands::prepare::default_threads;
use crate::commands::run::now_us;
use crate::commands::target::{self, block_on, with_session};
use crate::commands::workload;
use crate::db::session::{Session, Target};
use crate::report::check::{CheckFile, line, table};
use crate::report::folder;
use crate::report::progress::note;
use crate::run::check::{CHECKS, Subject, check as check_tables};
use crate::run::meta;
use crate::stats::check::{CheckRow, Outcome};
use crate::value::Engine;
use crate::workload::compile::check as check_files;
use crate::workload::plan::{Plan, Table};
use crate::workload::settings::Settings;
use crate::workload::source::Source;

pub fn run(args: &CheckArgs, quiet: bool) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of the files come before any connection.
    check_files(&source, &settings).map_err(usage)?;
    let target = target::given(&args.target)?;
    if target.engine == Engine::Null {
        return Err(usage(anyhow!(
            "{target} keeps no rows to check; give a database"
        )));
    }
    let out = &args.out;
    with_session!(target.engine, S => block_on(check::<S>(&source, &settings, &target, out, quiet)))
}

async fn check<S: Session>(
    source: &Source,
    settings: &Settings,
    target: &Target,
    out: &OutArgs,
    quiet: bool,
) -> Result<u8> {
    let mut control: S = target::open_existing(target).await?;
    let facts = control.facts().await.map_err(server)?;
    let engine = facts.engine.unwrap_or(target.engine);
    let found = Found::look(&mut control, target, engine).await?;
    control.close().await.map_err(server)?;
    let (plan, _) = found.plan(source, settings, engine, KEEP_AWAY)?;
    if plan.tables.is_empty() {
        return Err(usage(anyhow!("{} has no tables to check", source.name)));
    }
    let subjects = subjects(&found, &plan)?;

    let results = &out.out;
    let folder = folder::create(results, now_us(), &format!("check-{}", plan.workload))
        .with_context(|| format!("cannot make a folder in {}", results.display()))
        .map_err(usage)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut file = CheckFile::create(&folder, &name, out.csv)?;
    let mut written = Ok(());
    let mut scopes: Vec<Vec<CheckRow>> = vec![Vec::new(); plan.tables.len()];
    let mut each = |table: usize, row: CheckRow| {
        if written.is_ok() {
            written = file.row(&row);
        }
        let rows = &mut scopes[table];
        rows.push(row);
        if rows.len() == CHECKS.len() && !quiet {
            note(format_args!("{}", line(rows)));
        }
    };
    check_tables::<S>(&plan, target, subjects, default_threads(), &mut each).map_err(server)?;

    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\n{}", table(&scopes))?;
    writeln!(stdout, "{}", folder.display())?;
    written?;
    let has_fault = scopes
        .iter()
        .flatten()
        .any(|row| row.outcome == Outcome::Fail);
    Ok(if has_fault { SUSPECT } else { GOOD })
}

/// What `tiermark_meta` says of the plan's tables.
fn subjects(found: &Found, plan: &Plan) -> Result<Vec<Subject>> {
    let subject = |(index, table): (usize, &Table)| {
        let seed = found.meta.item(&table.name, meta::SEED);
        let seed = seed.and_then(|seed| seed.parse().ok());
        Ok(Subject {
            table: index,
            seed: seed.ok_or_else(|| {
                usage(anyhow!(
                    "{} does not say which seed table {} was loaded with; load again: tiermark prepare {} --recreate",
                    meta::TABLE,
                    table.name,
                    plan.workload
                ))
            })?,
            written: found.meta.item(&table.name, meta::WRITTEN).is_some(),
            grown: found.meta.item(&table.name, meta::GROWN).is_some(),
        })
    };
    plan.tables.iter().enumerate().map(subject).collect()
}
