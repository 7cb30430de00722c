//! `tiermark demo`: the whole way on embedded SQLite, with nothing installed.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::cli::DemoArgs;
use crate::commands::exit::usage;
use crate::commands::prepare::{Leftovers, LoadOptions, default_threads, prepare};
use crate::commands::run::measure;
use crate::commands::run_config::RunOptions;
use crate::commands::target::block_on;
use crate::db::session::Target;
use crate::db::sqlite::SqliteSession;
use crate::report::progress::note;
use crate::workload::plan::RunDefaults;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

const WORKLOAD: &str = "oltp_read_write";
/// Small enough for any machine, large enough for figures.
const SETS: [&str; 2] = ["tables=1", "rows=20k"];
const CLIENTS: u64 = 8;
const WARMUP: Duration = Duration::from_secs(2);
const TIME: Duration = Duration::from_secs(10);

pub fn run(args: &DemoArgs, quiet: bool) -> Result<u8> {
    let source = Source::open(WORKLOAD, None).map_err(usage)?;
    let settings = Settings {
        preset: None,
        sets: SETS.map(str::to_owned).to_vec(),
    };
    // On the file system that the results are on, not on one that may be memory.
    let scratch = Scratch::below(&args.out.out)?;
    let url = url::Url::from_file_path(scratch.0.join("demo.db"));
    let url = url
        .ok()
        .context("the results folder has no absolute path")?;
    let target = Target::parse(&format!("sqlite:{}", url.path())).map_err(usage)?;
    note(format_args!(
        "{WORKLOAD} on embedded SQLite, one file in {}",
        scratch.0.display()
    ));
    let load = LoadOptions {
        threads: default_threads(),
        seed: 1,
        leftovers: Leftovers::Refuse,
        quiet,
    };
    let options = RunOptions {
        flags: RunDefaults {
            clients: Some(CLIENTS),
            warmup: Some(WARMUP),
            time: Some(TIME),
            ..RunDefaults::default()
        },
        workers: None,
        tier: None,
        log_tier: None,
        foreign_data: false,
        csv: args.out.csv,
        results: &args.out.out,
        quiet,
        warnings: Vec::new(),
    };
    block_on(async {
        prepare::<SqliteSession>(&source, &settings, &target, &load).await?;
        let targets = std::slice::from_ref(&target);
        measure::<SqliteSession>(&source, &settings, targets, &options).await
    })
}

/// A folder of our own for the demo's database, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn below(results: &std::path::Path) -> Result<Scratch> {
        let make = || {
            std::fs::create_dir_all(results)?;
            let folder =
                std::path::absolute(results)?.join(format!(".demo-{}", std::process::id()));
            std::fs::create_dir(&folder)?;
            Ok::<_, std::io::Error>(Scratch(folder))
        };
        make()
            .with_context(|| format!("cannot make a folder in {}", results.display()))
            .map_err(usage)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Only what we made ourselves; a file that stays is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
