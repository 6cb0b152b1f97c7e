//! Machines by hand: what each input brings about.

use std::collections::VecDeque;
use std::time::Duration;

use quorate::machine::{Fault, Outgoing, Recipient, TimerChange};
use quorate::wire::Encode;

use super::*;
use crate::authentication::{Eddsa, Links};
use crate::interface::{Delivery, Refusal};
use crate::message::SignedMessage;
use crate::simulation::{SimulatedAuthentication, SimulatedDsig, group};
use crate::statement::{Attestation, attestation_bytes};

const NOW: Time = Time(5_000_000);

/// Machines, and messages in the order in which they were sent.
struct Net<A: SimulatedAuthentication> {
    machines: Vec<Broadcaster<A>>,
    wire: VecDeque<(MemberIndex, MemberIndex, Message<A::Signature>)>,
    disks: Vec<Vec<Record<A::Signature>>>,
    delivered: Vec<Vec<Delivery>>,
    faults: Vec<(MemberIndex, Fault<Misbehaviour<A::Signature>>)>,
    slow: Vec<bool>,
    now: Time,
}

fn config<A: SimulatedAuthentication>(me: MemberIndex, life: u8) -> Config<A> {
    let authentication = A::make(group(4), me, [life; 32]);
    let parameters = Parameters { tail: 4, max_message: 64, max_waiting: 2, ..Parameters::default() };
    Config { group: group(4), me, authentication, parameters }
}

impl<A: SimulatedAuthentication> Net<A> {
    fn new() -> Self {
        let mut net = Self {
            machines: (0..4).map(|me| Broadcaster::new(config(me, me as u8), []).unwrap()).collect(),
            wire: VecDeque::new(),
            disks: (0..4).map(|_| Vec::new()).collect(),
            delivered: vec![Vec::new(); 4],
            faults: Vec::new(),
            slow: vec![false; 4],
            now: NOW,
        };
        (0..4).for_each(|me| net.input(me, Input::Start));
        net.settle(|_, _, _| true);
        net
    }

