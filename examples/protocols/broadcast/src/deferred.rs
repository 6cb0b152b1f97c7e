//! Queue of messages whose signatures are slow to verify. They are processed when no other message waits.

use std::collections::VecDeque;

use quorate::machine::MemberIndex;

/// Bounded queues, one per member, served round-robin, so that a flooding member delays only itself.
#[derive(Debug)]
pub struct Deferred<T> {
    queues: Vec<VecDeque<T>>,
    limit: usize,
    next: usize,
}

impl<T> Deferred<T> {
    /// Creates queues for `members`, each of at most `limit` items.
    pub fn new(members: u16, limit: usize) -> Self {
        Self { queues: (0..members).map(|_| VecDeque::new()).collect(), limit, next: 0 }
    }

    /// Appends an item. Returns `false` and drops the item if the member's queue is full; the sender of a message
    /// repeats it.
    pub fn push(&mut self, from: MemberIndex, item: T) -> bool {
        match self.queues.get_mut(usize::from(from)) {
            Some(queue) if queue.len() < self.limit => {
                queue.push_back(item);
                true
            }
            _ => false,
        }
    }

    /// Removes the oldest item of the member whose turn it is.
    pub fn pop(&mut self) -> Option<(MemberIndex, T)> {
        let count = self.queues.len();
        for turn in (self.next..count).chain(0..self.next.min(count)) {
            if let Some(item) = self.queues.get_mut(turn).and_then(VecDeque::pop_front) {
                self.next = turn + 1;
                return Some((turn as MemberIndex, item));
            }
        }
        None
    }

    /// Removes the items of a member that satisfy `wanted`.
    pub fn take(&mut self, from: MemberIndex, mut wanted: impl FnMut(&T) -> bool) -> Vec<T> {
        let Some(queue) = self.queues.get_mut(usize::from(from)) else { return Vec::new() };
        let (taken, left) = std::mem::take(queue).into_iter().partition::<Vec<T>, _>(|item| wanted(item));
        *queue = left.into();
        taken
    }

    /// Returns `true` if all queues are empty.
    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
    }

    /// Returns the number of items in all queues.
    pub fn len(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flooding_member_delays_no_other_member() {
        let mut deferred = Deferred::new(3, 100);
        let kept = (0..1_000).filter(|i| deferred.push(1, *i)).count();
        assert_eq!((kept, deferred.len()), (100, 100));
        assert!(deferred.push(0, 7) && deferred.push(2, 8) && !deferred.push(3, 9));
        let order: Vec<_> = (0..5).filter_map(|_| deferred.pop()).collect();
        assert_eq!(order, [(0, 7), (1, 0), (2, 8), (1, 1), (1, 2)]);
    }

    #[test]
    fn taken_items_leave_the_others_in_order() {
        let mut deferred = Deferred::new(2, 10);
        (0..6).for_each(|i| assert!(deferred.push(0, i)));
        assert_eq!(deferred.take(0, |i| i % 2 == 0), [0, 2, 4]);
        assert!(deferred.take(1, |_| true).is_empty());
        assert_eq!(std::iter::from_fn(|| deferred.pop()).map(|(_, i)| i).collect::<Vec<_>>(), [1, 3, 5]);
        assert!(deferred.is_empty());
    }
}
