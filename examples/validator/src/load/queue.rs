use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::payload::Payloads;
use crate::exit::Failure;

/// Maximum queued bytes per connection; beyond it, other connections get the transactions.
const MOST_BYTES: usize = 32 << 20;

/// Transactions that the driver passed to one connection.
#[derive(Debug, Default)]
pub(super) struct Queue {
    inner: Mutex<Inner>,
    pushed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    open: bool,
    /// Unsent frames.
    frames: Vec<u8>,
    /// Sequence number of the next transaction on this connection.
    next: u64,
    /// Unanswered transactions, ordered by sequence number.
    runs: VecDeque<Run>,
}

/// Transactions that are consecutive on one connection and in the load.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u64,
    count: u64,
    /// Number of unanswered transactions.
    left: u64,
    /// Index of the first transaction in the load.
    index: u64,
}

impl Queue {
    /// Marks the connection as established. Its sequence numbers start at zero.
    pub(super) fn open(&self) {
        *self.inner() = Inner { open: true, ..Inner::default() };
    }

    /// Marks the connection as closed and returns the number of unanswered transactions.
    pub(super) fn close(&self) -> u64 {
        let before = std::mem::take(&mut *self.inner());
        before.runs.iter().map(|run| run.left).sum()
    }

    pub(super) fn is_open(&self) -> bool {
        self.inner().open
    }

    pub(super) fn has_room(&self) -> bool {
        let inner = self.inner();
        inner.open && inner.frames.len() < MOST_BYTES
    }

    /// Queues `count` transactions from `payloads`, starting at `index` of the load. Returns the number queued.
    pub(super) fn push(&self, index: u64, count: u64, payloads: &mut Payloads) -> Result<u64, Failure> {
        if count == 0 {
            return Ok(0);
        }
        let mut inner = self.inner();
        let mut pushed = 0;
        while pushed < count && payloads.append_frame(&mut inner.frames)? {
            pushed += 1;
        }
        if pushed > 0 {
            let first = inner.next;
            inner.next += pushed;
            inner.runs.push_back(Run { first, count: pushed, left: pushed, index });
            drop(inner);
            self.pushed.notify_one();
        }
        Ok(pushed)
    }

    /// Resolves when transactions were queued since it last resolved.
    pub(super) async fn pushed(&self) {
        self.pushed.notified().await;
    }

    /// Swaps the unsent frames for an empty buffer, whose capacity is reused.
    pub(super) fn swap(&self, empty: &mut Vec<u8>) {
        std::mem::swap(&mut self.inner().frames, empty);
    }

    /// Marks `count` transactions from sequence number `first` on as answered. Calls `each` with the load index and the
    /// length of each run that had no answer yet.
    pub(super) fn answer(&self, first: u64, count: u64, mut each: impl FnMut(u64, u64)) {
        let mut inner = self.inner();
        let end = first.saturating_add(count);
        let from = inner.runs.partition_point(|run| run.first + run.count <= first);
        for run in inner.runs.iter_mut().skip(from).take_while(|run| run.first < end) {
            let low = run.first.max(first);
            let high = (run.first + run.count).min(end);
            // Ignores duplicate answers.
            let answered = (high - low).min(run.left);
            run.left -= answered;
            each(run.index + (low - run.first), answered);
        }
        while inner.runs.front().is_some_and(|run| run.left == 0) {
            inner.runs.pop_front();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(queue: &Queue, first: u64, count: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        queue.answer(first, count, |index, count| found.push((index, count)));
        found
    }

    #[test]
    fn answers_map_to_load_indices() {
        let queue = Queue::default();
        assert!(!queue.has_room());
        queue.open();
        let mut payloads = Payloads::random(8);
        queue.push(100, 10, &mut payloads).unwrap();
        queue.push(500, 10, &mut payloads).unwrap();
        assert_eq!(answers(&queue, 5, 10), [(105, 5), (500, 5)]);
        assert_eq!(answers(&queue, 0, 5), [(100, 5)]);
        assert_eq!(answers(&queue, 0, 10), []);
        assert_eq!(answers(&queue, 18, 50), [(508, 2)]);
        assert_eq!(queue.close(), 3);
        assert!(!queue.is_open());
    }

    #[test]
    fn queued_frames_are_swapped_out_whole() {
        let queue = Queue::default();
        queue.open();
        queue.push(0, 3, &mut Payloads::random(8)).unwrap();
        let mut out = Vec::new();
        queue.swap(&mut out);
        assert_eq!(out.len(), 3 * 12);
        out.clear();
        queue.swap(&mut out);
        assert!(out.is_empty());
    }
}
