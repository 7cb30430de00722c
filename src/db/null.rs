//! The null engine: sessions without a server, which wait, fail and stall by
//! script. Under tokio's paused clock a whole run is exact and takes no time.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

use crate::value::{Args, Dec, Engine, Isolation, RowBuf, ServerFacts, Statement, StmtId};

use super::null_script::Script;
use super::session::{Cancel, Class, DbError, Row, Session, Target};
use super::setup;
use super::stop::{self, Stop};

/// Statements that take no time before others on the thread have a turn: the
/// worker turns its pages and hears of Ctrl-C.
const AT_ONCE: u64 = 4096;

#[derive(Debug)]
pub struct NullSession {
    script: Script,
    stop: Arc<Stop>,
    opened: Instant,
    statements: u64,
    /// Its script neither takes time nor fails: what is measured then is the
    /// client, so that the session itself should cost next to nothing.
    at_once: bool,
    /// The failure that ended this session: it ends all that follows too.
    lost: Option<DbError>,
}

/// A row of zeros and empty texts.
#[derive(Clone, Copy, Debug)]
pub struct NullRow;

impl Row for NullRow {
    fn int(&self, _column: usize) -> Result<i64, DbError> {
        Ok(0)
    }

    fn text(&self, _column: usize) -> Result<&str, DbError> {
        Ok("")
    }

    fn dec(&self, _column: usize, scale: u8) -> Result<Dec, DbError> {
        Ok(Dec { units: 0, scale })
    }

    fn is_null(&self, _column: usize) -> bool {
        false
    }
}

impl NullSession {
    /// Takes its time, as scripted. What takes none does not touch the timer,
    /// and reads no clock unless a stall is scripted.
    async fn take(&mut self, delay: Duration) -> Result<(), DbError> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        if self.stop.is_closed() {
            return Err(self.stopped());
        }
        let delay = match self.script.stall {
            Some(stall) => stall.lengthen(self.opened.elapsed(), delay),
            None => delay,
        };
        if delay.is_zero() {
            return Ok(());
        }
        self.stop.start_statement();
        let slept = self.stop.unless_asked(tokio::time::sleep(delay)).await;
        slept.ok_or_else(|| self.stopped())
    }

    /// As PostgreSQL answers to `pg_terminate_backend` and `pg_cancel_backend`.
    fn stopped(&self) -> DbError {
        if self.stop.is_closed() {
            DbError::new(
                Class::Disconnected,
                "57P01",
                "the connection was ended on request",
            )
        } else {
            DbError::new(
                Class::Cancelled,
                "57014",
                "the statement was cancelled on request",
            )
        }
    }

    async fn statement(&mut self) -> Result<(), DbError> {
        self.statements += 1;
        if self.at_once && !self.stop.is_closed() {
            if self.statements.is_multiple_of(AT_ONCE) {
                yield_now().await;
            }
            return Ok(());
        }
        self.take(self.script.takes(self.statements)).await?;
        match self.script.failure(self.statements) {
            None => Ok(()),
            Some(error) => {
                if error.class == Class::Disconnected {
                    self.lost = Some(error.clone());
                }
                Err(error)
            }
        }
    }
}

impl Session for NullSession {
    type Row = NullRow;

    async fn open(target: &Target, _statements: &[Statement]) -> Result<NullSession, DbError> {
        let script = Script::parse(target)?;
        let mut session = NullSession {
            at_once: script.is_at_once(),
            script,
            stop: Stop::register(),
            opened: Instant::now(),
            statements: 0,
            lost: None,
        };
        setup::apply(&mut session, target).await?;
        Ok(session)
    }

    fn id(&self) -> i64 {
        self.stop.id()
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        stop::request(id, how);
        Ok(())
    }

    async fn begin(&mut self, _writes: bool) -> Result<(), DbError> {
        self.take(Duration::ZERO).await
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.take(self.script.commit).await
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.take(Duration::ZERO).await
    }

    async fn isolate(&mut self, level: Isolation) -> Result<String, DbError> {
        Ok(level.name().to_owned())
    }

    async fn raw(&mut self, _sql: &str) -> Result<u64, DbError> {
        self.take(Duration::ZERO).await?;
        Ok(0)
    }

    async fn exec(&mut self, _id: StmtId, _args: Args<'_>) -> Result<u64, DbError> {
        self.statement().await?;
        Ok(self.script.rows)
    }

    async fn fetch(
        &mut self,
        _id: StmtId,
        _args: Args<'_>,
        mut each: impl FnMut(&NullRow) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        self.statement().await?;
        for _ in 0..self.script.rows {
            each(&NullRow)?;
        }
        Ok(self.script.rows)
    }

