//! Tests of the whole replica. There are four members with test keys; the replica is member 0.

mod epochs;
mod switches;
mod transactions;

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Vote};
use quorate::ed25519::Ed25519;
use quorate::gossip::Aggregate;
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Step, Time};
use quorate::scheme::Scheme;
use quorate::wire::Decode;

use super::phase::{Phase, VoteStep};
use super::votes::GOSSIP_INTERVAL;
use super::{Config, Replica};
use crate::block::{Block, Executed};
use crate::body::{Entries, UnsignedSegment};
use crate::digests::PayloadDigest;
use crate::finality::Finality;
use crate::interface::{Abstention, Command, Output, SigningHistory, Submission, Timer};
use crate::kinds::{PREPARE, TENTATIVE};
use crate::message::{Envelope, Message};
use crate::parameters::{Parameters, Schedule};
use crate::payload::{Payload, Transaction};
use crate::proposal::Proposal;
use crate::record::{Record, RecordKey};
use crate::testing::{GENESIS, T, anchor, block, certify, committees, secret, sign};

fn config() -> Config<T> {
    let c = committees::<T>(4);
    Config {
        anchor: anchor(&c),
        voters: c.voters,
        identities: c.identities,
        me: Some(0),
        voting_key: secret::<T>(0),
        identity_key: secret::<Ed25519>(0),
        executed: GENESIS,
        recent_states: Vec::new(),
        committed_transactions: Vec::new(),
        history: SigningHistory::Complete,
        schedule: Schedule::default(),
        parameters: Parameters::default(),
        entropy: [9; 32],
    }
}

/// Returns a replica in Stage I of round 1 that has learnt that the other members have just begun.
fn replica() -> Replica<T> {
    let mut replica = Replica::new(config(), []).unwrap();
    drop(replica.handle(Time(1_000), Input::Start));
    for member in [1, 2] {
        drop(give(&mut replica, member, Message::Welcome { committed: 0 }));
    }
    assert_eq!(replica.phase, Phase::Voting(VoteStep::Proposing));
    replica
}

fn give(replica: &mut Replica<T>, from: MemberIndex, message: Message<T>) -> Step<Replica<T>> {
    let (now, epoch) = (replica.now, replica.identity.committees.voters.epoch());
    replica.handle(now, Input::Message { from, message: message.in_epoch(epoch) })
}

/// Moves the clock to Stage II of a round.
fn second_stage(replica: &mut Replica<T>, round: u64) -> Step<Replica<T>> {
    let at = replica.schedule.second_stage(round);
    replica.handle(at, Input::Timer(Timer::Stage))
}

/// Returns a member's proposal of an empty first block in a round.
fn first(round: u64, member: u16) -> Arc<Proposal<T>> {
    let c = committees::<T>(4);
    let seed = anchor(&c).seed;
    sign(&c, block(&c, None, seed, round, member, &Payload::empty()), seed, round, member, None)
}

/// Returns a proposal of the same block in a later round.
fn repeat(of: &Proposal<T>, round: u64, member: u16, certificate: Certificate<T>) -> Arc<Proposal<T>> {
    let c = committees::<T>(4);
    sign(&c, of.block.clone(), anchor(&c).seed, round, member, Some(certificate))
}

fn quorum(kind: Kind, round: u64, of: &Proposal<T>) -> Certificate<T> {
    let c = committees::<T>(4);
    let ballot = c.ballot(of.block.height, of.block.digest());
    certify(&c.voters, c.voters.statement(kind, round, ballot))
}

fn votes(kind: Kind, round: u64, of: &Proposal<T>, members: &[u16]) -> Message<T> {
    let c = committees::<T>(4);
    let statement = c.voters.statement(kind, round, c.ballot(of.block.height, of.block.digest()));
    let vote = |member: &u16| {
        let vote = Vote::sign_unguarded(&secret::<T>(*member), &c.voters, statement).unwrap();
        Aggregate::from_vote(&vote.verify(&c.voters).unwrap(), &c.voters).unwrap()
    };
    let sum = members.iter().map(vote).reduce(|a, b| a.merge(&b, 255).unwrap()).unwrap();
    Message::Signatures(vec![sum.into_inner()])
}

