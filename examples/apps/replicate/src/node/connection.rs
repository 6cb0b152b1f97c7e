use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use quorate_link::{Closed, Link, MAX_MESSAGE, SendError};

use super::handshake::{Challenge, Party};

/// Bytes of a fragment after its flag.
const FRAGMENT: usize = MAX_MESSAGE - 1;

/// One link of a replica. Messages longer than a ring's slot travel in fragments; a fragment begins with 1 if more follow,
/// otherwise with 0.
pub(super) struct Connection {
    link: Link,
    pub(super) phase: Phase,
    pub(super) began: Instant,
    /// Fragments that wait for the reader.
    unsent: VecDeque<Vec<u8>>,
    unsent_bytes: usize,
    /// Fragments of an incomplete message.
    partial: Vec<u8>,
    /// Maximum length of a message.
    pub(super) limit: usize,
    closed: bool,
}

/// State of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// This side accepted and waits for the first frame, because nothing can be sent before the peer has opened the rings.
    New,
    /// This side has sent its challenge.
    Accepted(Challenge),
    /// This side connected to a replica, has sent the first frame, and waits for the challenge.
    Connected(u16),
    /// This side has answered the challenge of a replica.
    Answered(u16, [Challenge; 2]),
    /// The peer is authenticated.
    Open(Party),
}

impl Connection {
    pub(super) fn new(link: Link, phase: Phase, limit: usize) -> Self {
        Self {
            link,
            phase,
            began: Instant::now(),
            unsent: VecDeque::new(),
            unsent_bytes: 0,
            partial: Vec::new(),
            limit,
            closed: false,
        }
    }

    pub(super) fn is_open_to(&self, party: Party) -> bool {
        self.phase == Phase::Open(party) && !self.closed
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Sends a message, or keeps it until the peer reads. A peer that leaves more than twice the longest message unread is
    /// disconnected, so that no memory grows; what it missed is repeated when it comes back.
    pub(super) fn send(&mut self, message: &[u8]) {
        let chunks = message.chunks(FRAGMENT);
        let last = chunks.len().saturating_sub(1);
        for (number, chunk) in chunks.enumerate() {
            let mut fragment = Vec::with_capacity(chunk.len() + 1);
            fragment.push(u8::from(number < last));
            fragment.extend_from_slice(chunk);
            self.unsent_bytes += fragment.len();
            self.unsent.push_back(fragment);
        }
        self.flush();
        self.closed |= self.unsent_bytes > 2 * self.limit.max(1 << 16);
    }

    /// Sends a message of the handshake, which is not a fragment.
    pub(super) fn send_plain(&mut self, message: &[u8]) {
        self.closed |= self.link.send(message).is_err();
    }

    pub(super) fn flush(&mut self) {
        while let Some(fragment) = self.unsent.front() {
            match self.link.send(fragment) {
                Ok(()) => {
                    self.unsent_bytes -= fragment.len();
                    self.unsent.pop_front();
                }
                Err(SendError::Full) => return,
                Err(SendError::Closed | SendError::TooLong) => {
                    self.closed = true;
                    return;
                }
            }
        }
    }

    /// Receives a frame into `buffer`. Returns false if there is none.
    pub(super) fn receive(&mut self, buffer: &mut Vec<u8>) -> bool {
        match self.link.receive(buffer) {
            Ok(received) => received && !self.closed,
            Err(Closed) => {
                self.closed = true;
                false
            }
        }
    }

    /// Adds a fragment, and returns the message that it completes.
    pub(super) fn assemble(&mut self, fragment: &[u8]) -> Option<Vec<u8>> {
        let (more, chunk) = match fragment.split_first() {
            Some((more @ (0 | 1), chunk)) if self.partial.len() + chunk.len() <= self.limit => {
                (*more == 1, chunk)
            }
            _ => {
                self.closed = true;
                return None;
            }
        };
        self.partial.extend_from_slice(chunk);
        (!more).then(|| std::mem::take(&mut self.partial))
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}
