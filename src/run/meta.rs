//! `tiermark_meta`: what was loaded, by which workload, seed and parameters. It
//! lives in the database beside the tables, so that it is true wherever the
//! data is copied to.

use std::collections::BTreeMap;

use crate::db::session::{Class, DbError, Row, Session, Target};
use crate::transaction::rows;
use crate::transaction::tpcc::constants;
use crate::value::{Args, Engine, Statement, StmtId, Value};
use crate::workload::error::SpecError;
use crate::workload::plan::{Plan, Procedure, Table};
use crate::workload::shipped;
use crate::workload::sql::{Block, blocks};

pub const TABLE: &str = "tiermark_meta";

/// Items of a table's scope. Parameters stand under `param:<name>`.
pub const STATE: &str = "state";
pub const SEED: &str = "seed";
pub const SHA: &str = "sha";
pub const WORKLOAD: &str = "workload";
/// When the first run began that changes rows, in UTC. Until then there is none.
pub const WRITTEN: &str = "written";
/// When the first run began that changes the number of rows.
pub const GROWN: &str = "grown";
/// TPC-C's constant of the loaded last names (clause 2.1.6.1).
pub const C_LOAD: &str = "c_load";
/// The table that a procedure goes with.
pub const OF_TABLE: &str = "table";
const ROWS: &str = "rows";
/// No table's name has a colon in it.
const PROCEDURE: &str = "procedure:";
const PARAM: &str = "param:";
/// `chunk:<first row>`, with the last row as its value, while a table is loaded.
const CHUNK: &str = "chunk:";

pub const LOADING: &str = "loading";
pub const LOADED: &str = "loaded";

const READ: StmtId = StmtId(0);
const ADD: StmtId = StmtId(1);
const SET: StmtId = StmtId(2);
const FORGET: StmtId = StmtId(3);
const FIND_CHUNK: StmtId = StmtId(4);
const FORGET_CHUNKS: StmtId = StmtId(5);
const PREPARED: [&str; 6] = ["read", "add", "set", "forget", "chunk", "forget_chunks"];

/// What the table says: items by scope, which is a table's name.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    pub scopes: BTreeMap<String, BTreeMap<String, String>>,
    /// Items by the name of a stored procedure, whose scope is `procedure:<name>`.
    pub procedures: BTreeMap<String, BTreeMap<String, String>>,
}

impl Meta {
    pub fn owns(&self, table: &str) -> bool {
        self.scopes.contains_key(table)
    }

    pub fn item(&self, table: &str, item: &str) -> Option<&str> {
        self.scopes.get(table)?.get(item).map(String::as_str)
    }

    pub fn of_procedure(&self, procedure: &str, item: &str) -> Option<&str> {
        self.procedures
            .get(procedure)?
            .get(item)
            .map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty() && self.procedures.is_empty()
    }

    /// First and last row of each chunk of a table that is committed.
    pub fn chunks(&self, table: &str) -> Vec<(u64, u64)> {
        let items = self.scopes.get(table).into_iter().flatten();
        let chunk = |(item, last): (&String, &String)| {
            let first = item.strip_prefix(CHUNK)?.parse().ok()?;
            Some((first, last.parse().ok()?))
        };
        items.filter_map(chunk).collect()
    }

    /// The parameters that a table was loaded with.
    pub fn params(&self, table: &str) -> Vec<(&str, &str)> {
        let items = self.scopes.get(table).into_iter().flatten();
        items
            .filter_map(|(item, value)| Some((item.strip_prefix(PARAM)?, value.as_str())))
            .collect()
    }
}

fn block(name: &str) -> Result<Block, SpecError> {
    let text = shipped::sql("common/meta.sql").unwrap_or_default();
    let found = blocks("sql/common/meta.sql", text)?
        .into_iter()
        .find(|block| block.name == name);
    found.ok_or_else(|| {
        SpecError::in_file("sql/common/meta.sql", format!("there is no block `{name}`"))
    })
}

/// The text that makes or drops the table.
///
/// # Errors
/// When the shipped SQL is broken.
pub fn ddl(name: &str, engine: Engine) -> Result<String, SpecError> {
    Ok(block(name)?.template(engine)?.bind(engine, None).0)
}

fn statements(engine: Engine) -> Result<Vec<Statement>, SpecError> {
    let one = |name: &&str| {
        let template = block(name)?.template(engine)?;
        let (sql, params) = template.bind(engine, None);
        Ok(Statement {
            name: format!("meta {name}"),
            // A handful for the life of the program.
            sql: String::leak(sql),
            params,
            kind: template.kind(),
        })
    };
    PREPARED.iter().map(one).collect()
}

/// A session that reads and writes the table, which must be there.
#[derive(Debug)]
pub struct MetaSession<S> {
    session: S,
}

/// Errors of a load or of its book.
#[derive(Debug, thiserror::Error)]
pub enum MetaError {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    Sql(#[from] SpecError),
}

impl<S: Session> MetaSession<S> {
    /// # Errors
    /// When there is no connection, or no `tiermark_meta`.
    pub async fn open(target: &Target, engine: Engine) -> Result<MetaSession<S>, MetaError> {
        let session = S::open(target, &statements(engine)?).await?;
        Ok(MetaSession { session })
    }

