//! Counts of latencies in logarithmic steps: constant memory, no sampling, an error of at most 0.8 %.

use std::time::Duration;

/// Steps per doubling.
const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Microseconds are exact below `STEPS`; above, each doubling up to 2^40 µs (12 days) has `STEPS` buckets.
const BUCKETS: usize = (STEPS * (40 - STEP_BITS as u64 + 2)) as usize;

/// Latencies in microseconds, counted.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
    largest: u64,
}

impl Histogram {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, largest: 0 }
    }

    /// Counts one latency.
    pub(crate) fn record(&mut self, micros: u64) {
        if let Some(count) = self.counts.get_mut(bucket_of(micros)) {
            *count += 1;
        }
        self.total += 1;
        self.largest = self.largest.max(micros);
    }

    /// Adds the counts of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.largest = self.largest.max(other.largest);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
        self.largest = 0;
    }

    /// The latency that `share` (0 to 1) of all stay within; `None` if nothing was counted.
    pub(crate) fn quantile(&self, share: f64) -> Option<Duration> {
        if self.total == 0 {
            return None;
        }
        let rank = ((self.total as f64 * share).ceil() as u64).clamp(1, self.total);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(Duration::from_micros(middle_of(bucket).min(self.largest)));
            }
        }
        Some(Duration::from_micros(self.largest))
    }

    /// The largest latency, exactly.
    pub(crate) fn max(&self) -> Option<Duration> {
        (self.total > 0).then(|| Duration::from_micros(self.largest))
    }
}

fn bucket_of(micros: u64) -> usize {
    if micros < STEPS {
        return micros as usize;
    }
    let doubling = micros.ilog2() - STEP_BITS;
    let index = STEPS * u64::from(doubling) + (micros >> doubling);
    (index as usize).min(BUCKETS - 1)
}

fn middle_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return bucket;
    }
    let doubling = bucket / STEPS - 1;
    let low = (bucket - STEPS * doubling) << doubling;
    low + (1 << doubling) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_err_by_less_than_one_percent() {
        let mut micros = 1u64;
        while micros < 1 << 39 {
            let middle = middle_of(bucket_of(micros));
            assert_eq!(bucket_of(middle), bucket_of(micros), "{micros}");
            assert!(middle.abs_diff(micros) as f64 <= 0.008 * micros as f64, "{micros} became {middle}");
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
