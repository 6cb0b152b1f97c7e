use quorate::Error;
use quorate::machine::{Machine, MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::{Misbehaviour, Timer};
use crate::message::{Message, SignedMessage};
use crate::statement::{Attestation, Equivocation, Slot, attestation_bytes, digest};

/// What to do with a message before any signature is verified.
enum Triage {
    /// It says nothing new.
    Ignore,
    /// It may be news.
    Verify,
    /// It may be evidence: whoever sends such a message can wait.
    Defer,
}

impl<A: Authentication> Broadcaster<A> {
    /// Takes in a message; one that is slow to verify is put off.
    pub(super) fn on_message(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: <Self as Machine>::Message,
        step: &mut Step<Self>,
    ) {
        let (triage, signature) = match &message {
            Message::Send(send) => (self.triage_send(now, from, send, step), &send.signature),
            Message::Echo(attestation) => (self.triage_echo(from, attestation), &attestation.signature),
            Message::Witness(attestation) => (self.triage_witness(attestation), &attestation.signature),
            // A sender's own word it has.
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

    /// Verifies a message and takes in what it says.
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

    fn triage_send(
        &mut self,
        now: Time,
        from: MemberIndex,
        send: &SignedMessage<A::Signature>,
        step: &mut Step<Self>,
    ) -> Triage {
        let slot = Slot { sender: from, sequence: send.sequence };
        let Some(window) = self.window(slot) else { return Triage::Ignore };
        if window.is_stale(slot.sequence) {
            return Triage::Ignore;
        }
        match window.accepted(slot.sequence) {
            None => Triage::Verify,
            Some(accepted) if accepted.digest == digest(&send.message) => {
                // It has not heard the echo.
                self.answer(now, from, slot, step);
                Triage::Ignore
            }
            Some(_) => self.triage_accusation(from),
        }
    }

    fn triage_echo(&mut self, from: MemberIndex, attestation: &Attestation<A::Signature>) -> Triage {
        let Attestation { slot, digest, .. } = attestation;
        let Some(window) = self.window(*slot) else { return Triage::Ignore };
        if window.is_stale(slot.sequence) || !window.has_room(from, slot.sequence) {
            return Triage::Ignore;
        }
        match window.attestation(from, slot.sequence) {
            Some((said, _)) if said == digest => Triage::Ignore,
            Some(_) => self.triage_accusation(from),
            None => {
                // More than enough vouch for it. A sender counts on, to know whom to send to again.
                let enough = window
                    .accepted(slot.sequence)
                    .is_some_and(|accepted| accepted.delivered && accepted.digest == *digest);
                if enough && slot.sender != self.me { Triage::Ignore } else { Triage::Verify }
            }
        }
    }

    fn triage_witness(&mut self, attestation: &Attestation<A::Signature>) -> Triage {
        let accepted =
            self.window(attestation.slot).and_then(|window| window.accepted(attestation.slot.sequence));
        match accepted {
            Some(accepted) if accepted.digest != attestation.digest => {
                self.triage_accusation(attestation.slot.sender)
            }
            _ => Triage::Ignore,
        }
    }

    fn triage_accusation(&mut self, member: MemberIndex) -> Triage {
        let known = self.peer_mut(member).is_none_or(|other| other.accused);
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
            // It may have come twice while it waited.
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
        let differ: Vec<MemberIndex> = self
            .window(slot)
            .into_iter()
            .flat_map(|window| window.attestations(slot.sequence))
            .filter(|(_, said)| **said != digest)
            .map(|(member, _)| member)
            .collect();
        differ.into_iter().for_each(|member| self.send_witness(member, slot, step));
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

    /// Shows a member that has vouched for another message what the sender said here: one of the two is enough for
    /// evidence.
    fn send_witness(&mut self, to: MemberIndex, slot: Slot, step: &mut Step<Self>) {
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        if let (true, Some(accepted)) = (A::TRANSFERABLE, accepted) {
            let (digest, signature) = (accepted.digest, accepted.signature.clone());
            step.send(to, Message::Witness(Attestation { slot, digest, signature }));
        }
    }

    /// Two words of one member on one slot, of which `before` was verified. `other` comes from `from`.
    fn accuse(
        &mut self,
        from: MemberIndex,
        culprit: MemberIndex,
        slot: Slot,
        before: (crate::Digest, A::Signature),
        other: (crate::Digest, A::Signature),
        step: &mut Step<Self>,
    ) {
        let (group, Some(place)) = (self.group.clone(), self.peer_mut(culprit)) else { return };
        let (false, Some(key)) = (place.accused, group.key(culprit)) else { return };
        let bytes = attestation_bytes(&group.id(), culprit, slot, &other.0);
        // As a stranger would: a verifier that remembers would refuse a one-time key that signed both.
        match A::verify_alone(key, &bytes, &other.1) {
            Ok(()) => {
                place.accused = true;
                let evidence = Equivocation::new(culprit, slot, before, other);
                step.fault(culprit, Misbehaviour::Equivocation(Box::new(evidence)));
            }
            Err(Error::NotEvidence) => {}
            Err(error) => step.fault(from, Misbehaviour::Invalid { what: "word against another", error }),
        }
    }

    /// Says again what this member vouches for. A question costs its sender a few bytes and the answer a whole
    /// message, so a member is told once in half a retry interval: one that asks once in an interval is told each
    /// time, however unevenly its questions travel.
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

    /// There is no key for the echo on this slot. What has left the tail meanwhile is not echoed any more.
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
