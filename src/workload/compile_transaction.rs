//! `[[transaction]]` as typed to scripts: repetitions unrolled, names drawn by
//! the rules of `hold`, arguments as registers.

use std::time::Duration;

use toml::Spanned;

use crate::value::Kind;
use crate::workload::compile::{Compiler, given};
use crate::workload::draw::{Program, Step};
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::{Body, Op, Script, Transaction};
use crate::workload::spec::{Key, StepSpec, TransactionSpec};

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
    script: Script,
    writes: bool,
    verbs: Vec<String>,
}

impl Compiler<'_> {
    pub fn transaction(&mut self, spec: &TransactionSpec) -> Result<Transaction, SpecError> {
        let name = spec.name.as_ref();
        let weight = match &spec.weight {
            Some(weight) => self
                .resolver
                .count(&format!("weight of transaction {name}"), weight)?,
            None => 1,
        };
        let transaction = match (&spec.steps, &spec.builtin) {
            (Some(steps), None) => self.script(spec, steps.as_ref(), weight)?,
            (None, Some(builtin)) => self.tpcc_transaction(spec, builtin, weight)?,
            _ => {
                let message = format!("transaction {name} needs either `steps` or `builtin`");
                return Err(self.resolver.fault(&spec.name.span(), message));
            }
        };
        let duration = |key: &str, value: &Key| {
            let key = format!("{key} of transaction {name}");
            given(value, |value| self.resolver.duration(&key, value))
        };
        Ok(Transaction {
            keying: duration("keying", &spec.keying)?.unwrap_or_default(),
            think: duration("think", &spec.think)?.unwrap_or_default(),
            ..transaction
        })
    }

    fn script(
        &mut self,
        spec: &TransactionSpec,
        steps: &[StepSpec],
        weight: u64,
    ) -> Result<Transaction, SpecError> {
        let name = spec.name.as_ref();
        let mut scopes = Scopes::default();
        let mut build = Build::default();
        for held in &spec.hold {
            self.known_draw(held)?;
            self.register(
                held.as_ref(),
                &mut scopes.transaction,
                &[],
                &mut build.script.program,
            );
        }
        let mut held_used = vec![false; spec.hold.len()];
        for step in steps {
            self.step(step, &mut scopes, &mut build)?;
            for (index, held) in spec.hold.iter().enumerate() {
                held_used[index] |= self.step_uses(step, held.as_ref());
            }
        }
        if let Some(index) = held_used.iter().position(|used| !used) {
            let held = &spec.hold[index];
            let message = format!(
                "transaction {name} holds `{}`, which none of its statements uses",
                held.as_ref()
            );
            return Err(self.resolver.fault(&held.span(), message));
        }
        let values = build.script.program.steps.len();
        if values > usize::from(u16::MAX) {
            let message = format!(
                "transaction {name} draws {values} values; at most {} are possible, so repeat less",
                u16::MAX
            );
            return Err(self.resolver.fault(&spec.name.span(), message));
        }
        if build.script.ops.is_empty() && weight > 0 {
            let message =
                format!("transaction {name} sends no statement; give it one, or weight = 0");
            return Err(self.resolver.fault(&spec.name.span(), message));
        }
        let has = |verb: &str| build.verbs.iter().any(|known| known == verb);
        Ok(Transaction {
            name: name.clone(),
            weight,
            keying: Duration::ZERO,
            think: Duration::ZERO,
            atomic: spec.atomic,
            writes: build.writes,
            deletes: has("DELETE"),
            replaces_keys: spec.atomic && has("DELETE") && has("INSERT"),
            body: Body::Script(build.script),
        })
    }

    fn step(
        &mut self,
        step: &StepSpec,
        scopes: &mut Scopes,
        build: &mut Build,
    ) -> Result<(), SpecError> {
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
                let message = format!(
                    "this step holds `{}`, which none of its statements uses",
                    held.as_ref()
                );
                return Err(self.resolver.fault(&held.span(), message));
            }
        }
        if repeat.saturating_mul(step.run.len() as u64) > 10_000 {
            let span = step.run.first().map_or(0..0, Spanned::span);
            let message = format!(
                "a step of {repeat} repetitions is too long; it holds at most 10,000 statements"
            );
            return Err(self.resolver.fault(&span, message));
        }
        let mut step_scope = Scope::default();
        for round in 0..repeat {
            if round == 0 {
                for held in &step.hold {
                    self.register(
                        held.as_ref(),
                        &mut step_scope,
                        &[&scopes.transaction],
                        &mut build.script.program,
                    );
                }
            }
            let mut scope = Scope::default();
            for &block in &used {
                self.op(
                    block,
                    &mut scope,
                    &[&step_scope, &scopes.transaction],
                    build,
                );
            }
        }
        Ok(())
    }

    fn op(&self, block: usize, scope: &mut Scope, outer: &[&Scope], build: &mut Build) {
        let block = &self.used_blocks[block];
        let by = block.number.as_ref().map(|(name, min)| {
            (
                self.register(name, scope, outer, &mut build.script.program),
                *min,
            )
        });
        let from = build.script.picks.len();
        for name in &block.arguments {
            let register = self.register(name, scope, outer, &mut build.script.program);
            build.script.picks.push(register);
        }
        build.writes |= block.template.kind() == Kind::Write;
        build.verbs.push(block.template.verb());
        build.script.ops.push(Op {
            first: block.first,
            by,
            args_from: u32::try_from(from).unwrap_or(u32::MAX),
            args_to: u32::try_from(build.script.picks.len()).unwrap_or(u32::MAX),
        });
    }

    /// The register of a name: that of the nearest scope that has drawn it, or
    /// a new one in `scope`, with the draw it starts from before it.
    pub fn register(
        &self,
        name: &str,
        scope: &mut Scope,
        outer: &[&Scope],
        program: &mut Program,
    ) -> u16 {
        let nearest = std::iter::once(&*scope).chain(outer.iter().copied());
        for known in nearest {
            if let Some((_, register)) = known.0.iter().find(|(known, _)| known == name) {
                return *register;
            }
        }
        let draw = self.draws.mark_used(name);
        let from = self.draws.source_of(draw).map(str::to_owned);
        let from = from.map(|from| self.register(&from, scope, outer, program));
        program.steps.push(Step { draw, from });
        let register = u16::try_from(program.steps.len() - 1).unwrap_or(u16::MAX);
        scope.0.push((name.to_owned(), register));
        register
    }

    fn step_uses(&self, step: &StepSpec, name: &str) -> bool {
        let blocks = step.run.iter().filter_map(|run| {
            self.used_blocks
                .iter()
                .find(|block| &block.name == run.as_ref())
        });
        blocks
            .flat_map(|block| {
                block
                    .arguments
                    .iter()
                    .map(String::as_str)
                    .chain(block.number.as_ref().map(|(name, _)| name.as_str()))
            })
            .any(|used| used == name || self.draws.starts_from(used, name))
    }

    fn known_draw(&self, name: &Spanned<String>) -> Result<(), SpecError> {
        if self.draws.has(name.as_ref()) {
            return Ok(());
        }
        let known = listed(self.edited.spec.draw.names());
        Err(self.resolver.fault(
            &name.span(),
            format!("there is no draw `{}`; there are {known}", name.as_ref()),
        ))
    }
}
