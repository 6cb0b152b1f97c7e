//! Byzantine members with knowledge of the protocol. Each holds its own key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, MemberIndex, Outgoing, Recipient};
use quorate_simulator::{Adversary, Control};

use super::authentication::SimulatedAuthentication;
use crate::authentication::{Authentication, Finished};
use crate::{Attestation, Broadcaster, Digest, Message, SignedMessage, Slot, attestation_bytes, digest};

/// Names of the protocol's adversaries.
pub const ADVERSARIES: &[&str] = &[
    "equivocator",
    "key-reuser",
    "echo-equivocator",
    "double-echoer",
    "withholder",
    "selective-flooder",
    "sequence-skipper",
    "forger",
    "unannounced",
];

/// Interval of a `SelectiveFlooder`'s messages, and their number per member.
const FLOOD_EVERY: Duration = Duration::from_millis(100);
const FLOOD: u64 = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Broadcasts two messages in one slot, one to each half of the members, and echoes both.
    Equivocator,
    /// Like the equivocator, with one one-time key for both messages.
    KeyReuser,
    /// Sends a false echo to every second member, and both echoes to the sender.
    EchoEquivocator,
    /// Echoes every message, including contradicting ones, to all members.
    DoubleEchoer,
    /// Sends its messages to too few members and answers no requests.
    Withholder,
    /// Broadcasts at a high rate and sends each message to one member only, which then requests echoes that no member
    /// can give. Echoes nothing and answers no requests.
    SelectiveFlooder,
    /// Skips sequence numbers, and echoes slots that do not exist.
    SequenceSkipper,
    /// Sends signatures of other members, and invalid ones.
    Forger,
    /// Never announces keys, so that all its signatures are slow to verify.
    Unannounced,
}

/// The adversary of one of the [`ADVERSARIES`].
pub struct BroadcastAdversary<A: SimulatedAuthentication> {
    kind: Kind,
    group: Arc<Committee<Ed25519>>,
    me: MemberIndex,
    /// Two signers. A key reuser's signers have the same keys.
    signers: [A; 2],
    observed: BTreeMap<Slot, A::Signature>,
    /// Last sequence number of a `SelectiveFlooder`.
    last_flooded: u64,
}

type MessageFor<A> = Message<<A as Authentication>::Signature>;

impl<A: SimulatedAuthentication> BroadcastAdversary<A> {
    /// Creates the adversary of this name; `None` if the name is unknown.
    pub fn new(name: &str, group: Arc<Committee<Ed25519>>, me: MemberIndex) -> Option<Self> {
        let kind = match name {
            "equivocator" => Kind::Equivocator,
            "key-reuser" => Kind::KeyReuser,
            "echo-equivocator" => Kind::EchoEquivocator,
            "double-echoer" => Kind::DoubleEchoer,
            "withholder" => Kind::Withholder,
            "selective-flooder" => Kind::SelectiveFlooder,
            "sequence-skipper" => Kind::SequenceSkipper,
            "forger" => Kind::Forger,
            "unannounced" => Kind::Unannounced,
            _ => return None,
        };
        let second = if kind == Kind::KeyReuser { 1 } else { 2 };
        let signers = [1, second].map(|seed| A::make(group.clone(), me, [seed; 32]));
        Some(Self { kind, group, me, signers, observed: BTreeMap::new(), last_flooded: 0 })
    }

    /// Signs an attestation with one of the signers.
    fn sign(
        &mut self,
        which: usize,
        slot: Slot,
        digest: &Digest,
        control: &mut Control<'_, Broadcaster<A>>,
    ) -> Option<A::Signature> {
        let bytes = attestation_bytes(&self.group.id(), self.me, slot, digest);
        let signer = &mut self.signers[which];
        while let Ok(Some(job)) = signer.plan(control.now()) {
            if let Finished::Made(Some(announcement)) = signer.finish(A::run(job)) {
                control.broadcast(&Message::Announcement(announcement));
            }
        }
        signer.sign(&bytes, control.now()).ok()
    }

    fn echo(
        &mut self,
        which: usize,
        slot: Slot,
        digest: Digest,
        control: &mut Control<'_, Broadcaster<A>>,
    ) -> Option<MessageFor<A>> {
        let signature = self.sign(which, slot, &digest, control)?;
        Some(Message::Echo(Attestation { slot, digest, signature }))
    }

    /// Sends one message to one half of the members and another to the other half.
    fn equivocate(&mut self, sent: &SignedMessage<A::Signature>, control: &mut Control<'_, Broadcaster<A>>) {
        let slot = Slot { sender: self.me, sequence: sent.sequence };
        let messages = [sent.message.clone(), Arc::from([&sent.message, &b" (not)"[..]].concat())];
        let mut signed = Vec::new();
        for (which, message) in messages.into_iter().enumerate() {
            let Some(signature) = self.sign(which, slot, &digest(&message), control) else { return };
            signed.push(Message::Send(SignedMessage { sequence: sent.sequence, message, signature }));
        }
        for member in control.members() {
            control.send(member, &signed[usize::from(member % 2)]);
        }
    }

    /// Sends a false echo to every second member.
    fn send_false_echoes(
        &mut self,
        attestation: &Attestation<A::Signature>,
        control: &mut Control<'_, Broadcaster<A>>,
    ) {
        let (slot, digest) = (attestation.slot, digest(&attestation.digest));
        let Some(false_echo) = self.echo(0, slot, digest, control) else { return };
        for member in control.members() {
            if member % 2 == 0 || member == slot.sender {
                control.send(member, &Message::Echo(attestation.clone()));
            }
            if member % 2 == 1 || member == slot.sender {
                control.send(member, &false_echo);
            }
        }
    }

