//! Members on a network that delays, loses and reorders messages, with crashes between the write of records and the
//! sending of messages.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::merkle::Hash;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode, domain};
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::super::*;
use crate::epoch::Encryption;
use crate::setup::{Secrets, Setup};
use crate::signatures::{Ed25519List, ThresholdScheme};
use crate::testing::{Keys, Verdict, ensure};

/// A world whose members sign with lists of signatures.
pub(super) type World = SchemeWorld<Ed25519List>;

/// A signature scheme whose secrets may depend on the member's disk.
pub(super) trait WorldScheme: ThresholdScheme {
    /// Puts a member's keys together at a start.
    fn keys(world: &SchemeWorld<Self>, member: MemberIndex) -> (Arc<Setup<Self>>, Arc<Secrets<Self>>);

    /// The share in a message, if there is one.
    fn share_in(_message: &Message<Self, Ed25519>) -> Option<SentShare> {
        None
    }
}

/// A share that a member sent.
pub(super) struct SentShare {
    pub(super) height: u64,
    /// Index of the presignature, and digest that it signs; `None` without a presignature.
    pub(super) presignature: Option<(u32, Hash)>,
}

impl WorldScheme for Ed25519List {
    fn keys(world: &World, member: MemberIndex) -> (Arc<Setup<Self>>, Arc<Secrets<Self>>) {
        (world.keys.setup.clone(), world.keys.secrets[usize::from(member)].clone())
    }
}

pub(super) const MEMBERS: u16 = 4;
/// The member that is Byzantine in some runs.
pub(super) const LIAR: MemberIndex = 3;
/// What a run does besides the protocol.
#[derive(Clone, Copy)]
pub(super) struct Faults {
    /// Probability that a member crashes in a step, before or after its messages leave.
    pub(super) crash: f64,
    /// Probability that a message is lost.
    pub(super) loss: f64,
    /// A driver with the flaw that it sends before it writes: a crash loses the records of sent messages.
    pub(super) sends_first: bool,
}

pub(super) const CALM: Faults = Faults { crash: 0.0, loss: 0.0, sends_first: false };
pub(super) const ROUGH: Faults = Faults { crash: 0.02, loss: 0.1, sends_first: false };

/// A member's process and its disk.
pub(super) struct Node<S: ThresholdScheme> {
    pub(super) machine: Option<Chain<S, Ed25519>>,
    pub(super) disk: Vec<Vec<u8>>,
    /// The chain, as far as it is on disk.
    pub(super) blocks: Vec<Delivery<Ed25519>>,
    /// The states that the application has executed; the first is that before all blocks.
    pub(super) states: Vec<Executed>,
    /// Number of blocks that the running machine delivered.
    pub(super) delivered: u64,
    pub(super) timers: BTreeMap<Timer, Time>,
}

impl<S: ThresholdScheme> Default for Node<S> {
    fn default() -> Self {
        let (disk, blocks, states) = (Vec::new(), Vec::new(), Vec::new());
        Self { machine: None, disk, blocks, states, delivered: 0, timers: BTreeMap::new() }
    }
}

pub(super) struct SchemeWorld<S: WorldScheme> {
    pub(super) keys: Keys<S>,
    pub(super) voters: Arc<Committee<Ed25519>>,
    pub(super) parameters: Parameters,
    /// Of each member; empty without encryption.
    pub(super) encryption: Vec<Encryption>,
    pub(super) nodes: Vec<Node<S>>,
    pub(super) in_flight: Vec<(MemberIndex, MemberIndex, Vec<u8>)>,
    pub(super) rng: StdRng,
    pub(super) now: Time,
    pub(super) faults: Faults,
    /// The transactions whose batches are on a disk.
    pub(super) accepted: BTreeSet<u32>,
    /// See [`Config::committed`].
    pub(super) committed: HashSet<Hash>,
    /// The digest that a member voted for, by height and member.
    pub(super) voted: BTreeMap<(u64, MemberIndex), Hash>,
    pub(super) crashes: usize,
    /// Number of faults of the Byzantine member that others reported.
    pub(super) blamed: usize,
    /// Number of answers with blocks.
    pub(super) served: usize,
    /// The second face of a Byzantine member, the last one: members 1 and 2 hear this one, and member 0 hears the first.
    pub(super) twin: Option<Chain<S, Ed25519>>,
    /// A member that hears nothing and is not restarted.
    pub(super) away: Option<MemberIndex>,
    /// Number of epochs for which each member has presignatures.
    pub(super) dealt: [u64; MEMBERS as usize],
    /// What each presignature signed, by member, height and index.
    pub(super) used: BTreeMap<(MemberIndex, u64, u32), Hash>,
    /// Heights at which a member signed without a presignature.
    pub(super) unpresigned: BTreeSet<(MemberIndex, u64)>,
    /// A member whose data directory was replaced by an older copy: others may blame it.
    pub(super) restored: Option<MemberIndex>,
}

