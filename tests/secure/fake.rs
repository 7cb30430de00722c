//! Servers that say what a healthy one does not: each a thread that treats every
//! connection alike, to the end of the test process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

const PROTOCOL_41: u32 = 0x200;
const SSL: u32 = 0x800;
const OTHERS: u32 = 0x8_8008; // database, long authentication data, plugins

/// Starts a server; its port.
fn serve(treat: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A client that has gone in the middle is what is being tested.
            let _ = stream.and_then(|mut stream| treat(&mut stream));
        }
    });
    port
}

fn tls(certificate: &str, key: &str) -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(certificate).unwrap();
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    Arc::new(config)
}

fn handshake(stream: &mut TcpStream, config: &Arc<ServerConfig>) -> std::io::Result<()> {
    let mut connection = ServerConnection::new(config.clone()).unwrap();
    while connection.is_handshaking() {
        connection.complete_io(stream)?;
    }
    Ok(())
}

/// PostgreSQL that shows a certificate, and hears no more.
pub fn postgres_with(certificate: &str, key: &str) -> u16 {
    let config = tls(certificate, key);
    serve(move |stream| {
        stream.read_exact(&mut [0; 8])?;
        stream.write_all(b"S")?;
        handshake(stream, &config)
    })
}

pub fn postgres_without_tls() -> u16 {
    serve(|stream| {
        stream.read_exact(&mut [0; 8])?;
        stream.write_all(b"N")
    })
}

/// PostgreSQL that ends every session at its start with an error.
pub fn postgres_that_says(code: &'static str, message: &'static str) -> u16 {
    serve(move |stream| {
        stream.read_exact(&mut [0; 8])?;
        stream.write_all(b"N")?;
        let _ = stream.read(&mut [0; 1024])?;
        let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
        let length = u32::try_from(fields.len()).unwrap() + 4;
        stream.write_all(b"E")?;
        stream.write_all(&length.to_be_bytes())?;
        stream.write_all(fields.as_bytes())
    })
}

/// MySQL that shows a certificate, and hears no more.
pub fn mysql_with(certificate: &str, key: &str) -> u16 {
    let config = tls(certificate, key);
    serve(move |stream| {
        stream.write_all(&greeting(SSL))?;
        stream.read_exact(&mut [0; 36])?;
        handshake(stream, &config)
    })
}

pub fn mysql_without_tls() -> u16 {
    serve(|stream| {
        stream.write_all(&greeting(0))?;
        let _ = stream.read(&mut [0; 1024])?;
        Ok(())
    })
}

/// MySQL that has no connection left.
pub fn mysql_that_is_full() -> u16 {
    serve(|stream| {
        let mut error = vec![0xff];
        error.extend(1040_u16.to_le_bytes());
        error.extend(b"Too many connections");
        stream.write_all(&packet(0, &error))
    })
}

/// MySQL that wants another way of logging in.
pub fn mysql_that_wants(plugin: &'static str) -> u16 {
    serve(move |stream| {
        stream.write_all(&greeting(0))?;
        let _ = stream.read(&mut [0; 1024])?;
        let switch = [b"\xfe", plugin.as_bytes(), b"\0", &[7; 32], b"\0"].concat();
        stream.write_all(&packet(2, &switch))?;
        let _ = stream.read(&mut [0; 1024])?;
        Ok(())
    })
}

fn greeting(tls: u32) -> Vec<u8> {
    let capabilities = (PROTOCOL_41 | OTHERS | tls).to_le_bytes();
    let payload = [
        b"\x0a9.7.0\0".as_slice(),
        &[1, 0, 0, 0],
        b"12345678\0",
        &capabilities[..2],
        &[45, 2, 0],
        &capabilities[2..],
        &[21],
        &[0; 10],
        b"123456789012\0",
        b"caching_sha2_password\0",
    ];
    packet(0, &payload.concat())
}

fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], payload].concat()
}
