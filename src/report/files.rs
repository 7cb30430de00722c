//! The CSV files of one run, as a sink: `intervals.csv` and `latency.hlog` grow
//! each second; the others are written when the run has ended.

use std::path::{Path, PathBuf};

use crate::report::csv::{CsvFile, Form};
use crate::report::hlog::HistogramLog;
use crate::report::runs;
use crate::stats::audit::audit;
use crate::stats::cell::Cell;
use crate::stats::interval::{self, Interval, IntervalRow};
use crate::stats::latency::Latency;
use crate::stats::recorder::TransactionStats;
use crate::stats::sink::{Sink, SinkError};
use crate::stats::summary::{METRICS, RunInfo, Summary, SummaryRow, whole};

#[derive(Debug)]
pub struct RunFiles {
    results: PathBuf,
    folder: PathBuf,
    form: Form,
    run: String,
    tier: String,
    transactions: Vec<String>,
    intervals: CsvFile,
    log: HistogramLog,
}

const STATEMENTS: [&str; 12] = [
    "run",
    "transaction",
    "statement",
    "kind",
    "count",
    "rows",
    "errors",
    "mean_us",
    "p50_us",
    "p95_us",
    "p99_us",
    "max_us",
];
const ERRORS: [&str; 10] = [
    "run",
    "transaction",
    "statement",
    "code",
    "class",
    "count",
    "first_utc",
    "last_utc",
    "seconds_lost",
    "message",
];
const PERCENTILES: [&str; 6] = [
    "run",
    "transaction",
    "measure",
    "percentile",
    "value_us",
    "count",
];

const AUDIT: [&str; 6] = ["run", "item", "value", "lower", "upper", "result"];

