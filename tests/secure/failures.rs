//! What stands in the way of a session, in one sentence with what to do.

use std::time::{Duration, Instant};

use tiermark::db::session::{Class, DbError, Session, Target};
use url::Url;

use crate::server::{Server, variable};
use crate::{cli, fake};

const SECRET: &str = "s3cret";
/// Connecting to another kind of server may take until it has been silent for
/// some seconds; the time for connecting is 30 s.
const SOON: Duration = Duration::from_secs(25);

fn address(server: &Server, port: u16, options: &str) -> Url {
    let scheme = server.admin.scheme();
    let url = format!("{scheme}://u:{SECRET}@127.0.0.1:{port}/d?{options}");
    Url::parse(&url).unwrap()
}

/// A sentence that begins small, says no password, and contains `parts`.
fn is_sentence(text: &str, parts: &[&str]) {
    assert!(!text.contains(SECRET), "{text}");
    assert!(!text.contains('\n'), "{text}");
    let first = text.chars().next().unwrap();
    assert!(!first.is_uppercase(), "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

async fn error_of<S: Session>(url: &Url) -> DbError {
    let target = Target::parse(url.as_str()).unwrap();
    let error = S::open(&target, &[]).await.err().unwrap();
    eprintln!("{error}");
    error
}

pub async fn a_certificate_that_is_not_accepted_is_explained<S: Session>(server: &Server) {
    let (require, any_name) = if server.is_postgres() {
        ("sslmode=require", "sslmode=verify-ca")
    } else {
        ("ssl-mode=REQUIRED", "ssl-mode=VERIFY_CA")
    };
    for (name, parts) in [
        ("expired", ["has expired", require]),
        ("wrong-name", ["other.example", any_name]),
        ("stranger", ["authority that is not known", require]),
    ] {
        let certificate = server.cert(&format!("{name}.pem"));
        let key = server.cert(&format!("{name}.key"));
        let port = if server.is_postgres() {
            fake::postgres_with(&certificate, &key)
        } else {
            fake::mysql_with(&certificate, &key)
        };
        let tls = server.tls("verify-full", &server.cert("ca.pem"));
        let error = error_of::<S>(&address(server, port, &tls)).await;
        assert_eq!((error.class, &*error.code), (Class::Other, "tls"));
        let place = format!("127.0.0.1:{port}");
        is_sentence(&error.message, &[parts[0], parts[1], &place]);
    }
    // And on the server itself, whose authority nobody knows.
    let mut url = server.admin.clone();
    let tls = server.tls("verify-ca", "");
    url.set_query(tls.split('&').next());
    let error = error_of::<S>(&url).await;
    is_sentence(&error.message, &["authority that is not known"]);
    url.set_query(Some(&server.tls("verify-ca", "/no/such/ca.pem")));
    let error = error_of::<S>(&url).await;
    is_sentence(&error.message, &["/no/such/ca.pem", "cannot be read"]);
}

pub async fn a_server_without_tls_is_said<S: Session>(server: &Server) {
    let port = if server.is_postgres() {
        fake::postgres_without_tls()
    } else {
        fake::mysql_without_tls()
    };
    let tls = server.tls("require", &server.cert("ca.pem"));
    let error = error_of::<S>(&address(server, port, &tls)).await;
    assert_eq!((error.class, &*error.code), (Class::Other, "tls"));
    is_sentence(&error.message, &["offers no TLS", "ssl"]);
}

pub async fn another_kind_of_server_is_said<S: Session>(server: &Server) {
    let others: &[&str] = if server.is_postgres() {
        &["MARIADB", "MYSQL"]
    } else {
        &["POSTGRES"]
    };
    for other in others {
        let Some(other) = variable(&format!("TIERMARK_TEST_{other}_ADMIN")) else {
            continue;
        };
        let port = Url::parse(&other).unwrap().port().unwrap();
        for mode in ["disable", "require"] {
            let tls = server.tls(mode, &server.cert("ca.pem"));
            let start = Instant::now();
            let error = error_of::<S>(&address(server, port, &tls)).await;
            assert!(start.elapsed() < SOON);
            assert_eq!(error.class, Class::Other, "{error}");
            is_sentence(&error.message, &["what answers at", "is not", "://"]);
        }
    }
}

/// By the program: the sentence is its only line, and the status is 3.
pub async fn refusals_are_one_sentence_and_status_3<S: Session>(server: &Server) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = address(server, free.local_addr().unwrap().port(), "");
    drop(free);
    let mut wrong_password = server.admin.clone();
    wrong_password.set_password(Some(SECRET)).unwrap();
    let mut nobody = wrong_password.clone();
    nobody.set_username("nobody_of_that_name").unwrap();
    let mut nowhere = server.admin.clone();
    nowhere.set_path("no%20such%22%60db");
    let create = if server.is_postgres() {
        "CREATE DATABASE \"no such\"\"`db\";"
    } else {
        "CREATE DATABASE `no such\"``db`;"
    };
    let mut mistyped = server.admin.clone();
    mistyped.set_query(Some("ssl_mode=REQUIRED"));
    let certificate = (server.cert("expired.pem"), server.cert("expired.key"));
    let expired = if server.is_postgres() {
        fake::postgres_with(&certificate.0, &certificate.1)
    } else {
        fake::mysql_with(&certificate.0, &certificate.1)
    };
    let tls = server.tls("verify-full", &server.cert("ca.pem"));
    let expired = address(server, expired, &tls);
    let folder = tempfile::tempdir().unwrap();
    for (url, part) in [
        (&refused, "connection refused"),
        (&wrong_password, "check user, password and grants"),
        (&nobody, "refuses user `nobody_of_that_name`"),
        (&nowhere, create),
        (&mistyped, "`ssl_mode`"),
        (&expired, "has expired"),
    ] {
        let run = ["run", "oltp_read_write", "--quiet"];
        let ran = cli::tiermark(url.as_str(), folder.path(), &run);
        let text = cli::text(&ran);
        assert_eq!(ran.status.code(), Some(3), "{text}");
        let sentence = text.trim().strip_prefix("tiermark: ").unwrap();
        is_sentence(&sentence.to_lowercase(), &[&part.to_lowercase()]);
        is_sentence(sentence, &[]);
        assert!(!sentence.contains(server.admin.password().unwrap()));
    }
    // The test's own way in is one of the administrator.
    let _: S = server.session().await;
}
