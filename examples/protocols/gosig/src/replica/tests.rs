//! Rules that only show in the replica as a whole. Four members with test keys; the replica is member 0.

mod epochs;
mod switches;

use super::*;
use crate::block::Executed;
use crate::body::{Entries, UnsignedSegment};
use crate::digests::PayloadDigest;
use crate::interface::Submission;
use crate::payload::Transaction;
use crate::record::RecordKey;
use crate::testing::{GENESIS, T, anchor, block, certify, committees, secret, sign};
use quorate::certificate::{Kind, Vote};
use quorate::gossip::Aggregate;
use quorate::machine::Recipient;

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
        recent: Vec::new(),
        known: Vec::new(),
        schedule: Schedule::default(),
        parameters: Parameters::default(),
        entropy: [9; 32],
    }
}

/// A replica that has been told that the others have just begun, in the first stage of round 1.
fn replica() -> Replica<T> {
    let mut replica = Replica::new(config(), []).unwrap();
    drop(replica.handle(Time(1_000), Input::Start));
    for member in [1, 2] {
        drop(give(&mut replica, member, Message::Welcome { committed: 0 }));
    }
    assert!(!replica.is_blank);
    replica
}

fn give(replica: &mut Replica<T>, from: MemberIndex, message: Message<T>) -> Step<Replica<T>> {
    let (now, epoch) = (replica.now, replica.committees.voters.epoch());
    replica.handle(now, Input::Message { from, message: message.in_epoch(epoch) })
}

/// Moves the clock into the second stage of a round.
fn second_stage(replica: &mut Replica<T>, round: u64) -> Step<Replica<T>> {
    let at = replica.schedule.second_stage(round);
    replica.handle(at, Input::Timer(Timer::Stage))
}

/// A proposal of an empty first block by a member, in a round.
fn first(round: u64, member: u16) -> Arc<Proposal<T>> {
    let c = committees::<T>(4);
    let seed = anchor(&c).seed;
    sign(&c, block(&c, None, seed, round, member, &Payload::empty()), seed, round, member, None)
}

/// The same block again, in a later round.
fn again(of: &Proposal<T>, round: u64, member: u16, certificate: Certificate<T>) -> Arc<Proposal<T>> {
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
        Aggregate::of_vote(&vote.verify(&c.voters).unwrap(), &c.voters).unwrap()
    };
    let sum = members.iter().map(vote).reduce(|a, b| a.merge(&b, 255).unwrap()).unwrap();
    Message::Signatures(vec![sum.into_inner()])
}

fn keys(step: &Step<Replica<T>>) -> Vec<RecordKey> {
    step.persist.iter().map(Record::key).collect()
}

/// Member 0's replica after it committed the block of member 1's proposal tentatively, in round 1.
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
fn a_block_is_prepared_in_the_second_stage_and_committed_by_two_quorums() {
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
fn nothing_is_prepared_in_the_first_stage_and_one_block_in_the_second() {
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
fn a_locked_member_prepares_another_block_only_with_a_later_certificate() {
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
        let best = replica.rounds.get(&4).and_then(|round| round.best(1));
        best.map(|best| best.proposal.proposer)
    };
    for member in 1..4 {
        drop(give(&mut replica, member, Message::Proposal(again(&other, 4, member, certificate.clone()))));
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
            step.outputs.iter().any(
                |o| matches!(o, Output::ForgetBlocks(blocks) if blocks[..] == [proposal.block.digest()])
            )
        );
    }
}

