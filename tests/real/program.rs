//! The program as a user starts it, and the files that it leaves.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::connection::Content;
use crate::database::Database;

/// Nothing here takes longer than a tenth of this.
pub const PATIENCE: Duration = Duration::from_secs(100);

/// All that sysbench's tables hold, as texts that are the same on all engines.
/// `CHAR` comes padded from PostgreSQL only.
pub fn sbtest(table: u32) -> String {
    format!(
        "SELECT CONCAT(id, ' ', k, ' ', TRIM(c), ' ', TRIM(pad)) FROM sbtest{table} ORDER BY id"
    )
}

/// One row of a CSV file by column.
pub type Row = BTreeMap<String, String>;

/// What the program said and how it ended.
#[derive(Debug)]
pub struct Output {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Where it was started.
    folder: PathBuf,
}

impl Output {
    pub fn everything(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }

    #[track_caller]
    pub fn expect(self, status: i32) -> Output {
        assert_eq!(self.status, Some(status), "{}", self.everything());
        self
    }

    /// The folder of the result, which is the last line.
    pub fn results(&self) -> Results {
        let folder = self.stdout.lines().last().unwrap_or_default();
        Results::in_folder(&self.folder.join(folder))
    }
}

impl Database {
    /// Where the program is told to put its results.
    pub fn results(&self) -> PathBuf {
        self.folder().join("results")
    }

    /// Runs `tiermark` on this database, and waits for it.
    pub fn tiermark(&self, arguments: &[&str]) -> Output {
        self.tiermark_on(self.url.as_str(), arguments)
    }

    /// The same with another address.
    pub fn tiermark_on(&self, url: &str, arguments: &[&str]) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        let output = command.env("TIERMARK_URL", url).timeout(PATIENCE).output();
        let output = output.unwrap();
        Output {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            folder: self.folder().to_owned(),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tiermark"));
        command
            .args(arguments)
            .current_dir(self.folder())
            .env("TIERMARK_URL", self.url.as_str());
        command
    }

    /// Loads `oltp_read_write` with this many tables and rows.
    pub fn prepare(&self, tables: u32, rows: u32) {
        let tables = format!("tables={tables}");
        let rows = format!("rows={rows}");
        let arguments = [
            "prepare",
            "oltp_read_write",
            "--set",
            &tables,
            "--set",
            &rows,
        ];
        self.tiermark(&arguments).expect(0);
    }

    /// The rows of all of `oltp_read_write`'s tables.
    pub fn sbtests(&self, tables: u32) -> Vec<Content> {
        (1..=tables)
            .map(|table| self.content(&sbtest(table)))
            .collect()
    }

    /// Starts `tiermark`, which goes on while the test does something to it.
    pub fn start(&self, arguments: &[&str]) -> Running {
        self.start_in("results", arguments)
    }

    /// The same with another folder of results, which `arguments` name.
    pub fn start_in(&self, results: &str, arguments: &[&str]) -> Running {
        let path = |name: &str| self.folder().join(name);
        let (stdout, stderr) = (path("stdout"), path("stderr"));
        let child = self
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Running {
            child,
            stdout,
            stderr,
            results: self.folder().join(results),
            since: Instant::now(),
        }
    }

    /// Writes a workload file and, beside it, its SQL for all engines.
    pub fn workload(&self, name: &str, toml: &str, sql: &str) -> String {
        let path = self.folder().join(format!("{name}.toml"));
        std::fs::write(&path, toml).unwrap();
        std::fs::write(self.folder().join(format!("{name}.sql")), sql).unwrap();
        path.display().to_string()
    }
}

/// A `tiermark run` on its way.
pub struct Running {
    pub child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
    results: PathBuf,
    since: Instant,
}

