//! Databases, users and passwords of any characters, percent-encoded in a URL.

use std::fmt::Write;

use tiermark::db::session::Session;

use crate::cli;
use crate::server::{Server, literal};

const DATABASE: &str = "odd \"db'`\" 50% a@b/c:d? ünï";
const USER: &str = "o'dd \"u`\" 5% a@b/c:d ü";
const PASSWORD: &str = "p '\"` 5% a@b/c:d?#[]&= pässwörd";

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        write!(out, "%{byte:02X}").unwrap();
    }
    out
}

pub async fn odd_names_load_and_run<S: Session>(server: &Server) {
    let how = if server.is_postgres() {
        format!("PASSWORD {}", literal(PASSWORD))
    } else {
        format!("IDENTIFIED BY {}", literal(PASSWORD))
    };
    server.database::<S>(DATABASE).await;
    server.user::<S>(USER, &how, DATABASE).await;
    let (host, port) = (
        server.admin.host_str().unwrap(),
        server.admin.port().unwrap(),
    );
    let url = format!(
        "{}://{}:{}@{host}:{port}/{}",
        server.admin.scheme(),
        encoded(USER),
        encoded(PASSWORD),
        encoded(DATABASE)
    );
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a folder with blanks");
    std::fs::create_dir(&folder).unwrap();
    for protocol in ["prepared", "simple"] {
        let prepare = [
            "prepare",
            "oltp_read_write",
            "--recreate",
            "--protocol",
            protocol,
            "--set",
            "tables=2",
            "--set",
            "rows=200",
        ];
        let prepared = cli::tiermark(&url, &folder, &prepare);
        assert!(prepared.status.success(), "{}", cli::text(&prepared));
        let run = [
            "run",
            "oltp_read_write",
            "-c",
            "2",
            "--transactions",
            "40",
            "--protocol",
            protocol,
            "--out",
            "results of odd names",
        ];
        let ran = cli::tiermark(&url, &folder, &run);
        assert_eq!(ran.status.code(), Some(0), "{}", cli::text(&ran));
        let manifest = cli::manifest(&ran, &folder);
        let manifest: toml::Table = manifest.parse().unwrap();
        let target = &manifest["target"];
        assert_eq!(target["user"].as_str(), Some(USER));
        assert_eq!(target["database"].as_str(), Some(DATABASE));
        for shown in [cli::text(&ran), cli::text(&prepared), manifest.to_string()] {
            assert!(!shown.contains(PASSWORD) && !shown.contains(&encoded(PASSWORD)));
            assert!(!shown.contains("pässwörd"));
        }
    }
    server.drop::<S>(DATABASE, USER).await;
}
