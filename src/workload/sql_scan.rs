//! Cuts the text of an SQL block at its placeholders, with the quoting rules of
//! an engine. What the parts are bound to is the business of `sql` and the plan.

use crate::value::Engine;
use crate::workload::error::SpecError;
use crate::workload::sql::{Block, Part, Template, is_name_byte};

/// Walks a block once, byte by byte. Every place it cuts at is ASCII, so the
/// pieces are whole UTF-8.
pub(super) struct Scanner<'a> {
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
    pub fn new(block: &'a Block, engine: Engine) -> Scanner<'a> {
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

    pub fn scan(mut self) -> Result<Template, SpecError> {
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
                b'$' if self.dollar_quotes => self.dollar_quoted(rest)?,
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

    /// The body of a procedure stands in such quotes: table numbers count there,
    /// and nothing else is looked at.
    fn dollar_quoted(&mut self, rest: &str) -> Result<(), SpecError> {
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
        let end = self.at + length + 2 * mark.len();
        while let Some(length) = self.text[self.at..end].find('{') {
            self.at += length;
            let rest = &self.text[self.at..end];
            if number_length(rest).is_some() {
                self.number(rest)?;
            } else {
                self.at += 1;
            }
        }
        self.at = end;
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
        let length = number_length(rest)
            .ok_or_else(|| self.fault("a `{` opens no table number; write `{t}`"))?;
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

/// The length of the name in `{name}`, with which `rest` begins if it is one.
fn number_length(rest: &str) -> Option<usize> {
    let length = rest[1..].bytes().take_while(|&b| is_name_byte(b)).count();
    (length > 0 && rest[1 + length..].starts_with('}')).then_some(length)
}
