//! `tiermark show`: what a workload is, and the exact statements that a client
//! sends first.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;

use crate::cli::ShowArgs;
use crate::commands::exit::{GOOD, usage};
use crate::commands::run_config::pace;
use crate::commands::workload;
use crate::random::rng::Purpose;
use crate::run::load::estimate;
use crate::transaction::drawn::{Drawn, Place};
use crate::transaction::tpcc::call;
use crate::units::{counted, grouped, human_bytes, human_duration};
use crate::value::{Cells, Schedule, StmtId, Value};
use crate::workload::compile::{check, compile};
use crate::workload::draw::{Draw, Generator};
use crate::workload::mix::Mix;
use crate::workload::plan::{Body, Plan, RowSource, RunDefaults, Script, Table, Transaction};
use crate::workload::tpcc::table::TpccTable;

pub fn run(args: &ShowArgs) -> Result<u8> {
    let source = workload::source(&args.workload)?;
    let settings = workload::settings(&args.workload);
    check(&source, &settings).map_err(usage)?;
    let plan = compile(&source, &settings, args.engine).map_err(usage)?;
    pace(&plan, &RunDefaults::default())?;
    let mut out = std::io::stdout().lock();
    match args.client {
        Some(client) => {
            let phase = if args.warmup {
                Purpose::Warmup
            } else {
                Purpose::Run
            };
            let seed = args.seed.or(plan.run.seed).unwrap_or(1);
            transactions(&mut out, &plan, seed, phase, client, args.first)?;
        }
        None => overview(&mut out, &plan)?,
    }
    Ok(GOOD)
}

fn overview(out: &mut impl Write, plan: &Plan) -> Result<()> {
    writeln!(out, "{}: {}", plan.workload, plan.about)?;
    writeln!(out, "\nparameters")?;
    let width = plan
        .params
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0);
    for (name, value) in &plan.params {
        writeln!(out, "  {name:width$}  {value}")?;
    }
    writeln!(out, "\ntables")?;
    for group in plan.tables.chunk_by(same_group) {
        table_group(out, group)?;
    }
    let (rows, bytes) = estimate(plan, 1);
    writeln!(
        out,
        "  {} rows in all, about {}",
        grouped(rows),
        human_bytes(bytes)
    )?;
    procedures(out, plan)?;
    draws(out, plan)?;
    let picked = match &plan.mix {
        Mix::Random { .. } => "picked at random by weight",
        Mix::Deck { .. } => "dealt from a shuffled deck",
        Mix::Sequence { .. } => "in sequence",
    };
    writeln!(out, "\ntransactions, {picked}")?;
    for transaction in &plan.transactions {
        transaction_line(out, plan, transaction)?;
    }
    conditions(out, plan)?;
    run_line(out, plan)
}

fn procedures(out: &mut impl Write, plan: &Plan) -> Result<()> {
    let names: Vec<&str> = plan
        .procedures
        .iter()
        .map(|procedure| procedure.name.as_str())
        .collect();
    if !names.is_empty() {
        writeln!(out, "\nprocedures\n  {}", names.join(", "))?;
    }
    Ok(())
}

/// None where `check` asks none.
fn conditions(out: &mut impl Write, plan: &Plan) -> Result<()> {
    let names = plan.conditions.iter().map(|condition| condition.name.len());
    let Some(width) = names.max() else {
        return Ok(());
    };
    writeln!(out, "\nconditions, for check")?;
    for condition in &plan.conditions {
        writeln!(out, "  {:width$}  {}", condition.name, condition.about)?;
    }
    Ok(())
}

/// None where all is built in.
fn draws(out: &mut impl Write, plan: &Plan) -> Result<()> {
    let named = |draw: &&Draw| !matches!(draw.generator, Generator::Seq);
    let draws: Vec<&Draw> = plan.draws.iter().filter(named).collect();
    let Some(width) = draws.iter().map(|draw| draw.name.len()).max() else {
        return Ok(());
    };
    writeln!(out, "\ndraws")?;
    for draw in draws {
        let shown = draw.generator.shown_with_hottest();
        writeln!(out, "  {:width$}  {shown}", draw.name)?;
    }
    Ok(())
}

