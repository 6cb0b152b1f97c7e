//! Members of other epochs, and observers.

use super::*;
use crate::body::Segment;
use crate::{Change, HistoryRequest, Successor};

fn hello_recipients(step: &Step<Replica<T>>) -> Vec<Recipient> {
    let hello = |message: &Message<T>| matches!(message, Message::Hello { .. });
    step.messages.iter().filter(|sent| hello(&sent.message)).map(|sent| sent.to).collect()
}

fn successor(step: &Step<Replica<T>>) -> Option<Successor<T>> {
    step.outputs.iter().find_map(|output| match output {
        Output::Succeeded(successor) => Some((**successor).clone()),
        _ => None,
    })
}

fn join() -> Change<T> {
    let (voting, identity) = (secret::<T>(4), secret::<Ed25519>(4));
    Change::Join {
        voting: (T::public_key(&voting), T::prove_possession(&voting)),
        identity: (Ed25519::public_key(&identity), Ed25519::prove_possession(&identity)),
        weight: 1,
        contact: Vec::new(),
    }
}

/// Returns the configuration of an observer.
fn observer() -> Config<T> {
    Config { me: None, voting_key: secret::<T>(4), identity_key: secret::<Ed25519>(4), ..config() }
}

/// Returns an observer that has started.
fn observing() -> Replica<T> {
    let mut replica = Replica::new(observer(), []).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert_eq!(hello_recipients(&step), [Recipient::Others]);
    replica
}

/// Returns a first block with this payload, with its commitment certificate.
fn proven(payload: &Payload) -> (Arc<Block<T>>, Arc<Finality<T>>) {
    let c = committees::<T>(4);
    let block = block(&c, None, anchor(&c).seed, 1, 1, payload);
    let certificate = certify(&c.voters, c.tentative(1, 1, block.digest()));
    (block, Arc::new(Finality::new(certificate).unwrap()))
}

/// Lets a replica learn that block and its transactions. Returns all steps as one.
fn deliver_first_block(replica: &mut Replica<T>, payload: &Payload) -> Step<Replica<T>> {
    let (block, finality) = proven(payload);
    let mut all = give(replica, 1, Message::Welcome { committed: 1 });
    all.append(give(replica, 2, Message::Welcome { committed: 1 }));
    let asked = all.messages.iter().find_map(|sent| match (&*sent.message, sent.to) {
        (Message::BlockRequest { from: 1 }, Recipient::One(peer)) => Some(peer),
        _ => None,
    });
    let digest = block.digest();
    all.append(give(replica, asked.expect("a request"), Message::Blocks(vec![(block, finality)])));
    let asked = all.messages.iter().find_map(|sent| match (&*sent.message, sent.to) {
        (Message::TransactionRequest { block, .. }, Recipient::One(peer)) => Some((*block, peer)),
        _ => None,
    });
    let (block, peer) = asked.expect("a request");
    assert_eq!(block, digest);
    let transactions = (0..).zip(payload.transactions().iter().cloned()).collect();
    all.append(give(replica, peer, Message::TransactionReply { block, transactions }));
    all
}

#[test]
fn an_observer_learns_delivers_and_serves_blocks() {
    let mut replica = observing();
    let payload = Payload::from_bytes([b"a", b"b"]).unwrap();
    let step = deliver_first_block(&mut replica, &payload);
    let digest = proven(&payload).0.digest();
    let [RecordKey::Payload(_), RecordKey::Block(block), RecordKey::Committed(1)] = keys(&step)[..] else {
        panic!("{:?}", keys(&step))
    };
    assert_eq!(block, digest);
    let delivered = |step: &Step<Replica<T>>| {
        let delivers = |output: &Output<T>| matches!(output, Output::Deliver(d) if d.digest == digest);
        step.outputs.iter().any(delivers)
    };
    assert!(delivered(&step) && replica.status().committed == 1);
    let step = give(&mut replica, 3, Message::BlockRequest { from: 1 });
    let [Output::Serve { to: 3, request: HistoryRequest::Blocks { from: 1 } }] = step.outputs[..] else {
        panic!("{:?}", step.outputs)
    };
    assert_eq!(give(&mut replica, 3, Message::Hello { committed: 0 }).messages.len(), 1, "one answer");
    let (block, finality) = proven(&payload);
    let records = vec![
        Record::Payload(Arc::new(payload)),
        Record::Block(block),
        Record::Committed(Box::new(crate::Committed {
            height: 1,
            digest,
            finality: (*finality).clone(),
            seed: replica.chain.tip.seed,
            payload_height: 1,
        })),
    ];
    let mut after = Replica::new(observer(), records).unwrap();
    assert!(delivered(&after.handle(Time(1_000), Input::Start)), "it was not executed durably");
}

