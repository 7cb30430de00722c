//! `[condition]` as typed to conditions: the statement of each, for each number
//! of the tables that it names. It reads only, and nothing of it decides the
//! data or the work.

use std::collections::BTreeSet;

use toml::Spanned;

use crate::value::Kind;
use crate::workload::compile::Compiler;
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::{Condition, Table};
use crate::workload::spec::ConditionSpec;
use crate::workload::sql::{Block, Template};

/// A condition is asked at most so often.
const MOST_TIMES: u64 = 1_000_000;

/// Base name of the SQL files with conditions, beside those of the statements:
/// `tpcc_check` for `tpcc`. So they are no part of the workload's hash.
pub(super) fn check_sql(sql: &str) -> String {
    format!("{sql}_check")
}

impl Compiler<'_> {
    pub fn conditions(&self, tables: &[Table]) -> Result<Vec<Condition>, SpecError> {
        let specs = &self.edited.spec.condition.0;
        if specs.is_empty() {
            return Ok(Vec::new());
        }
        let sql = check_sql(self.edited.spec.sql.as_ref());
        let blocks = self.source.blocks(&sql, self.engine)?;
        let one = |(name, spec): &(String, Spanned<ConditionSpec>)| {
            let block = self.block_in(&blocks, &sql, &spec.as_ref().run)?;
            self.condition(name, spec, block, tables)
        };
        specs.iter().map(one).collect()
    }

    fn condition(
        &self,
        name: &str,
        spec: &Spanned<ConditionSpec>,
        block: &Block,
        tables: &[Table],
    ) -> Result<Condition, SpecError> {
        let template = block.template(self.engine)?;
        let in_block = |message: String| SpecError::at_line(&block.file, block.line, message);
        if template.kind() != Kind::Read {
            return Err(in_block(format!(
                "block `{}` is a condition, which changes nothing; begin with SELECT or WITH",
                block.name
            )));
        }
        let ConditionSpec {
            about, key, when, ..
        } = spec.as_ref();
        if key.as_ref().is_empty() {
            let message = format!(
                "condition `{name}`: `key` names no column; name those that `{}` returns",
                block.name
            );
            return Err(self.resolver.fault(&key.span(), message));
        }
        let each = self.each(name, spec, block, &template)?;
        let known = [("always", false), ("loaded", true)];
        let when = when
            .as_ref()
            .map(|when| self.resolver.choice("when", when, &known));
        let (numbered, numbers) = self.numbered(block, &template, tables)?;
        let texts = numbers.into_iter();
        let texts = texts.map(|number| (number, template.bind(self.engine, number).0));
        Ok(Condition {
            name: name.to_owned(),
            about: about.clone(),
            key: key.as_ref().clone(),
            each,
            only_loaded: when.transpose()?.unwrap_or(false),
            numbered,
            texts: texts.collect(),
            arguments: template.bind(self.engine, None).1.len(),
        })
    }

    /// The one name that the statement takes a value for, and how often it is sent.
    fn each(
        &self,
        name: &str,
        spec: &Spanned<ConditionSpec>,
        block: &Block,
        template: &Template,
    ) -> Result<Option<(String, u64)>, SpecError> {
        let given = spec.as_ref().each.as_ref();
        let pairs = given.map_or(&[][..], |given| &given.as_ref().0);
        let (_, values) = template.names();
        for (value, line) in &values {
            if !pairs.iter().any(|(known, _)| known == value) {
                let known = listed(pairs.iter().map(|(name, _)| name.as_str()));
                let message = format!(
                    "`:{value}` in block `{}` is not in `each` of condition `{name}`, which has {known}",
                    block.name
                );
                return Err(SpecError::at_line(&block.file, *line, message));
            }
        }
        let Some(given) = given else { return Ok(None) };
        let fault = |message: String| {
            let message = format!("condition `{name}`: {message}");
            Err(self.resolver.fault(&given.span(), message))
        };
        let [(each, count)] = pairs else {
            return fault(
                "`each` is one name and its largest number, such as { w = 4 }".to_owned(),
            );
        };
        if values.is_empty() {
            return fault(format!(
                "block `{}` does not name `:{each}`; leave out `each`",
                block.name
            ));
        }
        let times = self.resolver.count(&format!("each.{each}"), count)?;
        if !(1..=MOST_TIMES).contains(&times) {
            let message = format!("{times} is not possible; use 1 to {MOST_TIMES}");
            return Err(self.resolver.fault_of(count, &message));
        }
        Ok(Some((each.clone(), times)))
    }

    /// The number in the names of tables, and all that it is there; without one the
    /// statement is made once.
    fn numbered(
        &self,
        block: &Block,
        template: &Template,
        tables: &[Table],
    ) -> Result<(Option<String>, Vec<Option<i64>>), SpecError> {
        let (names, _) = template.names();
        let fault = |message: String| Err(SpecError::at_line(&block.file, block.line, message));
        let name = match names[..] {
            [] => return Ok((None, vec![None])),
            [name] => name,
            _ => {
                return fault(format!(
                    "block `{}` has several table numbers; one is possible",
                    block.name
                ));
            }
        };
        let mark = format!("{{{name}}}");
        let named = tables.iter().filter(|table| table.entry.contains(&mark));
        let numbers: BTreeSet<Option<i64>> = named.map(|table| table.number).collect();
        if numbers.is_empty() {
            return fault(format!(
                "`{mark}` in block `{}` is in no table's name of {}",
                block.name, self.source.file
            ));
        }
        Ok((Some(name.to_owned()), numbers.into_iter().collect()))
    }
}
