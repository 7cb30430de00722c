//! `[draw]` as a whole: which names there are, what they start from, and which
//! of them something uses.

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml::Spanned;

use crate::workload::compile_kind::One;
use crate::workload::draw::{Draw, Generator};
use crate::workload::error::{SpecError, listed};
use crate::workload::resolve::Resolver;
use crate::workload::spec::{DrawSpec, Pairs};

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
        self.list[usize::from(draw)].generator.source()
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
                let place = self.place(&at);
                let Some(from) = place.and_then(|place| self.list[place].generator.source()) else {
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
                    Some(_) => from.clone_into(&mut at),
                }
            }
        }
        Ok(())
    }
}
