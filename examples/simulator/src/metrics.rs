//! Metrics of a run.

use std::collections::BTreeMap;

use core::fmt;

use quorate_support::histogram::Histogram;

use crate::links::Loss;

/// Metrics of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeMetrics {
    /// Messages sent, counted once per receiver.
    pub sent: u64,
    /// Bytes of these messages.
    pub sent_bytes: u64,
    /// Messages received and decoded.
    pub received: u64,
    /// Bytes of these messages.
    pub received_bytes: u64,
    /// Messages of this node that a receiver failed to decode.
    pub refused: u64,
    /// Durable records.
    pub records: u64,
    /// Bytes of these records.
    pub record_bytes: u64,
    /// Number of crashes.
    pub crashes: u64,
    /// Highest progress reported by the host.
    pub progress: u64,
}

/// Metrics of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Metrics by slot.
    pub nodes: Vec<NodeMetrics>,
    /// Lost messages, by reason.
    pub lost: BTreeMap<Loss, u64>,
    /// Faults reported by honest nodes, by culprit.
    pub accused: BTreeMap<u16, u64>,
    /// Transit times of messages.
    pub transit: Histogram,
    /// Measurements of the host, by name.
    pub measured: BTreeMap<&'static str, Histogram>,
}

impl Metrics {
    /// Returns the number of messages sent.
    pub fn sent(&self) -> u64 {
        self.nodes.iter().map(|node| node.sent).sum()
    }

    /// Returns the number of bytes sent.
    pub fn sent_bytes(&self) -> u64 {
        self.nodes.iter().map(|node| node.sent_bytes).sum()
    }

    pub(crate) fn node(&mut self, slot: usize, change: impl FnOnce(&mut NodeMetrics)) {
        if let Some(node) = self.nodes.get_mut(slot) {
            change(node);
        }
    }

    pub(crate) fn lose(&mut self, loss: Loss) {
        *self.lost.entry(loss).or_default() += 1;
    }

    pub(crate) fn progress(&mut self, slot: usize, value: u64) {
        self.node(slot, |node| node.progress = node.progress.max(value));
    }

    pub(crate) fn measure(&mut self, name: &'static str, micros: u64) {
        self.measured.entry(name).or_default().record(micros);
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.nodes.len().max(1) as u64;
        let (sent, bytes) = (self.sent(), self.sent_bytes());
        writeln!(
            f,
            "sent       {sent} messages, {bytes} bytes; each node {} and {}",
            sent / count,
            bytes / count
        )?;
        let records: u64 = self.nodes.iter().map(|node| node.records).sum();
        let record_bytes: u64 = self.nodes.iter().map(|node| node.record_bytes).sum();
        writeln!(f, "persisted  {records} records, {record_bytes} bytes")?;
        let crashes: u64 = self.nodes.iter().map(|node| node.crashes).sum();
        let refused: u64 = self.nodes.iter().map(|node| node.refused).sum();
        writeln!(
            f,
            "disturbed  {crashes} crashes, lost {:?}, refused {refused}, accused {:?}",
            self.lost, self.accused
        )?;
        write!(f, "transit    {}", self.transit)?;
        for (name, histogram) in &self.measured {
            write!(f, "\n{name:<10} {histogram}")?;
        }
        Ok(())
    }
}
