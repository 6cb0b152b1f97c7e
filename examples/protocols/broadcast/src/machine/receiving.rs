use quorate::Error;
use quorate::machine::{Machine, MemberIndex, Step, Time};

use super::Broadcaster;
use crate::authentication::Authentication;
use crate::interface::{Misdeed, Timer};
use crate::message::{Message, Sent};
use crate::statement::{Equivocation, Slot, Vouch, digest, vouch_bytes};

/// What to do with a message before any signature is verified.
enum Worth {
    /// It says nothing new.
    Nothing,
    /// It may be news.
    Verification,
    /// It may be evidence: whoever sends such a message can wait.
    Suspicion,
}

impl<A: Authentication> Broadcaster<A> {
    /// Takes in a message; one that is slow to verify is put off.
    pub(super) fn hear(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: <Self as Machine>::Message,
        step: &mut Step<Self>,
    ) {
        let (worth, signature) = match &message {
            Message::Send(send) => (self.worth_of_send(now, from, send, step), &send.signature),
            Message::Echo(vouch) => (self.worth_of_echo(from, vouch), &vouch.signature),
            Message::Witness(vouch) => (self.worth_of_witness(vouch), &vouch.signature),
            // A sender's own word it has.
            Message::Ask(slot) if slot.sender == from => return,
            Message::Ask(slot) => return self.answer(now, from, *slot, step),
            Message::Announcement(bytes) => return self.announced(now, from, bytes.clone(), step),
            Message::Hello => return self.greet(now, from, step),
        };
        match worth {
            Worth::Nothing => {}
            Worth::Verification if self.authentication.can_verify_fast(from, signature) => {
                self.verified.0 += 1;
                self.judge(now, from, message, step);
            }
            Worth::Verification | Worth::Suspicion => {
                if self.deferred.push(from, message) {
                    step.set_timer(Timer::Slow, std::time::Duration::ZERO);
                }
            }
        }
    }

    /// Verifies a message and takes in what it says.
    pub(super) fn judge(
        &mut self,
        now: Time,
        from: MemberIndex,
        message: <Self as Machine>::Message,
        step: &mut Step<Self>,
    ) {
        match message {
            Message::Send(send) => self.judge_send(now, from, send, step),
            Message::Echo(vouch) => self.judge_echo(from, vouch, step),
            Message::Witness(vouch) => self.judge_witness(from, vouch, step),
            Message::Ask(_) | Message::Announcement(_) | Message::Hello => {}
        }
    }

    fn worth_of_send(
        &mut self,
        now: Time,
        from: MemberIndex,
        send: &Sent<A::Signature>,
        step: &mut Step<Self>,
    ) -> Worth {
        let slot = Slot { sender: from, sequence: send.sequence };
        let Some(window) = self.window(slot) else { return Worth::Nothing };
        if window.is_stale(slot.sequence) {
            return Worth::Nothing;
        }
        match window.accepted(slot.sequence) {
            None => Worth::Verification,
            Some(accepted) if accepted.digest == digest(&send.message) => {
                // It has not heard the echo.
                self.answer(now, from, slot, step);
                Worth::Nothing
            }
            Some(_) => self.suspicion_of(from),
        }
    }

    fn worth_of_echo(&mut self, from: MemberIndex, vouch: &Vouch<A::Signature>) -> Worth {
        let Vouch { slot, digest, .. } = vouch;
        let Some(window) = self.window(*slot) else { return Worth::Nothing };
        if window.is_stale(slot.sequence) || !window.has_room(from, slot.sequence) {
            return Worth::Nothing;
        }
        match window.word(from, slot.sequence) {
            Some((said, _)) if said == digest => Worth::Nothing,
            Some(_) => self.suspicion_of(from),
            None => {
                // More than enough vouch for it. A sender counts on, to know whom to send to again.
                let enough = window
                    .accepted(slot.sequence)
                    .is_some_and(|accepted| accepted.delivered && accepted.digest == *digest);
                if enough && slot.sender != self.me { Worth::Nothing } else { Worth::Verification }
            }
        }
    }