    /// # Errors
    /// When the table cannot be read.
    pub async fn read(&mut self) -> Result<Meta, DbError> {
        let mut meta = Meta::default();
        let each = |row: &S::Row| {
            let (scope, item, value) = (row.text(0)?, row.text(1)?, row.text(2)?);
            let (scopes, name) = match scope.strip_prefix(PROCEDURE) {
                Some(procedure) => (&mut meta.procedures, procedure),
                None => (&mut meta.scopes, scope),
            };
            let items = scopes.entry(name.to_owned()).or_default();
            items.insert(item.to_owned(), value.to_owned());
            Ok(())
        };
        self.session.fetch(READ, Args::NONE, each).await?;
        Ok(meta)
    }

    /// Enters a table that is about to be made: its owner before itself, so
    /// that no table of ours is ever without one.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub async fn enter(&mut self, plan: &Plan, table: &Table, seed: u64) -> Result<(), DbError> {
        let rows = rows::count(table, seed, 1, table.rows).to_string();
        let c_load = constants::c_load(seed).to_string();
        let seed = seed.to_string();
        let mut items = vec![
            (WORKLOAD.to_owned(), plan.workload.as_str()),
            (SHA.to_owned(), table.sha.as_str()),
            (SEED.to_owned(), seed.as_str()),
            (ROWS.to_owned(), rows.as_str()),
            (STATE.to_owned(), LOADING),
        ];
        if plan.tpcc.is_some() {
            items.push((C_LOAD.to_owned(), c_load.as_str()));
        }
        items.extend(
            plan.data_params
                .iter()
                .map(|(name, value)| (format!("{PARAM}{name}"), value.as_str())),
        );
        let items = items.iter().map(|(item, value)| (item.as_str(), *value));
        self.add(&table.name, items).await
    }

    /// Enters a stored procedure that is about to be made, as `enter` a table.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub async fn enter_procedure(
        &mut self,
        workload: &str,
        procedure: &Procedure,
    ) -> Result<(), DbError> {
        let items = [
            (WORKLOAD, workload),
            (SHA, procedure.sha.as_str()),
            (OF_TABLE, procedure.table.as_str()),
        ];
        let scope = format!("{PROCEDURE}{}", procedure.name);
        self.add(&scope, items.into_iter()).await
    }

    async fn add(
        &mut self,
        scope: &str,
        items: impl Iterator<Item = (&str, &str)>,
    ) -> Result<(), DbError> {
        self.session.begin(true).await?;
        for (item, value) in items {
            let args = [scope, item, value].map(Value::Text);
            self.session.exec(ADD, Args::List(&args)).await?;
        }
        self.session.commit().await
    }

    /// Notes a chunk of rows, inside the transaction that loads it.
    ///
    /// # Errors
    /// When the table cannot be written; a duplicate key when it is noted already.
    pub async fn chunk_loaded(&mut self, table: &str, from: u64, to: u64) -> Result<(), DbError> {
        let (item, value) = (format!("{CHUNK}{from}"), to.to_string());
        let args = [Value::Text(table), Value::Text(&item), Value::Text(&value)];
        self.session.exec(ADD, Args::List(&args)).await.map(|_| ())
    }

    /// Whether a chunk is noted.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub async fn has_chunk(&mut self, table: &str, from: u64) -> Result<bool, DbError> {
        let item = format!("{CHUNK}{from}");
        let args = [Value::Text(table), Value::Text(&item)];
        Ok(self.session.exec(FIND_CHUNK, Args::List(&args)).await? > 0)
    }

    /// Notes that a table is whole, and forgets its chunks.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub async fn set_loaded(&mut self, table: &str) -> Result<(), DbError> {
        // In the order of the arguments in the file: value, scope, item.
        let args = [Value::Text(LOADED), Value::Text(table), Value::Text(STATE)];
        self.session.begin(true).await?;
        self.session.exec(SET, Args::List(&args)).await?;
        let args = [Value::Text(table)];
        self.session.exec(FORGET_CHUNKS, Args::List(&args)).await?;
        self.session.commit().await
    }

    /// Says that the rows of a table are no longer as they were loaded. The
    /// first to say so keeps its time.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub async fn mark(&mut self, table: &str, item: &str, at: &str) -> Result<(), DbError> {
        let args = [Value::Text(table), Value::Text(item), Value::Text(at)];
        match self.session.exec(ADD, Args::List(&args)).await {
            // Another run begins at this moment too.
            Err(error) if error.class == Class::Duplicate => Ok(()),
            outcome => outcome.map(|_| ()),
        }
    }

    /// # Errors
    /// When the table cannot be written.
    pub async fn forget(&mut self, table: &str) -> Result<(), DbError> {
        self.session
            .exec(FORGET, Args::List(&[Value::Text(table)]))
            .await
            .map(|_| ())
    }

    /// # Errors
    /// When the table cannot be written.
    pub async fn forget_procedure(&mut self, procedure: &str) -> Result<(), DbError> {
        self.forget(&format!("{PROCEDURE}{procedure}")).await
    }

    /// The session itself, for what has nothing to do with the book.
    pub fn session(&mut self) -> &mut S {
        &mut self.session
    }

    pub fn into_inner(self) -> S {
        self.session
    }
}
