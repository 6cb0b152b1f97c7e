//! What the simulated validators are given, and what comes out.

use super::costs::Counts;
use crate::queue::{MILLISECOND, Nanos};
use crate::sampling::median;

/// Transactions that fall due one after another, at one validator after another.
#[derive(Clone, Copy, Debug)]
pub(in crate::abft) struct Load {
    pub(super) interval: Nanos,
    pub(super) transactions: usize,
}

/// Result of a simulation.
pub(in crate::abft) struct Outcome {
    /// Time from each transaction's due time to its commit, as its client learns of it.
    pub(super) latencies: Vec<Nanos>,
    pub(super) counts: Counts,
}

impl Load {
    /// A load of this rate per second.
    pub(in crate::abft) fn new(rate: f64, transactions: usize) -> Self {
        Self { interval: (1e9 / rate) as Nanos, transactions }
    }
}

impl Outcome {
    /// The median latency in milliseconds.
    pub(in crate::abft) fn median_ms(&self) -> f64 {
        let mut latencies: Vec<f64> =
            self.latencies.iter().map(|nanos| *nanos as f64 / MILLISECOND as f64).collect();
        median(&mut latencies)
    }

    /// The processor time of all validators for a block in milliseconds.
    pub(in crate::abft) fn processor_ms(&self) -> f64 {
        self.counts.processor as f64 / self.counts.blocks.max(1) as f64 / MILLISECOND as f64
    }
}
