//! What is wrong with the parameters of a distribution or a text.
//!
//! Found when a generator is made; drawing never fails.

use thiserror::Error;

/// A range or parameter that no generator can draw from.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RangeError {
    #[error("the range {min} to {max} is empty; set max to at least min")]
    Empty { min: i64, max: i64 },
    #[error("the range {min} to {max} holds more than 2^63 numbers; narrow it")]
    TooWide { min: i64, max: i64 },
    #[error("{parameter} of {kind} is {value}; set it to {allowed}")]
    Parameter {
        /// The distribution or text, as workload files call it.
        kind: &'static str,
        parameter: &'static str,
        value: String,
        allowed: &'static str,
    },
}

/// The distribution or text whose parameters are being checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check(pub &'static str);

impl Check {
    /// Refuses a parameter, with the range that is `allowed`, unless it is `good`.
    pub(super) fn that(
        self,
        good: bool,
        parameter: &'static str,
        value: &impl ToString,
        allowed: &'static str,
    ) -> Result<(), RangeError> {
        if good {
            return Ok(());
        }
        Err(RangeError::Parameter {
            kind: self.0,
            parameter,
            value: value.to_string(),
            allowed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let refused = Check("pareto").that(false, "h", &1.5, "more than 0 and less than 1");
        assert_eq!(
            refused.unwrap_err().to_string(),
            "h of pareto is 1.5; set it to more than 0 and less than 1"
        );
        assert_eq!(
            RangeError::Empty { min: 1, max: 0 }.to_string(),
            "the range 1 to 0 is empty; set max to at least min"
        );
    }
}
