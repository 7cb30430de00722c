//! TLS that works: each mode, client certificates, and what was negotiated.

use tiermark::db::session::{Session, Target};

use crate::cli;
use crate::server::Server;

pub async fn each_mode_does_what_it_says<S: Session>(server: &Server) {
    let authority = server.cert("ca.pem");
    for host in ["127.0.0.1", "localhost"] {
        for (mode, tls) in [
            ("disable", false),
            ("require", true),
            ("verify-ca", true),
            ("verify-full", true),
        ] {
            let mut url = server.admin.clone();
            url.set_host(Some(host)).unwrap();
            url.set_query(Some(&server.tls(mode, &authority)));
            let target = Target::parse(url.as_str()).unwrap();
            let mut session = S::open(&target, &[]).await.unwrap();
            let facts = session.facts().await.unwrap();
            assert_eq!(facts.tls, tls, "{mode}");
            if tls {
                assert!(facts.tls_detail.starts_with("TLSv1."), "{facts:?}");
                assert!(facts.tls_detail.contains(' '), "{facts:?}");
            } else {
                assert_eq!(facts.tls_detail, "");
            }
        }
    }
}

pub async fn a_client_certificate_is_shown<S: Session>(server: &Server) {
    let mut url = url::Url::parse(&server.variable("CERT")).unwrap();
    let tls = server.tls("verify-full", &server.cert("ca.pem"));
    url.set_query(Some(&tls));
    let without = Target::parse(url.as_str()).unwrap();
    let error = S::open(&without, &[]).await.err().unwrap();
    assert!(
        error.message.contains("refuses user `bench_cert`"),
        "{error}"
    );

    let (cert, key) = (server.cert("client.pem"), server.cert("client.key"));
    url.set_query(Some(&format!("{tls}&sslcert={cert}&sslkey={key}")));
    let target = Target::parse(url.as_str()).unwrap();
    let mut session = S::open(&target, &[]).await.unwrap();
    assert!(session.facts().await.unwrap().tls);

    let strange = server.cert("stranger.pem");
    let key = server.cert("stranger.key");
    url.set_query(Some(&format!("{tls}&sslcert={strange}&sslkey={key}")));
    let target = Target::parse(url.as_str()).unwrap();
    assert!(S::open(&target, &[]).await.is_err());

    url.set_query(Some(&format!("{tls}&sslcert={cert}")));
    let target = Target::parse(url.as_str()).unwrap();
    let error = S::open(&target, &[]).await.err().unwrap();
    assert_eq!(error.code, "tls", "{error}");
}

pub async fn what_was_negotiated_is_in_the_manifest<S: Session>(server: &Server) {
    const DATABASE: &str = "bench_tls_manifest";
    server.database::<S>(DATABASE).await;
    let mut url = server.admin.clone();
    url.set_path(DATABASE);
    url.set_query(Some(&server.tls("verify-full", &server.cert("ca.pem"))));
    let folder = tempfile::tempdir().unwrap();
    let prepare = [
        "prepare",
        "oltp_read_write",
        "--set",
        "tables=1",
        "--set",
        "rows=100",
    ];
    let prepared = cli::tiermark(url.as_str(), folder.path(), &prepare);
    assert!(prepared.status.success(), "{}", cli::text(&prepared));
    let run = ["run", "oltp_read_write", "--transactions", "20"];
    let ran = cli::tiermark(url.as_str(), folder.path(), &run);
    assert!(ran.status.success(), "{}", cli::text(&ran));
    let manifest = cli::manifest(&ran, folder.path());
    assert!(manifest.contains("tls = true"), "{manifest}");
    assert!(manifest.contains("tls_detail = \"TLSv1."), "{manifest}");
    let password = url.password().unwrap();
    assert!(!manifest.contains(password));
    assert!(!cli::text(&ran).contains(password));
    let mut session: S = server.session().await;
    let drop = format!("DROP DATABASE {DATABASE}");
    session.raw(&drop).await.unwrap();
}
