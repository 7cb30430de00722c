//! Which index a DDL text makes: its name, where the text gives one.

/// The identifier behind the word INDEX, without its quotes: `k_1` of
/// `CREATE INDEX k_1 ON sbtest1 (k)`. None where the server makes up a name.
pub fn name(ddl: &str) -> Option<String> {
    let mut words = Words(ddl).skip_while(|word| !is(word, "INDEX")).skip(1);
    let mut word = words.next()?;
    if is(&word, "CONCURRENTLY") {
        word = words.next()?;
    }
    if is(&word, "IF") {
        // NOT EXISTS
        word = words.nth(2)?;
    }
    match word {
        Word::Plain(name) if name.eq_ignore_ascii_case("ON") => None,
        Word::Plain(name) | Word::Quoted(name) => Some(name),
        Word::Other => None,
    }
}

fn is(word: &Word, keyword: &str) -> bool {
    matches!(word, Word::Plain(text) if text.eq_ignore_ascii_case(keyword))
}

enum Word {
    Plain(String),
    Quoted(String),
    /// A sign, such as a bracket.
    Other,
}

/// The words of a text that is left.
struct Words<'a>(&'a str);

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        self.0 = self.0.trim_start();
        let first = self.0.chars().next()?;
        if matches!(first, '"' | '`') {
            return Some(Word::Quoted(self.quoted(first)));
        }
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let end = self.0.find(|c: char| !is_inside(c)).unwrap_or(self.0.len());
        if end == 0 {
            self.0 = &self.0[first.len_utf8()..];
            return Some(Word::Other);
        }
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(Word::Plain(word.to_owned()))
    }
}

impl Words<'_> {
    /// Up to the closing quote; a doubled one stands for itself.
    fn quoted(&mut self, quote: char) -> String {
        let mut name = String::new();
        let mut rest = self.0.char_indices().skip(1).peekable();
        let mut end = self.0.len();
        while let Some((at, c)) = rest.next() {
            if c != quote {
                name.push(c);
            } else if rest.next_if(|(_, next)| *next == quote).is_some() {
                name.push(quote);
            } else {
                end = at + quote.len_utf8();
                break;
            }
        }
        self.0 = &self.0[end..];
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_behind_the_word_index() {
        for (ddl, wanted) in [
            ("CREATE INDEX k_1 ON sbtest1 (k)", Some("k_1")),
            ("create unique\n index\tK_1 on t(k)", Some("K_1")),
            ("CREATE INDEX IF NOT EXISTS k ON t (k)", Some("k")),
            (
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS k ON t (k)",
                Some("k"),
            ),
            ("CREATE INDEX \"a \"\"b\" ON t (k)", Some("a \"b")),
            ("CREATE INDEX `index` ON t (k)", Some("index")),
            ("ALTER TABLE t ADD INDEX `k`(k)", Some("k")),
            ("ALTER TABLE \"index\" ADD INDEX k(k)", Some("k")),
            ("CREATE INDEX ON t (k)", None),
            ("ALTER TABLE t ADD INDEX (k)", None),
            ("ALTER TABLE t ADD PRIMARY KEY (id)", None),
            ("CREATE INDEX", None),
        ] {
            assert_eq!(name(ddl).as_deref(), wanted, "{ddl}");
        }
    }
}
