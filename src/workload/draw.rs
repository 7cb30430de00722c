//! Compiled draws: how the value of a name is made, and in which order the
//! names of a transaction or a row are drawn.

use std::fmt;

use crate::random::distribution::Keys;
use crate::random::mask::Mask;
use crate::random::names::{last_name, user_key};
use crate::random::rng::Rng;
use crate::random::text::Fill;
use crate::value::{Cells, Value};

/// A name of `[draw]` and how its values are made.
#[derive(Clone, Debug)]
pub struct Draw {
    pub name: String,
    pub generator: Generator,
}

#[derive(Clone, Debug)]
pub enum Generator {
    Keys {
        keys: Keys,
        /// As the file says it, for people and for the data's hash.
        shown: String,
        min: i64,
        max: i64,
    },
    /// `(from + add) * times / div`, of another draw.
    Offset {
        from: String,
        add: i64,
        times: i64,
        div: i64,
    },
    /// The row's number, from 1: only in tables.
    Seq,
    /// Numbers above all keys that tables held when the run began: only in
    /// transactions.
    Fresh {
        /// The tables, by the name that they have in the file.
        table: String,
        /// Numbers that one draw takes, of which it gives the first.
        count: i64,
        /// The largest `count` of the draws for these tables: what they take
        /// lies this far apart.
        width: i64,
        /// The largest key.
        base: i64,
    },
    Const(Literal),
    Choice {
        values: Vec<Literal>,
        weights: Vec<u64>,
    },
    Digits {
        mask: Mask,
        shown: String,
    },
    Letters {
        fill: Fill,
        shown: String,
    },
    Bytes {
        fill: Fill,
        shown: String,
    },
    /// TPC-C's last name of a number, clause 4.3.2.3.
    Name {
        from: String,
    },
    /// YCSB's key of a number.
    Key {
        from: String,
    },
}

/// A value that stands in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Int(i64),
    Float(f64),
    Text(String),
}

impl Literal {
    fn value(&self) -> Value<'_> {
        match self {
            Literal::Int(number) => Value::Int(*number),
            Literal::Float(number) => Value::Float(*number),
            Literal::Text(text) => Value::Text(text),
        }
    }
}

/// A client's place among the numbers of `fresh`: of n clients, client c takes
/// the c-th number, then each n-th, through warm-up and window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fresh {
    next: i64,
    step: i64,
}

impl Fresh {
    pub fn new(client: u64, clients: u64) -> Fresh {
        let number = |number| i64::try_from(number).unwrap_or(i64::MAX);
        Fresh {
            next: number(client),
            step: number(clients),
        }
    }

    fn take(&mut self) -> i64 {
        let taken = self.next;
        self.next = taken.saturating_add(self.step);
        taken
    }
}

/// The draws of one transaction or row: register i is filled by `steps[i]`.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub steps: Vec<Step>,
}

/// One draw into the next register.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Place in `Plan::draws`.
    pub draw: u16,
    /// The register that an offset starts from.
    pub from: Option<u16>,
}

impl Program {
    /// Draws all names into `cells`, which is cleared first. `row` is what
    /// `seq` gives.
    pub fn run(
        &self,
        draws: &[Draw],
        row: i64,
        fresh: &mut Fresh,
        rng: &mut Rng,
        cells: &mut Cells,
    ) {
        cells.clear();
        for step in &self.steps {
            let from = match step.from.map(|register| cells.get(usize::from(register))) {
                Some(Value::Int(number)) => number,
                _ => 0,
            };
            draws[usize::from(step.draw)]
                .generator
                .draw(from, row, fresh, rng, cells);
        }
    }
}

impl Generator {
    fn draw(&self, from: i64, row: i64, fresh: &mut Fresh, rng: &mut Rng, cells: &mut Cells) {
        match self {
            Generator::Keys { keys, .. } => cells.push(Value::Int(keys.sample(rng))),
            Generator::Offset {
                add, times, div, ..
            } => {
                cells.push(Value::Int(offset(from, *add, *times, *div)));
            }
            Generator::Seq => cells.push(Value::Int(row)),
            Generator::Fresh { width, base, .. } => {
                cells.push(Value::Int(above(*base, fresh.take(), *width)));
            }
            Generator::Const(literal) => cells.push(literal.value()),
            Generator::Choice { values, weights } => {
                cells.push(values[chosen(weights, rng)].value());
            }
            Generator::Digits { mask, .. } => cells.push_text(|text| mask.write(rng, text)),
            Generator::Letters { fill, .. } => cells.push_text(|text| fill.letters(rng, text)),
            Generator::Bytes { fill, .. } => cells.push_bytes(|bytes| fill.bytes(rng, bytes)),
            Generator::Name { .. } => cells.push_text(|text| last_name(from.unsigned_abs(), text)),
            Generator::Key { .. } => cells.push_text(|text| user_key(from.unsigned_abs(), text)),
        }
    }

