//! Transactions: forwarding, ordering, limits and requests.

use super::*;
use crate::membership::MAX_CHANGES;
use crate::payload::CHANGE_PREFIX;

#[test]
fn transactions_are_forwarded_ordered_and_settled() {
    let mut replica = replica();
    let payload = Arc::new(Payload::from_bytes([b"a", b"b"]).unwrap());
    let now = replica.now;
    let submit = Input::Command(Command::Submit { sequence: 7, payload: payload.clone() });
    let step = replica.handle(now, submit);
    assert_eq!(keys(&step)[0], RecordKey::Payload(payload.digest()), "durable before any of it is sent");
    let proposed = step.messages.iter().any(|sent| matches!(*sent.message, Message::Proposal(_)));
    assert!(proposed, "there is something to order, and it is the first stage");
    let later = now.plus(replica.parameters.transaction_delay);
    let step = replica.handle(later, Input::Timer(Timer::Gossip));
    let forwarded = step
        .messages
        .iter()
        .filter(|sent| matches!(&*sent.message, Message::Transactions(t) if t.len() == 2));
    assert_eq!(forwarded.count(), 3);
    // Its own block is committed: the other members vote for it.
    drop(second_stage(&mut replica, 1));
    let own = replica.rounds.states[&1].best(1).unwrap().proposal.clone();
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
        matches!(&step.outputs[..], [Output::AlreadyCommitted(ids), Output::Submitted { sequence: 8, state: Submission::Repeated }, Output::PrunePayloads(_), ..] if ids.len() == 2)
    );
}

#[test]
fn floods_stay_within_bounds() {
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
    // Votes for unknown blocks take no room.
    for round in 0..200 {
        drop(give(&mut replica, 3, votes(PREPARE, round, &one, &[1, 2])));
    }
    assert!(
        replica.rounds.states.len() <= 4
            && replica.rounds.states.values().all(|state| state.requested.len() <= 8)
    );
}

#[test]
fn the_rest_of_a_body_is_requested_from_any_member() {
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
        assert_eq!(asked(&step), [(Recipient::One(2), vec![0, 1, 2])], "the sender of the segment");
        let transactions = vec![(0, payload.transaction(0).unwrap().clone())];
        let step = give(&mut replica, 2, Message::TransactionReply { block: digest, transactions });
        let requests = asked(&step);
        let [(to, places)] = &requests[..] else { panic!("no request at once: {requests:?}") };
        assert_eq!(*places, [1, 2]);
        next.push(*to);
    }
    for member in 1..4 {
        assert!(next.contains(&Recipient::One(member)), "any other member may have the rest: {next:?}");
    }
}

/// Returns a transaction that has the form of a change of the members in an epoch, and is not allowed.
fn false_change(epoch: u64, number: usize) -> Transaction {
    Transaction::new([CHANGE_PREFIX, &epoch.to_le_bytes(), &number.to_le_bytes()].concat()).unwrap()
}

#[test]
fn a_forwarded_change_that_is_not_allowed_is_a_fault() {
    let mut replica = replica();
    let ordinary = |byte: u8| Transaction::new(vec![byte; 4]).unwrap();
    let forwarded = vec![ordinary(1), false_change(1, 0), false_change(0, 0), ordinary(2)];
    let step = give(&mut replica, 3, Message::Transactions(forwarded));
    assert!(matches!(&step.faults[..], [fault] if fault.culprit == 3), "{:?}", step.faults);
    // A change of another epoch costs nothing: its sender may be ahead.
    assert_eq!(replica.status().pending, 2);
}

/// The members would count it as a fault: a client may have submitted it before the epoch that it names.
#[test]
fn a_member_forwards_no_change_that_is_not_allowed() {
    let payload = Payload::new(vec![false_change(0, 0), Transaction::new(b"a".to_vec()).unwrap()]).unwrap();
    let payload = Arc::new(payload);
    let forwarded = |step: &Step<Replica<T>>| {
        let counts = step.messages.iter().filter_map(|sent| match &*sent.message {
            Message::Transactions(transactions) => Some(transactions.len()),
            _ => None,
        });
        counts.collect::<Vec<_>>()
    };
    let mut submitted = replica();
    let now = submitted.now;
    drop(submitted.handle(now, Input::Command(Command::Submit { sequence: 1, payload: payload.clone() })));
    let later = now.plus(submitted.parameters.transaction_delay);
    assert_eq!(forwarded(&submitted.handle(later, Input::Timer(Timer::Gossip))), [1, 1, 1]);
    // From the records of an earlier epoch or run.
    let mut restored = Replica::new(config(), [Record::Payload(payload)]).unwrap();
    let step = restored.handle(Time(1_000), Input::Start);
    let later = restored.now.plus(restored.parameters.transaction_delay);
    let next = restored.handle(later, Input::Timer(Timer::Gossip));
    assert_eq!([forwarded(&step), forwarded(&next)].concat(), [1, 1, 1]);
}

#[test]
fn a_block_with_too_many_changes_is_not_committed() {
    let c = committees::<T>(4);
    let seed = anchor(&c).seed;
    let signs = |changes: usize| {
        let payload = Payload::new((0..changes).map(|i| false_change(1, i)).collect()).unwrap();
        let mut replica = replica();
        let proposal = sign(&c, block(&c, None, seed, 1, 1, &payload), seed, 1, 1, None);
        let entries = Entries::Full(payload.ids().to_vec());
        let block = proposal.block.digest();
        let part = UnsignedSegment { block, round: 1, signer: 1, index: 0, count: 1, first: 0, entries };
        drop(give(&mut replica, 1, Message::Proposal(proposal.clone())));
        let segment = part.sign(&c, &secret::<Ed25519>(1)).unwrap();
        drop(give(&mut replica, 1, Message::Segment(Arc::new(segment))));
        drop(second_stage(&mut replica, 1));
        assert_eq!(replica.safety.prepared().map(|prepared| prepared.block), Some(block));
        let transactions = (0..).zip(payload.transactions().iter().cloned()).collect();
        drop(give(&mut replica, 2, Message::TransactionReply { block, transactions }));
        let step = give(&mut replica, 2, votes(PREPARE, 1, &proposal, &[1, 2]));
        keys(&step).contains(&RecordKey::VoteGuard(TENTATIVE.number()))
    };
    assert!(signs(MAX_CHANGES) && !signs(MAX_CHANGES + 1));
}
