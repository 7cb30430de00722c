//! A null session that writes down what it is sent, in order.

use std::cell::RefCell;

use tiermark::db::null::NullSession;
use tiermark::db::session::{Cancel, DbError, Session, Target};
use tiermark::value::{Args, Isolation, RowBuf, ServerFacts, Statement, StmtId, Value};

pub struct Logged(NullSession);

/// One statement.
pub struct Sent {
    pub session: i64,
    /// Its first argument.
    pub key: i64,
}

thread_local! {
    // A paused run lives on one thread.
    static LOG: RefCell<Vec<Sent>> = const { RefCell::new(Vec::new()) };
}

/// What was sent since the last call.
pub fn take_log() -> Vec<Sent> {
    LOG.with(RefCell::take)
}

impl Session for Logged {
    type Row = <NullSession as Session>::Row;

    async fn open(target: &Target, statements: &[Statement]) -> Result<Logged, DbError> {
        NullSession::open(target, statements).await.map(Logged)
    }

    fn id(&self) -> i64 {
        self.0.id()
    }

    async fn cancel(&mut self, id: i64, how: Cancel) -> Result<(), DbError> {
        self.0.cancel(id, how).await
    }

    async fn begin(&mut self, writes: bool) -> Result<(), DbError> {
        self.0.begin(writes).await
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.0.commit().await
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.0.rollback().await
    }

    async fn isolate(&mut self, level: Isolation) -> Result<String, DbError> {
        self.0.isolate(level).await
    }

    async fn raw(&mut self, sql: &str) -> Result<u64, DbError> {
        self.0.raw(sql).await
    }

    async fn exec(&mut self, id: StmtId, args: Args<'_>) -> Result<u64, DbError> {
        let Value::Int(key) = args.get(0) else {
            panic!("the rig's statements take a key");
        };
        let session = self.0.id();
        LOG.with_borrow_mut(|log| log.push(Sent { session, key }));
        self.0.exec(id, args).await
    }

    async fn fetch(
        &mut self,
        id: StmtId,
        args: Args<'_>,
        each: impl FnMut(&Self::Row) -> Result<(), DbError>,
    ) -> Result<u64, DbError> {
        self.0.fetch(id, args, each).await
    }

    async fn load(
        &mut self,
        table: &str,
        columns: &[String],
        rows: &RowBuf,
    ) -> Result<u64, DbError> {
        self.0.load(table, columns, rows).await
    }

    async fn tables(&mut self) -> Result<Vec<String>, DbError> {
        self.0.tables().await
    }

    async fn indexes(&mut self, table: &str) -> Result<Vec<String>, DbError> {
        self.0.indexes(table).await
    }

    async fn facts(&mut self) -> Result<ServerFacts, DbError> {
        self.0.facts().await
    }

    async fn close(self) -> Result<(), DbError> {
        self.0.close().await
    }
}
