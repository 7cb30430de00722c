//! Limits that a run would hit with its clock running: told before it, with
//! what is needed, what is allowed, and what raises it.

use anyhow::{Result, anyhow};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::commands::exit::server;
use crate::units::grouped;
use crate::value::{Engine, ServerFacts};

/// Files of this process beside its connections: results, libraries, terminal.
const OTHER_FILES: u64 = 64;
/// A SQLite connection opens the database, its WAL and its shared memory.
const FILES_OF_SQLITE: u64 = 3;

/// Raises the number of files that may be open to the most that is allowed, and
/// refuses more clients than that.
pub fn open_files(engine: Engine, clients: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        };
        // Refused only where someone lowered the hard limit just now.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    let each = match engine {
        Engine::Sqlite => FILES_OF_SQLITE,
        Engine::Null => 0,
        Engine::Postgres | Engine::Mysql | Engine::Mariadb => 1,
    };
    let needed = clients.saturating_mul(each).saturating_add(OTHER_FILES);
    match limit.maximum {
        Some(allowed) if needed > allowed => Err(server(anyhow!(
            "{} clients need {} open files, but this process may open {}; raise it with ulimit -n {needed}",
            grouped(clients),
            grouped(needed),
            grouped(allowed)
        ))),
        _ => Ok(()),
    }
}

/// Refuses what the server will not allow: connections and prepared statements.
/// `clients` is the number of clients of this server.
pub fn of_server(facts: &ServerFacts, clients: u64, statements: u64) -> Result<()> {
    let setting = |name: &str| {
        let found = facts.settings.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.parse::<u64>().ok())
    };
    // One more to cancel with.
    let needed = clients.saturating_add(1);
    if let Some(allowed) = setting("max_connections")
        && needed > allowed
    {
        let how = match facts.engine {
            Some(Engine::Postgres) => {
                format!("ALTER SYSTEM SET max_connections = {needed}, and restart the server")
            }
            _ => format!("SET GLOBAL max_connections = {needed}"),
        };
        return Err(server(anyhow!(
            "{} clients and 1 control connection need {} connections, but max_connections is {}; raise it with {how}",
            grouped(clients),
            grouped(needed),
            grouped(allowed)
        )));
    }
    let prepared = clients.saturating_mul(statements);
    if let Some(allowed) = setting("max_prepared_stmt_count")
        && prepared > allowed
    {
        return Err(server(anyhow!(
            "{} clients x {} statements need {} prepared statements, but max_prepared_stmt_count is {}; raise it with SET GLOBAL max_prepared_stmt_count = {prepared}",
            grouped(clients),
            grouped(statements),
            grouped(prepared),
            grouped(allowed)
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(clients: u64, statements: u64) -> Option<String> {
        let facts = ServerFacts {
            engine: Some(Engine::Mysql),
            settings: vec![
                ("max_connections".to_owned(), "151".to_owned()),
                ("max_prepared_stmt_count".to_owned(), "16382".to_owned()),
            ],
            ..ServerFacts::default()
        };
        of_server(&facts, clients, statements)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn limits_are_told_with_their_arithmetic() {
        assert_eq!(refusal(150, 109), None);
        let connections = refusal(151, 1).unwrap();
        assert!(
            connections.contains("need 152 connections, but max_connections is 151"),
            "{connections}"
        );
        let statements = refusal(128, 130).unwrap();
        assert!(
            statements.contains("128 clients x 130 statements need 16,640"),
            "{statements}"
        );
        assert!(
            statements.ends_with("SET GLOBAL max_prepared_stmt_count = 16640"),
            "{statements}"
        );
    }
}
