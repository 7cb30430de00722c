//! A whole run on the null engine in the test's own runtime, under its paused
//! clock, into real files and a sink that remembers.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use tiermark::db::null::NullSession;
use tiermark::db::session::{Session, Target};
use tiermark::report::csv::Form;
use tiermark::report::files::RunFiles;
use tiermark::run::execute::{RunConfig, Threads, run};
use tiermark::run::pace::Pace;
use tiermark::run::timeline::Stop;
use tiermark::stats::interval::Interval;
use tiermark::stats::sink::{Sink, SinkError};
use tiermark::stats::summary::{RunInfo, Summary};
use tiermark::value::Engine;
use tiermark::workload::compile::compile;
use tiermark::workload::plan::Plan;
use tiermark::workload::settings::Settings;
use tiermark::workload::source::Source;
use tokio::time::{Instant, sleep};

use crate::table;

/// BEGIN, two reads, a write, COMMIT.
pub const PAIR: &str = r#"
[[transaction]]
name = "pair"
atomic = true
steps = [{ run = ["read"], repeat = 2 }, { run = ["write"] }]
"#;

/// One read, in no transaction block.
pub const SINGLE: &str = r#"
[[transaction]]
name = "single"
steps = [{ run = ["read"] }]
"#;

const HEAD: &str = r#"about = "for tests"
sql = "two"
[params]
rows = 100
[draw]
id = { kind = "uniform", min = 1, max = "rows" }
"#;

const SQL: &str = "-- name: read\nSELECT a FROM t WHERE id = :id\n\
    -- name: write\nUPDATE t SET a = 1 WHERE id = :id\n";

/// What a test chooses of a run.
pub struct Rig {
    pub transactions: &'static str,
    /// A shipped workload in their place, with its settings.
    pub shipped: Option<(&'static str, &'static [&'static str])>,
    /// The null target's script, such as `delay=5ms`.
    pub script: &'static str,
    pub clients: u64,
    pub workers: usize,
    pub warmup: Duration,
    pub stop: Stop,
    pub grace: Duration,
    pub pace: Pace,
    pub sla: Option<Duration>,
    pub error_limit: f64,
    pub interrupt: Option<Duration>,
}

/// A workload on the null engine.
pub fn plan(workload: &str, sets: &[&str]) -> Plan {
    let source = Source::open(workload, None).unwrap();
    let settings = Settings {
        preset: None,
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
    };
    compile(&source, &settings, Engine::Null).unwrap()
}

/// What came of it.
pub struct Ran {
    pub summary: Summary,
    pub seen: Memory,
    /// By the paused clock.
    pub took: Duration,
    pub results: TempDir,
}

/// A sink that keeps what it is given.
#[derive(Default)]
pub struct Memory {
    pub connected: Vec<(u64, u64)>,
    pub intervals: Vec<Interval>,
    pub finished: u64,
}

impl Sink for Memory {
    fn connected(&mut self, ready: u64, clients: u64) {
        self.connected.push((ready, clients));
    }

    fn interval(&mut self, interval: &Interval) -> Result<(), SinkError> {
        self.intervals.push(interval.clone());
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), SinkError> {
        self.finished += 1;
        Ok(())
    }
}

impl Rig {
    /// One client on one worker, one second measured, no warm-up.
    pub fn new(transactions: &'static str, script: &'static str) -> Rig {
        Rig {
            transactions,
            shipped: None,
            script,
            clients: 1,
            workers: 1,
            warmup: Duration::ZERO,
            stop: Stop::After(Duration::from_secs(1)),
            grace: Duration::from_secs(1),
            pace: Pace::Closed { wait: 0.0 },
            sla: None,
            error_limit: 0.01,
            interrupt: None,
        }
    }

    pub async fn run(self) -> Ran {
        self.run_on::<NullSession>().await
    }

    /// On a session of the test's own, which is a null session underneath.
    pub async fn run_on<S: Session + 'static>(self) -> Ran {
        let results = tempfile::tempdir().unwrap();
        let workload = results.path().join("w.toml");
        std::fs::write(&workload, format!("{HEAD}{}", self.transactions)).unwrap();
        std::fs::write(results.path().join("two.sql"), SQL).unwrap();
        let (workload, sets) = self.shipped.unwrap_or((workload.to_str().unwrap(), &[]));
        let plan = plan(workload, sets);
        let folder = results.path().join("r");
        std::fs::create_dir(&folder).unwrap();
        let open = self.pace.open();
        let info = RunInfo {
            run: "r".to_owned(),
            workload: plan.workload.clone(),
            engine: "null".to_owned(),
            clients: self.clients,
            workers: self.workers as u64,
            cores: self.workers as u64,
            warmup: self.warmup,
            arrivals: open.map_or(String::new(), |open| open.arrivals.name().to_owned()),
            rate: open.map(|open| open.rate),
            sla: self.sla,
            transactions: plan.transactions.iter().map(|of| of.name.clone()).collect(),
            ..RunInfo::default()
        };
        let target = Target::parse(&format!("null:?{}", self.script)).unwrap();
        let config = RunConfig {
            targets: vec![target.clone()].into(),
            clients: self.clients,
            workers: self.workers,
            seed: 1,
            warmup: self.warmup,
            stop: self.stop,
            grace: self.grace,
            pace: self.pace,
            sla: self.sla,
            error_limit: self.error_limit,
            warnings: Vec::new(),
        };
        let control = S::open(&target, &[]).await.unwrap();
        let mut files = RunFiles::create(results.path(), &folder, &info, Form::Standard).unwrap();
        let mut seen = Memory::default();
        let interrupt = async {
            match self.interrupt {
                Some(after) => sleep(after).await,
                None => std::future::pending().await,
            }
        };
        let start = Instant::now();
        let sinks: &mut [&mut dyn Sink] = &mut [&mut files, &mut seen];
        let threads = Threads::Callers;
        let summary = run(
            &config,
            plan.into(),
            info,
            vec![control],
            threads,
            sinks,
            interrupt,
        );
        let summary = summary.await.unwrap();
        Ran {
            summary,
            seen,
            took: start.elapsed(),
            results,
        }
    }
}

impl Ran {
    pub fn path(&self, file: &str) -> PathBuf {
        self.results.path().join("r").join(file)
    }

    /// Columns of all rows of a file of the run's folder.
    pub fn cells(&self, file: &str, columns: &str) -> Vec<String> {
        table::cells(&self.path(file), columns)
    }

    /// Columns of the row `all` of `summary.csv`.
    pub fn all(&self, columns: &str) -> String {
        self.cells("summary.csv", columns).pop().unwrap()
    }

    /// Columns of the rows for all transactions of `intervals.csv`.
    pub fn seconds(&self, columns: &str) -> Vec<String> {
        let rows = self.cells("intervals.csv", &format!("transaction {columns}"));
        rows.iter()
            .filter_map(|row| row.strip_prefix("all "))
            .map(str::to_owned)
            .collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.summary
            .warnings
            .iter()
            .map(|warning| warning.code)
            .collect()
    }
}

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The runs of tests are short: their p99 rests on few transactions.
pub const ONLY_THIN: [&str; 2] = ["thin_p99", "thin_p999"];
