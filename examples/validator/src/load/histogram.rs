//! Histogram of latencies.

use std::time::Duration;

/// Significant decimal digits of a quantile.
const DIGITS: u8 = 3;

/// Counts of latencies in microseconds, with quantiles within 0.1 %.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
    largest: u64,
}

impl Histogram {
    /// Creates an empty histogram.
    pub(crate) fn new() -> Self {
        Self { counts: empty(), largest: 0 }
    }

    /// Counts one latency.
    pub(crate) fn record(&mut self, micros: u64) {
        // The histogram grows as needed: only an allocation could fail.
        let _ = self.counts.record(micros);
        self.largest = self.largest.max(micros);
    }

    /// Adds the counts of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        let _ = self.counts.add(&other.counts);
        self.largest = self.largest.max(other.largest);
    }

    /// Removes all counts.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the latency that the fraction `quantile` (0 to 1) does not exceed; `None` for an empty histogram.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<Duration> {
        let micros = self.counts.value_at_quantile(quantile).min(self.largest);
        (!self.counts.is_empty()).then(|| Duration::from_micros(micros))
    }

    /// Returns the exact maximum; `None` for an empty histogram.
    pub(crate) fn max(&self) -> Option<Duration> {
        (!self.counts.is_empty()).then(|| Duration::from_micros(self.largest))
    }
}

fn empty() -> hdrhistogram::Histogram<u64> {
    let Ok(counts) = hdrhistogram::Histogram::new(DIGITS) else { unreachable!("3 digits are supported") };
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_latency_errs_by_less_than_one_percent() {
        let mut micros = 1u64;
        while micros < 1 << 39 {
            let mut h = Histogram::new();
            // The quantile must not be exact only because it is capped by the maximum.
            h.record(micros);
            h.record(2 * micros);
            let found = h.quantile(0.5).map_or(0, |d| d.as_micros() as u64);
            assert!(found.abs_diff(micros) as f64 <= 0.008 * micros as f64, "{micros} became {found}");
            micros += 1 + micros / 37;
        }
    }

    #[test]
    fn quantiles_of_a_known_sequence() {
        let mut h = Histogram::new();
        for micros in 1..=100_000 {
            h.record(micros);
        }
        for (share, exact) in
            [(0.0, 1.0), (0.5, 50_000.0), (0.95, 95_000.0), (0.99, 99_000.0), (1.0, 100_000.0)]
        {
            let got = h.quantile(share).map_or(0.0, |d| d.as_micros() as f64);
            assert!((got - exact).abs() <= 0.008 * exact, "{share}: {got}");
        }
        assert_eq!(h.max(), Some(Duration::from_micros(100_000)));
    }

    #[test]
    fn empty_histograms_and_extreme_latencies_are_handled() {
        let mut h = Histogram::new();
        assert_eq!(h.quantile(0.5), None);
        h.record(u64::MAX);
        assert_eq!(h.max(), Some(Duration::from_micros(u64::MAX)));
        let mut sum = Histogram::new();
        sum.add(&h);
        assert_eq!(sum.max(), h.max());
        sum.clear();
        assert_eq!(sum.quantile(1.0), None);
    }
}
