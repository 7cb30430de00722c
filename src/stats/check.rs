//! One row of a check: what was looked at, what was found, and whether that is
//! what was to be found.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
    /// Nothing can be said; `found` says why.
    Skipped,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Skipped => "skipped",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRow {
    pub check: String,
    /// What was looked at: a table, or the part of all that a condition is about.
    pub scope: String,
    pub outcome: Outcome,
    pub found: String,
    pub expected: String,
    /// Where to look: keys of the first rows that are wrong, by size; the columns
    /// of one key stand apart by `/`.
    pub first_keys: Vec<String>,
}

impl CheckRow {
    /// Passes when `found` is `expected`.
    pub fn judged(check: &str, scope: &str, found: String, expected: String) -> CheckRow {
        let outcome = if found == expected {
            Outcome::Pass
        } else {
            Outcome::Fail
        };
        CheckRow {
            check: check.to_owned(),
            scope: scope.to_owned(),
            outcome,
            found,
            expected,
            first_keys: Vec::new(),
        }
    }

    pub fn skipped(check: &str, scope: &str, why: impl Into<String>) -> CheckRow {
        CheckRow {
            check: check.to_owned(),
            scope: scope.to_owned(),
            outcome: Outcome::Skipped,
            found: why.into(),
            expected: String::new(),
            first_keys: Vec::new(),
        }
    }

    /// `first_keys` as one cell.
    pub fn keys(&self) -> String {
        self.first_keys.join(" ")
    }
}
