//! Ctrl-C and SIGTERM: the first asks the run to end, the second ends the
//! program.

use tokio::signal::unix::{SignalKind, signal};

/// Resolves at the first Ctrl-C or SIGTERM; the second ends the program at once.
pub async fn interrupted() {
    let handlers = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    let (Ok(mut interrupt), Ok(mut terminate)) = handlers else {
        // Without handlers the signals end the program as they always do.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    eprintln!("stopping: what is in flight may end; once more ends at once");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime {
            runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            });
            std::process::exit(130);
        }
    });
}
