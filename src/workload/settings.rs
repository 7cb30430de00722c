//! What a user changes in a workload: presets, `--set key=value`, in that
//! order, as edits of the file's text. The edited text is what a manifest
//! keeps, and positions in it stay those of the file.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

use crate::workload::base;
use crate::workload::error::{SpecError, line_of, listed};
use crate::workload::spec::{Pairs, RunSpec, Scalar, Spec};

/// Choices beside the file; later ones win.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub preset: Option<String>,
    /// `key=value` texts of `--set`.
    pub sets: Vec<String>,
}

/// A workload as typed, after its settings.
#[derive(Clone, Debug)]
pub struct Edited {
    /// What messages call the file that its lines are of.
    pub file: String,
    pub text: String,
    pub spec: Spec,
    /// Keys that a flag or preset gave, such as `params.rows` or `draw.id.h`, with
    /// what to call it.
    pub overridden: Vec<(String, String)>,
    /// The same of a file over its base, with file and line.
    pub over_base: Vec<(String, String)>,
}

impl Edited {
    /// The flag that gave a key, if one did.
    pub fn flag(&self, key: &str) -> Option<&str> {
        place(&self.overridden, key)
    }

    /// What gave a key, where it was not the text itself.
    pub fn giver(&self, key: &str) -> Option<&str> {
        self.flag(key).or_else(|| place(&self.over_base, key))
    }
}

fn place<'a>(given: &'a [(String, String)], key: &str) -> Option<&'a str> {
    let given = given.iter().find(|(known, _)| known == key);
    given.map(|(_, place)| place.as_str())
}

/// Parses a file and applies settings to it.
///
/// # Errors
/// When the file is wrong (file and line), or a setting names no key or does
/// not fit it (the flag).
pub fn apply(file: &str, text: &str, settings: &Settings) -> Result<Edited, SpecError> {
    let (own_file, text, over_base) = match base::merge(file, text)? {
        Some(merged) => (merged.file, merged.text, merged.given),
        None => (file.to_owned(), text.to_owned(), Vec::new()),
    };
    let spec: Spec = parse(&own_file, &text)?;
    check_presets(&own_file, &text, &spec.preset, &spec.params)?;
    let mut edited = Edited {
        file: own_file,
        text,
        spec,
        overridden: Vec::new(),
        over_base,
    };
    if let Some(preset) = &settings.preset {
        let known = edited.spec.preset.get(preset).cloned().ok_or_else(|| {
            let known = listed(edited.spec.preset.names());
            SpecError::in_flag(
                format!("--preset {preset}"),
                format!("{file} has no such preset; it has {known}"),
            )
        })?;
        apply_preset(file, preset, known.as_ref(), &mut edited)?;
    }
    for set in &settings.sets {
        let flag = format!("--set {set}");
        let (key, value) = set.split_once('=').ok_or_else(|| {
            SpecError::in_flag(
                &flag,
                "write it as key=value, such as rows=10k or draw.id.h=0.1",
            )
        })?;
        edit(file, &mut edited, key.trim(), &typed(value.trim()), &flag)?;
    }
    Ok(edited)
}

/// The text with `[run]` saying this and nothing else, for a manifest.
///
/// # Errors
/// When the text is no TOML.
pub fn with_run(file: &str, text: &str, run: &[(&str, Value)]) -> Result<String, SpecError> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| SpecError::in_file(file, format!("{error}")))?;
    let mut table = document
        .remove("run")
        .and_then(|item| item.into_table().ok())
        .unwrap_or_default();
    table.clear();
    for (key, value) in run {
        table.insert(key, Item::Value(value.clone()));
    }
    document.insert("run", Item::Table(table));
    Ok(document.to_string())
}

pub(super) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SpecError> {
    toml::from_str(text).map_err(|error| {
        let message = error.message().trim().replace('\n', "; ");
        match error.span() {
            Some(span) => SpecError::at_line(file, line_of(text, &span), message),
            None => SpecError::in_file(file, message),
        }
    })
}

