//! Where workload and SQL files come from: beside the workload file, a folder
//! of the user's, the copies inside the binary, or an earlier run's manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::value::Engine;
use crate::workload::error::{SpecError, listed};
use crate::workload::shipped;
use crate::workload::sql::{Block, blocks};

/// A workload's text and the SQL files that it may take blocks from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The short name: `oltp_read_write`.
    pub name: String,
    /// What messages call the file.
    pub file: String,
    pub text: String,
    /// Every parameter in it is meant: it comes from a run that had them.
    pub is_manifest: bool,
    roots: Vec<Root>,
}

#[derive(Clone, Debug)]
enum Root {
    /// `<folder>/<engine>/<sql>.sql`.
    Folder(PathBuf),
    /// `<folder>/<sql>.sql`, for all engines.
    Flat(PathBuf),
    Shipped,
    /// `<engine>/<sql>.sql` to text, from a manifest.
    Texts(BTreeMap<String, String>),
}

/// Why a workload could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("there is no workload `{name}`; shipped are {known}; or give the path of a .toml file")]
    Unknown { name: String, known: String },
    #[error("a URL stands where the workload is expected; give it in TIERMARK_URL, or with --url")]
    Url,
    #[error("cannot read {path}: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("{path} is no manifest of a run: it has no `[files]` with the workload's text")]
    NoManifest { path: String },
}

impl Source {
    /// Opens a shipped name, the path of a workload file, or of a manifest.
    ///
    /// # Errors
    /// When there is no such workload, or its file cannot be read.
    pub fn open(workload: &str, sql_dir: Option<&Path>) -> Result<Source, SourceError> {
        let user_root = sql_dir.map(|folder| Root::Folder(folder.to_owned()));
        if let Some(text) = shipped::workload(workload) {
            return Ok(Source {
                name: workload.to_owned(),
                file: format!("{workload}.toml"),
                text: text.to_owned(),
                is_manifest: false,
                roots: user_root.into_iter().chain([Root::Shipped]).collect(),
            });
        }
        if workload.contains("://") {
            // Not quoted: it may hold a password.
            return Err(SourceError::Url);
        }
        let path = Path::new(workload);
        if path.extension().is_none() {
            return Err(SourceError::Unknown {
                name: workload.to_owned(),
                known: listed(shipped::workload_names()),
            });
        }
        let text = std::fs::read_to_string(path).map_err(|error| SourceError::Read {
            path: workload.to_owned(),
            error,
        })?;
        if path.file_name().is_some_and(|name| name == "manifest.toml") {
            return Source::from_manifest(workload, &text);
        }
        let beside = path.parent().unwrap_or(Path::new(""));
        let own_roots = [
            Root::Folder(beside.join("sql")),
            Root::Flat(beside.to_owned()),
        ];
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Ok(Source {
            name: name.to_string_lossy().into_owned(),
            file: workload.to_owned(),
            text,
            is_manifest: false,
            roots: own_roots
                .into_iter()
                .chain(user_root)
                .chain([Root::Shipped])
                .collect(),
        })
    }

    fn from_manifest(path: &str, text: &str) -> Result<Source, SourceError> {
        let no_manifest = || SourceError::NoManifest {
            path: path.to_owned(),
        };
        let manifest: toml::Table = text.parse().map_err(|_| no_manifest())?;
        let files = manifest.get("files").and_then(toml::Value::as_table);
        let mut texts = BTreeMap::new();
        for (name, value) in files.ok_or_else(no_manifest)? {
            let value = value.as_str().ok_or_else(no_manifest)?;
            texts.insert(name.clone(), value.to_owned());
        }
        let workload = texts.remove("workload").ok_or_else(no_manifest)?;
        let run = manifest.get("run").and_then(toml::Value::as_table);
        let name = run
            .and_then(|run| run.get("workload"))
            .and_then(toml::Value::as_str);
        Ok(Source {
            name: name.ok_or_else(no_manifest)?.to_owned(),
            file: path.to_owned(),
            text: workload,
            is_manifest: true,
            roots: vec![Root::Texts(texts)],
        })
    }

    /// All blocks of `sql/<engine>/<sql>.sql` and `sql/common/<sql>.sql`, the
    /// first of a name winning: what stands beside the workload before the
    /// user's folder before the shipped copies, the engine's before the common.
    ///
    /// # Errors
    /// When a file cannot be read or is not cut into blocks.
    pub fn blocks(&self, sql: &str, engine: Engine) -> Result<Vec<Block>, SpecError> {
        let mut found: Vec<Block> = Vec::new();
        for (file, text) in self.sql_texts(sql, engine)? {
            for block in blocks(&file, &text)? {
                if !found.iter().any(|known| known.name == block.name) {
                    found.push(block);
                }
            }
        }
        Ok(found)
    }

    /// The blocks in force, by `<folder>/<sql>.sql`, for a manifest: those of each
    /// engine in its own folder, or once in `common` where all have the same.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn sql_files(&self, sql: &str) -> Result<BTreeMap<String, String>, SpecError> {
        let mut texts = BTreeMap::new();
        for engine in Engine::ALL
            .into_iter()
            .filter(|engine| *engine != Engine::Null)
        {
            let blocks = self.blocks(sql, engine)?;
            let text: String = blocks.iter().map(Block::source).collect();
            texts.insert(engine.name(), text);
        }
        let mut distinct: Vec<&String> = texts.values().collect();
        distinct.dedup();
        if let [one] = distinct.as_slice() {
            return Ok([(format!("common/{sql}.sql"), (*one).clone())].into());
        }
        let files = texts.into_iter().filter(|(_, text)| !text.is_empty());
        Ok(files
            .map(|(engine, text)| (format!("{engine}/{sql}.sql"), text))
            .collect())
    }

    fn sql_texts(&self, sql: &str, engine: Engine) -> Result<Vec<(String, String)>, SpecError> {
        let mut texts = Vec::new();
        for root in &self.roots {
            for folder in folders(engine) {
                texts.extend(root.read(folder, sql)?);
            }
        }
        Ok(texts)
    }
}

/// Folders below `sql/` that an engine looks into, in order.
fn folders(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Postgres => &["postgres", "common"],
        Engine::Mysql => &["mysql", "common"],
        Engine::Mariadb => &["mariadb", "mysql", "common"],
        Engine::Sqlite => &["sqlite", "common"],
        Engine::Null => &["common"],
    }
}

impl Root {
    /// The file's name for messages and its text, if the root has it.
    fn read(&self, folder: &str, sql: &str) -> Result<Option<(String, String)>, SpecError> {
        let key = format!("{folder}/{sql}.sql");
        let path = match self {
            Root::Folder(root) => root.join(&key),
            Root::Flat(root) if folder == "common" => root.join(format!("{sql}.sql")),
            Root::Flat(_) => return Ok(None),
            Root::Shipped => {
                let text = shipped::sql(&key);
                return Ok(text.map(|text| (format!("sql/{key}"), text.to_owned())));
            }
            Root::Texts(texts) => {
                return Ok(texts
                    .get(&key)
                    .map(|text| (format!("sql/{key}"), text.clone())));
            }
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some((path.display().to_string(), text))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SpecError::in_file(
                &path.display().to_string(),
                format!("cannot be read: {error}"),
            )),
        }
    }
}
