//! `tiermark cleanup`: drops the tables and procedures that tiermark made for a
//! workload.

use anyhow::Result;

use crate::cli::CleanupArgs;
use crate::commands::dataset::{Found, KEEP_AWAY, announce};
use crate::commands::exit::{GOOD, server, usage};
use crate::commands::prepare::drop_tables;
use crate::commands::procedures;
use crate::commands::target::{self, block_on, with_session};
use crate::commands::workload;
use crate::db::session::{Session, Target};
use crate::report::progress::note;
use crate::run::meta::{self, MetaSession};
use crate::workload::compile::{check, compile};
use crate::workload::settings::Settings;
use crate::workload::source::Source;

pub fn run(args: &CleanupArgs) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    // Faults of the files come before any connection.
    check(&source, &settings).map_err(usage)?;
    let target = target::given(&args.target)?;
    with_session!(target.engine, S => block_on(cleanup::<S>(&source, &settings, &target)))?;
    Ok(GOOD)
}

async fn cleanup<S: Session>(source: &Source, settings: &Settings, target: &Target) -> Result<()> {
    let mut control: S = target::open_existing(target).await?;
    let facts = control.facts().await.map_err(server)?;
    let engine = facts.engine.unwrap_or(target.engine);
    let plan = compile(source, settings, engine).map_err(usage)?;
    let found = Found::look(&mut control, target, engine).await?;
    found.refuse_foreign(&plan, KEEP_AWAY)?;
    let (plan, _) = found.adopt(source, settings, &plan)?;
    let mut owned = found.owned(&plan);
    let mut owned_procedures = procedures::owned(&found, &plan.workload, &[]);
    match found.refuse_others(&plan, &owned) {
        // They are on tables that another workload loaded, and which stay.
        Err(_) if !owned_procedures.is_empty() => owned.clear(),
        allowed => {
            allowed?;
            owned_procedures = procedures::owned(&found, &plan.workload, &owned);
        }
    }
    if owned.is_empty() && owned_procedures.is_empty() {
        note(format_args!(
            "tiermark has no tables of {} in database {}",
            source.name, facts.database
        ));
        return control.close().await.map_err(server);
    }
    let names = [&owned_procedures[..], &owned].concat().join(", ");
    announce(target, &facts, &format!("dropping {names}"));
    let mut book = MetaSession::<S>::open(target, engine)
        .await
        .map_err(server)?;
    procedures::drop(&mut book, &found, &owned_procedures).await?;
    drop_tables(&mut control, &mut book, &found, &owned).await?;
    let empty = book.read().await.map_err(server)?.is_empty();
    book.into_inner().close().await.map_err(server)?;
    if empty {
        let drop = meta::ddl("drop", engine).map_err(server)?;
        control.raw(&drop).await.map_err(server)?;
    }
    control.close().await.map_err(server)
}
