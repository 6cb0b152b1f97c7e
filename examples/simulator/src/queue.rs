//! Event queue, ordered by time and then by insertion.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// The event queue. The heap holds small keys and the events stay in place beside it, so that the size of an event
/// does not slow the heap. Cost: O(log n) to push and to pop.
pub(crate) struct Queue<E> {
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
    events: Vec<Option<E>>,
    free: Vec<u32>,
    sequence: u64,
}

impl<E> Queue<E> {
    pub(crate) fn new() -> Self {
        Self { heap: BinaryHeap::new(), events: Vec::new(), free: Vec::new(), sequence: 0 }
    }

    pub(crate) fn push(&mut self, at: u64, event: E) {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.events.push(None);
                // 2³² events exceed the available memory.
                (self.events.len() - 1) as u32
            }
        };
        if let Some(slot) = self.events.get_mut(place as usize) {
            *slot = Some(event);
        }
        self.heap.push(Reverse((at, self.sequence, place)));
        self.sequence += 1;
    }

    /// Returns the time of the next event.
    pub(crate) fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, E)> {
        let Reverse((at, _, place)) = self.heap.pop()?;
        let event = self.events.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some((at, event))
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_are_ordered_by_time_and_then_by_insertion(times: Vec<u8>) {
            let mut queue = Queue::new();
            for (i, at) in times.iter().enumerate() {
                queue.push(u64::from(*at), i);
            }
            let mut expected: Vec<(u64, usize)> = times.iter().enumerate().map(|(i, at)| (u64::from(*at), i)).collect();
            expected.sort();
            let taken: Vec<(u64, usize)> = core::iter::from_fn(|| queue.pop()).collect();
            prop_assert_eq!(taken, expected);
            prop_assert!(queue.free.len() == queue.events.len());
        }
    }
}
