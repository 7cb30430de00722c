//! The nine tables of TPC-C (clause 1.3): names, columns, keys and sizes. What
//! stands in them is made in `transaction`.

/// Rows of `item`, however many warehouses there are.
pub const ITEMS: u64 = 100_000;
/// Of each warehouse.
pub const DISTRICTS: u64 = 10;
/// Of each district; loaded orders are as many.
pub const CUSTOMERS: u64 = 3_000;
/// The first order of a district that is loaded as not delivered.
pub const FIRST_NEW_ORDER: u64 = 2_101;
/// Of each district.
pub const NEW_ORDERS: u64 = CUSTOMERS + 1 - FIRST_NEW_ORDER;
/// Lines of an order.
pub const FEWEST_LINES: u64 = 5;
pub const MOST_LINES: u64 = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpccTable {
    Warehouse,
    Item,
    District,
    Customer,
    History,
    Stock,
    Orders,
    NewOrder,
    OrderLine,
}

impl TpccTable {
    pub const ALL: [TpccTable; 9] = [
        TpccTable::Warehouse,
        TpccTable::Item,
        TpccTable::District,
        TpccTable::Customer,
        TpccTable::History,
        TpccTable::Stock,
        TpccTable::Orders,
        TpccTable::NewOrder,
        TpccTable::OrderLine,
    ];

    /// The name of its rows in a workload file.
    pub fn builtin(self) -> &'static str {
        match self {
            TpccTable::Warehouse => "tpcc/warehouse",
            TpccTable::Item => "tpcc/item",
            TpccTable::District => "tpcc/district",
            TpccTable::Customer => "tpcc/customer",
            TpccTable::History => "tpcc/history",
            TpccTable::Stock => "tpcc/stock",
            TpccTable::Orders => "tpcc/orders",
            TpccTable::NewOrder => "tpcc/new_order",
            TpccTable::OrderLine => "tpcc/order_line",
        }
    }

    /// What a load counts: rows, but in `order_line` the orders, whose lines are
    /// made together.
    pub fn units(self, warehouses: u64) -> u64 {
        let districts = DISTRICTS * warehouses;
        match self {
            TpccTable::Warehouse => warehouses,
            TpccTable::Item => ITEMS,
            TpccTable::District => districts,
            TpccTable::Customer | TpccTable::History | TpccTable::Orders | TpccTable::OrderLine => {
                districts * CUSTOMERS
            }
            TpccTable::Stock => warehouses * ITEMS,
            TpccTable::NewOrder => districts * NEW_ORDERS,
        }
    }

    /// In the order in which rows are made; the primary key comes first.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            TpccTable::Warehouse => &[
                "w_id",
                "w_name",
                "w_street_1",
                "w_street_2",
                "w_city",
                "w_state",
                "w_zip",
                "w_tax",
                "w_ytd",
            ],
            TpccTable::Item => &["i_id", "i_im_id", "i_name", "i_price", "i_data"],
            TpccTable::District => &[
                "d_w_id",
                "d_id",
                "d_name",
                "d_street_1",
                "d_street_2",
                "d_city",
                "d_state",
                "d_zip",
                "d_tax",
                "d_ytd",
                "d_next_o_id",
            ],
            TpccTable::Customer => &[
                "c_w_id",
                "c_d_id",
                "c_id",
                "c_first",
                "c_middle",
                "c_last",
                "c_street_1",
                "c_street_2",
                "c_city",
                "c_state",
                "c_zip",
                "c_phone",
                "c_since",
                "c_credit",
                "c_credit_lim",
                "c_discount",
                "c_balance",
                "c_ytd_payment",
                "c_payment_cnt",
                "c_delivery_cnt",
                "c_data",
            ],
            TpccTable::History => &[
                "h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount",
                "h_data",
            ],
            TpccTable::Stock => &[
                "s_w_id",
                "s_i_id",
                "s_quantity",
                "s_dist_01",
                "s_dist_02",
                "s_dist_03",
                "s_dist_04",
                "s_dist_05",
                "s_dist_06",
                "s_dist_07",
                "s_dist_08",
                "s_dist_09",
                "s_dist_10",
                "s_ytd",
                "s_order_cnt",
                "s_remote_cnt",
                "s_data",
            ],
            TpccTable::Orders => &[
                "o_w_id",
                "o_d_id",
                "o_id",
                "o_c_id",
                "o_entry_d",
                "o_carrier_id",
                "o_ol_cnt",
                "o_all_local",
            ],
            TpccTable::NewOrder => &["no_w_id", "no_d_id", "no_o_id"],
            TpccTable::OrderLine => &[
                "ol_w_id",
                "ol_d_id",
                "ol_o_id",
                "ol_number",
                "ol_i_id",
                "ol_supply_w_id",
                "ol_delivery_d",
                "ol_quantity",
                "ol_amount",
                "ol_dist_info",
            ],
        }
    }

    /// How many columns the primary key has; `history` has none.
    pub fn key_columns(self) -> usize {
        match self {
            TpccTable::History => 0,
            TpccTable::Warehouse | TpccTable::Item => 1,
            TpccTable::District | TpccTable::Stock => 2,
            TpccTable::Customer | TpccTable::Orders | TpccTable::NewOrder => 3,
            TpccTable::OrderLine => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_clause_1_2_1() {
        let units = TpccTable::ALL.map(|table| table.units(2));
        let wanted = [
            2, 100_000, 20, 60_000, 60_000, 200_000, 60_000, 18_000, 60_000,
        ];
        assert_eq!(units, wanted);
        let columns = TpccTable::ALL.map(|table| table.columns().len());
        assert_eq!(columns, [9, 5, 11, 21, 8, 17, 8, 3, 10]);
    }
}
