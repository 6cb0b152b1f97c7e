//! The interface of every protocol state machine: [`Machine::handle`] takes an [`Input`] and returns a [`Step`], which
//! the driver carries out.
//!
//! A machine does no I/O, reads no clock (each call passes the time) and draws no randomness except that which
//! its constructor received. The same type therefore runs behind sockets and a disk, in the deterministic simulator and
//! in a browser, and a run can be replayed from its inputs.
//!
//! The driver must obey these rules:
//!
//! 1. **Persist, then send.** Every record in [`Step::persist`] is durable before any of [`Step::messages`] leaves. A
//!    crash between the two is harmless; in the opposite order a validator can sign twice.
//! 2. The driver carries out each step completely. It may merge steps with [`Step::append`] to save writes.
//! 3. Time never goes backwards. A timer fires once, at or after its time; setting a timer again replaces the earlier
//!    setting.
//! 4. After a crash the driver rebuilds the machine from the records in the order in which they were persisted. The
//!    last records may be missing if their write did not complete; no message that depended on them was sent.
//!
//! A machine that counts the messages it receives, and one round of its driver's loop:
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
//! assert_eq!(step.persist.len(), 1);   // 1. write to disk
//! assert_eq!(step.messages.len(), 1);  // 2. send
//! assert_eq!(step.outputs, [1]);       // 3. act
//! # Ok::<(), quorate::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt::Debug;
use core::time::Duration;

use crate::Result;
use crate::wire::Encode;

/// Index of a member in its committee, which is also its address.
pub type MemberIndex = u16;

/// A point in time on the driver's clock, in microseconds since an epoch of the driver's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// Returns the time `after` later.
    pub fn plus(self, after: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(after.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Returns the duration since `earlier`, or zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// A protocol as a pure state machine.
pub trait Machine: Sized {
    /// Messages exchanged between members.
    type Message: Encode + Clone + Debug;
    /// Requests from the driver to the machine.
    type Command: Debug;
    /// Names of the machine's timers.
    type Timer: Clone + Debug + Ord;
    /// Durable records: the state that must survive a crash.
    type Record: Encode + Clone + Debug;
    /// Results that the machine reports to its driver.
    type Output: Debug;
    /// Evidence of a protocol violation.
    type Fault: Debug;

    /// Decodes a message from the member `from`, using the context that the machine has (its committee).
    ///
    /// The bytes come from outside: decoding is bounded, consumes them exactly and never panics.
    ///
    /// # Errors
    /// An error that describes the invalid bytes. The driver drops them and counts the error against `from`.
    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Self::Message>;

    /// Handles one input at time `now`.
    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self>;
}

/// An event that a machine handles.
#[derive(Debug)]
pub enum Input<M: Machine> {
    /// The machine starts, for the first time or after a restart. Always the first input.
    Start,
    /// A message arrived over a link that authenticates its sender.
    Message {
        /// The sender.
        from: MemberIndex,
        /// The message.
        message: M::Message,
    },
    /// A timer of the machine fired.
    Timer(M::Timer),
    /// A request from the driver.
    Command(M::Command),
}

/// Recipient of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// One member. A machine never sends a message to itself.
    One(MemberIndex),
    /// All members except the sender.
    Others,
}

/// An outgoing message.
#[derive(Clone, Debug)]
pub struct Outgoing<T> {
    /// Recipient.
    pub to: Recipient,
    /// Payload.
    pub message: T,
}

/// A change to a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerChange<T> {
    /// Fire the timer once; replaces an earlier setting of the same timer.
    Set {
        /// The timer.
        timer: T,
        /// Delay from now.
        after: Duration,
    },
    /// Cancel the timer.
    Cancel {
        /// The timer.
        timer: T,
    },
}

/// A protocol violation by a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<E> {
    /// The member at fault.
    pub culprit: MemberIndex,
    /// Evidence of the violation.
    pub evidence: E,
}

/// Effects of one input, in the order in which the driver must carry them out.
#[must_use = "a step that is not carried out breaks the protocol"]
pub struct Step<M: Machine> {
    /// Records to make durable first, in order.
    pub persist: Vec<M::Record>,
    /// Messages to send once the records are durable.
    pub messages: Vec<Outgoing<M::Message>>,
    /// Timers to set or cancel.
    pub timers: Vec<TimerChange<M::Timer>>,
    /// Results for the driver.
    pub outputs: Vec<M::Output>,
    /// Violations to record against their culprits.
    pub faults: Vec<Fault<M::Fault>>,
}

impl<M: Machine> Step<M> {
    /// Creates a step without effects.
    pub fn new() -> Self {
        Self {
            persist: Vec::new(),
            messages: Vec::new(),
            timers: Vec::new(),
            outputs: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Returns true if the step has no effects.
    pub fn is_empty(&self) -> bool {
        self.persist.is_empty()
            && self.messages.is_empty()
            && self.timers.is_empty()
            && self.outputs.is_empty()
            && self.faults.is_empty()
    }

    /// Appends the effects of `later` to those of this step.
    pub fn append(&mut self, mut later: Self) {
        self.persist.append(&mut later.persist);
        self.messages.append(&mut later.messages);
        self.timers.append(&mut later.timers);
        self.outputs.append(&mut later.outputs);
        self.faults.append(&mut later.faults);
    }

    /// Adds a record to make durable.
    pub fn persist(&mut self, record: M::Record) {
        self.persist.push(record);
    }

    /// Adds a message to one member.
    pub fn send(&mut self, to: MemberIndex, message: M::Message) {
        self.messages.push(Outgoing { to: Recipient::One(to), message });
    }

    /// Adds a message to all other members.
    pub fn broadcast(&mut self, message: M::Message) {
        self.messages.push(Outgoing { to: Recipient::Others, message });
    }

    /// Sets a timer.
    pub fn set_timer(&mut self, timer: M::Timer, after: Duration) {
        self.timers.push(TimerChange::Set { timer, after });
    }

    /// Cancels a timer.
    pub fn cancel_timer(&mut self, timer: M::Timer) {
        self.timers.push(TimerChange::Cancel { timer });
    }

    /// Adds a result for the driver.
    pub fn output(&mut self, output: M::Output) {
        self.outputs.push(output);
    }

    /// Reports a violation by `culprit`.
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
