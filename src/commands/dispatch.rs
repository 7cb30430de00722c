//! From the parsed command line to the command.

use anyhow::Result;

use crate::cli::{Cli, Command};
use crate::commands::{check, cleanup, demo, list, prepare, run, show};

/// Runs the command; the status is that of a command that did its work.
///
/// # Errors
/// What stopped it, with the status it deserves.
pub fn dispatch(cli: Cli) -> Result<u8> {
    match cli.command {
        Command::List => list::run(),
        Command::Show(args) => show::run(&args),
        Command::Prepare(args) => prepare::run(&args, cli.quiet),
        Command::Run(args) => run::run(&args, cli.quiet),
        Command::Check(args) => check::run(&args, cli.quiet),
        Command::Cleanup(args) => cleanup::run(&args),
        Command::Demo(args) => demo::run(&args, cli.quiet),
    }
}
