//! The data set that a command finds in the database: whose tables they are,
//! and whether they are those of the workload.
//!
//! Running on data of another size is the commonest mistake of all, and tables
//! called `orders` are easily somebody else's: both are refused here.

use anyhow::{Context, Result, anyhow};

use crate::commands::exit::{server, usage};
use crate::db::session::{Session, Target};
use crate::report::progress::note;
use crate::run::meta::{self, Meta, MetaSession};
use crate::value::Engine;
use crate::workload::compile::compile;
use crate::workload::plan::Plan;
use crate::workload::settings::Settings;
use crate::workload::source::Source;

/// What to do about tables of someone else's, for a message.
pub const KEEP_AWAY: &str = "use another database, or drop it yourself";

/// What stands in the database that a command looks at.
#[derive(Debug, Default)]
pub struct Found {
    pub tables: Vec<String>,
    /// Stored procedures and functions.
    pub routines: Vec<String>,
    pub meta: Meta,
}

impl Found {
    /// Asks the server.
    pub async fn look<S: Session>(
        session: &mut S,
        target: &Target,
        engine: Engine,
    ) -> Result<Found> {
        let tables = session.tables().await.map_err(server)?;
        let mut found = Found {
            tables,
            routines: session.routines().await.map_err(server)?,
            meta: Meta::default(),
        };
        if found.has(meta::TABLE) {
            let mut book = MetaSession::<S>::open(target, engine)
                .await
                .map_err(server)?;
            found.meta = book.read().await.map_err(server)?;
            book.into_inner().close().await.map_err(server)?;
        }
        Ok(found)
    }

