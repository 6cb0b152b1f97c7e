use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_jolteon::Command;

use crate::links::{Lane, Received};

/// At most this many bulk frames are handled before the urgent ones get their turn again.
const BULK_AT_ONCE: usize = 2;

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
    urgent: VecDeque<Received>,
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

/// How the machine is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// What was begun is carried out.
    Finish,
    /// Nothing is signed or sent any more.
    Abort,
}

impl Inbox {
    pub(super) fn frame(&self, received: Received) {
        self.put(|w| match received.lane {
            Lane::Urgent => w.urgent.push_back(received),
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

    /// The machine is to end. An abort counts more than a finish.
    pub(super) fn end(&self, end: End) {
        self.put(|w| {
            if w.end != Some(End::Abort) {
                w.end = Some(end);
            }
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
        let mut frames: Vec<Received> = waiting.urgent.drain(..).collect();
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
    fn is_empty(&self) -> bool {
        let frames = self.urgent.is_empty() && self.bulk.is_empty();
        frames && self.commands.is_empty() && !self.poked && self.end.is_none()
    }
}
