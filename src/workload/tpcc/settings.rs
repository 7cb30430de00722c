//! How large a TPC-C data set is, how its rows are made, and which warehouses a
//! client works on.

/// From which warehouses a client takes those of its transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choose {
    /// All of them, each equally likely.
    #[default]
    All,
    /// One, by the client's number: the terminals of the specification.
    Home,
    /// A share of its own, each of it equally likely.
    Partitioned,
}

impl Choose {
    pub const NAMES: [(&'static str, Choose); 3] = [
        ("all", Choose::All),
        ("home", Choose::Home),
        ("partitioned", Choose::Partitioned),
    ];
}

/// What decides the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Of each table set.
    pub warehouses: u64,
    /// Each is nine tables of its own.
    pub table_sets: u64,
    /// The share of a text that repeats the rest of it, from 0 to less than 1.
    pub compress: f64,
    pub foreign_keys: bool,
    /// `history` gets a key, which the specification does not ask for.
    pub history_key: bool,
}

impl Scale {
    /// What stands in a name for `{t}`: nothing in the first table set, the
    /// set's number in the others.
    pub fn number(set: u64) -> Option<i64> {
        i64::try_from(set).ok().filter(|&set| set > 1)
    }
}

/// What built-in transactions need to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tpcc {
    pub scale: Scale,
    pub choose: Choose,
    /// The constant that last names were loaded with (clause 2.1.6.1), 0..=255, as
    /// `tiermark_meta` says; none where no database was asked.
    pub c_load: Option<u64>,
}
