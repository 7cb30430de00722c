//! The folder of a result: made anew for each, never overwritten.

use std::io;
use std::path::{Path, PathBuf};

use crate::report::time;

/// Makes `<results>/<utc>-<label>[-n]/` and returns it.
///
/// # Errors
/// When it cannot be made.
pub fn create(results: &Path, started_us: i64, label: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(results)?;
    let stem = format!("{}-{}", time::for_names(started_us), plain(label));
    for number in 1.. {
        let name = if number == 1 {
            stem.clone()
        } else {
            format!("{stem}-{number}")
        };
        let folder = results.join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            // Another run of the same second: the next number is free.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no free name"))
}

/// A label that every file system and shell takes.
fn plain(label: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    label
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_of_the_same_second_gets_a_number() {
        let results = tempfile::tempdir().unwrap();
        let name = || {
            let folder = create(results.path(), 1_796_029_200_000_000, "oltp-a b/c").unwrap();
            folder.file_name().unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(name(), "20261130-090000-oltp-a_b_c");
        assert_eq!(name(), "20261130-090000-oltp-a_b_c-2");
        assert_eq!(name(), "20261130-090000-oltp-a_b_c-3");
    }
}