fn keys(step: &Step<Replica<T>>) -> Vec<RecordKey> {
    step.persist.iter().map(Record::key).collect()
}

/// Returns the replica after it committed the block of member 1's proposal tentatively in round 1.
fn locked() -> (Replica<T>, Arc<Proposal<T>>, Vec<Record<T>>) {
    let mut replica = replica();
    let proposal = first(1, 1);
    drop(give(&mut replica, 1, Message::Proposal(proposal.clone())));
    let mut records = second_stage(&mut replica, 1).persist;
    assert_eq!(replica.status().prepared, 1);
    let step = give(&mut replica, 2, votes(PREPARE, 1, &proposal, &[1, 2]));
    let digest = proposal.block.digest();
    assert_eq!(
        keys(&step),
        [RecordKey::Block(digest), RecordKey::Lock, RecordKey::VoteGuard(TENTATIVE.number())],
        "the block, the lock and the guard are durable in the step in which the vote leaves"
    );
    assert_eq!(replica.status().locked, 1);
    records.extend(step.persist);
    (replica, proposal, records)
}

#[test]
fn two_quorums_commit_a_block() {
    let (mut replica, proposal, _) = locked();
    let step = give(&mut replica, 3, votes(TENTATIVE, 1, &proposal, &[1, 3]));
    let digest = proposal.block.digest();
    assert_eq!(keys(&step), [RecordKey::Committed(1), RecordKey::Lock], "the block is durable already");
    let delivered = step.outputs.iter().find_map(|output| match output {
        Output::Deliver(delivery) => Some(delivery),
        _ => None,
    });
    let delivery = delivered.expect("a delivery");
    assert_eq!((delivery.height, delivery.digest), (1, digest));
    assert!(delivery.finality.verify(replica.committees(), &delivery.block).is_ok());
    assert_eq!((replica.status().committed, replica.status().locked), (1, 0));
    assert_eq!(replica.status().round, 2, "the next round begins at once");
}

#[test]
fn one_block_is_prepared_and_only_in_stage_two() {
    let mut replica = replica();
    let (one, two) = (first(1, 1), first(1, 2));
    let step = give(&mut replica, 1, Message::Proposal(one));
    assert!(step.persist.is_empty() && replica.status().prepared == 0);
    drop(second_stage(&mut replica, 1));
    assert_eq!(replica.status().prepared, 1);
    let step = give(&mut replica, 2, Message::Proposal(two));
    assert!(step.persist.is_empty(), "one block per round");
}

#[test]
fn a_late_proposal_is_prepared_if_there_was_none() {
    let mut replica = replica();
    drop(second_stage(&mut replica, 1));
    assert_eq!(replica.status().prepared, 0);
    let step = give(&mut replica, 1, Message::Proposal(first(1, 1)));
    assert_eq!(keys(&step), [RecordKey::VoteGuard(PREPARE.number())]);
}

