//! `[[procedure]]` as typed to stored procedures: one for each table that they
//! go with, with that table's number.

use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::workload::compile::{Compiler, hex};
use crate::workload::compile_table::{ddl, numbered_name};
use crate::workload::error::{SpecError, listed};
use crate::workload::plan::{Procedure, Table};
use crate::workload::spec::ProcedureSpec;

pub(super) fn compile_procedures(
    compiler: &Compiler,
    specs: &[Spanned<ProcedureSpec>],
    tables: &[Table],
) -> Result<Vec<Procedure>, SpecError> {
    let mut procedures = Vec::new();
    for (place, spec) in specs.iter().enumerate() {
        let key = format!("procedure.{place}");
        compile_one(compiler, spec.as_ref(), tables, &mut procedures)
            .map_err(|fault| compiler.resolver.placed(&key, fault))?;
    }
    Ok(procedures)
}

fn compile_one(
    compiler: &Compiler,
    spec: &ProcedureSpec,
    tables: &[Table],
    procedures: &mut Vec<Procedure>,
) -> Result<(), SpecError> {
    let resolver = &compiler.resolver;
    let numbered = numbered_name(compiler, &spec.name)?;
    let create = ddl(compiler, &spec.create)?;
    let of_entry = |table: &&Table| &table.entry == spec.table.as_ref();
    let mut with = tables.iter().filter(of_entry).peekable();
    if with.peek().is_none() {
        let mut known: Vec<&str> = tables.iter().map(|table| table.entry.as_str()).collect();
        known.dedup();
        let message = format!(
            "`{}` is no table of this workload; use one of {}, as its `name` stands there",
            spec.table.as_ref(),
            listed(known)
        );
        return Err(resolver.fault(&spec.table.span(), message));
    }
    for table in with {
        let name = match &numbered {
            Some((before, after, _)) => {
                let number = table.number.map_or(String::new(), |it| it.to_string());
                format!("{before}{number}{after}")
            }
            None => spec.name.as_ref().clone(),
        };
        if procedures.iter().any(|known| known.name == name) {
            let message = format!("procedure {name} is defined twice");
            return Err(resolver.fault(&spec.name.span(), message));
        }
        let (create, _) = create.bind(compiler.engine, table.number);
        procedures.push(Procedure {
            name,
            table: table.name.clone(),
            sha: hex(&Sha256::digest(&create)),
            create,
        });
    }
    Ok(())
}
