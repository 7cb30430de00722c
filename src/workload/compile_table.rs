//! `[[table]]` as typed to tables: their numbers, DDL texts, and the program
//! that draws a row.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::workload::compile::{Compiler, hex};
use crate::workload::compile_transaction::Scope;
use crate::workload::draw::{Generator, Program};
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::{RowSource, Table};
use crate::workload::resolve::Resolver;
use crate::workload::spec::{Pairs, TableSpec};
use crate::workload::sql::{Part, Template};

/// Tables of one workload, at most.
const MOST_TABLES: u64 = 100_000;

pub(super) fn compile_tables(
    compiler: &Compiler,
    specs: &[Spanned<TableSpec>],
) -> Result<Vec<Table>, SpecError> {
    let mut tables: Vec<Table> = Vec::new();
    for spec in specs {
        compile_one(compiler, spec, &mut tables)?;
    }
    Ok(tables)
}

/// Counts that are none. Asked before the draws, where a negative number of
/// rows would come up as an empty range of keys.
pub(super) fn check_counts(
    resolver: &Resolver,
    specs: &[Spanned<TableSpec>],
) -> Result<(), SpecError> {
    for spec in specs {
        let table = spec.as_ref();
        let name = table.name.as_ref();
        if let Some(rows) = &table.rows {
            resolver.count(&format!("rows of table {name}"), rows)?;
        }
        if let Some(count) = &table.count {
            resolver.count(&format!("count of table {name}"), count)?;
        }
    }
    Ok(())
}

/// A table's content, or that of several of one name with a number in it.
pub(super) struct Content {
    pub rows: u64,
    pub columns: Vec<String>,
    /// Of each table: what stands for the number in its name, and its rows.
    pub tables: Vec<(Option<i64>, RowSource)>,
    /// All that rows depend on, for the hash.
    pub shown: String,
    pub create: Template,
    pub indexes: Vec<Template>,
    pub foreign_keys: Vec<Template>,
}

fn compile_one(
    compiler: &Compiler,
    spec: &Spanned<TableSpec>,
    tables: &mut Vec<Table>,
) -> Result<(), SpecError> {
    let resolver = &compiler.resolver;
    let table = spec.as_ref();
    let numbered = numbered_name(compiler, &table.name)?;
    let content = match &table.builtin {
        Some(builtin) => compiler.tpcc_content(table, builtin)?,
        None => drawn_content(compiler, spec, numbered.as_ref())?,
    };
    for (number, source) in content.tables {
        let text = |template: &Template| template.bind(compiler.engine, number).0;
        let shown_number = number.map_or(String::new(), |number| number.to_string());
        let full_name = match &numbered {
            Some((before, after, _)) => format!("{before}{shown_number}{after}"),
            None => table.name.as_ref().clone(),
        };
        if tables.iter().any(|known| known.name == full_name) {
            return Err(resolver.fault(
                &table.name.span(),
                format!("table {full_name} is defined twice"),
            ));
        }
        let create = text(&content.create);
        let indexes: Vec<String> = content.indexes.iter().map(text).collect();
        let foreign_keys: Vec<String> = content.foreign_keys.iter().map(text).collect();
        let index = tables.len() as u64;
        let mut hash = Sha256::new();
        hash.update(format!(
            "{full_name}\n{index}\n{}\n{create}\n{}\n{}",
            content.rows,
            [&indexes[..], &foreign_keys].concat().join("\n"),
            content.shown
        ));
        tables.push(Table {
            name: full_name,
            entry: table.name.as_ref().clone(),
            number,
            index,
            create,
            indexes,
            foreign_keys,
            rows: content.rows,
            columns: content.columns.clone(),
            source,
            max_rows: given_max_rows(compiler, table)?,
            grows: table.grows,
            sha: hex(&hash.finalize()),
        });
    }
    Ok(())
}

/// Rows of draws: a table, or `count` tables with a number each.
fn drawn_content(
    compiler: &Compiler,
    spec: &Spanned<TableSpec>,
    numbered: Option<&(String, String, String)>,
) -> Result<Content, SpecError> {
    let resolver = &compiler.resolver;
    let table = spec.as_ref();
    let name = table.name.as_ref();
    let key = |key: &str| format!("{key} of table {name}");
    let (Some(rows_given), Some(columns)) = (&table.rows, &table.columns) else {
        let message = format!("table {name} needs `rows` and `columns`, or `builtin`");
        return Err(resolver.fault(&table.name.span(), message));
    };
    if let Some(foreign_key) = table.foreign_keys.first() {
        let message = "`foreign_keys` are for tables with `builtin`; name the block in `index`";
        return Err(resolver.fault(&foreign_key.span(), message));
    }
    let rows = resolver.count(&key("rows"), rows_given)?;
    if i64::try_from(rows).is_err() {
        return Err(resolver.fault(
            &rows_given.span(),
            format!("{rows} rows are beyond 64 bits"),
        ));
    }
    if let Some(most) = given_max_rows(compiler, table)?
        && rows > most
    {
        let message = format!(
            "{} is {rows}; its columns hold numbers up to {most} (max_rows)",
            key("rows")
        );
        return Err(resolver.fault_of(rows_given, &message));
    }
    let count = match (&table.count, numbered.is_some()) {
        (Some(count), true) => resolver.count(&key("count"), count)?,
        (None, true) => {
            return Err(resolver.fault(&table.name.span(), "a numbered table needs `count`"));
        }
        (Some(count), false) => {
            let message = format!("`count` needs a numbered name, such as \"{name}{{t}}\"");
            return Err(resolver.fault(&count.span(), message));
        }
        (None, false) => 1,
    };
    if count == 0 || count > MOST_TABLES {
        let message = format!(
            "{}: {count} tables are not possible; use 1 to {MOST_TABLES}",
            key("count")
        );
        return Err(resolver.fault(&spec.span(), message));
    }
    if let Some((_, _, draw)) = numbered {
        check_numbers(compiler, table, draw, count)?;
    }
    let create = ddl(compiler, &table.create)?;
    let indexes = table.index.iter().map(|index| ddl(compiler, index));
    let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
    let row = row_program(compiler, columns)?;
    let numbers = (1..=count).map(|number| i64::try_from(number).ok());
    let source = RowSource::Draws {
        program: row.program,
        picks: row.picks,
    };
    Ok(Content {
        rows,
        columns: row.columns,
        tables: numbers.map(|number| (number, source.clone())).collect(),
        shown: row.shown,
        create,
        indexes,
        foreign_keys: Vec::new(),
    })
}

