//! The words that workloads, transactions and databases share: values, rows of
//! values, statements, engines, and what a server says about itself.
//!
//! Plain data without SQL, chance or I/O. `workload` and `db` do not know each
//! other; they meet here.

use std::fmt;

/// The database families that tiermark speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    Postgres,
    Mysql,
    Mariadb,
    Sqlite,
    /// No server: scripted delays and failures, for tests.
    Null,
}

impl Engine {
    pub const ALL: [Engine; 5] = [
        Engine::Postgres,
        Engine::Mysql,
        Engine::Mariadb,
        Engine::Sqlite,
        Engine::Null,
    ];

    /// The name in files, CSV cells and folders below `sql/`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Postgres => "postgres",
            Engine::Mysql => "mysql",
            Engine::Mariadb => "mariadb",
            Engine::Sqlite => "sqlite",
            Engine::Null => "null",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What transactions see of one another, by SQL's four names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    pub const NAMES: [(&'static str, Isolation); 4] = [
        ("read uncommitted", Isolation::ReadUncommitted),
        ("read committed", Isolation::ReadCommitted),
        ("repeatable read", Isolation::RepeatableRead),
        ("serializable", Isolation::Serializable),
    ];

    /// In workload files, CSV cells and SQL.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An exact decimal: `units / 10^scale`. Money is never a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dec {
    pub units: i64,
    /// Digits behind the point, 0..=18.
    pub scale: u8,
}

impl fmt::Display for Dec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scale == 0 {
            return write!(f, "{}", self.units);
        }
        let one = 10_u64.pow(u32::from(self.scale));
        let size = self.units.unsigned_abs();
        let sign = if self.units < 0 { "-" } else { "" };
        let width = usize::from(self.scale);
        write!(f, "{sign}{}.{:0width$}", size / one, size % one)
    }
}

/// One value on its way to or from a database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Float(f64),
    Dec(Dec),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// Microseconds since 1970-01-01 00:00:00 UTC, without a time zone.
    Time(i64),
}

/// A run of values that owns its texts: the registers of a client, or rows to
/// load. Cleared, not freed, so that a client in its stride allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    slots: Vec<Slot>,
    text: String,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Null,
    Int(i64),
    Float(f64),
    Dec(Dec),
    Text { start: usize, end: usize },
    Bytes { start: usize, end: usize },
    Time(i64),
}

impl Cells {
    pub fn clear(&mut self) {
        self.slots.clear();
        self.text.clear();
        self.bytes.clear();
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn push(&mut self, value: Value<'_>) {
        let slot = match value {
            Value::Null => Slot::Null,
            Value::Int(v) => Slot::Int(v),
            Value::Float(v) => Slot::Float(v),
            Value::Dec(v) => Slot::Dec(v),
            Value::Time(v) => Slot::Time(v),
            Value::Text(v) => return self.push_text(|text| text.push_str(v)),
            Value::Bytes(v) => return self.push_bytes(|bytes| bytes.extend_from_slice(v)),
        };
        self.slots.push(slot);
    }

    /// Appends a text that `write` makes in place.
    pub fn push_text(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        let end = self.text.len();
        self.slots.push(Slot::Text { start, end });
    }

    /// Appends a byte string that `write` makes in place.
    pub fn push_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let end = self.bytes.len();
        self.slots.push(Slot::Bytes { start, end });
    }

    /// The value at `index`. Panics beyond `len`, as a slice does.
    pub fn get(&self, index: usize) -> Value<'_> {
        match self.slots[index] {
            Slot::Null => Value::Null,
            Slot::Int(v) => Value::Int(v),
            Slot::Float(v) => Value::Float(v),
            Slot::Dec(v) => Value::Dec(v),
            Slot::Time(v) => Value::Time(v),
            Slot::Text { start, end } => Value::Text(&self.text[start..end]),
            Slot::Bytes { start, end } => Value::Bytes(&self.bytes[start..end]),
        }
    }
}

/// Rows to load: values in row order, `columns` to a row.
#[derive(Clone, Debug, Default)]
pub struct RowBuf {
    pub cells: Cells,
    columns: usize,
}

impl RowBuf {
    pub fn new(columns: usize) -> RowBuf {
        RowBuf {
            cells: Cells::default(),
            columns,
        }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    pub fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.cells.get(row * self.columns + column)
    }
}

