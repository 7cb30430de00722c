//! A folder of its own for each test, and the program in it.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

pub struct Place {
    pub folder: TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The program with these arguments, in this folder, with no target.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tiermark"));
        command
            .current_dir(self.folder.path())
            .env_remove("TIERMARK_URL")
            .args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        let output = assert_cmd::Command::from_std(self.command(arguments))
            .output()
            .unwrap();
        Said {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs what must be refused with status 2 and one message of one line, and
    /// must leave the folder as it was. Returns the message.
    pub fn refuse(&self, arguments: &[&str]) -> String {
        let before = self.files();
        let said = self.run(arguments);
        assert_eq!(said.status, Some(2), "{arguments:?}: {said:?}");
        assert_eq!(said.out, "", "{arguments:?}");
        assert!(!said.err.contains("panicked"), "{said:?}");
        let message = match said.err.strip_prefix("error: ") {
            // The argument parser adds a hint in a paragraph of its own.
            Some(parsed) => parsed.split("\n\n").next().unwrap(),
            None => said
                .err
                .strip_prefix("tiermark: ")
                .unwrap_or_else(|| panic!("{said:?}")),
        };
        assert_eq!(message.trim_end().lines().count(), 1, "{said:?}");
        assert_eq!(self.files(), before, "{arguments:?} touched something");
        message.trim_end().to_owned()
    }

    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            // SQLite's own, which come and go with a connection.
            .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
            .collect();
        names.sort();
        names
    }
}
