//! A workload file exactly as typed: every key, its type and its position.
//!
//! No meaning is given here beyond types; `resolve` knows parameters and
//! `compile` knows what names refer to.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use toml::Spanned;

/// Keys with their values, in the order of the file.
#[derive(Clone, Debug)]
pub struct Pairs<T>(pub Vec<(String, T)>);

/// A value that may be a number, a text, or the name of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    Int(i64),
    Float(f64),
    Text(String),
    /// `{ param = "scale", times = 100000, add = -1 }`: `param * times + add`.
    Scaled {
        param: String,
        times: i64,
        add: i64,
    },
}

pub type Key = Option<Spanned<Scalar>>;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub about: String,
    /// Base name of the SQL files: `oltp` for `sql/common/oltp.sql`.
    pub sql: Spanned<String>,
    pub mix: Key,
    pub engines: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub params: Pairs<Spanned<Scalar>>,
    #[serde(default)]
    pub draw: Pairs<Spanned<DrawSpec>>,
    #[serde(default)]
    pub table: Vec<Spanned<TableSpec>>,
    #[serde(default)]
    pub procedure: Vec<Spanned<ProcedureSpec>>,
    pub transaction: Vec<Spanned<TransactionSpec>>,
    /// Blocks that do all of a built-in transaction, of this name, by one call.
    #[serde(default)]
    pub call: Pairs<Spanned<String>>,
    #[serde(default)]
    pub condition: Pairs<Spanned<ConditionSpec>>,
    #[serde(default)]
    pub run: RunSpec,
    #[serde(default)]
    pub preset: Pairs<Spanned<Pairs<Spanned<Scalar>>>>,
}

/// One draw. Which keys belong to which kind is checked when it is compiled:
/// serde's tagged enums would lose the positions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawSpec {
    pub kind: Spanned<Scalar>,
    pub min: Key,
    pub max: Key,
    pub h: Key,
    pub theta: Key,
    pub p: Key,
    pub iter: Key,
    pub hot_fraction: Key,
    pub hot_share: Key,
    pub pct: Key,
    pub res: Key,
    pub a: Key,
    pub c: Key,
    pub order: Key,
    pub from: Option<Spanned<String>>,
    pub table: Option<Spanned<String>>,
    pub count: Key,
    pub add: Key,
    pub times: Key,
    pub div: Key,
    pub mask: Key,
    pub len: Key,
    pub compress: Key,
    pub value: Key,
    pub values: Option<Spanned<Vec<Spanned<Scalar>>>>,
    pub weights: Option<Spanned<Vec<Spanned<Scalar>>>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    pub name: Spanned<String>,
    pub create: Spanned<String>,
    #[serde(default)]
    pub index: Vec<Spanned<String>>,
    pub count: Key,
    pub rows: Key,
    /// More rows than its columns can number are refused.
    pub max_rows: Key,
    pub columns: Option<Spanned<Pairs<Spanned<String>>>>,
    /// In place of `rows`, `columns` and `count`: rows that are made in Rust.
    pub builtin: Option<Spanned<String>>,
    /// SQL blocks that run after those of `index`, where the parameter `fk` says so.
    #[serde(default)]
    pub foreign_keys: Vec<Spanned<String>>,
    #[serde(default)]
    pub grows: bool,
}

/// A stored procedure, made behind the load.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureSpec {
    pub name: Spanned<String>,
    pub create: Spanned<String>,
    /// The table that it goes with, by its name in the file.
    pub table: Spanned<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransactionSpec {
    pub name: Spanned<String>,
    pub weight: Key,
    /// How long a person takes to enter it, and on the average to look at the
    /// answer.
    pub keying: Key,
    pub think: Key,
    #[serde(default)]
    pub atomic: bool,
    #[serde(default)]
    pub hold: Vec<Spanned<String>>,
    pub steps: Option<Spanned<Vec<StepSpec>>>,
    /// In place of `steps`: a transaction that is written in Rust.
    pub builtin: Option<Spanned<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepSpec {
    pub run: Vec<Spanned<String>>,
    pub repeat: Key,
    #[serde(default)]
    pub hold: Vec<Spanned<String>>,
}

/// What holds of the rows however many transactions have changed them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionSpec {
    pub about: String,
    /// SQL block that returns what breaks the condition.
    pub run: Spanned<String>,
    /// Names of the columns that it returns.
    pub key: Spanned<Vec<String>>,
    /// `{ w = 4 }`: sent for `:w` from 1 to 4.
    pub each: Option<Spanned<Pairs<Spanned<Scalar>>>>,
    pub when: Key,
}

