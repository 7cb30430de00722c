//! The columns of every CSV file are a promise: these names, in this order.
//! New ones come at the end, and here.

use std::path::Path;
use std::time::Duration;

use tiermark::report::csv::Form;
use tiermark::report::files::RunFiles;
use tiermark::stats::audit::Audited;
use tiermark::stats::interval::{Interval, Phase};
use tiermark::stats::recorder::{ErrorStats, Fate, Recorder};
use tiermark::stats::sink::{Sink, SinkError};
use tiermark::stats::summary::{RunInfo, Summary};
use tiermark::value::Kind;

const RUNS: &str = "format run started_utc study placement tier log_tier point repeat \
    workload workload_sha engine server_version tls transaction clients workers seed isolation \
    arrivals rate_offered warmup_s measured_s steady tps qps offered done rolled_back \
    retries retries_per_tx failed in_doubt disconnects outage_s empty \
    skipped_late not_started unfinished drained \
    mean_us min_us p50_us p90_us p95_us p99_us p999_us p9999_us max_us \
    response_mean_us response_p50_us response_p95_us response_p99_us response_p999_us response_max_us \
    failed_mean_us failed_max_us gen_lag_p99_us \
    tps_cv tps_rcv tps_min_over_median longest_stall_s client_cpu_pct \
    sla_us within_sla_pct client_cpu_s warnings new_orders_per_min";
const STATEMENTS: &str = "format run transaction statement kind count rows errors \
    mean_us p50_us p95_us p99_us max_us";
const ERRORS: &str = "format run transaction statement code class count \
    first_utc last_utc seconds_lost message";
const INTERVALS: &str = "format run tier phase time_utc second length_s transaction clients \
    offered done tps qps rolled_back failed retries mean_us p50_us p95_us p99_us max_us \
    response_p99_us backlog gen_lag_p99_us client_cpu_pct";
const PERCENTILES: &str = "format run transaction measure percentile value_us count";
const AUDIT: &str = "format run item value lower upper result";

/// 2026-11-30 09:00:00 UTC.
const NINE: i64 = 1_796_029_200_000_000;

/// Writes the files of a run with one transaction of 2 ms and one error.
fn write(results: &Path) -> Result<(), SinkError> {
    write_in(results, Form::Standard)
}

fn write_in(results: &Path, form: Form) -> Result<(), SinkError> {
    let folder = results.join("r");
    std::fs::create_dir_all(&folder).unwrap();
    let mut recorder = Recorder::new(1, 1);
    recorder.transactions[0].done = 1;
    recorder.transactions[0]
        .service
        .record(Duration::from_millis(2));
    let statement = recorder.statement(0, 0);
    statement.count = 1;
    statement.latency.record(Duration::from_millis(2));
    recorder.error(ErrorStats {
        transaction: 0,
        statement: 0,
        code: "40P01".to_owned(),
        fate: Fate::Retried,
        count: 1,
        first: Duration::from_secs(61),
        last: Duration::from_secs(62),
        lost: None,
        message: "=not, a \"formula\"".to_owned(),
    });
    let info = RunInfo {
        run: "r".to_owned(),
        started_us: NINE,
        transactions: vec!["t".to_owned()],
        statements: vec![("s".to_owned(), Kind::Read)],
        audited: Some(Audited {
            kinds: vec!["new_order"],
            warehouses: 1,
            table_sets: 1,
        }),
        ..RunInfo::default()
    };
    let mut files = RunFiles::create(results, &folder, &info, form).unwrap();
    let interval = Interval {
        offered: None,
        backlog: None,
        phase: Phase::Measure,
        time_us: NINE,
        second: 0.0,
        length: Duration::from_secs(1),
        recorder: recorder.clone(),
        clients: 1,
        cpu: Duration::ZERO,
        cores: 1,
    };
    files.interval(&interval).unwrap();
    let summary = Summary {
        open: None,
        info,
        measured: Duration::from_secs(1),
        all: recorder.all(),
        recorder,
        steadiness: None,
        client_cpu: Duration::ZERO,
        outage: Duration::ZERO,
        disconnected: Duration::ZERO,
        orders_taken: None,
        warnings: Vec::new(),
    };
    files.finish(&summary)
}

