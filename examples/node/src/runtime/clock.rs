use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quorate::machine::Time;

/// The machine's clock: microseconds since 1970 as the system's clock had it at the start, and monotonic from then
/// on. So it never goes backwards, and authors' timestamps mean something to people.
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

    /// How long until `time`.
    pub(super) fn until(&self, time: Time) -> Duration {
        time.since(self.now())
    }

    /// How long since the start.
    pub(super) fn uptime(&self) -> Duration {
        self.origin.elapsed()
    }
}
