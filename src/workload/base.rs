//! `base`: a file that is a shipped workload with other values. What it may say is
//! put into the base's text, and remembered, so that a fault names the right file.

use serde::Deserialize;
use toml::Spanned;
use toml_edit::{Document, DocumentMut, Item, Table};

use crate::workload::error::{SpecError, line_of, listed};
use crate::workload::settings::{check_presets, parse};
use crate::workload::shipped;
use crate::workload::spec::{Key, Pairs, ProcedureSpec, RunSpec, Scalar, Spec};

/// A file over a base, exactly as typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some are read only to see that they can be")]
pub struct OverSpec {
    base: Spanned<String>,
    about: Option<String>,
    engines: Option<Vec<Spanned<String>>>,
    mix: Key,
    #[serde(default)]
    params: Pairs<Spanned<Scalar>>,
    #[serde(default)]
    procedure: Vec<Spanned<ProcedureSpec>>,
    #[serde(default)]
    call: Pairs<Spanned<String>>,
    #[serde(default)]
    run: RunSpec,
    #[serde(default)]
    preset: Pairs<Spanned<Pairs<Spanned<Scalar>>>>,
}

/// A base with a file's values in it.
#[derive(Debug)]
pub struct Merged {
    /// What messages call the base.
    pub file: String,
    pub text: String,
    /// The keys that the file gave, such as `params.rows`, with file and line.
    pub given: Vec<(String, String)>,
}

/// None for a file without a base.
///
/// # Errors
/// When the file says what it may not, or its base is not there: file and line.
pub fn merge(file: &str, text: &str) -> Result<Option<Merged>, SpecError> {
    // One that is no TOML is refused by whoever reads it whole.
    let over = match Document::parse(text) {
        Ok(over) if over.contains_key("base") => over,
        _ => return Ok(None),
    };
    let spec: OverSpec = parse(file, text)?;
    let name = spec.base.as_ref();
    let fault = |span, message| SpecError::at_line(file, line_of(text, &span), message);
    let base = shipped::workload(name).ok_or_else(|| {
        let known = listed(shipped::workload_names());
        let message = format!("base `{name}` is no shipped workload; use one of {known}");
        fault(spec.base.span(), message)
    })?;
    let base_file = format!("{name}.toml");
    // Which may have a base itself.
    let base = match merge(&base_file, base)? {
        Some(merged) => merged.text,
        None => base.to_owned(),
    };
    let base_spec: Spec = parse(&base_file, &base)?;
    for (param, value) in &spec.params.0 {
        if base_spec.params.get(param).is_none() {
            let known = listed(base_spec.params.names());
            let message = format!("{name} has no parameter `{param}`; it has {known}");
            return Err(fault(value.span(), message));
        }
    }
    check_presets(file, text, &spec.preset, &base_spec.params)?;
    let mut document: DocumentMut = base
        .parse()
        .map_err(|error| SpecError::in_file(&base_file, format!("{error}")))?;
    for (key, item) in over.iter().filter(|(key, _)| *key != "base") {
        put(document.as_table_mut(), key, item);
    }
    Ok(Some(Merged {
        file: base_file,
        text: document.to_string(),
        given: given(file, text, &over),
    }))
}

/// Tables of values are merged key by key; a preset takes the place of another.
fn put(into: &mut Table, key: &str, item: &Item) {
    match (into.get_mut(key).and_then(Item::as_table_mut), item) {
        (Some(there), Item::Table(more)) => {
            for (name, item) in more {
                there.insert(name, item.clone());
            }
        }
        _ => drop(into.insert(key, item.clone())),
    }
}

fn given(file: &str, text: &str, over: &Table) -> Vec<(String, String)> {
    let mut given = Vec::new();
    let mut add = |key: String, item: &Item| {
        let line = line_of(text, &item.span().unwrap_or_default());
        given.push((key, format!("{file}:{line}")));
    };
    for table in ["params", "run", "call"] {
        for (key, item) in over
            .get(table)
            .and_then(Item::as_table)
            .into_iter()
            .flatten()
        {
            add(format!("{table}.{key}"), item);
        }
    }
    let procedures = over.get("procedure").and_then(Item::as_array_of_tables);
    for (place, procedure) in procedures.into_iter().flatten().enumerate() {
        add(
            format!("procedure.{place}"),
            &Item::Table(procedure.clone()),
        );
    }
    if let Some(engines) = over.get("engines") {
        add("engines".to_owned(), engines);
    }
    given
}

#[cfg(test)]
mod tests {
    use crate::value::Engine;
    use crate::workload::compile::compile;
    use crate::workload::settings::Settings;
    use crate::workload::source::Source;

    const FILE: &str = "about = \"mine\"\nbase = \"tpcc\"\nmix = \"random\"\n\
        [params]\nwarehouses = 20\nchoose = \"home\"\n\
        [run]\nclients = { param = \"warehouses\", times = 10 }\nwait = 1\n\
        [preset.small]\nwarehouses = 2\n[preset.one]\nwarehouses = 1\n";

