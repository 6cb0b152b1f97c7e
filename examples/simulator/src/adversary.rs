//! Byzantine nodes.
//!
//! A Byzantine node runs the honest machine behind an [`Adversary`]. The adversary sees each input before the machine
//! does and receives each message the machine sends. It may drop, delay, change, replace or repeat a message, send
//! different messages to different members, or send messages of its own, typed or as raw bytes. It cannot impersonate
//! another member, because links are authenticated.
//!
//! A protocol-specific adversary usually holds the node's keys, so that it can sign statements that the machine would
//! not sign:
//!
//! ```
//! # use quorate::machine::{Machine, Outgoing};
//! use quorate_simulator::{Adversary, Control};
//!
//! /// Sends one proposal to even members and another to odd members.
//! struct Equivocator<F> { other: F }
//!
//! impl<M: Machine, F: FnMut(&M::Message) -> Option<M::Message>> Adversary<M> for Equivocator<F> {
//!     fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
//!         match (self.other)(&outgoing.message) {
//!             None => control.pass(outgoing),
//!             Some(other) => for member in control.members() {
//!                 control.send(member, if member % 2 == 0 { &outgoing.message } else { &other });
//!             },
//!         }
//!     }
//! }
//! ```

use core::marker::PhantomData;
use core::time::Duration;
use std::sync::Arc;

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Time};
use quorate::wire::Encode;

use crate::node::Node;
use crate::rng::{Rng, micros};

/// Controls the inputs and messages of a Byzantine node's machine.
pub trait Adversary<M: Machine> {
    /// Called when the node starts or restarts. The adversary keeps its state across crashes.
    fn on_start(&mut self, control: &mut Control<'_, M>) {
        let _ = control;
    }

    /// Called before the machine receives an input. Returns `false` to withhold the input.
    fn on_input(&mut self, input: &Input<M>, control: &mut Control<'_, M>) -> bool {
        let _ = (input, control);
        true
    }

    /// Called in place of sending a message. [`Control::pass`] sends it.
    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        control.pass(outgoing);
    }

    /// Called for a wake-up that the adversary requested.
    fn on_wake(&mut self, token: u64, control: &mut Control<'_, M>) {
        let _ = (token, control);
    }
}

/// The actions available to an adversary.
pub struct Control<'a, M: Machine> {
    pub(crate) now: Time,
    pub(crate) node: Node,
    pub(crate) count: usize,
    pub(crate) rng: &'a mut Rng,
    pub(crate) actions: &'a mut Vec<AdversaryAction>,
    pub(crate) machine: PhantomData<M>,
}

/// An action requested by an adversary.
pub(crate) enum AdversaryAction {
    Send { to: Recipient, bytes: Arc<[u8]>, after: u64 },
    Wake { token: u64, after: u64 },
}

impl<M: Machine> Control<'_, M> {
    /// Returns the simulator's time, not the node's clock.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the adversary's node.
    pub fn node(&self) -> Node {
        self.node
    }

    /// Iterates over the other members.
    pub fn members(&self) -> impl Iterator<Item = MemberIndex> + use<M> {
        let me = self.node.member;
        (0..self.count).map(|member| member as MemberIndex).filter(move |member| *member != me)
    }

    /// Returns this node's random generator.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Sends the machine's message unchanged.
    pub fn pass(&mut self, outgoing: Outgoing<M::Message>) {
        self.actions.push(AdversaryAction::Send {
            to: outgoing.to,
            bytes: outgoing.message.encode().into(),
            after: 0,
        });
    }

    /// Sends a message to one member.
    pub fn send(&mut self, to: MemberIndex, message: &M::Message) {
        self.raw(Recipient::One(to), message.encode(), Duration::ZERO);
    }

    /// Sends a message to all other members.
    pub fn broadcast(&mut self, message: &M::Message) {
        self.raw(Recipient::Others, message.encode(), Duration::ZERO);
    }

    /// Sends arbitrary bytes after a delay.
    pub fn raw(&mut self, to: Recipient, bytes: impl Into<Arc<[u8]>>, after: Duration) {
        self.actions.push(AdversaryAction::Send { to, bytes: bytes.into(), after: micros(after) });
    }

    /// Requests a call of [`Adversary::on_wake`]. A crash cancels it.
    pub fn wake(&mut self, token: u64, after: Duration) {
        self.actions.push(AdversaryAction::Wake { token, after: micros(after) });
    }
}
