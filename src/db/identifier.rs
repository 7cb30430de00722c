//! Names of tables and columns, quoted as an engine wants them. Knows no driver.

use crate::value::Engine;

/// What stands around a quoted name.
pub fn quote(engine: Engine) -> char {
    match engine {
        Engine::Mysql | Engine::Mariadb => '`',
        Engine::Postgres | Engine::Sqlite | Engine::Null => '"',
    }
}

pub fn quoted(name: &str, quote: char) -> String {
    let twice: String = [quote, quote].iter().collect();
    format!("{quote}{}{quote}", name.replace(quote, &twice))
}

pub fn quoted_list(names: &[String], quote: char) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name, quote)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_within_a_name_is_doubled() {
        assert_eq!(quoted("a\"b", quote(Engine::Postgres)), "\"a\"\"b\"");
        let names = ["id".to_owned(), "or`der".to_owned()];
        assert_eq!(quoted_list(&names, quote(Engine::Mysql)), "`id`, `or``der`");
    }
}
