//! The `tiermark` program: parse, run the command, one way out.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use tiermark::cli::Cli;
use tiermark::commands;
use tiermark::report::progress::note;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match commands::exit::catch(commands::dispatch(cli)) {
        Ok(status) => ExitCode::from(status),
        Err((status, message)) => {
            note(format_args!("tiermark: {message}"));
            ExitCode::from(status)
        }
    }
}
