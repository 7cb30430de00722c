//! The sample of a check: which rows are looked at, and whether a row that the
//! server returns is the one that the generator makes.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::db::session::Row;
use crate::random::rng::{Purpose, Rng};
use crate::stats::check::CheckRow;
use crate::value::{RowBuf, Value};
use crate::workload::plan::Table;

/// Rows of a table that are looked at, at most.
const ROWS: u64 = 1_000;
/// Keys that a row of the check names, at most.
pub(super) const KEYS: usize = 10;

/// Numbers of the rows to look at, by size: all of a small table, else some
/// that depend on the data's seed and the table only. Floyd, "A Sample of
/// Brilliance", 1987: each set is equally likely.
pub fn numbers(table: &Table, seed: u64) -> BTreeSet<u64> {
    if table.rows <= ROWS {
        return (1..=table.rows).collect();
    }
    let mut rng = Rng::at(seed, Purpose::Check, table.index, 0);
    let mut picked = BTreeSet::new();
    for last in table.rows - ROWS + 1..=table.rows {
        let number = 1 + rng.below(last);
        if !picked.insert(number) {
            picked.insert(last);
        }
    }
    picked
}

/// What the rows that were looked at have shown.
#[derive(Debug, Default)]
pub struct Tally {
    good: u64,
    missing: u64,
    doubled: u64,
    changed: u64,
    /// Columns in which any row differs.
    differing: BTreeSet<usize>,
    /// Columns with values that cannot be read back.
    unread: BTreeSet<usize>,
    keys: Vec<String>,
}

impl Tally {
    /// `returned` rows came for one key, which differ in these columns.
    pub fn count(&mut self, key: &str, returned: u64, differing: &BTreeSet<usize>) {
        match returned {
            0 => self.missing += 1,
            1 if differing.is_empty() => {
                self.good += 1;
                return;
            }
            1 => {
                self.changed += 1;
                self.differing.extend(differing);
            }
            _ => self.doubled += 1,
        }
        if self.keys.len() < KEYS {
            self.keys.push(key.to_owned());
        }
    }

    /// Columns in which a returned row differs from the one that was loaded.
    pub fn compare(
        &mut self,
        row: &impl Row,
        loaded: &RowBuf,
        made: usize,
        differing: &mut BTreeSet<usize>,
    ) {
        for column in 0..loaded.columns() {
            match is_same(row, column, loaded.value(made, column)) {
                Some(true) => {}
                Some(false) => {
                    differing.insert(column);
                }
                None => {
                    self.unread.insert(column);
                }
            }
        }
    }

    pub fn row(self, check: &'static str, table: &Table) -> CheckRow {
        let total = self.good + self.missing + self.doubled + self.changed;
        let names = |columns: &BTreeSet<usize>| {
            let names: Vec<&str> = columns
                .iter()
                .map(|&column| table.columns[column].as_str())
                .collect();
            names.join(", ")
        };
        let but = if self.unread.is_empty() {
            String::new()
        } else {
            format!(" (without {}, not read back)", names(&self.unread))
        };
        let expected = format!("{total} of {total} rows as loaded{but}");
        let mut found = format!("{} of {total} rows as loaded{but}", self.good);
        let faults = [
            (self.missing, "missing".to_owned()),
            (self.doubled, "more than once".to_owned()),
            (
                self.changed,
                format!("changed in {}", names(&self.differing)),
            ),
        ];
        for (rows, fault) in faults {
            if rows > 0 {
                // Writing to a String cannot fail.
                let _ = write!(found, ", {rows} {fault}");
            }
        }
        CheckRow {
            first_keys: self.keys,
            ..CheckRow::judged(check, &table.name, found, expected)
        }
    }
}

