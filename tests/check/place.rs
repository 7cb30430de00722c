//! A database of a test's own, the program on it, and what it wrote.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use assert_cmd::Command;
use tempfile::TempDir;
use tiermark::db::mysql::MysqlSession;
use tiermark::db::postgres::PgSession;
use tiermark::db::session::{DbError, Session, Target};
use tiermark::db::sqlite::SqliteSession;
use tiermark::value::Engine;

pub struct Place {
    pub engine: Engine,
    pub url: String,
    /// Results, workload files, and the file of an embedded database.
    pub folder: TempDir,
    /// Who made the database, and its name.
    made: Option<(Target, String)>,
}

/// One line of check.csv, without format and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub check: String,
    pub scope: String,
    pub result: String,
    pub found: String,
    pub expected: String,
    pub first_keys: String,
}

pub struct Checked {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    pub lines: Vec<Line>,
}

impl Place {
    pub fn postgres() -> Option<Place> {
        Place::server(Engine::Postgres, "TIERMARK_TEST_POSTGRES")
    }

    pub fn mariadb() -> Option<Place> {
        Place::server(Engine::Mariadb, "TIERMARK_TEST_MARIADB")
    }

    pub fn mysql() -> Option<Place> {
        Place::server(Engine::Mysql, "TIERMARK_TEST_MYSQL")
    }

    pub fn sqlite() -> Place {
        let folder = tempfile::tempdir().unwrap();
        Place {
            engine: Engine::Sqlite,
            url: format!("sqlite:{}", folder.path().join("check.db").display()),
            folder,
            made: None,
        }
    }

    fn server(engine: Engine, variable: &str) -> Option<Place> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let admin_variable = format!("{variable}_ADMIN");
        let (Ok(user), Ok(admin)) = (std::env::var(variable), std::env::var(&admin_variable))
        else {
            eprintln!("SKIPPED: {engine}: {variable} or {admin_variable} is not set");
            return None;
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("check_{}_{number}", std::process::id());
        let mut url = url::Url::parse(&user).unwrap();
        url.set_path(&name);
        let admin = Target::parse(&admin).unwrap();
        let user = url.username();
        let texts = match engine {
            Engine::Postgres => [
                format!("CREATE DATABASE {name}"),
                format!("ALTER DATABASE {name} OWNER TO {user}"),
            ],
            _ => [
                format!("CREATE DATABASE {name}"),
                format!("GRANT ALL ON {name}.* TO '{user}'@'%'"),
            ],
        };
        let place = Place {
            engine,
            url: url.into(),
            folder: tempfile::tempdir().unwrap(),
            made: Some((admin, name)),
        };
        let made_by = &place.made.as_ref().unwrap().0;
        place
            .send(made_by, &texts.each_ref().map(String::as_str))
            .unwrap();
        Some(place)
    }

    /// Changes by hand.
    pub fn sql(&self, texts: &[&str]) {
        let target = Target::parse(&self.url).unwrap();
        self.send(&target, texts).unwrap();
    }