#[test]
fn the_lock_is_proposed_again_with_its_certificate_also_after_a_restart() {
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
fn a_restart_delivers_what_was_not_executed_and_goes_on_from_the_tip() {
    let (mut replica, proposal, mut records) = locked();
    records.extend(give(&mut replica, 3, votes(TENTATIVE, 1, &proposal, &[1, 3])).persist);
    let mut after = Replica::new(config(), records.clone()).unwrap();
    let step = after.handle(Time(1_000), Input::Start);
    assert!(matches!(&step.outputs[..], [Output::Deliver(d)] if d.digest == proposal.block.digest()));
    assert_eq!((after.status().committed, after.status().locked), (1, 0));
    // Without the block there is no tip to stand on.
    records.retain(|record| !matches!(record, Record::Block(_)));
    assert_eq!(Replica::new(config(), records).unwrap_err().code(), "MALFORMED");
}

#[test]
fn a_proposer_who_contradicts_itself_is_reported_and_not_prepared() {
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
fn what_does_not_verify_is_its_senders_fault_and_changes_nothing() {
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
    // The sum is what stands last.
    let at = bytes.len() - 48;
    bytes[at..].copy_from_slice(&tail[tail.len() - 48..]);
    let step = give(&mut replica, 3, Envelope::decode(&bytes, &c).unwrap().message);
    assert!(matches!(&step.faults[..], [fault] if fault.culprit == 3), "{:?}", step.faults);
    assert_eq!(replica.collected().0, 0);
}

#[test]
fn transactions_are_passed_on_and_ordered_and_settled() {
    let mut replica = replica();
    let payload = Arc::new(Payload::from_bytes([b"a", b"b"]).unwrap());
    let now = replica.now;
    let submit = Input::Command(Command::Submit { sequence: 7, payload: payload.clone() });
    let step = replica.handle(now, submit);
    assert_eq!(
        keys(&step)[0],
        RecordKey::Payload(payload.digest()),
        "durable before anything is heard of it"
    );
    let proposed = step.messages.iter().any(|sent| matches!(*sent.message, Message::Proposal(_)));
    assert!(proposed, "there is something to order, and it is the first stage");
    let later = now.plus(replica.parameters.transaction_delay);
    let step = replica.handle(later, Input::Timer(Timer::Gossip));
    let told = step
        .messages
        .iter()
        .filter(|sent| matches!(&*sent.message, Message::Transactions(t) if t.len() == 2));
    assert_eq!(told.count(), 3);
    // Its own block goes through, whoever else is silent: the others vote for it.
    drop(second_stage(&mut replica, 1));
    let own = replica.rounds[&1].best(1).unwrap().proposal.clone();
    drop(give(&mut replica, 1, votes(PREPARE, 1, &own, &[1, 2])));
    let step = give(&mut replica, 1, votes(TENTATIVE, 1, &own, &[1, 2]));
    assert!(matches!(
        &step.outputs[..],
        [Output::Submitted { sequence: 7, state: Submission::Committed }, Output::Deliver(d), ..] if d.payload == payload
    ));
    assert_eq!((replica.status().pending, replica.status().outstanding), (0, 0));
    let submit = Input::Command(Command::Submit { sequence: 8, payload });
    let now = replica.now;
    let step = replica.handle(now, submit);
    assert!(
        matches!(&step.outputs[..], [Output::Known(ids), Output::Submitted { sequence: 8, .. }, Output::Forget(_), ..] if ids.len() == 2)
    );
}

#[test]
fn a_flood_of_transactions_or_proposals_stays_within_bounds() {
    let mut replica = replica();
    replica.parameters.max_peer_bytes = 1000;
    for i in 0..100u32 {
        let transactions = (0..10).map(|j| Transaction::new([i.to_le_bytes(), [j; 4]].concat()).unwrap());
        drop(give(&mut replica, 3, Message::Transactions(transactions.collect())));
    }
    assert_eq!(replica.status().pending, 3, "each counts for more than its bytes");
    let c = committees::<T>(4);
    let one = first(1, 3);
    for i in 0..300 {
        let mut content = (**one.block).clone();
        content.timestamp += i;
        let proposal = sign(&c, Arc::new(Block::new(content)), anchor(&c).seed, 1, 3, None);
        drop(give(&mut replica, 3, Message::Proposal(proposal)));
    }
    assert!(replica.status().proposals <= 3, "{:?}", replica.status());
    // Votes for what nobody proposed take no room.
    for round in 0..200 {
        drop(give(&mut replica, 3, votes(PREPARE, round, &one, &[1, 2])));
    }
    assert!(replica.rounds.len() <= 4 && replica.rounds.values().all(|state| state.unknown.len() <= 8));
}

#[test]
fn a_member_without_memory_signs_nothing_before_it_was_greeted() {
    let mut replica = Replica::new(config(), []).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert!(step.messages.iter().any(|sent| matches!(*sent.message, Message::Hello { committed: 0 })));
    drop(give(&mut replica, 1, Message::Proposal(first(1, 1))));
    let step = second_stage(&mut replica, 1);
    assert!(step.persist.is_empty(), "it may have prepared in this round before it lost its records");
    // The others are at height 9: what it may have signed is at height 10 at most.
    drop(give(&mut replica, 1, Message::Welcome { committed: 9 }));
    drop(give(&mut replica, 2, Message::Welcome { committed: 9 }));
    assert!(replica.safety.abstains(10) && !replica.safety.abstains(11));
}

#[test]
fn records_and_their_keys() {
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

#[test]
fn a_change_of_members_ends_the_epoch_and_the_next_goes_on_from_there() {
    let c = committees::<T>(4);
    let (voting, identity) = (secret::<T>(4), secret::<Ed25519>(4));
    let change = crate::Change::<T>::Join {
        voting: (T::public_key(&voting), T::prove_possession(&voting)),
        identity: (Ed25519::public_key(&identity), Ed25519::prove_possession(&identity)),
        weight: 1,
        contact: b"here".to_vec(),
    };
    let transaction = change.transaction(&certify(&c.identities, change.statement(&c))).unwrap();
    let payload = Arc::new(Payload::new(vec![transaction]).unwrap());
    let mut replica = replica();
    let now = replica.now;
    let submit = Command::Submit { sequence: 1, payload };
    drop(replica.handle(now, Input::Command(submit)));
    drop(second_stage(&mut replica, 1));
    let own = replica.rounds[&1].best(1).unwrap().proposal.clone();
    let mut records = give(&mut replica, 1, votes(PREPARE, 1, &own, &[1, 2])).persist;
    let step = give(&mut replica, 1, votes(TENTATIVE, 1, &own, &[1, 2]));
    let successor = |step: &Step<Replica<T>>| {
        step.outputs.iter().find_map(|output| match output {
            Output::Succeeded(successor) => Some(successor.clone()),
            _ => None,
        })
    };
    let next = successor(&step).expect("another committee");
    assert_eq!(next.contacts, [(Ed25519::public_key(&identity), b"here".to_vec())]);
    assert_eq!((next.committees.voters.len(), next.committees.voters.epoch(), next.anchor.height), (5, 1, 1));
    assert_eq!(next.anchor.digest, own.block.digest());
    // This one is done: it neither proposes nor prepares, and says so again after a restart.
    drop(second_stage(&mut replica, 2));
    assert_eq!(replica.status().prepared, 1);
    records.extend(step.persist);
    let mut after = Replica::new(config(), records).unwrap();
    assert!(successor(&after.handle(Time(1_000), Input::Start)).is_some());
    // The next one, of the member that joined, begins where this one ended.
    let executed = Executed { height: 1, state_root: [5; 32] };
    let config = Config {
        voters: next.committees.voters.clone(),
        identities: next.committees.identities.clone(),
        me: Some(4),
        voting_key: voting,
        identity_key: identity,
        anchor: next.anchor,
        executed,
        ..config()
    };
    let mut joined = Replica::new(config, []).unwrap();
    drop(joined.handle(Time(1_000), Input::Start));
    drop(give(&mut joined, 0, Message::Welcome { committed: 1 }));
    // The state after the last block of the epoch before is still to be stated.
    let step = give(&mut joined, 1, Message::Welcome { committed: 1 });
    let proposal = step.messages.iter().find_map(|sent| match &*sent.message {
        Message::Proposal(proposal) => Some(proposal.clone()),
        _ => None,
    });
    let proposal = proposal.expect("five members of whom seven are drawn");
    assert_eq!(
        (proposal.block.height, proposal.block.epoch, proposal.block.parent),
        (2, 1, own.block.digest())
    );
    assert!(proposal.certificate.is_none(), "the parent is where the epoch begins");
    assert_eq!((joined.status().committed, proposal.block.executed), (1, executed));
}

#[test]
fn who_brought_all_that_it_had_is_not_waited_for_with_the_rest() {
    let c = committees::<T>(4);
    let payload = Payload::from_bytes([b"a", b"b", b"c"]).unwrap();
    let seed = anchor(&c).seed;
    let proposal = sign(&c, block(&c, None, seed, 1, 1, &payload), seed, 1, 1, None);
    let digest = proposal.block.digest();
    let entries = Entries::Full(payload.ids().to_vec());
    let part = UnsignedSegment { block: digest, round: 1, signer: 1, index: 0, count: 1, first: 0, entries };
    let segment = Arc::new(part.sign(&c, &secret::<Ed25519>(1)).unwrap());
    let asked = |step: &Step<Replica<T>>| -> Vec<_> {
        let requests = step.messages.iter().filter_map(|sent| match &*sent.message {
            Message::TransactionRequest { places, .. } => Some((sent.to, places.clone())),
            _ => None,
        });
        requests.collect()
    };
    let mut next = Vec::new();
    for entropy in 0..16 {
        let mut replica = Replica::new(Config { entropy: [entropy; 32], ..config() }, []).unwrap();
        drop(replica.handle(Time(1_000), Input::Start));
        drop(give(&mut replica, 2, Message::Proposal(proposal.clone())));
        drop(give(&mut replica, 2, Message::Segment(segment.clone())));
        let due = replica.now.plus(replica.parameters.transaction_delay);
        let step = replica.handle(due, Input::Timer(Timer::Retry));
        assert_eq!(asked(&step), [(Recipient::One(2), vec![0, 1, 2])], "who sent the segment");
        let transactions = vec![(0, payload.transaction(0).unwrap().clone())];
        let step = give(&mut replica, 2, Message::TransactionReply { block: digest, transactions });
        let requests = asked(&step);
        let [(to, places)] = &requests[..] else { panic!("nobody was asked at once: {requests:?}") };
        assert_eq!(*places, [1, 2]);
        next.push(*to);
    }
    for member in 1..4 {
        assert!(next.contains(&Recipient::One(member)), "any other may have the rest: {next:?}");
    }
}