/// Whether a column holds what was loaded; none where it cannot be read back.
/// What cannot be read as the type that was loaded is something else.
fn is_same(row: &impl Row, column: usize, loaded: Value<'_>) -> Option<bool> {
    let is_text = |wanted: &str| {
        // CHAR columns come back with blanks on their right, or without any.
        let wanted = wanted.trim_end_matches(' ');
        row.text(column)
            .is_ok_and(|text| text.trim_end_matches(' ') == wanted)
    };
    match loaded {
        Value::Null => Some(row.is_null(column)),
        // A column of text may take numbers too.
        Value::Int(number) => {
            Some(row.int(column).is_ok_and(|int| int == number) || is_text(&number.to_string()))
        }
        Value::Dec(wanted) => Some(
            row.dec(column, wanted.scale).is_ok_and(|dec| dec == wanted)
                || is_text(&wanted.to_string()),
        ),
        Value::Text(wanted) => Some(is_text(wanted)),
        Value::Time(us) => Some(row.int(column).is_ok_and(|time| time == us)),
        Value::Float(_) | Value::Bytes(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::session::{Class, DbError};
    use crate::value::Dec;
    use crate::workload::draw::Program;
    use crate::workload::plan::RowSource;

    fn table(rows: u64) -> Table {
        Table {
            name: "t".to_owned(),
            entry: "t".to_owned(),
            number: None,
            index: 3,
            create: String::new(),
            indexes: Vec::new(),
            foreign_keys: Vec::new(),
            rows,
            columns: vec!["id".to_owned(), "pad".to_owned()],
            source: RowSource::Draws {
                program: Program::default(),
                picks: Vec::new(),
            },
            max_rows: None,
            grows: false,
            sha: String::new(),
        }
    }

    #[test]
    fn a_sample_is_spread_and_repeatable() {
        assert_eq!(numbers(&table(3), 1), BTreeSet::from([1, 2, 3]));
        assert!(numbers(&table(0), 1).is_empty());
        assert_eq!(numbers(&table(1_001), 1).len(), 1_000);
        let large = table(1_000_000);
        let sample = numbers(&large, 1);
        assert_eq!(sample.len(), 1_000);
        assert!(sample.iter().all(|number| (1..=1_000_000).contains(number)));
        // 500 on the average, with a deviation of 16.
        let low = sample.range(..=500_000).count();
        assert!((400..=600).contains(&low), "{low}");
        assert_eq!(sample, numbers(&large, 1));
        assert_ne!(sample, numbers(&large, 2));
    }

    #[derive(Debug)]
    struct Stored(Value<'static>);

    impl Stored {
        fn other<T>() -> Result<T, DbError> {
            Err(DbError::new(Class::Other, "type", "another type"))
        }
    }

    impl Row for Stored {
        fn int(&self, _: usize) -> Result<i64, DbError> {
            match self.0 {
                Value::Int(v) => Ok(v),
                _ => Stored::other(),
            }
        }

        fn text(&self, _: usize) -> Result<&str, DbError> {
            match self.0 {
                Value::Text(v) => Ok(v),
                _ => Stored::other(),
            }
        }

        fn dec(&self, _: usize, _: u8) -> Result<Dec, DbError> {
            match self.0 {
                Value::Dec(v) => Ok(v),
                _ => Stored::other(),
            }
        }

        fn is_null(&self, _: usize) -> bool {
            self.0 == Value::Null
        }
    }

    #[test]
    fn values_are_compared_as_what_was_loaded() {
        let same = |stored, loaded| is_same(&Stored(stored), 0, loaded);
        let money = |units| Value::Dec(Dec { units, scale: 2 });
        for (stored, loaded, wanted) in [
            (Value::Int(7), Value::Int(7), Some(true)),
            (Value::Int(8), Value::Int(7), Some(false)),
            (Value::Text("7"), Value::Int(7), Some(true)),
            (Value::Null, Value::Int(7), Some(false)),
            (Value::Null, Value::Null, Some(true)),
            (Value::Text(""), Value::Null, Some(false)),
            (Value::Text("a  "), Value::Text("a"), Some(true)),
            (Value::Text("a"), Value::Text("a "), Some(true)),
            (Value::Text(" a"), Value::Text("a"), Some(false)),
            (Value::Text("A"), Value::Text("a"), Some(false)),
            (money(1250), money(1250), Some(true)),
            (money(1250), money(1251), Some(false)),
            (Value::Int(0), Value::Float(0.0), None),
        ] {
            assert_eq!(same(stored, loaded), wanted, "{stored:?} {loaded:?}");
        }
    }

    #[test]
    fn a_tally_names_columns_and_first_keys() {
        let none = BTreeSet::new();
        let mut tally = Tally::default();
        tally.count("1", 1, &none);
        tally.count("2", 0, &none);
        tally.count("3", 1, &BTreeSet::from([1]));
        tally.count("4", 2, &none);
        let row = tally.row("sample", &table(4));
        assert_eq!(
            row.found,
            "1 of 4 rows as loaded, 1 missing, 1 more than once, 1 changed in pad"
        );
        assert_eq!(row.expected, "4 of 4 rows as loaded");
        assert_eq!(row.keys(), "2 3 4");
        let mut tally = Tally::default();
        for number in 1..=50 {
            tally.count(&number.to_string(), 0, &none);
        }
        assert_eq!(tally.row("sample", &table(50)).first_keys.len(), 10);
    }
}
