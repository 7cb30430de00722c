//! Ctrl-C, SIGTERM and a lost terminal: the first asks the run to end, the second ends the
//! program.

use futures_util::future::select_all;
use tokio::signal::unix::{SignalKind, signal};

use crate::report::terminal::note;

/// Resolves at the first of the signals; the second ends the program at once.
pub async fn interrupted() {
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    let Ok(mut handlers) = kinds.map(signal).into_iter().collect::<Result<Vec<_>, _>>() else {
        // Without handlers the signals end the program as they always do.
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
