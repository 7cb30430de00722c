//! `tiermark check`: whether the tables hold what was loaded, and whether the
//! workload's conditions hold.

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
use crate::report::check_condition::{line as condition_line, table as condition_table};
use crate::report::folder;
use crate::report::progress::note;
use crate::run::check::{CHECKS, Subject, check as check_tables};
use crate::run::check_condition;
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
    let threads = default_threads();
    let mut saved = Ok(());
    let mut save = |row: &CheckRow| {
        if saved.is_ok() {
            saved = file.row(row);
        }
    };
    let mut tables: Vec<Vec<CheckRow>> = vec![Vec::new(); plan.tables.len()];
    let mut each = |table: usize, row: CheckRow| {
        save(&row);
        let rows = &mut tables[table];
        rows.push(row);
        if rows.len() == CHECKS.len() && !quiet {
            note(format_args!("{}", line(rows)));
        }
    };
    let written = subjects.iter().any(|subject| subject.written);
    check_tables::<S>(&plan, target, subjects, threads, &mut each).map_err(server)?;

    let scopes = check_condition::scopes(&plan);
    let mut held: Vec<Vec<CheckRow>> = vec![Vec::new(); scopes.len()];
    let mut each = |scope: usize, row: CheckRow| {
        save(&row);
        let rows = &mut held[scope];
        rows.push(row);
        if rows.len() == scopes[scope].conditions.len() && !quiet {
            note(format_args!("{}", condition_line(rows)));
        }
    };
    check_condition::check::<S>(&plan, target, &scopes, written, threads, &mut each)
        .map_err(server)?;

    let held = held.concat();
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\n{}", table(&tables))?;
    if !scopes.is_empty() {
        writeln!(stdout, "{}", condition_table(&named(&plan), &held))?;
    }
    writeln!(stdout, "{}", folder.display())?;
    saved?;
    let has_fault = tables
        .iter()
        .flatten()
        .chain(&held)
        .any(|row| row.outcome == Outcome::Fail);
    Ok(if has_fault { SUSPECT } else { GOOD })
}

/// The plan's conditions by name, and what each says.
fn named(plan: &Plan) -> Vec<(&str, &str)> {
    let conditions = plan.conditions.iter();
    conditions
        .map(|condition| (&*condition.name, &*condition.about))
        .collect()
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
