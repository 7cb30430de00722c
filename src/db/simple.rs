//! The statements of a session that prepares nothing: their texts, cut once,
//! and the one buffer in which they are put together with their values.

use std::ops::Range;
use std::sync::Arc;

use crate::value::{Args, RowBuf, Statement, StmtId};

use super::cut::{Cut, Syntax, cut};
use super::literal;
use super::multi_insert;
use super::prepared::Prepared;
use super::session::DbError;

#[derive(Debug)]
pub(crate) struct SimpleTexts {
    statements: Vec<SimpleStatement>,
    syntax: Syntax,
    /// Shared with the driver while a statement runs, and ours alone again when
    /// it has ended: grown once, it is not allocated again.
    buffer: Arc<String>,
}

#[derive(Debug)]
struct SimpleStatement {
    /// Name and parameters for messages.
    named: Prepared,
    cut: Cut,
}

impl SimpleTexts {
    pub fn new(statements: &[Statement], syntax: Syntax) -> SimpleTexts {
        let simple = |statement: &Statement| SimpleStatement {
            named: Prepared::new(statement),
            cut: cut(statement.sql, syntax),
        };
        SimpleTexts {
            statements: statements.iter().map(simple).collect(),
            syntax,
            buffer: Arc::default(),
        }
    }

    /// A statement with its values in it.
    pub fn text(&mut self, id: StmtId, args: Args<'_>) -> Result<Arc<String>, DbError> {
        let SimpleStatement { named, cut } = &self.statements[id.index()];
        named.check_count(cut.params, args.len())?;
        let buffer = emptied(&mut self.buffer);
        for &(piece, param) in &cut.pieces {
            buffer.push_str(piece);
            let index = usize::from(param);
            let value = args.get(index);
            literal::push(buffer, value, self.syntax)
                .map_err(|wanted| named.misfit(index, value, wanted))?;
        }
        buffer.push_str(cut.tail);
        Ok(self.buffer.clone())
    }

    /// An INSERT of some rows of a load.
    pub fn insert(
        &mut self,
        head: &str,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
        range: Range<usize>,
    ) -> Result<Arc<String>, DbError> {
        let buffer = emptied(&mut self.buffer);
        buffer.push_str(head);
        for row in range.clone() {
            buffer.push_str(if row == range.start { " (" } else { ", (" });
            for (column, name) in columns.iter().enumerate() {
                if column > 0 {
                    buffer.push_str(", ");
                }
                literal::push(buffer, rows.value(row, column), self.syntax)
                    .map_err(|_| multi_insert::misfit(table, name, row))?;
            }
            buffer.push(')');
        }
        Ok(self.buffer.clone())
    }

    /// Says in which statement `error` happened.
    pub fn failed(&self, id: StmtId, error: DbError) -> DbError {
        self.statements[id.index()].named.failed(error)
    }
}

/// The buffer, or a new one where the driver has kept the last text.
fn emptied(buffer: &mut Arc<String>) -> &mut String {
    if Arc::get_mut(buffer).is_none() {
        *buffer = Arc::default();
    }
    let buffer = Arc::make_mut(buffer);
    buffer.clear();
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Kind, Value};

    fn texts(sql: &'static str, syntax: Syntax) -> SimpleTexts {
        let statement = Statement {
            name: "pick".to_owned(),
            sql,
            params: vec!["a".to_owned(), "b".to_owned()],
            kind: Kind::Read,
        };
        SimpleTexts::new(&[statement], syntax)
    }

    #[test]
    fn values_stand_in_the_place_of_their_parameters() {
        let mut texts = texts("SELECT $2 - $1, '$1'", Syntax::Postgres);
        let args = [Value::Int(-5), Value::Text("it's")];
        let text = texts.text(StmtId(0), Args::List(&args)).unwrap();
        assert_eq!(*text, "SELECT 'it''s' - '-5', '$1'");
    }

    #[test]
    fn the_buffer_is_used_again() {
        let mut texts = texts("SELECT ?, ?", Syntax::Mysql { backslash: true });
        let long = "x".repeat(100);
        let args = [Value::Text(&long), Value::Int(1)];
        let first = texts.text(StmtId(0), Args::List(&args)).unwrap();
        let place = first.as_ptr();
        drop(first);
        for number in 0..3 {
            let args = [Value::Int(number), Value::Int(2)];
            let text = texts.text(StmtId(0), Args::List(&args)).unwrap();
            assert_eq!(*text, format!("SELECT {number}, 2"));
            assert_eq!(text.as_ptr(), place);
        }
        // A driver that keeps a text keeps it unchanged.
        let kept = texts.text(StmtId(0), Args::List(&args)).unwrap();
        let other = texts.text(StmtId(0), Args::List(&args)).unwrap();
        assert_eq!(kept, other);
        assert_ne!(kept.as_ptr(), other.as_ptr());
    }

    #[test]
    fn a_wrong_number_of_values_and_a_misfit_are_named() {
        let mut texts = texts("SELECT ?, ?", Syntax::Mysql { backslash: true });
        let error = texts.text(StmtId(0), Args::NONE).unwrap_err();
        assert!(error.message.contains("takes 2 values and was given 0"));
        let args = [Value::Int(1), Value::Float(f64::INFINITY)];
        let error = texts.text(StmtId(0), Args::List(&args)).unwrap_err();
        assert!(error.message.contains(":b, which is a finite number"));
    }
}