    async fn load(
        &mut self,
        _table: &str,
        _columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError> {
        self.take(Duration::ZERO).await?;
        // A count beyond u64 does not fit into memory.
        Ok(rows.rows() as u64)
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        Ok(Vec::new())
    }

    async fn indexes(&mut self, _table: &str) -> Result<Vec<String>, DbError> {
        Ok(Vec::new())
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        Ok(ServerFacts {
            engine: Some(Engine::Null),
            ..ServerFacts::default()
        })
    }

    async fn close(self) -> Result<(), DbError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATEMENT: StmtId = StmtId(0);
    const MS: Duration = Duration::from_millis(1);

    async fn open(script: &str) -> NullSession {
        let target = Target::parse(&format!("null:{script}")).unwrap();
        NullSession::open(&target, &[]).await.unwrap()
    }

    async fn exec(session: &mut NullSession) -> Result<u64, DbError> {
        session.exec(STATEMENT, Args::NONE).await
    }

    #[tokio::test(start_paused = true)]
    async fn statements_and_commits_take_their_delays() {
        let mut session = open("?delay=3ms&commit=5ms&long=4:70ms&rows=2").await;
        let start = Instant::now();
        session.begin(true).await.unwrap();
        for _ in 0..3 {
            assert_eq!(exec(&mut session).await.unwrap(), 2);
        }
        assert_eq!(start.elapsed(), 9 * MS);
        let mut seen = 0;
        let count = |row: &NullRow| {
            seen += 1;
            assert_eq!((row.int(0)?, row.text(1)?), (0, ""));
            Ok(())
        };
        session.fetch(STATEMENT, Args::NONE, count).await.unwrap();
        assert_eq!(seen, 2);
        assert_eq!(start.elapsed(), 79 * MS, "the fourth is long");
        session.commit().await.unwrap();
        assert_eq!(start.elapsed(), 84 * MS);
    }

    #[tokio::test(start_paused = true)]
    async fn no_delay_never_waits() {
        let mut session = open("").await;
        let mut work = Box::pin(async {
            session.begin(true).await.unwrap();
            for _ in 0..1000 {
                exec(&mut session).await.unwrap();
            }
            session.commit().await.unwrap();
        });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(work.as_mut().poll(&mut context).is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn every_nth_statement_fails_after_its_delay() {
        let mut session = open("?delay=1ms&fail=40P01:3").await;
        let start = Instant::now();
        for number in 1..=9 {
            let outcome = exec(&mut session).await;
            assert_eq!(outcome.is_err(), number % 3 == 0);
            if let Err(error) = outcome {
                assert_eq!((error.class, &*error.code), (Class::Retry, "40P01"));
            }
        }
        assert_eq!(start.elapsed(), 9 * MS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lost_session_stays_lost() {
        let mut session = open("?fail=08006:2").await;
        exec(&mut session).await.unwrap();
        for _ in 0..2 {
            let error = exec(&mut session).await.unwrap_err();
            assert_eq!(error.class, Class::Disconnected);
        }
        let error = session.rollback().await.unwrap_err();
        assert_eq!(error.class, Class::Disconnected);
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_stall_nothing_returns() {
        let mut session = open("?delay=10ms&stall=25ms:100ms").await;
        let start = Instant::now();
        let mut ends = Vec::new();
        for _ in 0..4 {
            exec(&mut session).await.unwrap();
            ends.push(start.elapsed());
        }
        // The third would end at 30 ms, inside; the stall ends at 125 ms.
        assert_eq!(ends, [10 * MS, 20 * MS, 125 * MS, 135 * MS]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_running_statement_can_be_cancelled() {
        let mut session = open("?delay=1h").await;
        let mut control = open("").await;
        let id = session.id();
        assert_ne!(id, control.id());
        // With nothing running there is nothing to hit.
        control.cancel(id, Cancel::Statement).await.unwrap();
        let start = Instant::now();
        for (how, class, code) in [
            (Cancel::Statement, Class::Cancelled, "57014"),
            (Cancel::Statement, Class::Cancelled, "57014"),
            (Cancel::Connection, Class::Disconnected, "57P01"),
        ] {
            let stop = async {
                tokio::time::sleep(20 * MS).await;
                control.cancel(id, how).await
            };
            let (outcome, stopped) = tokio::join!(exec(&mut session), stop);
            stopped.unwrap();
            let error = outcome.unwrap_err();
            assert_eq!((error.class, &*error.code), (class, code));
        }
        assert_eq!(start.elapsed(), 60 * MS);
        let error = exec(&mut session).await.unwrap_err();
        assert_eq!(error.class, Class::Disconnected);
        drop(session);
        control.cancel(id, Cancel::Connection).await.unwrap();
    }
}
