use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;

use crate::authentication::Authentication;
use crate::statement::{Digest, Equivocation, Slot};

/// Configuration of a member.
pub struct Config<A> {
    /// The members and their weights. Safety and liveness require that faulty members weigh less than a third.
    pub group: Arc<Committee<Ed25519>>,
    /// Index of this member.
    pub me: MemberIndex,
    /// Authentication of attestations.
    pub authentication: A,
    /// Parameters of the member.
    pub parameters: Parameters,
}

/// Parameters of a member. All members must agree on `tail` and `max_message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Number of last messages of each sender that are kept for members that were disconnected. Older messages may be
    /// lost to them. All members must use the same value and must not change it while they keep records.
    pub tail: u32,
    /// Maximum length of a message in bytes. All members must use the same value.
    pub max_message: usize,
    /// Maximum number of own messages that wait for a slot or a key; further messages are refused.
    pub max_waiting: usize,
    /// Time after which a missing message is requested or sent again. Doubles up to sixteenfold.
    pub retry: Duration,
    /// Interval of the check for expired keys.
    pub prepare: Duration,
}

impl Parameters {
    /// Returns the maximum memory in bytes of a member, for any behaviour of the other members: messages, signatures
    /// and digests, without the overhead of maps and queues and without the links' buffers.
    ///
    /// For n members, tail t, messages of m bytes and signatures of s bytes, this is n·t·(m + 2s) for accepted
    /// messages, n²·t·(50 + s) for attestations, n·t·(m + s) for messages that wait for verification, plus the own
    /// messages without a number.
    ///
    /// ```
    /// use quorate_broadcast::Parameters;
    /// use quorate_broadcast::authentication::Eddsa;
    ///
    /// let parameters = Parameters { tail: 100, max_message: 1_000, max_waiting: 10, ..Parameters::default() };
    /// let (messages, attestations, waiting) = (4 * 100 * 1_128, 16 * 100 * 114, 4 * 100 * 1_064);
    /// assert_eq!(parameters.memory::<Eddsa>(4), messages + attestations + waiting + 10 * 1_000);
    /// ```
    pub fn memory<A: Authentication>(&self, members: u16) -> u128 {
        let (n, t, s) = (u128::from(members), u128::from(self.tail.max(1)), A::SIGNATURE_LEN as u128);
        let (m, own) = (self.max_message as u128, self.max_waiting as u128);
        n * t * (m + 2 * s) + n * n * t * (50 + s) + n * t * (m + s) + own * m
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            tail: 128,
            max_message: 16 << 10,
            max_waiting: 1024,
            retry: Duration::from_millis(200),
            prepare: Duration::from_secs(1),
        }
    }
}

/// Commands of the driver.
pub enum Command<A: Authentication> {
    /// Broadcasts a message.
    Broadcast(Arc<[u8]>),
    /// Returns the result of background work.
    Done(Outcome<A>),
}

/// Outputs for the driver.
pub enum Output<A: Authentication> {
    /// Delivers a message. A slot is delivered once per run; after a restart the tail is delivered again.
    Deliver(Delivery),
    /// Refuses to broadcast a message.
    Refused {
        /// The message.
        message: Arc<[u8]>,
        /// The reason.
        refusal: Refusal,
    },
    /// Requests background work, whose result returns with [`Command::Done`]. At any time there is at most one job
    /// that generates keys, and eight per member that verify announcements.
    Work(Work<A>),
    /// The machine can no longer sign, because the random number generator failed.
    Broken(Error),
}

/// A delivered message.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Sender and number of the message.
    pub slot: Slot,
    /// The message.
    pub message: Arc<[u8]>,
    /// Digest of the message.
    pub digest: Digest,
}

/// Reason for refusing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The message is longer than the group permits.
    TooLong {
        /// Maximum length in bytes.
        limit: usize,
    },
    /// Too many messages are waiting.
    Busy,
}

impl Refusal {
    /// Returns a stable error code.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::TooLong { .. } => "TOO_LONG",
            Refusal::Busy => "BUSY",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::TooLong { limit } => {
                write!(f, "message too long: at most {limit} bytes are allowed; split it")
            }
            Refusal::Busy => f.write_str("too many messages are waiting; retry after some are delivered"),
        }
    }
}

/// Timers of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Resend unanswered messages.
    Retry,
    /// Verify one slow signature. Fire it when no message waits.
    Slow,
    /// Check for expired keys.
    Prepare,
}

/// A protocol violation by a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misbehaviour<S> {
    /// The member attested two messages in one slot. Provable to third parties.
    Equivocation(Box<Equivocation<S>>),
    /// The member sent an invalid message. Not provable to third parties.
    Invalid {
        /// The invalid message.
        what: &'static str,
        /// The verification error.
        error: Error,
    },
}

impl<S> Misbehaviour<S> {
    /// Returns a stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Misbehaviour::Equivocation(_) => "EQUIVOCATION",
            Misbehaviour::Invalid { error, .. } => error.code(),
        }
    }
}

/// Summary of a member's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Number of the last own message.
    pub sequence: u64,
    /// Own messages that wait for a slot or a key.
    pub waiting: usize,
    /// Messages that wait for a slow verification.
    pub deferred: usize,
    /// Number of fast and of slow verifications since the start.
    pub verified: (u64, u64),
}

/// Background work.
pub struct Work<A: Authentication>(pub(crate) A::Job);

/// Result of background work.
pub struct Outcome<A: Authentication>(pub(crate) A::Done);

impl<A: Authentication> Work<A> {
    /// Performs the work.
    pub fn run(self) -> Outcome<A> {
        Outcome(A::run(self.0))
    }
}

impl<A: Authentication> fmt::Debug for Work<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}

impl<A: Authentication> fmt::Debug for Outcome<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outcome")
    }
}

impl<A: Authentication> fmt::Debug for Command<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Broadcast(message) => write!(f, "Broadcast({} bytes)", message.len()),
            Command::Done(outcome) => outcome.fmt(f),
        }
    }
}

impl<A: Authentication> fmt::Debug for Output<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Deliver(delivery) => delivery.fmt(f),
            Output::Refused { message, refusal } => {
                write!(f, "Refused({} bytes, {refusal:?})", message.len())
            }
            Output::Work(work) => work.fmt(f),
            Output::Broken(error) => write!(f, "Broken({error:?})"),
        }
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slot { sender, sequence } = self.slot;
        write!(f, "Delivery({sender}, {sequence}, {} bytes)", self.message.len())
    }
}
