//! The workloads and SQL files inside the binary, so that it stands alone.

/// Name and text of each shipped workload, in the order that `list` shows.
const WORKLOADS: &[(&str, &str)] = &[
    (
        "oltp_read_write",
        include_str!("../../workloads/oltp_read_write.toml"),
    ),
    (
        "oltp_read_only",
        include_str!("../../workloads/oltp_read_only.toml"),
    ),
    (
        "oltp_write_only",
        include_str!("../../workloads/oltp_write_only.toml"),
    ),
    (
        "oltp_point_select",
        include_str!("../../workloads/oltp_point_select.toml"),
    ),
    (
        "oltp_update_index",
        include_str!("../../workloads/oltp_update_index.toml"),
    ),
    (
        "oltp_update_non_index",
        include_str!("../../workloads/oltp_update_non_index.toml"),
    ),
    (
        "oltp_delete",
        include_str!("../../workloads/oltp_delete.toml"),
    ),
    (
        "oltp_insert",
        include_str!("../../workloads/oltp_insert.toml"),
    ),
    (
        "bulk_insert",
        include_str!("../../workloads/bulk_insert.toml"),
    ),
    (
        "select_random_points",
        include_str!("../../workloads/select_random_points.toml"),
    ),
    (
        "select_random_ranges",
        include_str!("../../workloads/select_random_ranges.toml"),
    ),
    ("oltp_7030", include_str!("../../workloads/oltp_7030.toml")),
    (
        "oltp_write_heavy",
        include_str!("../../workloads/oltp_write_heavy.toml"),
    ),
    (
        "oltp_spill",
        include_str!("../../workloads/oltp_spill.toml"),
    ),
    ("tpcc", include_str!("../../workloads/tpcc.toml")),
    ("tpcc_proc", include_str!("../../workloads/tpcc_proc.toml")),
    (
        "tpcc_terminals",
        include_str!("../../workloads/tpcc_terminals.toml"),
    ),
    (
        "tpcc_sysbench",
        include_str!("../../workloads/tpcc_sysbench.toml"),
    ),
    ("tpcc_800", include_str!("../../workloads/tpcc_800.toml")),
];

/// `<folder>/<file>` below `sql/`, and its text.
const SQL: &[(&str, &str)] = &[
    ("common/bulk.sql", include_str!("../../sql/common/bulk.sql")),
    ("common/meta.sql", include_str!("../../sql/common/meta.sql")),
    ("common/oltp.sql", include_str!("../../sql/common/oltp.sql")),
    ("common/tpcc.sql", include_str!("../../sql/common/tpcc.sql")),
    (
        "common/tpcc_check.sql",
        include_str!("../../sql/common/tpcc_check.sql"),
    ),
    ("mysql/tpcc.sql", include_str!("../../sql/mysql/tpcc.sql")),
    (
        "postgres/tpcc.sql",
        include_str!("../../sql/postgres/tpcc.sql"),
    ),
    ("sqlite/tpcc.sql", include_str!("../../sql/sqlite/tpcc.sql")),
];

pub fn workload_names() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|(name, _)| *name)
}

pub fn workload(name: &str) -> Option<&'static str> {
    WORKLOADS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

pub fn sql(key: &str) -> Option<&'static str> {
    SQL.iter()
        .find(|(known, _)| *known == key)
        .map(|(_, text)| *text)
}