#[test]
fn a_lock_yields_to_another_block_with_a_later_certificate() {
    let (mut replica, proposal, _) = locked();
    // A new block in round 2 has the genesis as its certificate, of round 1: not later than the lock.
    let other = first(2, 2);
    drop(replica.handle(replica.schedule.begins(2), Input::Timer(Timer::Stage)));
    drop(give(&mut replica, 2, Message::Proposal(other.clone())));
    drop(second_stage(&mut replica, 2));
    // Its own proposal repeats the locked block, so it prepares that.
    assert_eq!(replica.safety.prepared().map(|p| p.block), Some(proposal.block.digest()));
    // In round 4 the other block comes with a quorum of round 3.
    let certificate = quorum(PREPARE, 3, &other);
    drop(replica.handle(replica.schedule.begins(4), Input::Timer(Timer::Stage)));
    let own = |replica: &Replica<T>| {
        let best = replica.rounds.states.get(&4).and_then(|round| round.best(1));
        best.map(|best| best.proposal.proposer)
    };
    for member in 1..4 {
        drop(give(&mut replica, member, Message::Proposal(repeat(&other, 4, member, certificate.clone()))));
    }
    let best = own(&replica).unwrap();
    let step = second_stage(&mut replica, 4);
    if best == 0 {
        assert_eq!(replica.safety.prepared().map(|p| p.block), Some(proposal.block.digest()));
    } else {
        assert_eq!(replica.safety.prepared().map(|p| p.block), Some(other.block.digest()));
        assert_eq!(keys(&step), [RecordKey::Lock, RecordKey::VoteGuard(PREPARE.number())]);
        assert_eq!(replica.status().locked, 0);
        assert!(
            step.outputs
                .iter()
                .any(|o| matches!(o, Output::PruneBlocks(blocks) if blocks[..] == [proposal.block.digest()]))
        );
    }
}

#[test]
fn the_locked_block_is_proposed_again_after_a_restart() {
    let (mut replica, proposal, records) = locked();
    let check = |replica: &mut Replica<T>| {
        let begins = replica.schedule.begins(2);
        let step = replica.handle(begins.plus(Duration::from_millis(1)), Input::Timer(Timer::Stage));
        let repeated = step.messages.iter().find_map(|sent| match &*sent.message {
            Message::Proposal(own) if own.proposer == 0 => Some(own.clone()),
            _ => None,
        });
        let own = repeated.expect("a proposal");
        assert!(own.is_repeated() && own.block == proposal.block && own.certified_round() == 1);
    };
    check(&mut replica);
    let mut after = Replica::new(config(), records).unwrap();
    drop(after.handle(Time(1_000), Input::Start));
    assert_eq!((after.status().locked, after.status().prepared), (1, 1));
    check(&mut after);
}

#[test]
fn a_restart_delivers_unexecuted_blocks() {
    let (mut replica, proposal, mut records) = locked();
    records.extend(give(&mut replica, 3, votes(TENTATIVE, 1, &proposal, &[1, 3])).persist);
    let mut after = Replica::new(config(), records.clone()).unwrap();
    let step = after.handle(Time(1_000), Input::Start);
    assert!(matches!(&step.outputs[..], [Output::Deliver(d)] if d.digest == proposal.block.digest()));
    assert_eq!((after.status().committed, after.status().locked), (1, 0));
    // Without the block there is no tip.
    records.retain(|record| !matches!(record, Record::Block(_)));
    assert_eq!(Replica::new(config(), records).unwrap_err().code(), "MALFORMED");
}

#[test]
fn an_equivocating_proposer_is_reported_and_not_prepared() {
    let mut replica = replica();
    let c = committees::<T>(4);
    let one = first(1, 1);
    let mut content = (**one.block).clone();
    content.timestamp += 1;
    let two = sign(&c, Arc::new(Block::new(content)), anchor(&c).seed, 1, 1, None);
    assert!(give(&mut replica, 1, Message::Proposal(one)).faults.is_empty());
    let step = give(&mut replica, 2, Message::Proposal(two));
    assert!(matches!(&step.faults[..], [f] if f.culprit == 1 && f.evidence.code() == "EQUIVOCATION"));
    drop(second_stage(&mut replica, 1));
    assert_eq!(replica.status().prepared, 0);
}