impl RunFiles {
    /// Begins the files in `folder`, which lies in `results`.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn create(
        results: &Path,
        folder: &Path,
        info: &RunInfo,
        form: Form,
    ) -> Result<RunFiles, SinkError> {
        let columns = interval::COLUMNS.iter().map(|column| column.name);
        Ok(RunFiles {
            results: results.to_owned(),
            folder: folder.to_owned(),
            form,
            run: info.run.clone(),
            tier: info.tier.clone(),
            transactions: info.transactions.clone(),
            intervals: CsvFile::create(&folder.join("intervals.csv"), columns, form)?,
            log: HistogramLog::create(&folder.join("latency.hlog"), &info.transactions)?,
        })
    }

    fn csv<'a>(
        &self,
        name: &str,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Result<CsvFile, SinkError> {
        CsvFile::create(&self.folder.join(name), columns, self.form)
    }

    fn interval_row(
        &mut self,
        interval: &Interval,
        transaction: Option<usize>,
        stats: &TransactionStats,
    ) -> Result<(), SinkError> {
        let row = IntervalRow {
            interval,
            run: &self.run,
            tier: &self.tier,
            transaction: transaction.map_or("all", |index| &self.transactions[index]),
            is_all: transaction.is_none(),
            stats,
        };
        let cells: Vec<Cell> = interval::COLUMNS
            .iter()
            .map(|column| (column.get)(&row))
            .collect();
        self.intervals.row(cells)
    }

    fn summary(&self, summary: &Summary) -> Result<(), SinkError> {
        let columns = METRICS.iter().map(|metric| metric.name);
        let mut file = self.csv("summary.csv", columns)?;
        for row in summary.rows() {
            file.row(METRICS.iter().map(|metric| (metric.get)(&row)))?;
        }
        file.flush()
    }

    fn statements(&self, summary: &Summary) -> Result<(), SinkError> {
        let mut file = self.csv("statements.csv", STATEMENTS)?;
        for (index, transaction) in summary.info.transactions.iter().enumerate() {
            let rows = summary
                .recorder
                .statements_of(index)
                .iter()
                .zip(&summary.info.statements);
            for (stats, (statement, kind)) in rows {
                if stats.count == 0 && stats.latency.is_empty() && stats.errors == 0 {
                    continue;
                }
                file.row([
                    Cell::from(summary.info.run.as_str()),
                    Cell::from(transaction.as_str()),
                    Cell::from(statement.as_str()),
                    Cell::from(kind.name()),
                    stats.count.into(),
                    stats.rows.into(),
                    stats.errors.into(),
                    stats.latency.mean_us().map(whole).into(),
                    stats.latency.quantile_us(0.5).into(),
                    stats.latency.quantile_us(0.95).into(),
                    stats.latency.quantile_us(0.99).into(),
                    stats.latency.max_us().into(),
                ])?;
            }
        }
        file.flush()
    }

    fn errors(&self, summary: &Summary) -> Result<(), SinkError> {
        let mut file = self.csv("errors.csv", ERRORS)?;
        let clock = |since: std::time::Duration| {
            let since = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
            Cell::Time(summary.info.started_us.saturating_add(since))
        };
        for error in &summary.recorder.errors {
            file.row([
                Cell::from(summary.info.run.as_str()),
                Cell::from(summary.info.transactions[error.transaction].as_str()),
                Cell::from(summary.info.statements[error.statement].0.as_str()),
                Cell::from(error.code.as_str()),
                Cell::from(error.fate.name()),
                error.count.into(),
                clock(error.first),
                clock(error.last),
                error.lost.map(|lost| lost.as_secs_f64()).into(),
                Cell::from(error.message.as_str()),
            ])?;
        }
        file.flush()
    }

    /// Only of a run that has one.
    fn audit(&self, summary: &Summary) -> Result<(), SinkError> {
        let rows = audit(summary);
        if rows.is_empty() {
            return Ok(());
        }
        let mut file = self.csv("audit.csv", AUDIT)?;
        for row in rows {
            file.row([
                Cell::from(self.run.as_str()),
                Cell::from(row.item),
                row.value.into(),
                row.lower.into(),
                row.upper.into(),
                Cell::from(row.result()),
            ])?;
        }
        file.flush()
    }

    fn percentiles(&self, summary: &Summary) -> Result<(), SinkError> {
        let mut file = self.csv("percentiles.csv", PERCENTILES)?;
        for row in summary.rows() {
            self.curve(&mut file, &row, "service", &row.stats.service)?;
            // In a closed loop it is the same curve.
            if summary.open.is_some() {
                self.curve(&mut file, &row, "response", &row.stats.response)?;
            }
        }
        file.flush()
    }

    fn curve(
        &self,
        file: &mut CsvFile,
        row: &SummaryRow<'_>,
        measure: &str,
        latency: &Latency,
    ) -> Result<(), SinkError> {
        for point in latency.curve() {
            file.row([
                Cell::from(self.run.as_str()),
                Cell::from(row.transaction),
                Cell::from(measure),
                Cell::Text(self.form.number(&percentile(point.percentile))),
                point.value_us.into(),
                point.count.into(),
            ])?;
        }
        Ok(())
    }
}

/// The tail of a long run needs more decimals than other figures.
fn percentile(percentile: f64) -> String {
    let text = format!("{percentile:.8}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Sink for RunFiles {
    fn interval(&mut self, interval: &Interval) -> Result<(), SinkError> {
        self.interval_row(interval, None, &interval.recorder.all())?;
        for (index, stats) in interval.recorder.transactions.iter().enumerate() {
            if stats.is_active() {
                self.interval_row(interval, Some(index), stats)?;
            }
        }
        self.intervals.flush()?;
        self.log.interval(interval)
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        // Each on its own: one that cannot be written must not cost the others.
        let written = [
            self.summary(summary),
            self.statements(summary),
            self.errors(summary),
            self.percentiles(summary),
            self.audit(summary),
            runs::append(&self.results, &summary.all_row(), self.form),
        ];
        written.into_iter().collect()
    }
}
