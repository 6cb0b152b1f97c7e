use std::collections::BTreeMap;
use std::time::Duration;

use quorate_support::histogram::Histogram;
use quorate_support::outln;
use quorate_support::terminal::{count, millis};
use serde::Serialize;

use super::counts::Counts;

/// Final report of a load.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LoadReport {
    /// Transactions that fell due.
    pub submitted: u64,
    /// Due transactions that committed.
    pub committed: u64,
    /// Percentage of due transactions that committed.
    pub committed_percent: f64,
    /// Transactions that a validator refused, by code.
    pub refused: BTreeMap<&'static str, u64>,
    /// Streams that a validator ended, by code.
    pub closed_streams: BTreeMap<&'static str, u64>,
    /// Transactions in flight when their connection broke.
    pub lost_in_flight: u64,
    /// Transactions that no validator accepted in time.
    pub unsent: u64,
    /// Duration of the load in seconds.
    pub seconds: f64,
    /// Commits per second, from the start to the last commit.
    pub tx_per_second: f64,
    /// Commits per second over the second half of the load. If it is below the offered rate, the backlog grows.
    pub steady_tx_per_second: f64,
    /// Latency from due time to commit.
    pub latency_ms: Option<Latencies>,
    /// Longest time without a commit in milliseconds: from the start of the load to the last commit, or to the end of the
    /// wait for commits that did not come.
    pub longest_pause_ms: f64,
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Latencies {
    /// The 50th percentile.
    pub median: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The maximum.
    pub max: f64,
}

impl LoadReport {
    pub(super) fn new(counts: &Counts, sending: Duration, steady: f64) -> Self {
        let seconds = sending.as_secs_f64();
        let until_last = (counts.last_commit as f64 / 1e6).max(seconds);
        Self {
            submitted: counts.submitted,
            committed: counts.committed,
            committed_percent: percent(counts.committed, counts.submitted),
            refused: counts.refused.clone(),
            closed_streams: counts.closed.clone(),
            lost_in_flight: counts.lost,
            unsent: counts.unsent,
            seconds: rounded(seconds),
            tx_per_second: rounded(counts.committed as f64 / until_last.max(1e-6)),
            steady_tx_per_second: rounded(steady),
            latency_ms: Latencies::from_histogram(&counts.latencies),
            longest_pause_ms: rounded(counts.longest_pause as f64 / 1e3),
        }
    }

    /// Returns a one-line summary.
    pub(crate) fn line(&self) -> String {
        let latency = match &self.latency_ms {
            Some(l) => format!("median {}, 95 % {}, 99 % {}", millis(l.median), millis(l.p95), millis(l.p99)),
            None => "nothing committed".into(),
        };
        let rate = count(self.tx_per_second as u64);
        format!("{:.2} % committed, {rate} tx/s, {latency}", self.committed_percent)
    }

    /// Prints the report.
    pub(crate) fn print(&self) {
        let (committed, submitted) = (count(self.committed), count(self.submitted));
        outln!("committed   {committed} of {submitted} transactions ({:.2} %)", self.committed_percent);
        outln!("rate        {} tx/s committed over {:.1} s", count(self.tx_per_second as u64), self.seconds);
        if let Some(l) = &self.latency_ms {
            outln!(
                "latency     median {}, 95 % {}, 99 % {}, slowest {}",
                millis(l.median),
                millis(l.p95),
                millis(l.p99),
                millis(l.max)
            );
        }
        if self.committed > 0 {
            outln!("pause       {} without a commit at most", millis(self.longest_pause_ms));
        }
        for (code, refused) in &self.refused {
            outln!("refused     {} as {code}", count(*refused));
        }
        for (code, closed) in &self.closed_streams {
            outln!("closed      {} streams, by validators, as {code}", count(*closed));
        }
        if self.lost_in_flight > 0 {
            outln!("lost        {} in flight to a validator that went down", count(self.lost_in_flight));
        }
        if self.unsent > 0 {
            outln!("unsent      {}: no validator accepted them in time", count(self.unsent));
        }
    }
}

impl Latencies {
    /// Returns the usual quantiles; `None` if nothing committed.
    pub(crate) fn from_histogram(histogram: &Histogram) -> Option<Self> {
        let ms = |d: Duration| rounded(d.as_secs_f64() * 1e3);
        Some(Self {
            median: ms(histogram.quantile(0.5)?),
            p95: ms(histogram.quantile(0.95)?),
            p99: ms(histogram.quantile(0.99)?),
            max: ms(histogram.max()?),
        })
    }
}

/// Returns `part` of `whole` in percent, with two decimals, never rounded up to 100.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    (part as f64 / whole as f64 * 1e4).floor() / 100.0
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