#[test]
fn headers_are_as_promised() {
    let results = tempfile::tempdir().unwrap();
    write(results.path()).unwrap();
    for (file, columns) in [
        ("runs.csv", RUNS),
        ("r/summary.csv", RUNS),
        ("r/statements.csv", STATEMENTS),
        ("r/errors.csv", ERRORS),
        ("r/intervals.csv", INTERVALS),
        ("r/percentiles.csv", PERCENTILES),
        ("r/audit.csv", AUDIT),
    ] {
        let text = std::fs::read_to_string(results.path().join(file)).unwrap();
        let header = text.lines().next().unwrap();
        assert_eq!(header, columns.replace(' ', ","), "{file}");
        // Every row has a cell for each, and says its format.
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty(), "{file}");
        assert!(
            rows.iter().all(|row| &row[0] == "1" && &row[1] == "r"),
            "{file}"
        );
    }
}

#[test]
fn cells_are_as_spreadsheets_read_them() {
    let results = tempfile::tempdir().unwrap();
    write(results.path()).unwrap();
    let read = |file| std::fs::read_to_string(results.path().join(file)).unwrap();
    assert_eq!(
        read("r/errors.csv").lines().nth(1).unwrap(),
        "1,r,t,s,40P01,retried,1,2026-11-30 09:01:01,2026-11-30 09:01:02,,\"'=not, a \"\"formula\"\"\""
    );
    assert_eq!(
        read("r/statements.csv").lines().nth(1).unwrap(),
        "1,r,t,s,read,1,0,0,2000,2000,2000,2000,2000"
    );
    // What a closed loop does not have is empty, not 0.
    assert_eq!(
        read("r/intervals.csv").lines().nth(1).unwrap(),
        "1,r,,measure,2026-11-30 09:00:00,0,1,all,1,,1,1,0,0,0,0,2000,2000,2000,2000,2000,2000,,,0"
    );
}

#[test]
fn runs_of_an_older_version_are_filled_up() {
    let results = tempfile::tempdir().unwrap();
    let path = results.path().join("runs.csv");
    let old: Vec<&str> = RUNS.split(' ').take(40).collect();
    let row = vec!["1"; 40].join(",");
    std::fs::write(&path, format!("{}\n{row}\n", old.join(","))).unwrap();
    write(results.path()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], RUNS.replace(' ', ","));
    let missing = RUNS.split(' ').count() - 40;
    assert_eq!(lines[1], format!("{row}{}", ",".repeat(missing)));
    assert!(lines[2].starts_with("1,r,2026-11-30 09:00:00,"));
}

#[test]
fn runs_of_another_kind_are_left_alone() {
    let results = tempfile::tempdir().unwrap();
    let path = results.path().join("runs.csv");
    std::fs::write(&path, "format,something,else\n1,2,3\n").unwrap();
    let error = write(results.path()).unwrap_err().to_string();
    assert!(error.contains("runs.csv"), "{error}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "format,something,else\n1,2,3\n");
}

/// Every file has the same cells, figures with a comma.
#[test]
fn eu_holds_the_same_figures() {
    let folders = [Form::Standard, Form::Eu].map(|form| {
        let results = tempfile::tempdir().unwrap();
        write_in(results.path(), form).unwrap();
        (form, results)
    });
    for file in [
        "runs.csv",
        "r/summary.csv",
        "r/statements.csv",
        "r/errors.csv",
        "r/intervals.csv",
        "r/percentiles.csv",
        "r/audit.csv",
    ] {
        let [standard, eu] = folders.each_ref().map(|(form, results)| {
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .delimiter(form.delimiter())
                .from_path(results.path().join(file))
                .unwrap();
            let cells = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
            let rows = reader.records().map(|row| cells(row.unwrap()));
            rows.collect::<Vec<Vec<String>>>()
        });
        assert_eq!(standard.len(), eu.len(), "{file}");
        for (standard, eu) in standard.iter().zip(&eu) {
            let same = standard.iter().map(|cell| match cell.parse::<f64>() {
                Ok(_) => cell.replace('.', ","),
                Err(_) => cell.clone(),
            });
            assert_eq!(same.collect::<Vec<_>>(), *eu, "{file}");
        }
    }
}
