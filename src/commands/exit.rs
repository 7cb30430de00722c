//! Exit statuses: 0 good, 1 ran but is not to be trusted, 2 wrong usage, file
//! or data set, 3 the server could not be used.

use std::io;

use anyhow::Error;

/// The run was good, perhaps with warnings.
pub const GOOD: u8 = 0;
/// It ran, but a warning says why it is not to be trusted.
pub const SUSPECT: u8 = 1;

/// An error with the status that it ends the program with.
#[derive(Debug, thiserror::Error)]
#[error("{error:#}")]
struct Exit {
    status: u8,
    error: Error,
}

/// Status 2: nothing was touched.
pub fn usage(error: impl Into<Error>) -> Error {
    let error = error.into();
    Exit { status: 2, error }.into()
}

/// Status 3: the server could not be used, or a load failed.
pub fn server(error: impl Into<Error>) -> Error {
    let error = error.into();
    Exit { status: 3, error }.into()
}

/// The status and the message of an error; status 1 where it has none.
///
/// # Errors
/// The same error, as status and text.
pub fn catch(result: Result<u8, Error>) -> Result<u8, (u8, String)> {
    result.or_else(|error| {
        if is_broken_pipe(&error) {
            // `tiermark show .. | head`: the reader has what it wanted.
            return Ok(GOOD);
        }
        let status = error
            .downcast_ref::<Exit>()
            .map_or(SUSPECT, |exit| exit.status);
        Err((status, format!("{error:#}")))
    })
}

fn is_broken_pipe(error: &Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
