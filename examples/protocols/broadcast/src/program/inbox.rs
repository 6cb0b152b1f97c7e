//! A member's unprocessed inputs. Bounded by the producers: links limit the frames per peer, the machine limits its
//! background work, and callers that broadcast can read the backlog.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_broadcast::Command;
use quorate_broadcast::authentication::Authentication;
use quorate_node::links::{Lane, Received};

/// Maximum number of urgent frames per member in one batch.
const OF_ONE: usize = 32;
/// Maximum number of announcements in one batch.
const BULK_AT_ONCE: usize = 2;

pub(crate) struct Inbox<A: Authentication> {
    waiting: Mutex<Waiting<A>>,
    ready: Condvar,
}

struct Waiting<A: Authentication> {
    commands: VecDeque<Command<A>>,
    /// Urgent frames by sender.
    urgent: Vec<VecDeque<Received>>,
    bulk: VecDeque<Received>,
    end: bool,
    /// Address at which another process with this member's key was seen.
    twin: Option<String>,
    /// True while the machine waits for input. Only then is a system call needed to wake it.
    asleep: bool,
}

/// Inputs removed from an [`Inbox`], in the order in which they are to be handled.
pub(crate) struct Taken<A: Authentication> {
    pub(crate) frames: Vec<Received>,
    pub(crate) commands: VecDeque<Command<A>>,
    pub(crate) end: bool,
    pub(crate) twin: Option<String>,
    /// True if no input remains.
    pub(crate) all: bool,
}

impl<A: Authentication> Inbox<A> {
    pub(crate) fn new(members: u16) -> Self {
        let waiting = Waiting {
            commands: VecDeque::new(),
            urgent: (0..members).map(|_| VecDeque::new()).collect(),
            bulk: VecDeque::new(),
            end: false,
            twin: None,
            asleep: false,
        };
        Self { waiting: Mutex::new(waiting), ready: Condvar::new() }
    }

    pub(crate) fn frame(&self, received: Received) {
        self.put(|w| match (received.lane, w.urgent.get_mut(usize::from(received.from))) {
            (Lane::Urgent, Some(queue)) => queue.push_back(received),
            (Lane::Bulk, Some(_)) => w.bulk.push_back(received),
            (_, None) => {}
        });
    }

    pub(crate) fn command(&self, command: Command<A>) {
        self.put(|w| w.commands.push_back(command));
    }

    /// Returns the number of waiting commands.
    pub(crate) fn commands(&self) -> usize {
        self.lock().commands.len()
    }

    /// Asks the member to stop.
    pub(crate) fn end(&self) {
        self.put(|w| w.end = true);
    }

    /// Reports another process that signs with this member's key.
    pub(crate) fn twin(&self, address: String) {
        self.put(|w| w.twin = Some(address));
    }

    /// Waits for input, at most for `timeout`, and takes a share of each member's.
    pub(crate) fn take(&self, timeout: Option<Duration>) -> Taken<A> {
        let mut waiting = self.lock();
        if waiting.is_empty() && timeout != Some(Duration::ZERO) {
            waiting.asleep = true;
            waiting = match timeout {
                // After a spurious wake-up the machine only checks its clock.
                Some(timeout) => match self.ready.wait_timeout(waiting, timeout) {
                    Ok((waiting, _)) => waiting,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
            waiting.asleep = false;
        }
        let mut frames = Vec::new();
        for queue in &mut waiting.urgent {
            let some = queue.len().min(OF_ONE);
            frames.extend(queue.drain(..some));
        }
        let bulk = waiting.bulk.len().min(BULK_AT_ONCE);
        frames.extend(waiting.bulk.drain(..bulk));
        let commands = std::mem::take(&mut waiting.commands);
        Taken { frames, commands, end: waiting.end, twin: waiting.twin.take(), all: waiting.is_empty() }
    }

    fn put(&self, change: impl FnOnce(&mut Waiting<A>)) {
        let mut waiting = self.lock();
        change(&mut waiting);
        let wake = std::mem::take(&mut waiting.asleep);
        drop(waiting);
        if wake {
            self.ready.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<A>> {
        // No code panics while holding the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Authentication> Waiting<A> {
    fn is_empty(&self) -> bool {
        let frames = self.urgent.iter().all(VecDeque::is_empty) && self.bulk.is_empty();
        frames && self.commands.is_empty() && self.twin.is_none() && !self.end
    }
}
