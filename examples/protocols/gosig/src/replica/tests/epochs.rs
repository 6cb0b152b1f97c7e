//! Who is in another epoch, and who is no member of any.

use super::*;
use crate::body::Segment;
use crate::{Change, HistoryRequest, Successor};

fn greeted(step: &Step<Replica<T>>) -> Vec<Recipient> {
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

/// Somebody whose keys are no member's.
fn observer() -> Config<T> {
    Config { me: None, voting_key: secret::<T>(4), identity_key: secret::<Ed25519>(4), ..config() }
}

/// An observer that has started.
fn observing() -> Replica<T> {
    let mut replica = Replica::new(observer(), []).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert_eq!(greeted(&step), [Recipient::Others]);
    replica
}

/// A first block that makes `payload` final.
fn proven(payload: &Payload) -> (Arc<Block<T>>, Arc<Finality<T>>) {
    let c = committees::<T>(4);
    let block = block(&c, None, anchor(&c).seed, 1, 1, payload);
    let certificate = certify(&c.voters, c.tentative(1, 1, block.digest()));
    (block, Arc::new(Finality::new(certificate).unwrap()))
}

/// Teaches a replica that block and its transactions; all steps of it together.
fn teach(replica: &mut Replica<T>, payload: &Payload) -> Step<Replica<T>> {
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
fn who_observes_learns_delivers_and_serves_what_is_committed() {
    let mut replica = observing();
    let payload = Payload::from_bytes([b"a", b"b"]).unwrap();
    let step = teach(&mut replica, &payload);
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
    assert_eq!(give(&mut replica, 3, Message::Hello { committed: 0 }).messages.len(), 1, "it answers");
    let (block, finality) = proven(&payload);
    let records = vec![
        Record::Payload(Arc::new(payload)),
        Record::Block(block),
        Record::Committed(Box::new(crate::Committed {
            height: 1,
            digest,
            finality: (*finality).clone(),
            seed: replica.tip.seed,
            payload_height: 1,
        })),
    ];
    let mut after = Replica::new(observer(), records).unwrap();
    assert!(delivered(&after.handle(Time(1_000), Input::Start)), "it was not executed durably");
}

#[test]
fn who_observes_signs_passes_on_and_orders_nothing() {
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
    // What it submitted when it was a member is not passed on, and not lost: its record stays.
    let mut replica = Replica::new(observer(), [Record::Payload(payload)]).unwrap();
    let step = replica.handle(Time(1_000), Input::Start);
    assert_eq!((replica.status().pending, step.outputs.len(), step.messages.len()), (0, 0, 1));
}

#[test]
fn who_observes_asks_once_a_round_because_nobody_tells_it_anything() {
    let mut replica = observing();
    drop(give(&mut replica, 1, Message::Welcome { committed: 0 }));
    drop(give(&mut replica, 2, Message::Welcome { committed: 0 }));
    for round in 2..5 {
        let begins = replica.schedule.begins(round);
        let step = replica.handle(begins, Input::Timer(Timer::Stage));
        assert_eq!(greeted(&step).len(), 4, "as many as something is passed on to, and there are no more");
        assert_eq!(replica.stage_timer, Some(replica.schedule.begins(round + 1)));
        let later = begins.plus(Duration::from_millis(1));
        assert!(replica.handle(later, Input::Timer(Timer::Retry)).messages.is_empty());
    }
}

#[test]
fn who_observes_says_how_the_epoch_ended_and_is_new_in_the_next() {
    let c = committees::<T>(4);
    let change = join();
    let transaction = change.transaction(&certify(&c.identities, change.statement(&c))).unwrap();
    let payload = Payload::new(vec![transaction]).unwrap();
    let mut replica = observing();
    let step = teach(&mut replica, &payload);
    let next = successor(&step).expect("another committee");
    let begins = replica.schedule.begins(3);
    assert!(greeted(&replica.handle(begins, Input::Timer(Timer::Stage))).is_empty(), "there is nothing more");
    let mut after = Replica::new(observer(), step.persist.clone()).unwrap();
    assert!(successor(&after.handle(Time(1_000), Input::Start)).is_some(), "again");
    // It goes on with what it has. It has signed nothing here, but maybe it did before it lost that.
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
    assert!(member.is_blank && member.safety.abstains(2));
    drop(give(&mut member, 0, Message::Welcome { committed: 1 }));
    drop(give(&mut member, 1, Message::Welcome { committed: 1 }));
    assert!(!member.is_blank && !member.safety.abstains(2), "the epoch has only begun");
}

#[test]
fn who_moves_up_when_another_leaves_keeps_its_keys_and_what_they_signed() {
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
    let own = replica.rounds[&1].best(1).unwrap().proposal.clone();
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
    assert!(!moved.is_blank, "it knows what it signed");
    assert_eq!(moved.status().prepared, 0, "that was in another epoch");
    let step = moved.handle(moved.schedule.begins(2), Input::Start);
    let proposed = step.messages.iter().find_map(|sent| match &*sent.message {
        Message::Proposal(proposal) => Some((sent.message.epoch, proposal.proposer, proposal.block.height)),
        _ => None,
    });
    assert_eq!(proposed, Some((1, 2, 2)), "the state after the change is still to be stated");
}

#[test]
fn what_is_of_another_epoch_is_answered_with_a_greeting_and_not_looked_at() {
    let mut replica = replica();
    let of_another = |replica: &mut Replica<T>, now, message: Message<T>| {
        replica.handle(now, Input::Message { from: 1, message: message.in_epoch(3) })
    };
    let now = replica.now;
    let step = of_another(&mut replica, now, Message::Proposal(first(1, 1)));
    assert_eq!((greeted(&step), step.messages.len()), (vec![Recipient::One(1)], 1));
    assert_eq!(replica.status().proposals, 0);
    // Others can make it say so much, and no more.
    for _ in 0..9 {
        assert!(of_another(&mut replica, now, Message::Heard).messages.is_empty());
        let step = replica.handle(now, Input::Command(Command::EpochMismatch(1)));
        assert!(step.messages.is_empty());
    }
    assert_eq!(greeted(&replica.handle(now, Input::Command(Command::EpochMismatch(2)))), [Recipient::One(2)]);
    let later = now.plus(replica.parameters.retry);
    assert_eq!(greeted(&of_another(&mut replica, later, Message::Heard)), [Recipient::One(1)]);
    for nobody in [0, 4, u16::MAX] {
        assert!(replica.handle(later, Input::Command(Command::EpochMismatch(nobody))).messages.is_empty());
    }
    // How far it is can be read in any epoch.
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
fn transactions_are_answered_in_the_epoch_of_who_asks() {
    let mut replica = replica();
    let payload = Arc::new(Payload::from_bytes([b"a"]).unwrap());
    let now = replica.now;
    drop(replica.handle(now, Input::Command(Command::Submit { sequence: 1, payload })));
    let own = replica.rounds[&1].best(1).unwrap().proposal.clone();
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
