//! Delivery, equivocation and restarts.

use super::*;

fn check_delivery<A: SimulatedAuthentication>() {
    let mut net = Net::<A>::new();
    net.say(0, "one");
    assert_eq!(net.disks[0].len(), 1, "persisted before it leaves");
    net.say(3, "two");
    net.settle(|_, _, _| true);
    for me in 0..4 {
        let mut texts = net.texts(me);
        texts.sort();
        assert_eq!(texts, ["one", "two"], "{} {me}", A::NAME);
        assert_eq!(net.disks[usize::from(me)].len(), 2);
    }
    assert!(net.faults.is_empty());
    assert_eq!(net.slow_verifications(), 0, "{}: all keys are announced", A::NAME);
}

#[test]
fn a_message_is_persisted_and_delivered_at_all_members() {
    check_delivery::<Links>();
    check_delivery::<Eddsa>();
    check_delivery::<SimulatedDsig>();
}

#[test]
fn a_quorum_is_necessary_and_sufficient_for_delivery() {
    let mut net = Net::<Eddsa>::new();
    net.say(0, "to one");
    net.settle(|from, to, _| from < 2 && to < 2);
    assert!((0..4).all(|me| net.texts(me).is_empty()));
    let mut net = Net::<Eddsa>::new();
    net.say(0, "to two");
    net.settle(|from, to, _| from != 3 && to != 3);
    assert_eq!((0..4).map(|me| net.texts(me).len()).collect::<Vec<_>>(), [1, 1, 1, 0]);
}

fn check_equivocation<A: SimulatedAuthentication>() {
    let mut net = Net::<A>::new();
    let messages = [&b"yes"[..], b"no"].map(|message| {
        let (_, signature) = net.forge(0, FIRST, message);
        Message::Send(SignedMessage { sequence: 1, message: message.into(), signature })
    });
    for (to, which) in [(1, 0), (2, 1), (3, 0)] {
        net.wire.push_back((0, to, messages[which].clone()));
    }
    net.settle(|_, _, _| true);
    let delivered: BTreeSet<String> = (1..4).flat_map(|me| net.texts(me)).collect();
    assert!(delivered.len() <= 1, "{delivered:?}");
    if A::TRANSFERABLE {
        for me in 1..4 {
            let (_, fault) = net.faults.iter().find(|(by, _)| *by == me).expect("each member has evidence");
            let Misbehaviour::Equivocation(evidence) = &fault.evidence else { panic!("{fault:?}") };
            assert_eq!((fault.culprit, evidence.culprit, evidence.slot), (0, 0, FIRST));
            evidence.verify::<A>(&group(4)).unwrap();
            let bytes = evidence.encode();
            let copy = crate::Equivocation::<A::Signature>::decode(&bytes, &4).unwrap();
            assert_eq!((&copy, copy.encode()), (&**evidence, bytes));
            let mut wrong = copy;
            wrong.slot.sequence += 1;
            assert!(wrong.verify::<A>(&group(4)).is_err());
        }
    } else {
        assert!(net.faults.is_empty(), "there is no evidence");
    }
}

#[test]
fn an_equivocating_sender_is_proven_by_signatures() {
    check_equivocation::<Links>();
    check_equivocation::<Eddsa>();
    // The key reuser signs both messages with the same one-time key.
    check_equivocation::<SimulatedDsig>();
}

#[test]
fn an_echo_of_two_messages_is_evidence() {
    let mut net = Net::<Eddsa>::new();
    for message in [b"a", b"b", b"c"] {
        let (digest, signature) = net.forge(2, FIRST, message);
        let echo = Message::Echo(Attestation { slot: FIRST, digest, signature });
        net.input(1, Input::Message { from: 2, message: echo });
        net.settle(|_, _, _| true);
    }
    assert_eq!(net.faults.len(), 1, "one piece of evidence suffices");
    assert!(matches!(&net.faults[0].1.evidence, Misbehaviour::Equivocation(e) if e.culprit == 2));
}

#[test]
fn a_member_attests_the_same_message_after_a_crash() {
    let mut net = Net::<SimulatedDsig>::new();
    net.say(0, "first");
    // The member persists the message, and none of its messages leave.
    net.settle(|from, to, _| from == 0 && to == 1);
    assert_eq!(net.disks[1].len(), 1);
    net.restart(1);
    let (_, signature) = net.forge(0, FIRST, b"other");
    let other = Message::Send(SignedMessage { sequence: 1, message: b"other"[..].into(), signature });
    net.wire.push_back((0, 1, other));
    net.settle(|_, _, _| true);
    assert_eq!(net.disks[1].len(), 1, "no other message is attested");
    // The sender crashed as well, and repeats its own message.
    net.restart(0);
    net.now = net.now.plus(Duration::from_secs(1));
    for _ in 0..3 {
        net.now = net.now.plus(Duration::from_secs(1));
        (0..4).for_each(|me| net.input(me, Input::Timer(Timer::Retry)));
        net.settle(|_, _, _| true);
    }
    for me in 0..4 {
        assert_eq!(net.texts(me), ["first"], "{me}");
    }
    assert_eq!(net.machines[0].status().sequence, 1);
    net.say(0, "second");
    net.settle(|_, _, _| true);
    assert_eq!(net.texts(2), ["first", "second"]);
}

#[test]
fn contradicting_records_are_refused() {
    let record = |message: &[u8]| Record {
        sender: 2,
        send: SignedMessage {
            sequence: 7,
            message: message.into(),
            signature: crate::authentication::Unsigned,
        },
    };
    let of = |records| Broadcaster::<Links>::new(config(0, 0), records).err().map(|e: Error| e.code());
    assert_eq!(of(vec![record(b"a"), record(b"a")]), None);
    assert_eq!(of(vec![record(b"a"), record(b"b")]), Some("CONTRADICTION"));
    assert_eq!(of(vec![Record { sender: 4, ..record(b"a") }]), Some("UNKNOWN_SIGNER"));
}

#[test]
fn a_member_cannot_impersonate_another() {
    let mut net = Net::<SimulatedDsig>::new();
    net.say(0, "m");
    let (_, _, stolen) = net.wire.iter().find(|(_, _, m)| matches!(m, Message::Send(_))).cloned().unwrap();
    net.input(1, Input::Message { from: 2, message: stolen });
    net.settle(|_, _, _| true);
    let (by, fault) = &net.faults[0];
    assert_eq!((*by, fault.culprit, fault.evidence.code()), (1, 2, "BAD_SIGNATURE"));
    assert_eq!(net.faults.len(), 1);
    let echo =
        Message::Echo(Attestation { slot: FIRST, digest: [1; 32], signature: net.forge(0, FIRST, b"m").1 });
    assert!(net.machines[1].decode(0, &echo.encode()).is_err(), "an echo of the sender's own message");
}
