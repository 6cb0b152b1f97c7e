//! Consistent broadcast: decoders of messages and records, and members under inputs in any order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use quorate::dsig::{Signature, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512};
use quorate::ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Time};
use quorate::wire::{Decode, Encode};
use quorate_broadcast::authentication::{Authentication, Eddsa, Links, Unsigned};
use quorate_broadcast::evidence::{self, MAX_FILE};
use quorate_broadcast::simulation::{SimulatedAuthentication, SimulatedDsig, group};
use quorate_broadcast::{
    Attestation, AuthenticationKind, Broadcaster, Command, Config, DsigVariant, Equivocation,
    GroupParameters, Limits, Message, Misbehaviour, Output, Parameters, Record, SignedMessage, Slot, Timer,
    attestation_bytes, digest,
};

use crate::identity;
use crate::mutate::{Rng, mutate};

/// Maximum number of actions of one input.
const MAX_ACTIONS: usize = 200;
/// The Byzantine member.
const FAULTY: MemberIndex = 3;
const LIMITS: Limits = Limits { members: 4, message: 64, announcement: 4_164 };

/// Messages, records and evidence, with each kind of signature.
pub(crate) fn decoders(bytes: &[u8]) {
    fn check<S: Encode + Decode>(bytes: &[u8]) {
        identity::<Message<S>, _>(bytes, &LIMITS);
        identity::<Record<S>, _>(bytes, &LIMITS);
        identity::<Equivocation<S>, u16>(bytes, &4);
        identity::<Attestation<S>, u16>(bytes, &4);
    }
    check::<Unsigned>(bytes);
    check::<ed25519::Signature>(bytes);
    check::<Signature<WotsBlake3>>(bytes);
}

/// Seeds of [`decoders`]: the messages and records of a short run.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<A: SimulatedAuthentication>() -> Vec<Vec<u8>> {
        let mut cluster = Cluster::<A>::new();
        lively().chunks_exact(2).for_each(|action| cluster.act(action));
        let sent = cluster.memory.iter().map(|(_, _, bytes)| bytes.clone());
        let mut all: Vec<_> = sent.chain(cluster.disks.iter().flatten().map(Encode::encode)).collect();
        // One per first byte and length: the others differ only in digests and signatures.
        all.sort_by_key(|seed| (seed.first().copied(), seed.len()));
        all.dedup_by_key(|seed| (seed.first().copied(), seed.len()));
        all
    }
    [seeds_for::<Links>(), seeds_for::<Eddsa>(), seeds_for::<SimulatedDsig>()].concat()
}

/// Files of evidence: decoded values encode to the same bytes, and evidence is valid only against the faulty member, with
/// the two messages that it sent.
pub(crate) fn evidence_files(bytes: &[u8]) {
    fn evidence_in<S: Encode + Decode>(
        bytes: &[u8],
        (terms, rest): (&GroupParameters, &[u8]),
    ) -> Option<Equivocation<S>> {
        let found = identity::<Equivocation<S>, u16>(rest, &4)?;
        assert_eq!(evidence::encode(terms, &found), bytes, "decoded, but encodes to other bytes");
        Some(found)
    }
    fn holds<A: Authentication>(bytes: &[u8], parts: (&GroupParameters, &[u8])) {
        let Some(found) = evidence_in::<A::Signature>(bytes, parts) else { return };
        if found.verify::<A>(&group(4)).is_ok() {
            assert_eq!((found.culprit, found.slot), (FAULTY, SLOT), "evidence against an honest member");
            assert_eq!(
                found.attestations.map(|(digest, _)| digest),
                digests(),
                "evidence with unsigned messages"
            );
        }
    }
    let Ok((terms, rest)) = evidence::decode(bytes) else { return };
    assert!(bytes.len() <= MAX_FILE);
    let parts = (&terms, rest);
    match terms.authentication {
        AuthenticationKind::Links => holds::<Links>(bytes, parts),
        AuthenticationKind::Eddsa => holds::<Eddsa>(bytes, parts),
        AuthenticationKind::Dsig(DsigVariant::Blake3) => holds::<SimulatedDsig>(bytes, parts),
        AuthenticationKind::Dsig(DsigVariant::Blake3Wide) => {
            let _ = evidence_in::<Signature<WotsBlake3Wide>>(bytes, parts);
        }
        AuthenticationKind::Dsig(DsigVariant::Haraka256) => {
            let _ = evidence_in::<Signature<WotsHaraka256>>(bytes, parts);
        }
        AuthenticationKind::Dsig(DsigVariant::Haraka512) => {
            let _ = evidence_in::<Signature<WotsHaraka512>>(bytes, parts);
        }
    }
}