#[test]
fn an_observer_signs_forwards_and_orders_nothing() {
    let mut replica = observing();
    let c = committees::<T>(4);
    let proposal = first(1, 1);
    let entries = Entries::Full(vec![[1; 32]]);
    let block = proposal.block.digest();
    let part = UnsignedSegment { block, round: 1, signer: 1, index: 0, count: 1, first: 0, entries };
    let segment: Segment = part.sign(&c, &secret::<Ed25519>(1)).unwrap();
    let transaction = Transaction::new(*b"x").unwrap();
    for message in [
        Message::Proposal(proposal.clone()),
        Message::Segment(Arc::new(segment)),
        votes(PREPARE, 1, &proposal, &[1, 2, 3]),
        votes(TENTATIVE, 1, &proposal, &[1, 2, 3]),
        Message::Heard,
        Message::Transactions(vec![transaction]),
        Message::BodyRequest { block, round: 1, segments: Vec::new() },
        Message::ProposalRequest { round: 1, ballot: c.ballot(1, block) },
    ] {
        let step = give(&mut replica, 1, message);
        assert!(step.persist.is_empty() && step.messages.is_empty() && step.outputs.is_empty(), "{step:?}");
    }
    let status = replica.status();
    assert_eq!((status.proposals, status.pending, status.prepared, status.committed), (0, 0, 0, 0));
    let payload = Arc::new(Payload::from_bytes([b"y"]).unwrap());
    let submit = Command::Submit { sequence: 7, payload: payload.clone() };
    let step = replica.handle(Time(2_000), Input::Command(submit));
    let [Output::Submitted { sequence: 7, state: Submission::Refused }] = step.outputs[..] else {
        panic!("{:?}", step.outputs)
    };
    assert!(step.persist.is_empty() && step.messages.is_empty());
    let step = second_stage(&mut replica, 1);
    assert!(step.persist.is_empty());
    // A payload that it submitted as a member is not forwarded, and its record is retained.
    let mut replica = Replica::new(observer(), [Record::Payload(payload)]).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert_eq!((replica.status().pending, step.outputs.len(), step.messages.len()), (0, 0, 1));
}

#[test]
fn an_observer_polls_once_per_round() {
    let mut replica = observing();
    drop(give(&mut replica, 1, Message::Welcome { committed: 0 }));
    drop(give(&mut replica, 2, Message::Welcome { committed: 0 }));
    for round in 2..5 {
        let begins = replica.schedule.begins(round);
        let step = replica.handle(begins, Input::Timer(Timer::Stage));
        assert_eq!(hello_recipients(&step).len(), 4, "the fan-out, or all members if they are fewer");
        assert_eq!(replica.timers.stage, Some(replica.schedule.begins(round + 1)));
        let later = begins.plus(Duration::from_millis(1));
        assert!(replica.handle(later, Input::Timer(Timer::Retry)).messages.is_empty());
    }
}

