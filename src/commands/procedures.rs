//! Stored procedures of a workload: `prepare` makes them behind the load, also on
//! tables that another workload loaded, and they are dropped with their tables.

use anyhow::{Context, Result, anyhow};

use crate::commands::dataset::{Found, KEEP_AWAY};
use crate::commands::exit::{server, usage};
use crate::db::session::{Session, Target};
use crate::report::progress::note;
use crate::run::meta::{self, MetaSession};
use crate::units::counted;
use crate::value::Engine;
use crate::workload::plan::{Plan, Procedure};

/// Refuses procedures of the plan's names that tiermark did not make.
pub fn refuse_foreign(found: &Found, plan: &Plan) -> Result<()> {
    let foreign = |procedure: &&Procedure| {
        found.has_routine(&procedure.name) && !found.meta.procedures.contains_key(&procedure.name)
    };
    match plan.procedures.iter().find(foreign) {
        Some(procedure) => Err(usage(anyhow!(
            "procedure {} is there and was not made by tiermark, so it is not touched; {KEEP_AWAY}",
            procedure.name
        ))),
        None => Ok(()),
    }
}

/// Those that are not there, or made from other SQL than the plan has.
pub fn missing<'a>(found: &Found, plan: &'a Plan) -> Vec<&'a Procedure> {
    let is_missing = |procedure: &&Procedure| {
        let sha = found.meta.of_procedure(&procedure.name, meta::SHA);
        !found.has_routine(&procedure.name) || sha != Some(&procedure.sha)
    };
    plan.procedures.iter().filter(is_missing).collect()
}

/// Refuses to run without them.
pub fn refuse_missing(found: &Found, plan: &Plan) -> Result<()> {
    let missing = missing(found, plan);
    let procedure = match missing.first() {
        Some(procedure) if plan.engine != Engine::Null => procedure,
        _ => return Ok(()),
    };
    let what = if found.has_routine(&procedure.name) {
        "is made from other SQL than the workload has now"
    } else {
        "is not there"
    };
    Err(usage(anyhow!(
        "procedure {} {what}; make it: tiermark prepare {}",
        procedure.name,
        plan.workload
    )))
}

/// Names of those that tiermark made for a workload, or that go with one of
/// these tables.
pub fn owned(found: &Found, workload: &str, tables: &[String]) -> Vec<String> {
    let is_owned = |name: &&String| {
        let item = |item| found.meta.of_procedure(name, item);
        item(meta::WORKLOAD) == Some(workload)
            || tables
                .iter()
                .any(|table| item(meta::OF_TABLE) == Some(table))
    };
    let names = found.meta.procedures.keys();
    names.filter(is_owned).cloned().collect()
}

/// Makes those that are missing.
pub async fn make<S: Session>(
    target: &Target,
    found: &Found,
    plan: &Plan,
    quiet: bool,
) -> Result<()> {
    let missing = missing(found, plan);
    if missing.is_empty() {
        return Ok(());
    }
    let opened = MetaSession::<S>::open(target, plan.engine).await;
    let mut book = opened.map_err(server)?;
    for procedure in &missing {
        let name = &procedure.name;
        if found.meta.procedures.contains_key(name) {
            drop(&mut book, found, std::slice::from_ref(name)).await?;
        }
        // The owner before the procedure, so that none of ours is without one.
        let entered = book.enter_procedure(&plan.workload, procedure).await;
        entered.map_err(server)?;
        let made = book.session().raw(&procedure.create).await;
        if made.is_err() {
            book.forget_procedure(name).await.map_err(server)?;
        }
        made.with_context(|| format!("cannot make procedure {name}"))
            .map_err(server)?;
    }
    book.into_inner().close().await.map_err(server)?;
    if !quiet {
        note(format_args!(
            "made {}",
            counted(missing.len() as u64, "procedure")
        ));
    }
    Ok(())
}

/// Drops procedures that tiermark made, and forgets them.
pub async fn drop<S: Session>(
    book: &mut MetaSession<S>,
    found: &Found,
    names: &[String],
) -> Result<()> {
    for name in names {
        if found.has_routine(name) {
            let dropped = book.session().raw(&format!("DROP PROCEDURE {name}")).await;
            dropped
                .with_context(|| format!("cannot drop procedure {name}"))
                .map_err(server)?;
        }
        book.forget_procedure(name).await.map_err(server)?;
    }
    Ok(())
}
