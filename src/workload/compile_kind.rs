//! One `[draw]` entry to its generator: which keys belong to which kind, their
//! ranges, and what they are where the file is silent.

use toml::Spanned;

use crate::random::distribution::{Keys, Shape};
use crate::random::error::RangeError;
use crate::random::mask::Mask;
use crate::random::order::Order;
use crate::random::text::Fill;
use crate::workload::draw::{Generator, Literal};
use crate::workload::error::{SpecError, listed};
use crate::workload::resolve::Resolver;
use crate::workload::spec::{DrawSpec, Key, Scalar};

/// Values of `kind`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Uniform,
    Pareto,
    Zipf,
    Gaussian,
    Exponential,
    Hotspot,
    Special,
    Nurand,
    YcsbZipf,
    Offset,
    Seq,
    Fresh,
    Choice,
    Const,
    Digits,
    Letters,
    Bytes,
    Name,
    Key,
}

/// Kinds with their names and the keys that they take beside `kind`.
const KINDS: [(&str, Kind, &[&str]); 19] = [
    ("uniform", Kind::Uniform, &["min", "max"]),
    ("pareto", Kind::Pareto, &["min", "max", "h", "order"]),
    ("zipf", Kind::Zipf, &["min", "max", "theta", "order"]),
    (
        "gaussian",
        Kind::Gaussian,
        &["min", "max", "iter", "p", "order"],
    ),
    (
        "exponential",
        Kind::Exponential,
        &["min", "max", "p", "order"],
    ),
    (
        "hotspot",
        Kind::Hotspot,
        &["min", "max", "hot_fraction", "hot_share", "order"],
    ),
    (
        "special",
        Kind::Special,
        &["min", "max", "pct", "res", "iter", "order"],
    ),
    ("nurand", Kind::Nurand, &["min", "max", "a", "c", "order"]),
    ("ycsb_zipf", Kind::YcsbZipf, &["min", "max", "order"]),
    ("offset", Kind::Offset, &["from", "add", "times", "div"]),
    ("seq", Kind::Seq, &[]),
    ("fresh", Kind::Fresh, &["table", "count"]),
    ("choice", Kind::Choice, &["values", "weights"]),
    ("const", Kind::Const, &["value"]),
    ("digits", Kind::Digits, &["mask"]),
    ("letters", Kind::Letters, &["len", "compress"]),
    ("bytes", Kind::Bytes, &["len", "compress"]),
    ("name", Kind::Name, &["from"]),
    ("key", Kind::Key, &["from"]),
];

/// Skews come first in `KINDS`: a parameter may choose among these.
const SKEWS: usize = 9;

const ORDERS: [(&str, Order); 3] = [
    ("ordered", Order::Ordered),
    ("reversed", Order::Reversed),
    ("scattered", Order::Scattered),
];

/// One draw being compiled.
pub(super) struct One<'a> {
    pub resolver: &'a Resolver<'a>,
    pub name: &'a str,
    pub spec: &'a Spanned<DrawSpec>,
}

