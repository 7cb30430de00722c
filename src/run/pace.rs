//! When a client starts its next transaction. Independent of what ends a run
//! and of what session it runs on.

/// The kinds of pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As soon as the last one has ended: a closed loop.
    Closed,
}

impl Pace {
    /// Waits until the next transaction may start.
    #[expect(
        clippy::unused_async,
        reason = "the closed loop alone has nothing to wait for"
    )]
    pub async fn turn(self) {
        match self {
            Pace::Closed => {}
        }
    }
}
