//! Where the numbers of `fresh` draws begin: above the largest key that their
//! tables hold, on any of a run's servers.

use std::collections::BTreeSet;

use crate::db::session::{Class, DbError, Session, Target};
use crate::run::key_range::{self, KeyRange};
use crate::value::{Engine, Statement, StmtId};
use crate::workload::draw::Generator;
use crate::workload::plan::{Plan, Table};

/// Asks each server once and enters the largest keys into the plan. The null
/// engine has no tables: there they stay the rows that the plan would load.
///
/// # Errors
/// When a table cannot be read, or its keys are no numbers.
pub async fn find<S: Session>(plan: &mut Plan, targets: &[Target]) -> Result<(), DbError> {
    if plan.engine == Engine::Null {
        return Ok(());
    }
    let named = plan.draws.iter().filter_map(|draw| match &draw.generator {
        Generator::Fresh { table, .. } => Some(table.clone()),
        _ => None,
    });
    for entry in named.collect::<BTreeSet<String>>() {
        let mut largest = 0;
        for target in targets {
            largest = largest.max(largest_key::<S>(plan, &entry, target).await?);
        }
        plan.set_fresh_base(&entry, largest);
    }
    Ok(())
}

/// The largest key of the tables of one entry; 0 where they are empty.
async fn largest_key<S: Session>(
    plan: &Plan,
    entry: &str,
    target: &Target,
) -> Result<i64, DbError> {
    let tables: Vec<(&Table, usize)> = plan
        .tables
        .iter()
        .filter(|table| table.entry == entry)
        .filter_map(|table| Some((table, table.key(&plan.draws)?)))
        .collect();
    let statements: Vec<Statement> = tables
        .iter()
        .map(|(table, key)| key_range::statement(table, *key, plan.engine))
        .collect();
    let mut session = S::open(target, &statements).await?;
    let mut largest = 0;
    for (id, (table, key)) in (0..).zip(&tables) {
        match key_range::ask(&mut session, StmtId(id)).await? {
            KeyRange::NoRows => {}
            KeyRange::Keys(_, max) => largest = largest.max(max),
            KeyRange::NoNumbers => {
                let message = format!(
                    "column {} of table {} holds no whole numbers, so none can be drawn fresh above them",
                    table.columns[*key], table.name
                );
                return Err(DbError::new(Class::Other, "key", message));
            }
        }
    }
    session.close().await?;
    Ok(largest)
}
