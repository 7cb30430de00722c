//! `environment.json`: host, server and warnings of one run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::host::environment::Environment;
use crate::report::csv::FORMAT;
use crate::report::manifest::replace;
use crate::stats::sink::SinkError;
use crate::stats::summary::Warning;
use crate::value::ServerFacts;

#[derive(Serialize)]
struct Document<'a> {
    format: u64,
    host: &'a Environment,
    server: Server<'a>,
    warnings: Vec<WarningEntry<'a>>,
}

#[derive(Serialize)]
struct Server<'a> {
    engine: &'a str,
    version: &'a str,
    tls: bool,
    data_directory: Option<&'a str>,
    settings: BTreeMap<&'a str, &'a str>,
    session_notes: &'a [String],
}

#[derive(Serialize)]
struct WarningEntry<'a> {
    code: &'a str,
    message: &'a str,
    status_1: bool,
}

/// Writes the file, in the place of an earlier state of it.
///
/// # Errors
/// When it cannot be written.
pub fn write(
    folder: &Path,
    host: &Environment,
    facts: &ServerFacts,
    warnings: &[Warning],
) -> Result<(), SinkError> {
    let path = folder.join("environment.json");
    let document = Document {
        format: FORMAT,
        host,
        server: Server {
            engine: facts.engine.map_or("", crate::value::Engine::name),
            version: &facts.version,
            tls: facts.tls,
            data_directory: facts.data_directory.as_deref(),
            settings: facts
                .settings
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
            session_notes: &facts.session_notes,
        },
        warnings: warnings
            .iter()
            .map(|warning| WarningEntry {
                code: warning.code,
                message: &warning.message,
                status_1: warning.fatal,
            })
            .collect(),
    };
    let failed = |error: &dyn std::fmt::Display| {
        SinkError(format!("cannot write {}: {error}", path.display()))
    };
    let mut text = serde_json::to_string_pretty(&document).map_err(|error| failed(&error))?;
    text.push('\n');
    replace(&path, &text).map_err(|error| failed(&error))
}
