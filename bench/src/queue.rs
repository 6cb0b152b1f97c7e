//! A queue of events, ordered by time, then by insertion.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Nanoseconds of the simulated clock.
pub(crate) type Nanos = u64;

pub(crate) const MILLISECOND: Nanos = 1_000_000;
pub(crate) const SECOND: Nanos = 1_000 * MILLISECOND;

/// Future events.
pub(crate) struct Queue<E> {
    heap: BinaryHeap<Entry>,
    /// The events. The heap moves its entries, so it holds indices.
    events: Vec<Option<E>>,
    free: Vec<u32>,
    put: u64,
    now: Nanos,
}

#[derive(PartialEq, Eq)]
struct Entry {
    at: Nanos,
    number: u64,
    place: u32,
}

impl<E> Queue<E> {
    pub(crate) fn new() -> Self {
        Self { heap: BinaryHeap::new(), events: Vec::new(), free: Vec::new(), put: 0, now: 0 }
    }

    /// Time of the last event that was taken.
    pub(crate) fn now(&self) -> Nanos {
        self.now
    }

    /// Inserts an event; one in the past is the next.
    pub(crate) fn put(&mut self, at: Nanos, event: E) {
        self.put += 1;
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.events.push(None);
                (self.events.len() - 1) as u32
            }
        };
        if let Some(slot) = self.events.get_mut(place as usize) {
            *slot = Some(event);
        }
        self.heap.push(Entry { at: at.max(self.now), number: self.put, place });
    }

    /// Takes the next event, and sets the clock to its time.
    pub(crate) fn take(&mut self) -> Option<E> {
        let entry = self.heap.pop()?;
        self.now = entry.at;
        self.free.push(entry.place);
        self.events.get_mut(entry.place as usize)?.take()
    }

    /// Number of events so far.
    pub(crate) fn taken(&self) -> u64 {
        self.put - self.heap.len() as u64
    }
}

impl Ord for Entry {
    /// The heap returns its greatest entry first, so the earliest event is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_ordered_by_time_then_insertion() {
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
