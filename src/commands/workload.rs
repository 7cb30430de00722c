//! The workload that a command line names.

use anyhow::Result;

use crate::cli::WorkloadArgs;
use crate::commands::exit::usage;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

pub fn source(args: &WorkloadArgs) -> Result<Source> {
    Source::open(&args.workload, args.sql_dir.as_deref()).map_err(usage)
}

pub fn settings(args: &WorkloadArgs) -> Settings {
    Settings {
        preset: args.preset.clone(),
        sets: args.sets.clone(),
    }
}
