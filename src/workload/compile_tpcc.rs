//! What is built in, to tables and transactions: `builtin = "tpcc/.."` and the
//! parameters that it takes its settings from.

use std::time::Duration;

use toml::Spanned;

use crate::value::{Engine, Statement, StmtId};
use crate::workload::compile::Compiler;
use crate::workload::compile_block::UsedBlock;
use crate::workload::compile_table::{Content, ddl};
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::{Body, RowSource, TpccBody, TpccCall, TpccStatement, Transaction};
use crate::workload::spec::{Scalar, TableSpec, TransactionSpec};
use crate::workload::sql::Template;
use crate::workload::tpcc::ask::TpccKind;
use crate::workload::tpcc::settings::{Choose, Scale, Tpcc};
use crate::workload::tpcc::table::TpccTable;

const MOST_WAREHOUSES: u64 = 1_000_000;
const MOST_TABLE_SETS: u64 = 1_000;
/// The block that reads how many orders there are.
const ORDER_NUMBERS: &str = "order_numbers";
/// To be raised when the rows of equal settings become others.
const ROWS_VERSION: u32 = 1;

impl Compiler<'_> {
    /// The first key that names something built in, if one does.
    fn any_builtin(&self) -> Option<&Spanned<String>> {
        let spec = &self.edited.spec;
        let tables = spec.table.iter().map(|table| &table.as_ref().builtin);
        let transactions = spec.transaction.iter();
        let transactions = transactions.map(|transaction| &transaction.as_ref().builtin);
        tables.chain(transactions).flatten().next()
    }

    /// The settings of what is built in, if anything is.
    pub fn tpcc(&self) -> Result<Option<Tpcc>, SpecError> {
        let Some(builtin) = self.any_builtin() else {
            return Ok(None);
        };
        let scale = self.tpcc_scale(builtin)?;
        let choose = self.parameter("choose", |value| {
            self.resolver.choice("choose", value, &Choose::NAMES)
        })?;
        Ok(Some(Tpcc {
            scale,
            choose: choose.unwrap_or_default(),
            c_load: None,
        }))
    }

    fn tpcc_scale(&self, builtin: &Spanned<String>) -> Result<Scale, SpecError> {
        let flags = [("true", true), ("false", false)];
        let flag = |name: &str| {
            let given = self.parameter(name, |value| self.resolver.choice(name, value, &flags))?;
            Ok(given.unwrap_or(false))
        };
        let Some(warehouses) = self.count_up_to("warehouses", MOST_WAREHOUSES)? else {
            let message = format!(
                "`{}` needs the parameter `warehouses`; add it to [params]",
                builtin.as_ref()
            );
            return Err(self.resolver.fault(&builtin.span(), message));
        };
        let compress = self.parameter("compress", |value| {
            let share = self.resolver.real("compress", value)?;
            if (0.0..1.0).contains(&share) {
                return Ok(share);
            }
            let message = format!("{share} is not possible; use 0 to less than 1");
            Err(self.resolver.fault_of(value, &message))
        })?;
        Ok(Scale {
            warehouses,
            table_sets: self
                .count_up_to("table_sets", MOST_TABLE_SETS)?
                .unwrap_or(1),
            compress: compress.unwrap_or(0.0),
            foreign_keys: flag("fk")?,
            history_key: flag("history_key")?,
        })
    }

    fn count_up_to(&self, name: &str, most: u64) -> Result<Option<u64>, SpecError> {
        self.parameter(name, |value| {
            let count = self.resolver.count(name, value)?;
            if (1..=most).contains(&count) {
                return Ok(count);
            }
            let message = format!("{count} is not possible; use 1 to {most}");
            Err(self.resolver.fault_of(value, &message))
        })
    }

    /// A parameter that built-ins know, where the file has it.
    fn parameter<T>(
        &self,
        name: &str,
        read: impl Fn(&Spanned<Scalar>) -> Result<T, SpecError>,
    ) -> Result<Option<T>, SpecError> {
        self.resolver
            .named(name)
            .map(|value| read(&value))
            .transpose()
    }

    /// One table of each table set.
    pub fn tpcc_content(
        &self,
        spec: &TableSpec,
        builtin: &Spanned<String>,
    ) -> Result<Content, SpecError> {
        let known = TpccTable::ALL.map(|table| (table.builtin(), table));
        let table = self.builtin(builtin, &known)?;
        let own = [
            ("rows", spec.rows.as_ref().map(Spanned::span)),
            ("count", spec.count.as_ref().map(Spanned::span)),
            ("columns", spec.columns.as_ref().map(Spanned::span)),
        ];
        if let Some((key, span)) = own.into_iter().find_map(|(key, span)| Some((key, span?))) {
            let message = format!("`{key}` of `{}` is built in; remove it", builtin.as_ref());
            return Err(self.resolver.fault(&span, message));
        }
        let scale = self.tpcc_scale(builtin)?;
        let rows = table.units(scale.warehouses);
        let mut create = spec.create.clone();
        if table == TpccTable::History && scale.history_key {
            create.as_mut().push_str("_key");
        }
        let indexes = spec.index.iter().map(|index| ddl(self, index));
        let foreign_keys = spec.foreign_keys.iter().filter(|_| scale.foreign_keys);
        let foreign_keys = foreign_keys.map(|block| ddl(self, block));
        Ok(Content {
            rows,
            columns: table
                .columns()
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
            tables: (1..=scale.table_sets)
                .map(|set| (Scale::number(set), RowSource::Tpcc { table, set }))
                .collect(),
            shown: format!(
                "{} {ROWS_VERSION}, {} warehouses, compress {}",
                table.builtin(),
                scale.warehouses,
                scale.compress
            ),
            create: ddl(self, &create)?,
            indexes: indexes.collect::<Result<Vec<_>, _>>()?,
            foreign_keys: foreign_keys.collect::<Result<Vec<_>, _>>()?,
        })
    }

    pub fn tpcc_transaction(
        &mut self,
        spec: &TransactionSpec,
        builtin: &Spanned<String>,
        weight: u64,
    ) -> Result<Transaction, SpecError> {
        let known = TpccKind::ALL.map(|kind| (kind.builtin(), kind));
        let kind = self.builtin(builtin, &known)?;
        if spec.atomic || !spec.hold.is_empty() {
            let message = format!(
                "`atomic` and `hold` of `{}` are built in; remove them",
                builtin.as_ref()
            );
            return Err(self.resolver.fault(&builtin.span(), message));
        }
        let sets = self.tpcc_scale(builtin)?.table_sets;
        let name = spec.name.as_ref();
        let call = self.edited.spec.call.get(name);
        let body = match call {
            Some(block) => {
                let made = self.tpcc_statement(block, kind.call_values(), sets);
                let key = format!("call.{name}");
                let (first, picks) = made.map_err(|fault| self.resolver.placed(&key, fault))?;
                Body::Call(TpccCall { kind, first, picks })
            }
            None => {
                let mut statements = Vec::new();
                for ask in kind.asks() {
                    let (name, values) = ask.block();
                    let block = Spanned::new(builtin.span(), name.to_owned());
                    let (first, picks) = self.tpcc_statement(&block, values, sets)?;
                    statements.push(TpccStatement { ask, first, picks });
                }
                Body::Tpcc(TpccBody { kind, statements })
            }
        };
        Ok(Transaction {
            name: name.clone(),
            weight,
            keying: Duration::ZERO,
            think: Duration::ZERO,
            // A procedure begins and ends its transaction itself.
            atomic: call.is_none(),
            writes: kind.writes(),
            deletes: kind == TpccKind::Delivery,
            replaces_keys: false,
            body,
        })
    }

    /// Each `[call]` is of a transaction that is built in.
    pub fn check_calls(&self) -> Result<(), SpecError> {
        let spec = &self.edited.spec;
        let builtin = spec.transaction.iter().map(Spanned::as_ref);
        let builtin = builtin.filter(|transaction| transaction.builtin.is_some());
        let known: Vec<&str> = builtin.map(|built| built.name.as_ref().as_str()).collect();
        for (name, block) in &spec.call.0 {
            if !known.contains(&name.as_str()) {
                let message = format!(
                    "call `{name}` is of no transaction that is built in; those are {}",
                    listed(known.iter().copied())
                );
                let fault = self.resolver.fault(&block.span(), message);
                return Err(self.resolver.placed(&format!("call.{name}"), fault));
            }
        }
        Ok(())
    }

    /// Makes the statements of a block, one for each table set. Returns the first
    /// one, and the place of each argument among the values.
    fn tpcc_statement(
        &mut self,
        block: &Spanned<String>,
        values: &[&str],
        sets: u64,
    ) -> Result<(StmtId, Vec<u16>), SpecError> {
        let block = self.block(block)?.clone();
        let name = &block.name;
        let template: Template = block.template(self.engine)?;
        let place = |value: &str| values.iter().position(|&known| known == value);
        for (value, line) in template.names().1 {
            if place(value).is_none() {
                let known = listed(values.iter().copied());
                let message = format!("`:{value}` in block `{name}` is not known; use {known}");
                return Err(SpecError::at_line(&block.file, line, message));
            }
        }
        let first = StmtId(u32::try_from(self.statements.len()).unwrap_or(u32::MAX));
        let of_block = u16::try_from(self.used_blocks.len()).unwrap_or(u16::MAX);
        let mut arguments = Vec::new();
        for set in 1..=sets {
            let (sql, names) = template.bind(self.engine, Scale::number(set));
            arguments.clone_from(&names);
            self.statements.push(Statement {
                name: name.clone(),
                // Sessions keep statements by reference until the program ends.
                sql: String::leak(sql),
                params: names,
                kind: template.kind(),
            });
            self.block_of.push(of_block);
        }
        let picks = arguments.iter().filter_map(|name| place(name));
        let picks = picks.map(|place| u16::try_from(place).unwrap_or(u16::MAX));
        let picks = picks.collect();
        self.used_blocks.push(UsedBlock {
            name: name.clone(),
            number: None,
            template,
            first,
            arguments,
        });
        Ok((first, picks))
    }

    /// What a run compares its count of new orders with.
    pub fn order_numbers(&self, transactions: &[Transaction]) -> Result<Vec<Statement>, SpecError> {
        let mut specs = self.edited.spec.transaction.iter().zip(transactions);
        let new_order =
            specs.find(|(_, transaction)| transaction.body.tpcc_kind() == Some(TpccKind::NewOrder));
        let builtin = new_order.and_then(|(spec, _)| spec.as_ref().builtin.as_ref());
        let Some(builtin) = builtin else {
            return Ok(Vec::new());
        };
        let block = self.block(&Spanned::new(builtin.span(), ORDER_NUMBERS.to_owned()))?;
        let template = block.template(self.engine)?;
        let sets = 1..=self.tpcc_scale(builtin)?.table_sets;
        let statements = sets.map(|set| {
            let (sql, params) = template.bind(self.engine, Scale::number(set));
            Statement {
                name: ORDER_NUMBERS.to_owned(),
                // Sessions keep statements by reference until the program ends.
                sql: String::leak(sql),
                params,
                kind: template.kind(),
            }
        });
        Ok(statements.collect())
    }

    fn builtin<T: Copy>(
        &self,
        given: &Spanned<String>,
        known: &[(&'static str, T)],
    ) -> Result<T, SpecError> {
        let found = known.iter().find(|(name, _)| name == given.as_ref());
        found.map(|(_, what)| *what).ok_or_else(|| {
            let message = format!(
                "builtin `{}` is not known; use one of {}",
                given.as_ref(),
                listed(known.iter().map(|(name, _)| *name))
            );
            self.resolver.fault(&given.span(), message)
        })
    }

    /// SQLite makes foreign keys with the table only, and would look at each row
    /// of a load. Said where the engine is known, as `check` compiles for all.
    pub fn refuse_foreign_keys(&self) -> Result<(), SpecError> {
        // Asks for nothing that does not decide the data: what was asked for until
        // the tables are made counts as that.
        let has_keys = match self.any_builtin() {
            Some(builtin) => self.tpcc_scale(builtin)?.foreign_keys,
            None => false,
        };
        match self.resolver.named("fk") {
            Some(value) if has_keys && self.engine == Engine::Sqlite => {
                let message = "SQLite adds no foreign keys after a load; leave it false";
                Err(self.resolver.fault_of(&value, message))
            }
            _ => Ok(()),
        }
    }
}
