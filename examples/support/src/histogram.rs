//! A histogram of durations, on `hdrhistogram`.

use core::fmt;
use core::time::Duration;

/// Significant decimal digits of a quantile.
const DIGITS: u8 = 3;

/// Counts of durations in microseconds, with quantiles within 0.1 % and an exact mean and maximum.
///
/// ```
/// use std::time::Duration;
///
/// let mut histogram = quorate_support::histogram::Histogram::new();
/// (1..=100).for_each(|micros| histogram.record(micros));
/// assert_eq!(histogram.median(), Some(Duration::from_micros(50)));
/// assert_eq!(histogram.max(), Some(Duration::from_micros(100)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
    sum: u128,
    largest: u64,
}

impl Eq for Histogram {}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Creates an empty histogram.
    pub fn new() -> Self {
        let Ok(counts) = hdrhistogram::Histogram::new(DIGITS) else { unreachable!("3 digits are supported") };
        Self { counts, sum: 0, largest: 0 }
    }

    /// Counts one duration.
    pub fn record(&mut self, micros: u64) {
        // The histogram grows as needed: only an allocation could fail.
        let _ = self.counts.record(micros);
        self.sum += u128::from(micros);
        self.largest = self.largest.max(micros);
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        let _ = self.counts.add(&other.counts);
        self.sum += other.sum;
        self.largest = self.largest.max(other.largest);
    }

    /// Removes all counts.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the number of counted durations.
    pub fn len(&self) -> u64 {
        self.counts.len()
    }

    /// Returns true if no duration was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the duration that the fraction `quantile` (0 to 1) does not exceed; `None` for an empty histogram.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        let micros = self.counts.value_at_quantile(quantile).min(self.largest);
        (!self.is_empty()).then(|| Duration::from_micros(micros))
    }

    /// Returns the median; `None` for an empty histogram.
    pub fn median(&self) -> Option<Duration> {
        self.quantile(0.5)
    }

    /// Returns the exact mean, rounded down to microseconds; `None` for an empty histogram.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.len()))?;
        Some(Duration::from_micros(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// Returns the exact maximum; `None` for an empty histogram.
    pub fn max(&self) -> Option<Duration> {
        (!self.is_empty()).then(|| Duration::from_micros(self.largest))
    }
}

/// `median …, p99 …, largest … of …`, with zeros for an empty histogram.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = [self.median(), self.quantile(0.99), self.max()].map(Option::unwrap_or_default);
        let [median, p99, largest] = shown;
        write!(f, "median {median:?}, p99 {p99:?}, largest {largest:?} of {}", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_duration_errs_by_less_than_one_percent() {
        let mut micros = 1u64;
        while micros < 1 << 39 {
            let mut h = Histogram::new();
            // The quantile must not be exact only because it is capped by the maximum.
            h.record(micros);
            h.record(2 * micros);
            let found = h.median().map_or(0, |d| d.as_micros() as u64);
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
        assert_eq!(h.mean(), Some(Duration::from_micros(50_000)));
        assert_eq!(h.max(), Some(Duration::from_micros(100_000)));
        assert_eq!(h.len(), 100_000);
    }

    #[test]
    fn empty_histograms_and_extreme_durations_are_handled() {
        let mut h = Histogram::default();
        assert_eq!((h.quantile(0.5), h.mean(), h.max()), (None, None, None));
        assert_eq!(h.to_string(), "median 0ns, p99 0ns, largest 0ns of 0");
        h.record(u64::MAX);
        assert_eq!(h.max(), Some(Duration::from_micros(u64::MAX)));
        let mut sum = Histogram::new();
        sum.add(&h);
        assert_eq!((sum.max(), &sum), (h.max(), &h));
        sum.clear();
        assert_eq!(sum.quantile(1.0), None);
    }
}
