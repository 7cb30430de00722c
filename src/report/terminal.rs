//! The summary of a run as a person reads it. Milliseconds here, microseconds in
//! files.

use std::fmt::Write;
use std::io::IsTerminal;

use crate::stats::audit::audit;
use crate::stats::cell::Cell;
use crate::stats::latency::Latency;
use crate::stats::recorder::TransactionStats;
use crate::stats::summary::{METRICS, OpenLoop, Summary, SummaryRow};
use crate::units::{counted, grouped, human_duration};

/// The summary as people read it.
pub fn summary(summary: &Summary) -> String {
    let info = &summary.info;
    let style = Style::of_stdout();
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_summary(&mut text, summary, &style);
    let version = if info.server_version.is_empty() {
        String::new()
    } else {
        format!(" {}", info.server_version)
    };
    let clients = counted(info.clients, "client");
    let warmup = if info.warmup.is_zero() {
        String::new()
    } else {
        format!(" after {} of warm-up", human_duration(info.warmup))
    };
    let head = format!(
        "{} on {}{version}: {clients}, {:.1} s measured{warmup}",
        info.workload,
        info.engine,
        summary.measured.as_secs_f64()
    );
    format!("\n{}\n\n{text}", style.bold(&head))
}

fn write_summary(text: &mut String, summary: &Summary, style: &Style) -> std::fmt::Result {
    let all = &summary.all;
    let row = summary.all_row();
    let per_second = |name: &str| {
        number(&row, name).map_or(String::new(), |rate| {
            format!("{:>12} per second", fixed(rate, 1))
        })
    };
    writeln!(
        text,
        "  transactions {:>12} {}",
        grouped(all.done),
        style.bold(&per_second("tps"))
    )?;
    writeln!(
        text,
        "  statements   {:>12} {}",
        grouped(all.sent),
        per_second("qps")
    )?;
    if let Some(orders) = number(&row, "new_orders_per_min") {
        writeln!(text, "  new orders   {:>25} per minute", fixed(orders, 1))?;
    }
    let counts = [
        ("rolled back", all.rolled_back),
        ("retries", all.retries),
        ("failed", all.failed),
        ("in doubt", all.in_doubt),
        ("disconnects", all.disconnects),
        ("drained", all.drained),
        ("unfinished", all.unfinished),
        ("found no row", all.empty),
    ];
    for (name, count) in counts {
        if count > 0 || matches!(name, "retries" | "failed") {
            writeln!(text, "  {name:<12} {:>12}", grouped(count))?;
        }
    }
    if let Some(open) = &summary.open {
        open_loop(text, summary, open)?;
        latencies(text, summary, "response time in ms", |stats| {
            &stats.response
        })?;
        latencies(text, summary, "due to sent in ms", |stats| &stats.lag)?;
        latencies(text, summary, "service time in ms", |stats| &stats.service)?;
    } else {
        latencies(text, summary, "latency in ms", |stats| &stats.service)?;
    }
    if let Some(sla) = summary.info.sla
        && let Some(share) = number(&row, "within_sla_pct")
    {
        let sla = human_duration(sla);
        writeln!(text, "\n  {share:.2} % within {sla}")?;
    }
    for (index, transaction) in summary.info.transactions.iter().enumerate() {
        latency_head(text, &format!("statements of {transaction}"))?;
        for (stats, (statement, _)) in summary
            .recorder
            .statements_of(index)
            .iter()
            .zip(&summary.info.statements)
        {
            if stats.count > 0 {
                latency_line(text, &format!("  {statement}"), stats.count, &stats.latency)?;
            }
        }
    }
    audit_table(text, summary)?;
    if let Some(share) = summary.client_cpu_pct() {
        let cores = counted(summary.info.cores, "core");
        writeln!(text, "\n  client CPU {share:.1} % of {cores}")?;
    }
    errors(text, summary)?;
    if !summary.warnings.is_empty() {
        writeln!(text)?;
    }
    for warning in &summary.warnings {
        let word = if warning.fatal {
            "warning (exit status 1)"
        } else {
            "warning"
        };
        writeln!(
            text,
            "  {}: {}",
            style.yellow(&format!("{word} {}", warning.code)),
            warning.message
        )?;
    }
    Ok(())
}