    pub fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|known| known == table)
    }

    pub fn has_routine(&self, name: &str) -> bool {
        self.routines.iter().any(|known| known == name)
    }

    /// Refuses tables of the plan's names that tiermark did not make.
    pub fn refuse_foreign(&self, plan: &Plan, remedy: &str) -> Result<()> {
        let foreign = plan
            .tables
            .iter()
            .find(|table| self.has(&table.name) && !self.meta.owns(&table.name));
        match foreign {
            Some(table) => Err(usage(anyhow!(
                "table {} is there and was not made by tiermark, so it is not touched; {remedy}",
                table.name
            ))),
            None => Ok(()),
        }
    }

    /// Refuses to drop what another workload prepared.
    pub fn refuse_others(&self, plan: &Plan, owned: &[String]) -> Result<()> {
        for table in owned {
            let by = self.meta.item(table, meta::WORKLOAD).unwrap_or_default();
            if by != plan.workload {
                return Err(usage(anyhow!(
                    "table {table} was prepared by {by}; drop it with tiermark cleanup {by}"
                )));
            }
        }
        Ok(())
    }

    /// Tables of this workload that tiermark made: those of the plan, and what
    /// an earlier load of the workload left under other numbers.
    pub fn owned(&self, plan: &Plan) -> Vec<String> {
        let mine = |table: &&String| {
            plan.tables.iter().any(|planned| &planned.name == *table)
                || self.meta.item(table, meta::WORKLOAD) == Some(&plan.workload)
        };
        self.meta.scopes.keys().filter(mine).cloned().collect()
    }

    /// The plan for the data that is there, which must be whole. `remedy` says
    /// what to do where it is someone else's.
    pub fn plan(
        &self,
        source: &Source,
        settings: &Settings,
        engine: Engine,
        remedy: &str,
    ) -> Result<(Plan, Settings)> {
        let typed = compile(source, settings, engine).map_err(usage)?;
        let first = match typed.tables.first() {
            Some(first) if engine != Engine::Null => first,
            _ => return Ok((typed, settings.clone())),
        };
        if !self.has(&first.name) {
            return Err(usage(anyhow!(
                "table {} is not there; make it first: tiermark prepare {}",
                first.name,
                source.name
            )));
        }
        self.refuse_foreign(&typed, remedy)?;
        let (mut plan, adopted) = self.adopt(source, settings, &typed)?;
        self.check_tables(&plan)?;
        if let Some(tpcc) = &mut plan.tpcc {
            let c_load = self.meta.item(&first.name, meta::C_LOAD);
            tpcc.c_load = c_load.and_then(|c_load| c_load.parse().ok());
        }
        Ok((plan, adopted))
    }

    /// Takes parameters that the user did not give from the load, and refuses
    /// one that differs.
    pub fn adopt(
        &self,
        source: &Source,
        settings: &Settings,
        typed: &Plan,
    ) -> Result<(Plan, Settings)> {
        let mut adopted = settings.clone();
        let first = typed.tables.first().map_or("", |table| &table.name);
        for (name, loaded) in self.meta.params(first) {
            let known = typed.data_params.iter().find(|(known, _)| known == name);
            let Some((_, wanted)) = known.filter(|(_, wanted)| wanted != loaded) else {
                continue;
            };
            if let Some((_, flag)) = typed.given.iter().find(|(known, _)| known == name) {
                return Err(usage(anyhow!(
                    "{flag}: {name} is {wanted} here, but the tables were prepared with {name} = {loaded}; leave it out, or prepare anew with --recreate"
                )));
            }
            adopted.sets.push(format!("{name}={loaded}"));
        }
        let plan = compile(source, &adopted, typed.engine).map_err(usage)?;
        Ok((plan, adopted))
    }

    /// Refuses to go on with a load of another definition or seed.
    pub fn check_leftovers(&self, plan: &Plan, seed: u64) -> Result<()> {
        for table in plan
            .tables
            .iter()
            .filter(|table| self.meta.owns(&table.name))
        {
            let name = &table.name;
            let by = self.meta.item(name, meta::WORKLOAD).unwrap_or_default();
            if by != plan.workload {
                return Err(usage(anyhow!(
                    "the load of table {name} was begun by {by}; go on with it: tiermark prepare {by} --resume; or load anew with --recreate"
                )));
            }
            if self.meta.item(name, meta::SHA) != Some(&table.sha) {
                return Err(usage(anyhow!(
                    "the load of table {name} was begun with other columns, draws or DDL than {} has now; load anew with --recreate",
                    plan.workload
                )));
            }
            let loaded = self.meta.item(name, meta::STATE) == Some(meta::LOADED);
            if !self.has(name) && (loaded || !self.meta.chunks(name).is_empty()) {
                return Err(usage(anyhow!(
                    "table {name} is gone, although rows of it were loaded; load anew with --recreate"
                )));
            }
            let begun = self.meta.item(name, meta::SEED).unwrap_or_default();
            if begun != seed.to_string() {
                return Err(usage(anyhow!(
                    "the load of table {name} was begun with seed {begun}, not {seed}; give --seed {begun}, or load anew with --recreate"
                )));
            }
        }
        Ok(())
    }

    fn check_tables(&self, plan: &Plan) -> Result<()> {
        for table in &plan.tables {
            let name = &table.name;
            let again = format!("load anew: tiermark prepare {} --recreate", plan.workload);
            if !self.has(name) {
                return Err(usage(anyhow!("table {name} is not there; {again}")));
            }
            if self.meta.item(name, meta::STATE) != Some(meta::LOADED) {
                return Err(usage(anyhow!(
                    "the load of table {name} did not come to its end; go on with it: tiermark prepare {} --resume",
                    self.meta
                        .item(name, meta::WORKLOAD)
                        .unwrap_or(&plan.workload)
                )));
            }
            if self.meta.item(name, meta::SHA) != Some(&table.sha) {
                let by = self
                    .meta
                    .item(name, meta::WORKLOAD)
                    .unwrap_or("another workload");
                return Err(usage(anyhow!(
                    "table {name} was prepared by {by} with other columns, draws or DDL than {} has now; {again}",
                    plan.workload
                )));
            }
        }
        Ok(())
    }

    /// Leaves a mark for `check` where a run will change the rows of the plan's
    /// tables.
    pub async fn mark_written<S: Session>(
        &self,
        plan: &Plan,
        target: &Target,
        at: &str,
    ) -> Result<()> {
        let writes = plan
            .transactions
            .iter()
            .any(|transaction| transaction.writes);
        if plan.engine == Engine::Null || !writes {
            return Ok(());
        }
        let marks = plan.tables.iter().flat_map(|table| {
            let grown = table.grows.then_some(meta::GROWN);
            let items = [Some(meta::WRITTEN), grown].into_iter().flatten();
            items.map(|item| (table.name.as_str(), item))
        });
        let mut missing = marks
            .filter(|(table, item)| self.meta.item(table, item).is_none())
            .peekable();
        if missing.peek().is_none() {
            return Ok(());
        }
        let mut book = MetaSession::<S>::open(target, plan.engine)
            .await
            .map_err(server)?;
        for (table, item) in missing {
            let what = || {
                format!(
                    "cannot enter into {} that a run changes table {table}",
                    meta::TABLE
                )
            };
            book.mark(table, item, at)
                .await
                .with_context(what)
                .map_err(server)?;
        }
        book.into_inner().close().await.map_err(server)
    }

    /// Items of the plan's first table, for a manifest. Whether an earlier run
    /// changed rows is left out: it would tell the first run of a data set from
    /// all others.
    pub fn items(&self, plan: &Plan) -> std::collections::BTreeMap<String, String> {
        let first = plan
            .tables
            .first()
            .and_then(|table| self.meta.scopes.get(&table.name));
        let mut items = first.cloned().unwrap_or_default();
        items.remove(meta::SHA);
        items.remove(meta::WRITTEN);
        items.remove(meta::GROWN);
        items
    }
}

/// Says whom a destroying command talks to, before it does.
pub fn announce(target: &Target, facts: &crate::value::ServerFacts, what: &str) {
    note(format_args!(
        "{what} in database {} of {target}, as user {}",
        facts.database, facts.user
    ));
}