#[test]
fn invalid_messages_are_their_senders_fault() {
    let mut replica = replica();
    let c = committees::<T>(4);
    let good = first(1, 1);
    let seed = anchor(&c).seed;
    let stolen = Proposal { signature: first(1, 2).signature.clone(), ..(*good).clone() };
    let other_ticket = {
        let ticket = crate::testing::ticket(&c, seed, 2, 1);
        let digest = Proposal::digest_of(&good.block, 1, 1, None, &ticket);
        let vote =
            Vote::<Ed25519>::sign_unguarded(&secret::<Ed25519>(1), &c.identities, c.proposal(1, digest));
        let signature = vote.unwrap().signature().clone();
        let ticket = quorate::sortition::Ticket::new(1, 1, *ticket.signature());
        Proposal { ticket, signature, ..(*good).clone() }
    };
    for bad in [stolen, other_ticket] {
        let step = give(&mut replica, 3, Message::Proposal(Arc::new(bad)));
        assert!(matches!(&step.faults[..], [fault] if fault.culprit == 3), "{:?}", step.faults);
    }
    assert_eq!(replica.status().proposals, 0);
    drop(give(&mut replica, 1, Message::Proposal(good.clone())));
    let Message::Signatures(mut forged) = votes(PREPARE, 1, &first(1, 2), &[1, 2, 3]) else { unreachable!() };
    let own = votes(PREPARE, 1, &good, &[1, 2, 3]);
    let mut bytes = quorate::wire::Encode::encode(&own.in_epoch(0));
    let tail = quorate::wire::Encode::encode(&forged.remove(0));
    // The signature is the last field.
    let at = bytes.len() - 48;
    bytes[at..].copy_from_slice(&tail[tail.len() - 48..]);
    let step = give(&mut replica, 3, Envelope::decode(&bytes, &c).unwrap().message);
    assert!(matches!(&step.faults[..], [fault] if fault.culprit == 3), "{:?}", step.faults);
    assert_eq!(replica.collected().0, 0);
}

#[test]
fn a_recovering_member_signs_nothing_before_answers() {
    let mut replica = Replica::new(config(), []).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert!(step.messages.iter().any(|sent| matches!(*sent.message, Message::Hello { committed: 0 })));
    drop(give(&mut replica, 1, Message::Proposal(first(1, 1))));
    let step = second_stage(&mut replica, 1);
    assert!(step.persist.is_empty(), "it may have prepared in this round before it lost its records");
    // The other members are at height 9, so it signed at height 10 at most.
    drop(give(&mut replica, 1, Message::Welcome { committed: 9 }));
    drop(give(&mut replica, 2, Message::Welcome { committed: 9 }));
    assert!(replica.safety.abstains(10) && !replica.safety.abstains(11));
}

#[test]
fn a_member_with_old_records_signs_from_the_third_round() {
    let (_, _, records) = locked();
    let config = Config { history: SigningHistory::Unconfirmed, ..config() };
    let mut replica = Replica::new(config, records).unwrap();
    let begins = |replica: &Replica<T>, round| replica.schedule.begins(round).plus(Duration::from_millis(1));
    let at = begins(&replica, 4);
    drop(replica.handle(at, Input::Start));
    assert_eq!(replica.status().abstention, Some(Abstention { until: Some(5), is_stale: false }));
    let mut proposed = Vec::new();
    for round in 4..=6 {
        let at = begins(&replica, round);
        let step = replica.handle(at, Input::Timer(Timer::Stage));
        proposed.push(step.messages.iter().any(|sent| matches!(*sent.message, Message::Proposal(_))));
        assert_eq!(replica.status().abstention.is_some(), round < 6, "round {round}");
    }
    // It has learnt of no later block, so it proposes the one that it is locked on.
    assert_eq!(proposed, [false, false, true]);
}

#[test]
fn records_round_trip_and_have_keys() {
    let (_, proposal, records) = locked();
    let c = committees::<T>(4);
    for record in records.into_iter().chain([
        Record::Payload(Arc::new(Payload::from_bytes([b"x"]).unwrap())),
        Record::Lock(None),
        Record::Block(proposal.block.clone()),
    ]) {
        let bytes = quorate::wire::Encode::encode(&record);
        assert_eq!(Record::decode(&bytes, &c).as_ref(), Ok(&record));
        assert!(Record::<T>::decode(&bytes[..bytes.len() - 1], &c).is_err());
    }
    assert_eq!(Record::<T>::Lock(None).key(), RecordKey::Lock);
    assert_ne!(PayloadDigest::default(), Payload::empty().digest());
}