impl Running {
    /// Waits for the row of this second in `intervals.csv`: the second is over.
    pub fn wait_for_second(&mut self, second: i64) {
        let second = second.to_string();
        loop {
            let done = only_folder(&self.results).is_some_and(|folder| {
                let results = Results::in_folder(&folder);
                results.seconds("").contains(&second)
            });
            if done {
                return;
            }
            let ended = self.child.try_wait().unwrap();
            let said = || std::fs::read_to_string(&self.stderr).unwrap_or_default();
            assert!(ended.is_none(), "it ended: {}", said());
            assert!(self.since.elapsed() < PATIENCE, "no second {second}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for its end, which must come by itself.
    pub fn wait(mut self) -> (Output, Results) {
        let status = self.ended();
        let read = |path| std::fs::read_to_string(path).unwrap();
        let output = Output {
            status: status.code(),
            stdout: read(&self.stdout),
            stderr: read(&self.stderr),
            folder: self.results.parent().unwrap().to_owned(),
        };
        let folder = only_folder(&self.results).unwrap();
        (output, Results::in_folder(&folder))
    }

    fn ended(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(self.since.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(mut self) -> Results {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        Results::in_folder(&only_folder(&self.results).unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and need not be.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of the only run, once there is one.
fn only_folder(results: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(results).ok()?;
    let mut folders = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let folder = folders.next();
    assert!(folders.next().is_none(), "more than one run");
    folder
}

/// The folder of one run.
#[derive(Debug)]
pub struct Results {
    pub folder: PathBuf,
}

impl Results {
    pub fn in_folder(folder: &Path) -> Results {
        Results {
            folder: folder.to_owned(),
        }
    }

    pub fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    pub fn csv(&self, file: &str) -> Vec<Row> {
        read_csv(&self.folder.join(file))
    }

    /// The row of `all` in `summary.csv`.
    pub fn summary(&self) -> Row {
        let rows = self.csv("summary.csv");
        let mut all = rows.into_iter().filter(|row| row["transaction"] == "all");
        all.next().unwrap()
    }

    /// The row of `all` in `runs.csv`, which must be the only one.
    pub fn only_run(&self) -> Row {
        let mut rows = read_csv(&self.folder.parent().unwrap().join("runs.csv"));
        assert_eq!(rows.len(), 1);
        rows.remove(0)
    }

    /// Rows of `all` in `intervals.csv` in this phase, or in any for `""`.
    /// A last line that is not whole yet is left out.
    pub fn intervals(&self, phase: &str) -> Vec<Row> {
        let Ok(text) = std::fs::read_to_string(self.folder.join("intervals.csv")) else {
            return Vec::new();
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut rows = parse_csv(whole);
        rows.retain(|row| {
            row["transaction"] == "all" && (phase.is_empty() || row["phase"] == phase)
        });
        rows
    }

    /// The seconds of those rows.
    pub fn seconds(&self, phase: &str) -> Vec<String> {
        let rows = self.intervals(phase);
        rows.iter().map(|row| row["second"].clone()).collect()
    }

    pub fn manifest(&self) -> toml::Table {
        let text = std::fs::read_to_string(self.folder.join("manifest.toml")).unwrap();
        text.parse().unwrap()
    }

    /// How the run ended, as the manifest says.
    pub fn state(&self) -> String {
        let manifest = self.manifest();
        manifest["outcome"]["state"].as_str().unwrap().to_owned()
    }

    /// Count and rows of each statement, by transaction and statement.
    pub fn statements(&self) -> BTreeMap<String, (u64, u64)> {
        let rows = self.csv("statements.csv");
        rows.iter()
            .map(|row| {
                let name = format!("{} {}", row["transaction"], row["statement"]);
                (name, (number(row, "count"), number(row, "rows")))
            })
            .collect()
    }
}

pub fn number(row: &Row, column: &str) -> u64 {
    let cell = &row[column];
    cell.parse()
        .unwrap_or_else(|_| panic!("{column} is `{cell}`"))
}

pub fn real(row: &Row, column: &str) -> f64 {
    let cell = &row[column];
    cell.parse()
        .unwrap_or_else(|_| panic!("{column} is `{cell}`"))
}

/// Sum of a column over the rows of `errors.csv` of one class.
pub fn errors_of(errors: &[Row], class: &str) -> u64 {
    let rows = errors.iter().filter(|row| row["class"] == class);
    rows.map(|row| number(row, "count")).sum()
}

pub fn read_csv(path: &Path) -> Vec<Row> {
    parse_csv(&std::fs::read_to_string(path).unwrap())
}

fn parse_csv(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}