    /// Uses unreached sequence numbers, for its own messages and for echoes.
    fn skip_sequences(
        &mut self,
        sent: &SignedMessage<A::Signature>,
        control: &mut Control<'_, Broadcaster<A>>,
    ) {
        let far = sent.sequence * 1000 + control.rng().below(50);
        let own = Slot { sender: self.me, sequence: far };
        if let Some(signature) = self.sign(0, own, &digest(&sent.message), control) {
            control.broadcast(&Message::Send(SignedMessage {
                sequence: far,
                message: sent.message.clone(),
                signature,
            }));
        }
        for sender in control.members() {
            let sequence = sent.sequence + control.rng().below(100);
            if let Some(echo) = self.echo(1, Slot { sender, sequence }, [7; 32], control) {
                let to = control.members().find(|member| *member != sender);
                to.into_iter().for_each(|to| control.send(to, &echo));
            }
        }
    }

    /// Sends `FLOOD` messages to each member that no other member receives.
    fn flood(&mut self, control: &mut Control<'_, Broadcaster<A>>) {
        for _ in 0..FLOOD {
            for member in control.members() {
                self.last_flooded += 1;
                let (sequence, message) = (self.last_flooded, Arc::from(&b"for one member"[..]));
                let slot = Slot { sender: self.me, sequence };
                let Some(signature) = self.sign(0, slot, &digest(&message), control) else { return };
                control.send(member, &Message::Send(SignedMessage { sequence, message, signature }));
            }
        }
    }

    /// Sends signatures of other members as its own.
    fn forge(&mut self, sent: &SignedMessage<A::Signature>, control: &mut Control<'_, Broadcaster<A>>) {
        for (slot, signature) in std::mem::take(&mut self.observed) {
            let message = Arc::from(&b"forged"[..]);
            let (sequence, digest) = (sent.sequence + 1, digest(&message));
            control.broadcast(&Message::Send(SignedMessage {
                sequence,
                message,
                signature: signature.clone(),
            }));
            let attestation = Attestation { slot, digest, signature };
            control.broadcast(&Message::Witness(attestation.clone()));
            if slot.sender != self.me {
                let to = control.members().find(|member| *member != slot.sender);
                to.into_iter().for_each(|to| control.send(to, &Message::Echo(attestation.clone())));
            }
        }
    }

    fn observe(
        &mut self,
        message: &MessageFor<A>,
        from: MemberIndex,
        control: &mut Control<'_, Broadcaster<A>>,
    ) {
        let (slot, digest, signature) = match message {
            Message::Send(sent) => {
                let slot = Slot { sender: from, sequence: sent.sequence };
                (slot, digest(&sent.message), &sent.signature)
            }
            Message::Echo(attestation) => (attestation.slot, attestation.digest, &attestation.signature),
            _ => return,
        };
        match self.kind {
            Kind::Forger if self.observed.len() < 4 => drop(self.observed.insert(slot, signature.clone())),
            Kind::DoubleEchoer if slot.sender != self.me => {
                if let Some(echo) = self.echo(0, slot, digest, control) {
                    control.send(from, &echo);
                }
            }
            _ => {}
        }
    }
}

impl<A: SimulatedAuthentication> Adversary<Broadcaster<A>> for BroadcastAdversary<A> {
    fn on_start(&mut self, control: &mut Control<'_, Broadcaster<A>>) {
        if self.kind == Kind::SelectiveFlooder {
            control.wake(0, FLOOD_EVERY);
        }
    }

    fn on_wake(&mut self, token: u64, control: &mut Control<'_, Broadcaster<A>>) {
        self.flood(control);
        control.wake(token, FLOOD_EVERY);
    }

    fn on_input(&mut self, input: &Input<Broadcaster<A>>, control: &mut Control<'_, Broadcaster<A>>) -> bool {
        if let Input::Message { from, message } = input {
            self.observe(message, *from, control);
            // A `Withholder` and a `SelectiveFlooder` answer no request and repeat nothing.
            let question = matches!(message, Message::Ask(_) | Message::Hello);
            return !matches!(self.kind, Kind::Withholder | Kind::SelectiveFlooder) || !question;
        }
        true
    }

    fn on_send(&mut self, outgoing: Outgoing<MessageFor<A>>, control: &mut Control<'_, Broadcaster<A>>) {
        match (self.kind, &outgoing.message) {
            (Kind::Equivocator | Kind::KeyReuser, Message::Send(sent)) => self.equivocate(sent, control),
            (Kind::EchoEquivocator, Message::Echo(attestation)) => {
                self.send_false_echoes(attestation, control)
            }
            (Kind::DoubleEchoer, Message::Echo(_))
            | (Kind::SelectiveFlooder, Message::Echo(_) | Message::Send(_)) => {}
            (Kind::Withholder, Message::Send(_)) => {
                // Repetitions go to one member, first messages to some: on average half a quorum.
                for member in control.members() {
                    if control.rng().below(3) == 0 {
                        control.send(member, &outgoing.message);
                    }
                }
            }
            (Kind::SequenceSkipper, Message::Send(sent)) => {
                self.skip_sequences(sent, control);
                control.pass(outgoing);
            }
            (Kind::Forger, Message::Send(sent)) => {
                self.forge(sent, control);
                control.pass(outgoing);
            }
            (Kind::Unannounced, Message::Announcement(_)) => {}
            (Kind::Unannounced, Message::Echo(_)) if outgoing.to == Recipient::Others => {
                // Delayed, so that slow signatures also meet settled slots.
                let after = control.rng().duration(Duration::ZERO, Duration::from_millis(20));
                control.raw(Recipient::Others, quorate::wire::Encode::encode(&outgoing.message), after);
            }
            _ => control.pass(outgoing),
        }
    }
}