fn given_max_rows(compiler: &Compiler, table: &TableSpec) -> Result<Option<u64>, SpecError> {
    let key = format!("max_rows of table {}", table.name.as_ref());
    let max = table.max_rows.as_ref();
    max.map(|max| compiler.resolver.count(&key, max))
        .transpose()
}

/// `sbtest{t}` as what stands before and behind the number, and the draw's name.
pub(super) fn numbered_name(
    compiler: &Compiler,
    given: &Spanned<String>,
) -> Result<Option<(String, String, String)>, SpecError> {
    let name = given.as_ref();
    let fault = |message: &str| compiler.resolver.fault(&given.span(), message);
    let numbered = match name.split_once('{') {
        Some((before, rest)) => {
            let (draw, after) = rest
                .split_once('}')
                .ok_or_else(|| fault("a `{` in the name is not closed"))?;
            Some((before.to_owned(), after.to_owned(), draw.to_owned()))
        }
        None => None,
    };
    let (before, after) = numbered
        .as_ref()
        .map_or((name.as_str(), ""), |(before, after, _)| (before, after));
    let fits = |text: &str| text.bytes().all(is_plain);
    if !fits(before)
        || !fits(after)
        || before.is_empty()
        || before.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err(fault(
            "the name is small letters, digits and `_`, such as \"sbtest{t}\"",
        ));
    }
    Ok(numbered)
}

/// What needs no quotes and means the same quoted, on every engine.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Statements must not reach beyond the tables that there are.
fn check_numbers(
    compiler: &Compiler,
    table: &TableSpec,
    draw: &str,
    count: u64,
) -> Result<(), SpecError> {
    let fault = |message: String| compiler.resolver.fault(&table.name.span(), message);
    if !compiler.draws.has(draw) {
        return Err(fault(format!(
            "`{{{draw}}}` is bound to no draw; add it to [draw]"
        )));
    }
    let (low, high) = compiler
        .draws
        .bounds(draw)
        .ok_or_else(|| fault(format!("`{{{draw}}}` needs a draw with min and max")))?;
    if low < 1 || u64::try_from(high).is_ok_and(|high| high > count) {
        return Err(fault(format!(
            "draw `{draw}` runs from {low} to {high}, but tables are numbered from 1 to {count}"
        )));
    }
    Ok(())
}

pub(super) fn ddl(compiler: &Compiler, name: &Spanned<String>) -> Result<Template, SpecError> {
    let block = compiler.block(name)?;
    let template = block.template(compiler.engine)?;
    for part in &template.parts {
        if let Part::Value(value, line) = part {
            let message = format!(
                "`:{value}` in block `{}`: what makes a table or procedure takes no values",
                block.name
            );
            return Err(SpecError::at_line(&block.file, *line, message));
        }
    }
    Ok(template)
}

struct Row {
    columns: Vec<String>,
    program: Program,
    picks: Vec<u16>,
    /// All draws of the row, for the hash.
    shown: String,
}

fn row_program(
    compiler: &Compiler,
    given: &Spanned<Pairs<Spanned<String>>>,
) -> Result<Row, SpecError> {
    let mut program = Program::default();
    let mut scope = Scope::default();
    let mut columns = Vec::new();
    let mut picks = Vec::new();
    for (column, draw) in &given.as_ref().0 {
        if !compiler.draws.has(draw.as_ref()) {
            let known = listed(compiler.draws.list.iter().map(|draw| draw.name.as_str()));
            let message = format!(
                "column `{column}`: there is no draw `{}`; there are {known}",
                draw.as_ref()
            );
            return Err(compiler.resolver.fault(&draw.span(), message));
        }
        if !column.bytes().all(is_plain) {
            let message = format!("column `{column}`: a name is small letters, digits and `_`");
            return Err(compiler.resolver.fault(&draw.span(), message));
        }
        picks.push(compiler.register(draw.as_ref(), &mut scope, &[], &mut program));
        if let Some(fresh) = program.steps.iter().find_map(|step| {
            let draw = &compiler.draws.list[usize::from(step.draw)];
            matches!(draw.generator, Generator::Fresh { .. }).then_some(&draw.name)
        }) {
            let message = format!(
                "column `{column}`: `{fresh}` is fresh, above what tables hold, so it fills none; use \"seq\""
            );
            return Err(compiler.resolver.fault(&draw.span(), message));
        }
        columns.push(column.clone());
    }
    if columns.is_empty() {
        return Err(compiler
            .resolver
            .fault(&given.span(), "a table needs at least one column"));
    }
    // Writing to a String cannot fail.
    let mut shown = String::new();
    for step in &program.steps {
        let draw = &compiler.draws.list[usize::from(step.draw)];
        let _ = writeln!(shown, "{} = {}", draw.name, draw.generator);
    }
    let _ = write!(shown, "{columns:?} {picks:?}");
    Ok(Row {
        columns,
        program,
        picks,
        shown,
    })
}
