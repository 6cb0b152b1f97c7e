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
use quorate::wire::{Decode, Encode};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::running::Running;
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
struct Node {
    machine: Option<Member>,
    disk: Vec<Vec<u8>>,
    blocks: Vec<Arc<CertifiedBlock<Ed25519>>>,
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
        let node = || Node { machine: None, disk: Vec::new(), blocks: Vec::new(), timer: None };
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
            voted: BTreeMap::new(),
            crashes: 0,
            away: None,
        };
        (0..MEMBERS).for_each(|member| world.restart(member).unwrap());
        world
    }

    /// Starts a member from its disk.
    fn restart(&mut self, member: MemberIndex) -> Verdict {
        let config = Config {
            setup: self.keys.setup.clone(),
            secrets: self.keys.secrets[usize::from(member)].clone(),
            encryption: self.encryption.get(usize::from(member)).cloned(),
            voters: self.voters.clone(),
            seed: Zeroizing::new([member as u8; 32]),
            parameters: self.parameters,
        };
        let fresh = |config| Member::restore(config, secret(member), chain_id(), Vec::new());
        let node = &self.nodes[usize::from(member)];
        let machine = if node.disk.is_empty() {
            fresh(config).unwrap()
        } else {
            let limits = Limits {
                epoch: Running::new(&config, 0).unwrap().epoch().limits(),
                block: BlockContext { committee: self.voters.clone(), max_bytes: 1 << 20 },
            };
            let decoded = |bytes: &Vec<u8>| Record::decode(bytes, &limits).unwrap();
            let records: Vec<_> = node.disk.iter().map(decoded).collect();
            assert!(records.iter().zip(&node.disk).all(|(record, bytes)| record.encode() == *bytes));
            Member::restore(config, secret(member), chain_id(), records).map_err(|e| e.to_string())?
        };
        self.nodes[usize::from(member)].machine = Some(machine);
        self.input(member, Input::Start)
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
        }
        if has_crashed {
            node.machine = None;
            node.timer = None;
            self.crashes += 1;
        }
        ensure(step.faults.is_empty(), || format!("{member} blames {:?}", step.faults))?;
        for output in step.outputs {
            match output {
                Output::Committed(block) if is_written => self.on_commit(member, block)?,
                Output::Committed(_) => {}
                Output::Serve { to, from } if !has_crashed => {
                    let blocks = &self.nodes[usize::from(member)].blocks;
                    let page = blocks.iter().filter(|block| block.block.height >= from).take(PAGE as usize);
                    for block in page {
                        let message: Message<Ed25519List, Ed25519> = Message::Block(block.clone());
                        self.in_flight.push((member, to, message.encode()));
                    }
                }
                Output::Serve { .. } => {}
                other => return Err(format!("{member}: {other:?}")),
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

    /// Checks that members agree, and that the chain has no transaction twice.
    fn on_commit(&mut self, member: MemberIndex, block: Arc<CertifiedBlock<Ed25519>>) -> Verdict {
        block.check(&self.voters).map_err(|e| e.to_string())?;
        let height = block.block.height;
        for (other, node) in self.nodes.iter().enumerate() {
            let agrees = node.blocks.get(height as usize - 1).is_none_or(|known| known.block == block.block);
            ensure(agrees, || format!("{member} and {other} have different blocks at height {height}"))?;
        }
        let node = &mut self.nodes[usize::from(member)];
        ensure(node.blocks.len() as u64 + 1 == height, || format!("{member} skips to height {height}"))?;
        let mut seen: BTreeSet<_> = node.blocks.iter().flat_map(|block| &block.block.transactions).collect();
        let is_new = block.block.transactions.iter().all(|transaction| seen.insert(transaction));
        ensure(is_new, || format!("a transaction is twice in the chain, again at height {height}"))?;
        node.blocks.push(block);
        Ok(())
    }

    fn submit(&mut self, numbers: std::ops::Range<u32>) -> Verdict {
        for number in numbers {
            let up: Vec<_> = (0..MEMBERS)
                .filter(|m| self.nodes[usize::from(*m)].machine.is_some() && self.away != Some(*m))
                .collect();
            let Some(member) = up.choose(&mut self.rng).copied() else { continue };
            self.input(member, Input::Command(Command::Submit(number.to_le_bytes().to_vec())))?;
        }
        Ok(())
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
        let blocks = self.nodes[usize::from(member)].blocks.iter();
        let transactions = blocks.flat_map(|block| &block.block.transactions);
        transactions.map(|one| u32::from_le_bytes(one[..].try_into().unwrap())).collect()
    }
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
        ensure(committed == world.committed(0), || "members have different transactions".to_owned())?;
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
    for number in 0..MEMBERS {
        let command = Command::Submit(u32::from(number).to_le_bytes().to_vec());
        world.input(number, Input::Command(command)).unwrap();
    }
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
    for number in 0..8_u32 {
        let command = Command::Submit(number.to_le_bytes().to_vec());
        world.input(number as MemberIndex % MEMBERS, Input::Command(command)).unwrap();
    }
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
    let known = world.nodes[0].blocks.clone();
    world.nodes[1].disk.clear();
    world.nodes[1].blocks.clear();
    world.restart(1).unwrap();
    let machine = world.nodes[1].machine.as_mut().unwrap();
    let mut forged = (*known[0]).clone();
    forged.block.transactions.push(b"more".to_vec());
    let step = machine.handle(Time(0), Input::Message { from: 2, message: Message::Block(Arc::new(forged)) });
    assert!(step.outputs.is_empty() && step.faults.len() == 1 && step.faults[0].culprit == 2);
    let other = CertifiedBlock { certificate: known[1].certificate.clone(), ..(*known[0]).clone() };
    let step = machine.handle(Time(0), Input::Message { from: 2, message: Message::Block(Arc::new(other)) });
    assert_eq!((step.outputs.len(), step.faults.len()), (0, 1));
    let statement = world.voters.statement(BLOCK, 1, [9; 32]);
    let vote = Vote::sign_unguarded(&secret(3), &world.voters, statement).unwrap();
    let step = machine.handle(Time(0), Input::Message { from: 2, message: Message::Vote(vote) });
    assert_eq!(step.faults[0].culprit, 2, "it sent the vote of another member");
    let step = machine.handle(Time(0), Input::Message { from: 0, message: Message::Block(known[0].clone()) });
    assert!(matches!(&step.outputs[..], [Output::Committed(block)] if *block == known[0]));
}

#[test]
fn transactions_that_cannot_be_ordered_are_refused() {
    let mut world = World::new(1, CALM);
    let machine = world.nodes[0].machine.as_mut().unwrap();
    let mut submit = |transaction: Vec<u8>| {
        let step = machine.handle(Time(0), Input::Command(Command::Submit(transaction)));
        step.outputs.into_iter().find_map(|output| match output {
            Output::Refused { error, .. } => Some(error.code()),
            _ => None,
        })
    };
    assert_eq!(submit(Vec::new()), Some("MALFORMED"));
    assert_eq!(submit(vec![1; 1 << 16]), Some("TOO_LARGE"));
    assert_eq!(submit(vec![1]), None);
    assert_eq!(submit(vec![1]), Some("WRONG_CONTEXT"));
    let refused = (0..200_u8).filter(|number| submit(vec![2, *number]).is_some()).count();
    assert_eq!(refused, 0, "a hundred thousand may be pending");
}
