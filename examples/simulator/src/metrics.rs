//! Metrics of a run.

use std::collections::BTreeMap;

use core::fmt;
use core::time::Duration;

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
        self.measured.entry(name).or_default().add(micros);
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

/// Histogram of durations with a relative error below 1/32 in bounded memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
    largest: u64,
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, p99, largest) = (self.median(), self.p99(), self.largest());
        write!(f, "median {median:?}, p99 {p99:?}, largest {largest:?} of {}", self.count)
    }
}

const SUB_BITS: u32 = 5;

impl Histogram {
    /// Adds a duration in microseconds.
    pub fn add(&mut self, micros: u64) {
        let bucket = bucket(micros);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        if let Some(bucket) = self.buckets.get_mut(bucket) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum += u128::from(micros);
        self.largest = self.largest.max(micros);
    }

    /// Returns the number of durations added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; zero if empty.
    pub fn mean(&self) -> Duration {
        Duration::from_micros((self.sum / u128::from(self.count.max(1))) as u64)
    }

    /// Returns the largest duration; zero if empty.
    pub fn largest(&self) -> Duration {
        Duration::from_micros(self.largest)
    }

    /// Returns the median.
    pub fn median(&self) -> Duration {
        self.quantile(500)
    }

    /// Returns the 99th percentile.
    pub fn p99(&self) -> Duration {
        self.quantile(990)
    }

    /// Returns the quantile `per_mille`/1000; zero if empty.
    pub fn quantile(&self, per_mille: u64) -> Duration {
        let rank = (u128::from(self.count) * u128::from(per_mille)).div_ceil(1_000).max(1);
        let mut seen = 0u128;
        for (i, count) in self.buckets.iter().enumerate() {
            seen += u128::from(*count);
            if seen >= rank {
                return Duration::from_micros(upper_end(i).min(self.largest));
            }
        }
        Duration::ZERO
    }
}

fn bucket(value: u64) -> usize {
    let octave = (64 - value.leading_zeros()).saturating_sub(SUB_BITS + 1);
    ((octave << SUB_BITS) as u64 + (value >> octave)) as usize
}

fn upper_end(bucket: usize) -> u64 {
    let octave = (bucket >> SUB_BITS).saturating_sub(1) as u32;
    let mantissa = bucket as u64 - (u64::from(octave) << SUB_BITS);
    (mantissa << octave) + ((1u64 << octave) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_is_at_most_a_thirty_second_below_its_buckets_end(value: u64) {
            let end = upper_end(bucket(value));
            prop_assert!(value <= end && end - value <= value / 32, "{value} {end}");
        }

        #[test]
        fn buckets_are_in_order(a: u64, b: u64) {
            prop_assert!(a > b || bucket(a) <= bucket(b));
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.median(), Duration::ZERO);
        (1..=1_000).for_each(|value| histogram.add(value));
        let near = |duration: Duration, value: u128| duration.as_micros().abs_diff(value) <= value / 32;
        assert!(near(histogram.median(), 500) && near(histogram.p99(), 990), "{histogram:?}");
        assert_eq!((histogram.mean().as_micros(), histogram.largest().as_micros()), (500, 1_000));
    }
}