impl One<'_> {
    pub fn generator(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let key = format!("draw.{}.kind", self.name);
        let by_parameter = self.resolver.is_parameter(&spec.kind);
        let choices = if by_parameter {
            &KINDS[..SKEWS]
        } else {
            &KINDS[..]
        };
        let choices: Vec<(&str, Kind)> = choices
            .iter()
            .map(|(name, kind, _)| (*name, *kind))
            .collect();
        let kind = self.resolver.choice(&key, &spec.kind, &choices)?;
        self.check_keys(kind, by_parameter)?;
        Ok(match kind {
            Kind::Offset => self.offset()?,
            Kind::Seq => Generator::Seq,
            Kind::Fresh => self.fresh()?,
            Kind::Choice => self.choice()?,
            Kind::Const => {
                let value = self.needed("value", spec.value.as_ref())?;
                Generator::Const(self.literal("value", value)?)
            }
            Kind::Digits => {
                let mask = self.needed("mask", spec.mask.as_ref())?;
                let shown = self.resolver.word(mask)?;
                Generator::Digits {
                    mask: Mask::new(&shown),
                    shown,
                }
            }
            Kind::Letters => {
                let (fill, shown) = self.fill()?;
                Generator::Letters { fill, shown }
            }
            Kind::Bytes => {
                let (fill, shown) = self.fill()?;
                Generator::Bytes { fill, shown }
            }
            Kind::Name => Generator::Name { from: self.from()? },
            Kind::Key => Generator::Key { from: self.from()? },
            _ => self.keys(kind)?,
        })
    }

    /// Refuses keys that have no meaning for the kind. Where the kind is a
    /// parameter, keys of every skew that it could become are in place.
    fn check_keys(&self, kind: Kind, by_parameter: bool) -> Result<(), SpecError> {
        let entry = KINDS.iter().find(|(_, known, _)| *known == kind);
        let (name, _, keys) = entry.copied().unwrap_or(KINDS[0]);
        let of_a_skew = |key: &str| {
            KINDS[..SKEWS]
                .iter()
                .any(|(_, _, keys)| keys.contains(&key))
        };
        for key in self.spec.as_ref().given() {
            let fits = keys.contains(&key) || (by_parameter && of_a_skew(key));
            if !fits {
                let keys = listed(keys.iter().copied());
                return Err(self.fault(&format!(
                    "`{key}` has no meaning for kind `{name}`, which takes {keys}"
                )));
            }
        }
        Ok(())
    }

    fn keys(&self, kind: Kind) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let min = self.int("min", self.needed("min", spec.min.as_ref())?)?;
        let max = self.int("max", self.needed("max", spec.max.as_ref())?)?;
        let (shape, shown) = self.shape(kind)?;
        let order = match &spec.order {
            Some(order) => self.resolver.choice(&self.key("order"), order, &ORDERS)?,
            None => Order::Ordered,
        };
        // Where all keys are equal there is no hot end to place.
        let (order, shown) = match kind {
            Kind::Uniform => (Order::Ordered, shown),
            _ => (order, format!("{shown} {}", order.name())),
        };
        let keys = Keys::new(shape, min, max, order).map_err(|error| {
            let blamed = match error {
                RangeError::Parameter { parameter, .. } => spec.value_of(parameter),
                RangeError::Empty { .. } | RangeError::TooWide { .. } => spec.max.as_ref(),
            };
            let message = format!("draw `{}`: {error}", self.name);
            match blamed {
                Some(value) => self.resolver.fault_of(value, &message),
                None => self.resolver.fault(&self.spec.span(), message),
            }
        })?;
        Ok(Generator::Keys {
            keys,
            shown,
            min,
            max,
        })
    }

    /// The distribution, and how `show` says it. All parameters of all skews are
    /// asked for, whatever the kind, so that `--set h=abc` is refused in time.
    fn shape(&self, kind: Kind) -> Result<(Shape, String), SpecError> {
        let spec = self.spec.as_ref();
        let real = |key: &str, value: &Key, default: f64| match value {
            Some(value) => self.resolver.real(&self.key(key), value),
            None => Ok(default),
        };
        let count = |key: &str, value: &Key, default: u64| match value {
            Some(value) => self.resolver.count(&self.key(key), value),
            None => Ok(default),
        };
        // Where the file is silent: sysbench's and YCSB's own defaults.
        let h = real("h", &spec.h, 0.2)?;
        let theta = real("theta", &spec.theta, 0.8)?;
        let p = real("p", &spec.p, 5.0)?;
        let hot_fraction = real("hot_fraction", &spec.hot_fraction, 0.2)?;
        let hot_share = real("hot_share", &spec.hot_share, 0.8)?;
        let pct = real("pct", &spec.pct, 1.0)?;
        let res = real("res", &spec.res, 75.0)?;
        let iter = u32::try_from(count("iter", &spec.iter, 12)?).unwrap_or(u32::MAX);
        let a = count("a", &spec.a, 1023)?;
        let c = count("c", &spec.c, 0)?;
        Ok(match kind {
            Kind::Pareto => (Shape::Pareto { h }, format!("pareto h={h}")),
            Kind::Zipf => (Shape::Zipf { theta }, format!("zipf theta={theta}")),
            Kind::Gaussian if spec.p.is_some() => {
                (Shape::PgGaussian { p }, format!("gaussian p={p}"))
            }
            Kind::Gaussian => (Shape::Gaussian { iter }, format!("gaussian iter={iter}")),
            Kind::Exponential => (Shape::Exponential { p }, format!("exponential p={p}")),
            Kind::Hotspot => {
                let shape = Shape::Hotspot {
                    hot_fraction,
                    hot_share,
                };
                (
                    shape,
                    format!("hotspot hot_fraction={hot_fraction} hot_share={hot_share}"),
                )
            }
            Kind::Special => {
                let shape = Shape::Special { pct, res, iter };
                (shape, format!("special pct={pct} res={res} iter={iter}"))
            }
            Kind::Nurand => (Shape::Nurand { a, c }, format!("nurand a={a} c={c}")),
            Kind::YcsbZipf => (Shape::YcsbZipf, "ycsb_zipf".to_owned()),
            _ => (Shape::Uniform, "uniform".to_owned()),
        })
    }

    fn fill(&self) -> Result<(Fill, String), SpecError> {
        let spec = self.spec.as_ref();
        let len = self
            .resolver
            .count(&self.key("len"), self.needed("len", spec.len.as_ref())?)?;
        let compress = match &spec.compress {
            Some(compress) => self.resolver.real(&self.key("compress"), compress)?,
            None => 0.0,
        };
        // A single value of more than 1 GB fits no engine.
        let len = usize::try_from(len).ok().filter(|len| *len <= 1 << 30);
        let len =
            len.ok_or_else(|| self.fault("`len` is more than 1 GiB, which no engine takes"))?;
        let fill = Fill::new(len, compress).map_err(|error| self.fault(&error.to_string()))?;
        Ok((fill, format!("len={len} compress={compress}")))
    }

    fn from(&self) -> Result<String, SpecError> {
        let from = self.spec.as_ref().from.as_ref();
        let from = from.ok_or_else(|| self.fault("`from` is missing"))?;
        Ok(from.as_ref().clone())
    }

    fn offset(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let or = |key: &str, value: &Option<Spanned<Scalar>>, default| {
            value
                .as_ref()
                .map_or(Ok(default), |value| self.int(key, value))
        };
        let div = or("div", &spec.div, 1)?;
        if div == 0 {
            return Err(self.fault("`div` is 0; nothing can be divided by it"));
        }
        Ok(Generator::Offset {
            from: self.from()?,
            add: or("add", &spec.add, 0)?,
            times: or("times", &spec.times, 1)?,
            div,
        })
    }

    /// Its base is found when the tables are compiled.
    fn fresh(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let table = spec.table.as_ref();
        let table = table.ok_or_else(|| self.fault("`table` is missing"))?;
        let count = match &spec.count {
            Some(count) => self.int("count", count)?,
            None => 1,
        };
        if count < 1 {
            return Err(self.fault(&format!("`count` is {count}; a draw takes at least 1")));
        }
        Ok(Generator::Fresh {
            table: table.as_ref().clone(),
            count,
            width: count,
            base: 0,
        })
    }

    fn choice(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let values = spec
            .values
            .as_ref()
            .ok_or_else(|| self.fault("`values` is missing"))?;
        let values = values
            .as_ref()
            .iter()
            .map(|value| self.literal("values", value))
            .collect::<Result<Vec<_>, _>>()?;
        let weights = match &spec.weights {
            Some(weights) => weights
                .as_ref()
                .iter()
                .map(|weight| self.resolver.count(&self.key("weights"), weight))
                .collect::<Result<Vec<_>, _>>()?,
            None => vec![1; values.len()],
        };
        if weights.len() != values.len() {
            return Err(self.fault(&format!(
                "{} values have {} weights; give each one",
                values.len(),
                weights.len()
            )));
        }
        let total = weights
            .iter()
            .try_fold(0_u64, |sum, weight| sum.checked_add(*weight));
        if total.is_none_or(|total| total == 0) {
            return Err(self.fault("the weights must add up to more than 0 and less than 2^64"));
        }
        Ok(Generator::Choice { values, weights })
    }

    fn literal(&self, key: &str, value: &Spanned<Scalar>) -> Result<Literal, SpecError> {
        Ok(match self.resolver.literal(&self.key(key), value)? {
            Scalar::Int(number) => Literal::Int(number),
            Scalar::Float(number) => Literal::Float(number),
            Scalar::Text(text) => match crate::units::parse_integer(&text) {
                // A parameter such as "250k", or a number from --set.
                Ok(number) => Literal::Int(number),
                Err(_) => Literal::Text(text),
            },
            Scalar::Scaled { .. } => Literal::Int(self.int(key, value)?),
        })
    }

    fn int(&self, key: &str, value: &Spanned<Scalar>) -> Result<i64, SpecError> {
        self.resolver.int(&self.key(key), value)
    }

    fn needed<'a>(
        &self,
        key: &str,
        value: Option<&'a Spanned<Scalar>>,
    ) -> Result<&'a Spanned<Scalar>, SpecError> {
        value.ok_or_else(|| self.fault(&format!("`{key}` is missing")))
    }

    fn key(&self, key: &str) -> String {
        format!("draw.{}.{key}", self.name)
    }

    fn fault(&self, message: &str) -> SpecError {
        self.resolver.fault(
            &self.spec.span(),
            format!("draw `{}`: {message}", self.name),
        )
    }
}