/// Seeds of [`evidence_files`]: one for each signature mode of the simulator, and the beginnings of the others.
pub(crate) fn evidence_seeds() -> Vec<Vec<u8>> {
    let terms = |authentication| GroupParameters { authentication, tail: 128, max_message: 16 << 10 };
    let mut seeds = vec![
        equivocation::<Links>(&terms(AuthenticationKind::Links)),
        equivocation::<Eddsa>(&terms(AuthenticationKind::Eddsa)),
        equivocation::<SimulatedDsig>(&terms(AuthenticationKind::Dsig(DsigVariant::Blake3))),
    ];
    for suite in [DsigVariant::Haraka512, DsigVariant::Haraka256, DsigVariant::Blake3Wide] {
        seeds.push(equivocation::<SimulatedDsig>(&terms(AuthenticationKind::Dsig(suite))));
    }
    seeds
}

/// The slot in which the faulty member equivocated.
const SLOT: Slot = Slot { sender: 0, sequence: 7 };

/// The digests of its messages, in order.
fn digests() -> [[u8; 32]; 2] {
    let mut digests = [digest(b"one"), digest(b"two")];
    digests.sort_unstable();
    digests
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn equivocation<A: SimulatedAuthentication>(terms: &GroupParameters) -> Vec<u8> {
    let (mut forger, now) = (A::make(group(4), FAULTY, [200; 32]), Time(1_000_000));
    while let Ok(Some(job)) = forger.plan(now) {
        forger.finish(A::run(job));
    }
    let attestations = digests().map(|digest| {
        let bytes = attestation_bytes(&group(4).id(), FAULTY, SLOT, &digest);
        (digest, forger.sign(&bytes, now).expect("a key"))
    });
    evidence::encode(terms, &Equivocation { culprit: FAULTY, slot: SLOT, attestations })
}

/// Members whose messages are delivered, lost, repeated and forged, and that crash, as the input chooses. No two honest
/// members deliver different messages in one slot.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, actions)) = bytes.split_first() else { return };
    match first % 8 {
        0 => drop(drive::<SimulatedDsig>(actions)),
        1..=3 => drop(drive::<Eddsa>(actions)),
        _ => drop(drive::<Links>(actions)),
    }
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> = [0, 1, 4].map(|kind| [&[kind], lively().as_slice()].concat()).into();
    let mut rng = Rng::new(3);
    seeds.extend((0..12).map(|kind| [kind].into_iter().chain((0..240).map(|_| rng.bits() as u8)).collect()));
    seeds
}

fn drive<A: SimulatedAuthentication>(actions: &[u8]) -> usize {
    let mut cluster = Cluster::<A>::new();
    actions.chunks_exact(2).take(MAX_ACTIONS).for_each(|action| cluster.act(action));
    cluster.delivered.len()
}

/// Every member broadcasts, and every message is delivered.
fn lively() -> Vec<u8> {
    let mut actions = Vec::new();
    for member in 0..4 {
        actions.extend([9, member]);
        actions.extend([0, 0].repeat(24));
    }
    actions
}

struct Cluster<A: SimulatedAuthentication> {
    machines: Vec<Broadcaster<A>>,
    disks: Vec<Vec<Record<A::Signature>>>,
    wire: VecDeque<(MemberIndex, MemberIndex, Vec<u8>)>,
    /// Recent messages.
    memory: VecDeque<(MemberIndex, MemberIndex, Vec<u8>)>,
    delivered: BTreeMap<Slot, [u8; 32]>,
    forger: A,
    lives: u8,
    now: Time,
}