#[test]
fn an_observer_outputs_the_successor_and_joins_it() {
    let c = committees::<T>(4);
    let change = join();
    let transaction = change.transaction(&certify(&c.identities, change.statement(&c))).unwrap();
    let payload = Payload::new(vec![transaction]).unwrap();
    let mut replica = observing();
    let step = deliver_first_block(&mut replica, &payload);
    let next = successor(&step).expect("another committee");
    let begins = replica.schedule.begins(3);
    assert!(
        hello_recipients(&replica.handle(begins, Input::Timer(Timer::Stage))).is_empty(),
        "the epoch has ended"
    );
    let mut after = Replica::new(observer(), step.persist.clone()).unwrap();
    assert!(successor(&after.handle(Time(1_000), Input::Start)).is_some(), "output again");
    // It continues with its records. They hold no signature, so it may have lost some.
    let member = Config {
        voters: next.committees.voters.clone(),
        identities: next.committees.identities.clone(),
        me: Some(4),
        anchor: next.anchor,
        executed: Executed { height: 1, state_root: [5; 32] },
        ..observer()
    };
    let mut member = Replica::new(member, step.persist).unwrap();
    drop(member.handle(begins, Input::Start));
    assert!(matches!(member.phase, Phase::Recovering { .. }) && member.safety.abstains(2));
    drop(give(&mut member, 0, Message::Welcome { committed: 1 }));
    drop(give(&mut member, 1, Message::Welcome { committed: 1 }));
    let votes = matches!(member.phase, Phase::Voting(_));
    assert!(votes && !member.safety.abstains(2), "the epoch has only begun");
}

#[test]
fn a_member_whose_index_shifts_keeps_its_guard_records() {
    let c = committees::<T>(4);
    let change = Change::<T>::Leave { identity: Ed25519::public_key(&secret::<Ed25519>(1)) };
    let transaction = change.transaction(&certify(&c.identities, change.statement(&c))).unwrap();
    let payload = Arc::new(Payload::new(vec![transaction]).unwrap());
    let last =
        || Config { me: Some(3), voting_key: secret::<T>(3), identity_key: secret::<Ed25519>(3), ..config() };
    let mut replica = Replica::new(last(), []).unwrap();
    let mut records = replica.handle(Time(1_000), Input::Start).persist;
    for member in [0, 2] {
        drop(give(&mut replica, member, Message::Welcome { committed: 0 }));
    }
    let submit = Command::Submit { sequence: 1, payload };
    records.extend(replica.handle(Time(1_000), Input::Command(submit)).persist);
    records.extend(second_stage(&mut replica, 1).persist);
    let own = replica.rounds.states[&1].best(1).unwrap().proposal.clone();
    records.extend(give(&mut replica, 1, votes(PREPARE, 1, &own, &[0, 1, 2])).persist);
    let step = give(&mut replica, 1, votes(TENTATIVE, 1, &own, &[0, 1, 2]));
    let next = successor(&step).expect("another committee");
    assert!(next.contacts.is_empty());
    records.extend(step.persist);
    let at = |me| Config {
        voters: next.committees.voters.clone(),
        identities: next.committees.identities.clone(),
        me: Some(me),
        anchor: next.anchor,
        executed: Executed { height: 1, state_root: [5; 32] },
        ..last()
    };
    assert_eq!(Replica::new(at(3), records.clone()).unwrap_err().code(), "UNKNOWN_SIGNER");
    assert_eq!(Replica::new(at(1), records.clone()).unwrap_err().code(), "WRONG_CONTEXT");
    let mut moved = Replica::new(at(2), records).unwrap();
    assert!(matches!(moved.phase, Phase::Voting(_)), "it has a record of its signatures");
    assert_eq!(moved.status().prepared, 0, "that was in another epoch");
    let step = moved.handle(moved.schedule.begins(2), Input::Start);
    let proposed = step.messages.iter().find_map(|sent| match &*sent.message {
        Message::Proposal(proposal) => Some((sent.message.epoch, proposal.proposer, proposal.block.height)),
        _ => None,
    });
    assert_eq!(proposed, Some((1, 2, 2)), "a block must still state the state after the change");
}