    /// Smallest and largest value, where they are whole numbers and known.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Generator::Keys { min, max, .. } => Some((*min, *max)),
            Generator::Const(Literal::Int(number)) => Some((*number, *number)),
            _ => None,
        }
    }

    /// The share of the most frequent key, 0 to 1.
    pub fn hottest(&self) -> Option<f64> {
        match self {
            Generator::Keys { keys, .. } => Some(keys.hottest_share()),
            _ => None,
        }
    }

    /// How many keys there are.
    #[expect(clippy::cast_precision_loss, reason = "a divisor of a share")]
    pub fn key_count(&self) -> Option<f64> {
        match self {
            Generator::Keys { keys, .. } => Some(keys.count() as f64),
            _ => None,
        }
    }

    /// As `Display`, with the share of the most frequent key where it is large:
    /// a hot row can turn a test of storage into a test of locks.
    pub fn shown_with_hottest(&self) -> String {
        const WORTH_SAYING: f64 = 0.01;
        match self {
            Generator::Keys { keys, .. } if is_skewed(keys, WORTH_SAYING) => {
                let share = 100.0 * keys.hottest_share();
                format!("{self}, {share:.1} % of them one key")
            }
            _ => self.to_string(),
        }
    }

    /// The draw that it is computed from.
    pub fn source(&self) -> Option<&str> {
        match self {
            Generator::Offset { from, .. } | Generator::Name { from } | Generator::Key { from } => {
                Some(from)
            }
            _ => None,
        }
    }

    /// Whether its values are whole numbers, so that an offset may follow it.
    pub fn is_whole_number(&self) -> bool {
        match self {
            Generator::Keys { .. }
            | Generator::Offset { .. }
            | Generator::Seq
            | Generator::Fresh { .. } => true,
            Generator::Const(literal) => matches!(literal, Literal::Int(_)),
            Generator::Choice { values, .. } => {
                values.iter().all(|value| matches!(value, Literal::Int(_)))
            }
            Generator::Digits { .. }
            | Generator::Letters { .. }
            | Generator::Bytes { .. }
            | Generator::Name { .. }
            | Generator::Key { .. } => false,
        }
    }
}

/// Whether one key gets more than `share` of the draws, and more than its due.
fn is_skewed(keys: &Keys, share: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let due = 1.0 / keys.count() as f64;
    keys.hottest_share() > share.max(1.5 * due)
}

/// Saturates: a key beyond 64 bits finds no row, which is counted, where a
/// wrapped one would find a wrong row.
fn offset(from: i64, add: i64, times: i64, div: i64) -> i64 {
    saturated((i128::from(from) + i128::from(add)) * i128::from(times) / i128::from(div))
}

/// Saturates too: a key that is no longer fresh is refused by the server.
fn above(base: i64, taken: i64, width: i64) -> i64 {
    saturated(i128::from(base) + 1 + i128::from(taken) * i128::from(width))
}

fn saturated(exact: i128) -> i64 {
    i64::try_from(exact).unwrap_or(if exact < 0 { i64::MIN } else { i64::MAX })
}

fn chosen(weights: &[u64], rng: &mut Rng) -> usize {
    let mut left = rng.below(weights.iter().sum());
    for (index, &weight) in weights.iter().enumerate() {
        if left < weight {
            return index;
        }
        left -= weight;
    }
    // Not reached: `left` began below the sum of the weights.
    weights.len() - 1
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Int(number) => write!(f, "{number}"),
            Literal::Float(number) => write!(f, "{number}"),
            Literal::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// As `show` prints it. Also part of the data's hash, so that a change of these
/// texts makes loaded tables look foreign.
impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Keys {
                shown, min, max, ..
            } => write!(f, "{shown} from {min} to {max}"),
            Generator::Offset {
                from,
                add,
                times: 1,
                div: 1,
            } => write!(f, "{from} + {add}"),
            Generator::Offset {
                from,
                add,
                times,
                div,
            } => write!(f, "({from} + {add}) * {times} / {div}"),
            Generator::Seq => f.write_str("row number"),
            Generator::Fresh {
                table, count: 1, ..
            } => write!(f, "fresh, above all keys of {table}"),
            Generator::Fresh { table, count, .. } => {
                write!(f, "fresh, {count} at a time, above all keys of {table}")
            }
            Generator::Const(literal) => write!(f, "{literal}"),
            Generator::Choice { values, weights } => {
                f.write_str("one of")?;
                for (value, weight) in values.iter().zip(weights) {
                    write!(f, " {value} ({weight})")?;
                }
                Ok(())
            }
            Generator::Digits { shown, .. } => write!(f, "digits {shown}"),
            Generator::Letters { shown, .. } => write!(f, "letters {shown}"),
            Generator::Bytes { shown, .. } => write!(f, "bytes {shown}"),
            Generator::Name { from } => write!(f, "last name of {from}"),
            Generator::Key { from } => write!(f, "YCSB key of {from}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_numbers_are_dealt_to_clients_in_stripes() {
        let mut clients = [0, 1, 2].map(|client| Fresh::new(client, 3));
        let taken = [0, 1, 2, 2, 1].map(|client| above(100, clients[client].take(), 1));
        assert_eq!(taken, [101, 102, 103, 106, 105]);
        let taken = [0, 1, 0].map(|client| above(100, clients[client].take(), 10));
        assert_eq!(taken, [131, 171, 161], "ten numbers each");
        assert_eq!(above(i64::MAX, 0, 1), i64::MAX);
        assert_eq!(above(0, i64::MAX, 2), i64::MAX);
    }

    #[test]
    fn offsets_hold_at_the_ends() {
        assert_eq!(offset(5, 99, 1, 1), 104);
        assert_eq!(offset(7, -1, 10, 3), 20);
        assert_eq!(offset(i64::MAX, 1, 2, 1), i64::MAX);
        assert_eq!(offset(i64::MIN, -1, 1, 1), i64::MIN);
    }
}
