//! Sessions that cannot be opened say why, and never the password.

use tiermark::db::session::{Class, DbError, Session, Target};
use tiermark::value::Engine;

use crate::place::Place;

const SECRET: &str = "s3cret";

async fn error_of<S: Session>(target: &Target) -> DbError {
    let error = S::open(target, &[]).await.err().unwrap();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    error
}

pub async fn a_wrong_password_is_said<S: Session>(place: &Place) {
    if !place.is_server() {
        return;
    }
    if !place.target.has_password() {
        eprintln!("SKIPPED: {}: its URL has no password", place.engine);
        return;
    }
    let target = place.with_url(|url| url.set_password(Some(SECRET)).unwrap());
    let error = error_of::<S>(&target).await;
    assert_eq!(error.class, Class::Other, "{error}");
    assert!(error.message.contains("refuses user"), "{error}");
}

pub async fn an_unknown_database_is_said<S: Session>(place: &Place) {
    if !place.is_server() {
        return;
    }
    let target = place.with_url(|url| url.set_path("/t_session_nowhere"));
    let error = error_of::<S>(&target).await;
    assert_eq!(error.class, Class::Other, "{error}");
    let create = match place.engine {
        Engine::Postgres => "CREATE DATABASE \"t_session_nowhere\";",
        _ => "CREATE DATABASE `t_session_nowhere`;",
    };
    assert!(error.message.contains(create), "{error}");
}

pub async fn a_refused_port_is_said<S: Session>(place: &Place) {
    if !place.is_server() {
        let target = Target::parse("sqlite:/nonexistent/folder/x.db").unwrap();
        let error = error_of::<S>(&target).await;
        assert_eq!(error.class, Class::Other, "{error}");
        assert!(
            error.message.contains("/nonexistent/folder/x.db"),
            "{error}"
        );
        return;
    }
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let target = place.with_url(|url| {
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(address.port())).unwrap();
        url.set_username("u").unwrap();
        url.set_password(Some(SECRET)).unwrap();
    });
    let error = error_of::<S>(&target).await;
    assert_eq!(error.class, Class::Disconnected, "{error}");
    assert!(error.message.contains(&address.to_string()), "{error}");
}

mod mysql {
    use std::time::{Duration, Instant};

    use tiermark::db::mysql::MysqlSession;
    use tiermark::db::nodelay;
    use tiermark::db::session::{Row, Session, Target};
    use tiermark::value::{Args, Value};

    use super::{Place, error_of};
    use crate::place::{id, skipped};

    /// Nagle's algorithm costs 40 ms a statement, without it there are 0.2.
    #[tokio::test]
    async fn long_arguments_over_tls_do_not_wait() {
        let Some(place) = Place::mysql() else { return };
        let statements = [place.statement("long", "SELECT length(?)", &["text"])];
        let mut session: MysqlSession = place.open(&statements).await;
        assert!(session.facts().await.unwrap().tls);
        if let Err(error) = nodelay::switch_on() {
            eprintln!(
                "SKIPPED: {}: no descriptor can be copied: {error}",
                place.engine
            );
            return;
        }
        let text = "x".repeat(30_000);
        let mut best = Duration::MAX;
        for _ in 0..20 {
            let mut length = 0;
            let start = Instant::now();
            session
                .fetch(id(0), Args::List(&[Value::Text(&text)]), |row| {
                    length = row.int(0)?;
                    Ok(())
                })
                .await
                .unwrap();
            best = best.min(start.elapsed());
            assert_eq!(length, 30_000);
        }
        eprintln!("30 kB over TLS: {best:?}");
        assert!(best < Duration::from_millis(20), "{best:?}");
    }

    /// Over TLS the password is sent, without TLS it is encrypted with the
    /// server's RSA key; both only while the server has not cached it.
    #[tokio::test]
    async fn caching_sha2_works_with_and_without_tls() {
        let Some(place) = Place::mysql() else { return };
        let Ok(admin) = std::env::var("TIERMARK_TEST_MYSQL_ADMIN") else {
            skipped("caching_sha2_password", "no address of an administrator");
            return;
        };
        let admin = Target::parse(&admin).unwrap();
        let mut session = MysqlSession::open(&admin, &[]).await.unwrap();
        session.raw("FLUSH PRIVILEGES").await.unwrap();
        let again: MysqlSession = place.open(&[]).await;
        again.close().await.unwrap();
        session.raw("FLUSH PRIVILEGES").await.unwrap();
        let plain = place.with_url(|url| url.set_query(Some("ssl-mode=DISABLED")));
        let mut plain = MysqlSession::open(&plain, &[]).await.unwrap();
        assert!(!plain.facts().await.unwrap().tls);
    }

    #[tokio::test]
    async fn the_session_is_as_the_server_sets_it() {
        for place in [Place::mysql(), Place::mariadb()].into_iter().flatten() {
            // IGNORE_SPACE comes with the connection and stays.
            let text = "SELECT replace(@@session.sql_mode, 'IGNORE_SPACE,', '') \
                        = @@global.sql_mode, @@session.time_zone = @@global.time_zone";
            let statements = [place.statement("same", text, &[])];
            let mut session: MysqlSession = place.open(&statements).await;
            session
                .fetch(id(0), Args::NONE, |row| {
                    assert_eq!((row.int(0)?, row.int(1)?), (1, 1), "{}", place.engine);
                    Ok(())
                })
                .await
                .unwrap();
        }
    }

    #[tokio::test]
    async fn wrong_options_are_said() {
        let Some(place) = Place::mysql() else { return };
        let target = place.with_url(|url| url.set_query(Some("ssl-mode=SOMETIMES")));
        let error = error_of::<MysqlSession>(&target).await;
        assert_eq!(error.code, "url");
    }
}