    fn plan(text: &str, settings: &Settings) -> Result<crate::workload::plan::Plan, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        let source = Source::open(path.to_str().unwrap(), None).unwrap();
        let found = compile(&source, settings, Engine::Postgres);
        let folder = format!("{}/", folder.path().display());
        found.map_err(|error| error.to_string().replace(&folder, ""))
    }

    fn with(preset: Option<&str>, sets: &[&str]) -> Settings {
        Settings {
            preset: preset.map(str::to_owned),
            sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        }
    }

    #[test]
    fn a_file_says_what_differs() {
        let mine = plan(FILE, &with(None, &[])).unwrap();
        assert_eq!(
            (mine.workload.as_str(), mine.about.as_str()),
            ("mine", "mine")
        );
        assert_eq!(mine.tables.len(), 9);
        assert_eq!(mine.transactions.len(), 5);
        assert_eq!(mine.run.clients, Some(200));
        assert_eq!(mine.run.wait, Some(1.0));
        // What it leaves out is the base's.
        let tpcc = Source::open("tpcc", None).unwrap();
        let base = compile(&tpcc, &with(None, &["warehouses=20"]), Engine::Postgres).unwrap();
        assert_eq!(mine.run.time, base.run.time);
        let shas = |plan: &crate::workload::plan::Plan| -> Vec<String> {
            plan.tables.iter().map(|table| table.sha.clone()).collect()
        };
        assert_eq!(shas(&mine), shas(&base), "one load serves both");
        let chooses = mine.data_params.iter().any(|(name, _)| name == "choose");
        assert!(!chooses, "it decides no data");
        assert_eq!(mine.given, [], "the file's own values are no user's");
    }

    #[test]
    fn a_base_may_have_a_base() {
        let text = FILE.replace("\"tpcc\"", "\"tpcc_proc\"");
        let mine = plan(&text, &with(None, &[])).unwrap();
        assert_eq!(mine.run.wait, Some(1.0));
        assert_eq!((mine.tables.len(), mine.procedures.len()), (9, 5));
        let mut transactions = mine.transactions.iter();
        assert!(transactions.all(crate::workload::plan::Transaction::is_call));
    }

    #[test]
    fn a_preset_takes_the_place_of_the_bases() {
        let small = plan(FILE, &with(Some("small"), &[])).unwrap();
        // Without the four clients of tpcc's.
        assert_eq!(small.run.clients, Some(20));
        assert_eq!(
            plan(FILE, &with(Some("one"), &[])).unwrap().run.clients,
            Some(10)
        );
        assert!(plan(FILE, &with(Some("deck23"), &[])).is_ok(), "tpcc's own");
        let more = plan(FILE, &with(Some("one"), &["warehouses=3"])).unwrap();
        assert_eq!(more.run.clients, Some(30));
    }

    #[test]
    fn faults_are_those_of_the_file() {
        let fault = |from: &str, to: &str| {
            assert!(FILE.contains(from));
            plan(&FILE.replace(from, to), &with(None, &[])).unwrap_err()
        };
        for (from, to, expected) in [
            (
                "\"tpcc\"",
                "\"tpcd\"",
                "mine.toml:2: base `tpcd` is no shipped workload; use one of oltp_read_write,",
            ),
            (
                "[params]",
                "[params]\nrows = 5",
                "mine.toml:5: tpcc has no parameter `rows`; it has warehouses,",
            ),
            (
                "\"home\"",
                "\"hom\"",
                "mine.toml:6: choose: `hom` is not known",
            ),
            (
                "wait = 1",
                "wait = \"long\"",
                "mine.toml:9: run.wait: `long`",
            ),
            ("wait = 1", "wayt = 1", "mine.toml:9: unknown field `wayt`"),
            (
                "mix =",
                "sql =",
                "mine.toml:3: unknown field `sql`, expected one of `base`, `about`, `engines`, `mix`, `params`, `procedure`, `call`, `run`, `preset`",
            ),
            (
                "[params]",
                "engines = [\"oracle\"]\n[params]",
                "mine.toml:4: engine `oracle` is not known",
            ),
            (
                "[params]",
                "[call]\npaymant = \"pay\"\n[params]",
                "mine.toml:5: call `paymant` is of no transaction that is built in; those are new_order,",
            ),
            (
                "[params]",
                "[call]\npayment = \"call_payment\"\ndelivery = \"pay\"\n[params]",
                "mine.toml:6: there is no SQL block `pay` for postgres in `tpcc`",
            ),
            (
                "[params]",
                "[[procedure]]\nname = \"pay\"\ncreate = \"pay\"\ntable = \"item{t}\"\n[params]",
                "mine.toml:4: there is no SQL block `pay`",
            ),
            (
                "small]\n",
                "small]\nrows = 1\n",
                "mine.toml:11: preset small: `rows` is neither",
            ),
        ] {
            let found = fault(from, to);
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
