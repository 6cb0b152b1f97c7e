use std::collections::VecDeque;
use std::time::Duration;

use quorate_support::histogram::Histogram;
use quorate_support::terminal::count;
use tokio::time::Instant;

use super::view::LoadView;
use crate::load::{Latencies, Load};

/// Number of samples that the shown rate and latencies cover.
const MAX_SAMPLES: usize = 10;

/// Recent samples of a load, for display.
#[derive(Debug, Default)]
pub(crate) struct RecentLoad {
    /// Time, latencies and number of commits of each sample.
    samples: VecDeque<(Instant, Histogram, u64)>,
}

impl RecentLoad {
    /// Takes a sample of the load and returns its view. `tx_size` is `None` for the transactions of a file.
    pub(crate) fn view(&mut self, load: &Load, rate: f64, tx_size: Option<u32>) -> LoadView {
        let (histogram, committed) = load.recent();
        self.samples.push_back((Instant::now(), histogram, committed));
        while self.samples.len() > MAX_SAMPLES {
            self.samples.pop_front();
        }
        let mut recent = Histogram::new();
        self.samples.iter().for_each(|(_, histogram, _)| recent.add(histogram));
        // Skip the first sample: its commits happened before its time.
        let commits: u64 = self.samples.iter().skip(1).map(|(.., committed)| committed).sum();
        let since = self.samples.front().map_or(Duration::ZERO, |(at, ..)| at.elapsed());
        let counts = load.counts();
        let what = match tx_size {
            None if load.is_sent() => "file, completely sent".to_owned(),
            None => format!("file, {} tx/s", count(rate as u64)),
            Some(size) => format!("{} tx/s of {size} random bytes", count(rate as u64)),
        };
        LoadView {
            what,
            submitted: counts.submitted,
            committed: counts.committed,
            refused: counts.all_refused(),
            unanswered: counts.lost + counts.unsent,
            per_second: if since.is_zero() { 0.0 } else { commits as f64 / since.as_secs_f64() },
            latencies: Latencies::from_histogram(&recent),
        }
    }
}
