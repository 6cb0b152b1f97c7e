//! The one shape of every state machine: an input goes in, a [`Step`] comes out, and whoever drives the machine
//! carries the step out.
//!
//! A machine does no I/O, reads no clock (time comes in with each call) and draws no randomness that was not
//! handed to it when it was made. So the same type runs behind sockets and a disk, in the deterministic simulator,
//! and in a browser, and a run can be replayed from its inputs.
//!
//! The driver's part of the contract:
//!
//! 1. **Persist, then send.** Every record of [`Step::persist`] is durable before any of [`Step::messages`]
//!    leaves. A crash between the two is harmless; the opposite order is how a validator signs twice.
//! 2. A step is carried out whole. Steps may be merged with [`Step::append`] to make one write of many.
//! 3. Time never goes backwards. A timer fires once, at or after its time; setting one that is already set
//!    replaces it.
//! 4. After a crash the machine is made again from the records, in the order in which they were persisted; the
//!    last few may be missing if their write was not completed, and then nothing that depended on them was sent.
//!
//! A machine that counts what it hears, and its driver's loop:
//!
//! ```
//! use quorate::Result;
//! use quorate::committee::ChainId;
//! use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
//! use quorate::wire::Decode;
//!
//! struct Counter(u64);
//!
//! impl Machine for Counter {
//!     type Message = ChainId;
//!     type Command = ();
//!     type Timer = ();
//!     type Record = ChainId;
//!     type Output = u64;
//!     type Fault = ();
//!
//!     fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Self::Message> {
//!         Decode::decode(bytes, &())
//!     }
//!
//!     fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
//!         let mut step = Step::new();
//!         if let Input::Message { message, .. } = input {
//!             self.0 += 1;
//!             step.persist(message);
//!             step.broadcast(message);
//!             step.output(self.0);
//!         }
//!         step
//!     }
//! }
//!
//! let mut machine = Counter(0);
//! let message = machine.decode(2, &[7; 32])?;
//! let step = machine.handle(Time(1_000), Input::Message { from: 2, message });
//! assert_eq!(step.persist.len(), 1);   // 1. make durable
//! assert_eq!(step.messages.len(), 1);  // 2. send
//! assert_eq!(step.outputs, [1]);       // 3. act
//! # Ok::<(), quorate::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt::Debug;
use core::time::Duration;

use crate::Result;
use crate::wire::Encode;

/// A member's place in the committee, which is also its address.
pub type MemberIndex = u16;

/// The driver's clock: microseconds since a moment of the driver's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The moment `after` later.
    pub fn plus(self, after: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(after.as_micros()).unwrap_or(u64::MAX)))
    }

    /// How long `earlier` was before this moment; zero if it was not.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// A protocol as a pure state machine.
pub trait Machine: Sized {
    /// What machines say to each other.
    type Message: Encode + Clone + Debug;
    /// What the driver asks of the machine.
    type Command: Debug;
    /// Names of the machine's timers.
    type Timer: Clone + Debug + Ord;
    /// What must survive a crash.
    type Record: Encode + Clone + Debug;
    /// What the machine tells its driver.
    type Output: Debug;
    /// What a fault is evidence of.
    type Fault: Debug;

    /// Reads a message that `from` sent, with whatever the machine must know to read it (its committee).
    /// Called on bytes from outside: bounded, exact, never panics.
    ///
    /// # Errors
    /// What is wrong with the bytes. The driver counts it against `from` and drops them.
    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Self::Message>;

    /// Takes one input at time `now`.
    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self>;
}

/// What happens to a machine.
#[derive(Debug)]
pub enum Input<M: Machine> {
    /// The machine begins, for the first time or after a restart. Always the first input.
    Start,
    /// A message arrived over a link that authenticates `from`.
    Message {
        /// Who sent it.
        from: MemberIndex,
        /// What was sent.
        message: M::Message,
    },
    /// A timer that the machine set has fired.
    Timer(M::Timer),
    /// The driver asks for something.
    Command(M::Command),
}

/// To whom a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// One member. A machine never sends to itself.
    One(MemberIndex),
    /// Every member but the sender.
    Others,
}

/// A message that is to leave.
#[derive(Clone, Debug)]
pub struct Outgoing<T> {
    /// To whom.
    pub to: Recipient,
    /// What.
    pub message: T,
}

/// A change to a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerChange<T> {
    /// Fire `timer` once, `after` from now; replaces an earlier setting of the same timer.
    Set {
        /// Which timer.
        timer: T,
        /// How long from now.
        after: Duration,
    },
    /// Do not fire it any more.
    Cancel {
        /// Which timer.
        timer: T,
    },
}

/// Somebody broke the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<E> {
    /// Who.
    pub culprit: MemberIndex,
    /// What the culprit did, with the evidence.
    pub evidence: E,
}

/// Everything that follows from one input, in the order in which it must be carried out.
#[must_use = "a step that is not carried out breaks the protocol"]
pub struct Step<M: Machine> {
    /// Make these durable first, in order.
    pub persist: Vec<M::Record>,
    /// Then send these.
    pub messages: Vec<Outgoing<M::Message>>,
    /// Change these timers.
    pub timers: Vec<TimerChange<M::Timer>>,
    /// Act on these.
    pub outputs: Vec<M::Output>,
    /// Record these against their culprits.
    pub faults: Vec<Fault<M::Fault>>,
}

impl<M: Machine> Step<M> {
    /// A step that asks for nothing.
    pub fn new() -> Self {
        Self {
            persist: Vec::new(),
            messages: Vec::new(),
            timers: Vec::new(),
            outputs: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.persist.is_empty()
            && self.messages.is_empty()
            && self.timers.is_empty()
            && self.outputs.is_empty()
            && self.faults.is_empty()
    }

    /// Adds what `later` asks for behind what this step asks for.
    pub fn append(&mut self, mut later: Self) {
        self.persist.append(&mut later.persist);
        self.messages.append(&mut later.messages);
        self.timers.append(&mut later.timers);
        self.outputs.append(&mut later.outputs);
        self.faults.append(&mut later.faults);
    }

    /// Asks to make a record durable.
    pub fn persist(&mut self, record: M::Record) {
        self.persist.push(record);
    }

    /// Asks to send to one member.
    pub fn send(&mut self, to: MemberIndex, message: M::Message) {
        self.messages.push(Outgoing { to: Recipient::One(to), message });
    }

    /// Asks to send to all others.
    pub fn broadcast(&mut self, message: M::Message) {
        self.messages.push(Outgoing { to: Recipient::Others, message });
    }

    /// Asks for a timer.
    pub fn set_timer(&mut self, timer: M::Timer, after: Duration) {
        self.timers.push(TimerChange::Set { timer, after });
    }

    /// Asks for a timer no more.
    pub fn cancel_timer(&mut self, timer: M::Timer) {
        self.timers.push(TimerChange::Cancel { timer });
    }

    /// Tells the driver something.
    pub fn output(&mut self, output: M::Output) {
        self.outputs.push(output);
    }

    /// Reports a fault.
    pub fn fault(&mut self, culprit: MemberIndex, evidence: M::Fault) {
        self.faults.push(Fault { culprit, evidence });
    }
}

impl<M: Machine> Default for Step<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Machine> Debug for Step<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Step")
            .field("persist", &self.persist)
            .field("messages", &self.messages)
            .field("timers", &self.timers)
            .field("outputs", &self.outputs)
            .field("faults", &self.faults)
            .finish()
    }
}
