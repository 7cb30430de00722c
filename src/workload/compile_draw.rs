//! `[draw]` as typed to generators: which keys belong to which kind, and their
//! ranges.

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml::Spanned;

use crate::random::distribution::{Keys, Shape};
use crate::random::error::RangeError;
use crate::random::mask::Mask;
use crate::random::order::Order;
use crate::workload::draw::{Draw, Generator, Literal};
use crate::workload::error::{SpecError, listed};
use crate::workload::resolve::Resolver;
use crate::workload::spec::{DrawSpec, Pairs, Scalar};

/// The built-in draw of a table's row number.
pub const SEQ: &str = "seq";

/// All draws of a workload, and which of them something uses.
#[derive(Debug)]
pub(super) struct Draws {
    pub list: Vec<Draw>,
    /// Parameters that each draw asks for.
    pub params: Vec<BTreeSet<String>>,
    pub used: RefCell<BTreeSet<u16>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Uniform,
    Pareto,
    Offset,
    Seq,
    Choice,
    Const,
    Digits,
}

const KINDS: [(&str, Kind); 7] = [
    ("uniform", Kind::Uniform),
    ("pareto", Kind::Pareto),
    ("offset", Kind::Offset),
    ("seq", Kind::Seq),
    ("choice", Kind::Choice),
    ("const", Kind::Const),
    ("digits", Kind::Digits),
];

const ORDERS: [(&str, Order); 3] = [
    ("ordered", Order::Ordered),
    ("reversed", Order::Reversed),
    ("scattered", Order::Scattered),
];

impl Kind {
    /// Keys that the kind takes beside `kind`.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Uniform => &["min", "max"],
            Kind::Pareto => &["min", "max", "h", "order"],
            Kind::Offset => &["from", "add", "times", "div"],
            Kind::Seq => &[],
            Kind::Choice => &["values", "weights"],
            Kind::Const => &["value"],
            Kind::Digits => &["mask"],
        }
    }
}

pub(super) fn compile_draws(
    resolver: &Resolver,
    specs: &Pairs<Spanned<DrawSpec>>,
) -> Result<Draws, SpecError> {
    let mut draws = Vec::new();
    let mut params = Vec::new();
    resolver.take_used();
    for (name, spec) in &specs.0 {
        let generator = One {
            resolver,
            name,
            spec,
        }
        .generator()?;
        draws.push(Draw {
            name: name.clone(),
            generator,
        });
        params.push(resolver.take_used());
    }
    if !draws.iter().any(|draw| draw.name == SEQ) {
        draws.push(Draw {
            name: SEQ.to_owned(),
            generator: Generator::Seq,
        });
        params.push(BTreeSet::new());
    }
    let draws = Draws {
        list: draws,
        params,
        used: RefCell::default(),
    };
    draws.check_offsets(resolver, specs)?;
    Ok(draws)
}

/// One draw being compiled.
struct One<'a> {
    resolver: &'a Resolver<'a>,
    name: &'a str,
    spec: &'a Spanned<DrawSpec>,
}

