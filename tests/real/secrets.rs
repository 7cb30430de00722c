//! Passwords stay in the address: not in results, not on the terminal, and not
//! in what is said when something fails.

use std::path::Path;

use url::Url;

use crate::database::Database;
use crate::program::Output;

const WRONG: &str = "wr0ngSecret";

/// Each way to give the address: in the environment, and as an argument.
fn both_ways<'a>(database: &Database, url: &'a str, command: &[&'a str]) -> [Output; 2] {
    let mut with_flag = command.to_vec();
    with_flag.extend(["--url", url]);
    [
        database.tiermark_on(url, command),
        database.tiermark_on("sqlite:not-this-one.db", &with_flag),
    ]
}

fn assert_silent(output: &Output, passwords: &[&str]) {
    for password in passwords {
        let said = output.everything();
        assert!(
            !said.contains(password),
            "{}",
            said.replace(password, "<PASSWORD>")
        );
    }
}

pub fn a_password_is_nowhere(database: &Database) {
    let Some(password) = database.url.password() else {
        return;
    };
    let url = database.url.as_str();
    let few = ["--set", "tables=1", "--set", "rows=100"];
    let prepare = [&["prepare", "oltp_read_write", "--recreate"], &few[..]].concat();
    let run = ["run", "oltp_read_write", "--transactions", "20", "-c", "2"];
    let commands: [&[&str]; 3] = [&prepare, &run, &["cleanup", "oltp_read_write"]];
    for command in commands {
        // Cleaning up twice finds nothing the second time, which is good.
        for output in both_ways(database, url, command) {
            assert_silent(&output, &[password]);
            output.expect(0);
        }
    }
    let mut files = Vec::new();
    look_into(&database.results(), password, &mut files);
    for file in [
        "manifest.toml",
        "environment.json",
        "summary.csv",
        "runs.csv",
    ] {
        assert!(files.iter().any(|name| name == file), "{files:?}");
    }
    let help = database.tiermark(&["run", "--help"]).expect(0);
    assert_silent(&help, &[password]);
}

/// Reads all files below a folder.
fn look_into(folder: &Path, password: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look_into(&path, password, files);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(password), "in {}", path.display());
        let name = path.file_name().unwrap();
        files.push(name.to_string_lossy().into_owned());
    }
}

pub fn a_password_is_in_no_error(database: &Database) {
    let Some(password) = database.url.password() else {
        return;
    };
    let changed = |change: &dyn Fn(&mut Url)| {
        let mut url = database.url.clone();
        change(&mut url);
        url.to_string()
    };
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let unusable = [
        changed(&|url| url.set_password(Some(WRONG)).unwrap()),
        changed(&|url| url.set_username("nobody_of_that_name").unwrap()),
        changed(&|url| url.set_host(Some("nowhere.invalid")).unwrap()),
        changed(&|url| url.set_port(Some(port)).unwrap()),
        changed(&|url| url.set_path("/no_such_database")),
    ];
    let wrong = [
        changed(&|url| url.set_path("/")),
        changed(&|_| ()).replacen("127.0.0.1:", "127.0.0.1:9999", 1),
        changed(&|_| ())
            .replacen("sql", "sqlx", 1)
            .replacen("postgres:", "postgrex:", 1),
    ];
    for (urls, status) in [(&unusable[..], 3), (&wrong[..], 2)] {
        for url in urls {
            let shown = url.replace(password, "<PASSWORD>");
            for command in ["prepare", "run", "cleanup"] {
                for output in both_ways(database, url, &[command, "oltp_read_write"]) {
                    assert_silent(&output, &[password, WRONG]);
                    let said = output.everything();
                    assert_eq!(output.status, Some(status), "{shown}: {said}");
                    assert!(!said.contains("panicked"), "{shown}: {said}");
                }
            }
        }
    }
    // Faults of the command line, with the address on it.
    let url = database.url.as_str();
    let faults: [&[&str]; 2] = [
        &["run", "oltp_read_write", "--url", url, "--bogus"],
        &["run", "oltp_read_write", "--url", url, "--clients", url],
    ];
    assert_silent(&database.tiermark(faults[0]).expect(2), &[password]);
    database.tiermark(faults[1]).expect(2);
    assert!(!database.results().exists());
}
