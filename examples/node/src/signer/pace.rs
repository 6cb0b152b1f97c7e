use std::time::{Duration, Instant};

/// Time that one request earns.
const INTERVAL: Duration = Duration::from_millis(1);
/// Requests that may arrive at once, as the time that they earn.
const BURST: Duration = Duration::from_secs(1);

/// Limits requests to 1,000 a second, with a burst of as many.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When all requests so far have been earned.
    earned: Option<Instant>,
}

impl Pace {
    /// Counts a request, and returns how long it has to wait.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let earned = self.earned.map_or(now, |earned| earned.max(now)) + INTERVAL;
        self.earned = Some(earned);
        earned.duration_since(now).saturating_sub(BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_thousand_a_second_wait() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        assert!((0..1000).all(|_| pace.wait(start).is_zero()));
        assert_eq!(pace.wait(start), INTERVAL);
        assert_eq!(pace.wait(start), 2 * INTERVAL);
        let later = start + BURST;
        assert!((0..900).all(|_| pace.wait(later).is_zero()));
        assert!(pace.wait(later + 100 * BURST).is_zero());
    }
}