    fn send(&self, target: &Target, texts: &[&str]) -> Result<(), DbError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            match self.engine {
                Engine::Postgres => send::<PgSession>(target, texts).await,
                Engine::Sqlite => send::<SqliteSession>(target, texts).await,
                _ => send::<MysqlSession>(target, texts).await,
            }
        })
    }

    pub fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Puts a file beside the database and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The program, its status, stdout and stderr.
    pub fn tiermark(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::cargo_bin("tiermark")
            .unwrap()
            .args(args)
            .env("TIERMARK_URL", &self.url)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// The program, which must do its work.
    pub fn good(&self, args: &[&str]) {
        let (status, stdout, stderr) = self.tiermark(args);
        assert_eq!(status, 0, "{args:?}\n{stdout}\n{stderr}");
    }

    /// Tables of 500 rows.
    pub fn prepare(&self, tables: u64) {
        let tables = format!("tables={tables}");
        let sets = ["--set", &tables, "--set", "rows=500"];
        self.good(&[&["prepare", "oltp_read_write"], &sets[..]].concat());
    }

    pub fn run(&self, workload: &str, args: &[&str]) {
        let results = self.results();
        let out = ["--out", results.to_str().unwrap(), "--transactions", "20"];
        self.good(&[&["run", workload], args, &out[..]].concat());
    }

    /// `check`, which must get as far as a result.
    pub fn check(&self, workload: &str) -> Checked {
        let results = self.results();
        let args = ["check", workload, "--out", results.to_str().unwrap()];
        let (status, stdout, stderr) = self.tiermark(&args);
        let folder = stdout.lines().last().unwrap_or_default();
        assert!(Path::new(folder).is_dir(), "{status}\n{stdout}\n{stderr}");
        Checked {
            lines: lines(Path::new(folder)),
            status,
            stdout,
            stderr,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((admin, name)) = &self.made {
            // A panic would hide the one that brought us here.
            if let Err(error) = self.send(admin, &[&format!("DROP DATABASE {name}")]) {
                eprintln!("cannot drop database {name}: {error}");
            }
        }
    }
}

async fn send<S: Session>(target: &Target, texts: &[&str]) -> Result<(), DbError> {
    let mut session = S::open(target, &[]).await?;
    for text in texts {
        session.raw(text).await?;
    }
    session.close().await
}

fn lines(folder: &Path) -> Vec<Line> {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(folder.join("check.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<&str> = reader.headers().unwrap().iter().collect();
    let wanted = "format,run,check,scope,result,found,expected,first_keys";
    assert_eq!(header.join(","), wanted);
    let records = reader.records().map(|record| {
        let record = record.unwrap();
        let cell = |index: usize| record[index].to_owned();
        assert_eq!((&record[0], &record[1]), ("1", name));
        Line {
            check: cell(2),
            scope: cell(3),
            result: cell(4),
            found: cell(5),
            expected: cell(6),
            first_keys: cell(7),
        }
    });
    records.collect()
}

impl Checked {
    pub fn line(&self, scope: &str, check: &str) -> &Line {
        let mut fitting = self
            .lines
            .iter()
            .filter(|line| line.scope == scope && line.check == check);
        let line = fitting.next().unwrap();
        assert_eq!(fitting.next(), None, "one line of each");
        line
    }

    /// These and no others failed: scope, check, found, expected, first keys.
    pub fn assert_faults(&self, wanted: &[(&str, &str, &str, &str, &str)]) {
        for &(scope, check, found, expected, first_keys) in wanted {
            let line = self.line(scope, check);
            let is = (
                line.result.as_str(),
                line.found.as_str(),
                line.expected.as_str(),
                line.first_keys.as_str(),
            );
            assert_eq!(is, ("fail", found, expected, first_keys));
            let told = [format!("{check} of {scope} fails"), found.to_owned()];
            assert!(
                told.iter().all(|text| self.stdout.contains(text)),
                "{}",
                self.stdout
            );
        }
        let failed = self.lines.iter().filter(|line| line.result == "fail");
        assert_eq!(failed.count(), wanted.len(), "{:#?}", self.lines);
        assert_eq!(
            self.status,
            i32::from(!wanted.is_empty()),
            "{}",
            self.stderr
        );
    }

    pub fn assert_skipped(&self, scope: &str, check: &str, why: &str) {
        let line = self.line(scope, check);
        assert_eq!(
            (line.result.as_str(), line.found.as_str()),
            ("skipped", why)
        );
        assert_eq!((line.expected.as_str(), line.first_keys.as_str()), ("", ""));
        let told = format!("{check} is skipped for ");
        assert!(self.stdout.contains(&told), "{}", self.stdout);
        assert!(self.stdout.contains(why), "{}", self.stdout);
    }

    pub fn assert_passed(&self, scope: &str, check: &str, found: &str) {
        let line = self.line(scope, check);
        assert_eq!((line.result.as_str(), line.found.as_str()), ("pass", found));
        assert_eq!(line.expected, found);
    }
}
