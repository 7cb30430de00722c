//! What a run leaves of itself beside its figures: the manifest that repeats
//! it, and the words that stand in each of its rows.

use std::collections::BTreeMap;

use anyhow::Result;
use toml_edit::Value;

use crate::commands::exit::usage;
use crate::commands::run_config::{RunOptions, usable_cores};
use crate::db::session::Target;
use crate::report::csv::FORMAT;
use crate::report::manifest::{Manifest, OutcomePart, RunPart, TargetPart};
use crate::report::time;
use crate::run::execute::RunConfig;
use crate::run::pace::Pace;
use crate::run::timeline::Stop;
use crate::stats::summary::{RunInfo, Summary};
use crate::units::human_duration;
use crate::value::{Engine, Isolation, ServerFacts};
use crate::workload::compile::resolved_text;
use crate::workload::plan::Plan;
use crate::workload::settings::{Settings, with_run};
use crate::workload::source::Source;

pub fn info(
    plan: &Plan,
    facts: &ServerFacts,
    config: &RunConfig,
    options: &RunOptions<'_>,
) -> RunInfo {
    let open = config.pace.open();
    RunInfo {
        tier: options.tier.unwrap_or_default().to_owned(),
        log_tier: options.log_tier.unwrap_or_default().to_owned(),
        workload: plan.workload.clone(),
        workload_sha: plan.sha.clone(),
        engine: plan.engine.name().to_owned(),
        server_version: facts.version.clone(),
        tls: facts.tls,
        clients: config.clients,
        workers: config.workers as u64,
        cores: usable_cores().min(config.workers as u64),
        seed: config.seed,
        isolation: isolation(facts, config),
        warmup: config.warmup,
        arrivals: open.map_or(String::new(), |open| open.arrivals.name().to_owned()),
        rate: open.map(|open| open.rate),
        sla: config.sla,
        transactions: plan
            .transactions
            .iter()
            .map(|transaction| transaction.name.clone())
            .collect(),
        ..RunInfo::default()
    }
}

/// As the session has it, under the name that its engine gives the setting.
/// SQLite has none and knows one only; the null engine is what it was asked to be.
fn isolation(facts: &ServerFacts, config: &RunConfig) -> String {
    let names = [
        "default_transaction_isolation",
        "transaction_isolation",
        "tx_isolation",
    ];
    let setting = facts
        .settings
        .iter()
        .find(|(name, _)| names.contains(&name.as_str()));
    if let Some((_, value)) = setting {
        return value.to_lowercase().replace('-', " ");
    }
    let only = (config.targets[0].engine == Engine::Sqlite).then_some(Isolation::Serializable);
    let asked = config.targets[0].setup().isolation;
    asked
        .or(only)
        .map_or(String::new(), |level| level.name().to_owned())
}

pub fn manifest(
    source: &Source,
    settings: &Settings,
    plan: &Plan,
    facts: &ServerFacts,
    config: &RunConfig,
    info: &RunInfo,
    now_us: i64,
) -> Result<Manifest> {
    let (text, sqls) = resolved_text(source, settings).map_err(usage)?;
    let run = in_force(config, plan.run.prewarm);
    let text = with_run(&source.file, &text, &run).map_err(usage)?;
    let mut files = BTreeMap::new();
    for sql in &sqls {
        files.append(&mut source.sql_files(sql).map_err(usage)?);
    }
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
            error_limit: percent(config.error_limit),
            rate: config.pace.open().map(|open| open.rate),
            wait: match config.pace {
                Pace::Closed { wait } => wait,
                Pace::Open(_) => 0.0,
            },
            session: config.targets[0].setup().statements.clone(),
            prewarm: plan.run.prewarm,
            foreign_data: false,
        },
        target: TargetPart {
            url: shown(&config.targets),
            engine: plan.engine.name().to_owned(),
            version: facts.version.clone(),
            user: facts.user.clone(),
            database: facts.database.clone(),
            tls: facts.tls,
            tls_detail: facts.tls_detail.clone(),
            protocol: config.targets[0].protocol().name().to_owned(),
            isolation: info.isolation.clone(),
            session_notes: facts.session_notes.clone(),
        },
        params: plan.params.iter().cloned().collect(),
        data: BTreeMap::new(),
        outcome: OutcomePart {
            state: "running".to_owned(),
            warnings: Vec::new(),
        },
        files,
    })
}

/// `[run]` as flags and file together made it: what repeats the run.
fn in_force(config: &RunConfig, prewarm: bool) -> Vec<(&'static str, Value)> {
    let count = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    let (end, value) = match config.stop {
        Stop::After(time) => ("time", human_duration(time).into()),
        Stop::Transactions(transactions) => ("transactions", count(transactions)),
    };
    let mut values = vec![
        ("clients", count(config.clients)),
        ("warmup", human_duration(config.warmup).into()),
        (end, value),
        ("grace", human_duration(config.grace).into()),
        ("seed", count(config.seed)),
        ("error_limit", percent(config.error_limit).into()),
    ];
    if let Some(open) = config.pace.open() {
        values.push(("rate", open.rate.into()));
        values.push(("arrivals", open.arrivals.name().into()));
        values.push(("schedule", open.schedule.name().into()));
        if let Some(limit) = open.late_limit {
            values.push(("late_limit", human_duration(limit).into()));
        }
    }
    if let Pace::Closed { wait } = config.pace
        && wait > 0.0
    {
        values.push(("wait", wait.into()));
    }
    if let Some(sla) = config.sla {
        values.push(("sla", human_duration(sla).into()));
    }
    let setup = config.targets[0].setup();
    if let Some(level) = setup.isolation {
        values.push(("isolation", level.name().into()));
    }
    if !setup.statements.is_empty() {
        values.push(("session", Value::from_iter(&setup.statements)));
    }
    if prewarm {
        values.push(("prewarm", true.into()));
    }
    values
}

pub fn outcome(summary: &Summary) -> OutcomePart {
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

/// A share as a percentage, without the last bits' noise.
fn percent(share: f64) -> String {
    format!("{}%", (share * 1e8).round() / 1e6)
}

/// The targets without their passwords.
pub fn shown(targets: &[Target]) -> String {
    let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
    targets.join(" ")
}
