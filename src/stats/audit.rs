//! The audit of a TPC-C run: whether what was done is what the specification asks
//! for. The bounds are its own (those of the mix: clause 5.2.3); no auditor has seen
//! it, and results are TPC-C-like.
//!
//! Shares are of what completed in the window: committed, or rolled back by
//! design. A short run cannot keep narrow bounds even where every draw is right:
//! where four standard deviations of as many draws are wider, they take their place.

use crate::stats::recorder::TransactionStats;
use crate::stats::summary::Summary;
use crate::stats::tally::Count;

/// Kinds of transactions, as `builtin` names them behind `tpcc/`.
pub const NEW_ORDER: &str = "new_order";
const PAYMENT: &str = "payment";
const ORDER_STATUS: &str = "order_status";
const DELIVERY: &str = "delivery";
const STOCK_LEVEL: &str = "stock_level";

/// What an audit must know of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// The kind of each transaction type; empty for one that is not TPC-C's.
    pub kinds: Vec<&'static str>,
    /// Of each table set.
    pub warehouses: u64,
    pub table_sets: u64,
}

/// One row of `audit.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditRow {
    pub item: &'static str,
    /// None where there was nothing to count.
    pub value: Option<f64>,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    /// None where it is not judged.
    pub passes: Option<bool>,
}

impl AuditRow {
    /// The word in files; empty where it is not judged.
    pub fn result(&self) -> &'static str {
        match self.passes {
            Some(true) => "pass",
            Some(false) => "fail",
            None => "",
        }
    }
}

/// New orders as the server counts them beside what the clients saw commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders {
    /// How far `d_next_o_id` went in all districts.
    pub taken: i64,
    /// Committed, in warm-up, window and grace.
    pub committed: i64,
    /// In doubt or cancelled: committed or not, nobody knows.
    pub unsure: i64,
}

impl Orders {
    pub fn agree(&self) -> bool {
        (self.committed..=self.committed + self.unsure).contains(&self.taken)
    }
}

/// What the value of an item is.
struct Item {
    name: &'static str,
    /// A count over another, times this: 100 for a percentage.
    times: f64,
    found: Found,
    of: Found,
    bounds: Option<Bounds>,
    /// Without another warehouse nothing is remote.
    remote: bool,
}

