//! The statements of TPC-C's five transactions: which SQL block each is, and
//! the values that it may name, in the order in which Rust hands them over.
//!
//! Where an engine returns what an UPDATE has changed (RETURNING), its block
//! does so, and the block after it, which reads the same columns, is not sent.

/// The five transactions (clause 2.4 to 2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpccKind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

impl TpccKind {
    pub const ALL: [TpccKind; 5] = [
        TpccKind::NewOrder,
        TpccKind::Payment,
        TpccKind::OrderStatus,
        TpccKind::Delivery,
        TpccKind::StockLevel,
    ];

    /// The name in a workload file.
    pub fn builtin(self) -> &'static str {
        match self {
            TpccKind::NewOrder => "tpcc/new_order",
            TpccKind::Payment => "tpcc/payment",
            TpccKind::OrderStatus => "tpcc/order_status",
            TpccKind::Delivery => "tpcc/delivery",
            TpccKind::StockLevel => "tpcc/stock_level",
        }
    }

    /// The same without the folder, in results.
    pub fn name(self) -> &'static str {
        let builtin = self.builtin();
        builtin.strip_prefix("tpcc/").unwrap_or(builtin)
    }

    pub fn writes(self) -> bool {
        match self {
            TpccKind::NewOrder | TpccKind::Payment | TpccKind::Delivery => true,
            TpccKind::OrderStatus | TpccKind::StockLevel => false,
        }
    }

    /// What the block of its call may name: its inputs. The lines of an order are
    /// four lists, in the order of their stock rows' keys; of `c` and `last` one is
    /// null.
    pub fn call_values(self) -> &'static [&'static str] {
        match self {
            TpccKind::NewOrder => &[
                "w",
                "d",
                "c",
                "at",
                "all_local",
                "numbers",
                "items",
                "supplies",
                "quantities",
            ],
            TpccKind::Payment => &["w", "d", "cw", "cd", "c", "last", "amount", "at"],
            TpccKind::OrderStatus => &["w", "d", "c", "last"],
            TpccKind::Delivery => &["w", "carrier", "at"],
            TpccKind::StockLevel => &["w", "d", "threshold"],
        }
    }

    /// Its statements, in the order of `Ask`.
    pub fn asks(self) -> impl Iterator<Item = Ask> {
        let mine = move |ask: &Ask| ask.kind() == self;
        Ask::ALL.into_iter().filter(mine)
    }
}

/// One statement. Those of a transaction stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    TakeOrderNumber,
    ReadOrderNumber,
    NewOrderCustomer,
    InsertOrder,
    InsertNewOrder,
    ReadItem,
    TakeStock,
    ReadStock,
    InsertLine,

    PayWarehouse,
    ReadWarehouse,
    PayDistrict,
    ReadDistrict,
    PayersByName,
    PayerById,
    PayGoodCredit,
    PayBadCredit,
    InsertHistory,

    CustomersByName,
    CustomerById,
    LastOrder,
    OrderLines,

    OldestNewOrder,
    AnyNewOrder,
    DeleteNewOrder,
    DeliverOrder,
    OrderCustomer,
    DeliverLines,
    LineAmounts,
    CreditCustomer,

    NextOrderNumber,
    LowStock,
}

impl Ask {
    pub const ALL: [Ask; 32] = [
        Ask::TakeOrderNumber,
        Ask::ReadOrderNumber,
        Ask::NewOrderCustomer,
        Ask::InsertOrder,
        Ask::InsertNewOrder,
        Ask::ReadItem,
        Ask::TakeStock,
        Ask::ReadStock,
        Ask::InsertLine,
        Ask::PayWarehouse,
        Ask::ReadWarehouse,
        Ask::PayDistrict,
        Ask::ReadDistrict,
        Ask::PayersByName,
        Ask::PayerById,
        Ask::PayGoodCredit,
        Ask::PayBadCredit,
        Ask::InsertHistory,
        Ask::CustomersByName,
        Ask::CustomerById,
        Ask::LastOrder,
        Ask::OrderLines,
        Ask::OldestNewOrder,
        Ask::AnyNewOrder,
        Ask::DeleteNewOrder,
        Ask::DeliverOrder,
        Ask::OrderCustomer,
        Ask::DeliverLines,
        Ask::LineAmounts,
        Ask::CreditCustomer,
        Ask::NextOrderNumber,
        Ask::LowStock,
    ];

