use std::collections::BTreeMap;

/// Uncommitted transactions of a connection, as runs of consecutive sequence numbers.
#[derive(Debug, Default)]
pub(super) struct OpenTransactions {
    /// Runs (first sequence number, count) by batch.
    batches: BTreeMap<u64, Vec<(u64, u32)>>,
    count: u64,
}

impl OpenTransactions {
    /// Adds the transaction `sequence`, which is in `batch`.
    pub(super) fn add(&mut self, batch: u64, sequence: u64) {
        self.count += 1;
        let runs = self.batches.entry(batch).or_default();
        match runs.last_mut() {
            Some((first, count)) if *first + u64::from(*count) == sequence => *count += 1,
            _ => runs.push((sequence, 1)),
        }
    }

    /// Removes and returns the runs of a committed batch.
    pub(super) fn committed(&mut self, batch: u64) -> Vec<(u64, u32)> {
        let runs = self.batches.remove(&batch).unwrap_or_default();
        self.count -= runs.iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
        runs
    }

    /// Number of open transactions.
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// Returns true if no transaction is open.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_join_and_part() {
        let mut open = OpenTransactions::default();
        for (batch, sequence) in [(7, 0), (7, 1), (7, 3), (8, 4), (8, 5), (7, 2)] {
            open.add(batch, sequence);
        }
        assert_eq!(open.len(), 6);
        assert_eq!(open.committed(7), [(0, 2), (3, 1), (2, 1)]);
        assert_eq!(open.committed(7), []);
        assert_eq!(open.committed(9), []);
        assert_eq!(open.committed(8), [(4, 2)]);
        assert!(open.is_empty());
    }
}
