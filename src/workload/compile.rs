//! From a workload as typed to a plan: names to registers, blocks to
//! statements. Every fault of the files is found here, for all engines of the
//! workload, without a server.

use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::units;
use crate::value::{Engine, Statement, StmtId};
use crate::workload::compile_draw::{Draws, compile_draws};
use crate::workload::compile_table::compile_tables;
use crate::workload::draw::{Fill, Program};
use crate::workload::error::{SpecError, listed};
use crate::workload::mix::{LARGEST_DECK, Mix};
use crate::workload::plan::{BlockInfo, Op, Plan, RunDefaults, Transaction};
use crate::workload::resolve::Resolver;
use crate::workload::settings::{Edited, Settings, apply};
use crate::workload::source::Source;
use crate::workload::spec::{Scalar, StepSpec, TransactionSpec};
use crate::workload::sql::{Block, Template};

/// A draw of a table number may name at most this many tables.
const MOST_TABLES: i64 = 100_000;

/// Compiles a workload for `engine`, and checks it for all engines it names.
///
/// # Errors
/// The first fault of the workload, its SQL or the settings, with its place.
pub fn compile(source: &Source, settings: &Settings, engine: Engine) -> Result<Plan, SpecError> {
    let edited = apply(&source.file, &source.text, settings)?;
    let named = engines(source, &edited)?;
    for &other in named.iter().filter(|&&other| other != engine) {
        Compiler::new(source, &edited, other)?.plan()?;
    }
    if engine != Engine::Null && !named.contains(&engine) {
        let names = listed(named.iter().map(|engine| engine.name()));
        let message = format!("this workload is not for {engine}; it is for {names}");
        return Err(SpecError::in_file(&source.file, message));
    }
    Compiler::new(source, &edited, engine)?.plan()
}

/// The workload's text with its settings in it, as a manifest keeps it.
///
/// # Errors
/// As `compile`.
pub fn resolved_text(source: &Source, settings: &Settings) -> Result<(String, String), SpecError> {
    let edited = apply(&source.file, &source.text, settings)?;
    Ok((edited.text, edited.spec.sql.into_inner()))
}

fn engines(source: &Source, edited: &Edited) -> Result<Vec<Engine>, SpecError> {
    let all = [Engine::Postgres, Engine::Mysql, Engine::Mariadb, Engine::Sqlite];
    let Some(names) = &edited.spec.engines else {
        return Ok(all.to_vec());
    };
    let resolver = Resolver::new(&source.file, edited);
    let mut named = Vec::new();
    for name in names {
        let engine = all.into_iter().find(|engine| engine.name() == name.as_ref());
        named.push(engine.ok_or_else(|| {
            let known = listed(all.iter().map(|engine| engine.name()));
            resolver.fault(&name.span(), format!("engine `{}` is not known; use {known}", name.as_ref()))
        })?);
    }
    Ok(named)
}

pub(super) struct Compiler<'a> {
    source: &'a Source,
    edited: &'a Edited,
    pub engine: Engine,
    pub resolver: Resolver<'a>,
    pub blocks: Vec<Block>,
    pub draws: Draws,
    statements: Vec<Statement>,
    block_of: Vec<u16>,
    used_blocks: Vec<UsedBlock>,
}

