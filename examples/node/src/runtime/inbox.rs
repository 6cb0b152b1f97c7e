use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate::machine::MemberIndex;

use crate::links::{Lane, Received};
use crate::protocol::Command;

/// Maximum number of bulk frames handled before urgent frames are checked again.
const BULK_AT_ONCE: usize = 2;

/// Maximum number of urgent frames of one member handled before timers and other members.
const URGENT_OF_ONE: usize = 32;

/// Inputs that the replica has not handled yet. The producers bound it: the links bound the frames of each peer, and the
/// replica bounds its own batches and deliveries.
#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    ready: Condvar,
}

#[derive(Default)]
struct Waiting {
    commands: VecDeque<Command>,
    urgent: FrameQueues,
    bulk: FrameQueues,
    clock_check: bool,
    end: Option<End>,
    /// True while the machine thread sleeps. Only then does a wake-up cost a system call.
    asleep: bool,
}

/// Frames by sender, so that no sender delays the frames of another.
#[derive(Default)]
struct FrameQueues {
    queues: Vec<VecDeque<Received>>,
    /// Sender with the first turn.
    turn: usize,
}

/// Inputs taken from the inbox, in handling order.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) commands: VecDeque<Command>,
    pub(super) frames: Vec<Received>,
    pub(super) end: Option<End>,
}

/// Reason for the end of the machine thread. A later variant takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// The epoch has ended; the machine of the next epoch continues.
    Epoch,
    /// The node shuts down; pending work is completed.
    Shutdown,
    /// The node has failed; nothing is signed or sent.
    Abort,
}

impl Inbox {
    pub(super) fn frame(&self, received: Received) {
        self.put(|w| match received.lane {
            Lane::Urgent => w.urgent.push(received),
            Lane::Bulk => w.bulk.push(received),
        });
    }

    pub(super) fn command(&self, command: Command) {
        self.put(|w| w.commands.push_back(command));
    }

    /// Wakes the machine thread so that it checks its clock.
    pub(super) fn request_clock_check(&self) {
        self.put(|w| w.clock_check = true);
    }

    /// Requests the end of the machine thread.
    pub(super) fn end(&self, end: End) {
        self.put(|w| w.end = w.end.max(Some(end)));
    }

    /// Drops all inputs of the ended epoch, because member indices change. A pending shutdown remains.
    pub(super) fn start_epoch(&self) {
        self.put(|w| {
            let end = w.end.filter(|end| *end != End::Epoch);
            *w = Waiting { end, asleep: w.asleep, ..Waiting::default() };
        });
    }

