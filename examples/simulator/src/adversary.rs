//! Byzantine nodes. A Byzantine node runs the honest machine, and an [`Adversary`] stands between the machine and
//! the world: it sees each input before the machine does and gets each message that the machine wants to send, and
//! may drop, delay, change, replace or repeat it, tell different things to different members, or say things of its
//! own, typed or as raw bytes. It cannot speak under another member's name: links are authenticated.
//!
//! An adversary of a protocol usually holds the node's keys, so that it can sign what the machine never would:
//!
//! ```
//! # use quorate::machine::{Machine, Outgoing};
//! use quorate_simulator::{Adversary, Control};
//!
//! /// Proposes one thing to even members and another to odd ones.
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

use crate::host::Node;
use crate::rng::{Rng, micros};

/// What stands between a Byzantine node's machine and the world.
pub trait Adversary<M: Machine> {
    /// The node began, for the first time or after a crash. (The adversary itself never forgets.)
    fn on_start(&mut self, control: &mut Control<'_, M>) {
        let _ = control;
    }

    /// Before the machine gets an input. Answer `false` to keep it from the machine.
    fn on_input(&mut self, input: &Input<M>, control: &mut Control<'_, M>) -> bool {
        let _ = (input, control);
        true
    }

    /// Instead of sending a message. [`Control::pass`] sends it.
    fn on_send(&mut self, outgoing: Outgoing<M::Message>, control: &mut Control<'_, M>) {
        control.pass(outgoing);
    }

    /// A wake-up that the adversary asked for.
    fn on_wake(&mut self, token: u64, control: &mut Control<'_, M>) {
        let _ = (token, control);
    }
}

/// What an adversary can do.
pub struct Control<'a, M: Machine> {
    pub(crate) now: Time,
    pub(crate) node: Node,
    pub(crate) count: usize,
    pub(crate) rng: &'a mut Rng,
    pub(crate) actions: &'a mut Vec<AdversaryAction>,
    pub(crate) machine: PhantomData<M>,
}

/// Something an adversary does.
pub(crate) enum AdversaryAction {
    Send { to: Recipient, bytes: Arc<[u8]>, after: u64 },
    Wake { token: u64, after: u64 },
}

impl<M: Machine> Control<'_, M> {
    /// The simulator's time (not the node's clock).
    pub fn now(&self) -> Time {
        self.now
    }

    /// The adversary's own node.
    pub fn node(&self) -> Node {
        self.node
    }

    /// The other members.
    pub fn members(&self) -> impl Iterator<Item = MemberIndex> + use<M> {
        let me = self.node.member;
        (0..self.count).map(|member| member as MemberIndex).filter(move |member| *member != me)
    }

    /// Randomness of this node's own.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Sends what the machine wanted to send.
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

    /// Sends a message to all others.
    pub fn broadcast(&mut self, message: &M::Message) {
        self.raw(Recipient::Others, message.encode(), Duration::ZERO);
    }

    /// Sends any bytes, later.
    pub fn raw(&mut self, to: Recipient, bytes: impl Into<Arc<[u8]>>, after: Duration) {
        self.actions.push(AdversaryAction::Send { to, bytes: bytes.into(), after: micros(after) });
    }

    /// Asks for a call of [`Adversary::on_wake`]; a crash before that cancels it.
    pub fn wake(&mut self, token: u64, after: Duration) {
        self.actions.push(AdversaryAction::Wake { token, after: micros(after) });
    }
}