#[allow(clippy::expect_used)] // a member of the group, and its own records
fn boot<A: SimulatedAuthentication>(
    me: MemberIndex,
    life: u8,
    records: Vec<Record<A::Signature>>,
) -> Broadcaster<A> {
    let authentication = A::make(group(4), me, [life; 32]);
    let parameters =
        Parameters { tail: 4, max_message: LIMITS.message, max_waiting: 4, ..Parameters::default() };
    Broadcaster::new(Config { group: group(4), me, authentication, parameters }, records).expect("a member")
}

impl<A: SimulatedAuthentication> Cluster<A> {
    fn new() -> Self {
        let mut cluster = Self {
            machines: (0..4).map(|me| boot(me, me as u8, Vec::new())).collect(),
            disks: (0..4).map(|_| Vec::new()).collect(),
            wire: VecDeque::new(),
            memory: VecDeque::new(),
            delivered: BTreeMap::new(),
            forger: A::make(group(4), FAULTY, [200; 32]),
            lives: 4,
            now: Time(1_000_000),
        };
        (0..4).for_each(|me| cluster.input(me, Input::Start, true));
        cluster
    }

    fn act(&mut self, action: &[u8]) {
        let [action, argument] = action else { return };
        let which = usize::from(*argument);
        let member = MemberIndex::from(argument % 4);
        match action % 16 {
            0..=5 => {
                let at = if action % 16 < 4 { 0 } else { which % self.wire.len().max(1) };
                if let Some((from, to, bytes)) = self.wire.remove(at) {
                    self.deliver(from, to, &bytes, true);
                }
            }
            6 => drop(self.wire.pop_front()),
            7 => {
                if let Some((from, to, bytes)) = self.recall(which) {
                    self.deliver(from, to, &bytes, true);
                }
            }
            8 => {
                self.now = self.now.plus(Duration::from_millis(50 * u64::from(*argument)));
                self.input(member, Input::Timer(Timer::Retry), true);
            }
            9 => {
                let message = [member as u8, *argument, self.lives].repeat(1 + which / 64);
                self.input(member, Input::Command(Command::Broadcast(message.into())), true);
            }
            10 | 11 => self.forge(which),
            12 => self.equivocate(which),
            13 => self.input(member, Input::Timer(Timer::Slow), true),
            14 => {
                // A crash between persisting and sending, at the next message, or at once.
                if let Some((from, to, bytes)) = self.wire.pop_front().filter(|(_, to, _)| *to == member) {
                    self.deliver(from, to, &bytes, false);
                }
                self.restart(member);
            }
            _ => self.input(member, Input::Timer(Timer::Prepare), true),
        }
    }

    fn recall(&self, which: usize) -> Option<(MemberIndex, MemberIndex, Vec<u8>)> {
        self.memory.get(which % self.memory.len().max(1)).cloned()
    }

    fn deliver(&mut self, from: MemberIndex, to: MemberIndex, bytes: &[u8], sends: bool) {
        let decoded = self.machines.get(usize::from(to)).map(|machine| machine.decode(from, bytes));
        if let Some(Ok(message)) = decoded {
            assert_eq!(message.encode(), bytes);
            self.input(to, Input::Message { from, message }, sends);
        }
    }

    /// A changed message in the faulty member's name.
    fn forge(&mut self, which: usize) {
        let (Some((_, to, mut bytes)), Some((_, _, other))) = (self.recall(which), self.recall(which / 2))
        else {
            return;
        };
        mutate(&mut bytes, &other, &mut Rng::new(which as u64));
        if to != FAULTY {
            self.deliver(FAULTY, to, &bytes, true);
        }
    }

