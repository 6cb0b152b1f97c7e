use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quorate::machine::Time;

/// The replica's clock: the system time at the start of the process, in microseconds since 1970, advanced by the monotonic
/// clock. It never goes backwards, and timestamps in blocks are close to the system time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    origin: Instant,
    base: u64,
}

impl Clock {
    pub(super) fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin: Instant::now(), base: u64::try_from(since.as_micros()).unwrap_or(0) }
    }

    pub(super) fn now(&self) -> Time {
        Time(self.base).plus(self.origin.elapsed())
    }

    /// Time until `time`; zero if it has passed.
    pub(super) fn until(&self, time: Time) -> Duration {
        time.since(self.now())
    }

    /// Time since the start.
    pub(super) fn uptime(&self) -> Duration {
        self.origin.elapsed()
    }
}
