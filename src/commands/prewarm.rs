//! `[run] prewarm`: the tables of a run are read through before it, with
//! progress and the seconds that it took.

use std::time::Instant;

use anyhow::Result;

use crate::commands::exit::server;
use crate::db::session::{Session, Target};
use crate::report::progress::{StepBar, note};
use crate::run::prewarm::{prewarm as read_through, scans};
use crate::units::counted;
use crate::workload::plan::Plan;

/// Reads the plan's tables and indexes on every server, one server at a time.
pub async fn prewarm<S: Session>(
    plan: &Plan,
    targets: &[Target],
    threads: usize,
    quiet: bool,
) -> Result<()> {
    for target in targets {
        let scans = scans::<S>(plan, target).await.map_err(server)?;
        let steps = scans.len() as u64;
        if !quiet {
            note(format_args!(
                "prewarm: reading {} and their indexes on up to {}",
                counted(plan.tables.len() as u64, "table"),
                counted(threads as u64, "connection")
            ));
        }
        let started = Instant::now();
        let mut bar = StepBar::new("prewarm", "scans", steps, quiet);
        let progress = &mut |done| bar.steps(done, "");
        let read = read_through::<S>(plan.engine, target, scans, threads, progress);
        bar.done();
        read.map_err(server)?;
        if !quiet {
            let seconds = started.elapsed().as_secs_f64();
            note(format_args!(
                "prewarm: {} in {seconds:.1} s",
                counted(steps, "scan")
            ));
        }
    }
    Ok(())
}
