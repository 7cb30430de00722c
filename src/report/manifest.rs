//! `manifest.toml`: all that it takes to repeat a run, in the run's folder from
//! the start. Holds no password.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::stats::sink::SinkError;

/// A run's manifest. `[files]` comes last: it is long.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    pub format: u64,
    pub tiermark: String,
    pub run: RunPart,
    pub target: TargetPart,
    /// Every parameter with the value in force.
    pub params: BTreeMap<String, String>,
    /// Of the tables, as `prepare` recorded them; empty without tables of ours.
    pub data: BTreeMap<String, String>,
    pub outcome: OutcomePart,
    /// The workload and its SQL as they were in force.
    pub files: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RunPart {
    /// The folder's name.
    pub name: String,
    pub workload: String,
    pub workload_sha: String,
    pub created_utc: String,
    pub tier: String,
    pub log_tier: String,
    pub clients: u64,
    pub workers: u64,
    pub seed: u64,
    pub warmup: String,
    /// Empty where a number of transactions ended the run.
    pub time: String,
    pub transactions: Option<u64>,
    pub grace: String,
    pub error_limit: String,
    /// Planned transactions per second, of an open loop.
    pub rate: Option<f64>,
    /// What keying and think times were multiplied by.
    pub wait: f64,
    /// SQL that each client sent once, before its first transaction.
    pub session: Vec<String>,
    /// Tables and indexes were read through before the run.
    pub prewarm: bool,
    /// The tables were made by another tool.
    pub foreign_data: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct TargetPart {
    pub url: String,
    pub engine: String,
    pub version: String,
    pub user: String,
    pub database: String,
    pub tls: bool,
    /// Protocol version and cipher; empty without TLS.
    pub tls_detail: String,
    /// How statements were sent: `prepared` or `simple`.
    pub protocol: String,
    pub isolation: String,
    pub session_notes: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct OutcomePart {
    /// `running` until the run has ended: a run that was killed says so.
    pub state: String,
    pub warnings: Vec<String>,
}

impl Manifest {
    /// Writes the manifest, in the place of an earlier state of it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SinkError> {
        let path = folder.join("manifest.toml");
        let failed = |error: &dyn std::fmt::Display| {
            SinkError(format!("cannot write {}: {error}", path.display()))
        };
        let text = toml::to_string_pretty(self).map_err(|error| failed(&error))?;
        let head = "# Repeat this run: tiermark run <this file> --url <target>\n";
        replace(&path, &format!("{head}{text}")).map_err(|error| failed(&error))
    }
}

/// Writes a file so that it is whole at any time.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, text)?;
    std::fs::rename(&fresh, path)
}
