//! Replication: decoders of messages and records, and replicas under inputs in any order.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use quorate::ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Time};
use quorate::wire::Encode;
use quorate_broadcast::authentication::{Authentication, Eddsa};
use quorate_broadcast::simulation::{SimulatedAuthentication, SimulatedDsig, group};
use quorate_replicate::application::Counter;
use quorate_replicate::{
    Ballot, Command, Config, Limits, Message, Misbehaviour, Output, Parameters, Path, Record, Replica,
    Request, Timer, Value, limits,
};

use crate::identity;
use crate::mutate::{Rng, mutate};

/// Maximum number of actions of one input.
const MAX_ACTIONS: usize = 300;
const REPLICAS: MemberIndex = 4;
/// The Byzantine replica.
const FAULTY: MemberIndex = 3;
const CLIENTS: u16 = 2;

fn parameters(path: Path) -> Parameters {
    Parameters { clients: CLIENTS, window: 8, checkpoint: 4, path, ..Parameters::default() }
}

fn limits_of<A: Authentication>() -> Limits {
    limits::<A, Counter>(REPLICAS, &parameters(Path::Fast))
}

/// Messages and records, with each kind of signature.
pub(crate) fn decoders(bytes: &[u8]) {
    identity::<Message<ed25519::Signature>, _>(bytes, &limits_of::<Eddsa>());
    identity::<Record<ed25519::Signature>, _>(bytes, &limits_of::<Eddsa>());
    type Dsig = <SimulatedDsig as Authentication>::Signature;
    identity::<Message<Dsig>, _>(bytes, &limits_of::<SimulatedDsig>());
    identity::<Record<Dsig>, _>(bytes, &limits_of::<SimulatedDsig>());
}

/// Seeds of [`decoders`]: the messages and records of short runs.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<A: SimulatedAuthentication>() -> Vec<Vec<u8>> {
        let mut cluster = Cluster::<A>::new(Path::Slow);
        lively().chunks_exact(2).for_each(|action| cluster.act(action));
        let sent = cluster.memory.iter().map(|(_, _, bytes)| bytes.clone());
        let mut all: Vec<_> = sent.chain(cluster.disks.iter().flatten().map(Encode::encode)).collect();
        // One per first byte and length: the others differ only in numbers, digests and signatures.
        all.sort_by_key(|seed| (seed.first().copied(), seed.len()));
        all.dedup_by_key(|seed| (seed.first().copied(), seed.len()));
        all
    }
    [seeds_for::<Eddsa>(), seeds_for::<SimulatedDsig>()].concat()
}

/// Replicas whose messages are delivered, lost, repeated and forged, and that crash, as the input chooses. No two honest
/// replicas execute different values in one slot, and no honest replica is blamed.
pub(crate) fn machine(bytes: &[u8]) {
    let Some((first, actions)) = bytes.split_first() else { return };
    let path = if first & 1 == 0 { Path::Fast } else { Path::Slow };
    match first % 8 {
        0 | 1 => drop(drive::<SimulatedDsig>(path, actions)),
        _ => drop(drive::<Eddsa>(path, actions)),
    }
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> = [0, 1, 2, 3].map(|kind| [&[kind], lively().as_slice()].concat()).into();
    let mut rng = Rng::new(5);
    seeds.extend((2..12).map(|kind| [kind].into_iter().chain((0..400).map(|_| rng.bits() as u8)).collect()));
    seeds
}

/// Returns the number of executed slots.
fn drive<A: SimulatedAuthentication>(path: Path, actions: &[u8]) -> usize {
    let mut cluster = Cluster::<A>::new(path);
    actions.chunks_exact(2).take(MAX_ACTIONS).for_each(|action| cluster.act(action));
    cluster.executed.len()
}

/// Clients send requests, all messages are delivered, and then the leader is suspected.
fn lively() -> Vec<u8> {
    let mut actions = Vec::new();
    for number in 0..4 {
        actions.extend([9, number]);
        actions.extend([0, 0].repeat(45));
    }
    actions.extend([10, 0, 10, 1, 10, 2]);
    actions.extend([0, 0].repeat(40));
    actions
}

/// An encoded message from one replica to another.
type Envelope = (MemberIndex, MemberIndex, Vec<u8>);

struct Cluster<A: SimulatedAuthentication> {
    path: Path,
    replicas: Vec<Replica<A, Counter>>,
    disks: Vec<Vec<Record<A::Signature>>>,
    wire: VecDeque<Envelope>,
    /// Recent messages.
    memory: VecDeque<Envelope>,
    executed: BTreeMap<u64, Value>,
    sequence: u64,
    lives: u8,
    now: Time,
}

#[allow(clippy::expect_used)] // a replica of the group, and its own records
fn boot<A: SimulatedAuthentication>(
    me: MemberIndex,
    life: u8,
    path: Path,
    records: Vec<Record<A::Signature>>,
) -> Replica<A, Counter> {
    let (group, application) = (group(REPLICAS.into()), Counter::default());
    let authentication = A::make(group.clone(), me, [life; 32]);
    let config = Config { group, me, authentication, application, parameters: parameters(path) };
    Replica::new(config, records).expect("a replica")
}

