//! What kind of server answers at a port, where its own protocol would not say:
//! a client of MySQL waits for PostgreSQL to speak, and sqlx takes MySQL's
//! greeting for a message of PostgreSQL's, and panics.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connect_failure::Place;

/// PostgreSQL's request for TLS, which it answers by one letter.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
const PATIENCE: Duration = Duration::from_secs(3);

/// Servers that have given a session: they are not asked again. MySQL counts
/// connections that come to nothing, and shuts their host out.
static KNOWN: Mutex<BTreeSet<(&'static str, String)>> = Mutex::new(BTreeSet::new());

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    Other,
    /// It says nothing, or cannot be reached.
    Unknown,
}

/// Asks on a connection of its own.
pub(crate) async fn ask(host: &str, port: u16) -> Kind {
    let answer = async {
        let mut stream = TcpStream::connect((host, port)).await?;
        stream.write_all(&SSL_REQUEST).await?;
        stream.read_u8().await
    };
    match timeout(PATIENCE, answer).await {
        Ok(Ok(b'S' | b'N')) => Kind::Postgres,
        Ok(Ok(_)) => Kind::Other,
        Ok(Err(_)) | Err(_) => Kind::Unknown,
    }
}

/// Whether a server of this family has given a session there.
pub(crate) fn is_known(place: &Place<'_>) -> bool {
    with_known(|known| known.contains(&(place.product, place.server.clone())))
}

pub(crate) fn remember(place: &Place<'_>) {
    with_known(|known| known.insert((place.product, place.server.clone())));
}

fn with_known<T>(work: impl FnOnce(&mut BTreeSet<(&'static str, String)>) -> T) -> T {
    // The set is whole at every step, so a panic elsewhere does not spoil it.
    work(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::super::tls_failure;
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    async fn kind_of(says: &'static [u8]) -> Kind {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(says).unwrap();
            let _ = stream.read(&mut [0; 8]);
        });
        let kind = ask("127.0.0.1", port).await;
        server.join().unwrap();
        kind
    }

    #[tokio::test]
    async fn the_first_byte_tells() {
        assert_eq!(kind_of(b"N").await, Kind::Postgres);
        assert_eq!(kind_of(b"\x4a\0\0\0\x0a9.7.0").await, Kind::Other);
        assert_eq!(kind_of(b"").await, Kind::Unknown);
    }

    #[test]
    fn servers_are_remembered() {
        let place = |product| Place {
            product,
            server: "h:1".to_owned(),
            user: "u",
            database: "d",
            words: tls_failure::MYSQL,
        };
        remember(&place("MySQL"));
        remember(&place("MySQL"));
        assert!(is_known(&place("MySQL")));
        assert!(!is_known(&place("PostgreSQL")), "of this family");
    }
}
