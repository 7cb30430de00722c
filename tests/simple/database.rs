//! Databases of a test's own: the checks of both protocols use the same tables,
//! and they run at the same time.

use std::time::Duration;

use tiermark::db::session::{Protocol, Session, Target};

use crate::place::{Place, skipped};

/// The same server, spoken to in texts, in another database.
pub async fn simple<S: Session>(mut place: Place) -> Option<Place> {
    let engine = place.engine.name();
    let variable = format!("TIERMARK_TEST_{}_ADMIN", engine.to_uppercase());
    let Ok(admin) = std::env::var(&variable) else {
        skipped(engine, &format!("{variable} is not set"));
        return None;
    };
    let target = create::<S>(&admin, "bench_simple", "").await;
    place.target = target.with_protocol(Protocol::Simple).unwrap();
    Some(place)
}

/// Makes a database, unless it is there, and gives its address.
pub async fn create<S: Session>(admin: &str, name: &str, options: &str) -> Target {
    let target = Target::parse(admin).unwrap();
    let mut url = url::Url::parse(admin).unwrap();
    url.set_path(name);
    let own = Target::parse(url.as_str()).unwrap();
    let mut session = S::open(&target, &[]).await.unwrap();
    let mut why = String::new();
    // Tests of other processes make the same one; PostgreSQL then refuses both.
    for _ in 0..100 {
        if S::open(&own, &[]).await.is_ok() {
            return own;
        }
        let create = format!("CREATE DATABASE {name} {options}");
        if let Err(error) = session.raw(&create).await {
            why = error.to_string();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    panic!("no database {name}: {why}");
}
