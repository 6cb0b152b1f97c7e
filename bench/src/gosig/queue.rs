//! Events in the order of their times; those of one time in the order in which they were put in.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Nanoseconds of the simulated clock.
pub(super) type Nanos = u64;

pub(super) const MILLISECOND: Nanos = 1_000_000;
pub(super) const SECOND: Nanos = 1_000 * MILLISECOND;

/// What is going to happen.
pub(super) struct Queue<E> {
    heap: BinaryHeap<Entry<E>>,
    put: u64,
    now: Nanos,
}

struct Entry<E> {
    at: Nanos,
    number: u64,
    event: E,
}

impl<E> Queue<E> {
    pub(super) fn new() -> Self {
        Self { heap: BinaryHeap::new(), put: 0, now: 0 }
    }

    /// The time of the event that was taken last.
    pub(super) fn now(&self) -> Nanos {
        self.now
    }

    /// What is in the past happens next.
    pub(super) fn put(&mut self, at: Nanos, event: E) {
        self.put += 1;
        self.heap.push(Entry { at: at.max(self.now), number: self.put, event });
    }

    /// The next event; the clock goes to its time.
    pub(super) fn take(&mut self) -> Option<E> {
        let entry = self.heap.pop()?;
        self.now = entry.at;
        Some(entry.event)
    }

    /// How many events there were so far.
    pub(super) fn taken(&self) -> u64 {
        self.put - self.heap.len() as u64
    }
}

impl<E> Ord for Entry<E> {
    /// The heap gives its greatest first, so the earliest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_of_one_time_the_one_put_in_first() {
        let mut queue = Queue::new();
        for (at, event) in [(5, 'c'), (1, 'a'), (5, 'd'), (3, 'b')] {
            queue.put(at, event);
        }
        let mut order = String::new();
        while let Some(event) = queue.take() {
            order.push(event);
            if event == 'b' {
                queue.put(2, 'x');
                assert_eq!((queue.now(), queue.taken()), (3, 2));
            }
        }
        assert_eq!((order.as_str(), queue.now()), ("abxcd", 5));
    }
}
