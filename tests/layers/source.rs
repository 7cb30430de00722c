//! Rust text as tokens, without comments, the insides of quotes, and test code:
//! enough to see what a file names.

/// A name, a number, `::`, or one sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// From 1.
    pub line: usize,
}

/// All tokens but those of items behind `#[cfg(test)]`.
pub fn tokens(text: &str) -> Vec<Token> {
    without_tests(&split(text))
}

/// The modules that stand behind `crate::`, with their lines; also what a
/// `super::` reaches outside the file's own module.
pub fn imports(tokens: &[Token], in_folder: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.text == text);
    for index in 0..tokens.len() {
        let to_root = if is(index, "crate") && is(index + 1, "::") {
            Some(index + 2)
        } else if is(index, "super") && is(index + 1, "::") && !is(index.wrapping_sub(1), "::") {
            match (in_folder, is(index + 2, "super")) {
                (true, true) => Some(index + 4),
                (true, false) => None,
                (false, _) => Some(index + 2),
            }
        } else {
            None
        };
        if let Some(root) = to_root {
            found.extend(heads(tokens, root));
        }
    }
    found
}

/// `a` of `a::b`, or `a` and `c` of `{a::b, c::{d, e}}`.
fn heads(tokens: &[Token], from: usize) -> Vec<(usize, String)> {
    let head = |token: &Token| (token.line, token.text.clone());
    match tokens.get(from) {
        Some(token) if token.text == "{" => {
            let mut depth = 0_usize;
            let mut found = Vec::new();
            for (index, token) in tokens.iter().enumerate().skip(from) {
                match token.text.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {
                        let before = tokens[index - 1].text.as_str();
                        if depth == 1 && (before == "{" || before == ",") {
                            found.push(head(token));
                        }
                    }
                }
                if depth == 0 {
                    break;
                }
            }
            found
        }
        Some(token) => vec![head(token)],
        None => Vec::new(),
    }
}

/// Drops each item that an attribute `#[cfg(test)]` stands before.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let here = tokens[at..].iter().map(|token| token.text.as_str());
        if here.take(ATTRIBUTE.len()).eq(ATTRIBUTE) {
            at = item_end(tokens, at + ATTRIBUTE.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// Behind the `;` or the closing brace of the item that begins at `from`.
fn item_end(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    let is_use = tokens.get(from).is_some_and(|token| token.text == "use");
    for (index, token) in tokens.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_use {
                    return index + 1;
                }
            }
            ";" if depth == 0 => return index + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn split(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if c == '"' || rest.starts_with("b\"") {
            quoted(rest)
        } else if let Some(length) = raw_quoted(rest) {
            length
        } else if c == '\'' {
            char_or_lifetime(rest)
        } else {
            let length = if is_name(c) {
                rest.find(|c| !is_name(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                c.len_utf8()
            };
            if !c.is_whitespace() {
                tokens.push(Token {
                    text: rest[..length].to_owned(),
                    line,
                });
            }
            length
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    for (index, _) in text.char_indices() {
        if text[index..].starts_with("/*") {
            depth += 1;
        } else if text[index..].starts_with("*/") {
            depth -= 1;
            if depth == 0 {
                return index + 2;
            }
        }
    }
    text.len()
}

fn quoted(text: &str) -> usize {
    let open = text.find('"').unwrap_or(0);
    let mut chars = text.char_indices().skip(open + 1);
    while let Some((index, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// `r"..."`, `r#"..."#`, `br"..."`.
fn raw_quoted(text: &str) -> Option<usize> {
    let body = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = body.bytes().take_while(|&b| b == b'#').count();
    let inside = body[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = inside.find(&close)? + close.len();
    Some(text.len() - inside.len() + end)
}

/// `'a'` and `'\n'` whole; of `'a` in `&'a str` the tick alone.
fn char_or_lifetime(text: &str) -> usize {
    let inside = &text[1..];
    if inside.starts_with('\\') {
        return inside[2..].find('\'').map_or(text.len(), |end| end + 4);
    }
    let first = inside.chars().next().map_or(0, char::len_utf8);
    if inside[first..].starts_with('\'') {
        first + 2
    } else {
        1
    }
}
