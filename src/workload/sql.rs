//! SQL files: named blocks with `:name` placeholders and `{t}` table numbers.
//!
//! A block is one statement that a DBA can paste. Here texts are cut into
//! parts, once; what the names are bound to is the plan's business.

use crate::value::{Engine, Kind};
use crate::workload::error::SpecError;
use crate::workload::sql_scan::Scanner;

/// One `-- name: x` block of a file.
#[derive(Clone, Debug)]
pub struct Block {
    pub name: String,
    /// The file it came from, for messages.
    pub file: String,
    /// Line of the `-- name:` comment, from 1.
    pub line: usize,
    pub(super) text: String,
}

/// A block cut into parts for one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// `:name`, with its line.
    Value(String, usize),
    /// `{name}`, with its line.
    Number(String, usize),
}

/// Cuts a file into its blocks.
///
/// # Errors
/// When text stands before the first block, or a name is missing or twice there.
pub fn blocks(file: &str, text: &str) -> Result<Vec<Block>, SpecError> {
    let mut blocks: Vec<Block> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(name) = block_name(line) {
            if name.is_empty() || !name.bytes().all(is_name_byte) {
                let message =
                    "a block's name is letters, digits and `_`; write `-- name: point_select`";
                return Err(SpecError::at_line(file, number, message));
            }
            if let Some(first) = blocks.iter().find(|block| block.name == name) {
                let message = format!(
                    "block `{name}` stands here and on line {}; keep one",
                    first.line
                );
                return Err(SpecError::at_line(file, number, message));
            }
            blocks.push(Block {
                name: name.to_owned(),
                file: file.to_owned(),
                line: number,
                text: String::new(),
            });
            continue;
        }
        match blocks.last_mut() {
            Some(block) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None if line.trim().is_empty() || line.trim_start().starts_with("--") => {}
            None => {
                let message = "SQL stands before the first `-- name:` line";
                return Err(SpecError::at_line(file, number, message));
            }
        }
    }
    Ok(blocks)
}

