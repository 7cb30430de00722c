//! Passwords from files, and servers by their sockets.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tiermark::db::session::{Session, Target};

use crate::cli;
use crate::server::Server;

fn write(file: &Path, text: &str, mode: u32) {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// `cleanup` of a workload that is not there: it logs in, looks, and is done.
fn look(url: &str, home: &Path) -> std::process::Output {
    cli::tiermark(url, home, &["cleanup", "oltp_read_write"])
}

pub async fn a_file_has_the_password<S: Session>(server: &Server) {
    const DATABASE: &str = "bench_passwords";
    server.database::<S>(DATABASE).await;
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let admin = &server.admin;
    let (host, port) = (admin.host_str().unwrap(), admin.port().unwrap());
    let (user, password) = (admin.username(), admin.password().unwrap());
    let scheme = admin.scheme();
    let url = format!("{scheme}://{user}@{host}:{port}/{DATABASE}");
    let without = look(&url, home);
    assert_eq!(without.status.code(), Some(3), "{}", cli::text(&without));

    if server.is_postgres() {
        let line = format!("# comment\n{host}:{port}:*:{user}:{password}\n");
        write(&home.join(".pgpass"), &line, 0o600);
        let with = look(&url, home);
        assert_eq!(with.status.code(), Some(0), "{}", cli::text(&with));
        // Open to others it is not read, and the user is told.
        write(&home.join(".pgpass"), &line, 0o644);
        let open = look(&url, home);
        assert_eq!(open.status.code(), Some(3), "{}", cli::text(&open));
        assert!(
            cli::text(&open).contains("chmod 600"),
            "{}",
            cli::text(&open)
        );
    } else {
        let file =
            format!("[client]\nuser={user}\npassword='{password}'\nport={port}\nhost={host}\n");
        for url in [url.clone(), format!("{scheme}:///{DATABASE}")] {
            write(&home.join(".my.cnf"), &file, 0o600);
            let with = look(&url, home);
            assert_eq!(with.status.code(), Some(0), "{}", cli::text(&with));
        }
        // The URL is stronger than the file.
        let wrong = format!("{scheme}://{user}:s3cret@{host}:{port}/{DATABASE}");
        let wrong = look(&wrong, home);
        assert_eq!(wrong.status.code(), Some(3), "{}", cli::text(&wrong));
        assert!(!cli::text(&wrong).contains("s3cret"));

        let socket = server.variable("SOCKET");
        let file = format!("[client]\nuser={user}\npassword={password}\nsocket={socket}\n");
        write(&home.join(".my.cnf"), &file, 0o644);
        let url = format!("{scheme}:///{DATABASE}");
        let with = look(&url, home);
        assert_eq!(with.status.code(), Some(0), "{}", cli::text(&with));
        note_of_an_open_file(&url, home);
    }
    let mut session: S = server.session().await;
    session
        .raw(&format!("DROP DATABASE {DATABASE}"))
        .await
        .unwrap();
}

/// A password that others can read is used, and the manifest says so.
fn note_of_an_open_file(url: &str, home: &Path) {
    let prepare = [
        "prepare",
        "oltp_read_write",
        "--set",
        "tables=1",
        "--set",
        "rows=100",
    ];
    let prepared = cli::tiermark(url, home, &prepare);
    assert!(prepared.status.success(), "{}", cli::text(&prepared));
    let run = ["run", "oltp_read_write", "--transactions", "10"];
    let ran = cli::tiermark(url, home, &run);
    assert!(ran.status.success(), "{}", cli::text(&ran));
    let manifest = cli::manifest(&ran, home);
    assert!(manifest.contains("chmod 600 ~/.my.cnf"), "{manifest}");
}

pub async fn a_socket_is_reached_by_url<S: Session>(server: &Server) {
    let socket = server.variable("SOCKET");
    let mut url = server.admin.clone();
    if server.is_postgres() {
        let encoded = socket.replace('/', "%2F");
        url.set_host(Some(&encoded)).unwrap();
    } else {
        url.set_host(Some("localhost")).unwrap();
        url.set_query(Some(&format!("socket={socket}&ssl-mode=DISABLED")));
    }
    let target = Target::parse(url.as_str()).unwrap();
    assert!(target.is_local());
    let mut session = S::open(&target, &[]).await.unwrap();
    assert!(!session.facts().await.unwrap().tls);
    if server.is_postgres() {
        let mut url = server.admin.clone();
        url.set_query(Some(&format!("host={socket}")));
        let target = Target::parse(url.as_str()).unwrap();
        S::open(&target, &[]).await.unwrap();
    }
}
