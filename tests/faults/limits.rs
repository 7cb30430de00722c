//! Many clients, and more than the server allows.

use std::time::{Duration, Instant};

use crate::database::{Server, skipped};
use crate::private::Private;
use crate::program::number;

const LOOK: &str = r#"
about = "finds one row"
sql = "look"
[draw]
id = { kind = "uniform", min = 1, max = 1000 }
[[table]]
name = "looked_at"
create = "create_looked_at"
rows = 1000
columns = { id = "seq" }
[[transaction]]
name = "look"
steps = [{ run = ["look"] }]
"#;

const LOOK_SQL: &str = "
-- name: create_looked_at
CREATE TABLE looked_at (id INTEGER NOT NULL, PRIMARY KEY (id))
-- name: look
SELECT id FROM looked_at WHERE id = :id
";

/// Connecting takes the most of it.
const LONGEST: Duration = Duration::from_mins(10);
/// Twice what they are to take, in kB.
const MEMORY: u64 = 300 * 1024;
/// What the server may take for its part, in kB.
const FREE: u64 = 8 * 1024 * 1024;

pub fn two_thousand_clients_run() {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
    let free = kilobytes(&meminfo, "MemAvailable:").unwrap();
    if free < FREE {
        skipped("2,000 clients", "less than 8 GB of memory are free");
        return;
    }
    let Some(private) = Private::start(Server::Postgres, &["-c", "max_connections=2100"]) else {
        return;
    };
    let database = &private.database;
    let workload = database.workload("look", LOOK, LOOK_SQL);
    database.tiermark(&["prepare", &workload]).expect(0);

    let too_many = database
        .tiermark(&["run", &workload, "--clients", "2500"])
        .expect(3);
    for part in ["2,501", "2,100", "max_connections"] {
        assert!(too_many.stderr.contains(part), "{}", too_many.stderr);
    }
    assert!(!database.results().exists());

    let mut running = database.start(&[
        "run",
        &workload,
        "--clients",
        "2000",
        "--warmup",
        "0s",
        "--time",
        "5s",
        // Some wait for seconds where two cores serve them all.
        "--grace",
        "1m",
    ]);
    let status = format!("/proc/{}/status", running.child.id());
    let (since, mut memory) = (Instant::now(), 0);
    // A process that has ended has no memory; what it took at most is growing.
    while running.child.try_wait().unwrap().is_none() {
        let now = std::fs::read_to_string(&status).unwrap_or_default();
        memory = kilobytes(&now, "VmHWM:").unwrap_or(memory);
        assert!(since.elapsed() < LONGEST, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (output, results) = running.wait();
    output.expect(0);
    let all = results.summary();
    assert_eq!((&*all["clients"], &*all["measured_s"]), ("2000", "5"));
    assert!(number(&all, "done") > 2000, "{all:?}");
    for zero in ["failed", "disconnects", "unfinished"] {
        assert_eq!(all[zero], "0", "{all:?}");
    }
    let intervals = results.intervals("measure");
    assert!(intervals.iter().all(|row| row["clients"] == "2000"));
    assert!(0 < memory && memory < MEMORY, "{memory} kB");
    eprintln!("{memory} kB for 2,000 clients");
    assert_eq!(database.sessions(), [""; 0]);
}

/// A line of a file in `/proc`, such as `VmHWM:   1234 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

pub fn too_many_prepared_statements_are_refused(server: Server) {
    let Some(private) = Private::start(server, &[]) else {
        return;
    };
    let database = &private.database;
    database.prepare(1, 1000);
    let run = ["run", "oltp_read_write", "--transactions", "8"];
    let run = |clients| database.tiermark(&[&run[..], &["--clients", clients]].concat());
    database.run("SET GLOBAL max_prepared_stmt_count = 20");
    let refused = run("8").expect(3).stderr;
    assert!(refused.contains("8 clients x "), "{refused}");
    assert!(
        refused.contains("max_prepared_stmt_count is 20"),
        "{refused}"
    );
    assert!(!database.results().exists());
    // As it says.
    let from = refused.find("SET GLOBAL").unwrap();
    database.run(refused[from..].trim());
    run("8").expect(0);
    // One client more is too many again.
    let refused = run("9").expect(3).stderr;
    assert!(refused.contains("9 clients x "), "{refused}");
}