/// Whether two tables differ by their number alone.
fn same_group(left: &Table, right: &Table) -> bool {
    let base = |table: &Table| table.create.replace(&table.name, "");
    (left.rows, &left.columns) == (right.rows, &right.columns) && base(left) == base(right)
}

fn table_group(out: &mut impl Write, group: &[Table]) -> Result<()> {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return Ok(());
    };
    let names = if group.len() == 1 {
        first.name.clone()
    } else {
        format!("{} .. {}", first.name, last.name)
    };
    let rows = grouped(first.rows);
    let rows = match &first.source {
        RowSource::Tpcc {
            table: TpccTable::OrderLine,
            ..
        } => format!("5 to 15 rows for each of {rows} orders,"),
        _ => format!("{rows} rows"),
    };
    let columns = first.columns.join(", ");
    writeln!(out, "  {names}: {rows} each of {columns}")?;
    Ok(())
}

/// Statements of one transaction, repetitions counted.
fn transaction_line(out: &mut impl Write, plan: &Plan, transaction: &Transaction) -> Result<()> {
    let block = |id: StmtId| plan.block_of[id.index()];
    let blocks: Vec<u16> = match &transaction.body {
        Body::Script(script) => script.ops.iter().map(|op| block(op.first)).collect(),
        Body::Tpcc(body) => body.statements.iter().map(|of| block(of.first)).collect(),
        Body::Call(call) => vec![block(call.first)],
    };
    let parts: Vec<String> = blocks
        .chunk_by(|left, right| left == right)
        .map(|same| {
            let name = &plan.blocks[usize::from(same[0])].name;
            if same.len() == 1 {
                name.clone()
            } else {
                format!("{} x {name}", same.len())
            }
        })
        .collect();
    let (begin, commit) = if transaction.atomic {
        ("begin, ", ", commit")
    } else {
        ("", "")
    };
    let mut waits = String::new();
    // Writing to a String cannot fail.
    if !transaction.keying.is_zero() {
        let _ = write!(waits, ", keying {}", human_duration(transaction.keying));
    }
    if !transaction.think.is_zero() {
        let think = human_duration(transaction.think);
        let _ = write!(waits, ", think time {think} on the average");
    }
    writeln!(
        out,
        "  {} (weight {}{waits}): {begin}{}{commit}",
        transaction.name,
        transaction.weight,
        parts.join(", ")
    )?;
    Ok(())
}

fn run_line(out: &mut impl Write, plan: &Plan) -> Result<()> {
    let run = &plan.run;
    let mut parts = Vec::new();
    parts.extend(run.clients.map(|clients| format!("{clients} clients")));
    parts.extend(
        run.warmup
            .map(|warmup| format!("{} of warm-up", human_duration(warmup))),
    );
    parts.extend(
        run.time
            .map(|time| format!("{} measured", human_duration(time))),
    );
    parts.extend(
        run.transactions
            .map(|count| format!("{count} transactions")),
    );
    parts.extend(run.rate.map(|rate| format!("{rate} due a second")));
    let wait = run.wait.filter(|wait| *wait > 0.0);
    parts.extend(wait.map(|wait| format!("keying and think times times {wait}")));
    parts.extend(run.isolation.map(|level| format!("isolation {level}")));
    parts.extend(run.prewarm.then(|| "tables read through first".to_owned()));
    parts.extend(
        run.session
            .iter()
            .map(|sql| format!("each client first sends {sql}")),
    );
    if !parts.is_empty() {
        writeln!(
            out,
            "\nrun, where no flag says otherwise: {}",
            parts.join(", ")
        )?;
    }
    Ok(())
}

