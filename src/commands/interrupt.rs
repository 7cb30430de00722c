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
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    kinds.map(signal).into_iter().collect::<Result<_, _>>().ok()
}
