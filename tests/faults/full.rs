//! Disks that are full: that of the server and that of the results. The disks
//! are small ones in memory, which only root can make.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::database::{Database, Server, skipped};
use crate::private::Private;
use crate::program::{errors_of, number};

/// A disk of its own in a folder.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn mount(size: &str, options: &str, for_what: &str) -> Option<Disk> {
        // Where a server's user can reach it.
        let mut folder = tempfile::Builder::new();
        let folder = folder.prefix("tiermark.disk.").tempdir_in("/tmp").unwrap();
        let options = format!("size={size},{options}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tiermark-test"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Disk { folder });
        }
        skipped(for_what, "a tmpfs cannot be mounted; it takes root");
        None
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a failing test may have files open there.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

const PAGES: &str = r#"
about = "fills a disk"
sql = "pages"
[draw]
word = { kind = "uniform", min = 1, max = 1000000 }
[[table]]
name = "page"
create = "create_page"
rows = 1
columns = { word = "seq" }
[[transaction]]
name = "add"
atomic = true
steps = [{ run = ["add"] }]
[[transaction]]
name = "look"
steps = [{ run = ["look"] }]
"#;

const PAGES_SQL: &str = "
-- name: create_page
CREATE TABLE page (word INTEGER NOT NULL, filler CHAR(1500))
-- name: add
INSERT INTO page (word, filler) VALUES (:word, 'x')
-- name: look
SELECT 1
";

pub fn a_full_disk_of_the_server_is_counted() {
    let what = "full disk of the server";
    let Some(private) = Private::start(Server::Postgres, &[]) else {
        return;
    };
    let Some(disk) = Disk::mount("4m", "mode=755", what) else {
        return;
    };
    let space = disk.path().join("space");
    std::fs::create_dir(&space).unwrap();
    let owner = std::fs::metadata(private.folder.path().join("data")).unwrap();
    let (user, group) = {
        use std::os::unix::fs::MetadataExt;
        (owner.uid(), owner.gid())
    };
    std::os::unix::fs::chown(&space, Some(user), Some(group)).unwrap();
    let database = &private.database;
    // The tables alone: a server whose log has no room left goes down.
    database.run(&format!(
        "CREATE TABLESPACE small LOCATION '{}'",
        space.display()
    ));
    database.run("GRANT CREATE ON TABLESPACE small TO bench");
    database.run("ALTER ROLE bench SET default_tablespace = small");

    let workload = database.workload("pages", PAGES, PAGES_SQL);
    database.tiermark(&["prepare", &workload]).expect(0);
    let arguments = [
        "run",
        &workload,
        "--clients",
        "4",
        "--warmup",
        "0s",
        "--time",
        "4s",
    ];
    let output = database.tiermark(&arguments).expect(1);
    assert!(output.stdout.contains("error_limit"), "{}", output.stdout);
    let results = output.results();
    let all = results.summary();
    assert_eq!(all["measured_s"], "4");
    assert_eq!(all["disconnects"], "0");
    assert!(number(&all, "failed") > 0);
    let errors = results.csv("errors.csv");
    assert_eq!(errors_of(&errors, "failed"), number(&all, "failed"));
    for row in &errors {
        assert_eq!(
            (&*row["code"], &*row["statement"]),
            ("53100", "add"),
            "{row:?}"
        );
    }
    // Others go on.
    let last = results.intervals("measure").pop().unwrap();
    assert_ne!(last["done"], "0");
    assert_eq!(last["clients"], "4");
    let adds = results.csv("summary.csv");
    let adds = adds.iter().find(|row| row["transaction"] == "add").unwrap();
    let rows = u64::try_from(database.count("page")).unwrap() - 1;
    assert_eq!(rows, number(adds, "done") + number(adds, "drained"));
    // The server lets go of the disk first.
    private.stop();
}

pub fn a_full_disk_of_results_does_not_end_the_run() {
    let Some(disk) = Disk::mount("512k", "mode=777", "full disk of results") else {
        return;
    };
    let database = Database::on(Server::Sqlite).unwrap();
    database.prepare(1, 1000);
    std::os::unix::fs::symlink(disk.path(), database.results()).unwrap();
    let mut running = database.start(&[
        "run",
        "oltp_read_write",
        "--clients",
        "2",
        "--warmup",
        "0s",
        "--time",
        "4s",
    ]);
    running.wait_for_second(0);
    // Until there is no room.
    let filler = vec![b'x'; 1 << 20];
    std::fs::write(disk.path().join("filler"), filler).unwrap_err();
    let (output, results) = running.wait();
    let output = output.expect(1);
    assert!(
        output.stdout.contains("results_not_written"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("per second"), "{}", output.stdout);
    assert!(!output.everything().contains("panicked"));
    assert_eq!(database.count("sbtest1"), 1000);
    // What had been written is still there.
    assert!(results.seconds("measure").contains(&"0".to_owned()));
    let state = results.state();
    assert!(["running", "finished"].contains(&&*state), "{state}");
}
