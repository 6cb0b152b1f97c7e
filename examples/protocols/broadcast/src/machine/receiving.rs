use quorate::Error;
use quorate::machine::{Machine, MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::{Misbehaviour, Timer};
use crate::message::{Message, SignedMessage};
use crate::statement::{Attestation, Digest, Equivocation, Slot, attestation_bytes, digest};

/// Treatment of a message before any signature is verified.
enum Triage {
    /// The message changes nothing.
    Ignore,
    /// The message may change the state: verify it, at once if that is fast.
    Verify,
    /// The message may be evidence, which is never urgent.
    Defer,
}

/// State of a slot, compared with a received digest.
enum SlotState {
    /// The sender is unknown or the slot has left the window.
    Stale,
    /// No message is accepted.
    Empty,
    /// A message with the received digest is accepted.
    Same { delivered: bool },
    /// A message with another digest is accepted.
    Different,
}

impl<A: Authentication> Broadcaster<A> {
    /// Handles a message. One that is slow to verify is deferred.
    pub(super) fn on_message(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: <Self as Machine>::Message,
        step: &mut Step<Self>,
    ) {
        let (triage, signature) = match &message {
            Message::Send(send) => {
                let slot = Slot { sender: from, sequence: send.sequence };
                let state = self.slot_state(slot, || digest(&send.message));
                (self.triage(now, from, slot, state, &message, step), &send.signature)
            }
            Message::Echo(attestation) | Message::Witness(attestation) => {
                let state = self.slot_state(attestation.slot, || attestation.digest);
                (self.triage(now, from, attestation.slot, state, &message, step), &attestation.signature)
            }
            // A sender has its own attestation.
            Message::Ask(slot) if slot.sender == from => return,
            Message::Ask(slot) => return self.answer(now, from, *slot, step),
            Message::Announcement(bytes) => return self.on_announcement(now, from, bytes.clone(), step),
            Message::Hello => return self.on_hello(now, from, step),
        };
        match triage {
            Triage::Ignore => {}
            Triage::Verify if self.authentication.can_verify_fast(from, signature) => {
                self.verified.0 += 1;
                self.verify_message(now, from, message, step);
            }
            Triage::Verify | Triage::Defer => {
                if self.deferred.push(from, message) {
                    step.set_timer(Timer::Slow, std::time::Duration::ZERO);
                }
            }
        }
    }

    /// Verifies a message and applies it.
    pub(super) fn verify_message(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: <Self as Machine>::Message,
        step: &mut Step<Self>,
    ) {
        match message {
            Message::Send(send) => self.verify_send(now, from, send, step),
            Message::Echo(attestation) => self.verify_echo(from, attestation, step),
            Message::Witness(attestation) => self.verify_witness(from, attestation, step),
            Message::Ask(_) | Message::Announcement(_) | Message::Hello => {}
        }
    }

    /// Compares a slot with a received digest, which is computed only if a message is accepted.
    fn slot_state(&self, slot: Slot, digest: impl FnOnce() -> Digest) -> SlotState {
        let Some(window) = self.window(slot).filter(|window| !window.is_stale(slot.sequence)) else {
            return SlotState::Stale;
        };
        match window.accepted(slot.sequence) {
            None => SlotState::Empty,
            Some(accepted) if accepted.digest == digest() => {
                SlotState::Same { delivered: accepted.delivered }
            }
            Some(_) => SlotState::Different,
        }
    }

    /// Decides about a message by the state of its slot (spec/broadcast.md, "Answers").
    fn triage(
        &mut self,
        now: Time,
        from: MemberIndex,
        slot: Slot,
        state: SlotState,
        message: &<Self as Machine>::Message,
        step: &mut Step<Self>,
    ) -> Triage {
        match (state, message) {
            (SlotState::Stale, _) => Triage::Ignore,
            (SlotState::Empty, Message::Send(_)) => Triage::Verify,
            (SlotState::Same { .. }, Message::Send(_)) => {
                // The sender has not received the echo.
                self.answer(now, from, slot, step);
                Triage::Ignore
            }
            (SlotState::Different, Message::Send(_)) => self.triage_accusation(from),
            (state, Message::Echo(attestation)) => self.triage_echo(from, attestation, state),
            (SlotState::Different, Message::Witness(_)) => self.triage_accusation(slot.sender),
            (_, _) => Triage::Ignore,
        }
    }

    fn triage_echo(
        &mut self,
        from: MemberIndex,
        attestation: &Attestation<A::Signature>,
        state: SlotState,
    ) -> Triage {
        let Attestation { slot, digest, .. } = attestation;
        let Some(window) = self.window(*slot).filter(|window| window.has_room(from, slot.sequence)) else {
            return Triage::Ignore;
        };
        match (state, window.attestation(from, slot.sequence)) {
            (_, Some((before, _))) if before == digest => Triage::Ignore,
            (_, Some(_)) => self.triage_accusation(from),
            // A quorum is reached. Only the sender continues to count, to know which members need repetitions.
            (SlotState::Same { delivered: true }, None) if slot.sender != self.me => Triage::Ignore,
            (_, None) => Triage::Verify,
        }
    }

    /// Decides about possible evidence against a member.
    fn triage_accusation(&mut self, member: MemberIndex) -> Triage {
        let known = self.peer_mut(member).is_none_or(|peer| peer.accused);
        if known || !A::TRANSFERABLE { Triage::Ignore } else { Triage::Defer }
    }

    fn verify_send(
        &mut self,
        now: Time,
        from: MemberIndex,
        send: SignedMessage<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let slot = Slot { sender: from, sequence: send.sequence };
        let digest = digest(&send.message);
        let Some(window) = self.window(slot).filter(|window| !window.is_stale(slot.sequence)) else { return };
        if let Some(accepted) = window.accepted(slot.sequence) {
            // Another copy may have been accepted meanwhile.
            if accepted.digest != digest {
                let before = (accepted.digest, accepted.signature.clone());
                self.accuse(from, from, slot, before, (digest, send.signature), step);
            }
            return;
        }
        let bytes = attestation_bytes(&self.group.id(), from, slot, &digest);
        if let Err(error) = self.authentication.verify(from, &bytes, &send.signature) {
            return step.fault(from, Misbehaviour::Invalid { what: "send", error });
        }
        self.accept(now, slot, digest, &send, step);
        match self.echo(now, slot, step) {
            Some(echo) => step.broadcast(echo),
            None => self.defer_echo(slot),
        }
        let contradicting: Vec<MemberIndex> = self
            .window(slot)
            .into_iter()
            .flat_map(|window| window.attestations(slot.sequence))
            .filter(|(_, said)| **said != digest)
            .map(|(member, _)| member)
            .collect();
        contradicting.into_iter().for_each(|member| self.send_witness(member, slot, step));
        self.deliver(slot, step);
    }

    fn verify_echo(
        &mut self,
        from: MemberIndex,
        attestation: Attestation<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let Attestation { slot, digest, signature } = attestation;
        let Some(window) = self.window(slot).filter(|window| !window.is_stale(slot.sequence)) else { return };
        if let Some((said, before)) = window.attestation(from, slot.sequence) {
            if *said != digest {
                let before = (*said, before.clone());
                self.accuse(from, from, slot, before, (digest, signature), step);
            }
            return;
        }
        let bytes = attestation_bytes(&self.group.id(), from, slot, &digest);
        if let Err(error) = self.authentication.verify(from, &bytes, &signature) {
            return step.fault(from, Misbehaviour::Invalid { what: "echo", error });
        }
        let Some(window) = self.window_mut(slot) else { return };
        window.note(from, slot.sequence, digest, signature);
        if window.accepted(slot.sequence).is_some_and(|accepted| accepted.digest != digest) {
            self.send_witness(from, slot, step);
        }
        self.deliver(slot, step);
    }

    fn verify_witness(
        &mut self,
        from: MemberIndex,
        attestation: Attestation<A::Signature>,
        step: &mut Step<Self>,
    ) {
        let Attestation { slot, digest, signature } = attestation;
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        let Some(accepted) = accepted.filter(|accepted| accepted.digest != digest) else { return };
        let before = (accepted.digest, accepted.signature.clone());
        self.accuse(from, slot.sender, slot, before, (digest, signature), step);
    }

    /// Sends the sender's attestation to a member that attested another message. It completes that member's evidence.
    fn send_witness(&mut self, to: MemberIndex, slot: Slot, step: &mut Step<Self>) {
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        if let (true, Some(accepted)) = (A::TRANSFERABLE, accepted) {
            let (digest, signature) = (accepted.digest, accepted.signature.clone());
            step.send(to, Message::Witness(Attestation { slot, digest, signature }));
        }
    }

    /// Reports two attestations of one member for one slot. `before` is verified; `other` was received from `from`.
    fn accuse(
        &mut self,
        from: MemberIndex,
        culprit: MemberIndex,
        slot: Slot,
        before: (Digest, A::Signature),
        other: (Digest, A::Signature),
        step: &mut Step<Self>,
    ) {
        let (group, Some(peer)) = (self.group.clone(), self.peer_mut(culprit)) else { return };
        let (false, Some(key)) = (peer.accused, group.key(culprit)) else { return };
        let bytes = attestation_bytes(&group.id(), culprit, slot, &other.0);
        // Without remembered keys: a stateful verifier would refuse a one-time key that signed both.
        match A::verify_alone(key, &bytes, &other.1) {
            Ok(()) => {
                peer.accused = true;
                let evidence = Equivocation::new(culprit, slot, before, other);
                step.fault(culprit, Misbehaviour::Equivocation(Box::new(evidence)));
            }
            Err(Error::NotEvidence) => {}
            Err(error) => {
                step.fault(from, Misbehaviour::Invalid { what: "contradicting attestation", error })
            }
        }
    }

    /// Repeats this member's attestation for a slot, at most once per half retry interval and member.
    ///
    /// A request costs a few bytes and its answer a whole message, hence the limit. A member that asks once per retry
    /// interval is always answered, even if its requests arrive unevenly.
    fn answer(&mut self, now: Time, to: MemberIndex, slot: Slot, step: &mut Step<Self>) {
        let pause = self.parameters.retry / 2;
        let recently = |at: &Time| now < at.plus(pause);
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        if accepted.is_none_or(|accepted| accepted.answered.get(&to).is_some_and(recently)) {
            return;
        }
        let message = if slot.sender == self.me { self.send_again(slot) } else { self.echo(now, slot, step) };
        let Some(message) = message else { return };
        step.send(to, message);
        if let Some(accepted) = self.window_mut(slot).and_then(|w| w.accepted_mut(slot.sequence)) {
            accepted.answered.insert(to, now);
        }
    }

    /// Queues the echo for a slot until a key is ready, and drops queued echoes that have left the tail.
    fn defer_echo(&mut self, slot: Slot) {
        let Slot { sender, sequence } = slot;
        let stale = |owed: &Slot| self.window(slot).is_some_and(|window| window.is_stale(owed.sequence));
        let first = Slot { sender, sequence: 0 };
        let gone: Vec<Slot> =
            self.owed.range(first..Slot { sender, sequence }).copied().filter(stale).collect();
        for slot in gone {
            self.owed.remove(&slot);
        }
        self.owed.insert(slot);
    }
}
