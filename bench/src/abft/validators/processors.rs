//! The processors of a computer, which all its threads share.

use std::collections::VecDeque;

use crate::queue::{MILLISECOND, Nanos};

/// Longest time that a thread runs while others wait for a processor, about that of Linux.
const SLICE: Nanos = 3 * MILLISECOND;

/// A number of processors, and the threads that wait for one. Threads take turns, in the order in which they became ready.
pub(super) struct Processors<T> {
    idle: usize,
    /// Each thread with the rest of its work; `None` if it has not begun.
    ready: VecDeque<(T, Option<Nanos>)>,
}

/// A turn of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice<T> {
    pub(super) thread: T,
    pub(super) length: Nanos,
    /// Work that is left after the turn.
    left: Nanos,
}

impl<T: Copy> Processors<T> {
    pub(super) fn new(count: usize) -> Self {
        Self { idle: count.max(1), ready: VecDeque::new() }
    }

    /// A thread waits for a processor. The duration of its work is asked for when it begins.
    pub(super) fn ready(&mut self, thread: T) {
        self.ready.push_back((thread, None));
    }

    /// Takes an idle processor for the first thread that waits; `None` if there is no processor or no thread. Returns the
    /// thread with the rest of its work, or `None` if it begins: then pass the duration of its work to [`Slice::new`].
    pub(super) fn take(&mut self) -> Option<(T, Option<Nanos>)> {
        if self.idle == 0 {
            return None;
        }
        let next = self.ready.pop_front()?;
        self.idle -= 1;
        Some(next)
    }

    /// Ends a turn, and returns true if the thread's work is done. Otherwise the thread waits for its next turn.
    pub(super) fn end(&mut self, slice: Slice<T>) -> bool {
        self.idle += 1;
        if slice.left > 0 {
            self.ready.push_back((slice.thread, Some(slice.left)));
        }
        slice.left == 0
    }
}

impl<T> Slice<T> {
    pub(super) fn new(thread: T, work: Nanos) -> Self {
        let length = work.min(SLICE);
        Self { thread, length, left: work - length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Queue;

    /// When each thread's work is done, in milliseconds. All threads are ready at the beginning.
    fn ends(count: usize, work: &[Nanos]) -> Vec<Nanos> {
        let (mut processors, mut queue) = (Processors::new(count), Queue::new());
        (0..work.len()).for_each(|thread| processors.ready(thread));
        let mut ends = vec![0; work.len()];
        loop {
            while let Some((thread, left)) = processors.take() {
                let slice = Slice::new(thread, left.unwrap_or(work[thread] * MILLISECOND));
                queue.put(queue.now() + slice.length, slice);
            }
            let Some(slice) = queue.take() else { return ends };
            if processors.end(slice) {
                ends[slice.thread] = queue.now() / MILLISECOND;
            }
        }
    }

    #[test]
    fn threads_take_turns_on_the_processors_that_there_are() {
        assert_eq!(ends(1, &[5, 5, 1]), [9, 11, 7]);
        assert_eq!(ends(2, &[5, 5, 1]), [5, 6, 4]);
        assert_eq!(ends(3, &[5, 5, 1]), [5, 5, 1]);
        // No processor idles while a thread waits, and none works for two threads at once.
        assert_eq!(ends(2, &[8, 8, 8, 8]).into_iter().max(), Some(16));
        assert_eq!(ends(2, &[10]), [10]);
    }
}
