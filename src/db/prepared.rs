//! What a session keeps of a prepared statement, the same on all engines: its
//! text, and the names that messages need.

use crate::value::{Statement, Value};

use super::session::{Class, DbError};

/// How much of a text value a message shows.
const SHOWN_CHARS: usize = 40;

#[derive(Debug)]
pub(crate) struct Prepared {
    pub sql: &'static str,
    /// The block's name, then the placeholders' names, one a line: a single
    /// allocation, for thousands of clients hold this each.
    names: Box<str>,
}

impl Prepared {
    pub fn new(statement: &Statement) -> Prepared {
        let mut names = statement.name.clone();
        for param in &statement.params {
            names.push('\n');
            names.push_str(param);
        }
        Prepared {
            sql: statement.sql,
            names: names.into_boxed_str(),
        }
    }

    fn name(&self) -> &str {
        self.names.lines().next().unwrap_or_default()
    }

    fn param(&self, index: usize) -> String {
        match self.names.lines().nth(index + 1) {
            Some(name) => format!(":{name}"),
            None => format!("parameter {}", index + 1),
        }
    }

    /// Says in which statement `error` happened.
    pub fn failed(&self, error: DbError) -> DbError {
        DbError {
            message: format!("statement `{}`: {}", self.name(), error.message),
            ..error
        }
    }

    /// The error of a value that cannot become the type that the server wants.
    pub fn misfit(&self, index: usize, value: Value<'_>, wanted: &str) -> DbError {
        let name = self.name();
        let param = self.param(index);
        let value = shown(value);
        DbError::new(
            Class::Other,
            "value",
            format!("statement `{name}`: {value} does not fit {param}, which is {wanted}"),
        )
    }

    /// # Errors
    /// When a statement with `wanted` parameters gets another number of values:
    /// a driver would hang (MySQL) or bind nulls (SQLite) instead of refusing.
    pub fn check_count(&self, wanted: usize, given: usize) -> Result<(), DbError> {
        if wanted == given {
            return Ok(());
        }
        let name = self.name();
        Err(DbError::new(
            Class::Other,
            "value",
            format!("statement `{name}` takes {wanted} values and was given {given}"),
        ))
    }
}

fn shown(value: Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Int(v) => format!("the integer {v}"),
        Value::Float(v) => format!("the float {v}"),
        Value::Dec(v) => format!("the decimal {v}"),
        Value::Time(v) => format!("the time {v} us since 1970"),
        Value::Bytes(v) => format!("a byte string of {} bytes", v.len()),
        Value::Text(v) => match v.char_indices().nth(SHOWN_CHARS) {
            None => format!("the text '{v}'"),
            Some((end, _)) => format!("the text '{}...'", &v[..end]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Kind;

    #[test]
    fn a_misfit_names_statement_placeholder_value_and_type() {
        let prepared = Prepared::new(&Statement {
            name: "point_select".to_owned(),
            sql: "SELECT c FROM t WHERE a = $1 AND b = $2",
            params: vec!["a".to_owned(), "b".to_owned()],
            kind: Kind::Read,
        });
        let error = prepared.misfit(1, Value::Int(70_000), "INT2");
        assert_eq!(
            error.to_string(),
            "statement `point_select`: the integer 70000 does not fit :b, which is INT2 (value)"
        );
        assert!(prepared.check_count(2, 2).is_ok());
        let error = prepared.check_count(2, 1).unwrap_err();
        assert!(error.message.contains("takes 2 values and was given 1"));
    }
}