    fn input(&mut self, me: MemberIndex, input: Input<Broadcaster<A>>) {
        let at = usize::from(me);
        let step = self.machines[at].handle(self.now, input);
        self.disks[at].extend(step.persist);
        for Outgoing { to, message } in step.messages {
            let all = (0..4).filter(|to| *to != me);
            let to: Vec<u16> = if let Recipient::One(to) = to { vec![to] } else { all.collect() };
            self.wire.extend(to.into_iter().map(|to| (me, to, message.clone())));
        }
        for change in step.timers {
            if let TimerChange::Set { timer: Timer::Slow, .. } = change {
                self.slow[at] = true;
            }
        }
        self.faults.extend(step.faults.into_iter().map(|fault| (me, fault)));
        for output in step.outputs {
            match output {
                Output::Deliver(delivery) => self.delivered[at].push(delivery),
                Output::Work(work) => self.input(me, Input::Command(Command::Done(work.run()))),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Delivers what `passes`, and fires the timer for slow messages where nothing else waits.
    fn settle(&mut self, passes: impl Fn(MemberIndex, MemberIndex, &Message<A::Signature>) -> bool) {
        loop {
            if let Some((from, to, message)) = self.wire.pop_front() {
                if passes(from, to, &message) {
                    let message = self.machines[usize::from(to)].decode(from, &message.encode()).unwrap();
                    self.input(to, Input::Message { from, message });
                }
            } else if let Some(me) = self.slow.iter().position(|slow| *slow) {
                self.slow[me] = false;
                self.input(me as u16, Input::Timer(Timer::Slow));
            } else {
                return;
            }
        }
    }

    fn say(&mut self, me: MemberIndex, message: &str) {
        self.input(me, Input::Command(Command::Broadcast(message.as_bytes().into())));
    }

    /// What a member that holds this one's key could send.
    fn forge(&self, me: MemberIndex, slot: Slot, message: &[u8]) -> (crate::Digest, A::Signature) {
        let digest = digest(message);
        let mut signer = A::make(group(4), me, [99; 32]);
        while let Ok(Some(job)) = signer.plan(self.now) {
            signer.finish(A::run(job));
        }
        (digest, signer.sign(&attestation_bytes(&group(4).id(), me, slot, &digest), self.now).unwrap())
    }

    fn restart(&mut self, me: MemberIndex) {
        let records = self.disks[usize::from(me)].clone();
        self.machines[usize::from(me)] = Broadcaster::new(config(me, 50 + me as u8), records).unwrap();
        self.input(me, Input::Start);
    }

    fn texts(&self, me: MemberIndex) -> Vec<String> {
        let text = |d: &Delivery| String::from_utf8(d.message.to_vec()).unwrap();
        self.delivered[usize::from(me)].iter().map(text).collect()
    }

    fn slow_verifications(&self) -> u64 {
        self.machines.iter().map(|machine| machine.status().verified.1).sum()
    }
}

const FIRST: Slot = Slot { sender: 0, sequence: 1 };

fn everybody_delivers<A: SimulatedAuthentication>() {
    let mut net = Net::<A>::new();
    net.say(0, "one");
    assert_eq!(net.disks[0].len(), 1, "durable before it leaves");
    net.say(3, "two");
    net.settle(|_, _, _| true);
    for me in 0..4 {
        let mut texts = net.texts(me);
        texts.sort();
        assert_eq!(texts, ["one", "two"], "{} {me}", A::NAME);
        assert_eq!(net.disks[usize::from(me)].len(), 2);
    }
    assert!(net.faults.is_empty());
    assert_eq!(net.slow_verifications(), 0, "{}: all keys were announced", A::NAME);
}

#[test]
fn a_message_is_delivered_everywhere_and_kept_before_it_is_spoken_of() {
    everybody_delivers::<Links>();
    everybody_delivers::<Eddsa>();
    everybody_delivers::<SimulatedDsig>();
}

#[test]
fn without_a_quorum_nothing_is_delivered_and_with_it_nobody_is_waited_for() {
    let mut net = Net::<Eddsa>::new();
    net.say(0, "to one");
    net.settle(|from, to, _| from < 2 && to < 2);
    assert!((0..4).all(|me| net.texts(me).is_empty()));
    let mut net = Net::<Eddsa>::new();
    net.say(0, "to two");
    net.settle(|from, to, _| from != 3 && to != 3);
    assert_eq!((0..4).map(|me| net.texts(me).len()).collect::<Vec<_>>(), [1, 1, 1, 0]);
}

fn equivocation_is_found<A: SimulatedAuthentication>() {
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
            let (_, fault) = net.faults.iter().find(|(by, _)| *by == me).expect("each has evidence");
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
        assert!(net.faults.is_empty(), "nothing can be shown");
    }
}

#[test]
fn who_tells_two_members_two_things_is_found_where_words_can_be_shown() {
    equivocation_is_found::<Links>();
    equivocation_is_found::<Eddsa>();
    // The second one is even signed with the same one-time key.
    equivocation_is_found::<SimulatedDsig>();
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
    assert_eq!(net.faults.len(), 1, "once is enough");
    assert!(matches!(&net.faults[0].1.evidence, Misbehaviour::Equivocation(e) if e.culprit == 2));
}

#[test]
fn a_member_that_crashed_before_it_spoke_vouches_for_the_same() {
    let mut net = Net::<SimulatedDsig>::new();
    net.say(0, "first");
    // It keeps the message, and nothing of what it says leaves.
    net.settle(|from, to, _| from == 0 && to == 1);
    assert_eq!(net.disks[1].len(), 1);
    net.restart(1);
    let (_, signature) = net.forge(0, FIRST, b"other");
    let other = Message::Send(SignedMessage { sequence: 1, message: b"other"[..].into(), signature });
    net.wire.push_back((0, 1, other));
    net.settle(|_, _, _| true);
    assert_eq!(net.disks[1].len(), 1, "no other message is vouched for");
    // The sender crashed as well: its own message is the same after that, too.
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
fn records_that_contradict_each_other_are_refused() {
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
fn slow_signatures_are_handled_last_and_fast_ones_do_not_wait() {
    let mut net = Net::<SimulatedDsig>::new();
    // Its keys were not announced.
    let slot = Slot { sender: 2, sequence: 1 };
    let (_, signature) = net.forge(2, slot, b"slow");
    let slow = Message::Send(SignedMessage { sequence: 1, message: b"slow"[..].into(), signature });
    net.input(1, Input::Message { from: 2, message: slow });
    assert_eq!(net.machines[1].status().deferred, 1);
    net.say(0, "fast");
    let Some((_, _, fast)) = net.wire.iter().find(|(from, to, _)| (*from, *to) == (0, 1)).cloned() else {
        panic!("it was sent");
    };
    net.input(1, Input::Message { from: 0, message: fast });
    let kept: Vec<_> = net.disks[1].iter().map(|record| record.sender).collect();
    assert_eq!(kept, [0], "the fast one came later and is first");
    assert!(net.slow[1]);
    net.input(1, Input::Timer(Timer::Slow));
    assert_eq!(net.disks[1].last().unwrap().sender, 2);
    assert_eq!(net.machines[1].status().deferred, 0);
    assert_eq!(net.machines[1].status().verified.1, 1);
}

#[test]
fn what_becomes_fast_while_it_waits_is_handled_at_once() {
    let mut net = Net::<SimulatedDsig>::new();
    let mut signer = SimulatedDsig::make(group(4), 2, [99; 32]);
    let Some(job) = signer.plan(NOW).unwrap() else { panic!("keys are short") };
    let crate::authentication::Finished::Made(Some(announcement)) = signer.finish(SimulatedDsig::run(job))
    else {
        panic!("keys are made");
    };
    let (slot, digest) = (Slot { sender: 2, sequence: 1 }, digest(b"late"));
    let signature = signer.sign(&attestation_bytes(&group(4).id(), 2, slot, &digest), NOW).unwrap();
    let sent = Message::Send(SignedMessage { sequence: 1, message: b"late"[..].into(), signature });
    net.input(1, Input::Message { from: 2, message: sent });
    assert_eq!(net.machines[1].status().deferred, 1);
    net.input(1, Input::Message { from: 2, message: Message::Announcement(announcement) });
    let status = net.machines[1].status();
    assert_eq!((status.deferred, status.verified.1, net.disks[1].len()), (0, 0, 1));
}

#[test]
fn without_a_key_a_message_waits_and_an_echo_is_owed() {
    let mut machine = Broadcaster::<SimulatedDsig>::new(config(1, 1), []).unwrap();
    let step = machine.handle(NOW, Input::Start);
    let mut work: Vec<_> = step.outputs.into_iter().collect();
    let sender = Net::<SimulatedDsig>::new();
    let (_, signature) = sender.forge(0, FIRST, b"m");
    let sent = Message::Send(SignedMessage { sequence: 1, message: b"m"[..].into(), signature });
    drop(machine.handle(NOW, Input::Message { from: 0, message: sent }));
    let step = machine.handle(NOW, Input::Timer(Timer::Slow));
    assert_eq!((step.persist.len(), step.messages.len()), (1, 0), "vouched for, but not yet said");
    let step = machine.handle(NOW, Input::Command(Command::Broadcast(b"own"[..].into())));
    assert_eq!((step.persist.len(), machine.status().waiting), (0, 1));
    let Some(Output::Work(work)) = work.pop() else { panic!("keys are to be made") };
    let step = machine.handle(NOW, Input::Command(Command::Done(work.run())));
    let kinds: Vec<u8> = step.messages.iter().map(|outgoing| outgoing.message.encode()[0]).collect();
    assert_eq!(kinds, [5, 2, 1], "the announcement, the echo, the own message");
    assert_eq!(machine.status().waiting, 0);
}

#[test]
fn a_sender_waits_for_its_oldest_message_and_refuses_what_is_too_much() {
    let mut net = Net::<Links>::new();
    // Nobody hears: a tail of four, and two that wait.
    for i in 0..6 {
        net.say(0, &format!("{i}"));
    }
    assert_eq!((net.machines[0].status().sequence, net.machines[0].status().waiting), (4, 2));
    let refused = |net: &mut Net<Links>, message: &[u8]| {
        let step = net.machines[0].handle(NOW, Input::Command(Command::Broadcast(message.into())));
        match step.outputs.into_iter().next() {
            Some(Output::Refused { refusal, .. }) => refusal,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&mut net, b"7"), Refusal::Busy);
    assert_eq!(refused(&mut net, &[0; 65]), Refusal::TooLong { limit: 64 });
    net.settle(|_, _, _| true);
    assert_eq!(net.texts(2).len(), 6);
}

#[test]
fn what_was_lost_is_asked_for_and_sent_again() {
    let mut net = Net::<Eddsa>::new();
    net.say(0, "lost");
    // Member 3 hears nothing at all, member 2 no echo.
    net.settle(|_, to, message| to != 3 && !(to == 2 && matches!(message, Message::Echo(_))));
    assert_eq!((net.texts(1).len(), net.texts(2).len(), net.texts(3).len()), (1, 0, 0));
    for _ in 0..4 {
        net.now = net.now.plus(Duration::from_secs(1));
        (0..4).for_each(|me| net.input(me, Input::Timer(Timer::Retry)));
        net.settle(|_, _, _| true);
    }
    assert_eq!((net.texts(2).len(), net.texts(3).len()), (1, 1));
    net.now = net.now.plus(Duration::from_secs(100));
    (0..4).for_each(|me| net.input(me, Input::Timer(Timer::Retry)));
    assert!(net.wire.is_empty(), "nothing is missing any more");
}

#[test]
fn who_asks_again_and_again_is_answered_once_in_a_while() {
    let mut net = Net::<Eddsa>::new();
    net.say(0, "m");
    let (_, _, send) = net.wire.iter().find(|(_, to, _)| *to == 1).cloned().unwrap();
    net.settle(|_, _, _| true);
    let answers = |net: &mut Net<Eddsa>, to: MemberIndex, from: MemberIndex, message: &Message<_>| {
        for _ in 0..100 {
            net.input(to, Input::Message { from, message: message.clone() });
        }
        net.wire.drain(..).count()
    };
    let ask = Message::Ask(FIRST);
    for _ in 0..3 {
        // Its sender and another member; of one member and of two; in questions, and in a message said again.
        assert_eq!(answers(&mut net, 0, 3, &ask), 1);
        assert_eq!(answers(&mut net, 0, 2, &ask), 1);
        assert_eq!(answers(&mut net, 1, 3, &ask), 1);
        assert_eq!(answers(&mut net, 1, 0, &send), 1);
        assert_eq!(answers(&mut net, 1, 0, &ask), 0, "a sender is not told of its own message");
        net.now = net.now.plus(Parameters::default().retry / 2);
    }
}

#[test]
fn echoes_that_wait_for_a_key_are_no_more_than_the_tail() {
    let mut machine = Broadcaster::<SimulatedDsig>::new(config(1, 1), []).unwrap();
    drop(machine.handle(NOW, Input::Start));
    let mut sender = SimulatedDsig::make(group(4), 0, [0; 32]);
    for sequence in 1..=20 {
        while let Ok(Some(job)) = sender.plan(NOW) {
            sender.finish(SimulatedDsig::run(job));
        }
        let bytes = attestation_bytes(&group(4).id(), 0, Slot { sender: 0, sequence }, &digest(b"m"));
        let signature = sender.sign(&bytes, NOW).unwrap();
        let sent = Message::Send(SignedMessage { sequence, message: b"m"[..].into(), signature });
        drop(machine.handle(NOW, Input::Message { from: 0, message: sent }));
        drop(machine.handle(NOW, Input::Timer(Timer::Slow)));
    }
    assert_eq!(machine.owed.iter().map(|slot| slot.sequence).collect::<Vec<_>>(), [17, 18, 19, 20]);
}

#[test]
fn a_member_that_is_away_keeps_no_message_from_being_sent_again_to_the_others() {
    let mut net = Net::<Links>::new();
    for me in 0..4 {
        let mut config = config(me, 0);
        config.parameters.tail = 1024;
        net.machines[usize::from(me)] = Broadcaster::new(config, []).unwrap();
    }
    // More than all turns of the longest pause: each of these is sent to member 3 for ever.
    const LAST: u64 = 700;
    for i in 1..=LAST {
        net.say(0, &format!("{i}"));
        net.settle(|_, to, message| {
            let lost = to == 2 && matches!(message, Message::Send(send) if send.sequence == LAST);
            to != 3 && !lost
        });
    }
    assert_eq!((net.texts(1).len(), net.texts(2).len()), (699, 699));
    for _ in 0..40 {
        net.now = net.now.plus(Duration::from_millis(200));
        net.input(0, Input::Timer(Timer::Retry));
        net.settle(|_, to, _| to != 3);
    }
    assert_eq!((net.texts(1).len(), net.texts(2).len()), (700, 700));
}

#[test]
fn what_has_left_the_tail_is_not_vouched_for() {
    let mut net = Net::<Eddsa>::new();
    let send = |net: &Net<Eddsa>, sequence, message: &[u8]| {
        let (_, signature) = net.forge(0, Slot { sender: 0, sequence }, message);
        Message::Send(SignedMessage { sequence, message: message.into(), signature })
    };
    for sequence in [10, 6, 7] {
        let message = send(&net, sequence, b"m");
        net.input(1, Input::Message { from: 0, message });
    }
    let kept: Vec<u64> = net.disks[1].iter().map(|record| record.send.sequence).collect();
    assert_eq!(kept, [10, 7]);
    net.restart(1);
    for sequence in [6, 10] {
        let message = send(&net, sequence, b"another");
        net.input(1, Input::Message { from: 0, message });
    }
    assert_eq!(net.disks[1].len(), 2);
}

#[test]
fn a_member_cannot_speak_for_another() {
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
    assert!(net.machines[1].decode(0, &echo.encode()).is_err(), "an echo of an own message");
}
