//! The effects of one input, as they accumulate.

use core::ops::{Deref, DerefMut};

use quorate::machine::{MemberIndex, Step};

use super::state::Replica;
use crate::block::GosigScheme;
use crate::message::{Envelope, Message};

/// The step under construction, to which it derefs. Messages are of the replica's epoch unless they answer a request.
pub(super) struct Effects<S: GosigScheme> {
    pub(super) epoch: u64,
    pub(super) step: Step<Replica<S>>,
}

impl<S: GosigScheme> Effects<S> {
    pub(super) fn new(epoch: u64) -> Self {
        Self { epoch, step: Step::new() }
    }

    /// Sends a message of this epoch to one member.
    pub(super) fn send(&mut self, to: MemberIndex, message: Message<S>) {
        self.step.send(to, message.in_epoch(self.epoch));
    }

    /// Sends a message of this epoch to all other members.
    pub(super) fn broadcast(&mut self, message: Message<S>) {
        self.step.broadcast(message.in_epoch(self.epoch));
    }

    /// Sends an answer, which is of the epoch of the request or of the block.
    pub(super) fn answer(&mut self, to: MemberIndex, answer: Envelope<S>) {
        self.step.send(to, answer);
    }
}

impl<S: GosigScheme> Deref for Effects<S> {
    type Target = Step<Replica<S>>;

    fn deref(&self) -> &Self::Target {
        &self.step
    }
}

impl<S: GosigScheme> DerefMut for Effects<S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.step
    }
}
