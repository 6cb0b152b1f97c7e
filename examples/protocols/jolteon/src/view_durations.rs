//! The view timeout of an undisturbed network, from the durations of recent views.
//!
//! Source: Jacobson, *Congestion Avoidance and Control* (SIGCOMM '88), with the median and the median absolute
//! deviation instead of the mean and the mean deviation. These two stay within the range of the honest values while
//! fewer than half of the values are wrong.

use core::time::Duration;
use std::collections::VecDeque;

use crate::parameters::Parameters;

/// Number of views whose durations are kept.
pub(crate) const WINDOW: usize = 32;
/// Number of durations from which on the timeout follows them.
pub(crate) const MIN_DURATIONS: usize = 8;
/// Ratio of the timeout to the longest duration that is expected.
const MARGIN: u32 = 2;
/// Number of deviations from the median that are expected.
const DEVIATIONS: u32 = 4;

/// Durations of recent views with work that ended at this member with a quorum certificate.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewDurations {
    recent: VecDeque<Duration>,
}

impl ViewDurations {
    /// Adds the duration of a view.
    pub(crate) fn record(&mut self, duration: Duration) {
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back(duration);
    }

    /// Returns the timeout of a view that follows a certified one: twice the median plus four deviations, at least
    /// [`Parameters::min_view_timeout`] and at most [`Parameters::view_timeout`]; the latter while fewer than eight
    /// durations are known. Cost: sorts [`WINDOW`] values twice.
    pub(crate) fn timeout(&self, parameters: &Parameters) -> Duration {
        if self.recent.len() < MIN_DURATIONS {
            return parameters.view_timeout;
        }
        let middle = median(self.recent.iter().copied());
        let deviation = median(self.recent.iter().map(|duration| duration.abs_diff(middle)));
        let expected = middle.saturating_add(deviation.saturating_mul(DEVIATIONS));
        expected.saturating_mul(MARGIN).max(parameters.min_view_timeout).min(parameters.view_timeout)
    }
}

/// Returns the median, the lower one of two; zero without values.
fn median(values: impl Iterator<Item = Duration>) -> Duration {
    let mut sorted: Vec<Duration> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn timeout(durations: impl IntoIterator<Item = u64>) -> Duration {
        let mut recent = ViewDurations::default();
        durations.into_iter().for_each(|duration| recent.record(ms(duration)));
        recent.timeout(&Parameters::default())
    }

    #[test]
    fn the_timeout_follows_the_recent_durations_within_its_limits() {
        assert_eq!(timeout([]), ms(1000), "nothing is known");
        assert_eq!(timeout([30; MIN_DURATIONS - 1]), ms(1000), "too little is known");
        assert_eq!(timeout([30; MIN_DURATIONS]), ms(150), "the lower limit");
        assert_eq!(timeout([200; MIN_DURATIONS]), ms(400));
        assert_eq!(timeout([190, 210].repeat(MIN_DURATIONS)), ms(380));
        assert_eq!(timeout([180, 200, 220, 240].repeat(4)), ms(2 * (200 + 4 * 20)));
        assert_eq!(timeout([900; MIN_DURATIONS]), ms(1000), "the upper limit");
        assert_eq!(timeout([900; WINDOW].into_iter().chain([200; WINDOW])), ms(400), "old ones do not count");
        assert_eq!(timeout([u64::MAX / 2; WINDOW]), ms(1000));
    }

    /// A faulty leader can lengthen its own view, and for some members the next one; it can shorten one of the two.
    #[test]
    fn fewer_than_half_of_the_durations_change_the_timeout_little() {
        let honest = timeout([200; WINDOW]);
        let with = |wrong: u64| timeout((0..WINDOW).map(|i| if i % 2 == 0 && i > 1 { wrong } else { 200 }));
        assert_eq!([with(990), with(0)], [honest; 2]);
    }

    #[test]
    fn an_upper_limit_below_the_lower_one_holds() {
        let parameters = Parameters { view_timeout: ms(100), ..Parameters::default() };
        let mut recent = ViewDurations::default();
        (0..WINDOW).for_each(|_| recent.record(ms(30)));
        assert_eq!(recent.timeout(&parameters), ms(100));
    }
}
