//! What completed TPC-C transactions were asked to do, in counts: merged like all
//! that workers write down. What it is judged by stands in `audit`.

/// What is counted beside outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Lines,
    RemoteLines,
    OrdersWithRemoteLine,
    RemotePayments,
    PaymentsByName,
    StatusesByName,
    /// To be delivered in, ten a delivery.
    Districts,
    /// Those without an order to deliver.
    SkippedDistricts,
}

/// Of `Count`.
const COUNTS: usize = 8;

/// One transaction's part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: [u64; COUNTS],
    /// The home warehouse's place among those of all table sets, from 0.
    warehouse: u64,
}

impl Tally {
    pub fn of(warehouse: u64) -> Tally {
        Tally {
            warehouse,
            ..Tally::default()
        }
    }

    pub fn add(&mut self, what: Count, number: u64) {
        self.counts[what as usize] += number;
    }
}

/// Those of any number of transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    counts: [u64; COUNTS],
    /// A bit for each home warehouse, as many words as were needed.
    warehouses: Vec<u64>,
}

impl Tallies {
    pub fn add(&mut self, tally: &Tally) {
        for (mine, theirs) in self.counts.iter_mut().zip(&tally.counts) {
            *mine += theirs;
        }
        // Warehouses of all sets are a billion at most.
        let word = usize::try_from(tally.warehouse / 64).unwrap_or(0);
        if word >= self.warehouses.len() {
            self.warehouses.resize(word + 1, 0);
        }
        self.warehouses[word] |= 1 << (tally.warehouse % 64);
    }

    pub fn merge(&mut self, other: &Tallies) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        if other.warehouses.len() > self.warehouses.len() {
            self.warehouses.resize(other.warehouses.len(), 0);
        }
        for (mine, theirs) in self.warehouses.iter_mut().zip(&other.warehouses) {
            *mine |= theirs;
        }
    }

    pub fn count(&self, what: Count) -> u64 {
        self.counts[what as usize]
    }

    /// Distinct home warehouses.
    pub fn warehouses(&self) -> u64 {
        let ones = self
            .warehouses
            .iter()
            .map(|word| u64::from(word.count_ones()));
        ones.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warehouses_count_once_and_counts_add_up() {
        let of = |warehouses: &[u64]| {
            let mut all = Tallies::default();
            for &warehouse in warehouses {
                let mut tally = Tally::of(warehouse);
                tally.add(Count::Lines, 10);
                tally.add(Count::SkippedDistricts, warehouse);
                all.add(&tally);
            }
            all
        };
        let (mut left, right) = (of(&[0, 63, 63]), of(&[64, 0, 7_999]));
        assert_eq!(left.warehouses(), 2);
        let mut swapped = right.clone();
        swapped.merge(&left);
        left.merge(&right);
        assert_eq!(left, swapped);
        assert_eq!(left.warehouses(), 4);
        assert_eq!(left.count(Count::Lines), 60);
        assert_eq!(left.count(Count::SkippedDistricts), 63 + 63 + 64 + 7_999);
        assert_eq!(left.count(Count::Districts), 0);
    }
}
