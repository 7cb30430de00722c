//! `latency.hlog`: the `HdrHistogram` interval log, version 2, with a tag for
//! each transaction type, in an open loop one more for its response times. The
//! usual viewers open it; intervals merge exactly.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use crate::stats::interval::{Interval, Phase};
use crate::stats::sink::SinkError;

/// Values are microseconds; viewers divide by this to show milliseconds.
const US_PER_MS: f64 = 1000.0;

#[derive(Debug)]
pub struct HistogramLog {
    file: File,
    name: String,
    tags: Vec<String>,
    /// Start of the first interval: the others count from it.
    base: Option<Duration>,
}

impl HistogramLog {
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, transactions: &[String]) -> Result<HistogramLog, SinkError> {
        let name = path.display().to_string();
        let file = File::create_new(path)
            .map_err(|error| SinkError(format!("cannot make {name}: {error}")))?;
        Ok(HistogramLog {
            file,
            name,
            // A tag must not hold what separates the cells of a line.
            tags: transactions
                .iter()
                .map(|name| name.replace([',', ' ', '\n', '\r'], "_"))
                .collect(),
            base: None,
        })
    }

    /// Adds one line per transaction type that ended something in the interval.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn interval(&mut self, interval: &Interval) -> Result<(), SinkError> {
        let start = SystemTime::UNIX_EPOCH
            + Duration::from_micros(u64::try_from(interval.time_us).unwrap_or(0));
        let text = self
            .lines(interval, start)
            .map_err(|error| self.failed(error))?;
        self.file
            .write_all(&text)
            .map_err(|error| self.failed(error))
    }

    fn lines(
        &mut self,
        interval: &Interval,
        start: SystemTime,
    ) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let mut text = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        let mut builder = IntervalLogWriterBuilder::new();
        builder.with_max_value_divisor(US_PER_MS);
        let since = start.duration_since(SystemTime::UNIX_EPOCH)?;
        let base = self.base.unwrap_or(since);
        if self.base.is_none() {
            builder.add_comment("[Histogram log format version 1.3]");
            builder.add_comment(
                "tiermark: latencies in microseconds by transaction type; response_: from the planned instant",
            );
            builder.with_start_time(start).with_base_time(start);
        }
        let mut writer = builder.begin_log_with(&mut text, &mut serializer)?;
        for (stats, tag) in interval.recorder.transactions.iter().zip(&self.tags) {
            // Tags of their own, so that merging by tag gives the window's figures.
            let phase = match interval.phase {
                Phase::Warmup => "warmup_",
                Phase::Measure | Phase::Drain => "",
            };
            let measures = [("", &stats.service), ("response_", &stats.response)];
            for (measure, latency) in measures {
                if !latency.is_empty() {
                    let offset = since.saturating_sub(base);
                    let tag = format!("{phase}{measure}{tag}");
                    let histogram = latency.histogram();
                    writer.write_histogram(histogram, offset, interval.length, Tag::new(&tag))?;
                }
            }
        }
        if self.base.is_some() {
            // The crate begins each time with its header lines.
            let lines = text.split_inclusive(|&byte| byte == b'\n');
            text = lines
                .filter(|line| !line.starts_with(b"#"))
                .flatten()
                .copied()
                .collect();
        }
        self.base = Some(base);
        Ok(text)
    }

    fn failed(&self, error: impl std::fmt::Display) -> SinkError {
        SinkError(format!("cannot write {}: {error}", self.name))
    }
}
