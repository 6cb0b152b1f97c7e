use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::links::{Lane, Received};
use crate::protocol::Command;

/// At most this many bulk frames are handled before the urgent ones get their turn again.
const BULK_AT_ONCE: usize = 2;

/// And so many urgent frames of one member, before timers and others get their turn.
const URGENT_OF_ONE: usize = 32;

/// What the machine has not handled yet. Bounded by those who put things in: the links bound frames per peer, the
/// machine itself bounds its own batches and deliveries.
#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    ready: Condvar,
}

#[derive(Default)]
struct Waiting {
    commands: VecDeque<Command>,
    /// By sender.
    urgent: Vec<VecDeque<Received>>,
    urgent_frames: usize,
    bulk: VecDeque<Received>,
    poked: bool,
    end: Option<End>,
    /// Whether the machine sleeps: only then is it worth a system call to wake it.
    asleep: bool,
}

/// What was taken out, in the order in which it is to be handled.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) commands: VecDeque<Command>,
    pub(super) frames: Vec<Received>,
    pub(super) end: Option<End>,
}

/// How the machine is to end. What comes later here counts more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// Another epoch's machine goes on.
    Turn,
    /// What was begun is carried out.
    Finish,
    /// Nothing is signed or sent any more.
    Abort,
}

impl Inbox {
    pub(super) fn frame(&self, received: Received) {
        self.put(|w| match received.lane {
            Lane::Urgent => w.push_urgent(received),
            Lane::Bulk => w.bulk.push_back(received),
        });
    }

    pub(super) fn command(&self, command: Command) {
        self.put(|w| w.commands.push_back(command));
    }

    /// Lets the machine look at its clock again.
    pub(super) fn poke(&self) {
        self.put(|w| w.poked = true);
    }

    /// The machine is to end.
    pub(super) fn end(&self, end: End) {
        self.put(|w| w.end = w.end.max(Some(end)));
    }

    /// Another machine begins: nothing that waits was meant for it, as members' indices may be others. A node that is
    /// to end still is.
    pub(super) fn turn(&self) {
        self.put(|w| {
            let end = w.end.filter(|end| *end != End::Turn);
            *w = Waiting { end, asleep: w.asleep, ..Waiting::default() };
        });
    }

    /// Waits for anything, but not longer than `patience`, and takes it.
    pub(super) fn take(&self, patience: Option<Duration>) -> Taken {
        let mut waiting = self.lock();
        if waiting.is_empty() {
            waiting.asleep = true;
            waiting = match patience {
                // Woken for no reason or too early, the machine just looks at its clock again.
                Some(patience) => match self.ready.wait_timeout(waiting, patience) {
                    Ok((waiting, _)) => waiting,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
            waiting.asleep = false;
        }
        waiting.poked = false;
        let mut frames = waiting.take_urgent();
        let bulk = waiting.bulk.len().min(BULK_AT_ONCE);
        frames.extend(waiting.bulk.drain(..bulk));
        Taken { commands: std::mem::take(&mut waiting.commands), frames, end: waiting.end }
    }

    fn put(&self, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.lock();
        change(&mut waiting);
        let wake = std::mem::take(&mut waiting.asleep);
        drop(waiting);
        if wake {
            self.ready.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No code panics while it holds the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn push_urgent(&mut self, received: Received) {
        let from = usize::from(received.from);
        if self.urgent.len() <= from {
            self.urgent.resize_with(from + 1, VecDeque::new);
        }
        if let Some(queue) = self.urgent.get_mut(from) {
            queue.push_back(received);
            self.urgent_frames += 1;
        }
    }

    /// Some of everybody's.
    fn take_urgent(&mut self) -> Vec<Received> {
        let mut frames = Vec::new();
        if self.urgent_frames > 0 {
            for queue in &mut self.urgent {
                let some = queue.len().min(URGENT_OF_ONE);
                frames.extend(queue.drain(..some));
            }
            self.urgent_frames -= frames.len();
        }
        frames
    }

    fn is_empty(&self) -> bool {
        let frames = self.urgent_frames == 0 && self.bulk.is_empty();
        frames && self.commands.is_empty() && !self.poked && self.end.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_one_epoch_reaches_the_next_but_that_the_node_is_to_end() {
        let inbox = Inbox::default();
        inbox.frame(Received::for_test(2, Lane::Urgent, b"vote"));
        inbox.command(Command::Connected(2));
        inbox.end(End::Turn);
        assert_eq!(inbox.take(None).end, Some(End::Turn));
        inbox.frame(Received::for_test(2, Lane::Bulk, b"late"));
        inbox.turn();
        let taken = inbox.take(Some(Duration::ZERO));
        assert!(taken.end.is_none() && taken.frames.is_empty() && taken.commands.is_empty());
        for (first, second) in [(End::Turn, End::Finish), (End::Finish, End::Turn)] {
            inbox.end(first);
            inbox.end(second);
            inbox.turn();
            assert_eq!(inbox.take(None).end, Some(End::Finish));
        }
        inbox.end(End::Abort);
        inbox.end(End::Finish);
        assert_eq!(inbox.take(None).end, Some(End::Abort));
    }

    #[test]
    fn one_member_does_not_hold_up_the_others() {
        let inbox = Inbox::default();
        for i in 0..1000u16 {
            inbox.frame(Received::for_test(2, Lane::Urgent, &i.to_le_bytes()));
        }
        inbox.frame(Received::for_test(0, Lane::Urgent, b"vote"));
        inbox.frame(Received::for_test(1, Lane::Bulk, b"batch"));
        let first = inbox.take(None).frames;
        assert_eq!(first.len(), 1 + URGENT_OF_ONE + 1);
        assert!(first.iter().any(|r| &r.body[..] == b"vote"));
        assert_eq!(&first.last().unwrap().body[..], b"batch");
        // The rest comes in order, and without being waited for.
        let mut of_two: Vec<_> = first.into_iter().filter(|r| r.from == 2).collect();
        while of_two.len() < 1000 {
            of_two.extend(inbox.take(None).frames);
        }
        assert!(of_two.iter().zip(0..).all(|(r, i): (_, u16)| r.body[..] == i.to_le_bytes()));
        assert!(inbox.take(Some(Duration::ZERO)).frames.is_empty());
    }
}