    fn kind(self) -> TpccKind {
        match self as usize {
            ..9 => TpccKind::NewOrder,
            9..18 => TpccKind::Payment,
            18..22 => TpccKind::OrderStatus,
            22..30 => TpccKind::Delivery,
            30.. => TpccKind::StockLevel,
        }
    }

    /// Its place among the statements of its transaction.
    pub fn place(self) -> usize {
        let first = match self.kind() {
            TpccKind::NewOrder => Ask::TakeOrderNumber,
            TpccKind::Payment => Ask::PayWarehouse,
            TpccKind::OrderStatus => Ask::CustomersByName,
            TpccKind::Delivery => Ask::OldestNewOrder,
            TpccKind::StockLevel => Ask::NextOrderNumber,
        };
        self as usize - first as usize
    }

    /// The SQL block, and the names of its values.
    pub fn block(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Ask::TakeOrderNumber => ("take_order_number", &["w", "d"]),
            Ask::ReadOrderNumber => ("read_order_number", &["w", "d"]),
            Ask::NewOrderCustomer => ("new_order_customer", &["w", "d", "c"]),
            Ask::InsertOrder => (
                "insert_order",
                &["w", "d", "o", "c", "at", "lines", "all_local"],
            ),
            Ask::InsertNewOrder => ("insert_new_order", &["w", "d", "o"]),
            Ask::ReadItem => ("read_item", &["i"]),
            Ask::TakeStock => ("take_stock", &["supply", "i", "d", "quantity", "remote"]),
            Ask::ReadStock => ("read_stock", &["supply", "i", "d", "quantity", "remote"]),
            Ask::InsertLine => (
                "insert_line",
                &[
                    "w",
                    "d",
                    "o",
                    "number",
                    "i",
                    "supply",
                    "quantity",
                    "amount",
                    "dist_info",
                ],
            ),
            Ask::PayWarehouse => ("pay_warehouse", &["w", "amount"]),
            Ask::ReadWarehouse => ("read_warehouse", &["w", "amount"]),
            Ask::PayDistrict => ("pay_district", &["w", "d", "amount"]),
            Ask::ReadDistrict => ("read_district", &["w", "d", "amount"]),
            Ask::PayersByName => ("payers_by_name", &["cw", "cd", "last"]),
            Ask::PayerById => ("payer_by_id", &["cw", "cd", "c"]),
            Ask::PayGoodCredit => ("pay_good_credit", &["cw", "cd", "c", "amount"]),
            Ask::PayBadCredit => ("pay_bad_credit", &["cw", "cd", "c", "amount", "data"]),
            Ask::InsertHistory => (
                "insert_history",
                &["c", "cd", "cw", "d", "w", "at", "amount", "data"],
            ),
            Ask::CustomersByName => ("customers_by_name", &["w", "d", "last"]),
            Ask::CustomerById => ("customer_by_id", &["w", "d", "c"]),
            Ask::LastOrder => ("last_order", &["w", "d", "c"]),
            Ask::OrderLines => ("order_lines", &["w", "d", "o"]),
            Ask::OldestNewOrder => ("oldest_new_order", &["w", "d"]),
            Ask::AnyNewOrder => ("any_new_order", &["w", "d"]),
            Ask::DeleteNewOrder => ("delete_new_order", &["w", "d", "o"]),
            Ask::DeliverOrder => ("deliver_order", &["w", "d", "o", "carrier"]),
            Ask::OrderCustomer => ("order_customer", &["w", "d", "o", "carrier"]),
            Ask::DeliverLines => ("deliver_lines", &["w", "d", "o", "at"]),
            Ask::LineAmounts => ("line_amounts", &["w", "d", "o", "at"]),
            Ask::CreditCustomer => ("credit_customer", &["w", "d", "c", "amount"]),
            Ask::NextOrderNumber => ("next_order_number", &["w", "d"]),
            Ask::LowStock => ("low_stock", &["w", "d", "from", "to", "threshold"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_a_transaction_stand_together() {
        for (place, ask) in Ask::ALL.into_iter().enumerate() {
            assert_eq!(ask as usize, place);
        }
        for kind in TpccKind::ALL {
            let places: Vec<usize> = kind.asks().map(Ask::place).collect();
            let wanted: Vec<usize> = (0..places.len()).collect();
            assert_eq!(places, wanted, "{kind:?}");
        }
    }
}
