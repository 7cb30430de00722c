//! Asks whether a workload's conditions hold: each is one statement, so that all
//! it reads is of one moment, also while a run goes on. Every condition is asked
//! in every scope, whatever another has shown. Several scopes at a time.

use std::collections::BTreeMap;
use std::sync::mpsc;

use crate::db::session::{DbError, Row, Session, Target};
use crate::run::check::{CHANGED, CheckError};
use crate::run::check_sample::KEYS;
use crate::run::pieces::{Pieces, share};
use crate::stats::check::{CheckRow, Outcome};
use crate::units::counted;
use crate::value::{Args, Kind, Statement, StmtId, Value};
use crate::workload::plan::{Condition, Plan};

/// What one sending of some conditions' statements is about.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `w=3`, `t=2 w=3`, or the workload's name.
    pub name: String,
    /// Of the tables.
    number: Option<i64>,
    /// What the statements take.
    value: Option<i64>,
    /// Places in the plan.
    pub conditions: Vec<usize>,
}

/// All scopes that the plan's conditions have. Those of no value come first:
/// they are the largest.
pub fn scopes(plan: &Plan) -> Vec<Scope> {
    let mut scopes = BTreeMap::new();
    for (place, condition) in plan.conditions.iter().enumerate() {
        let each = condition.each.as_ref();
        // A larger count is refused when it is compiled.
        let last = each.map(|(_, last)| i64::try_from(*last).unwrap_or(i64::MAX));
        let values: Vec<Option<i64>> = match last {
            Some(last) => (1..=last).map(Some).collect(),
            None => vec![None],
        };
        for &value in &values {
            for (number, _) in &condition.texts {
                let key = (value, each.map(|(name, _)| name), *number);
                let scope = scopes.entry(key).or_insert_with(|| Scope {
                    name: name(plan, condition, *number, value),
                    number: *number,
                    value,
                    conditions: Vec::new(),
                });
                scope.conditions.push(place);
            }
        }
    }
    scopes.into_values().collect()
}

fn name(plan: &Plan, condition: &Condition, number: Option<i64>, value: Option<i64>) -> String {
    let each = condition.each.as_ref().map(|(name, _)| name);
    let parts = [(condition.numbered.as_ref(), number), (each, value)];
    let part =
        |(name, value): (Option<&String>, Option<i64>)| Some(format!("{}={}", name?, value?));
    let parts: Vec<String> = parts.into_iter().filter_map(part).collect();
    if parts.is_empty() {
        plan.workload.clone()
    } else {
        parts.join(" ")
    }
}

/// Asks on up to `threads` connections. `written`: a run that changes rows has
/// begun since the load. `each` gets every row as soon as it is known, with the
/// place of its scope.
///
/// # Errors
/// When a statement fails; what a condition finds is no error.
pub fn check<S: Session>(
    plan: &Plan,
    target: &Target,
    scopes: &[Scope],
    written: bool,
    threads: usize,
    each: &mut dyn FnMut(usize, CheckRow),
) -> Result<(), CheckError> {
    let (sender, known) = mpsc::channel();
    let mut tell = || {
        for (scope, row) in known.try_iter() {
            each(scope, row);
        }
    };
    let body = async |pieces: &Pieces<(usize, &Scope)>| {
        while let Some((place, scope)) = pieces.take() {
            let send = |row| {
                // The receiver outlives all threads.
                let _ = sender.send((*place, row));
            };
            let asked = ask_all::<S>(plan, target, scope, written, send).await;
            asked.map_err(|error| CheckError::Asking {
                what: format!("conditions of {}", scope.name),
                error,
            })?;
        }
        Ok(())
    };
    let pieces = Pieces::new(scopes.iter().enumerate().collect());
    let outcome = share(&pieces, "checker", threads, body, &mut tell);
    tell();
    outcome
}

async fn ask_all<S: Session>(
    plan: &Plan,
    target: &Target,
    scope: &Scope,
    written: bool,
    mut tell: impl FnMut(CheckRow),
) -> Result<(), DbError> {
    let conditions = scope.conditions.iter();
    let conditions: Vec<&Condition> = conditions.map(|&place| &plan.conditions[place]).collect();
    let statements: Vec<Statement> = conditions
        .iter()
        .map(|condition| statement(condition, scope.number))
        .collect();
    // A connection for each scope: its statements are prepared when it opens.
    let mut session = S::open(target, &statements).await?;
    for (id, condition) in (0..).map(StmtId).zip(conditions) {
        tell(if written && condition.only_loaded {
            CheckRow::skipped(&condition.name, &scope.name, CHANGED)
        } else {
            ask(&mut session, id, condition, scope).await?
        });
    }
    // All answers are there: how it says goodbye does not matter.
    let _ = session.close().await;
    Ok(())
}

fn statement(condition: &Condition, number: Option<i64>) -> Statement {
    let mut texts = condition.texts.iter();
    let text = texts.find(|(known, _)| *known == number);
    let name = condition.each.as_ref().map_or("", |(name, _)| name);
    Statement {
        name: format!("condition {}", condition.name),
        // Once a scope, in a command that ends when all are checked.
        sql: String::leak(text.map_or(String::new(), |(_, text)| text.clone())),
        params: vec![name.to_owned(); condition.arguments],
        kind: Kind::Read,
    }
}

async fn ask<S: Session>(
    session: &mut S,
    id: StmtId,
    condition: &Condition,
    scope: &Scope,
) -> Result<CheckRow, DbError> {
    let values = vec![scope.value.map_or(Value::Null, Value::Int); condition.arguments];
    let mut first_keys = Vec::new();
    let each = |row: &S::Row| {
        if first_keys.len() < KEYS {
            first_keys.push(key(&condition.key, row)?);
        }
        Ok(())
    };
    let broken = session.fetch(id, Args::List(&values), each).await?;
    let (outcome, found) = match broken {
        0 => (Outcome::Pass, "no exception".to_owned()),
        some => (Outcome::Fail, counted(some, "exception")),
    };
    Ok(CheckRow {
        check: condition.name.clone(),
        scope: scope.name.clone(),
        outcome,
        found,
        expected: condition.about.clone(),
        first_keys,
    })
}

/// `w=1/d=3/o=17`.
fn key(names: &[String], row: &impl Row) -> Result<String, DbError> {
    let part = |(column, name): (usize, &String)| {
        if row.is_null(column) {
            return Ok(format!("{name}=null"));
        }
        let number = row.int(column).map(|number| format!("{name}={number}"));
        // CHAR columns come back with blanks on their right, or without any.
        number.or_else(|_| Ok(format!("{name}={}", row.text(column)?.trim_end())))
    };
    let parts: Result<Vec<String>, DbError> = names.iter().enumerate().map(part).collect();
    Ok(parts?.join("/"))
}