/// How a run goes where no flag says otherwise.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    pub clients: Key,
    pub warmup: Key,
    pub time: Key,
    pub transactions: Key,
    pub grace: Key,
    pub seed: Key,
    pub error_limit: Key,
    pub rate: Key,
    pub arrivals: Key,
    pub schedule: Key,
    pub late_limit: Key,
    /// What keying and think times are multiplied by.
    pub wait: Key,
    pub sla: Key,
    pub isolation: Key,
    pub prewarm: Key,
    /// A list, so no key of presets, whose values are single.
    pub session: Option<Vec<Spanned<Scalar>>>,
}

impl DrawSpec {
    /// Keys with one value, by name.
    fn single(&self) -> [(&'static str, &Key); 21] {
        [
            ("min", &self.min),
            ("max", &self.max),
            ("h", &self.h),
            ("theta", &self.theta),
            ("p", &self.p),
            ("iter", &self.iter),
            ("hot_fraction", &self.hot_fraction),
            ("hot_share", &self.hot_share),
            ("pct", &self.pct),
            ("res", &self.res),
            ("a", &self.a),
            ("c", &self.c),
            ("order", &self.order),
            ("add", &self.add),
            ("times", &self.times),
            ("div", &self.div),
            ("mask", &self.mask),
            ("len", &self.len),
            ("compress", &self.compress),
            ("value", &self.value),
            ("count", &self.count),
        ]
    }

    /// Names of the keys that are there, beside `kind`.
    pub fn given(&self) -> Vec<&'static str> {
        let single = self.single();
        let single = single
            .iter()
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| *name);
        let others = [
            ("from", self.from.is_some()),
            ("table", self.table.is_some()),
            ("values", self.values.is_some()),
            ("weights", self.weights.is_some()),
        ];
        let others = others.into_iter().filter(|(_, is_there)| *is_there);
        single.chain(others.map(|(name, _)| name)).collect()
    }

    /// The value of a key with one value.
    pub fn value_of(&self, key: &str) -> Option<&Spanned<Scalar>> {
        let entry = self.single().into_iter().find(|(name, _)| *name == key);
        entry.and_then(|(_, value)| value.as_ref())
    }
}

impl RunSpec {
    /// Its keys with single values, for presets.
    pub const KEYS: [&str; 15] = [
        "clients",
        "warmup",
        "time",
        "transactions",
        "grace",
        "seed",
        "error_limit",
        "rate",
        "arrivals",
        "schedule",
        "late_limit",
        "wait",
        "sla",
        "isolation",
        "prewarm",
    ];
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs(Vec::new())
    }
}

impl<T> Pairs<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table of names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, a text, or the name of a parameter")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Int(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Float(number))
    }

    /// A choice of two words.
    fn visit_bool<E>(self, yes: bool) -> Result<Scalar, E> {
        Ok(Scalar::Text(yes.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Scalar, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Scaled {
            param: String,
            #[serde(default = "one")]
            times: i64,
            #[serde(default)]
            add: i64,
        }
        fn one() -> i64 {
            1
        }
        let map = serde::de::value::MapAccessDeserializer::new(map);
        let Scaled { param, times, add } = Scaled::deserialize(map)?;
        Ok(Scalar::Scaled { param, times, add })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(number) => write!(f, "{number}"),
            Scalar::Float(number) => write!(f, "{number}"),
            Scalar::Text(text) => f.write_str(text),
            Scalar::Scaled { param, times, add } => write!(f, "{param} * {times} + {add}"),
        }
    }
}
