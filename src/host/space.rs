//! How much room a folder's file system has left for us.
//!
//! Asked before a load or a server is placed there, when the folder itself may
//! not exist yet. What cannot be asked is `None`: the caller goes on and says so.

use std::path::Path;

use rustix::io::Errno;

/// Bytes that an unprivileged user may still write below `path`, by the nearest
/// of its parents that exists. A reserve for root does not count: servers do
/// not run as root.
pub fn free_bytes(path: &Path) -> Option<u64> {
    for place in path.ancestors() {
        // the last ancestor of a relative path is empty and means "here"
        let asked = if place.as_os_str().is_empty() {
            Path::new(".")
        } else {
            place
        };
        match rustix::fs::statvfs(asked) {
            Ok(found) => return found.f_bavail.checked_mul(found.f_frsize),
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            // A folder that we may not look into can be on a file system of
            // its own, so its parent would be a wrong answer.
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_exist_counts_as_its_nearest_parent() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("not/yet/there");
        assert!(free_bytes(&missing).unwrap() > 0);
        assert!(!missing.exists());
    }

    #[test]
    fn a_relative_path_starts_here() {
        assert!(free_bytes(Path::new("no-such-folder/below")).unwrap() > 0);
        assert!(free_bytes(Path::new("")).unwrap() > 0);
    }

    #[test]
    fn a_file_counts_as_its_file_system() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(free_bytes(&file.path().join("below-a-file")).is_some());
    }

    #[test]
    fn a_file_system_without_blocks_has_no_room() {
        assert_eq!(free_bytes(Path::new("/proc/self")), Some(0));
    }
}
