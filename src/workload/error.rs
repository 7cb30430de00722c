//! Faults in workload and SQL files, with the place where they stand.

use std::fmt;
use std::ops::Range;

/// Where a fault stands: a file and a line, a flag, or a file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Line {
        file: String,
        line: usize,
    },
    File(String),
    /// A flag with its value, such as `--set rows=abc`.
    Flag(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { file, line } => write!(f, "{file}:{line}"),
            Place::File(name) | Place::Flag(name) => f.write_str(name),
        }
    }
}

/// A workload that cannot be used: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct SpecError {
    pub place: Place,
    pub message: String,
}

impl SpecError {
    pub fn in_file(file: &str, message: impl Into<String>) -> SpecError {
        SpecError {
            place: Place::File(file.to_owned()),
            message: message.into(),
        }
    }

    pub fn at_line(file: &str, line: usize, message: impl Into<String>) -> SpecError {
        SpecError {
            place: Place::Line {
                file: file.to_owned(),
                line,
            },
            message: message.into(),
        }
    }

    pub fn in_flag(flag: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError {
            place: Place::Flag(flag.into()),
            message: message.into(),
        }
    }
}

/// The line, from 1, on which a byte range of `text` begins.
pub fn line_of(text: &str, span: &Range<usize>) -> usize {
    let end = span.start.min(text.len());
    1 + text.as_bytes()[..end]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
}

/// `a, b and c`, for messages that name what is known.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
