//! `run --foreign-data`: tables that sysbench, pgbench or someone else made.
//! Nothing is entered into `tiermark_meta`, and nothing taken from it.

use anyhow::{Result, anyhow};

use crate::commands::dataset::Found;
use crate::commands::exit::{server, usage};
use crate::db::session::{Class, Protocol, Session, Target};
use crate::run::key_range::{self, KeyRange};
use crate::value::{Engine, Statement, StmtId};
use crate::workload::compile::compile;
use crate::workload::plan::{Plan, Table};
use crate::workload::settings::Settings;
use crate::workload::source::Source;

/// For a message about tables that are not ours.
pub const REMEDY: &str = "to run on it as it is, give --foreign-data";

/// The plan as file and flags say; its tables must be there, and not be ours.
pub fn plan(found: &Found, source: &Source, settings: &Settings, engine: Engine) -> Result<Plan> {
    let plan = compile(source, settings, engine).map_err(usage)?;
    if engine == Engine::Null {
        return Ok(plan);
    }
    if let Some(procedure) = plan.procedures.first() {
        return Err(usage(anyhow!(
            "procedure {} is made by prepare only; leave --foreign-data out",
            procedure.name
        )));
    }
    for table in &plan.tables {
        let name = &table.name;
        if found.meta.owns(name) {
            return Err(usage(anyhow!(
                "table {name} was prepared by tiermark; leave --foreign-data out"
            )));
        }
        if !found.has(name) {
            return Err(usage(anyhow!(
                "table {name} is not there; make it with the tool whose data this is, or say how many there are, such as --set tables=1"
            )));
        }
    }
    Ok(plan)
}

/// Prepares the plan's statements once: tables of another make may lack what
/// they name, and that is a fault of the data.
pub async fn try_statements<S: Session>(plan: &Plan, target: &Target) -> Result<()> {
    if target.protocol() == Protocol::Simple {
        // Nothing is prepared: the first statement will tell.
        return Ok(());
    }
    match S::open(target, &plan.statements).await {
        Ok(session) => session.close().await.map_err(server),
        Err(error) if error.class == Class::Other => Err(usage(anyhow!(
            "the tables are not those that {} works on: {error}",
            plan.workload
        ))),
        Err(error) => Err(server(error)),
    }
}

/// Refuses tables that end below the rows that the plan draws from: a run would
/// find nothing there, and by deleting and inserting fill up what is someone
/// else's.
pub async fn refuse_shorter<S: Session>(plan: &Plan, target: &Target) -> Result<()> {
    if plan.engine == Engine::Null {
        return Ok(());
    }
    let keyed = plan.tables.iter();
    let keyed: Vec<(&Table, usize)> = keyed
        .filter_map(|table| Some((table, table.key(&plan.draws)?)))
        .collect();
    let asked: Vec<Statement> = keyed
        .iter()
        .map(|(table, key)| key_range::statement(table, *key, plan.engine))
        .collect();
    let mut session = S::open(target, &asked).await.map_err(server)?;
    for (id, (table, key)) in (0..).zip(keyed) {
        let range = key_range::ask(&mut session, StmtId(id)).await;
        let last = match range.map_err(server)? {
            KeyRange::Keys(_, last) => last.max(0).unsigned_abs(),
            KeyRange::NoRows => 0,
            KeyRange::NoNumbers => continue,
        };
        if last < table.rows {
            return Err(usage(anyhow!(
                "the last {} of table {} is {last}, but the run is for {} rows; say how many there are, such as --set rows={last}",
                table.columns[key],
                table.name,
                table.rows
            )));
        }
    }
    session.close().await.map_err(server)
}