pub(super) fn secret(member: u16) -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[member as u8 + 1; 32]).unwrap()
}

pub(super) fn chain_id() -> ChainId {
    ChainId::from_name("tests")
}

impl<S: WorldScheme> SchemeWorld<S> {
    pub(super) fn new(seed: u64, faults: Faults) -> Self {
        let keys = Keys::deal(MEMBERS, 1);
        let members = (0..MEMBERS).map(|member| (VerifiedKey::from_secret(&secret(member)), 1)).collect();
        let voters = Arc::new(Committee::new(chain_id(), 0, members).unwrap());
        let node = || Node { states: vec![Executed { height: 0, state_root: [5; 32] }], ..Node::default() };
        let mut world = Self {
            keys,
            voters,
            parameters: Parameters { batch: 16, window: 2, ..Parameters::default() },
            encryption: Vec::new(),
            nodes: (0..MEMBERS).map(|_| node()).collect(),
            in_flight: Vec::new(),
            rng: StdRng::seed_from_u64(seed),
            now: Time(0),
            faults,
            accepted: BTreeSet::new(),
            committed: HashSet::new(),
            voted: BTreeMap::new(),
            crashes: 0,
            blamed: 0,
            served: 0,
            twin: None,
            away: None,
            dealt: [0; MEMBERS as usize],
            used: BTreeMap::new(),
            unpresigned: BTreeSet::new(),
            restored: None,
        };
        (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
        world
    }

    /// Starts a member from its disk.
    pub(super) fn restart(&mut self, member: MemberIndex) -> Verdict {
        let (setup, secrets) = S::keys(self, member);
        let node = &self.nodes[usize::from(member)];
        let executed = *node.states.last().unwrap();
        let ids = |delivery: &Delivery<_>| delivery.batches.iter().flat_map(|b| b.ids().to_vec()).collect();
        let recent = node.blocks.iter().take(executed.height as usize).map(ids);
        let config = Config {
            setup,
            secrets,
            encryption: self.encryption.get(usize::from(member)).cloned(),
            chain: chain_id(),
            voters: self.voters.clone(),
            executed,
            recent_states: node.states.clone(),
            recent_transactions: (1..).zip(recent).collect(),
            committed: self.committed.clone(),
            first_sequence: 1 << 40,
            entropy: Zeroizing::new(self.rng.random()),
            parameters: self.parameters,
        };
        let decoded = |bytes: &Vec<u8>| Record::decode(bytes, &self.voters).unwrap();
        let records: Vec<Record<Ed25519>> = node.disk.iter().map(decoded).collect();
        assert!(records.iter().zip(&node.disk).all(|(record, bytes)| record.encode() == *bytes));
        let machine = Chain::restore(config, secret(member), records).map_err(|e| e.to_string())?;
        let node = &mut self.nodes[usize::from(member)];
        (node.machine, node.delivered, node.timers) = (Some(machine), executed.height, BTreeMap::new());
        self.input(member, Input::Start)
    }

    /// Executes the next delivered block of a member. Returns false if there is none.
    pub(super) fn execute(&mut self, member: MemberIndex) -> Result<bool, String> {
        let node = &mut self.nodes[usize::from(member)];
        let last = *node.states.last().unwrap();
        if node.machine.is_none() || last.height >= node.delivered {
            return Ok(false);
        }
        let block = &node.blocks[last.height as usize].certified.block;
        let state_root = domain::hash("application", &[last.state_root, block.digest().0].concat());
        let executed = Executed { height: last.height + 1, state_root };
        node.states.push(executed);
        self.input(member, Input::Command(Command::Executed(executed))).map(|()| true)
    }

    pub(super) fn input(&mut self, member: MemberIndex, input: Input<Chain<S, Ed25519>>) -> Verdict {
        let now = self.now;
        if let Some(twin) = self.twin.as_mut().filter(|_| member == LIAR) {
            let step = twin.handle(now, copy(&input));
            self.send(member, step.messages, |to| to != 0);
        }
        let Some(machine) = &mut self.nodes[usize::from(member)].machine else { return Ok(()) };
        let step = machine.handle(now, input);
        self.carry_out(member, step)
    }

    /// Sends messages to those of their receivers that a condition selects.
    fn send(
        &mut self,
        member: MemberIndex,
        messages: Vec<Outgoing<Message<S, Ed25519>>>,
        is_reached: impl Fn(MemberIndex) -> bool,
    ) {
        for outgoing in messages {
            let receives = |to: &MemberIndex| match outgoing.to {
                Recipient::One(one) => *to == one,
                Recipient::Others => *to != member,
            };
            let mut bytes = outgoing.message.encode();
            if self.twin.is_some() && member == LIAR && self.rng.random_bool(0.05) {
                let place = self.rng.random_range(0..bytes.len());
                bytes[place] ^= 1 << self.rng.random_range(0..8);
            }
            let receivers = (0..MEMBERS).filter(receives).filter(|to| is_reached(*to));
            self.in_flight.extend(receivers.map(|to| (member, to, bytes.clone())));
        }
    }

    /// Starts the second face of the last member, which has other random numbers and no records.
    pub(super) fn lie(&mut self) {
        self.twin = self.nodes[usize::from(LIAR)].machine.take();
        self.nodes[usize::from(LIAR)].disk.clear();
        self.restart(LIAR).unwrap();
    }

    pub(super) fn carry_out(&mut self, member: MemberIndex, step: Step<Chain<S, Ed25519>>) -> Verdict {
        let node = &mut self.nodes[usize::from(member)];
        let has_crashed = !step.is_empty() && self.rng.random_bool(self.faults.crash);
        // A crash before the write loses the whole step, one after it only the messages.
        let is_written = !has_crashed || (!self.faults.sends_first && self.rng.random_bool(0.5));
        if is_written {
            node.disk.extend(step.persist.iter().map(Encode::encode));
            for record in &step.persist {
                if let Record::Batch(batch) = record {
                    self.accepted.extend(batch.transactions().map(number));
                }
            }
        }
        if has_crashed {
            node.machine = None;
            node.timers.clear();
            self.crashes += 1;
        }
        if member != LIAR {
            self.blamed += step.faults.len();
        }
        let is_liar = |culprit| self.twin.is_some() && culprit == LIAR || self.restored == Some(culprit);
        let is_faulty = member == LIAR || self.restored == Some(member);
        let is_just = is_faulty || step.faults.iter().all(|fault| is_liar(fault.culprit));
        let may_blame = self.twin.is_some() || self.restored.is_some();
        ensure((may_blame || step.faults.is_empty()) && is_just, || {
            format!("{member} blames {:?}", step.faults)
        })?;
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) if is_written => self.on_commit(member, *delivery)?,
                Output::Serve { to, from, tip } if !has_crashed => self.serve(member, to, from, tip),
                Output::PruneEpochs { up_to } if !has_crashed => self.prune(member, up_to),
                Output::PruneBatches(digests) if !has_crashed => self.prune_batches(member, &digests),
                Output::Refused { .. } | Output::Congestion(_) | Output::Broken(_) => {
                    return Err(format!("{member}: {output:?}"));
                }
                _ => {}
            }
        }
        if has_crashed && !self.faults.sends_first {
            return Ok(());
        }
        for change in step.timers {
            let TimerChange::Set { timer, after } = change else { panic!("no timer is cancelled") };
            self.nodes[usize::from(member)].timers.insert(timer, self.now.plus(after));
        }
        for outgoing in &step.messages {
            if let Some(SentShare { height, presignature }) = S::share_in(&outgoing.message) {
                let Some((index, digest)) = presignature else {
                    self.unpresigned.insert((member, height));
                    continue;
                };
                let before = *self.used.entry((member, height, index)).or_insert(digest);
                ensure(before == digest, || format!("{member} uses presignature {index} of {height} twice"))?;
            }
            if let Message::Vote(vote) = &outgoing.message {
                let (height, digest) = (vote.statement().view, vote.statement().digest);
                let before = *self.voted.entry((height, member)).or_insert(digest);
                ensure(before == digest, || format!("{member} votes twice at height {height}"))?;
            }
        }
        let is_face = self.twin.is_some() && member == LIAR;
        self.send(member, step.messages, |to| !is_face || to == 0);
        Ok(())
    }

    pub(super) fn serve(&mut self, member: MemberIndex, to: MemberIndex, from: u64, tip: u64) {
        self.served += 1;
        let blocks = self.nodes[usize::from(member)].blocks.iter();
        let page = blocks.filter(|one| one.certified.block.height >= from).take(PAGE as usize);
        let mut send = |message: Message<S, Ed25519>| {
            self.in_flight.push((member, to, message.encode()));
        };
        let mut next = from;
        for Delivery { certified, batches } in page {
            next = certified.block.height + 1;
            send(Message::Block(certified.clone()));
            batches.iter().for_each(|batch| send(Message::Batch(batch.clone())));
        }
        send(Message::End { next, tip });
    }

    /// Drops records of epochs, as the store does.
    pub(super) fn prune(&mut self, member: MemberIndex, up_to: u64) {
        let is_needed = |bytes: &Vec<u8>| match Record::<Ed25519>::decode(bytes, &self.voters).unwrap() {
            Record::Input { height, .. }
            | Record::Proposal { height, .. }
            | Record::Presigned { height }
            | Record::FallBack { height } => height > up_to,
            _ => true,
        };
        self.nodes[usize::from(member)].disk.retain(is_needed);
    }

    pub(super) fn prune_batches(&mut self, member: MemberIndex, digests: &[Hash]) {
        let is_left = |bytes: &Vec<u8>| match Record::<Ed25519>::decode(bytes, &self.voters).unwrap() {
            Record::Batch(batch) => !digests.contains(&batch.digest().0),
            _ => true,
        };
        self.nodes[usize::from(member)].disk.retain(is_left);
    }

    /// The batches of its clients that a member has on disk.
    pub(super) fn own_batches(&self, member: MemberIndex) -> usize {
        let records = self.nodes[usize::from(member)].disk.iter();
        let decoded = records.map(|bytes| Record::<Ed25519>::decode(bytes, &self.voters).unwrap());
        decoded.filter(|record| matches!(record, Record::Batch(batch) if batch.sequence() >= 1 << 40)).count()
    }

    /// Checks that members agree, and that the chain has no transaction twice.
    pub(super) fn on_commit(&mut self, member: MemberIndex, delivery: Delivery<Ed25519>) -> Verdict {
        let CertifiedBlock { block, finality } = &delivery.certified;
        finality.verify(&self.voters, block).map_err(|e| e.to_string())?;
        let headers: Vec<_> = delivery.batches.iter().map(|batch| *batch.header()).collect();
        ensure(headers == block.payload, || format!("other batches at height {}", block.height))?;
        let height = block.height;
        for (other, node) in self.nodes.iter().enumerate() {
            let agrees =
                node.blocks.get(height as usize - 1).is_none_or(|known| known.certified.block == *block);
            ensure(agrees, || format!("{member} and {other} have different blocks at height {height}"))?;
        }
        let node = &mut self.nodes[usize::from(member)];
        ensure(node.delivered + 1 == height, || format!("{member} skips to height {height}"))?;
        node.delivered = height;
        if node.blocks.len() as u64 >= height {
            return Ok(());
        }
        let before = node.blocks.iter().flat_map(|one| &one.batches);
        let mut seen: BTreeSet<_> = before.flat_map(|batch| batch.ids()).collect();
        let is_new = delivery.batches.iter().flat_map(|batch| batch.ids()).all(|id| seen.insert(id));
        ensure(is_new, || format!("a transaction is twice in the chain, again at height {height}"))?;
        node.blocks.push(delivery);
        Ok(())
    }

    pub(super) fn submit(&mut self, numbers: std::ops::Range<u32>) -> Verdict {
        for number in numbers {
            let up: Vec<_> = (0..MEMBERS)
                .filter(|m| self.nodes[usize::from(*m)].machine.is_some() && self.away != Some(*m))
                .collect();
            let Some(member) = up.choose(&mut self.rng).copied() else { continue };
            self.submit_at(member, number)?;
        }
        Ok(())
    }

    pub(super) fn submit_at(&mut self, member: MemberIndex, number: u32) -> Verdict {
        let Some(machine) = &self.nodes[usize::from(member)].machine else { return Ok(()) };
        let batch = Batch::new(member, machine.next_sequence(), [number.to_le_bytes()]).unwrap();
        self.input(member, Input::Command(Command::Submit(Arc::new(batch))))
    }

    /// Delivers a message, fires timers if none is in flight, and restarts members that are down. Returns false if nothing
    /// is left to do.
    pub(super) fn turn(&mut self) -> Result<bool, String> {
        let down: Vec<_> = (0..MEMBERS).filter(|m| self.nodes[usize::from(*m)].machine.is_none()).collect();
        if let Some(member) = down.choose(&mut self.rng).copied()
            && (self.in_flight.is_empty() || self.rng.random_bool(0.01))
        {
            return self.restart(member).map(|()| true);
        }
        let member = self.rng.random_range(0..MEMBERS);
        if self.rng.random_bool(0.2) && self.execute(member)? {
            return Ok(true);
        }
        if !self.in_flight.is_empty() {
            let place = self.rng.random_range(0..self.in_flight.len());
            let (from, to, bytes) = self.in_flight.swap_remove(place);
            let node = &self.nodes[usize::from(to)];
            let Some(machine) = node.machine.as_ref().filter(|_| self.away != Some(to)) else {
                return Ok(true);
            };
            if self.rng.random_bool(self.faults.loss) {
                return Ok(true);
            }
            let message = match machine.decode(from, &bytes) {
                Err(_) if self.twin.is_some() && from == LIAR => return Ok(true),
                decoded => decoded.map_err(|e| format!("{to} from {from}: {e}"))?,
            };
            assert_eq!(message.encode(), bytes);
            return self.input(to, Input::Message { from, message }).map(|()| true);
        }
        for member in 0..MEMBERS {
            if self.execute(member)? {
                return Ok(true);
            }
        }
        if let Some(away) = self.away {
            self.nodes[usize::from(away)].timers.clear();
        }
        let Some(next) = self.nodes.iter().flat_map(|node| node.timers.values()).min().copied() else {
            return Ok(false);
        };
        self.now = self.now.max(next);
        for member in 0..MEMBERS {
            for timer in [Timer::Resend, Timer::Join] {
                let timers = &mut self.nodes[usize::from(member)].timers;
                if timers.get(&timer).is_some_and(|at| *at <= self.now) {
                    timers.remove(&timer);
                    self.input(member, Input::Timer(timer))?;
                }
            }
        }
        Ok(true)
    }

    pub(super) fn run(&mut self, turns: usize) -> Verdict {
        for _ in 0..turns {
            if !self.turn()? {
                return Ok(());
            }
        }
        Err(format!("no end after {turns} turns: {:?}", self.heights()))
    }

    /// Runs until the honest members have committed all that they accepted. The last member may never fall silent.
    pub(super) fn run_honest(&mut self, turns: usize) -> Verdict {
        for turn in 0..turns {
            let is_done = turn % 100 == 0
                && (0..LIAR).all(|member| {
                    let machine = self.nodes[usize::from(member)].machine.as_ref();
                    machine.is_some_and(|machine| machine.pending() == 0)
                        && self.nodes[usize::from(member)].blocks.len() == self.heights()[0]
                });
            if is_done || !self.turn()? {
                return Ok(());
            }
        }
        Err(format!("no end after {turns} turns: {:?}", self.heights()))
    }

    pub(super) fn heights(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.blocks.len()).collect()
    }

    pub(super) fn committed(&self, member: MemberIndex) -> BTreeSet<u32> {
        let batches = self.nodes[usize::from(member)].blocks.iter().flat_map(|one| &one.batches);
        batches.flat_map(|batch| batch.transactions()).map(number).collect()
    }
}

/// The same input again.
fn copy<S: ThresholdScheme>(input: &Input<Chain<S, Ed25519>>) -> Input<Chain<S, Ed25519>> {
    match input {
        Input::Start => Input::Start,
        Input::Timer(timer) => Input::Timer(*timer),
        Input::Command(command) => Input::Command(command.clone()),
        Input::Message { from, message } => Input::Message { from: *from, message: message.clone() },
    }
}

pub(super) fn number(transaction: &[u8]) -> u32 {
    u32::from_le_bytes(transaction.try_into().unwrap())
}
