//! SQL files: named blocks with `:name` placeholders and `{t}` table numbers.
//!
//! A block is one statement that a DBA can paste. Here texts are cut into
//! parts, once; what the names are bound to is the plan's business.

use crate::value::{Engine, Kind};
use crate::workload::error::SpecError;

/// One `-- name: x` block of a file.
#[derive(Clone, Debug)]
pub struct Block {
    pub name: String,
    /// The file it came from, for messages.
    pub file: String,
    /// Line of the `-- name:` comment, from 1.
    pub line: usize,
    text: String,
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

fn is_name_byte(byte: u8) -> bool {
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

/// Walks a block once, byte by byte. Every place it cuts at is ASCII, so the
/// pieces are whole UTF-8.
struct Scanner<'a> {
    block: &'a Block,
    text: &'a str,
    at: usize,
    /// Where the piece of plain text that is being read began.
    from: usize,
    parts: Vec<Part>,
    backslash_escapes: bool,
    dollar_quotes: bool,
}

impl<'a> Scanner<'a> {
    fn new(block: &'a Block, engine: Engine) -> Scanner<'a> {
        Scanner {
            block,
            text: &block.text,
            at: 0,
            from: 0,
            parts: Vec::new(),
            backslash_escapes: matches!(engine, Engine::Mysql | Engine::Mariadb),
            dollar_quotes: engine == Engine::Postgres,
        }
    }

    fn scan(mut self) -> Result<Template, SpecError> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            let rest = &self.text[self.at..];
            match byte {
                b'\'' => self.skip_quoted('\'')?,
                b'-' if rest.starts_with("--") => {
                    self.flush();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    self.from = self.at;
                }
                b'/' if rest.starts_with("/*") => {
                    let length = rest[2..]
                        .find("*/")
                        .ok_or_else(|| self.fault("a `/*` comment is not closed"))?;
                    self.at += length + 4;
                }
                b'$' if self.dollar_quotes => self.skip_dollar_quoted(rest)?,
                b':' if rest.starts_with("::") => self.at += 2,
                b':' => self.value(rest),
                b'{' => self.number(rest)?,
                // Also `"` and a backtick: quoted names may hold table numbers.
                _ => self.at += 1,
            }
        }
        self.flush();
        self.finish()
    }

    fn skip_quoted(&mut self, quote: char) -> Result<(), SpecError> {
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((index, c)) = chars.next() {
            if c == '\\' && self.backslash_escapes {
                chars.next();
            } else if c == quote {
                // A doubled quote opens again at once: the same as skipping both.
                self.at += index + 2;
                return Ok(());
            }
        }
        Err(self.fault(&format!("a {quote} quote is not closed")))
    }

    fn skip_dollar_quoted(&mut self, rest: &str) -> Result<(), SpecError> {
        let tag = 1 + rest[1..].bytes().take_while(|&b| is_name_byte(b)).count();
        if !rest[tag..].starts_with('$') || rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.at += 1;
            return Ok(());
        }
        let mark = &rest[..=tag];
        let body = &rest[mark.len()..];
        let length = body
            .find(mark)
            .ok_or_else(|| self.fault(&format!("the {mark} quote is not closed")))?;
        self.at += length + 2 * mark.len();
        Ok(())
    }

    fn value(&mut self, rest: &str) {
        let length = rest[1..].bytes().take_while(|&b| is_name_byte(b)).count();
        let starts_name = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts_name {
            self.at += 1;
            return;
        }
        self.flush();
        self.parts
            .push(Part::Value(rest[1..=length].to_owned(), self.line()));
        self.at += 1 + length;
        self.from = self.at;
    }

    fn number(&mut self, rest: &str) -> Result<(), SpecError> {
        let length = rest[1..].bytes().take_while(|&b| is_name_byte(b)).count();
        if length == 0 || !rest[1 + length..].starts_with('}') {
            return Err(self.fault("a `{` opens no table number; write `{t}`"));
        }
        self.flush();
        self.parts
            .push(Part::Number(rest[1..=length].to_owned(), self.line()));
        self.at += length + 2;
        self.from = self.at;
        Ok(())
    }

    fn flush(&mut self) {
        if self.from < self.at {
            let text = &self.text[self.from..self.at];
            match self.parts.last_mut() {
                Some(Part::Text(last)) => last.push_str(text),
                _ => self.parts.push(Part::Text(text.to_owned())),
            }
        }
        self.from = self.at;
    }

    /// Trims the ends and the closing semicolon.
    fn finish(mut self) -> Result<Template, SpecError> {
        if let Some(Part::Text(first)) = self.parts.first_mut() {
            *first = first.trim_start().to_owned();
        }
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            let trimmed = last.trim_end();
            *last = trimmed
                .strip_suffix(';')
                .unwrap_or(trimmed)
                .trim_end()
                .to_owned();
        }
        self.parts.retain(|part| *part != Part::Text(String::new()));
        if self.parts.is_empty() {
            let message = format!("block `{}` is empty", self.block.name);
            return Err(SpecError::at_line(
                &self.block.file,
                self.block.line,
                message,
            ));
        }
        Ok(Template { parts: self.parts })
    }

    fn line(&self) -> usize {
        self.block.line + self.text[..self.at].matches('\n').count() + 1
    }

    fn fault(&self, message: &str) -> SpecError {
        let message = format!("{message} in block `{}`", self.block.name);
        SpecError::at_line(&self.block.file, self.line(), message)
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
        let (text, names) = bound("DO $f$ ':no' :no $f$ :yes", Engine::Postgres);
        assert_eq!(
            (text.as_str(), names),
            ("DO $f$ ':no' :no $f$ $1", vec!["yes".to_owned()])
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
