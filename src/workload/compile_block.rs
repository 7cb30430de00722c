//! SQL blocks that transactions send, to prepared statements: one for each
//! table number that they may name.

use toml::Spanned;

use crate::value::{Statement, StmtId};
use crate::workload::compile::Compiler;
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::BlockInfo;
use crate::workload::sql::{Block, Template};

/// A draw of a table number may name at most this many tables.
const MOST_TABLES: i64 = 100_000;

/// A block that transactions send, with its statements made.
pub(super) struct UsedBlock {
    pub name: String,
    pub template: Template,
    pub first: StmtId,
    /// The draw of its table number and the smallest number.
    pub number: Option<(String, i64)>,
    pub arguments: Vec<String>,
}

impl UsedBlock {
    pub fn info(&self) -> BlockInfo {
        BlockInfo {
            name: self.name.clone(),
            kind: self.template.kind(),
        }
    }
}

impl Compiler<'_> {
    pub fn block(&self, name: &Spanned<String>) -> Result<&Block, SpecError> {
        self.block_in(&self.blocks, self.edited.spec.sql.as_ref(), name)
    }

    /// A block of those in the SQL files `sql`.
    pub fn block_in<'b>(
        &self,
        blocks: &'b [Block],
        sql: &str,
        name: &Spanned<String>,
    ) -> Result<&'b Block, SpecError> {
        blocks
            .iter()
            .find(|block| &block.name == name.as_ref())
            .ok_or_else(|| {
                let known = listed(blocks.iter().map(|block| block.name.as_str()));
                let message = format!(
                    "there is no SQL block `{}` for {} in `{sql}`; there are {known}",
                    name.as_ref(),
                    self.engine
                );
                self.resolver.fault(&name.span(), message)
            })
    }

    /// Makes the statements of a block at its first use.
    pub fn use_block(&mut self, name: &Spanned<String>) -> Result<usize, SpecError> {
        if let Some(known) = self
            .used_blocks
            .iter()
            .position(|block| &block.name == name.as_ref())
        {
            return Ok(known);
        }
        let block = self.block(name)?.clone();
        let template = block.template(self.engine)?;
        let (numbers, values) = template.names();
        for (value, line) in &values {
            if !self.draws.has(value) {
                let message = format!(
                    "`:{value}` in block `{}` is bound to no draw of {}; add it to [draw]",
                    block.name, self.source.file
                );
                return Err(SpecError::at_line(&block.file, *line, message));
            }
        }
        if numbers.len() > 1 {
            let message = format!(
                "block `{}` has several table numbers; one is possible",
                block.name
            );
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
            return Err(fault(format!(
                "`{{{name}}}` in block `{}` is bound to no draw of {}; add it to [draw]",
                block.name, self.source.file
            )));
        }
        let (low, high) = self.draws.bounds(name).ok_or_else(|| {
            fault(format!(
                "the table number `{{{name}}}` needs a draw with min and max"
            ))
        })?;
        if high - low >= MOST_TABLES {
            return Err(fault(format!(
                "`{{{name}}}` runs over {} tables; at most {MOST_TABLES} are possible",
                high - low + 1
            )));
        }
        Ok((low, high))
    }
}
