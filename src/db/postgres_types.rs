//! PostgreSQL's built-in types by their fixed numbers (`pg_type.dat`).

pub(crate) const BOOL: u32 = 16;
pub(crate) const BYTEA: u32 = 17;
const NAME: u32 = 19;
pub(crate) const INT8: u32 = 20;
pub(crate) const INT2: u32 = 21;
pub(crate) const INT4: u32 = 23;
pub(crate) const TEXT: u32 = 25;
pub(crate) const OID: u32 = 26;
const JSON: u32 = 114;
pub(crate) const FLOAT4: u32 = 700;
pub(crate) const FLOAT8: u32 = 701;
const UNKNOWN: u32 = 705;
pub(crate) const BPCHAR: u32 = 1042;
pub(crate) const VARCHAR: u32 = 1043;
pub(crate) const DATE: u32 = 1082;
pub(crate) const TIMESTAMP: u32 = 1114;
pub(crate) const TIMESTAMPTZ: u32 = 1184;
pub(crate) const NUMERIC: u32 = 1700;

/// Types of a database's own (enums, domains) are numbered from here on.
const FIRST_OWN: u32 = 16_384;

/// 2000-01-01, from which PostgreSQL counts, in microseconds since 1970.
pub(crate) const EPOCH_MICROS: i64 = 946_684_800_000_000;

/// Whether the binary form is the text itself. Enums and citext have it too,
/// and for other types of a database's own the server refuses.
pub(crate) fn takes_text(oid: u32) -> bool {
    matches!(
        oid,
        TEXT | VARCHAR | BPCHAR | NAME | UNKNOWN | JSON | FIRST_OWN..
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sent_as_they_are_to_texts_only() {
        for oid in [TEXT, VARCHAR, BPCHAR, JSON, FIRST_OWN + 7] {
            assert!(takes_text(oid), "{oid}");
        }
        // jsonb (3802) has a version before its text.
        for oid in [INT4, NUMERIC, BYTEA, TIMESTAMP, 3802] {
            assert!(!takes_text(oid), "{oid}");
        }
    }
}
