//! How one machine runs another inside itself.

use std::fmt::Debug;

use quorate::machine::{Fault, Machine, Outgoing, Step};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::violation::Violation;

/// The type of a value that does not exist: these machines have no timers and keep no records.
///
/// They need no clock, because the network is asynchronous. They keep no records: [`chain`](crate::chain) records what
/// they handled. Without it, a member that restarts takes no further part in the instances that ran when it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Never {}

impl Encode for Never {
    fn encode_to(&self, _: &mut Writer) {
        match *self {}
    }
}

/// No bytes are an encoding.
impl Decode for Never {
    fn decode_from(_: &mut Reader<'_>, _: &()) -> Result<Self> {
        Err(Error::Malformed { what: "value that this scheme does not have" })
    }
}

/// Moves the messages and faults of an inner machine's step to the step of the machine that contains it, and returns
/// the inner outputs.
pub(crate) fn absorb<I, O>(
    inner: Step<I>,
    step: &mut Step<O>,
    wrap: impl Fn(I::Message) -> O::Message,
) -> Vec<I::Output>
where
    I: Machine<Fault = Violation, Timer = Never, Record = Never>,
    O: Machine<Fault = Violation>,
    O::Message: Debug,
{
    step.messages.extend(
        inner
            .messages
            .into_iter()
            .map(|outgoing| Outgoing { to: outgoing.to, message: wrap(outgoing.message) }),
    );
    step.faults.extend(
        inner.faults.into_iter().map(|fault| Fault { culprit: fault.culprit, evidence: fault.evidence }),
    );
    inner.outputs
}
