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
    /// Accepts an own message for broadcast.
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

    /// Assigns numbers to own messages, as long as there is room in the tail and a key for each. Called after every
    /// input, since any input may create room.
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

    /// Attests a message: no other message will ever be attested in this slot.
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

    /// Returns this member's echo of another member's accepted message; `None` if no key is ready.
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

    /// Returns this member's own message for repetition.
    pub(super) fn send_again(&self, slot: Slot) -> Option<<Self as Machine>::Message> {
        let accepted = self.window(slot)?.accepted(slot.sequence)?;
        let (message, signature) = (accepted.message.clone(), accepted.signature.clone());
        Some(Message::Send(SignedMessage { sequence: slot.sequence, message, signature }))
    }

    /// Delivers a message if a quorum attests it.
    pub(super) fn deliver(&mut self, slot: Slot, step: &mut Step<Self>) {
        let (me, Some(window)) = (self.me, self.window(slot)) else { return };
        let Some(accepted) = window.accepted(slot.sequence).filter(|accepted| !accepted.delivered) else {
            return;
        };
        let agree = |digest: &Digest| *digest == accepted.digest;
        let others =
            window.attestations(slot.sequence).filter(|(_, digest)| agree(digest)).map(|(member, _)| member);
        // The sender's attestation came with its message, and this member's own attestation is durable before
        // anything leaves.
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

    /// Signs an attestation; `None` if no key is ready.
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

    /// Returns the slot of the next own message. It is not available before the message that leaves the tail for it
    /// was delivered here, so that no message of a running member is lost completely.
    fn next_slot(&self) -> Option<Slot> {
        let window = self.own()?;
        let sequence = window.highest().checked_add(1)?;
        let leaving = sequence.saturating_sub(u64::from(self.parameters.tail.max(1)));
        let free = window.accepted(leaving).is_none_or(|accepted| accepted.delivered);
        free.then_some(Slot { sender: self.me, sequence })
    }
}
