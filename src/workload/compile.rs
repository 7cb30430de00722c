//! From a workload as typed to a plan: names to registers, blocks to
//! statements. Every fault of the files is found here, for all engines of the
//! workload, without a server.

use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::units;
use crate::value::{Arrivals, Engine, Isolation, Schedule, Statement};
use crate::workload::compile_block::UsedBlock;
use crate::workload::compile_condition::check_sql;
use crate::workload::compile_draw::{Draws, compile_draws};
use crate::workload::compile_procedure::compile_procedures;
use crate::workload::compile_table::{check_counts, compile_tables};
use crate::workload::error::{SpecError, listed};
use crate::workload::mix::{LARGEST_DECK, Mix};
use crate::workload::plan::{Plan, RunDefaults, Transaction};
use crate::workload::resolve::Resolver;
use crate::workload::settings::{Edited, Settings, apply};
use crate::workload::source::Source;
use crate::workload::spec::{Key, Scalar};
use crate::workload::sql::Block;

/// Compiles a workload for `engine` alone; `check` has looked at the others.
///
/// # Errors
/// The first fault of the workload, its SQL or the settings, with its place.
pub fn compile(source: &Source, settings: &Settings, engine: Engine) -> Result<Plan, SpecError> {
    let edited = apply(&source.file, &source.text, settings)?;
    let named = engines(&edited)?;
    if engine != Engine::Null && !named.contains(&engine) {
        let names = listed(named.iter().map(|engine| engine.name()));
        let message = format!("this workload is not for {engine}; it is for {names}");
        return Err(SpecError::in_file(&source.file, message));
    }
    let compiler = Compiler::new(source, &edited, engine)?;
    compiler.refuse_foreign_keys()?;
    compiler.plan()
}

/// Compiles a workload for all engines that it names, before it is known which
/// one is meant; the plan is the first one's.
///
/// # Errors
/// As `compile`.
pub fn check(source: &Source, settings: &Settings) -> Result<Plan, SpecError> {
    let edited = apply(&source.file, &source.text, settings)?;
    let mut plans = engines(&edited)?
        .into_iter()
        .map(|engine| Compiler::new(source, &edited, engine)?.plan());
    let first = plans.next().ok_or_else(|| {
        let message = "`engines` names none; leave it out for all".to_owned();
        SpecError::in_file(&source.file, message)
    })??;
    for plan in plans {
        plan?;
    }
    Ok(first)
}

/// The workload's text with its settings in it, and the base names of its SQL
/// files, as a manifest keeps them.
///
/// # Errors
/// As `compile`.
pub fn resolved_text(
    source: &Source,
    settings: &Settings,
) -> Result<(String, Vec<String>), SpecError> {
    let edited = apply(&source.file, &source.text, settings)?;
    let sql = edited.spec.sql.into_inner();
    let has_conditions = !edited.spec.condition.0.is_empty();
    let of_check = has_conditions.then(|| check_sql(&sql));
    Ok((
        edited.text,
        [Some(sql), of_check].into_iter().flatten().collect(),
    ))
}

fn engines(edited: &Edited) -> Result<Vec<Engine>, SpecError> {
    let all = [
        Engine::Postgres,
        Engine::Mysql,
        Engine::Mariadb,
        Engine::Sqlite,
    ];
    let Some(names) = &edited.spec.engines else {
        return Ok(all.to_vec());
    };
    let resolver = Resolver::new(edited);
    let mut named = Vec::new();
    for name in names {
        let engine = all
            .into_iter()
            .find(|engine| engine.name() == name.as_ref());
        named.push(engine.ok_or_else(|| {
            let known = listed(all.iter().map(|engine| engine.name()));
            let message = format!("engine `{}` is not known; use {known}", name.as_ref());
            resolver.placed("engines", resolver.fault(&name.span(), message))
        })?);
    }
    Ok(named)
}

pub(super) struct Compiler<'a> {
    pub source: &'a Source,
    pub edited: &'a Edited,
    pub engine: Engine,
    pub resolver: Resolver<'a>,
    pub blocks: Vec<Block>,
    pub draws: Draws,
    pub statements: Vec<Statement>,
    pub block_of: Vec<u16>,
    pub used_blocks: Vec<UsedBlock>,
}