fn block_name(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix("--")?;
    Some(comment.trim_start().strip_prefix("name:")?.trim())
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Block {
    /// The block as it stands in its file.
    pub fn source(&self) -> String {
        format!("-- name: {}\n{}", self.name, self.text)
    }

    /// Cuts the text at placeholders, with the quoting rules of `engine`.
    /// Line comments are left out; block comments stay, as they may be hints.
    ///
    /// # Errors
    /// When a quote, a comment or a brace is not closed, or the block is empty.
    pub fn template(&self, engine: Engine) -> Result<Template, SpecError> {
        Scanner::new(self, engine).scan()
    }
}

impl Template {
    /// Names of `{name}` numbers and `:name` values, each once, in order of
    /// first appearance; numbers first.
    pub fn names(&self) -> (Vec<&str>, Vec<(&str, usize)>) {
        let mut numbers: Vec<&str> = Vec::new();
        let mut values: Vec<(&str, usize)> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Number(name, _) if !numbers.contains(&name.as_str()) => numbers.push(name),
                Part::Value(name, line) if !values.iter().any(|(known, _)| known == name) => {
                    values.push((name, *line));
                }
                _ => {}
            }
        }
        (numbers, values)
    }

    /// The text that the server gets, and the placeholder of each argument:
    /// `$n`, used again for a name used again, on PostgreSQL; `?` elsewhere.
    pub fn bind(&self, engine: Engine, number: Option<i64>) -> (String, Vec<String>) {
        let mut sql = String::new();
        let mut arguments: Vec<String> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => sql.push_str(text),
                Part::Number(..) => {
                    if let Some(number) = number {
                        sql.push_str(&number.to_string());
                    }
                }
                Part::Value(name, _) if engine == Engine::Postgres => {
                    let known = arguments.iter().position(|argument| argument == name);
                    let place = known.unwrap_or_else(|| {
                        arguments.push(name.clone());
                        arguments.len() - 1
                    });
                    sql.push('$');
                    sql.push_str(&(place + 1).to_string());
                }
                Part::Value(name, _) => {
                    arguments.push(name.clone());
                    sql.push('?');
                }
            }
        }
        (sql, arguments)
    }

    /// The first keyword, in capitals.
    pub fn verb(&self) -> String {
        let Some(Part::Text(text)) = self.parts.first() else {
            return String::new();
        };
        let opening = |c: char| c.is_whitespace() || c == '(';
        let mut rest = text.trim_start_matches(opening);
        while let Some(comment) = rest.strip_prefix("/*") {
            let after = comment.split_once("*/").map_or("", |(_, after)| after);
            rest = after.trim_start_matches(opening);
        }
        rest.chars()
            .take_while(char::is_ascii_alphabetic)
            .collect::<String>()
            .to_ascii_uppercase()
    }

    pub fn kind(&self) -> Kind {
        match self.verb().as_str() {
            "SELECT" | "WITH" | "VALUES" => Kind::Read,
            "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "MERGE" | "CALL" => Kind::Write,
            _ => Kind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(sql: &str, engine: Engine) -> Result<Template, SpecError> {
        let text = format!("-- name: b\n{sql}\n");
        blocks("f.sql", &text).unwrap()[0].template(engine)
    }

    fn bound(sql: &str, engine: Engine) -> (String, Vec<String>) {
        template(sql, engine).unwrap().bind(engine, Some(7))
    }

    #[test]
    fn placeholders_become_what_the_engine_takes() {
        let sql = "SELECT c FROM sbtest{t} WHERE id BETWEEN :id AND :last OR k = :id;";
        let (text, names) = bound(sql, Engine::Postgres);
        assert_eq!(
            text,
            "SELECT c FROM sbtest7 WHERE id BETWEEN $1 AND $2 OR k = $1"
        );
        assert_eq!(names, ["id", "last"]);
        let (text, names) = bound(sql, Engine::Mysql);
        assert_eq!(
            text,
            "SELECT c FROM sbtest7 WHERE id BETWEEN ? AND ? OR k = ?"
        );
        assert_eq!(names, ["id", "last", "id"]);
    }

    #[test]
    fn quotes_comments_and_casts_hold_no_placeholders() {
        let sql =
            "SELECT ':a''{b}' , \"x{t}\" /* :c {d} */, y::int -- :e {f}\n, 'ü:g' , z := 1, :v";
        let (text, names) = bound(sql, Engine::Postgres);
        assert_eq!(names, ["v"]);
        assert_eq!(
            text,
            "SELECT ':a''{b}' , \"x7\" /* :c {d} */, y::int \n, 'ü:g' , z := 1, $1"
        );
    }

    #[test]
    fn escapes_follow_the_engine() {
        assert_eq!(bound(r"SELECT 'a\':x', :y", Engine::Mysql).1, ["y"]);
        assert_eq!(bound(r"SELECT '\', :y", Engine::Postgres).1, ["y"]);
        let sql = "DO $f$ ':no' :no don't '{}' a{t} $f$ :yes";
        let (text, names) = bound(sql, Engine::Postgres);
        assert_eq!(
            (text.as_str(), names),
            (
                "DO $f$ ':no' :no don't '{}' a7 $f$ $1",
                vec!["yes".to_owned()]
            )
        );
    }

    #[test]
    fn faults_name_file_and_line() {
        let fault = |sql| template(sql, Engine::Postgres).unwrap_err().to_string();
        assert_eq!(
            fault("SELECT 1,\n'open"),
            "f.sql:3: a ' quote is not closed in block `b`"
        );
        assert!(fault("SELECT {").starts_with("f.sql:2: "));
        assert!(fault("-- nothing").starts_with("f.sql:1: block `b` is empty"));
        assert!(blocks("f.sql", "SELECT 1").is_err());
        assert!(blocks("f.sql", "-- name: a\n-- name: a").is_err());
    }

    #[test]
    fn kinds_are_by_the_first_keyword() {
        let kind = |sql| template(sql, Engine::Mysql).unwrap().kind();
        assert_eq!(kind("select 1"), Kind::Read);
        assert_eq!(kind("/* hint */ (SELECT 1)"), Kind::Read);
        assert_eq!(kind("INSERT INTO t VALUES (1)"), Kind::Write);
        assert_eq!(kind("SET x = 1"), Kind::Other);
    }
}