    /// Two messages of the faulty member in one slot, or two of its acknowledgements of another member's slot.
    fn equivocate(&mut self, which: usize) {
        while let Ok(Some(job)) = self.forger.plan(self.now) {
            self.forger.finish(A::run(job));
        }
        let sender = if which & 1 == 0 { FAULTY } else { (which >> 1) as MemberIndex % FAULTY };
        let slot = Slot { sender, sequence: 1 + (which >> 3) as u64 % 4 };
        for (to, text) in [(0, &b"one"[..]), (1, b"two"), (2, b"two")] {
            let digest = digest(text);
            let bytes = attestation_bytes(&group(4).id(), FAULTY, slot, &digest);
            let Ok(signature) = self.forger.sign(&bytes, self.now) else { return };
            let message = if sender == FAULTY {
                Message::Send(SignedMessage { sequence: slot.sequence, message: Arc::from(text), signature })
            } else {
                Message::Echo(Attestation { slot, digest, signature })
            };
            self.post(FAULTY, to, message.encode());
        }
    }

    fn restart(&mut self, member: MemberIndex) {
        let at = usize::from(member);
        let records = self.disks.get(at).cloned().unwrap_or_default();
        self.lives = self.lives.wrapping_add(1);
        if let Some(machine) = self.machines.get_mut(at) {
            *machine = boot(member, self.lives, records);
        }
        self.input(member, Input::Start, true);
    }

    fn post(&mut self, from: MemberIndex, to: MemberIndex, bytes: Vec<u8>) {
        if self.memory.len() >= 256 {
            self.memory.pop_front();
        }
        self.memory.push_back((from, to, bytes.clone()));
        self.wire.push_back((from, to, bytes));
    }

    fn input(&mut self, me: MemberIndex, input: Input<Broadcaster<A>>, sends: bool) {
        let Some(machine) = self.machines.get_mut(usize::from(me)) else { return };
        let step = machine.handle(self.now, input);
        if let Some(disk) = self.disks.get_mut(usize::from(me)) {
            disk.extend(step.persist);
        }
        if !sends {
            return;
        }
        for outgoing in step.messages {
            let bytes = outgoing.message.encode();
            match outgoing.to {
                Recipient::One(to) => self.post(me, to, bytes),
                Recipient::Others => {
                    (0..4).filter(|to| *to != me).for_each(|to| self.post(me, to, bytes.clone()));
                }
            }
        }
        for fault in step.faults {
            // The faulty member repeats messages of other members in its own name: only it may be blamed.
            assert!(
                me == FAULTY || fault.culprit == FAULTY,
                "{me} blames {}: {:?}",
                fault.culprit,
                fault.evidence
            );
            if let Misbehaviour::Equivocation(evidence) = fault.evidence {
                assert!(evidence.verify::<A>(&group(4)).is_ok());
            }
        }
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) if me != FAULTY => {
                    let agreed = self.delivered.entry(delivery.slot).or_insert(delivery.digest);
                    assert_eq!(*agreed, delivery.digest, "two messages in {:?}", delivery.slot);
                }
                Output::Work(work) => self.input(me, Input::Command(Command::Done(work.run())), true),
                other => assert!(!matches!(other, Output::Broken(_)), "{other:?}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lively_seed_delivers_messages() {
        assert!(drive::<Links>(&lively()) >= 3);
        assert!(drive::<Eddsa>(&lively()) >= 3);
        assert!(drive::<SimulatedDsig>(&lively()) >= 1);
    }

    #[test]
    fn seeds_hold_valid_evidence_in_the_signed_modes() {
        fn holds<A: SimulatedAuthentication>(seed: &[u8]) -> bool {
            let (_, rest) = evidence::decode(seed).unwrap();
            let found = Equivocation::<A::Signature>::decode(rest, &4).unwrap();
            found.verify::<A>(&group(4)).is_ok()
        }
        let seeds = evidence_seeds();
        assert!(!holds::<Links>(&seeds[0]) && holds::<Eddsa>(&seeds[1]) && holds::<SimulatedDsig>(&seeds[2]));
    }

    #[test]
    fn seeds_hold_every_kind_of_message() {
        let tags: std::collections::BTreeSet<_> =
            decoder_seeds().iter().filter_map(|seed| seed.first().copied()).collect();
        assert!([1, 2, 5, 6].iter().all(|tag| tags.contains(tag)), "{tags:?}");
    }
}
