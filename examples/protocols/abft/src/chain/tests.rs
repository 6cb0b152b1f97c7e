//! Members on a network that delays, loses and reorders messages, with crashes between the write of records and the
//! sending of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::certificate::Vote;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Step, Time, TimerChange};
use quorate::merkle::Hash;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::threshold::Threshold;
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::wire::{Decode, Encode, domain};
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::*;
use crate::epoch::{self, Encryption};
use crate::signatures::Ed25519List;
use crate::testing::{Keys, Verdict, ensure, seeds};
use crate::{acs, prbc, rbc};

type Member = Chain<Ed25519List, Ed25519>;

const MEMBERS: u16 = 4;
/// What a run does besides the protocol.
#[derive(Clone, Copy)]
struct Faults {
    /// Probability that a member crashes in a step, before or after its messages leave.
    crash: f64,
    /// Probability that a message is lost.
    loss: f64,
    /// A driver with the flaw that it sends before it writes: a crash loses the records of sent messages.
    sends_first: bool,
}

const CALM: Faults = Faults { crash: 0.0, loss: 0.0, sends_first: false };
const ROUGH: Faults = Faults { crash: 0.02, loss: 0.1, sends_first: false };

/// A member's process and its disk.
#[derive(Default)]
struct Node {
    machine: Option<Member>,
    disk: Vec<Vec<u8>>,
    /// The chain, as far as it is on disk.
    blocks: Vec<Delivery<Ed25519>>,
    /// The states that the application has executed; the first is that before all blocks.
    states: Vec<Executed>,
    /// Number of blocks that the running machine delivered.
    delivered: u64,
    timer: Option<Time>,
}

struct World {
    keys: Keys<Ed25519List>,
    voters: Arc<Committee<Ed25519>>,
    parameters: Parameters,
    /// Of each member; empty without encryption.
    encryption: Vec<Encryption>,
    nodes: Vec<Node>,
    in_flight: Vec<(MemberIndex, MemberIndex, Vec<u8>)>,
    rng: StdRng,
    now: Time,
    faults: Faults,
    /// The transactions whose batches are on a disk.
    accepted: BTreeSet<u32>,
    /// The digest that a member voted for, by height and member.
    voted: BTreeMap<(u64, MemberIndex), Hash>,
    crashes: usize,
    /// A member that hears nothing and is not restarted.
    away: Option<MemberIndex>,
}

fn secret(member: u16) -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[member as u8 + 1; 32]).unwrap()
}

fn chain_id() -> ChainId {
    ChainId::from_name("tests")
}

impl World {
    fn new(seed: u64, faults: Faults) -> Self {
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
            voted: BTreeMap::new(),
            crashes: 0,
            away: None,
        };
        (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
        world
    }

    /// Starts a member from its disk.
    fn restart(&mut self, member: MemberIndex) -> Verdict {
        let node = &self.nodes[usize::from(member)];
        let executed = *node.states.last().unwrap();
        let ids = |delivery: &Delivery<_>| delivery.batches.iter().flat_map(|b| b.ids().to_vec()).collect();
        let recent = node.blocks.iter().take(executed.height as usize).map(ids);
        let config = Config {
            setup: self.keys.setup.clone(),
            secrets: self.keys.secrets[usize::from(member)].clone(),
            encryption: self.encryption.get(usize::from(member)).cloned(),
            chain: chain_id(),
            voters: self.voters.clone(),
            executed,
            recent_states: node.states.clone(),
            recent_transactions: (1..).zip(recent).collect(),
            first_sequence: 1 << 40,
            entropy: Zeroizing::new(self.rng.random()),
            parameters: self.parameters,
        };
        let decoded = |bytes: &Vec<u8>| Record::decode(bytes, &self.voters).unwrap();
        let records: Vec<Record<Ed25519>> = node.disk.iter().map(decoded).collect();
        assert!(records.iter().zip(&node.disk).all(|(record, bytes)| record.encode() == *bytes));
        let machine = Member::restore(config, secret(member), records).map_err(|e| e.to_string())?;
        let node = &mut self.nodes[usize::from(member)];
        (node.machine, node.delivered, node.timer) = (Some(machine), executed.height, None);
        self.input(member, Input::Start)
    }

