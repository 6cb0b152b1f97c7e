use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use quorate_support::histogram::Histogram;
use tokio::time::Instant;

/// Counters of a running load.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// Transactions that have fallen due.
    pub submitted: u64,
    /// Due transactions that committed.
    pub committed: u64,
    /// Transactions that a validator refused, by code.
    pub refused: BTreeMap<&'static str, u64>,
    /// Streams that a validator ended, by code.
    pub closed: BTreeMap<&'static str, u64>,
    /// Transactions in flight when their connection broke.
    pub lost: u64,
    /// Transactions that were not sent, because no validator was reachable or all were too far behind.
    pub unsent: u64,
    /// Latencies of the committed transactions.
    pub latencies: Histogram,
    /// The same since the last call of [`Counts::take_recent`].
    recent: Histogram,
    recent_committed: u64,
    /// Time of [`Counts::set_mark`], and the number of commits at that time.
    mark: (u64, u64),
    /// Time of the last commit in microseconds since the start.
    pub last_commit: u64,
    /// Longest time without a commit, in microseconds: from the start to the last commit, or to the end if transactions
    /// were still open.
    pub longest_pause: u64,
}

/// State shared by a load and its connections.
#[derive(Debug)]
pub(super) struct Shared {
    /// Set once the first connections are established.
    start: OnceLock<Instant>,
    /// Microseconds between two transactions.
    step: f64,
    counts: Mutex<Counts>,
}

impl Shared {
    /// Creates the state of a load of `rate` transactions per second.
    pub(super) fn new(rate: f64) -> Self {
        Self { start: OnceLock::new(), step: 1e6 / rate, counts: Mutex::new(Counts::new()) }
    }

    /// Starts the clock, unless it is running.
    pub(super) fn start(&self) {
        self.start.get_or_init(Instant::now);
    }

    /// Returns how many transactions have fallen due at a time: the first one does an interval after the start.
    pub(super) fn fallen_due(&self, now: u64) -> u64 {
        (now as f64 / self.step) as u64
    }

    /// Returns when a transaction falls due, in microseconds since the start.
    pub(super) fn due(&self, number: u64) -> u64 {
        ((number + 1) as f64 * self.step) as u64
    }

    /// Locks the counters.
    pub(super) fn counts(&self) -> MutexGuard<'_, Counts> {
        // Counters stay valid even if a thread panicked while it held the lock.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns microseconds since the start; 0 before it.
    pub(super) fn now(&self) -> u64 {
        let elapsed = self.start.get().map_or(Duration::ZERO, Instant::elapsed);
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }
}

impl Counts {
    fn new() -> Self {
        Self {
            submitted: 0,
            committed: 0,
            refused: BTreeMap::new(),
            closed: BTreeMap::new(),
            lost: 0,
            unsent: 0,
            latencies: Histogram::new(),
            recent: Histogram::new(),
            recent_committed: 0,
            mark: (0, 0),
            last_commit: 0,
            longest_pause: 0,
        }
    }

    /// Returns the number of refused transactions.
    pub(crate) fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Returns the number of transactions without a result.
    pub(crate) fn open(&self) -> u64 {
        self.submitted.saturating_sub(self.committed + self.all_refused() + self.lost + self.unsent)
    }

    /// Returns commits per second from the mark to `end`.
    pub(super) fn since_mark(&self, end: Duration) -> f64 {
        let (from, before) = self.mark;
        let seconds = end.saturating_sub(Duration::from_micros(from)).as_secs_f64();
        (self.committed - before) as f64 / seconds.max(1e-6)
    }

    /// Marks the start of the steady phase.
    pub(super) fn set_mark(&mut self, now: u64) {
        self.mark = (now, self.committed);
    }

    /// Returns the latencies and the number of commits since the last call.
    pub(super) fn take_recent(&mut self) -> (Histogram, u64) {
        let recent = (self.recent.clone(), self.recent_committed);
        self.recent.clear();
        self.recent_committed = 0;
        recent
    }

    /// Notes that a validator reported commits at a time, in microseconds since the start.
    pub(super) fn commits_at(&mut self, now: u64) {
        self.longest_pause = self.longest_pause.max(now.saturating_sub(self.last_commit));
        self.last_commit = self.last_commit.max(now);
    }

    /// Notes the end of the load: a wait that no commit ended counts too.
    pub(super) fn end_at(&mut self, now: u64) {
        if self.open() > 0 {
            self.longest_pause = self.longest_pause.max(now.saturating_sub(self.last_commit));
        }
    }

    /// Counts one commit with its latency.
    pub(super) fn commit(&mut self, micros: u64) {
        self.committed += 1;
        self.recent_committed += 1;
        self.latencies.record(micros);
        self.recent.record(micros);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_is_passed_on_when_it_falls_due() {
        let shared = Shared::new(2.0);
        assert_eq!((shared.due(0), shared.due(3)), (500_000, 2_000_000));
        for number in 0..4 {
            let due = shared.due(number);
            assert_eq!((shared.fallen_due(due - 1), shared.fallen_due(due)), (number, number + 1));
        }
    }

    #[test]
    fn the_longest_pause_begins_with_the_load_or_a_commit() {
        let mut counts = Counts::new();
        let mut pause = |now| {
            counts.commits_at(now);
            (counts.longest_pause, counts.last_commit)
        };
        // Two connections may report in another order than they read the clock.
        assert_eq!(
            [pause(300), pause(200), pause(700), pause(710)],
            [(300, 300), (300, 300), (400, 700), (400, 710)]
        );
        counts.end_at(9000);
        assert_eq!(counts.longest_pause, 400, "nothing was open");
        counts.submitted = 1;
        counts.end_at(9000);
        assert_eq!(counts.longest_pause, 8290);
    }
}
