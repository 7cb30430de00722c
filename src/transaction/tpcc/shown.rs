//! Inputs as `show` prints them.

use std::fmt;

use crate::random::names::last_name;
use crate::transaction::tpcc::inputs::{Customer, Inputs, Work};

impl fmt::Display for Customer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Customer::Id(id) => write!(f, "customer {id}"),
            Customer::LastName(number) => {
                let mut name = String::new();
                last_name(*number, &mut name);
                write!(f, "customer {name}")
            }
        }
    }
}

/// As `show` prints them, one line for each order line.
impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.set > 1 {
            write!(f, "table set {}, ", self.set)?;
        }
        write!(f, "warehouse {}", self.w)?;
        match &self.work {
            Work::NewOrder(order) => {
                write!(f, ", district {}, customer {}", order.d, order.c)?;
                for line in order.lines() {
                    write!(
                        f,
                        "\nline {}: {} of item {} from warehouse {}",
                        line.number, line.quantity, line.item, line.supply
                    )?;
                }
                Ok(())
            }
            Work::Payment(payment) => {
                let (whole, cents) = (payment.amount / 100, payment.amount % 100);
                write!(
                    f,
                    ", district {}: {} of warehouse {}, district {} pays {whole}.{cents:02}",
                    payment.d, payment.customer, payment.cw, payment.cd
                )
            }
            Work::OrderStatus(status) => {
                write!(f, ", district {}: {}", status.d, status.customer)
            }
            Work::Delivery(delivery) => write!(f, ": carrier {}", delivery.carrier),
            Work::StockLevel(level) => {
                write!(f, ", district {}: below {}", level.d, level.threshold)
            }
            Work::None => f.write_str(": nothing"),
        }
    }
}