#[derive(Clone, Copy)]
enum Found {
    /// Completed transactions of all types, or of a kind.
    All,
    Completed(&'static str),
    RolledBack(&'static str),
    Counted(Count),
}

struct Bounds {
    lower: Option<f64>,
    upper: Option<f64>,
    /// What is to be expected, and the variance of one draw.
    mean: f64,
    variance: f64,
}

const fn share(name: &'static str, found: Found, of: Found) -> Item {
    Item {
        name,
        times: 100.0,
        found,
        of,
        bounds: None,
        remote: false,
    }
}

impl Item {
    const fn at_least(self, lower: f64) -> Item {
        self.bounded(Some(lower), lower, None, lower * (1.0 - lower))
    }

    const fn within(self, lower: f64, mean: f64, upper: f64) -> Item {
        self.bounded(Some(lower), mean, Some(upper), mean * (1.0 - mean))
    }

    /// Of what should not be at all.
    const fn at_most(self, upper: f64) -> Item {
        self.bounded(None, 0.0, Some(upper), 0.0)
    }

    const fn bounded(
        mut self,
        lower: Option<f64>,
        mean: f64,
        upper: Option<f64>,
        variance: f64,
    ) -> Item {
        self.bounds = Some(Bounds {
            lower,
            upper,
            mean,
            variance,
        });
        self
    }

    const fn remote(mut self) -> Item {
        self.remote = true;
        self
    }
}

use Count::{
    Districts, Lines, OrdersWithRemoteLine, PaymentsByName, RemoteLines, RemotePayments,
    SkippedDistricts, StatusesByName,
};
use Found::{All, Completed, Counted, RolledBack};

const ITEMS: &[Item] = &[
    share("mix_new_order_pct", Completed(NEW_ORDER), All),
    share("mix_payment_pct", Completed(PAYMENT), All).at_least(0.43),
    share("mix_order_status_pct", Completed(ORDER_STATUS), All).at_least(0.04),
    share("mix_delivery_pct", Completed(DELIVERY), All).at_least(0.04),
    share("mix_stock_level_pct", Completed(STOCK_LEVEL), All).at_least(0.04),
    share(
        "rolled_back_pct",
        RolledBack(NEW_ORDER),
        Completed(NEW_ORDER),
    )
    .within(0.009, 0.01, 0.011),
    // 5 to 15, each equally likely: variance 10.
    Item {
        times: 1.0,
        ..share("lines_per_order", Counted(Lines), Completed(NEW_ORDER)).bounded(
            Some(9.5),
            10.0,
            Some(10.5),
            10.0,
        )
    },
    share("remote_lines_pct", Counted(RemoteLines), Counted(Lines))
        .within(0.0095, 0.01, 0.0105)
        .remote(),
    share(
        "orders_with_remote_line_pct",
        Counted(OrdersWithRemoteLine),
        Completed(NEW_ORDER),
    )
    .remote(),
    share(
        "remote_payments_pct",
        Counted(RemotePayments),
        Completed(PAYMENT),
    )
    .within(0.14, 0.15, 0.16)
    .remote(),
    share(
        "payments_by_name_pct",
        Counted(PaymentsByName),
        Completed(PAYMENT),
    )
    .within(0.57, 0.6, 0.63),
    share(
        "order_statuses_by_name_pct",
        Counted(StatusesByName),
        Completed(ORDER_STATUS),
    )
    .within(0.57, 0.6, 0.63),
    share(
        "skipped_deliveries_pct",
        Counted(SkippedDistricts),
        Counted(Districts),
    )
    .at_most(0.01),
];

/// How far chance alone may lead, in standard deviations.
const DEVIATIONS: f64 = 4.0;

/// Every row of the audit; none where the workload is not TPC-C.
#[expect(clippy::cast_precision_loss, reason = "counts of one run")]
pub fn audit(summary: &Summary) -> Vec<AuditRow> {
    let Some(audited) = &summary.info.audited else {
        return Vec::new();
    };
    let mut rows: Vec<AuditRow> = ITEMS.iter().map(|item| judged(item, summary)).collect();
    rows.push(AuditRow {
        item: "home_warehouses",
        value: Some(summary.recorder.tallies.warehouses() as f64),
        lower: None,
        upper: Some((audited.warehouses * audited.table_sets) as f64),
        passes: None,
    });
    rows.extend(orders(summary).map(|orders| AuditRow {
        item: "orders_taken",
        value: Some(orders.taken as f64),
        lower: Some(orders.committed as f64),
        upper: Some((orders.committed + orders.unsure) as f64),
        passes: Some(orders.agree()),
    }));
    rows
}

#[expect(clippy::cast_precision_loss, reason = "counts of one run")]
fn judged(item: &Item, summary: &Summary) -> AuditRow {
    let (found, of) = (count(item.found, summary), count(item.of, summary));
    let others = summary
        .info
        .audited
        .as_ref()
        .is_some_and(|audited| audited.warehouses > 1);
    let bounds = item
        .bounds
        .as_ref()
        .filter(|_| of > 0 && (others || !item.remote));
    let chance = bounds.map_or(0.0, |of_one| {
        DEVIATIONS * (of_one.variance / of as f64).sqrt()
    });
    let lower = bounds.and_then(|to| Some(to.lower?.min(to.mean - chance).max(0.0)));
    let most = if item.times > 1.0 { 1.0 } else { f64::INFINITY };
    let upper = bounds.and_then(|to| Some(to.upper?.max(to.mean + chance).min(most)));
    let ratio = found as f64 / of as f64;
    let passes =
        lower.is_none_or(|lower| ratio >= lower) && upper.is_none_or(|upper| ratio <= upper);
    let shown = |number: f64| item.times * number;
    AuditRow {
        item: item.name,
        value: (of > 0).then(|| shown(ratio)),
        lower: lower.map(shown),
        upper: upper.map(shown),
        passes: bounds.map(|_| passes),
    }
}

fn count(what: Found, summary: &Summary) -> u64 {
    let sum = |kind, get: fn(&TransactionStats) -> u64| -> u64 {
        summary.of_kind(kind).map(|(_, stats)| get(stats)).sum()
    };
    match what {
        Found::All => summary.all.done + summary.all.rolled_back,
        Found::Completed(kind) => sum(kind, |stats| stats.done + stats.rolled_back),
        Found::RolledBack(kind) => sum(kind, |stats| stats.rolled_back),
        Found::Counted(what) => summary.recorder.tallies.count(what),
    }
}

impl Summary {
    /// The transaction types of a TPC-C kind, with their names.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = (&str, &TransactionStats)> {
        let audited = self.info.audited.iter().flat_map(|of| &of.kinds);
        let named = self.info.transactions.iter().map(String::as_str);
        let types = named.zip(&self.recorder.transactions).zip(audited);
        types
            .filter(move |(_, of)| **of == kind)
            .map(|(found, _)| found)
    }
}

/// Where the server was asked.
pub fn orders(summary: &Summary) -> Option<Orders> {
    let sum = |get: fn(&TransactionStats) -> u64| {
        let all: u64 = summary
            .of_kind(NEW_ORDER)
            .map(|(_, stats)| get(stats))
            .sum();
        i64::try_from(all).unwrap_or(i64::MAX)
    };
    Some(Orders {
        taken: summary.orders_taken?,
        committed: sum(|stats| stats.ever_committed),
        unsure: sum(|stats| stats.ever_unsure),
    })
}
