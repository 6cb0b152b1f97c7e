//! The state machine: [`Broadcaster`].
//!
//! | file | responsibility |
//! |---|---|
//! | `sending` | own messages, echoes, delivery |
//! | `receiving` | received messages |
//! | `retrying` | repetitions and requests |
//! | `background` | keys, announcements, slow signatures |

mod background;
mod receiving;
mod retrying;
mod sending;
#[cfg(test)]
#[cfg(feature = "simulate")]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;
use quorate::{Error, Result};

use crate::authentication::Authentication;
use crate::deferred::Deferred;
use crate::interface::{Command, Config, Misbehaviour, Output, Parameters, Status, Timer};
use crate::message::{Limits, Message, Record};
use crate::statement::{Slot, digest};
use crate::window::{Accepted, Window};

/// A member of a group, as a pure state machine.
pub struct Broadcaster<A: Authentication> {
    group: Arc<Committee<Ed25519>>,
    me: MemberIndex,
    parameters: Parameters,
    authentication: A,
    /// Windows by sender.
    windows: Vec<Window<A::Signature>>,
    /// Own messages without a number.
    waiting: VecDeque<Arc<[u8]>>,
    /// Slots of accepted messages whose echo waits for a key.
    owed: BTreeSet<Slot>,
    deferred: Deferred<Message<A::Signature>>,
    peer_states: Vec<PeerState>,
    /// Sender with which the next retry round begins.
    first_retried: MemberIndex,
    verified: (u64, u64),
    failed: bool,
}

/// State about another member.
#[derive(Clone, Copy, Debug, Default)]
struct PeerState {
    /// True if there is evidence against the member; further evidence is not needed.
    accused: bool,
    /// Number of its announcements under verification.
    checking: u8,
    /// Earliest time at which its next `Hello` is answered.
    next_answer: Time,
}

impl<A: Authentication> Broadcaster<A> {
    /// Creates a member, restored from its records in the order of their persistence. Of records with one
    /// [`place`](Record::place) the last suffices.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] if the group has no member `me`; [`Error::Contradiction`] if two records of one slot
    /// differ, in which case they do not belong to one member and it must not run.
    pub fn new(config: Config<A>, records: impl IntoIterator<Item = Record<A::Signature>>) -> Result<Self> {
        let Config { group, me, authentication, parameters } = config;
        let members = group.len();
        if me >= members {
            return Err(Error::UnknownSigner { index: me.into() });
        }
        let tail = u64::from(parameters.tail.max(1));
        let mut machine = Self {
            windows: (0..members).map(|_| Window::new(members, tail)).collect(),
            waiting: VecDeque::new(),
            owed: BTreeSet::new(),
            deferred: Deferred::new(members, tail as usize),
            peer_states: vec![PeerState::default(); usize::from(members)],
            first_retried: 0,
            verified: (0, 0),
            failed: false,
            group,
            me,
            parameters,
            authentication,
        };
        records.into_iter().try_for_each(|record| machine.restore(record))?;
        Ok(machine)
    }

    /// Returns a summary of the state.
    pub fn status(&self) -> Status {
        Status {
            sequence: self.own().map_or(0, Window::highest),
            waiting: self.waiting.len(),
            deferred: self.deferred.len(),
            verified: self.verified,
        }
    }

    /// Returns the limits for decoders.
    pub fn limits(&self) -> Limits {
        limits::<A>(&self.group, &self.parameters)
    }

    fn restore(&mut self, record: Record<A::Signature>) -> Result<()> {
        let Record { sender, send } = record;
        let window =
            self.windows.get_mut(usize::from(sender)).ok_or(Error::UnknownSigner { index: sender.into() })?;
        let accepted = Accepted {
            digest: digest(&send.message),
            message: send.message,
            signature: send.signature,
            echo: None,
            delivered: false,
            due: Time(0),
            attempts: 0,
            answered: BTreeMap::new(),
        };
        match window.accepted(send.sequence) {
            Some(before) if before.digest != accepted.digest => {
                Err(Error::Contradiction { kind: 0, signed_view: send.sequence })
            }
            // A store may return records in any order; those below the window are not needed.
            _ if window.is_stale(send.sequence) => Ok(()),
            _ => {
                window.accept(send.sequence, accepted);
                Ok(())
            }
        }
    }

    fn start(&mut self, step: &mut Step<Self>) {
        step.broadcast(Message::Hello);
        step.set_timer(Timer::Retry, self.parameters.retry);
        step.set_timer(Timer::Prepare, self.parameters.prepare);
    }

    fn own(&self) -> Option<&Window<A::Signature>> {
        self.windows.get(usize::from(self.me))
    }

    fn window(&self, slot: Slot) -> Option<&Window<A::Signature>> {
        self.windows.get(usize::from(slot.sender))
    }

    fn window_mut(&mut self, slot: Slot) -> Option<&mut Window<A::Signature>> {
        self.windows.get_mut(usize::from(slot.sender))
    }

    fn peer_mut(&mut self, member: MemberIndex) -> Option<&mut PeerState> {
        self.peer_states.get_mut(usize::from(member))
    }

    /// Iterates over the other members.
    fn peers(&self) -> impl Iterator<Item = MemberIndex> + use<A> {
        let me = self.me;
        (0..self.group.len()).filter(move |member| *member != me)
    }

    /// Reports an internal failure, once.
    fn fail(&mut self, error: Error, step: &mut Step<Self>) {
        if !self.failed {
            self.failed = true;
            step.output(Output::Broken(error));
        }
    }
}

/// Returns the limits for decoders of a group.
pub fn limits<A: Authentication>(group: &Committee<Ed25519>, parameters: &Parameters) -> Limits {
    Limits { members: group.len(), message: parameters.max_message, announcement: A::ANNOUNCEMENT }
}

impl<A: Authentication> Machine for Broadcaster<A> {
    type Message = Message<A::Signature>;
    type Command = Command<A>;
    type Timer = Timer;
    type Record = Record<A::Signature>;
    type Output = Output<A>;
    type Fault = Misbehaviour<A::Signature>;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> Result<Self::Message> {
        match Message::decode(bytes, &self.limits())? {
            // A sender's attestation of its own message comes with the message.
            Message::Echo(attestation) if attestation.slot.sender == from => {
                Err(Error::Malformed { what: "echo of the sender's own message" })
            }
            message => Ok(message),
        }
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => self.start(&mut step),
            Input::Message { from, message } => self.on_message(now, from, message, &mut step),
            Input::Timer(Timer::Retry) => self.retry(now, &mut step),
            Input::Timer(Timer::Slow) => self.verify_one_deferred(now, &mut step),
            Input::Timer(Timer::Prepare) => step.set_timer(Timer::Prepare, self.parameters.prepare),
            Input::Command(Command::Broadcast(message)) => self.broadcast(message, &mut step),
            Input::Command(Command::Done(outcome)) => self.on_work_done(now, outcome, &mut step),
        }
        self.send_waiting(now, &mut step);
        self.plan(now, &mut step);
        step
    }
}
