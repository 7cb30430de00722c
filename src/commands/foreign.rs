//! `run --foreign-data`: tables that sysbench, pgbench or someone else made.
//! Nothing is entered into `tiermark_meta`, and nothing taken from it.

use anyhow::{Result, anyhow};

use crate::commands::dataset::Found;
use crate::commands::exit::{server, usage};
use crate::db::identifier::{quote, quoted};
use crate::db::session::{Class, Protocol, Row, Session, Target};
use crate::value::{Args, Engine, Kind, Statement, StmtId};
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
    let Some((table, key)) = first_key(plan) else {
        return Ok(());
    };
    let mark = quote(plan.engine);
    let (column, name) = (quoted(key, mark), quoted(&table.name, mark));
    let last = Statement {
        name: format!("last key of {}", table.name),
        // Once a run.
        sql: String::leak(format!("SELECT MAX({column}) FROM {name}")),
        params: Vec::new(),
        kind: Kind::Read,
    };
    let mut session = S::open(target, &[last]).await.map_err(server)?;
    let mut found = 0;
    let each = |row: &S::Row| {
        if !row.is_null(0) {
            found = row.int(0)?.max(0).unsigned_abs();
        }
        Ok(())
    };
    let fetched = session.fetch(StmtId(0), Args::NONE, each).await;
    fetched.map_err(server)?;
    session.close().await.map_err(server)?;
    if found >= table.rows {
        return Ok(());
    }
    Err(usage(anyhow!(
        "the last {key} of table {} is {found}, but the run is for {} rows; say how many there are, such as --set rows={found}",
        table.name,
        table.rows
    )))
}

fn first_key(plan: &Plan) -> Option<(&Table, &str)> {
    let table = plan
        .tables
        .first()
        .filter(|_| plan.engine != Engine::Null)?;
    let key = table.key(&plan.draws)?;
    Some((table, &table.columns[key]))
}
