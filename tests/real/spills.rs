//! `oltp_spill` at its own sizes goes beyond the work memory that servers have
//! by default, as their own counters say.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tiermark::value::Engine;

use crate::database::Database;
use crate::program::PATIENCE;

/// What one statement sorts: `c` alone.
const SORTED_BYTES: i64 = 100_000 * 120;

pub fn sorts_and_hashes_go_to_disk(database: &Database) {
    let workload = ["oltp_spill", "--preset", "small"];
    let prepare = [&["prepare"][..], &workload].concat();
    database.tiermark(&prepare).expect(0);
    let first = [
        "--engine",
        database.engine.name(),
        "--client",
        "0",
        "--first",
        "2",
    ];
    let shown = database
        .tiermark(&[&["show"][..], &workload, &first].concat())
        .expect(0);
    let statements = shown.stdout.lines().filter(|line| !line.starts_with("--"));
    let statements: Vec<&str> = statements.collect();
    let of = |part: &str| {
        let mut found = statements.iter().filter(|sql| sql.contains(part));
        found.next().unwrap().trim_end_matches(';')
    };
    let (sort, hash) = (of("ORDER BY"), of(" IN ("));
    match database.engine {
        Engine::Postgres => {
            for sql in [sort, hash] {
                let before = temp_bytes(database);
                database.run(sql);
                // The server counts when it comes to it.
                let since = Instant::now();
                while temp_bytes(database) < before + SORTED_BYTES {
                    assert!(since.elapsed() < PATIENCE, "{sql}");
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        }
        Engine::Sqlite => {
            for sql in [sort, hash] {
                assert!(with_unnamed_file(|| database.run(sql)), "{sql}");
            }
        }
        _ => {
            let schema = match database.engine {
                Engine::Mysql => "performance_schema",
                _ => "information_schema",
            };
            // Counted for this session alone.
            let counter = |name: &str| {
                format!(
                    "SELECT CAST(variable_value AS SIGNED) FROM {schema}.session_status WHERE variable_name = '{name}'"
                )
            };
            let merges = counter("Sort_merge_passes");
            let tables = counter("Created_tmp_disk_tables");
            let mut session = database.connect(&[&merges, &tables]);
            for (sql, counter) in [(sort, 0), (hash, 1)] {
                let before = session.number(counter);
                session.run(sql);
                assert!(session.number(counter) > before, "{sql}");
            }
        }
    }
}

fn temp_bytes(database: &Database) -> i64 {
    let name = database.name();
    database.number(&format!(
        "SELECT temp_bytes FROM pg_stat_database WHERE datname = '{name}'"
    ))
}

/// Whether this process has a file of SQLite's open, already without a name and
/// with something in it, while `work` is done.
fn with_unnamed_file(work: impl FnOnce()) -> bool {
    let is_one = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = std::fs::read_link(&path).unwrap_or_default();
        let length = std::fs::metadata(&path).map_or(0, |file| file.len());
        name.to_string_lossy().contains("etilqs") && length > 0
    };
    let (seen, done) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) && !seen.load(Ordering::Relaxed) {
                let mut files = std::fs::read_dir("/proc/self/fd").unwrap();
                seen.fetch_or(files.any(is_one), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        work();
        done.store(true, Ordering::Relaxed);
    });
    seen.into_inner()
}
