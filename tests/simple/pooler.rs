//! Whole runs through PgBouncer in transaction mode, which loses prepared
//! statements between transactions.

use std::time::{Duration, Instant};

use tiermark::db::postgres::PgSession;
use tiermark::db::session::{Cancel, Protocol, Session, Target};

use crate::cli::{manifest, text, tiermark};
use crate::database::create;
use crate::place::skipped;

/// Addresses of one new database: direct, and through the pooler.
async fn addresses(what: &str) -> Option<(String, String)> {
    let name = |name| std::env::var(name).ok();
    let (Some(pooler), Some(admin), Some(direct)) = (
        name("TIERMARK_TEST_PGBOUNCER"),
        name("TIERMARK_TEST_POSTGRES_ADMIN"),
        name("TIERMARK_TEST_POSTGRES"),
    ) else {
        skipped(what, "there is no PgBouncer");
        return None;
    };
    let database = format!("bench_{what}");
    create::<PgSession>(&admin, &database, "OWNER bench").await;
    let moved = |address: &str| {
        let mut url = url::Url::parse(address).unwrap();
        url.set_path(&database);
        url.to_string()
    };
    Some((moved(&direct), moved(&pooler)))
}

const SMALL: [&str; 4] = ["--set", "tables=2", "--set", "rows=1000"];
const RUN: [&str; 8] = [
    "run",
    "oltp_read_write",
    "-c",
    "8",
    "--transactions",
    "400",
    "--grace",
    "5s",
];

#[tokio::test]
async fn a_run_through_a_pooler_fails_nothing() {
    let Some((direct, pooler)) = addresses("pooled").await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut prepare = vec!["prepare", "oltp_read_write", "--recreate"];
    prepare.extend(SMALL);
    let prepared = tiermark(&direct, folder.path(), &prepare);
    assert!(prepared.status.success(), "{}", text(&prepared));

    let mut run = RUN.to_vec();
    run.extend(["--protocol", "simple"]);
    let ran = tiermark(&pooler, folder.path(), &run);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran));
    let runs = std::fs::read_to_string(folder.path().join("results/runs.csv")).unwrap();
    let cell = |name: &str| {
        let mut lines = runs.lines().map(|line| line.split(','));
        let column = lines.next().unwrap().position(|head| head == name);
        lines
            .next()
            .unwrap()
            .nth(column.unwrap())
            .unwrap()
            .to_owned()
    };
    assert_eq!(cell("done"), "400", "{runs}");
    assert_eq!(cell("failed"), "0", "{runs}");
    let manifest = manifest(&ran, folder.path());
    assert!(manifest.contains("protocol = \"simple\""), "{manifest}");
    assert!(manifest.contains("cannot be cancelled"), "{manifest}");

    // A backend is another client's next: settings would go with it.
    run.extend(["--set", "run.session=[\"SET application_name = 'x'\"]"]);
    let refused = tiermark(&pooler, folder.path(), &run);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("pooler"), "{}", text(&refused));

    // Loading through it works as well: COPY needs no statement.
    prepare.extend(["--protocol", "simple"]);
    let prepared = tiermark(&pooler, folder.path(), &prepare);
    assert!(prepared.status.success(), "{}", text(&prepared));

    // Works with poolers that keep prepared statements; this one does not.
    let plain = tiermark(&pooler, folder.path(), &RUN);
    eprintln!(
        "prepared statements through a transaction pooler: status {:?}, {}",
        plain.status.code(),
        text(&plain).lines().last().unwrap_or_default()
    );
}

/// A backend's id belongs to whoever uses it now.
#[tokio::test]
async fn nothing_is_cancelled_through_a_pooler() {
    let Some((direct, pooler)) = addresses("pooled_cancel").await else {
        return;
    };
    let simple = |url: &str| {
        let target = Target::parse(url).unwrap();
        target.with_protocol(Protocol::Simple).unwrap()
    };
    // Somebody else, whose backend the pooler does not even know.
    let mut other = PgSession::open(&simple(&direct), &[]).await.unwrap();
    for (url, pooled) in [(&pooler, true), (&direct, false)] {
        let mut control = PgSession::open(&simple(url), &[]).await.unwrap();
        let notes = control.facts().await.unwrap().session_notes;
        let said = notes.iter().any(|note| note.contains("pooler"));
        assert_eq!(said, pooled, "{notes:?}");
        for how in [Cancel::Statement, Cancel::Connection] {
            control.cancel(other.id(), how).await.unwrap();
        }
        let alive = other.raw("SELECT 1").await.is_ok();
        assert_eq!(alive, pooled);
    }
    // Asked first when something is to be cancelled.
    let mut other = PgSession::open(&simple(&direct), &[]).await.unwrap();
    let mut control = PgSession::open(&simple(&pooler), &[]).await.unwrap();
    control
        .cancel(other.id(), Cancel::Connection)
        .await
        .unwrap();
    assert!(other.raw("SELECT 1").await.is_ok());
}

/// The run ends all the same, and says what it could not stop.
#[tokio::test]
async fn a_stuck_run_through_a_pooler_ends() {
    let Some((direct, pooler)) = addresses("pooled_stuck").await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut prepare = vec!["prepare", "oltp_read_write", "--recreate"];
    prepare.extend(SMALL);
    let prepared = tiermark(&direct, folder.path(), &prepare);
    assert!(prepared.status.success(), "{}", text(&prepared));
    let mut other = PgSession::open(&Target::parse(&direct).unwrap(), &[])
        .await
        .unwrap();
    other.begin(true).await.unwrap();
    let lock = "LOCK TABLE sbtest1, sbtest2 IN ACCESS EXCLUSIVE MODE";
    other.raw(lock).await.unwrap();
    let run = [
        "run",
        "oltp_read_write",
        "--clients=2",
        "--warmup=0s",
        "--time=1s",
        "--grace=100ms",
        "--protocol=simple",
    ];
    let start = Instant::now();
    let ran = tiermark(&pooler, folder.path(), &run);
    assert!(start.elapsed() < Duration::from_secs(40));
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran));
    assert!(text(&ran).contains("left_running"), "{}", text(&ran));
    other.commit().await.unwrap();
}

#[test]
fn without_a_server_there_is_no_protocol_to_choose() {
    let folder = tempfile::tempdir().unwrap();
    for url in ["sqlite:x.db", "null:"] {
        let mut run = RUN.to_vec();
        run.extend(["--protocol", "simple"]);
        let ran = tiermark(url, folder.path(), &run);
        assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
        assert!(
            text(&ran).contains("leave --protocol out"),
            "{}",
            text(&ran)
        );
    }
}