/// A preset's keys are parameters, or keys of `[run]`.
pub(super) fn check_presets(
    file: &str,
    text: &str,
    presets: &Pairs<Spanned<Pairs<Spanned<Scalar>>>>,
    params: &Pairs<Spanned<Scalar>>,
) -> Result<(), SpecError> {
    for (name, preset) in &presets.0 {
        for (key, value) in &preset.as_ref().0 {
            if params.get(key).is_none() && !RunSpec::KEYS.contains(&key.as_str()) {
                let params = listed(params.names());
                let keys = listed(RunSpec::KEYS);
                let message = format!(
                    "preset {name}: `{key}` is neither a parameter ({params}) nor a key of [run] ({keys})"
                );
                return Err(SpecError::at_line(
                    file,
                    line_of(text, &value.span()),
                    message,
                ));
            }
        }
    }
    Ok(())
}

fn apply_preset(
    file: &str,
    name: &str,
    preset: &Pairs<Spanned<Scalar>>,
    edited: &mut Edited,
) -> Result<(), SpecError> {
    let flag = format!("--preset {name}");
    for (key, value) in &preset.0 {
        let value = match value.as_ref() {
            Scalar::Int(number) => Value::from(*number),
            Scalar::Float(number) => Value::from(*number),
            Scalar::Text(text) => Value::from(text.as_str()),
            Scalar::Scaled { param, times, add } => {
                let mut table = InlineTable::new();
                table.insert("param", Value::from(param.as_str()));
                table.insert("times", Value::from(*times));
                table.insert("add", Value::from(*add));
                Value::from(table)
            }
        };
        let key = match edited.spec.params.get(key) {
            Some(_) => key.clone(),
            None => format!("run.{key}"),
        };
        edit(file, edited, &key, &value, &flag)?;
    }
    Ok(())
}

/// `0.2` is a number and `10k` a text, as in the file.
fn typed(text: &str) -> Value {
    match text.parse::<Value>() {
        // Not a date: it would be a text in the file, too.
        Ok(value) if !value.is_datetime() => value.decorated("", ""),
        _ => Value::from(text),
    }
}

fn edit(
    file: &str,
    edited: &mut Edited,
    key: &str,
    value: &Value,
    flag: &str,
) -> Result<(), SpecError> {
    let wrong = |message: String| SpecError::in_flag(flag, message);
    let path: Vec<&str> = if key.contains('.') {
        key.split('.').collect()
    } else {
        if edited.spec.params.get(key).is_none() {
            let known = listed(edited.spec.params.names());
            return Err(wrong(format!(
                "{file} has no parameter `{key}`; it has {known}; other keys are written with their table, such as run.clients=8"
            )));
        }
        vec!["params", key]
    };
    if path.iter().any(|part| part.is_empty()) {
        return Err(wrong(
            "a part of the key is empty; write it such as draw.id.h=0.1".to_owned(),
        ));
    }
    let mut document: DocumentMut = edited
        .text
        .parse()
        .map_err(|error| wrong(format!("{error}")))?;
    put(document.as_item_mut(), &path, value).map_err(&wrong)?;
    let text = document.to_string();
    let spec = parse(file, &text).map_err(|error| wrong(error.message))?;
    edited.text = text;
    edited.spec = spec;
    let path = path.join(".");
    edited.overridden.retain(|(known, _)| *known != path);
    edited.overridden.push((path, flag.to_owned()));
    Ok(())
}

