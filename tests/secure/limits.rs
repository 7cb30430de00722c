//! Servers without a connection left, and ways of logging in that are not to be
//! had: what can be raised or changed, by which statement.

use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::db::session::{Class, DbError, Session, Target};

use crate::fake;
use crate::server::Server;

async fn error_at<S: Session>(scheme: &str, port: u16) -> DbError {
    let url = format!("{scheme}://ann:s3cret@127.0.0.1:{port}/d");
    let target = Target::parse(&url).unwrap();
    let error = S::open(&target, &[]).await.err().unwrap();
    eprintln!("{error}");
    assert!(!format!("{error} {error:?}").contains("s3cret"));
    error
}

pub async fn a_user_without_connections_left_is_said<S: Session>(server: &Server) {
    const NAME: &str = "bench_one";
    let (how, raise) = if server.is_postgres() {
        (
            "CONNECTION LIMIT 1 PASSWORD 'one'",
            "ALTER ROLE \"bench_one\" CONNECTION LIMIT -1;",
        )
    } else {
        (
            "IDENTIFIED BY 'one' WITH MAX_USER_CONNECTIONS 1",
            "ALTER USER 'bench_one' WITH MAX_USER_CONNECTIONS 0;",
        )
    };
    server.database::<S>(NAME).await;
    server.user::<S>(NAME, how, NAME).await;
    let mut url = server.admin.clone();
    url.set_username(NAME).unwrap();
    url.set_password(Some("one")).unwrap();
    url.set_path(NAME);
    let target = Target::parse(url.as_str()).unwrap();
    let first = S::open(&target, &[]).await.unwrap();
    let error = S::open(&target, &[]).await.err().unwrap();
    assert!(error.message.contains("no connection left"), "{error}");
    assert!(error.message.contains(raise), "{error}");
    first.close().await.unwrap();
    server.drop::<S>(NAME, NAME).await;
}

#[tokio::test]
async fn a_full_server_names_the_statement_that_raises_its_limit() {
    let port = fake::mysql_that_is_full();
    let error = error_at::<MysqlSession>("mysql", port).await;
    assert_eq!((error.class, &*error.code), (Class::Disconnected, "1040"));
    let raise = "SET GLOBAL max_connections = 1000;";
    assert!(error.message.contains(raise), "{error}");

    let port = fake::postgres_that_says("53300", "sorry, too many clients already");
    let error = error_at::<PgSession>("postgres", port).await;
    assert_eq!((error.class, &*error.code), (Class::Disconnected, "53300"));
    let raise = "ALTER SYSTEM SET max_connections";
    assert!(error.message.contains(raise), "{error}");
}

#[tokio::test]
async fn a_way_of_logging_in_that_is_not_to_be_had_is_named() {
    for plugin in ["client_ed25519", "dialog", "auth_gssapi_client", "parsec"] {
        let port = fake::mysql_that_wants(plugin);
        let error = error_at::<MysqlSession>("mysql", port).await;
        assert_eq!((error.class, &*error.code), (Class::Other, "method"));
        assert!(error.message.contains(plugin), "{error}");
        assert!(error.message.contains("`ann`"), "{error}");
        assert!(error.message.contains("mysql_native_password"), "{error}");
    }
}