/// A block that transactions send, with its statements made.
struct UsedBlock {
    name: String,
    template: Template,
    first: StmtId,
    /// The draw of its table number and the smallest number.
    number: Option<(String, i64)>,
    arguments: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(source: &'a Source, edited: &'a Edited, engine: Engine) -> Result<Compiler<'a>, SpecError> {
        let resolver = Resolver::new(&source.file, edited);
        let sql = &edited.spec.sql;
        let blocks = source.blocks(sql.as_ref(), engine)?;
        if blocks.is_empty() {
            let message = format!("there is no SQL file `{}` for {engine}: looked for sql/{engine}/{0}.sql and sql/common/{0}.sql", sql.as_ref());
            return Err(resolver.fault(&sql.span(), message));
        }
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
        let run = self.run_defaults()?;
        let mut all_used = self.resolver.take_used();
        all_used.extend(self.draws.params.iter().flatten().chain(&data_names).cloned());
        self.refuse_unused(&all_used)?;
        let param = |(name, value): &(String, Spanned<Scalar>)| (name.clone(), normal(value.as_ref()));
        let params: Vec<(String, String)> = spec.params.0.iter().map(param).collect();
        let data_params = params.iter().filter(|(name, _)| data_names.contains(name)).cloned().collect();
        Ok(Plan {
            workload: self.source.name.clone(),
            about: spec.about.clone(),
            engine: self.engine,
            sha: self.sha(),
            params,
            given: self.edited.overridden.clone(),
            data_params,
            draws: self.draws.draws,
            tables,
            statements: self.statements,
            blocks: self.used_blocks.iter().map(UsedBlock::info).collect(),
            block_of: self.block_of,
            transactions,
            mix,
            run,
        })
    }

    fn refuse_unused(&self, used: &std::collections::BTreeSet<String>) -> Result<(), SpecError> {
        let spec = &self.edited.spec;
        for (name, draw) in &spec.draw.0 {
            if !self.draws.is_used(name) {
                let message = format!("draw `{name}` is used by no statement and no column; remove it");
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

    pub fn block(&self, name: &Spanned<String>) -> Result<&Block, SpecError> {
        self.blocks.iter().find(|block| &block.name == name.as_ref()).ok_or_else(|| {
            let known = listed(self.blocks.iter().map(|block| block.name.as_str()));
            let sql = self.edited.spec.sql.as_ref();
            let message = format!("there is no SQL block `{}` for {} in `{sql}`; there are {known}", name.as_ref(), self.engine);
            self.resolver.fault(&name.span(), message)
        })
    }

    fn transaction(&mut self, spec: &TransactionSpec) -> Result<Transaction, SpecError> {
        let name = spec.name.as_ref();
        let weight = match &spec.weight {
            Some(weight) => self.resolver.count(&format!("weight of transaction {name}"), weight)?,
            None => 1,
        };
        let mut scopes = Scopes::default();
        let mut build = Build::default();
        for held in &spec.hold {
            self.known_draw(held)?;
            self.register(held.as_ref(), &mut scopes.transaction, &[], &mut build.program);
        }
        let mut held_used = vec![false; spec.hold.len()];
        for step in spec.steps.as_ref() {
            self.step(step, &mut scopes, &mut build)?;
            for (index, held) in spec.hold.iter().enumerate() {
                held_used[index] |= self.step_uses(step, held.as_ref());
            }
        }
        if let Some(index) = held_used.iter().position(|used| !used) {
            let held = &spec.hold[index];
            let message = format!("transaction {name} holds `{}`, which none of its statements uses", held.as_ref());
            return Err(self.resolver.fault(&held.span(), message));
        }
        if build.ops.is_empty() && weight > 0 {
            let message = format!("transaction {name} sends no statement; give it one, or weight = 0");
            return Err(self.resolver.fault(&spec.name.span(), message));
        }
        let has = |verb: &str| build.verbs.iter().any(|known| known == verb);
        Ok(Transaction {
            name: name.clone(),
            weight,
            atomic: spec.atomic,
            writes: build.writes,
            replaces_keys: spec.atomic && has("DELETE") && has("INSERT"),
            program: build.program,
            ops: build.ops,
            picks: build.picks,
        })
    }

    fn step(&mut self, step: &StepSpec, scopes: &mut Scopes, build: &mut Build) -> Result<(), SpecError> {
        let repeat = match &step.repeat {
            Some(repeat) => self.resolver.count("repeat", repeat)?,
            None => 1,
        };
        let mut used = Vec::new();
        for name in &step.run {
            used.push(self.use_block(name)?);
        }
        for held in &step.hold {
            self.known_draw(held)?;
            if !self.step_uses(step, held.as_ref()) {
                let message = format!("this step holds `{}`, which none of its statements uses", held.as_ref());
                return Err(self.resolver.fault(&held.span(), message));
            }
        }
        if repeat.saturating_mul(step.run.len() as u64) > 10_000 {
            let span = step.run.first().map_or(0..0, Spanned::span);
            let message = format!("a step of {repeat} repetitions is too long; a transaction holds at most 10,000 statements");
            return Err(self.resolver.fault(&span, message));
        }
        let mut step_scope = Scope::default();
        for round in 0..repeat {
            if round == 0 {
                for held in &step.hold {
                    self.register(held.as_ref(), &mut step_scope, &[&scopes.transaction], &mut build.program);
                }
            }
            let mut scope = Scope::default();
            for &block in &used {
                self.op(block, &mut scope, &[&step_scope, &scopes.transaction], build);
            }
        }
        Ok(())
    }

    fn op(&self, block: usize, scope: &mut Scope, outer: &[&Scope], build: &mut Build) {
        let block = &self.used_blocks[block];
        let by = block.number.as_ref().map(|(name, min)| (self.register(name, scope, outer, &mut build.program), *min));
        let from = build.picks.len();
        for name in &block.arguments {
            let register = self.register(name, scope, outer, &mut build.program);
            build.picks.push(register);
        }
        build.writes |= block.template.kind() == crate::value::Kind::Write;
        build.verbs.push(block.template.verb());
        build.ops.push(Op {
            first: block.first,
            by,
            args_from: u32::try_from(from).unwrap_or(u32::MAX),
            args_to: u32::try_from(build.picks.len()).unwrap_or(u32::MAX),
        });
    }

    /// The register of a name: that of the nearest scope that has drawn it, or
    /// a new one in `scope`, with the draw it starts from before it.
    pub fn register(&self, name: &str, scope: &mut Scope, outer: &[&Scope], program: &mut Program) -> u16 {
        let nearest = std::iter::once(&*scope).chain(outer.iter().copied());
        for known in nearest {
            if let Some((_, register)) = known.0.iter().find(|(known, _)| known == name) {
                return *register;
            }
        }
        let draw = self.draws.mark_used(name);
        let from = self.draws.source_of(draw).map(str::to_owned);
        let from = from.map(|from| self.register(&from, scope, outer, program));
        program.fills.push(Fill { draw, from });
        // More than 65,536 registers cannot be: a step is held to 10,000 statements.
        let register = u16::try_from(program.fills.len() - 1).unwrap_or(u16::MAX);
        scope.0.push((name.to_owned(), register));
        register
    }

    /// Makes the statements of a block at its first use.
    fn use_block(&mut self, name: &Spanned<String>) -> Result<usize, SpecError> {
        if let Some(known) = self.used_blocks.iter().position(|block| &block.name == name.as_ref()) {
            return Ok(known);
        }
        let block = self.block(name)?.clone();
        let template = block.template(self.engine)?;
        let (numbers, values) = template.names();
        for (value, line) in &values {
            if !self.draws.has(value) {
                let message = format!("`:{value}` in block `{}` is bound to no draw of {}; add it to [draw]", block.name, self.source.file);
                return Err(SpecError::at_line(&block.file, *line, message));
            }
        }
        if numbers.len() > 1 {
            let message = format!("block `{}` has several table numbers; one is possible", block.name);
            return Err(SpecError::at_line(&block.file, block.line, message));
        }
        let range = match numbers.first() {
            Some(number) => Some((*number, self.table_numbers(&block, number)?)),
            None => None,
        };
        let first = StmtId(u32::try_from(self.statements.len()).unwrap_or(u32::MAX));
        let place = self.used_blocks.len();
        let mut arguments = Vec::new();
        let (low, high) = range.map_or((0, 0), |(_, bounds)| bounds);
        for number in low..=high {
            let (sql, names) = template.bind(self.engine, Some(number));
            arguments.clone_from(&names);
            self.statements.push(Statement {
                name: block.name.clone(),
                // Sessions keep statements by reference until the program ends.
                sql: String::leak(sql),
                params: names,
                kind: template.kind(),
            });
            self.block_of.push(u16::try_from(place).unwrap_or(u16::MAX));
        }
        self.used_blocks.push(UsedBlock {
            name: block.name.clone(),
            number: range.map(|(name, (low, _))| (name.to_owned(), low)),
            template,
            first,
            arguments,
        });
        Ok(place)
    }

    fn table_numbers(&self, block: &Block, name: &str) -> Result<(i64, i64), SpecError> {
        let fault = |message: String| SpecError::at_line(&block.file, block.line, message);
        if !self.draws.has(name) {
            return Err(fault(format!("`{{{name}}}` in block `{}` is bound to no draw of {}; add it to [draw]", block.name, self.source.file)));
        }
        let (low, high) = self.draws.bounds(name).ok_or_else(|| fault(format!("the table number `{{{name}}}` needs a draw with min and max")))?;
        if high - low >= MOST_TABLES {
            return Err(fault(format!("`{{{name}}}` runs over {} tables; at most {MOST_TABLES} are possible", high - low + 1)));
        }
        Ok((low, high))
    }

    fn step_uses(&self, step: &StepSpec, name: &str) -> bool {
        let blocks = step.run.iter().filter_map(|run| self.used_blocks.iter().find(|block| &block.name == run.as_ref()));
        blocks
            .flat_map(|block| block.arguments.iter().map(String::as_str).chain(block.number.as_ref().map(|(name, _)| name.as_str())))
            .any(|used| used == name || self.draws.starts_from(used, name))
    }

    fn known_draw(&self, name: &Spanned<String>) -> Result<(), SpecError> {
        if self.draws.has(name.as_ref()) {
            return Ok(());
        }
        let known = listed(self.edited.spec.draw.names());
        Err(self.resolver.fault(&name.span(), format!("there is no draw `{}`; there are {known}", name.as_ref())))
    }

    fn mix(&self, transactions: &[Transaction]) -> Result<Mix, SpecError> {
        #[derive(Clone, Copy, PartialEq)]
        enum Pick {
            Random,
            Deck,
            Sequence,
        }
        let known = [("random", Pick::Random), ("deck", Pick::Deck), ("sequence", Pick::Sequence)];
        let pick = match &self.edited.spec.mix {
            Some(mix) => self.resolver.choice("mix", mix, &known)?.0,
            None => Pick::Random,
        };
        let weights: Vec<u64> = transactions.iter().map(|transaction| transaction.weight).collect();
        let total = weights.iter().fold(0_u64, |sum, weight| sum.saturating_add(*weight));
        let fault = |message: String| SpecError::in_file(&self.source.file, message);
        if total == 0 {
            return Err(fault("no transaction has a weight above 0; give one".to_owned()));
        }
        if pick == Pick::Random {
            return Ok(Mix::Random { weights });
        }
        if total > LARGEST_DECK {
            return Err(fault(format!("the weights make {total} cards; a deck or sequence holds at most {LARGEST_DECK}")));
        }
        let mut cards = Vec::new();
        for (index, weight) in weights.iter().enumerate() {
            cards.extend((0..*weight).map(|_| u16::try_from(index).unwrap_or(u16::MAX)));
        }
        Ok(if pick == Pick::Deck { Mix::Deck { cards } } else { Mix::Sequence { cards } })
    }

    fn run_defaults(&self) -> Result<RunDefaults, SpecError> {
        let run = &self.edited.spec.run;
        let count = |key: &str, value: &Option<Spanned<Scalar>>| value.as_ref().map(|value| self.resolver.count(key, value)).transpose();
        let duration = |key: &str, value: &Option<Spanned<Scalar>>| value.as_ref().map(|value| self.resolver.duration(key, value)).transpose();
        Ok(RunDefaults {
            clients: count("run.clients", &run.clients)?,
            warmup: duration("run.warmup", &run.warmup)?,
            time: duration("run.time", &run.time)?,
            transactions: count("run.transactions", &run.transactions)?,
            grace: duration("run.grace", &run.grace)?,
            seed: count("run.seed", &run.seed)?,
            error_limit: run.error_limit.as_ref().map(|limit| self.resolver.percent("run.error_limit", limit)).transpose()?,
        })
    }

    /// `[run]`, presets and `about` do not change the work of a transaction.
    fn sha(&self) -> String {
        let mut hash = Sha256::new();
        let mut workload: toml::Table = self.edited.text.parse().unwrap_or_default();
        for key in ["about", "run", "preset"] {
            workload.remove(key);
        }
        hash.update(toml::to_string(&workload).unwrap_or_default());
        for block in &self.blocks {
            hash.update(block.source());
        }
        hex(&hash.finalize())
    }
}

/// `250k`, `250000` and `2.5e5` are one value.
fn normal(value: &Scalar) -> String {
    let text = value.to_string();
    units::parse_integer(&text).map_or(text, |number| number.to_string())
}

impl UsedBlock {
    fn info(&self) -> BlockInfo {
        BlockInfo {
            name: self.name.clone(),
            kind: self.template.kind(),
        }
    }
}

/// Names that have been drawn, with their registers.
#[derive(Debug, Default)]
pub(super) struct Scope(Vec<(String, u16)>);

#[derive(Default)]
struct Scopes {
    transaction: Scope,
}

/// A transaction on its way.
#[derive(Default)]
struct Build {
    program: Program,
    ops: Vec<Op>,
    picks: Vec<u16>,
    writes: bool,
    verbs: Vec<String>,
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