impl One<'_> {
    fn generator(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let key = format!("draw.{}.kind", self.name);
        let (kind, by_parameter) = self.resolver.choice(&key, &spec.kind, &KINDS)?;
        self.check_keys(kind, by_parameter)?;
        Ok(match kind {
            Kind::Uniform | Kind::Pareto => self.keys(kind)?,
            Kind::Offset => self.offset()?,
            Kind::Seq => Generator::Seq,
            Kind::Choice => self.choice()?,
            Kind::Const => {
                Generator::Const(self.literal("value", self.needed("value", spec.value.as_ref())?)?)
            }
            Kind::Digits => {
                let mask = self.needed("mask", spec.mask.as_ref())?;
                let shown = self.resolver.word(mask)?;
                Generator::Digits {
                    mask: Mask::new(&shown),
                    shown,
                }
            }
        })
    }

    /// Refuses keys that have no meaning for the kind. Where the kind is a
    /// parameter, keys of every kind it could become are in place.
    fn check_keys(&self, kind: Kind, by_parameter: bool) -> Result<(), SpecError> {
        let spec = self.spec.as_ref();
        let given = [
            ("min", spec.min.is_some()),
            ("max", spec.max.is_some()),
            ("h", spec.h.is_some()),
            ("order", spec.order.is_some()),
            ("from", spec.from.is_some()),
            ("add", spec.add.is_some()),
            ("times", spec.times.is_some()),
            ("div", spec.div.is_some()),
            ("mask", spec.mask.is_some()),
            ("value", spec.value.is_some()),
            ("values", spec.values.is_some()),
            ("weights", spec.weights.is_some()),
        ];
        let numeric = matches!(kind, Kind::Uniform | Kind::Pareto);
        for (key, is_given) in given {
            let fits = kind.keys().contains(&key)
                || (by_parameter && numeric && Kind::Pareto.keys().contains(&key));
            if is_given && !fits {
                let name = KINDS
                    .iter()
                    .find(|(_, known)| *known == kind)
                    .map_or("", |(name, _)| *name);
                let keys = listed(kind.keys().iter().copied());
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
        // Asked for under every kind, so that `--set h=abc` is refused in time.
        let h = match &spec.h {
            Some(h) => self.resolver.real(&self.key("h"), h)?,
            None => 0.2,
        };
        let order = match &spec.order {
            Some(order) => self.resolver.choice(&self.key("order"), order, &ORDERS)?.0,
            None => Order::Ordered,
        };
        let (shape, shown) = match kind {
            Kind::Pareto => {
                let order = ORDERS
                    .iter()
                    .find(|(_, known)| *known == order)
                    .map_or("", |(name, _)| *name);
                (Shape::Pareto { h }, format!("pareto h={h} {order}"))
            }
            _ => (Shape::Uniform, "uniform".to_owned()),
        };
        let order = if kind == Kind::Uniform {
            Order::Ordered
        } else {
            order
        };
        let keys = Keys::new(shape, min, max, order).map_err(|error| {
            let blamed = match error {
                RangeError::Parameter { parameter, .. } => {
                    spec.h.as_ref().filter(|_| parameter == "h")
                }
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

    fn offset(&self) -> Result<Generator, SpecError> {
        let spec = self.spec.as_ref();
        let from = spec
            .from
            .as_ref()
            .ok_or_else(|| self.fault("`from` is missing"))?;
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
            from: from.as_ref().clone(),
            add: or("add", &spec.add, 0)?,
            times: or("times", &spec.times, 1)?,
            div,
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

impl Draws {
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    pub fn bounds(&self, name: &str) -> Option<(i64, i64)> {
        self.list[self.place(name)?].generator.bounds()
    }

    /// The place of a draw that is known to be there.
    pub fn mark_used(&self, name: &str) -> u16 {
        let place = u16::try_from(self.place(name).unwrap_or(0)).unwrap_or(u16::MAX);
        self.used.borrow_mut().insert(place);
        place
    }

    pub fn is_used(&self, name: &str) -> bool {
        self.place(name).is_some_and(|place| {
            self.used
                .borrow()
                .iter()
                .any(|used| usize::from(*used) == place)
        })
    }

    /// The name that an offset starts from.
    pub fn source_of(&self, draw: u16) -> Option<&str> {
        match &self.list[usize::from(draw)].generator {
            Generator::Offset { from, .. } => Some(from),
            _ => None,
        }
    }

    /// Whether `name` is an offset from `source`, directly or not.
    pub fn starts_from(&self, name: &str, source: &str) -> bool {
        let mut name = name.to_owned();
        while let Some(from) = self
            .place(&name)
            .and_then(|place| self.source_of(u16::try_from(place).ok()?))
        {
            if from == source {
                return true;
            }
            from.clone_into(&mut name);
        }
        false
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|draw| draw.name == name)
    }

    /// An offset must start from a whole number and not, in the end, from itself.
    fn check_offsets(
        &self,
        resolver: &Resolver,
        specs: &Pairs<Spanned<DrawSpec>>,
    ) -> Result<(), SpecError> {
        for (name, spec) in &specs.0 {
            let mut at = name.clone();
            for step in 0.. {
                let Some(Generator::Offset { from, .. }) =
                    self.place(&at).map(|place| &self.list[place].generator)
                else {
                    break;
                };
                let fault = |message: String| {
                    resolver.fault(&spec.span(), format!("draw `{name}`: {message}"))
                };
                match self.place(from) {
                    None => {
                        return Err(fault(format!(
                            "there is no draw `{from}`; there are {}",
                            listed(specs.names())
                        )));
                    }
                    Some(place) if !self.list[place].generator.is_whole_number() => {
                        return Err(fault(format!("`{from}` is no whole number to start from")));
                    }
                    Some(_) if step > self.list.len() => {
                        return Err(fault("it starts from itself in the end".to_owned()));
                    }
                    Some(_) => at.clone_from(from),
                }
            }
        }
        Ok(())
    }
}
