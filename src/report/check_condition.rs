//! What people read of conditions: a line for each scope as it is done, and at
//! the end a line for each condition, then where they do not hold.

use std::fmt::Write;

use crate::report::check::fault;
use crate::stats::check::{CheckRow, Outcome};

/// Scopes of one condition whose faults are shown; all are in `check.csv`.
const FAULTS: usize = 10;

/// What holds in one scope: `w=1: 3.3.2.1 fail, 3.3.2.11 skipped, 12 pass`.
pub fn line(rows: &[CheckRow]) -> String {
    let is_pass = |row: &&CheckRow| row.outcome == Outcome::Pass;
    let others = rows.iter().filter(|row| !is_pass(row));
    let mut parts: Vec<String> = others
        .map(|row| format!("{} {}", row.check, row.outcome.name()))
        .collect();
    parts.push(format!("{} pass", rows.iter().filter(is_pass).count()));
    let scope = rows.first().map_or("", |row| &row.scope);
    format!("{scope}: {}", parts.join(", "))
}

/// Of all conditions, by name and what each says, in how many scopes each holds.
pub fn table(conditions: &[(&str, &str)], rows: &[CheckRow]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_table(&mut text, conditions, rows);
    text
}

fn write_table(
    text: &mut String,
    conditions: &[(&str, &str)],
    rows: &[CheckRow],
) -> std::fmt::Result {
    let of = |name: &str, outcome: Outcome| {
        let name = name.to_owned();
        let is_it = move |row: &&CheckRow| row.check == name && row.outcome == outcome;
        rows.iter().filter(is_it)
    };
    let names = conditions.iter().map(|(name, _)| name.len());
    let width = names.chain(["condition".len()]).max().unwrap_or(0);
    writeln!(text, "  {:<width$}  pass  fail  skipped", "condition")?;
    for (name, about) in conditions {
        let [pass, fail, skipped] = [Outcome::Pass, Outcome::Fail, Outcome::Skipped]
            .map(|outcome| of(name, outcome).count());
        writeln!(
            text,
            "  {name:<width$}  {pass:>4}  {fail:>4}  {skipped:>7}  {about}"
        )?;
    }
    for (name, _) in conditions {
        for row in of(name, Outcome::Fail).take(FAULTS) {
            fault(text, row)?;
        }
        let more = of(name, Outcome::Fail).skip(FAULTS).count();
        if more > 0 {
            writeln!(text, "\n  {name} fails in {more} more; see check.csv")?;
        }
        if let Some(row) = of(name, Outcome::Skipped).next() {
            writeln!(text, "\n  {name} is skipped: {}", row.found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_holds_and_where_it_does_not() {
        let row = |check: &str, w: u32, outcome| CheckRow {
            check: check.to_owned(),
            scope: format!("w={w}"),
            outcome,
            found: "2 exceptions".to_owned(),
            expected: "a is b".to_owned(),
            first_keys: vec![format!("w={w}/d=1"), format!("w={w}/d=4")],
        };
        let scope = |w| {
            let outcome = if w > 1 { Outcome::Fail } else { Outcome::Pass };
            vec![
                row("same", w, outcome),
                row("more", w, Outcome::Pass),
                CheckRow::skipped("fresh", &format!("w={w}"), "a run was there"),
            ]
        };
        assert_eq!(line(&scope(1)), "w=1: fresh skipped, 2 pass");
        assert_eq!(line(&scope(2)), "w=2: same fail, fresh skipped, 1 pass");

        let conditions = [("same", "a is b"), ("more", "c"), ("fresh", "d")];
        let text = table(&conditions, &[scope(1), scope(2)].concat());
        let wanted = "  condition  pass  fail  skipped
  same          1     1        0  a is b
  more          2     0        0  c
  fresh         0     0        2  d

  same of w=2 fails
    found     2 exceptions
    expected  a is b
    first at  w=2/d=1 w=2/d=4

  fresh is skipped: a run was there
";
        assert_eq!(text, wanted);
        let many: Vec<CheckRow> = (1..=13).flat_map(scope).collect();
        let text = table(&conditions, &many);
        assert_eq!(text.matches("of w=").count(), 10, "{text}");
        let more = "\n  same fails in 2 more; see check.csv\n";
        assert!(text.contains(more), "{text}");
    }
}
