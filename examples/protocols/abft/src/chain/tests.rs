//! Tests of the chain.

mod byzantine;
mod presigned;
mod world;

use std::sync::Arc;

use quorate::certificate::{Vote, VoteCollector};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Time};
use quorate::threshold::Threshold;
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::wire::Encode;
use quorate_protocol::batch::{Batch, TRANSACTIONS};
use quorate_protocol::pruned_peers::PrunedHistory;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::epoch::{self, Encryption};
use crate::testing::{ensure, seeds};
use crate::{acs, prbc, rbc};
use world::{CALM, Faults, MEMBERS, Node, ROUGH, SchemeWorld, World, WorldScheme, secret};

/// Runs through faults, and then without them until the network is idle. All that is submitted after the faults commits.
fn run(seed: u64, faults: Faults) -> Result<World, String> {
    complete(World::new(seed, faults), faults)
}

/// As [`run`], in a world that was prepared.
fn complete<S: WorldScheme>(mut world: SchemeWorld<S>, faults: Faults) -> Result<SchemeWorld<S>, String> {
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
            world.nodes[usize::from(member)].timers.clear();
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
    world.served = 0;
    world.restart(3).unwrap();
    world.run(60_000).unwrap();
    // Each of three members answers once per page; lost and reordered messages cost some more.
    let pages = world.heights()[0].div_ceil(PAGE as usize);
    assert!(world.served <= 6 * pages, "{} answers for {pages} pages", world.served);
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

/// An answer of a few bytes makes a member repeat its messages only once.
#[test]
fn ends_that_nothing_asked_for_repeat_nothing() {
    let mut world = World::new(1, CALM);
    world.submit_at(0, 1).unwrap();
    let machine = world.nodes[0].machine.as_mut().unwrap();
    let mut end = || {
        let message = Message::End { next: 1, tip: 0 };
        machine.handle(Time(0), Input::Message { from: 2, message }).messages.len()
    };
    assert!(end() > 0);
    assert!((0..10).all(|_| end() == 0));
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
    assert!((100..1700).contains(&records) && faults > 1000, "{records} records, {faults} faults");
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

/// Otherwise a member follows busy ones at the distance of its timer.
#[test]
fn a_member_asks_all_others_once_an_answer_is_complete() {
    let mut world = run(5, CALM).unwrap();
    let first = world.nodes[0].blocks[0].clone();
    let states = world.nodes[1].states[..1].to_vec();
    world.nodes[1] = Node { states, ..Node::default() };
    world.restart(1).unwrap();
    let machine = world.nodes[1].machine.as_mut().unwrap();
    let mut questions = |message| {
        let step = machine.handle(Time(0), Input::Message { from: 2, message });
        let is_question = |outgoing: &&Outgoing<_>| {
            outgoing.to == Recipient::Others && matches!(outgoing.message, Message::Status { height: 2 })
        };
        step.messages.iter().filter(is_question).count()
    };
    assert_eq!(questions(Message::Block(first.certified.clone())), 0);
    assert!(first.batches.iter().all(|batch| questions(Message::Batch(batch.clone())) == 0));
    let end = || Message::End { next: 2, tip: 1 };
    assert_eq!([questions(end()), questions(end())], [1, 0]);
}

/// Members that lost their records may certify another chain.
#[test]
fn a_certified_block_of_another_chain_is_compared() {
    let mut world = World::new(1, CALM);
    let executed = world.nodes[0].states[0];
    let block =
        Block { epoch: 0, height: 1, parent: block::BlockDigest([3; 32]), executed, payload: Vec::new() };
    let statement = world.voters.statement(BLOCK, 1, block.digest().0);
    let votes = (0..3).map(|member| Vote::sign_unguarded(&secret(member), &world.voters, statement).unwrap());
    let mut collector = VoteCollector::new(world.voters.clone(), BLOCK, 1);
    let certificates = votes.filter_map(|vote| collector.add(vote, &mut Default::default()).certificate);
    let finality = Arc::new(Finality(certificates.last().unwrap().into_inner()));
    let certified = CertifiedBlock { block: Arc::new(block), finality };
    let machine = world.nodes[0].machine.as_mut().unwrap();
    let step =
        machine.handle(Time(0), Input::Message { from: 2, message: Message::Block(certified.clone()) });
    assert_eq!(step.outputs, [Output::Compare { from: 2, certified }]);
    assert!(step.persist.is_empty() && machine.status().committed == 0);
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

/// A crash may leave a batch without its block, and batches of other members are recorded with blocks only.
#[test]
fn recorded_batches_without_a_use_are_pruned() {
    let mut world = World::new(1, CALM);
    let record = |author, sequence: u64| {
        let batch = Batch::new(author, sequence, [sequence.to_le_bytes()]).unwrap();
        Record::<Ed25519>::Batch(Arc::new(batch)).encode()
    };
    let (client, useless) = (record(0, 1 << 40), [record(0, 1), record(2, 1), record(0, (1 << 40) + 1)]);
    // An old block contains the transaction of the last one.
    world.committed.insert(TRANSACTIONS.leaf(&((1_u64 << 40) + 1).to_le_bytes()));
    world.nodes[0].disk.push(client.clone());
    world.nodes[0].disk.extend(useless.clone());
    world.restart(0).unwrap();
    let Node { machine, disk, .. } = &world.nodes[0];
    assert_eq!(machine.as_ref().unwrap().pending(), 1);
    assert!(disk.contains(&client) && !useless.iter().any(|record| disk.contains(record)));
}

/// The member names the others that have pruned its missing blocks, and asks for it only with the timer.
#[test]
fn members_that_pruned_the_next_block_are_listed() {
    let mut world = World::new(1, CALM);
    let machine = world.nodes[0].machine.as_mut().unwrap();
    for from in 1..3 {
        let message = Message::Pruned { oldest: 50, tip: 90 };
        let step = machine.handle(Time(0), Input::Message { from, message });
        assert!(step.faults.is_empty() && step.messages.is_empty());
    }
    let status = machine.status();
    assert_eq!(status.pruned_history, Some(PrunedHistory { height: 1, peers: [1, 2].into(), oldest: 50 }));
    assert!(status.catching_up);
    drop(machine.handle(Time(0), Input::Command(Command::Connected(2))));
    assert_eq!(machine.status().pruned_history.unwrap().peers, [1].into());
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
