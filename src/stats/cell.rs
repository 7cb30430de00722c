//! One cell of a result, for every output.

/// A value in a CSV or on the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Not measured or not meaningful: an empty cell, never a 0.
    Empty,
    Int(u64),
    Real(f64),
    Text(String),
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    Time(i64),
}

impl Cell {
    pub fn yes_no(yes: bool) -> Cell {
        Cell::Text(if yes { "yes" } else { "no" }.to_owned())
    }

    /// The number in it, if it holds one.
    #[expect(
        clippy::cast_precision_loss,
        reason = "figures for people and statistics"
    )]
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Int(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        if number.is_finite() {
            Cell::Real(number)
        } else {
            Cell::Empty
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        if text.is_empty() {
            Cell::Empty
        } else {
            Cell::Text(text.to_owned())
        }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Empty, Into::into)
    }
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
    Neither,
}