/// Puts a value at a path; tables on the way must be there, but for `[run]`.
fn put(item: &mut Item, path: &[&str], value: &Value) -> Result<(), String> {
    let (key, rest) = path.split_first().ok_or("the key is empty")?;
    if let Some(tables) = item.as_array_of_tables_mut() {
        let known = tables.len();
        let table = key
            .parse()
            .ok()
            .and_then(|index: usize| tables.get_mut(index));
        let table = table.ok_or_else(|| {
            format!("`{key}` is not one of the {known} entries here; they count from 0")
        })?;
        let mut inner = Item::Table(std::mem::take(table));
        let result = put(&mut inner, rest, value);
        if let Item::Table(changed) = inner {
            *table = changed;
        }
        return result;
    }
    let Some(table) = item.as_table_like_mut() else {
        return Err(format!("there is no table that could hold `{key}`"));
    };
    if rest.is_empty() {
        match table.get_mut(key) {
            // In place, so that what stands behind the value on its line stays.
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = value.clone();
                *old.decor_mut() = decor;
            }
            _ => {
                table.insert(key, Item::Value(value.clone()));
            }
        }
        return Ok(());
    }
    if table.get(key).is_none() && *key == "run" {
        table.insert(key, Item::Table(Table::new()));
    }
    let known = listed(table.iter().map(|(name, _)| name));
    let inner = table
        .get_mut(key)
        .ok_or_else(|| format!("there is no `{key}`; here are {known}"))?;
    put(inner, rest, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::spec::Key;

    const FILE: &str = "about = \"x\"\nsql = \"oltp\"\n[params]\nrows = 5 # few\nh = 0.2\n\
        [draw]\nid = { kind = \"pareto\", h = \"h\" }\n[[transaction]]\nname = \"t\"\nsteps = []\n\
        [preset.small]\nrows = \"1k\"\ntime = \"5s\"\n";

    fn with(preset: Option<&str>, sets: &[&str]) -> Result<Edited, SpecError> {
        let settings = Settings {
            preset: preset.map(str::to_owned),
            sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        };
        apply("w.toml", FILE, &settings)
    }

    #[test]
    fn later_settings_win() {
        let edited = with(
            Some("small"),
            &[
                "rows=10k",
                "draw.id.h=0.1",
                "run.clients=8",
                "transaction.0.weight=3",
            ],
        )
        .unwrap();
        let value = |key: &Key| key.as_ref().map(|value| value.as_ref().clone());
        assert_eq!(
            edited.spec.params.get("rows").unwrap().as_ref(),
            &Scalar::Text("10k".into())
        );
        assert_eq!(
            value(&edited.spec.run.time),
            Some(Scalar::Text("5s".into()))
        );
        assert_eq!(value(&edited.spec.run.clients), Some(Scalar::Int(8)));
        assert_eq!(
            value(&edited.spec.draw.get("id").unwrap().as_ref().h),
            Some(Scalar::Float(0.1))
        );
        assert_eq!(
            value(&edited.spec.transaction[0].as_ref().weight),
            Some(Scalar::Int(3))
        );
        assert!(edited.text.contains("# few"), "{}", edited.text);
        assert_eq!(edited.flag("params.rows"), Some("--set rows=10k"));
        assert_eq!(edited.flag("draw.id.h"), Some("--set draw.id.h=0.1"));
        assert_eq!(edited.flag("run.time"), Some("--preset small"));
        assert_eq!(edited.flag("params.h"), None);
    }

    #[test]
    fn faults_name_the_flag_or_the_line() {
        let fault = |set: &str| with(None, &[set]).unwrap_err().to_string();
        assert!(
            fault("rowz=1")
                .starts_with("--set rowz=1: w.toml has no parameter `rowz`; it has rows and h;")
        );
        assert!(fault("rows").contains("key=value"));
        assert!(fault("draw.ix.h=1").contains("there is no `ix`; here are id"));
        assert!(fault("draw.id.hh=1").contains("unknown field `hh`"));
        assert!(fault("draw..h=1").contains("empty"));
        assert!(
            with(Some("big"), &[])
                .unwrap_err()
                .to_string()
                .contains("it has small")
        );
        let error = apply(
            "w.toml",
            &FILE.replace("steps", "stepz"),
            &Settings::default(),
        )
        .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("w.toml:8: unknown field `stepz`, expected one of")
                || error
                    .to_string()
                    .starts_with("w.toml:10: unknown field `stepz`"),
            "{error}"
        );
    }
}
