//! Folders of results that cannot be, that two runs share, that are called
//! something, or that an older version began.

use crate::database::{Database, Server};
use crate::program::{Row, number, read_csv};

const RUN: [&str; 6] = [
    "run",
    "oltp_read_write",
    "--transactions",
    "20",
    "--clients",
    "2",
];

fn prepared() -> Database {
    let database = Database::on(Server::Sqlite).unwrap();
    database.prepare(1, 1000);
    database
}

fn runs(database: &Database, folder: &str) -> Vec<Row> {
    read_csv(&database.folder().join(folder).join("runs.csv"))
}

pub fn results_below_a_file_are_refused() {
    let database = prepared();
    std::fs::write(database.folder().join("file"), "precious").unwrap();
    let before = database.sbtests(1);
    for folder in ["file", "file/results"] {
        let output = database
            .tiermark(&[&RUN[..], &["--out", folder]].concat())
            .expect(2);
        assert!(output.stderr.contains(folder), "{}", output.stderr);
        assert_eq!(output.stdout, "");
    }
    // Nothing was run.
    assert_eq!(database.sbtests(1), before);
    let text = std::fs::read_to_string(database.folder().join("file")).unwrap();
    assert_eq!(text, "precious");
}

pub fn two_runs_share_a_folder() {
    let databases = [prepared(), prepared()];
    let shared = tempfile::tempdir().unwrap();
    let out = shared.path().join("both");
    let out = out.to_str().unwrap();
    let arguments = [
        "run",
        "oltp_read_write",
        "--clients",
        "2",
        "--warmup",
        "0s",
        "--time",
        "2s",
        "--out",
        out,
    ];
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let start = |database| scope.spawn(move || Database::tiermark(database, &arguments));
        let both: Vec<_> = databases.iter().map(start).collect();
        both.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut all: Vec<Row> = Vec::new();
    for output in outputs {
        let output = output.expect(0);
        all.push(output.results().summary());
        assert_eq!(output.results().state(), "finished");
        assert_eq!(output.results().seconds("measure"), ["0", "1"]);
    }
    assert_ne!(all[0]["run"], all[1]["run"]);
    let mut rows = read_csv(&shared.path().join("both/runs.csv"));
    rows.sort_by(|one, other| one["run"].cmp(&other["run"]));
    all.sort_by(|one, other| one["run"].cmp(&other["run"]));
    assert_eq!(rows, all);
}

pub fn a_folder_may_have_any_name() {
    let database = prepared();
    for folder in ["mes résultats 表 %s", "a'b\"c", "deep/er  er"] {
        let output = database
            .tiermark(&[&RUN[..], &["--out", folder]].concat())
            .expect(0);
        let last = output.stdout.lines().last().unwrap();
        assert!(last.starts_with(folder), "{last}");
        let all = output.results().summary();
        assert_eq!(number(&all, "done"), 20);
        assert_eq!(runs(&database, folder), [all]);
    }
}

pub fn an_older_table_of_runs_grows() {
    let database = prepared();
    database.tiermark(&RUN).expect(0);
    let path = database.results().join("runs.csv");
    let whole = runs(&database, "results").remove(0);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header = reader.headers().unwrap().clone();
    // Of a version that did not know the last three columns.
    let known = header.len() - 3;
    let mut writer = csv::Writer::from_path(&path).unwrap();
    writer.write_record(header.iter().take(known)).unwrap();
    let old = header.iter().take(known).map(|column| &whole[column]);
    writer.write_record(old).unwrap();
    writer.flush().unwrap();

    let output = database.tiermark(&RUN).expect(0);
    let rows = runs(&database, "results");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1], output.results().summary());
    for (place, column) in header.iter().enumerate() {
        let expected = if place < known { &*whole[column] } else { "" };
        assert_eq!(rows[0][column], expected, "{column}");
    }
    let mut reader = csv::Reader::from_path(&path).unwrap();
    assert_eq!(reader.headers().unwrap(), &header);
}