    /// Waits for an input, at most for `timeout`, and takes a share of the inputs. The frames of `held` senders remain while there
    /// are others; then they are taken one at a time.
    pub(super) fn take(&self, timeout: Option<Duration>, held: &[MemberIndex]) -> Inputs {
        let mut waiting = self.lock();
        if waiting.is_empty(&[]) {
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
        let has_others = !waiting.is_empty(held);
        waiting.clock_check = false;
        let mut frames = waiting.urgent.take(usize::MAX, URGENT_OF_ONE, held);
        frames.extend(waiting.bulk.take(BULK_AT_ONCE, 1, held));
        if !has_others {
            frames = waiting.urgent.take(1, 1, &[]);
            if frames.is_empty() {
                frames = waiting.bulk.take(1, 1, &[]);
            }
        }
        Inputs { commands: std::mem::take(&mut waiting.commands), frames, end: waiting.end }
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
    /// Returns true if there is nothing but frames of `held` senders.
    fn is_empty(&self, held: &[MemberIndex]) -> bool {
        let frames = self.urgent.is_empty(held) && self.bulk.is_empty(held);
        frames && self.commands.is_empty() && !self.clock_check && self.end.is_none()
    }
}

impl FrameQueues {
    fn push(&mut self, received: Received) {
        let from = usize::from(received.from);
        if self.queues.len() <= from {
            self.queues.resize_with(from + 1, VecDeque::new);
        }
        if let Some(queue) = self.queues.get_mut(from) {
            queue.push_back(received);
        }
    }

    /// Takes frames: at most `of_one` of each sender, in turn, and no more senders when there are `max` frames.
    fn take(&mut self, max: usize, of_one: usize, held: &[MemberIndex]) -> Vec<Received> {
        let (mut frames, senders, first) = (Vec::new(), self.queues.len(), self.turn);
        for place in (0..senders).map(|step| (first + step) % senders) {
            if frames.len() >= max {
                break;
            }
            let Some(queue) = self.queues.get_mut(place).filter(|_| !is_held(place, held)) else { continue };
            if !queue.is_empty() {
                frames.extend(queue.drain(..queue.len().min(of_one)));
                self.turn = place + 1;
            }
        }
        frames
    }

    fn is_empty(&self, held: &[MemberIndex]) -> bool {
        let mut queues = self.queues.iter().enumerate();
        queues.all(|(sender, queue)| queue.is_empty() || is_held(sender, held))
    }
}

fn is_held(sender: usize, held: &[MemberIndex]) -> bool {
    held.iter().any(|member| usize::from(*member) == sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shutdown_survives_the_end_of_an_epoch() {
        let inbox = Inbox::default();
        inbox.frame(Received::for_test(2, Lane::Urgent, b"vote"));
        inbox.command(Command::Connected(2));
        inbox.end(End::Epoch);
        assert_eq!(inbox.take(None, &[]).end, Some(End::Epoch));
        inbox.frame(Received::for_test(2, Lane::Bulk, b"late"));
        inbox.start_epoch();
        let taken = inbox.take(Some(Duration::ZERO), &[]);
        assert!(taken.end.is_none() && taken.frames.is_empty() && taken.commands.is_empty());
        for (first, second) in [(End::Epoch, End::Shutdown), (End::Shutdown, End::Epoch)] {
            inbox.end(first);
            inbox.end(second);
            inbox.start_epoch();
            assert_eq!(inbox.take(None, &[]).end, Some(End::Shutdown));
        }
        inbox.end(End::Abort);
        inbox.end(End::Shutdown);
        assert_eq!(inbox.take(None, &[]).end, Some(End::Abort));
    }

    #[test]
    fn one_member_does_not_delay_the_others() {
        let inbox = Inbox::default();
        for i in 0..1000u16 {
            inbox.frame(Received::for_test(2, Lane::Urgent, &i.to_le_bytes()));
        }
        inbox.frame(Received::for_test(0, Lane::Urgent, b"vote"));
        inbox.frame(Received::for_test(1, Lane::Bulk, b"batch"));
        let first = inbox.take(None, &[]).frames;
        assert_eq!(first.len(), 1 + URGENT_OF_ONE + 1);
        assert!(first.iter().any(|r| &r.body[..] == b"vote"));
        assert_eq!(&first.last().unwrap().body[..], b"batch");
        // The remaining frames follow in order, without waiting.
        let mut of_two: Vec<_> = first.into_iter().filter(|r| r.from == 2).collect();
        while of_two.len() < 1000 {
            of_two.extend(inbox.take(None, &[]).frames);
        }
        assert!(of_two.iter().zip(0..).all(|(r, i): (_, u16)| r.body[..] == i.to_le_bytes()));
        assert!(inbox.take(Some(Duration::ZERO), &[]).frames.is_empty());
    }

    #[test]
    fn large_frames_of_one_member_do_not_delay_those_of_others() {
        let inbox = Inbox::default();
        for from in [2, 2, 2, 2, 1, 0] {
            inbox.frame(Received::for_test(from, Lane::Bulk, b"batch"));
        }
        let senders = |held: &[MemberIndex]| -> Vec<MemberIndex> {
            inbox.take(Some(Duration::ZERO), held).frames.iter().map(|received| received.from).collect()
        };
        assert_eq!((senders(&[]), senders(&[])), (vec![0, 1], vec![2]));
        inbox.frame(Received::for_test(0, Lane::Bulk, b"batch"));
        assert_eq!(senders(&[]), [0, 2]);
    }

    #[test]
    fn frames_of_held_members_wait() {
        let inbox = Inbox::default();
        for lane in Lane::ALL {
            inbox.frame(Received::for_test(2, lane, b"held"));
            inbox.frame(Received::for_test(1, lane, b"not held"));
        }
        let taken = || inbox.take(Some(Duration::ZERO), &[2]).frames;
        let senders: Vec<_> = taken().iter().map(|received| received.from).collect();
        assert_eq!(senders, [1, 1]);
        // Nothing else waits: one at a time, so that the others' next frames come before the rest.
        assert_eq!(taken().len(), 1);
        inbox.frame(Received::for_test(1, Lane::Bulk, b"not held"));
        assert_eq!((taken()[0].from, taken()[0].from, taken().len()), (1, 2, 0));
    }
}
