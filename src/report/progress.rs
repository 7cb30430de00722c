//! What a person sees while something goes on: lines and bars on stderr. The
//! summary at its end is `terminal`'s.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::report::terminal::{fixed, ms};
use crate::stats::interval::{Interval, Phase};
use crate::stats::sink::{Sink, SinkError};
use crate::stats::summary::Summary;
use crate::units::grouped;

/// A line on stderr for people. A reader that has gone away must not end a run.
pub fn note(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Progress on stderr. Silent where `quiet`.
#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    connecting: Option<ProgressBar>,
    lines: u64,
}

/// The head of the columns is said again after this many lines.
const LINES_A_HEAD: u64 = 20;

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        Progress {
            quiet,
            connecting: None,
            lines: 0,
        }
    }
}

impl Sink for Progress {
    fn connected(&mut self, ready: u64, clients: u64) {
        if self.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = self
            .connecting
            .get_or_insert_with(|| bar(clients, "connecting {bar:30} {pos}/{len} clients"));
        bar.set_position(ready);
        if ready == clients {
            bar.finish_and_clear();
        }
    }

    fn interval(&mut self, interval: &Interval) -> Result<(), SinkError> {
        if self.quiet {
            return Ok(());
        }
        if self.lines.is_multiple_of(LINES_A_HEAD) {
            note(format_args!(
                "{:>8} {:>8} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}",
                "second",
                "clients",
                "tps",
                "qps",
                "p50 ms",
                "p95 ms",
                "p99 ms",
                "max ms",
                "retries",
                "failed"
            ));
        }
        self.lines += 1;
        note(format_args!("{}", line(interval)));
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A progress bar, which shows on a terminal only.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = write!(text, "{} a second", fixed(state.per_sec(), 0));
        };
        bar.set_style(style.progress_chars("=> ").with_key("rate", rate));
    }
    bar
}

fn line(interval: &Interval) -> String {
    let all = interval.recorder.all();
    let seconds = interval.length.as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    let latency = all.response();
    let quantile = |quantile| ms(latency.quantile_us(quantile));
    let mut text = format!(
        "{:>8} {:>8} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}",
        format!("{:.0}", interval.second),
        interval.clients,
        fixed(rate(all.done), 1),
        fixed(rate(all.sent), 0),
        quantile(0.5),
        quantile(0.95),
        quantile(0.99),
        ms(latency.max_us()),
        all.retries,
        all.failed,
    );
    match interval.phase {
        Phase::Warmup => text.push_str("  warm-up"),
        Phase::Measure => {}
        Phase::Drain => text.push_str("  drain"),
    }
    if let Some(backlog) = interval.backlog.filter(|&backlog| backlog > 0) {
        text.push_str("  backlog ");
        text.push_str(&grouped(backlog));
    }
    text
}

/// How far work has come, and the time left: a bar on a terminal, else a line now
/// and then.
#[derive(Debug)]
pub struct StepBar {
    bar: Option<ProgressBar>,
    what: &'static str,
    unit: &'static str,
    steps: u64,
    /// Calls until the next line; `None` where there is none.
    calls: Option<u64>,
}

/// Calls come ten times a second; a log gets a line every ten seconds.
const CALLS_A_LINE: u64 = 100;

impl StepBar {
    pub fn new(what: &'static str, unit: &'static str, steps: u64, quiet: bool) -> StepBar {
        let on_terminal = std::io::stderr().is_terminal();
        let template = format!(
            "{what} {{bar:20}} {{human_pos}}/{{human_len}} {unit}, {{rate}}, {{eta}} left{{msg}}"
        );
        StepBar {
            bar: (!quiet && on_terminal).then(|| bar(steps, &template)),
            what,
            unit,
            steps,
            calls: (!quiet && !on_terminal).then_some(0),
        }
    }

    /// `done` steps are done. `then` is what goes on when all are.
    pub fn steps(&mut self, done: u64, then: &'static str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            if done >= self.steps {
                bar.set_message(then);
            }
        }
        if let Some(calls) = &mut self.calls {
            *calls += 1;
            if calls.is_multiple_of(CALLS_A_LINE) {
                let (done, steps) = (grouped(done), grouped(self.steps));
                note(format_args!(
                    "{}: {done} of {steps} {}",
                    self.what, self.unit
                ));
            }
        }
    }

    pub fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `1,000,000 rows in 2.5s (400,000 per second)`.
pub fn rows_in(rows: u64, took: Duration) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = rows as f64 / took.as_secs_f64().max(1e-9);
    format!(
        "{} rows in {:.1} s ({} per second)",
        grouped(rows),
        took.as_secs_f64(),
        fixed(rate, 0)
    )
}
