//! What one worker saw in one interval: counters and latencies by transaction
//! and statement, and errors by code. Recorders merge into those of all
//! workers, and those of all intervals into the window's.

use std::time::Duration;

use crate::stats::latency::Latency;
use crate::stats::tally::Tallies;

/// One transaction type, or all of them.
#[derive(Clone, Debug, Default)]
pub struct TransactionStats {
    /// Of committed transactions, all attempts and drained ones included.
    pub service: Latency,
    /// Of the same, from the planned instant. Empty in a closed loop, where it
    /// would be the service time.
    pub response: Latency,
    /// Planned instant to start, and the part of it that is the generator's own
    /// fault: from when the transaction was due and a client was free.
    pub lag: Latency,
    pub generator_lag: Latency,
    pub failures: Latency,
    /// Committed: in the window, and in an open loop also within the grace.
    pub done: u64,
    /// Of the committed ones, those within the limit that was asked for.
    pub within_sla: u64,
    /// Of those that were due in an open loop: sent, and given up as too late.
    pub started: u64,
    pub skipped_late: u64,
    /// By design, as TPC-C's one in a hundred.
    pub rolled_back: u64,
    /// Attempts repeated.
    pub retries: u64,
    /// Those in doubt included.
    pub failed: u64,
    /// The connection was lost within COMMIT.
    pub in_doubt: u64,
    pub disconnects: u64,
    /// Statements that should have found a row and did not.
    pub empty: u64,
    /// Statements sent, BEGIN and COMMIT included.
    pub sent: u64,
    /// Neither committed nor failed at the end: cancelled, or between two attempts.
    pub unfinished: u64,
    /// Still running when the grace was over.
    pub cancelled: u64,
    /// The greatest age of an unfinished one, since it was sent and since it was
    /// due.
    pub oldest_unfinished: Duration,
    pub oldest_response: Duration,
    /// Committed, or rolled back by design, within the grace.
    pub drained: u64,
    /// Time that clients spent in transactions, cut to the window.
    pub busy: Duration,
    /// Committed in any phase; and in doubt or cancelled in any, so that only the
    /// server knows.
    pub ever_committed: u64,
    pub ever_unsure: u64,
}

impl TransactionStats {
    pub fn merge(&mut self, other: &TransactionStats) {
        self.service.merge(&other.service);
        self.response.merge(&other.response);
        self.lag.merge(&other.lag);
        self.generator_lag.merge(&other.generator_lag);
        self.within_sla += other.within_sla;
        self.started += other.started;
        self.skipped_late += other.skipped_late;
        self.failures.merge(&other.failures);
        self.done += other.done;
        self.rolled_back += other.rolled_back;
        self.retries += other.retries;
        self.failed += other.failed;
        self.in_doubt += other.in_doubt;
        self.disconnects += other.disconnects;
        self.empty += other.empty;
        self.sent += other.sent;
        self.unfinished += other.unfinished;
        self.cancelled += other.cancelled;
        self.oldest_unfinished = self.oldest_unfinished.max(other.oldest_unfinished);
        self.oldest_response = self.oldest_response.max(other.oldest_response);
        self.drained += other.drained;
        self.busy += other.busy;
        self.ever_committed += other.ever_committed;
        self.ever_unsure += other.ever_unsure;
    }

    /// Whether anything happened at all.
    pub fn is_active(&self) -> bool {
        let ended = self.done + self.rolled_back + self.failed + self.unfinished + self.drained;
        ended + self.sent + self.skipped_late > 0
    }

    /// From the planned instant to the end; the service time in a closed loop.
    pub fn response(&self) -> &Latency {
        if self.response.is_empty() {
            &self.service
        } else {
            &self.response
        }
    }

    /// Failed among those that came to an end.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn failed_share(&self) -> f64 {
        let ended = self.done + self.rolled_back + self.failed;
        if ended == 0 {
            0.0
        } else {
            self.failed as f64 / ended as f64
        }
    }
}

/// One statement of one transaction type.
#[derive(Clone, Debug, Default)]
pub struct StatementStats {
    /// Sent in the window, by failed attempts too.
    pub count: u64,
    pub rows: u64,
    pub errors: u64,
    pub latency: Latency,
}

impl StatementStats {
    pub fn merge(&mut self, other: &StatementStats) {
        self.count += other.count;
        self.rows += other.rows;
        self.errors += other.errors;
        self.latency.merge(&other.latency);
    }
}