    fn worth_of_witness(&mut self, vouch: &Vouch<A::Signature>) -> Worth {
        let accepted = self.window(vouch.slot).and_then(|window| window.accepted(vouch.slot.sequence));
        match accepted {
            Some(accepted) if accepted.digest != vouch.digest => self.suspicion_of(vouch.slot.sender),
            _ => Worth::Nothing,
        }
    }

    fn suspicion_of(&mut self, member: MemberIndex) -> Worth {
        let known = self.other(member).is_none_or(|other| other.accused);
        if known || !A::TRANSFERABLE { Worth::Nothing } else { Worth::Suspicion }
    }

    fn judge_send(&mut self, now: Time, from: MemberIndex, send: Sent<A::Signature>, step: &mut Step<Self>) {
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
        let bytes = vouch_bytes(&self.group.id(), from, slot, &digest);
        if let Err(error) = self.authentication.verify(from, &bytes, &send.signature) {
            return step.fault(from, Misdeed::Invalid { what: "send", error });
        }
        self.accept(now, slot, digest, &send, step);
        match self.echo(now, slot, step) {
            Some(echo) => step.broadcast(echo),
            None => self.owe(slot),
        }
        let differ: Vec<MemberIndex> = self
            .window(slot)
            .into_iter()
            .flat_map(|window| window.words(slot.sequence))
            .filter(|(_, said)| **said != digest)
            .map(|(member, _)| member)
            .collect();
        differ.into_iter().for_each(|member| self.bear_witness(member, slot, step));
        self.deliver(slot, step);
    }

    fn judge_echo(&mut self, from: MemberIndex, vouch: Vouch<A::Signature>, step: &mut Step<Self>) {
        let Vouch { slot, digest, signature } = vouch;
        let Some(window) = self.window(slot).filter(|window| !window.is_stale(slot.sequence)) else { return };
        if let Some((said, before)) = window.word(from, slot.sequence) {
            if *said != digest {
                let before = (*said, before.clone());
                self.accuse(from, from, slot, before, (digest, signature), step);
            }
            return;
        }
        let bytes = vouch_bytes(&self.group.id(), from, slot, &digest);
        if let Err(error) = self.authentication.verify(from, &bytes, &signature) {
            return step.fault(from, Misdeed::Invalid { what: "echo", error });
        }
        let Some(window) = self.window_mut(slot) else { return };
        window.note(from, slot.sequence, digest, signature);
        if window.accepted(slot.sequence).is_some_and(|accepted| accepted.digest != digest) {
            self.bear_witness(from, slot, step);
        }
        self.deliver(slot, step);
    }

    fn judge_witness(&mut self, from: MemberIndex, vouch: Vouch<A::Signature>, step: &mut Step<Self>) {
        let Vouch { slot, digest, signature } = vouch;
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        let Some(accepted) = accepted.filter(|accepted| accepted.digest != digest) else { return };
        let before = (accepted.digest, accepted.signature.clone());
        self.accuse(from, slot.sender, slot, before, (digest, signature), step);
    }

    /// Shows a member that has vouched for another message what the sender said here: one of the two is enough for
    /// evidence.
    fn bear_witness(&mut self, to: MemberIndex, slot: Slot, step: &mut Step<Self>) {
        let accepted = self.window(slot).and_then(|window| window.accepted(slot.sequence));
        if let (true, Some(accepted)) = (A::TRANSFERABLE, accepted) {
            let (digest, signature) = (accepted.digest, accepted.signature.clone());
            step.send(to, Message::Witness(Vouch { slot, digest, signature }));
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
        let (group, Some(place)) = (self.group.clone(), self.other(culprit)) else { return };
        let (false, Some(key)) = (place.accused, group.key(culprit)) else { return };
        let bytes = vouch_bytes(&group.id(), culprit, slot, &other.0);
        // As a stranger would: a verifier that remembers would refuse a one-time key that signed both.
        match A::verify_alone(key, &bytes, &other.1) {
            Ok(()) => {
                place.accused = true;
                let evidence = Equivocation::new(culprit, slot, before, other);
                step.fault(culprit, Misdeed::Equivocation(Box::new(evidence)));
            }
            Err(Error::NotEvidence) => {}
            Err(error) => step.fault(from, Misdeed::Invalid { what: "word against another", error }),
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
    fn owe(&mut self, slot: Slot) {
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
