//! Parameters: what a name, number or text in a workload file stands for.
//!
//! Every value may be a parameter's name. Faults are told at the place where
//! the value was given: the file's line, or the flag that overrode it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use crate::units;
use crate::workload::error::{Place, SpecError, line_of, listed};
use crate::workload::settings::Edited;
use crate::workload::spec::Scalar;

/// Looks values up, and keeps book of the parameters that were asked for.
#[derive(Debug)]
pub struct Resolver<'a> {
    file: &'a str,
    edited: &'a Edited,
    used: RefCell<BTreeSet<String>>,
}

/// A value with the words for a message about it.
struct Found {
    text: String,
    name: String,
    place: Place,
    is_parameter: bool,
}

impl<'a> Resolver<'a> {
    pub fn new(edited: &'a Edited) -> Resolver<'a> {
        Resolver {
            file: &edited.file,
            edited,
            used: RefCell::default(),
        }
    }

    /// A whole number of any sign.
    pub fn int(&self, key: &str, value: &Spanned<Scalar>) -> Result<i64, SpecError> {
        self.parse(key, value, units::parse_integer)
    }

    /// A whole number >= 0.
    pub fn count(&self, key: &str, value: &Spanned<Scalar>) -> Result<u64, SpecError> {
        self.parse(key, value, units::parse_count)
    }

    pub fn real(&self, key: &str, value: &Spanned<Scalar>) -> Result<f64, SpecError> {
        self.parse(key, value, units::parse_real)
    }

    pub fn duration(&self, key: &str, value: &Spanned<Scalar>) -> Result<Duration, SpecError> {
        self.parse(key, value, units::parse_duration)
    }

    /// A share from 0 to 1, written as a percentage.
    pub fn percent(&self, key: &str, value: &Spanned<Scalar>) -> Result<f64, SpecError> {
        self.parse(key, value, units::parse_percent)
    }

    pub fn word(&self, value: &Spanned<Scalar>) -> Result<String, SpecError> {
        Ok(self.find("", value)?.text)
    }

    /// Whether a value is a parameter's name.
    pub fn is_parameter(&self, value: &Spanned<Scalar>) -> bool {
        match value.as_ref() {
            Scalar::Text(name) => self.edited.spec.params.get(name).is_some(),
            _ => false,
        }
    }

    /// A parameter by its name, where the file has it: what is built in takes
    /// its settings from parameters of fixed names.
    pub fn named(&self, name: &str) -> Option<Spanned<Scalar>> {
        let given = self.edited.spec.params.get(name)?;
        Some(Spanned::new(given.span(), Scalar::Text(name.to_owned())))
    }

    /// One of `known`.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        value: &Spanned<Scalar>,
        known: &[(&str, T)],
    ) -> Result<T, SpecError> {
        let found = self.find(key, value)?;
        match known.iter().find(|(name, _)| *name == found.text) {
            Some((_, choice)) => Ok(*choice),
            None => {
                let names = listed(known.iter().map(|(name, _)| *name));
                let message = format!(
                    "{}: `{}` is not known; use one of {names}",
                    found.name, found.text
                );
                Err(SpecError {
                    place: found.place,
                    message,
                })
            }
        }
    }

    /// The value as typed in a file: a number where it is one, else a text.
    pub fn literal(&self, key: &str, value: &Spanned<Scalar>) -> Result<Scalar, SpecError> {
        match value.as_ref() {
            Scalar::Text(name) => match self.parameter(name) {
                Some(parameter) => Ok(parameter.as_ref().clone()),
                None => Ok(value.as_ref().clone()),
            },
            Scalar::Scaled { .. } => self.int(key, value).map(Scalar::Int),
            plain => Ok(plain.clone()),
        }
    }

    /// Names of the parameters asked for since the last call.
    pub fn take_used(&self) -> BTreeSet<String> {
        self.used.take()
    }

    /// A fault at a position of the file.
    pub fn fault(&self, span: &Range<usize>, message: impl Into<String>) -> SpecError {
        SpecError::at_line(self.file, line_of(&self.edited.text, span), message)
    }

    /// The place of a fault of the base's text, where a file over it gave the key.
    pub fn placed(&self, key: &str, fault: SpecError) -> SpecError {
        match (&fault.place, self.edited.giver(key)) {
            (Place::Line { file, .. }, Some(giver)) if file == self.file => {
                SpecError::in_flag(giver, fault.message)
            }
            _ => fault,
        }
    }

    /// A fault of a value: told of the parameter that it came by, where it was
    /// given, or else at its own line.
    pub fn fault_of(&self, value: &Spanned<Scalar>, message: &str) -> SpecError {
        match self.find("", value) {
            Ok(found) if found.is_parameter => SpecError {
                place: found.place,
                message: format!("{}: {message}", found.name),
            },
            _ => self.fault(&value.span(), message),
        }
    }

    fn parse<T>(
        &self,
        key: &str,
        value: &Spanned<Scalar>,
        parse: impl Fn(&str) -> Result<T, units::UnitError>,
    ) -> Result<T, SpecError> {
        let found = self.find(key, value)?;
        parse(&found.text).map_err(|error| {
            let mut message = format!("{}: {error}", found.name);
            if !found.is_parameter && matches!(value.as_ref(), Scalar::Text(_)) {
                let known = listed(self.edited.spec.params.names());
                message = format!("{message}, or the name of a parameter ({known})");
            }
            SpecError {
                place: found.place,
                message,
            }
        })
    }

    fn find(&self, key: &str, value: &Spanned<Scalar>) -> Result<Found, SpecError> {
        let here = |text: String| Found {
            text,
            name: key.to_owned(),
            place: self.place(key, value),
            is_parameter: false,
        };
        match value.as_ref() {
            Scalar::Text(text) => Ok(match self.parameter(text) {
                Some(parameter) => self.given(text, parameter),
                None => here(text.clone()),
            }),
            Scalar::Scaled { param, times, add } => {
                let parameter = self.parameter(param).ok_or_else(|| {
                    let known = listed(self.edited.spec.params.names());
                    self.fault(
                        &value.span(),
                        format!("{key}: there is no parameter `{param}`; there are {known}"),
                    )
                })?;
                let base = self.given(param, parameter);
                let number = units::parse_integer(&base.text).map_err(|error| SpecError {
                    place: base.place.clone(),
                    message: format!("{param}: {error}"),
                })?;
                let scaled = number
                    .checked_mul(*times)
                    .and_then(|number| number.checked_add(*add));
                let scaled = scaled.ok_or_else(|| SpecError {
                    place: base.place.clone(),
                    message: format!("{param}: {number} times {times} is beyond 64 bits; use less"),
                })?;
                Ok(Found {
                    text: scaled.to_string(),
                    ..base
                })
            }
            plain => Ok(here(plain.to_string())),
        }
    }

    fn parameter(&self, name: &str) -> Option<&'a Spanned<Scalar>> {
        let parameter = self.edited.spec.params.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(parameter)
    }

    /// Where a value was given: by a flag, or on a line of the file.
    fn place(&self, key: &str, value: &Spanned<Scalar>) -> Place {
        match self.edited.giver(key) {
            Some(flag) => Place::Flag(flag.to_owned()),
            None => self.fault(&value.span(), "").place,
        }
    }

    fn given(&self, name: &str, parameter: &Spanned<Scalar>) -> Found {
        Found {
            text: parameter.as_ref().to_string(),
            name: name.to_owned(),
            place: self.place(&format!("params.{name}"), parameter),
            is_parameter: true,
        }
    }
}