    /// Executes the next delivered block of a member. Returns false if there is none.
    fn execute(&mut self, member: MemberIndex) -> Result<bool, String> {
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

    fn input(&mut self, member: MemberIndex, input: Input<Member>) -> Verdict {
        let now = self.now;
        let Some(machine) = &mut self.nodes[usize::from(member)].machine else { return Ok(()) };
        let step = machine.handle(now, input);
        self.carry_out(member, step)
    }

    fn carry_out(&mut self, member: MemberIndex, step: Step<Member>) -> Verdict {
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
            node.timer = None;
            self.crashes += 1;
        }
        ensure(step.faults.is_empty(), || format!("{member} blames {:?}", step.faults))?;
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) if is_written => self.on_commit(member, *delivery)?,
                Output::Serve { to, from } if !has_crashed => self.serve(member, to, from),
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
            let TimerChange::Set { after, .. } = change else { panic!("no timer is cancelled") };
            self.nodes[usize::from(member)].timer = Some(self.now.plus(after));
        }
        for outgoing in step.messages {
            let receives = |to: &MemberIndex| match outgoing.to {
                Recipient::One(one) => *to == one,
                Recipient::Others => *to != member,
            };
            if let Message::Vote(vote) = &outgoing.message {
                let (height, digest) = (vote.statement().view, vote.statement().digest);
                let before = *self.voted.entry((height, member)).or_insert(digest);
                ensure(before == digest, || format!("{member} votes twice at height {height}"))?;
            }
            let bytes = outgoing.message.encode();
            self.in_flight.extend((0..MEMBERS).filter(receives).map(|to| (member, to, bytes.clone())));
        }
        Ok(())
    }

    fn serve(&mut self, member: MemberIndex, to: MemberIndex, from: u64) {
        let blocks = self.nodes[usize::from(member)].blocks.iter();
        let page = blocks.filter(|one| one.certified.block.height >= from).take(PAGE as usize);
        let mut send = |message: Message<Ed25519List, Ed25519>| {
            self.in_flight.push((member, to, message.encode()));
        };
        for Delivery { certified, batches } in page {
            send(Message::Block(certified.clone()));
            batches.iter().for_each(|batch| send(Message::Batch(batch.clone())));
        }
    }

    /// Drops records of epochs, as the store does.
    fn prune(&mut self, member: MemberIndex, up_to: u64) {
        let is_needed = |bytes: &Vec<u8>| match Record::<Ed25519>::decode(bytes, &self.voters).unwrap() {
            Record::Input { height, .. } | Record::Proposal { height, .. } => height > up_to,
            _ => true,
        };
        self.nodes[usize::from(member)].disk.retain(is_needed);
    }

    fn prune_batches(&mut self, member: MemberIndex, digests: &[Hash]) {
        let is_left = |bytes: &Vec<u8>| match Record::<Ed25519>::decode(bytes, &self.voters).unwrap() {
            Record::Batch(batch) => !digests.contains(&batch.digest().0),
            _ => true,
        };
        self.nodes[usize::from(member)].disk.retain(is_left);
    }

    /// The batches of its clients that a member has on disk.
    fn own_batches(&self, member: MemberIndex) -> usize {
        let records = self.nodes[usize::from(member)].disk.iter();
        let decoded = records.map(|bytes| Record::<Ed25519>::decode(bytes, &self.voters).unwrap());
        decoded.filter(|record| matches!(record, Record::Batch(batch) if batch.sequence() >= 1 << 40)).count()
    }

    /// Checks that members agree, and that the chain has no transaction twice.
    fn on_commit(&mut self, member: MemberIndex, delivery: Delivery<Ed25519>) -> Verdict {
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

    fn submit(&mut self, numbers: std::ops::Range<u32>) -> Verdict {
        for number in numbers {
            let up: Vec<_> = (0..MEMBERS)
                .filter(|m| self.nodes[usize::from(*m)].machine.is_some() && self.away != Some(*m))
                .collect();
            let Some(member) = up.choose(&mut self.rng).copied() else { continue };
            self.submit_at(member, number)?;
        }
        Ok(())
    }

    fn submit_at(&mut self, member: MemberIndex, number: u32) -> Verdict {
        let Some(machine) = &self.nodes[usize::from(member)].machine else { return Ok(()) };
        let batch = Batch::new(member, machine.next_sequence(), [number.to_le_bytes()]).unwrap();
        self.input(member, Input::Command(Command::Submit(Arc::new(batch))))
    }

    /// Delivers a message, fires timers if none is in flight, and restarts members that are down. Returns false if nothing
    /// is left to do.
    fn turn(&mut self) -> Result<bool, String> {
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
            let message = machine.decode(from, &bytes).map_err(|e| format!("{to} from {from}: {e}"))?;
            assert_eq!(message.encode(), bytes);
            return self.input(to, Input::Message { from, message }).map(|()| true);
        }
        for member in 0..MEMBERS {
            if self.execute(member)? {
                return Ok(true);
            }
        }
        let Some(next) = self.nodes.iter().filter_map(|node| node.timer).min() else { return Ok(false) };
        self.now = self.now.max(next);
        for member in 0..MEMBERS {
            if self.nodes[usize::from(member)].timer.take_if(|at| *at <= self.now).is_some() {
                self.input(member, Input::Timer(Timer::Resend))?;
            }
        }
        Ok(true)
    }

    fn run(&mut self, turns: usize) -> Verdict {
        for _ in 0..turns {
            if !self.turn()? {
                return Ok(());
            }
        }
        Err(format!("no end after {turns} turns: {:?}", self.heights()))
    }

    fn heights(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.blocks.len()).collect()
    }

    fn committed(&self, member: MemberIndex) -> BTreeSet<u32> {
        let batches = self.nodes[usize::from(member)].blocks.iter().flat_map(|one| &one.batches);
        batches.flat_map(|batch| batch.transactions()).map(number).collect()
    }
}

