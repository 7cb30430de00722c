//! Switches Nagle's algorithm off on the sockets of this process.
//!
//! sqlx 0.9.0 leaves it on, and gives no way to its sockets: over TLS every
//! statement with some ten kilobytes of arguments, and every connect, then
//! waits 40 ms for an acknowledgement. To be removed with the sqlx that sets it.

use std::io;

use rustix::net::sockopt::set_tcp_nodelay;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// To be called after connecting, and again after every reconnect: it treats
/// the sockets that are open now. Returns how many were TCP sockets.
///
/// # Errors
/// Where the system refuses a process copies of its own descriptors, as some
/// container profiles do. Sessions work, but over TLS they are slow: warn.
pub fn switch_on() -> io::Result<usize> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    let mut switched = 0;
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        // A descriptor that another thread has closed meanwhile has no link.
        let Ok(link) = std::fs::read_link(entry.path()) else {
            continue;
        };
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let Some(number) = number else { continue };
        if !link.as_os_str().as_encoded_bytes().starts_with(b"socket:") {
            continue;
        }
        let copy = match pidfd_getfd(&own, number, PidfdGetfdFlags::empty()) {
            Ok(copy) => copy,
            Err(rustix::io::Errno::BADF) => continue,
            Err(error) => return Err(error.into()),
        };
        // Sockets that are not TCP refuse the option, and need it not.
        if set_tcp_nodelay(&copy, true).is_ok() {
            switched += 1;
        }
    }
    Ok(switched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn open_sockets_are_switched() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(!stream.nodelay().unwrap());
        match switch_on() {
            Ok(switched) => {
                assert!(switched >= 1);
                assert!(stream.nodelay().unwrap());
            }
            Err(error) => eprintln!("SKIPPED: descriptors cannot be copied here: {error}"),
        }
    }
}
