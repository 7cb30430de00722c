//! The command line from end to end, through the binary: what it refuses and
//! how it says so, what it shows, and runs on embedded SQLite.

#[path = "cli/conditions.rs"]
mod conditions;
#[path = "cli/csv.rs"]
mod csv_form;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/place.rs"]
mod place;
#[path = "cli/refused.rs"]
mod refused;
#[path = "cli/show.rs"]
mod show;
#[path = "cli/sqlite.rs"]
mod sqlite;
#[path = "support/table.rs"]
mod table;