fn number(transaction: &[u8]) -> u32 {
    u32::from_le_bytes(transaction.try_into().unwrap())
}

/// Runs through faults, and then without them until the network is idle. All that is submitted after the faults commits.
fn run(seed: u64, faults: Faults) -> Result<World, String> {
    let mut world = World::new(seed, faults);
    for part in 0..4 {
        world.submit(part * 5..part * 5 + 5)?;
        for _ in 0..world.rng.random_range(0..600) {
            world.turn()?;
        }
    }
    world.faults = Faults { sends_first: faults.sends_first, ..CALM };
    for member in 0..MEMBERS {
        if world.nodes[usize::from(member)].machine.is_none() {
            world.restart(member)?;
        }
    }
    world.submit(100..110)?;
    world.run(60_000)?;
    for member in 0..MEMBERS {
        let committed = world.committed(member);
        ensure((100..110).all(|number| committed.contains(&number)), || {
            format!("{member} has {committed:?}")
        })?;
        // A driver that sends before it writes may lose what it accepted.
        ensure(faults.sends_first || world.accepted.is_subset(&committed), || {
            format!("{member} lacks some of {:?}: {committed:?}", world.accepted)
        })?;
        ensure(committed == world.committed(0), || "members have different transactions".to_owned())?;
        ensure(faults.sends_first || world.own_batches(member) == 0, || {
            "settled batches are left".to_owned()
        })?;
    }
    Ok(world)
}

#[test]
fn members_agree_on_a_chain_and_fall_silent() {
    for seed in seeds(4) {
        let world = run(seed, CALM).unwrap();
        assert_eq!(world.committed(0).len(), 30);
        assert!(world.nodes.iter().all(|node| node.machine.as_ref().unwrap().pending() == 0));
    }
}