/// SQL that can be pasted: values stand in the place of the parameters.
fn transactions(
    out: &mut impl Write,
    plan: &Plan,
    seed: u64,
    phase: Purpose,
    client: u64,
    first: u64,
) -> Result<()> {
    let clients = plan.run.clients.unwrap_or(1);
    fresh_lines(out, plan, clients)?;
    let mut drawn = Drawn::new(plan, seed, client, clients);
    // Whoever is free takes the pool's next.
    let is_pool = plan.run.rate.is_some() && plan.run.schedule != Some(Schedule::PerClient);
    for k in 0..first {
        let (place, who) = if is_pool {
            (Place::of_pool(k), format!("arrival {k} of the pool"))
        } else {
            let who = format!("client {client}, transaction {k}");
            (Place::of_client(client, k), who)
        };
        let picked = drawn.draw(plan, phase, place);
        let transaction = &plan.transactions[picked];
        writeln!(out, "-- {who}: {}", transaction.name)?;
        match &transaction.body {
            Body::Script(script) => {
                statements(out, plan, transaction, script, &drawn.registers)?;
            }
            // What it sends depends on what the server returns.
            Body::Tpcc(_) => writeln!(out, "{}", drawn.tpcc)?,
            Body::Call(call) => {
                let texts = call::Texts::of(&drawn.tpcc.work);
                let values = texts.values(&drawn.tpcc);
                let picked = call.picks.iter();
                let values = picked.map(|&place| literal(values[usize::from(place)]));
                let sql = plan.statements[call::statement(call, &drawn.tpcc).index()].sql;
                writeln!(out, "{};", filled(sql, &values.collect::<Vec<_>>()))?;
            }
        }
    }
    Ok(())
}

fn statements(
    out: &mut impl Write,
    plan: &Plan,
    transaction: &Transaction,
    script: &Script,
    registers: &Cells,
) -> Result<()> {
    if transaction.atomic {
        writeln!(out, "BEGIN;")?;
    }
    for op in &script.ops {
        let sql = plan.statements[op.statement(registers).index()].sql;
        let values = op
            .picks(script)
            .iter()
            .map(|&register| literal(registers.get(usize::from(register))));
        writeln!(out, "{};", filled(sql, &values.collect::<Vec<_>>()))?;
    }
    if transaction.atomic {
        writeln!(out, "COMMIT;")?;
    }
    Ok(())
}

/// What a run knows and this does not: keys, clients and warm-up.
fn fresh_lines(out: &mut impl Write, plan: &Plan, clients: u64) -> Result<()> {
    for draw in &plan.draws {
        if let Generator::Fresh { table, base, .. } = &draw.generator {
            writeln!(
                out,
                "-- :{} is fresh: above what {table} holds when a run begins. Here: above {base}, as after the load, the first numbers of {}",
                draw.name,
                counted(clients, "client")
            )?;
        }
    }
    Ok(())
}

fn literal(value: Value<'_>) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Dec(number) => number.to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(bytes) => {
            let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                // Writing to a String cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            format!("X'{hex}'")
        }
        Value::Time(us) => format!("'{}'", crate::report::time::for_cells(us)),
    }
}

/// Puts values in the place of `$n` or `?`, on one line. Quotes are respected,
/// as `?` and `$` may stand in them.
fn filled(sql: &str, values: &[String]) -> String {
    let mut text = String::new();
    let mut next = 0;
    let mut quoted = false;
    let mut rest = sql.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                quoted = !quoted;
                text.push(c);
            }
            '?' if !quoted => {
                text.push_str(values.get(next).map_or("?", String::as_str));
                next += 1;
            }
            '$' if !quoted && rest.peek().is_some_and(char::is_ascii_digit) => {
                let mut number = String::new();
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                let value = number
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| values.get(number.checked_sub(1)?));
                text.push_str(value.map_or("$", String::as_str));
            }
            c if c.is_whitespace() && !quoted => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_the_place_of_parameters() {
        let values = ["7".to_owned(), "'a?$1'".to_owned()];
        assert_eq!(
            filled("SELECT '?' ,\n  $2 WHERE a = $1", &values),
            "SELECT '?' , 'a?$1' WHERE a = 7"
        );
        assert_eq!(filled("a = ? AND b = ?", &values), "a = 7 AND b = 'a?$1'");
        assert_eq!(literal(Value::Text("it's")), "'it''s'");
    }
}