/// Of a TPC-C run.
fn audit_table(text: &mut String, summary: &Summary) -> std::fmt::Result {
    let shown = |number: Option<f64>| {
        let decimals = |number: f64| if number.fract() == 0.0 { 0 } else { 2 };
        number.map_or(String::new(), |number| fixed(number, decimals(number)))
    };
    for (index, row) in audit(summary).iter().enumerate() {
        if index == 0 {
            writeln!(
                text,
                "\n  {:<30} {:>12} {:>12} {:>12}",
                "audit", "value", "at least", "at most"
            )?;
        }
        let (value, lower, upper) = (shown(row.value), shown(row.lower), shown(row.upper));
        let line = format!(
            "    {:<28} {value:>12} {lower:>12} {upper:>12}  {}",
            row.item,
            row.result()
        );
        writeln!(text, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Where each transaction of the plan went.
fn open_loop(text: &mut String, summary: &Summary, open: &OpenLoop) -> std::fmt::Result {
    let all = &summary.all;
    let parts = [
        (all.done, "done"),
        (all.rolled_back, "rolled back"),
        (all.failed, "failed"),
        (all.skipped_late, "skipped late"),
        (all.unfinished, "unfinished"),
        (open.not_started, "not started"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, name)| *count > 0 || *name == "done")
        .map(|(count, name)| format!("{} {name}", grouped(*count)))
        .collect();
    writeln!(
        text,
        "  {:<12} {:>12} = {}",
        "offered",
        grouped(open.offered),
        parts.join(" + ")
    )?;
    if open.dropped > 0 {
        let dropped = counted(open.dropped, "transaction");
        writeln!(
            text,
            "  {dropped} of the warm-up waited at its end and were dropped"
        )?;
    }
    Ok(())
}

fn latencies(
    text: &mut String,
    summary: &Summary,
    headline: &str,
    get: fn(&TransactionStats) -> &Latency,
) -> std::fmt::Result {
    latency_head(text, headline)?;
    for row in summary.rows() {
        let one_type = summary.info.transactions.len() == 1;
        if (row.is_all && one_type) || !row.stats.is_active() {
            continue;
        }
        let latency = get(row.stats);
        latency_line(
            text,
            &format!("  {}", row.transaction),
            latency.count(),
            latency,
        )?;
    }
    Ok(())
}

fn latency_head(text: &mut String, headline: &str) -> std::fmt::Result {
    writeln!(
        text,
        "\n  {headline:<24} {:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "count", "mean", "p50", "p95", "p99", "p99.9", "max"
    )
}

/// The five most frequent errors; `errors.csv` has all.
fn errors(text: &mut String, summary: &Summary) -> std::fmt::Result {
    let mut errors: Vec<_> = summary.recorder.errors.iter().collect();
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    for (index, error) in errors.iter().take(5).enumerate() {
        if index == 0 {
            writeln!(text, "\n  errors")?;
        }
        let statement = &summary.info.statements[error.statement].0;
        writeln!(
            text,
            "  {:>10} x {} {} at {statement}: {}",
            grouped(error.count),
            error.fate.name(),
            error.code,
            error.message
        )?;
    }
    if errors.len() > 5 {
        writeln!(text, "  and {} more kinds in errors.csv", errors.len() - 5)?;
    }
    Ok(())
}

fn latency_line(text: &mut String, name: &str, count: u64, latency: &Latency) -> std::fmt::Result {
    let mean = latency
        .mean_us()
        .map_or(String::new(), |us| fixed(us / 1e3, 2));
    let quantile = |quantile| ms(latency.quantile_us(quantile));
    writeln!(
        text,
        "  {name:<24} {:>12} {mean:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        grouped(count),
        quantile(0.5),
        quantile(0.95),
        quantile(0.99),
        quantile(0.999),
        ms(latency.max_us())
    )
}

fn number(row: &SummaryRow<'_>, name: &str) -> Option<f64> {
    let metric = METRICS.iter().find(|metric| metric.name == name)?;
    match (metric.get)(row) {
        Cell::Empty => None,
        cell => cell.number(),
    }
}

/// Microseconds as milliseconds; nothing where there is no figure.
#[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
pub(super) fn ms(us: Option<u64>) -> String {
    us.map_or(String::new(), |us| fixed(us as f64 / 1e3, 2))
}

/// `12345.67` as `12,345.7`.
pub(super) fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let Ok(whole) = whole.parse::<u64>() else {
        return text;
    };
    if fraction.is_empty() {
        grouped(whole)
    } else {
        format!("{}.{fraction}", grouped(whole))
    }
}

/// Colour where stdout is a terminal and `NO_COLOR` is not set.
struct Style {
    on: bool,
}

impl Style {
    fn of_stdout() -> Style {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Style {
            on: !refused && std::io::stdout().is_terminal(),
        }
    }

    fn bold(&self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.wrap("33", text)
    }

    fn wrap(&self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
