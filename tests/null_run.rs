//! Whole runs on the null engine with a paused clock: statistics and CSV files
//! equal figures computed by hand, to the microsecond.

#[path = "null_run/audit.rs"]
mod audit;
#[path = "null_run/curve.rs"]
mod curve;
#[path = "null_run/ends.rs"]
mod ends;
#[path = "null_run/failures.rs"]
mod failures;
#[path = "null_run/logged.rs"]
mod logged;
#[path = "null_run/open.rs"]
mod open;
#[path = "null_run/rig.rs"]
mod rig;
#[path = "null_run/slow.rs"]
mod slow;
#[path = "null_run/steady.rs"]
mod steady;
#[path = "support/table.rs"]
mod table;
#[path = "null_run/waits.rs"]
mod waits;