/// The arguments of one statement, borrowed for its duration.
#[derive(Clone, Copy, Debug)]
pub enum Args<'a> {
    List(&'a [Value<'a>]),
    /// `picks[i]` is the register of argument i.
    Registers {
        cells: &'a Cells,
        picks: &'a [u16],
    },
    /// `picks[i]` is the place of argument i among the values.
    Picked {
        values: &'a [Value<'a>],
        picks: &'a [u16],
    },
}

impl<'a> Args<'a> {
    pub const NONE: Args<'static> = Args::List(&[]);

    pub fn len(&self) -> usize {
        match self {
            Args::List(values) => values.len(),
            Args::Registers { picks, .. } | Args::Picked { picks, .. } => picks.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Value<'a> {
        match self {
            Args::List(values) => values[index],
            Args::Registers { cells, picks } => cells.get(usize::from(picks[index])),
            Args::Picked { values, picks } => values[usize::from(picks[index])],
        }
    }

    pub fn iter(self) -> impl Iterator<Item = Value<'a>> {
        (0..self.len()).map(move |index| self.get(index))
    }
}

/// The place of a statement in the list that a session was opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StmtId(pub u32);

impl StmtId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a statement does, by its first keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SELECT, WITH, VALUES.
    Read,
    /// INSERT, UPDATE, DELETE, REPLACE, MERGE, CALL.
    Write,
    Other,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Other => "other",
        }
    }
}

/// One SQL text as a server gets it, with `?` or `$n` for its parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The SQL block's name, for messages.
    pub name: String,
    /// Lives as long as the program: made once per run, shared by all clients.
    pub sql: &'static str,
    /// The placeholder's name of each argument, for messages.
    pub params: Vec<String>,
    pub kind: Kind,
}

/// How the gaps between planned instants are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps: independent users.
    Poisson,
    /// Equal gaps.
    Constant,
}

/// Who takes an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Any free client, as from the connection pool of an application.
    Pool,
    /// Each client has arrivals of its own, and they wait for it.
    PerClient,
}

impl Arrivals {
    pub const NAMES: [(&'static str, Arrivals); 2] = [
        ("poisson", Arrivals::Poisson),
        ("constant", Arrivals::Constant),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Arrivals::Poisson => "poisson",
            Arrivals::Constant => "constant",
        }
    }
}

impl Schedule {
    pub const NAMES: [(&'static str, Schedule); 2] = [
        ("pool", Schedule::Pool),
        ("per_client", Schedule::PerClient),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Schedule::Pool => "pool",
            Schedule::PerClient => "per_client",
        }
    }
}

/// What a server says about itself, asked once before a run.
#[derive(Clone, Debug, Default)]
pub struct ServerFacts {
    /// What the server turned out to be; `None` where no server was asked.
    pub engine: Option<Engine>,
    pub version: String,
    pub user: String,
    pub database: String,
    /// Whether this session is encrypted.
    pub tls: bool,
    /// Protocol version and cipher, as the server names them; empty without TLS.
    pub tls_detail: String,
    /// A pooler deals sessions to connections of the server, or may do so.
    pub pooled: bool,
    /// Where the server says its data lies, on its own host.
    pub data_directory: Option<String>,
    /// Settings that decide speed and durability, as the server names them.
    pub settings: Vec<(String, String)>,
    /// What the client library changed in the session and cannot undo.
    pub session_notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_print_their_scale() {
        let print = |units, scale| Dec { units, scale }.to_string();
        assert_eq!(print(-1000, 2), "-10.00");
        assert_eq!(print(5, 2), "0.05");
        assert_eq!(print(-5, 4), "-0.0005");
        assert_eq!(print(i64::MIN, 0), "-9223372036854775808");
    }

    #[test]
    fn cells_give_back_what_was_pushed() {
        let mut cells = Cells::default();
        for round in 0..2 {
            cells.clear();
            cells.push(Value::Int(round));
            cells.push(Value::Text("höt"));
            cells.push(Value::Bytes(&[0, 255]));
            cells.push_text(|text| text.push('x'));
            assert_eq!(cells.get(0), Value::Int(round));
            assert_eq!(cells.get(1), Value::Text("höt"));
            assert_eq!(cells.get(2), Value::Bytes(&[0, 255]));
            assert_eq!(cells.get(3), Value::Text("x"));
        }
    }
}
