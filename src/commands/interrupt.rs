//! Ctrl-C, SIGTERM and a lost terminal: the first asks the run to end, the second ends the
//! program.

use futures_util::future::select_all;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::report::progress::note;

/// Resolves at the first of the signals; the second ends the program at once.
pub async fn interrupted() {
    let Some(mut handlers) = handlers() else {
        return std::future::pending().await;
    };
    select_all(handlers.iter_mut().map(|handler| Box::pin(handler.recv()))).await;
    note(format_args!(
        "stopping: what is in flight may end; once more ends at once"
    ));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime {
            runtime.block_on(select_all(
                handlers.iter_mut().map(|handler| Box::pin(handler.recv())),
            ));
            std::process::exit(130);
        }
    });
}

/// From now on the first of the signals says `message` and ends the program with
/// status 1: for work that can be taken up again.
pub fn say_and_exit(message: String) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let Some(mut handlers) = handlers() else {
                return;
            };
            select_all(handlers.iter_mut().map(|handler| Box::pin(handler.recv()))).await;
            note(format_args!("{message}"));
            std::process::exit(1);
        });
    });
}

/// `None` where they cannot be had: the signals then end the program as always.
fn handlers() -> Option<Vec<Signal>> {
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !ignores_hangup() {
        kinds.push(SignalKind::hangup());
    }
    kinds.into_iter().map(signal).collect::<Result<_, _>>().ok()
}

/// Whether we were started to outlive the terminal, as by nohup: a handler would
/// undo that.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // SIGHUP is signal 1, the lowest bit.
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}