/// What became of an error's transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    Retried,
    Failed,
    InDoubt,
    Disconnected,
    /// Not an error itself: the time without a connection that followed one.
    Outage,
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Fate::Retried => "retried",
            Fate::Failed => "failed",
            Fate::InDoubt => "in_doubt",
            Fate::Disconnected => "disconnected",
            Fate::Outage => "outage",
        }
    }
}

/// Errors of one code at one statement.
#[derive(Clone, Debug)]
pub struct ErrorStats {
    pub transaction: usize,
    /// Place in the transaction's row of statements.
    pub statement: usize,
    pub code: String,
    pub fate: Fate,
    pub count: u64,
    /// Since the start of the warm-up.
    pub first: Duration,
    pub last: Duration,
    /// Of an outage.
    pub lost: Option<Duration>,
    /// Of the first one.
    pub message: String,
}

/// The counters of one worker and interval, or of any number of them.
#[derive(Clone, Debug)]
pub struct Recorder {
    pub transactions: Vec<TransactionStats>,
    /// `statements_each` of the first transaction, of the second, ..
    pub statements: Vec<StatementStats>,
    pub errors: Vec<ErrorStats>,
    /// Keying and think times of clients, cut to the window.
    pub waited: Duration,
    /// Of TPC-C transactions.
    pub tallies: Tallies,
    statements_each: usize,
}

impl Recorder {
    pub fn new(transactions: usize, statements_each: usize) -> Recorder {
        Recorder {
            transactions: vec![TransactionStats::default(); transactions],
            statements: vec![StatementStats::default(); transactions * statements_each],
            errors: Vec::new(),
            waited: Duration::ZERO,
            tallies: Tallies::default(),
            statements_each,
        }
    }

    pub fn statement(&mut self, transaction: usize, statement: usize) -> &mut StatementStats {
        &mut self.statements[transaction * self.statements_each + statement]
    }

    /// Statement rows of one transaction type.
    pub fn statements_of(&self, transaction: usize) -> &[StatementStats] {
        let from = transaction * self.statements_each;
        &self.statements[from..from + self.statements_each]
    }

    /// Counts an error; outages stay one row each.
    pub fn error(&mut self, error: ErrorStats) {
        let same = |known: &&mut ErrorStats| {
            known.fate != Fate::Outage
                && (known.transaction, known.statement, known.fate)
                    == (error.transaction, error.statement, error.fate)
                && known.code == error.code
        };
        match self.errors.iter_mut().find(same) {
            Some(known) => {
                known.count += error.count;
                if error.first < known.first {
                    known.first = error.first;
                    known.message = error.message;
                }
                known.last = known.last.max(error.last);
            }
            None => self.errors.push(error),
        }
    }

    pub fn merge(&mut self, other: &Recorder) {
        for (mine, theirs) in self.transactions.iter_mut().zip(&other.transactions) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.statements.iter_mut().zip(&other.statements) {
            mine.merge(theirs);
        }
        for error in &other.errors {
            self.error(error.clone());
        }
        self.waited += other.waited;
        self.tallies.merge(&other.tallies);
    }

    /// All transaction types together.
    pub fn all(&self) -> TransactionStats {
        let mut all = TransactionStats::default();
        for transaction in &self.transactions {
            all.merge(transaction);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, fate: Fate, at: u64) -> ErrorStats {
        ErrorStats {
            transaction: 0,
            statement: 1,
            code: code.to_owned(),
            fate,
            count: 1,
            first: Duration::from_secs(at),
            last: Duration::from_secs(at),
            lost: None,
            message: format!("at {at}"),
        }
    }

    #[test]
    fn errors_gather_by_code_and_outages_do_not() {
        let mut left = Recorder::new(1, 2);
        let mut right = Recorder::new(1, 2);
        left.error(error("40P01", Fate::Retried, 5));
        right.error(error("40P01", Fate::Retried, 2));
        right.error(error("40001", Fate::Retried, 2));
        right.error(error("", Fate::Outage, 3));
        right.error(error("", Fate::Outage, 4));
        left.merge(&right);
        assert_eq!(left.errors.len(), 4);
        let first = &left.errors[0];
        assert_eq!(
            (first.count, first.first.as_secs(), first.last.as_secs()),
            (2, 2, 5)
        );
        assert_eq!(first.message, "at 2");
    }
}
