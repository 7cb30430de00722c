//! The program itself, as a user calls it.

use std::path::Path;
use std::process::{Command, Output};

/// Without what the caller's own environment and files say about databases.
pub fn tiermark(url: &str, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tiermark"))
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("PGPASSFILE")
        .env("TIERMARK_URL", url)
        .output()
        .unwrap()
}

pub fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The manifest of the run whose output this is.
pub fn manifest(ran: &Output, folder: &Path) -> String {
    let result = String::from_utf8_lossy(&ran.stdout);
    let result = folder.join(result.lines().last().unwrap());
    std::fs::read_to_string(result.join("manifest.toml")).unwrap()
}
