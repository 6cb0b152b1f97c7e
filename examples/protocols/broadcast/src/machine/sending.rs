use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::Error;
use quorate::machine::{Machine, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::{Output, Refusal};
use crate::message::{Message, Record, SignedMessage};
use crate::statement::{Attestation, Digest, Slot, attestation_bytes, digest};
use crate::window::Accepted;

impl<A: Authentication> Broadcaster<A> {
    /// Takes in an own message.
    pub(super) fn broadcast(&mut self, message: Arc<[u8]>, step: &mut Step<Self>) {
        let limit = self.parameters.max_message;
        let refusal = if message.len() > limit {
            Refusal::TooLong { limit }
        } else if self.waiting.len() >= self.parameters.max_waiting {
            Refusal::Busy
        } else {
            return self.waiting.push_back(message);
        };
        step.output(Output::Refused { message, refusal });
    }

    /// Gives own messages their numbers, as long as there is room and a key for each. Called after every input: any
    /// may have made room.
    pub(super) fn send_waiting(&mut self, now: Time, step: &mut Step<Self>) {
        while let Some(message) = self.waiting.front().cloned() {
            let Some(slot) = self.next_slot() else { return };
            let hash = digest(&message);
            let Some(signature) = self.sign(now, slot, &hash, step) else { return };
            self.waiting.pop_front();
            let send = SignedMessage { sequence: slot.sequence, message, signature };
            self.accept(now, slot, hash, &send, step);
            step.broadcast(Message::Send(send));
            self.deliver(slot, step);
        }
    }

    /// Vouches for a message: from now on for no other one in this slot, whatever happens.
    pub(super) fn accept(
        &mut self,
        now: Time,
        slot: Slot,
        digest: Digest,
        send: &SignedMessage<A::Signature>,
        step: &mut Step<Self>,
    ) {
        step.persist(Record { sender: slot.sender, send: send.clone() });
        let accepted = Accepted {
            message: send.message.clone(),
            digest,
            signature: send.signature.clone(),
            echo: None,
            delivered: false,
            due: now.plus(self.parameters.retry),
            attempts: 0,
            answered: BTreeMap::new(),
        };
        if let Some(window) = self.window_mut(slot) {
            window.accept(slot.sequence, accepted);
        }
    }

    /// This member's echo on a message of somebody else that it accepted. Nothing if no key is ready.
    pub(super) fn echo(
        &mut self,
        now: Time,
        slot: Slot,
        step: &mut Step<Self>,
    ) -> Option<<Self as Machine>::Message> {
        let accepted = self.window(slot)?.accepted(slot.sequence)?;
        let digest = accepted.digest;
        let signature = match accepted.echo.clone() {
            Some(signature) => signature,
            None => {
                let signature = self.sign(now, slot, &digest, step)?;
                self.window_mut(slot)?.accepted_mut(slot.sequence)?.echo = Some(signature.clone());
                signature
            }
        };
        Some(Message::Echo(Attestation { slot, digest, signature }))
    }

    /// This member's own message again.
    pub(super) fn send_again(&self, slot: Slot) -> Option<<Self as Machine>::Message> {
        let accepted = self.window(slot)?.accepted(slot.sequence)?;
        let (message, signature) = (accepted.message.clone(), accepted.signature.clone());
        Some(Message::Send(SignedMessage { sequence: slot.sequence, message, signature }))
    }

    /// Delivers a message if enough members vouch for it.
    pub(super) fn deliver(&mut self, slot: Slot, step: &mut Step<Self>) {
        let (me, Some(window)) = (self.me, self.window(slot)) else { return };
        let Some(accepted) = window.accepted(slot.sequence).filter(|accepted| !accepted.delivered) else {
            return;
        };
        let agree = |digest: &Digest| *digest == accepted.digest;
        let others =
            window.attestations(slot.sequence).filter(|(_, digest)| agree(digest)).map(|(member, _)| member);
        // The sender's word came with its message, and this member's own word is durable before anything leaves.
        let own = [slot.sender].into_iter().chain((me != slot.sender).then_some(me));
        let weight: u128 = own.chain(others).filter_map(|member| self.group.weight(member)).sum();
        if weight < self.group.quorum_weight() {
            return;
        }
        let delivery = crate::Delivery { slot, message: accepted.message.clone(), digest: accepted.digest };
        if let Some(accepted) = self.window_mut(slot).and_then(|w| w.accepted_mut(slot.sequence)) {
            accepted.delivered = true;
        }
        step.output(Output::Deliver(delivery));
    }

    /// Signs this member's word. Nothing if no key is ready.
    fn sign(
        &mut self,
        now: Time,
        slot: Slot,
        digest: &Digest,
        step: &mut Step<Self>,
    ) -> Option<A::Signature> {
        let bytes = attestation_bytes(&self.group.id(), self.me, slot, digest);
        match self.authentication.sign(&bytes, now) {
            Ok(signature) => Some(signature),
            Err(Error::Exhausted) => None,
            Err(error) => {
                self.fail(error, step);
                None
            }
        }
    }

    /// The number of the next own message: not before the one that leaves the tail for it was delivered here, so
    /// that no message of a member that goes on is lost altogether.
    fn next_slot(&self) -> Option<Slot> {
        let window = self.own()?;
        let sequence = window.highest().checked_add(1)?;
        let leaving = sequence.saturating_sub(u64::from(self.parameters.tail.max(1)));
        let free = window.accepted(leaving).is_none_or(|accepted| accepted.delivered);
        free.then_some(Slot { sender: self.me, sequence })
    }
}