#[test]
fn messages_of_another_epoch_are_answered_with_hello() {
    let mut replica = replica();
    let of_another = |replica: &mut Replica<T>, now, message: Message<T>| {
        replica.handle(now, Input::Message { from: 1, message: message.in_epoch(3) })
    };
    let now = replica.now;
    let step = of_another(&mut replica, now, Message::Proposal(first(1, 1)));
    assert_eq!((hello_recipients(&step), step.messages.len()), (vec![Recipient::One(1)], 1));
    assert_eq!(replica.status().proposals, 0);
    // Peers cannot make it send more than that.
    for _ in 0..9 {
        assert!(of_another(&mut replica, now, Message::Heard).messages.is_empty());
        let step = replica.handle(now, Input::Command(Command::EpochMismatch(1)));
        assert!(step.messages.is_empty());
    }
    assert_eq!(
        hello_recipients(&replica.handle(now, Input::Command(Command::EpochMismatch(2)))),
        [Recipient::One(2)]
    );
    let later = now.plus(replica.parameters.retry);
    assert_eq!(hello_recipients(&of_another(&mut replica, later, Message::Heard)), [Recipient::One(1)]);
    for no_peer in [0, 4, u16::MAX] {
        assert!(replica.handle(later, Input::Command(Command::EpochMismatch(no_peer))).messages.is_empty());
    }
    // Heights can be read in any epoch.
    drop(of_another(&mut replica, later, Message::Hello { committed: 9 }));
    drop(
        replica.handle(
            later,
            Input::Message { from: 2, message: Message::Welcome { committed: 9 }.in_epoch(7) },
        ),
    );
    assert!(replica.status().catching_up);
}

#[test]
fn transaction_replies_are_of_the_requests_epoch() {
    let mut replica = replica();
    let payload = Arc::new(Payload::from_bytes([b"a"]).unwrap());
    let now = replica.now;
    drop(replica.handle(now, Input::Command(Command::Submit { sequence: 1, payload })));
    let own = replica.rounds.states[&1].best(1).unwrap().proposal.clone();
    let block = own.block.digest();
    let request = Message::TransactionRequest { block, height: 1, places: vec![0] };
    let step = replica.handle(now, Input::Message { from: 2, message: request.in_epoch(8) });
    let replies: Vec<u64> = step
        .messages
        .iter()
        .filter(|sent| matches!(&*sent.message, Message::TransactionReply { .. }))
        .map(|sent| sent.message.epoch)
        .collect();
    assert_eq!(replies, [8]);
}

#[test]
fn a_change_of_members_ends_the_epoch() {
    let c = committees::<T>(4);
    let (voting, identity) = (secret::<T>(4), secret::<Ed25519>(4));
    let change = Change::<T>::Join {
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
    let own = replica.rounds.states[&1].best(1).unwrap().proposal.clone();
    let mut records = give(&mut replica, 1, votes(PREPARE, 1, &own, &[1, 2])).persist;
    let step = give(&mut replica, 1, votes(TENTATIVE, 1, &own, &[1, 2]));
    let next = successor(&step).expect("another committee");
    assert_eq!(next.contacts, [(Ed25519::public_key(&identity), b"here".to_vec())]);
    assert_eq!((next.committees.voters.len(), next.committees.voters.epoch(), next.anchor.height), (5, 1, 1));
    assert_eq!(next.anchor.digest, own.block.digest());
    // This replica neither proposes nor prepares any more, and outputs the successor again after a restart.
    drop(second_stage(&mut replica, 2));
    assert_eq!(replica.status().prepared, 1);
    records.extend(step.persist);
    let mut after = Replica::new(config(), records).unwrap();
    assert!(successor(&after.handle(Time(1_000), Input::Start)).is_some());
    // The next replica, of the member that joined, begins where this one ended.
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
    // A block must still state the state after the last block of the epoch before.
    let step = give(&mut joined, 1, Message::Welcome { committed: 1 });
    let proposal = step.messages.iter().find_map(|sent| match &*sent.message {
        Message::Proposal(proposal) => Some(proposal.clone()),
        _ => None,
    });
    let proposal = proposal.expect("five members with seven expected proposers");
    assert_eq!(
        (proposal.block.height, proposal.block.epoch, proposal.block.parent),
        (2, 1, own.block.digest())
    );
    assert!(proposal.certificate.is_none(), "the parent is where the epoch begins");
    assert_eq!((joined.status().committed, proposal.block.executed), (1, executed));
}