impl<A: SimulatedAuthentication> Cluster<A> {
    fn new(path: Path) -> Self {
        let mut cluster = Self {
            path,
            replicas: (0..REPLICAS).map(|me| boot(me, me as u8, path, Vec::new())).collect(),
            disks: (0..REPLICAS).map(|_| Vec::new()).collect(),
            wire: VecDeque::new(),
            memory: VecDeque::new(),
            executed: BTreeMap::new(),
            sequence: 0,
            lives: REPLICAS as u8,
            now: Time(1_000_000),
        };
        (0..REPLICAS).for_each(|me| cluster.input(me, Input::Start, true));
        cluster
    }

    fn act(&mut self, action: &[u8]) {
        let [action, argument] = action else { return };
        let which = usize::from(*argument);
        let member = MemberIndex::from(*argument) % REPLICAS;
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
                self.now = self.now.plus(Duration::from_millis(u64::from(*argument)));
                self.input(member, Input::Timer(Timer::Retry), true);
            }
            9 => self.request(which),
            10 => self.input(member, Input::Timer(Timer::Suspect), true),
            11 => self.forge(which),
            12 => self.equivocate(which),
            13 => self.input(member, Input::Timer(Timer::Fast(1 + which as u64 / 4 % 16)), true),
            14 => {
                // A crash between persisting and sending, at the next message, or at once.
                if let Some((from, to, bytes)) = self.wire.pop_front().filter(|(_, to, _)| *to == member) {
                    self.deliver(from, to, &bytes, false);
                }
                self.restart(member);
            }
            _ => self.input(member, Input::Timer(Timer::Deferred), true),
        }
    }

    /// A request of a client, to all replicas or to one.
    fn request(&mut self, which: usize) {
        self.sequence += 1;
        let client = which as u16 % CLIENTS;
        let request = Request { client, sequence: self.sequence, operation: (which as u64).to_le_bytes() };
        let to: Vec<_> = if which < 192 { (0..REPLICAS).collect() } else { vec![which as u16 % REPLICAS] };
        to.into_iter().for_each(|to| self.input(to, Input::Command(Command::Request(request)), true));
    }

    fn recall(&self, which: usize) -> Option<Envelope> {
        self.memory.get(which % self.memory.len().max(1)).cloned()
    }

    fn deliver(&mut self, from: MemberIndex, to: MemberIndex, bytes: &[u8], sends: bool) {
        let decoded = self.replicas.get(usize::from(to)).map(|replica| replica.decode(from, bytes));
        if let Some(Ok(message)) = decoded {
            assert_eq!(message.encode(), bytes);
            self.input(to, Input::Message { from, message }, sends);
        }
    }

    /// A changed message in the faulty replica's name.
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

    /// The faulty replica accepts different values in one slot.
    fn equivocate(&mut self, which: usize) {
        let (view, slot) = (which as u64 % 4, 1 + which as u64 / 4 % 8);
        for to in 0..FAULTY {
            let operation = u64::from(to % 2).to_le_bytes();
            let value = Value::Request(Request { client: 0, sequence: self.sequence.max(1), operation });
            let ballot = Ballot { view, slot, value };
            let message: Message<A::Signature> =
                if which & 1 == 0 { Message::Propose(ballot) } else { Message::Accept(ballot) };
            self.post(FAULTY, to, message.encode());
        }
    }

    fn restart(&mut self, member: MemberIndex) {
        let at = usize::from(member);
        let records = self.disks.get(at).cloned().unwrap_or_default();
        self.lives = self.lives.wrapping_add(1);
        if let Some(replica) = self.replicas.get_mut(at) {
            *replica = boot(member, self.lives, self.path, records);
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

    fn input(&mut self, me: MemberIndex, input: Input<Replica<A, Counter>>, sends: bool) {
        let Some(replica) = self.replicas.get_mut(usize::from(me)) else { return };
        let step = replica.handle(self.now, input);
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
                    (0..REPLICAS).filter(|to| *to != me).for_each(|to| self.post(me, to, bytes.clone()));
                }
            }
        }
        for fault in step.faults {
            // The faulty replica repeats messages of others in its own name: only it may be blamed.
            assert!(
                me == FAULTY || fault.culprit == FAULTY,
                "{me} blames {}: {:?}",
                fault.culprit,
                fault.evidence
            );
            if let Misbehaviour::Equivocation(evidence) = fault.evidence {
                assert!(evidence.verify::<A>(&group(REPLICAS.into())).is_ok());
            }
        }
        for output in step.outputs {
            match output {
                Output::Executed { slot, value, .. } if me != FAULTY => {
                    let agreed = *self.executed.entry(slot).or_insert(value);
                    assert_eq!(agreed, value, "two values in slot {slot}");
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
    fn the_lively_seed_executes_requests_on_both_paths() {
        for path in [Path::Fast, Path::Slow] {
            assert!(drive::<Eddsa>(path, &lively()) >= 3);
        }
    }
}
