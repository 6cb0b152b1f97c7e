use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quorate::Error;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;

use crate::authentication::Authentication;
use crate::statement::{Digest, Equivocation, Slot};

/// What a member is made of.
pub struct Config<A> {
    /// The members and what they weigh. Safety and liveness need the faulty ones to weigh less than a third.
    pub group: Arc<Committee<Ed25519>>,
    /// This member.
    pub me: MemberIndex,
    /// How members know each other's words.
    pub authentication: A,
    /// What all members agree on, and how patient this one is.
    pub parameters: Parameters,
}

/// What all members agree on, and how patient this one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many of a sender's last messages are kept and delivered to members that were away; what is older may be
    /// lost to them. The same at all members, and never changed while records are kept.
    pub tail: u32,
    /// Most bytes of a message; the same at all members.
    pub max_message: usize,
    /// Own messages that may wait for a place in the tail or for a key; more are refused.
    pub max_waiting: usize,
    /// After this long something that is missing is asked for or sent again, then after twice as long, up to 16 times.
    pub retry: Duration,
    /// How often it is looked whether keys have expired.
    pub prepare: Duration,
}

impl Parameters {
    /// How many bytes a member of a group of so many keeps at most, whatever others send it: messages, signatures and
    /// digests, without what maps and queues need around them, and without what waits in links.
    ///
    /// For n members, the tail t, messages of m bytes and signatures of s bytes that is n·t·(m + 2s) of accepted
    /// messages, n²·t·(50 + s) of words on them, n·t·(m + s) that wait to be verified, and own messages without a
    /// number.
    ///
    /// ```
    /// use quorate_broadcast::Parameters;
    /// use quorate_broadcast::authentication::Eddsa;
    ///
    /// let parameters = Parameters { tail: 100, max_message: 1_000, max_waiting: 10, ..Parameters::default() };
    /// let (messages, words, waiting) = (4 * 100 * 1_128, 16 * 100 * 114, 4 * 100 * 1_064);
    /// assert_eq!(parameters.memory::<Eddsa>(4), messages + words + waiting + 10 * 1_000);
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

/// What the driver asks.
pub enum Command<A: Authentication> {
    /// To broadcast a message.
    Broadcast(Arc<[u8]>),
    /// Background work is done.
    Done(Outcome<A>),
}

/// What the machine tells its driver.
pub enum Output<A: Authentication> {
    /// A message is delivered. A slot is delivered once in a member's life; after a restart the tail comes again.
    Deliver(Delivery),
    /// A message will not be broadcast.
    Refused {
        /// Which.
        message: Arc<[u8]>,
        /// Why, and what to do.
        refusal: Refusal,
    },
    /// Do this in the background, and hand in what it brings with [`Command::Done`]. At most one job that makes keys
    /// and eight for each member that check announcements are under way at once.
    Work(Work<A>),
    /// Nothing can be signed any more: the random number generator failed.
    Broken(Error),
}

/// A delivered message.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Whose, and its number.
    pub slot: Slot,
    /// The message.
    pub message: Arc<[u8]>,
    /// Its hash.
    pub digest: Digest,
}

/// Why a message will not be broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is longer than the group allows.
    TooLong {
        /// Most bytes.
        limit: usize,
    },
    /// Too many wait already.
    Busy,
}

impl Refusal {
    /// A short code that never changes its meaning.
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
            Refusal::TooLong { limit } => write!(f, "a message has at most {limit} bytes; split it"),
            Refusal::Busy => {
                f.write_str("too many messages wait; wait until some are delivered, then try again")
            }
        }
    }
}

/// The machine's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Say again what was not answered.
    Retry,
    /// Verify one slow signature. Fire it when no message waits.
    Slow,
    /// Look whether keys have expired.
    Prepare,
}

/// What a member did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misbehaviour<S> {
    /// It vouched for two messages in one slot. Proves itself to everybody.
    Equivocation(Box<Equivocation<S>>),
    /// It sent something that no member that follows the protocol sends. Proves nothing to others.
    Invalid {
        /// What.
        what: &'static str,
        /// What is wrong with it.
        error: Error,
    },
}

impl<S> Misbehaviour<S> {
    /// A short code that never changes its meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Misbehaviour::Equivocation(_) => "EQUIVOCATION",
            Misbehaviour::Invalid { error, .. } => error.code(),
        }
    }
}

/// How a member is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The number of its last own message.
    pub sequence: u64,
    /// Own messages that wait for a place in the tail or for a key.
    pub waiting: usize,
    /// Messages whose signature is slow to verify and that wait for a quiet moment.
    pub deferred: usize,
    /// Signatures that were verified fast, and slowly, since the start.
    pub verified: (u64, u64),
}

/// Background work.
pub struct Work<A: Authentication>(pub(crate) A::Job);

/// What background work brought.
pub struct Outcome<A: Authentication>(pub(crate) A::Done);

impl<A: Authentication> Work<A> {
    /// Does it.
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
