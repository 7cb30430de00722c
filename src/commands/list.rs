//! `tiermark list`: the shipped workloads, a line each.

use std::io::Write;

use anyhow::Result;

use crate::commands::exit::{GOOD, usage};
use crate::workload::compile::check;
use crate::workload::settings::Settings;
use crate::workload::shipped;
use crate::workload::source::Source;

pub fn run() -> Result<u8> {
    let names: Vec<&str> = shipped::workload_names().collect();
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut out = std::io::stdout().lock();
    for name in names {
        let source = Source::open(name, None).map_err(usage)?;
        let plan = check(&source, &Settings::default()).map_err(usage)?;
        writeln!(out, "{name:width$}  {}", plan.about)?;
    }
    Ok(GOOD)
}