#[test]
fn encrypted_transactions_survive_restarts() {
    let mut world = World::new(2, CALM);
    let mut rng = StdRng::seed_from_u64(0);
    let threshold = Threshold::new(2, MEMBERS).unwrap();
    let (public, shares) = PublicKeys::deal(world.keys.setup.committee, threshold, &mut rng).unwrap();
    let (key, public) = (Arc::new(EncryptionKey::from_public_keys(&public)), Arc::new(public));
    let encryption = |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
    world.encryption = shares.into_iter().map(encryption).collect();
    (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
    world.in_flight.clear();
    (0..MEMBERS).for_each(|member| world.submit_at(member, member.into()).unwrap());
    for _ in 0..3 {
        (0..60).for_each(|_| assert!(world.turn().unwrap()));
        (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
    }
    world.run(60_000).unwrap();
    assert!((0..MEMBERS).all(|member| world.committed(member) == (0..4).collect()));
}

#[test]
fn crashes_and_losses_contradict_nothing_and_end() {
    let mut crashes = 0;
    for seed in seeds(12) {
        crashes += run(seed, ROUGH).unwrap_or_else(|problem| panic!("seed {seed}: {problem}")).crashes;
    }
    assert!(crashes > 20, "{crashes} crashes");
}

#[test]
fn sending_before_writing_is_noticed() {
    let flawed = Faults { crash: 0.05, sends_first: true, ..ROUGH };
    assert!((0..40).any(|seed| run(seed, flawed).is_err()));
}

#[test]
fn all_members_are_killed_at_once_and_continue() {
    let mut world = World::new(7, CALM);
    // As many for each member as it proposes at once.
    (0..8_u32).for_each(|number| world.submit_at(number as MemberIndex % MEMBERS, number).unwrap());
    for turns in [40, 200, 400] {
        (0..turns).for_each(|_| assert!(world.turn().unwrap()));
        world.in_flight.clear();
        for member in 0..MEMBERS {
            world.nodes[usize::from(member)].timer = None;
            world.restart(member).unwrap();
        }
    }
    // What was proposed is on disk.
    world.run(60_000).unwrap();
    assert_eq!(world.committed(0), (0..8).collect());
    assert!((1..MEMBERS).all(|member| world.committed(member) == world.committed(0)));
}

#[test]
fn a_member_that_was_away_gets_the_blocks() {
    let mut world = World::new(3, CALM);
    world.away = Some(3);
    for part in 0..20 {
        world.submit(part * 4..part * 4 + 4).unwrap();
        world.run(60_000).unwrap();
    }
    assert!(world.heights()[3] == 0 && world.heights()[0] > PAGE as usize, "{:?}", world.heights());
    world.away = None;
    world.restart(3).unwrap();
    world.run(60_000).unwrap();
    assert_eq!((world.heights()[3], world.committed(3)), (world.heights()[0], (0..80).collect()));
}

#[test]
fn messages_of_far_heights_cost_nothing() {
    let mut world = World::new(1, CALM);
    world.submit(0..4).unwrap();
    while world.in_flight.is_empty() {
        assert!(world.turn().unwrap());
    }
    let (from, to, bytes) = world.in_flight.iter().find(|(_, _, bytes)| bytes[0] == 1).unwrap().clone();
    let machine = world.nodes[usize::from(to)].machine.as_mut().unwrap();
    for height in [0, 3, u64::MAX] {
        let mut far = bytes.clone();
        far[1..9].copy_from_slice(&height.to_le_bytes());
        let message = machine.decode(from, &far).unwrap();
        assert!(machine.handle(Time(0), Input::Message { from, message }).is_empty(), "{height}");
    }
}

/// A message that is repeated is recorded once, and the number of different ones is bounded.
#[test]
fn floods_do_not_fill_the_disk() {
    let mut world = World::new(1, CALM);
    world.submit(0..4).unwrap();
    let (from, to, bytes) = world.in_flight.iter().find(|(_, _, bytes)| bytes[0] == 1).unwrap().clone();
    let machine = world.nodes[usize::from(to)].machine.as_mut().unwrap();
    let message = machine.decode(from, &bytes).unwrap();
    let mut handle = |message| machine.handle(Time(0), Input::Message { from, message });
    assert!(!handle(message.clone()).persist.is_empty());
    assert!((0..10).all(|_| handle(message.clone()).is_empty()));
    let (mut records, mut faults) = (0, 0);
    for number in 0..3000_u64 {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&number.to_le_bytes());
        let ready = prbc::Message::Broadcast(rbc::Message::Ready(id));
        let message = epoch::Message::Subset(acs::Message::Broadcast { sender: from, message: ready });
        let step = handle(Message::Epoch { height: 1, message });
        records += step.persist.len();
        faults += step.faults.len();
    }
    assert!((100..1000).contains(&records) && faults > 2000, "{records} records, {faults} faults");
}

#[test]
fn forged_blocks_and_votes_name_their_sender() {
    let mut world = run(5, CALM).unwrap();
    let known: Vec<_> = world.nodes[0].blocks.clone();
    let states = world.nodes[1].states[..1].to_vec();
    world.nodes[1] = Node { states, ..Node::default() };
    world.restart(1).unwrap();
    let machine = world.nodes[1].machine.as_mut().unwrap();
    let first = &known[0].certified;
    let mut handle = |from, message| machine.handle(Time(0), Input::Message { from, message });
    let mut forged = (*first.block).clone();
    forged.payload.clear();
    let forged = CertifiedBlock { block: Arc::new(forged), ..first.clone() };
    let step = handle(2, Message::Block(forged));
    assert!(step.outputs.is_empty() && step.faults.len() == 1 && step.faults[0].culprit == 2);
    let other = CertifiedBlock { finality: known[1].certified.finality.clone(), ..first.clone() };
    let step = handle(2, Message::Block(other));
    assert_eq!((step.outputs.len(), step.faults.len()), (0, 1));
    let statement = world.voters.statement(BLOCK, 1, [9; 32]);
    let vote = Vote::sign_unguarded(&secret(3), &world.voters, statement).unwrap();
    let step = handle(2, Message::Vote(vote));
    assert_eq!(step.faults[0].culprit, 2, "it sent the vote of another member");
    // Batches count only for a block that is certified, and complete it.
    assert!(handle(0, Message::Batch(known[0].batches[0].clone())).is_empty());
    let mut step = handle(0, Message::Block(first.clone()));
    assert!(step.outputs.is_empty());
    let alien = Batch::new(0, 1, ["another"]).unwrap();
    assert!(handle(0, Message::Batch(Arc::new(alien))).is_empty());
    for batch in &known[0].batches {
        step = handle(0, Message::Batch(batch.clone()));
    }
    assert!(matches!(&step.outputs[0], Output::Deliver(delivery) if **delivery == known[0]), "{step:?}");
}

#[test]
fn batches_that_cannot_be_ordered_are_refused() {
    let mut world = World::new(1, CALM);
    let machine = world.nodes[0].machine.as_mut().unwrap();
    let mut submit = |author, sequence, transactions: &[Vec<u8>]| {
        let batch = Arc::new(Batch::new(author, sequence, transactions).unwrap());
        let step = machine.handle(Time(0), Input::Command(Command::Submit(batch)));
        let is_recorded = step.persist.iter().any(|record| matches!(record, Record::Batch(_)));
        (is_recorded, step.outputs.contains(&Output::Refused { sequence }))
    };
    assert_eq!(submit(0, 1, &[vec![1], Vec::new()]), (false, true), "an empty transaction");
    assert_eq!(submit(0, 2, &[vec![1; 1 << 17]]), (false, true), "longer than a proposal");
    assert_eq!(submit(1, 3, &[vec![1]]), (false, true), "the batch of another member");
    assert_eq!(submit(0, 4, &[vec![1]]), (true, false));
    assert_eq!(submit(0, 4, &[vec![2]]), (false, false), "a number that is used");
}

#[test]
fn clients_wait_while_much_is_pending() {
    let mut world = World::new(1, CALM);
    world.parameters.pending = 10;
    world.restart(0).unwrap();
    let machine = world.nodes[0].machine.as_mut().unwrap();
    let mut outputs = Vec::new();
    for sequence in 1..=30 {
        let batch = Arc::new(Batch::new(0, sequence, [sequence.to_le_bytes()]).unwrap());
        outputs.extend(machine.handle(Time(0), Input::Command(Command::Submit(batch))).outputs);
    }
    assert_eq!(outputs[0], Output::Congestion(true));
    let refused: Vec<_> = (22..=30).map(|sequence| Output::Refused { sequence }).collect();
    assert_eq!(outputs[1..], refused, "above twice the limit");
}

#[test]
fn a_member_whose_application_differs_is_noticed() {
    let mut world = World::new(9, CALM);
    world.nodes[2].states[0].state_root = [6; 32];
    world.restart(2).unwrap();
    world.submit_at(0, 1).unwrap();
    let problem = world.run(60_000).unwrap_err();
    assert!(problem.contains("2 blames") && problem.contains("OtherBlock"), "{problem}");
}
