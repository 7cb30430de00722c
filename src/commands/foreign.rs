//! `run --foreign-data`: tables that sysbench, pgbench or someone else made.
//! Nothing is entered into `tiermark_meta`, and nothing taken from it.

use anyhow::{Result, anyhow};

use crate::commands::dataset::Found;
use crate::commands::exit::{server, usage};
use crate::db::session::{Class, Protocol, Session, Target};
use crate::run::key_range::{self, KeyRange};
use crate::value::{Engine, StmtId};
use crate::workload::compile::compile;
use crate::workload::plan::Plan;
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

/// Refuses tables that end below the rows that the plan draws from, told by the
/// first: a run would find nothing there, and by deleting and inserting fill up
/// what is someone else's.
pub async fn refuse_shorter<S: Session>(plan: &Plan, target: &Target) -> Result<()> {
    let Some(table) = plan.tables.first() else {
        return Ok(());
    };
    let Some(key) = table.key(&plan.draws) else {
        return Ok(());
    };
    if plan.engine == Engine::Null {
        return Ok(());
    }
    let asked = key_range::statement(table, key, plan.engine);
    let mut session = S::open(target, &[asked]).await.map_err(server)?;
    let range = key_range::ask(&mut session, StmtId(0))
        .await
        .map_err(server)?;
    session.close().await.map_err(server)?;
    let last = match range {
        KeyRange::Keys(_, last) => last.max(0).unsigned_abs(),
        KeyRange::NoRows => 0,
        KeyRange::NoNumbers => return Ok(()),
    };
    if last >= table.rows {
        return Ok(());
    }
    Err(usage(anyhow!(
        "the last {} of table {} is {last}, but the run is for {} rows; say how many there are, such as --set rows={last}",
        table.columns[key],
        table.name,
        table.rows
    )))
}
