//! The `[client]` group of `~/.my.cnf`, as MySQL's own programs read it: the
//! place for a password that is in no process list.
//!
//! Other groups and files, and what a file includes, are not read. A file that
//! others may read is used all the same, as those programs do; the session says
//! so in its notes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Client {
    pub user: Option<String>,
    pub password: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
    pub socket: Option<String>,
    pub readable_by_others: bool,
}

/// What the file says; nothing where there is none.
pub(crate) fn read() -> Client {
    let file = std::env::home_dir().map(|home| home.join(".my.cnf"));
    file.and_then(|file| read_from(&file)).unwrap_or_default()
}

fn read_from(file: &Path) -> Option<Client> {
    let text = std::fs::read_to_string(file).ok()?;
    let mode = std::fs::metadata(file).ok()?.permissions().mode();
    Some(Client {
        readable_by_others: mode & 0o044 != 0,
        ..parse(&text)
    })
}

fn parse(text: &str) -> Client {
    let mut client = Client::default();
    let mut ours = false;
    for line in text.lines() {
        let line = without_comment(line).trim();
        if let Some(group) = line.strip_prefix('[') {
            ours = group.split(']').next().map(str::trim) == Some("client");
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| ours) else {
            continue;
        };
        let value = unquoted(value.trim());
        match key.trim() {
            "user" => client.user = Some(value),
            "password" => client.password = Some(value),
            "host" => client.host = Some(value),
            "port" => client.port = value.parse().ok(),
            "socket" => client.socket = Some(value),
            _ => {}
        }
    }
    client
}

/// `#` ends a line anywhere outside quotes, `;` and `!include` only begin one.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with([';', '!']) {
        return "";
    }
    let mut quote = None;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        match (letter, quote) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            ('#', None) => return &line[..at],
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    line
}

/// A value without the quotes around it and with its escapes resolved.
fn unquoted(value: &str) -> String {
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let inner = value.strip_prefix(quote)?;
        inner.strip_suffix(quote)
    });
    let mut letters = inner.unwrap_or(value).chars();
    let mut out = String::new();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('s') => out.push(' '),
            Some(quoted @ ('"' | '\'' | '\\')) => out.push(quoted),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_group_is_read_and_no_other() {
        let client = parse(
            "user=nobody\n[mysqld]\nuser=mysql\nport=1\n\n[client]\n# a comment\n; another\n\
             !include /etc/other.cnf\nuser = ann # who\npassword=\"a#b \\\"c\\\" d\"\n\
             host=db7\nport = 3307\nsocket='/run/my sql/s'\n[mysql]\npassword=other\n",
        );
        assert_eq!(client.user.as_deref(), Some("ann"));
        assert_eq!(client.password.as_deref(), Some("a#b \"c\" d"));
        assert_eq!(client.host.as_deref(), Some("db7"));
        assert_eq!(client.port, Some(3307));
        assert_eq!(client.socket.as_deref(), Some("/run/my sql/s"));
    }

    #[test]
    fn values_are_as_mysql_reads_them() {
        let password = |line: &str| parse(&format!("[client]\n{line}")).password;
        for (line, value) in [
            ("password=plain", "plain"),
            ("password = 'it''s'", "it''s"),
            ("password=a\\sb\\\\c\\x", "a b\\c\\x"),
            ("password=cut#off", "cut"),
            ("password=", ""),
            ("password='", "'"),
            ("  password  =  x=y  ", "x=y"),
        ] {
            assert_eq!(password(line).as_deref(), Some(value), "{line}");
        }
        assert_eq!(password("password"), None);
        assert_eq!(password("[client-mariadb]\npassword=x"), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.cnf");
        assert!(read_from(&file).is_none());
        std::fs::write(&file, "[client]\nuser=u\n").unwrap();
        for (mode, open) in [(0o600, false), (0o640, true), (0o604, true)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file, permissions).unwrap();
            let client = read_from(&file).unwrap();
            assert_eq!(client.readable_by_others, open, "{mode:o}");
            assert_eq!(client.user.as_deref(), Some("u"));
        }
    }
}
