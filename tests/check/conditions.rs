//! Conditions of a workload of one's own: where they are asked, what they find,
//! and what they leave out.

use crate::place::Place;

const ABOUT: &str = "a list has all ranks";
const SUM: &str = "the ranks of all are as loaded";

/// Two tables of ranks from 1 to 12.
fn ranks(place: &Place) -> String {
    place.file(
        "sql/common/ranks.sql",
        "-- name: create\n\
         CREATE TABLE list{t} (id INTEGER NOT NULL PRIMARY KEY, grade CHAR(4), note CHAR(8))\n\
         -- name: change\n\
         UPDATE list{t} SET note = 'seen' WHERE id = :id\n",
    );
    place.file(
        "sql/common/ranks_check.sql",
        "-- name: ranks\n\
         SELECT id, grade FROM list{t} WHERE id <= :n * 6 AND id > (:n - 1) * 6\n\
         AND (grade IS NULL OR grade <> 'A')\n\
         ORDER BY id\n\
         -- name: all\n\
         SELECT SUM(id) FROM list1 HAVING SUM(id) <> 78\n",
    );
    place.file(
        "ranks.toml",
        &format!(
            "about = \"lists of ranks\"\n\
             sql = \"ranks\"\n\
             [params]\n\
             parts = 2\n\
             [draw]\n\
             t = {{ kind = \"uniform\", min = 1, max = 2 }}\n\
             id = {{ kind = \"uniform\", min = 1, max = 12 }}\n\
             grade = {{ kind = \"const\", value = \"A\" }}\n\
             note = {{ kind = \"letters\", len = 8 }}\n\
             [[table]]\n\
             name = \"list{{t}}\"\n\
             create = \"create\"\n\
             count = 2\n\
             rows = 12\n\
             columns = {{ id = \"seq\", grade = \"grade\", note = \"note\" }}\n\
             [[transaction]]\n\
             name = \"change\"\n\
             steps = [{{ run = [\"change\"] }}]\n\
             [condition]\n\
             ranks = {{ run = \"ranks\", each = {{ n = \"parts\" }}, key = [\"id\", \"grade\"], about = \"{ABOUT}\" }}\n\
             sum = {{ run = \"all\", key = [\"sum\"], when = \"loaded\", about = \"{SUM}\" }}\n"
        ),
    )
}

pub fn each_is_asked_everywhere_and_names_its_keys(place: &Place) {
    let workload = ranks(place);
    place.good(&["prepare", &workload]);
    let scopes = ["t=1 n=1", "t=1 n=2", "t=2 n=1", "t=2 n=2"];
    let checked = place.check(&workload);
    checked.assert_faults(&[]);
    let asked = checked.lines.iter().filter(|line| line.check == "ranks");
    let mut asked: Vec<&str> = asked.map(|line| &*line.scope).collect();
    asked.sort_unstable();
    assert_eq!(asked, scopes);
    let line = checked.line("ranks", "sum");
    assert_eq!(
        [&line.result, &line.found, &line.expected],
        ["pass", "no exception", SUM]
    );
    let table = format!("\n  ranks         4     0        0  {ABOUT}\n");
    assert!(checked.stdout.contains(&table), "{}", checked.stdout);
    assert!(
        checked.stderr.contains("\nt=2 n=1: 1 pass\n"),
        "{}",
        checked.stderr
    );

    // A run, after which the rest is still looked at.
    place.run(&workload, &[]);
    place.sql(&[
        "UPDATE list1 SET grade = 'B' WHERE id IN (4, 12)",
        "UPDATE list1 SET id = 13 WHERE id = 1",
        "UPDATE list2 SET grade = NULL",
    ]);
    let checked = place.check(&workload);
    checked.assert_faults(&[
        ("list1", "key_range", "2 to 13", "1 to 12", ""),
        ("t=1 n=1", "ranks", "1 exception", ABOUT, "id=4/grade=B"),
        ("t=1 n=2", "ranks", "1 exception", ABOUT, "id=12/grade=B"),
        (
            "t=2 n=1",
            "ranks",
            "6 exceptions",
            ABOUT,
            "id=1/grade=null id=2/grade=null id=3/grade=null id=4/grade=null id=5/grade=null id=6/grade=null",
        ),
        (
            "t=2 n=2",
            "ranks",
            "6 exceptions",
            ABOUT,
            "id=7/grade=null id=8/grade=null id=9/grade=null id=10/grade=null id=11/grade=null id=12/grade=null",
        ),
    ]);
    let why = "a run has changed the rows since the load";
    let line = checked.line("ranks", "sum");
    assert_eq!(
        [&line.result, &line.found, &line.expected],
        ["skipped", why, ""]
    );
    assert!(
        checked.stdout.contains("sum is skipped: "),
        "{}",
        checked.stdout
    );
}