impl<'a> Compiler<'a> {
    fn new(
        source: &'a Source,
        edited: &'a Edited,
        engine: Engine,
    ) -> Result<Compiler<'a>, SpecError> {
        let resolver = Resolver::new(edited);
        let sql = &edited.spec.sql;
        let blocks = source.blocks(sql.as_ref(), engine)?;
        if blocks.is_empty() {
            let message = format!(
                "there is no SQL file `{}` for {engine}: looked for sql/{engine}/{0}.sql and sql/common/{0}.sql",
                sql.as_ref()
            );
            return Err(resolver.fault(&sql.span(), message));
        }
        check_counts(&resolver, &edited.spec.table)?;
        let draws = compile_draws(&resolver, &edited.spec.draw)?;
        Ok(Compiler {
            source,
            edited,
            engine,
            resolver,
            blocks,
            draws,
            statements: Vec::new(),
            block_of: Vec::new(),
            used_blocks: Vec::new(),
        })
    }

    fn plan(mut self) -> Result<Plan, SpecError> {
        let spec = &self.edited.spec;
        let tables = compile_tables(&self, &spec.table)?;
        self.settle_fresh(&tables)?;
        self.check_calls()?;
        let procedures = compile_procedures(&self, &spec.procedure, &tables)?;
        // What decides the data: parameters of the tables, and of the draws
        // that tables use, which are the only ones used so far.
        let mut data_names = self.resolver.take_used();
        for draw in self.draws.used.borrow().iter() {
            data_names.extend(self.draws.params[usize::from(*draw)].iter().cloned());
        }
        let transactions = spec
            .transaction
            .iter()
            .map(|transaction| self.transaction(transaction.as_ref()))
            .collect::<Result<Vec<_>, _>>()?;
        let mix = self.mix(&transactions)?;
        let conditions = self.conditions(&tables)?;
        let tpcc = self.tpcc()?;
        let order_numbers = self.order_numbers(&transactions)?;
        let run = self.run_defaults()?;
        let mut all_used = self.resolver.take_used();
        all_used.extend(
            self.draws
                .params
                .iter()
                .flatten()
                .chain(&data_names)
                .cloned(),
        );
        self.refuse_unused(&all_used)?;
        let param =
            |(name, value): &(String, Spanned<Scalar>)| (name.clone(), normal(value.as_ref()));
        let params: Vec<(String, String)> = spec.params.0.iter().map(param).collect();
        let data_params = params
            .iter()
            .filter(|(name, _)| data_names.contains(name))
            .cloned()
            .collect();
        Ok(Plan {
            workload: self.source.name.clone(),
            about: spec.about.clone(),
            engine: self.engine,
            sha: self.sha(),
            params,
            given: given_params(self.source, self.edited),
            data_params,
            draws: self.draws.list,
            tables,
            procedures,
            statements: self.statements,
            blocks: self.used_blocks.iter().map(UsedBlock::info).collect(),
            block_of: self.block_of,
            transactions,
            conditions,
            mix,
            run,
            tpcc,
            order_numbers,
        })
    }

    fn refuse_unused(&self, used: &std::collections::BTreeSet<String>) -> Result<(), SpecError> {
        let spec = &self.edited.spec;
        for (name, draw) in &spec.draw.0 {
            if !self.draws.is_used(name) {
                let message =
                    format!("draw `{name}` is used by no statement and no column; remove it");
                return Err(self.resolver.fault(&draw.span(), message));
            }
        }
        for (name, value) in &spec.params.0 {
            if !used.contains(name) {
                let message = format!("parameter `{name}` is used nowhere; remove it");
                return Err(self.resolver.fault(&value.span(), message));
            }
        }
        Ok(())
    }

    fn mix(&self, transactions: &[Transaction]) -> Result<Mix, SpecError> {
        #[derive(Clone, Copy, PartialEq)]
        enum Pick {
            Random,
            Deck,
            Sequence,
        }
        let known = [
            ("random", Pick::Random),
            ("deck", Pick::Deck),
            ("sequence", Pick::Sequence),
        ];
        let pick = match &self.edited.spec.mix {
            Some(mix) => self.resolver.choice("mix", mix, &known)?,
            None => Pick::Random,
        };
        let weights: Vec<u64> = transactions
            .iter()
            .map(|transaction| transaction.weight)
            .collect();
        let total = weights
            .iter()
            .fold(0_u64, |sum, weight| sum.saturating_add(*weight));
        let fault = |message: String| SpecError::in_file(&self.source.file, message);
        if total == 0 {
            return Err(fault(
                "no transaction has a weight above 0; give one".to_owned(),
            ));
        }
        if pick == Pick::Random {
            return Ok(Mix::Random { weights });
        }
        if total > LARGEST_DECK {
            return Err(fault(format!(
                "the weights make {total} cards; a deck or sequence holds at most {LARGEST_DECK}"
            )));
        }
        let mut cards = Vec::new();
        for (index, weight) in weights.iter().enumerate() {
            cards.extend((0..*weight).map(|_| u16::try_from(index).unwrap_or(u16::MAX)));
        }
        Ok(if pick == Pick::Deck {
            Mix::Deck { cards }
        } else {
            Mix::Sequence { cards }
        })
    }

    fn run_defaults(&self) -> Result<RunDefaults, SpecError> {
        let run = &self.edited.spec.run;
        let resolver = &self.resolver;
        let count = |key: &str, value: &Key| given(value, |value| resolver.count(key, value));
        let duration = |key: &str, value: &Key| given(value, |value| resolver.duration(key, value));
        Ok(RunDefaults {
            clients: count("run.clients", &run.clients)?,
            warmup: duration("run.warmup", &run.warmup)?,
            time: duration("run.time", &run.time)?,
            transactions: count("run.transactions", &run.transactions)?,
            grace: duration("run.grace", &run.grace)?,
            seed: count("run.seed", &run.seed)?,
            error_limit: given(&run.error_limit, |limit| {
                resolver.percent("run.error_limit", limit)
            })?,
            rate: given(&run.rate, |rate| resolver.real("run.rate", rate))?,
            arrivals: given(&run.arrivals, |name| {
                resolver.choice("run.arrivals", name, &Arrivals::NAMES)
            })?,
            schedule: given(&run.schedule, |name| {
                resolver.choice("run.schedule", name, &Schedule::NAMES)
            })?,
            late_limit: duration("run.late_limit", &run.late_limit)?,
            wait: given(&run.wait, |wait| resolver.real("run.wait", wait))?,
            sla: duration("run.sla", &run.sla)?,
            isolation: given(&run.isolation, |level| {
                resolver.choice("run.isolation", level, &Isolation::NAMES)
            })?,
            prewarm: given(&run.prewarm, |yes| {
                resolver.choice("run.prewarm", yes, &[("true", true), ("false", false)])
            })?
            .unwrap_or(false),
            session: run
                .session
                .iter()
                .flatten()
                .map(|sql| self.session_statement(sql))
                .collect::<Result<_, _>>()?,
        })
    }

    fn session_statement(&self, sql: &Spanned<Scalar>) -> Result<String, SpecError> {
        match sql.as_ref() {
            Scalar::Text(text) if !text.trim().is_empty() => self.resolver.word(sql),
            other => {
                let message = format!("run.session: `{other}` is no SQL statement");
                Err(self.resolver.fault(&sql.span(), message))
            }
        }
    }

    /// `[run]`, presets, conditions and `about` do not change the work of a transaction.
    fn sha(&self) -> String {
        let mut hash = Sha256::new();
        let mut workload: toml::Table = self.edited.text.parse().unwrap_or_default();
        for key in ["about", "run", "preset", "condition"] {
            workload.remove(key);
        }
        // `10k` and `10000` are the same work.
        workload.remove("params");
        for (name, value) in &self.edited.spec.params.0 {
            hash.update(format!("{name} = {}\n", normal(value.as_ref())));
        }
        hash.update(toml::to_string(&workload).unwrap_or_default());
        for block in &self.blocks {
            hash.update(block.source());
        }
        hex(&hash.finalize())
    }
}

/// Reads a value that may be left out.
pub(super) fn given<T>(
    value: &Key,
    read: impl FnOnce(&Spanned<Scalar>) -> Result<T, SpecError>,
) -> Result<Option<T>, SpecError> {
    value.as_ref().map(read).transpose()
}

/// The parameters that a flag, a preset or a manifest gave.
fn given_params(source: &Source, edited: &Edited) -> Vec<(String, String)> {
    let params = edited.spec.params.names();
    let given = |name: &str| {
        let flag = edited.flag(&format!("params.{name}"));
        flag.or(source.is_manifest.then_some(&*source.file))
            .map(str::to_owned)
    };
    params
        .filter_map(|name| Some((name.to_owned(), given(name)?)))
        .collect()
}

/// `250k`, `250000` and `2.5e5` are one value.
fn normal(value: &Scalar) -> String {
    let text = value.to_string();
    units::parse_integer(&text).map_or(text, |number| number.to_string())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
