//! A statement's SQL cut into pieces around its placeholders, once a session,
//! so that values can be put between them. Knows quotes and comments, and no
//! more of SQL.

/// How a statement names its parameters, and what ends its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `$1`, `$2`; nested comments, dollar quotes, backslashes in `E''` only.
    Postgres,
    /// `?` each; `#` comments, and backslashes unless the server takes them as
    /// they are.
    Mysql { backslash: bool },
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Texts, each with the parameter that follows it.
    pub pieces: Box<[(&'static str, u16)]>,
    pub tail: &'static str,
    /// How many values it takes; a parameter may stand in several places.
    pub params: usize,
}

pub(crate) fn cut(sql: &'static str, syntax: Syntax) -> Cut {
    let bytes = sql.as_bytes();
    let mut pieces = Vec::new();
    let mut params = 0;
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if let Some((param, end)) = placeholder(bytes, at, syntax, params) {
            pieces.push((&sql[from..at], param));
            params = params.max(usize::from(param) + 1);
            from = end;
            at = end;
        } else {
            at = step(bytes, at, syntax);
        }
    }
    Cut {
        pieces: pieces.into(),
        tail: &sql[from..],
        params,
    }
}

/// The parameter at `at`, counted from 0, and where it ends.
fn placeholder(sql: &[u8], at: usize, syntax: Syntax, next: usize) -> Option<(u16, usize)> {
    match (syntax, sql[at]) {
        (Syntax::Mysql { .. }, b'?') => Some((u16::try_from(next).ok()?, at + 1)),
        (Syntax::Postgres, b'$') if !after_word(sql, at) => {
            let digits = sql[at + 1..].iter().take_while(|b| b.is_ascii_digit());
            let end = at + 1 + digits.count();
            let number = std::str::from_utf8(&sql[at + 1..end]).ok()?;
            Some((number.parse::<u16>().ok()?.checked_sub(1)?, end))
        }
        _ => None,
    }
}

/// The end of what begins at `at`: a quote, a comment, or one byte.
fn step(sql: &[u8], at: usize, syntax: Syntax) -> usize {
    let rest = &sql[at..];
    let postgres = syntax == Syntax::Postgres;
    let backslash = syntax == Syntax::Mysql { backslash: true };
    match rest[0] {
        b'\'' => quote_end(
            sql,
            at,
            backslash || (postgres && is_escape_string(sql, at)),
        ),
        b'"' => quote_end(sql, at, backslash),
        b'`' if !postgres => quote_end(sql, at, false),
        b'#' if !postgres => line_end(sql, at),
        b'-' if rest.starts_with(b"--") => {
            let comment = postgres || rest.get(2).is_none_or(u8::is_ascii_whitespace);
            if comment { line_end(sql, at) } else { at + 1 }
        }
        // MySQL runs what stands in such comments.
        b'/' if !postgres && (rest.starts_with(b"/*!") || rest.starts_with(b"/*M!")) => at + 1,
        b'/' if rest.starts_with(b"/*") => comment_end(sql, at, postgres),
        b'$' if postgres && !after_word(sql, at) => dollar_quote_end(sql, at),
        _ => at + 1,
    }
}

fn after_word(sql: &[u8], at: usize) -> bool {
    at > 0 && is_word(sql[at - 1])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// `E'..'`, whose `E` is not the end of a word.
fn is_escape_string(sql: &[u8], at: usize) -> bool {
    at > 0 && matches!(sql[at - 1], b'e' | b'E') && !after_word(sql, at - 1)
}

/// A doubled quote ends one quote and begins the next: the same place.
fn quote_end(sql: &[u8], at: usize, backslash: bool) -> usize {
    let mut end = at + 1;
    while end < sql.len() {
        match sql[end] {
            b'\\' if backslash => end += 1,
            byte if byte == sql[at] => return end + 1,
            _ => {}
        }
        end += 1;
    }
    sql.len()
}

fn line_end(sql: &[u8], at: usize) -> usize {
    let length = sql[at..].iter().position(|&byte| byte == b'\n');
    length.map_or(sql.len(), |length| at + length)
}

fn comment_end(sql: &[u8], at: usize, nested: bool) -> usize {
    let mut depth = 1;
    let mut end = at + 2;
    while end < sql.len() {
        if sql[end..].starts_with(b"*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else if nested && sql[end..].starts_with(b"/*") {
            depth += 1;
            end += 2;
        } else {
            end += 1;
        }
    }
    sql.len()
}

/// `$tag$ .. $tag$`; one byte where it is none.
fn dollar_quote_end(sql: &[u8], at: usize) -> usize {
    let word = |&&byte: &&u8| byte != b'$' && is_word(byte);
    let mark_end = at + 1 + sql[at + 1..].iter().take_while(word).count();
    if sql.get(mark_end) != Some(&b'$') {
        return at + 1;
    }
    let mark = &sql[at..=mark_end];
    let body = mark_end + 1;
    let length = sql[body..]
        .windows(mark.len())
        .position(|part| part == mark);
    length.map_or(sql.len(), |length| body + length + mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement with `<n>` for its parameters.
    fn shown(sql: &'static str, syntax: Syntax) -> String {
        let cut = cut(sql, syntax);
        let mut text = String::new();
        for (piece, param) in &cut.pieces {
            text.push_str(&[piece, "<", &param.to_string(), ">"].concat());
        }
        text + cut.tail
    }

    #[test]
    fn postgres_parameters_may_come_again_and_in_any_order() {
        let cut = cut("SELECT $2, $1 WHERE a=$2", Syntax::Postgres);
        assert_eq!(&*cut.pieces, [("SELECT ", 1), (", ", 0), (" WHERE a=", 1)]);
        assert_eq!((cut.tail, cut.params), ("", 2));
    }

    #[test]
    fn quotes_and_comments_of_postgres_stay_whole() {
        for sql in [
            "SELECT '$1''$1', \"$1\"",
            r"SELECT E'it\'s $1', 'a\'",
            "SELECT 1 -- $1",
            "/* $1 /* $1 */ $1 */ SELECT 1",
            "SELECT $$ $1 $$, $a$ $1 $$ $1 $a$, x$1",
            "SELECT 'never closed $1",
        ] {
            assert_eq!(shown(sql, Syntax::Postgres), sql);
        }
        assert_eq!(
            shown(r"SELECT 'a\', $1 -- '$1'", Syntax::Postgres),
            r"SELECT 'a\', <0> -- '$1'"
        );
    }

    #[test]
    fn quotes_and_comments_of_mysql_stay_whole() {
        let escaping = Syntax::Mysql { backslash: true };
        for sql in [
            r"SELECT '?\'?', `?`",
            "SELECT 1 -- ?\n",
            "# ?",
            "/* ? */",
            "SELECT \"?\"",
        ] {
            assert_eq!(shown(sql, escaping), sql);
        }
        assert_eq!(
            shown("SELECT ?--?, 'ü?', ?", escaping),
            "SELECT <0>--<1>, 'ü?', <2>"
        );
        assert_eq!(shown("/*!40101 ? */ ?", escaping), "/*!40101 <0> */ <1>");
        let plain = Syntax::Mysql { backslash: false };
        assert_eq!(shown(r"SELECT 'a\', ?", plain), r"SELECT 'a\', <0>");
    }
}
