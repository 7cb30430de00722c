//! A server for one test alone, which may stop, kill and freeze it. Started by
//! the scripts of `tests/servers` on a free port of 127.0.0.1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use url::Url;

use crate::database::{Database, Server, skipped};

pub struct Private {
    pub database: Database,
    script: PathBuf,
    pub folder: TempDir,
}

impl Private {
    /// `None` where its programs are not to be had.
    pub fn start(server: Server, options: &[&str]) -> Option<Private> {
        // The name of a unix socket has at most 107 bytes.
        let mut folder = tempfile::Builder::new();
        let folder = folder.prefix("tiermark.").tempdir_in("/tmp").unwrap();
        let name = server.variable().trim_start_matches("TIERMARK_TEST_");
        let script = match server {
            Server::Postgres | Server::PostgresNew => "postgres.sh",
            _ => "mysql.sh",
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let script = root.join("tests/servers").join(script);
        let Some(programs) = programs(server) else {
            skipped(server.variable(), "its programs are not here");
            return None;
        };
        let output = Command::new(&script)
            .arg("start")
            .arg(folder.path())
            .args(options)
            .env("NAME", name)
            .env("BIN", programs)
            .env_remove("CERTS")
            // The server keeps what it is given open.
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let env = std::fs::read_to_string(folder.path().join("env")).unwrap();
        let env: BTreeMap<&str, &str> = env
            .lines()
            .filter_map(|line| line.split_once('='))
            .collect();
        let url = |variable: &str| Url::parse(env[variable]).unwrap();
        let admin = format!("{}_ADMIN", server.variable());
        let database = Database::at(server, url(server.variable()), Some(url(&admin)));
        Some(Private {
            database,
            script,
            folder,
        })
    }

    fn script(&self, command: &str) -> Output {
        let mut script = Command::new(&self.script);
        script.arg(command).arg(self.folder.path());
        script.stdin(Stdio::null()).output().unwrap()
    }

    /// Stops it as an administrator does; it is gone when this returns.
    pub fn stop(&self) {
        let output = self.script("stop");
        assert!(output.status.success(), "{}", said(&output));
    }

    /// `kill -9`.
    pub fn kill(&self) {
        kill_process(self.pid(), Signal::KILL).unwrap();
    }

    /// Starts it again, with its data and its port; does not wait until it
    /// answers.
    pub fn again(&self) {
        let output = self.script("again");
        assert!(output.status.success(), "{}", said(&output));
    }

    fn pid(&self) -> Pid {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap();
        Pid::from_raw(pid.trim().parse().unwrap()).unwrap()
    }

    /// Stops all its processes until the guard goes.
    pub fn freeze(&self) -> Frozen {
        let server = self.pid();
        // The first of them first, so that it makes no more.
        kill_process(server, Signal::STOP).unwrap();
        let mut frozen = Frozen(vec![server]);
        frozen.0.extend(children(server));
        for child in &frozen.0[1..] {
            // One may have ended meanwhile.
            let _ = kill_process(*child, Signal::STOP);
        }
        frozen
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // In a failing test this must not hide the failure.
        let _ = self.script("stop");
    }
}

/// Processes that go on when this goes.
#[derive(Debug)]
pub struct Frozen(Vec<Pid>);

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in &self.0 {
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

/// Folder with the programs of a server: as `tests/run.sh` says, or where it
/// would look itself.
fn programs(server: Server) -> Option<PathBuf> {
    let variable = format!("{}_BIN", server.variable());
    if let Some(folder) = std::env::var_os(variable) {
        return Some(folder.into());
    }
    let unpacked = |name: &str, program: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let servers = std::env::var_os("TIERMARK_SERVERS");
        let servers = servers.map_or(root.join("target/servers"), PathBuf::from);
        let bin = servers.join(name).join("bin");
        bin.join(program).exists().then_some(bin)
    };
    match server {
        Server::Postgres => {
            let versions = std::fs::read_dir("/usr/lib/postgresql").ok();
            let bins = versions.into_iter().flatten().flatten();
            let newest = bins
                .map(|version| version.path().join("bin"))
                .filter(|bin| bin.join("initdb").exists())
                .max();
            newest.or_else(|| unpacked("postgresql-15", "initdb"))
        }
        Server::Mariadb if Path::new("/usr/sbin/mariadbd").exists() => Some("/usr/sbin".into()),
        Server::Mariadb => unpacked("mariadb-10.11", "mariadbd"),
        Server::Mysql => unpacked("mysql", "mysqld"),
        _ => None,
    }
}

fn children(parent: Pid) -> Vec<Pid> {
    let parent = parent.as_raw_nonzero().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let child = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name, which stands in parentheses: state and parent.
        let (_, rest) = stat.rsplit_once(')')?;
        (rest.split_whitespace().nth(1) == Some(&parent)).then(|| Pid::from_raw(pid))?
    };
    processes.filter_map(child).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
