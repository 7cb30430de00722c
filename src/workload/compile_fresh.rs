//! `fresh` draws and the tables that they name: which those are, and where the
//! numbers begin as long as nobody has asked the server.

use crate::workload::compile::Compiler;
use crate::workload::draw::Generator;
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::Table;

impl Compiler<'_> {
    /// Draws for the same tables take numbers of one width, so that they never
    /// take the same ones.
    pub fn settle_fresh(&mut self, tables: &[Table]) -> Result<(), SpecError> {
        let mut widest: Vec<(String, i64)> = Vec::new();
        for draw in &self.draws.list {
            if let Generator::Fresh { table, count, .. } = &draw.generator {
                match widest.iter_mut().find(|(known, _)| known == table) {
                    Some((_, width)) => *width = (*width).max(*count),
                    None => widest.push((table.clone(), *count)),
                }
            }
        }
        for place in 0..self.draws.list.len() {
            let Generator::Fresh { table, .. } = &self.draws.list[place].generator else {
                continue;
            };
            let table = table.clone();
            let rows = self.rows_of(place, &table, tables)?;
            let known = widest.iter().find(|(known, _)| *known == table);
            if let Generator::Fresh { width, base, .. } = &mut self.draws.list[place].generator {
                *width = known.map_or(*width, |(_, widest)| *widest);
                *base = i64::try_from(rows).unwrap_or(i64::MAX);
            }
        }
        Ok(())
    }

    /// The rows of a table that a draw names, whose keys must be numbers that
    /// `fresh` can go on from.
    fn rows_of(&self, draw: usize, entry: &str, tables: &[Table]) -> Result<u64, SpecError> {
        let fault = |message: String| {
            let name = &self.draws.list[draw].name;
            let message = format!("draw `{name}`: {message}");
            match self.edited.spec.draw.get(name) {
                Some(spec) => self.resolver.fault(&spec.span(), message),
                None => SpecError::in_file(&self.source.file, message),
            }
        };
        let Some(table) = tables.iter().find(|table| table.entry == entry) else {
            let known = listed(
                self.edited
                    .spec
                    .table
                    .iter()
                    .map(|table| &**table.as_ref().name.as_ref()),
            );
            return Err(fault(format!(
                "there is no [[table]] named `{entry}`; there are {known}"
            )));
        };
        if table.key(&self.draws.list).is_none() {
            return Err(fault(format!(
                "no column of table `{entry}` is \"seq\", so it has no largest key to lie above"
            )));
        }
        Ok(table.rows)
    }
}
