//! Slow signatures and missing keys.

use super::*;

#[test]
fn slow_signatures_are_verified_after_fast_ones() {
    let mut net = Net::<SimulatedDsig>::new();
    // The member's keys were not announced.
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
    assert_eq!(kept, [0], "the fast message arrives later and is accepted first");
    assert!(net.slow[1]);
    net.input(1, Input::Timer(Timer::Slow));
    assert_eq!(net.disks[1].last().unwrap().sender, 2);
    assert_eq!(net.machines[1].status().deferred, 0);
    assert_eq!(net.machines[1].status().verified.1, 1);
}

#[test]
fn a_deferred_message_that_becomes_fast_is_handled_at_once() {
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
fn without_a_key_messages_and_echoes_wait() {
    let mut machine = Broadcaster::<SimulatedDsig>::new(config(1, 1), []).unwrap();
    let step = machine.handle(NOW, Input::Start);
    let mut work: Vec<_> = step.outputs.into_iter().collect();
    let sender = Net::<SimulatedDsig>::new();
    let (_, signature) = sender.forge(0, FIRST, b"m");
    let sent = Message::Send(SignedMessage { sequence: 1, message: b"m"[..].into(), signature });
    drop(machine.handle(NOW, Input::Message { from: 0, message: sent }));
    let step = machine.handle(NOW, Input::Timer(Timer::Slow));
    assert_eq!((step.persist.len(), step.messages.len()), (1, 0), "attested, but the echo waits");
    let step = machine.handle(NOW, Input::Command(Command::Broadcast(b"own"[..].into())));
    assert_eq!((step.persist.len(), machine.status().waiting), (0, 1));
    let Some(Output::Work(work)) = work.pop() else { panic!("keys are to be made") };
    let step = machine.handle(NOW, Input::Command(Command::Done(work.run())));
    let kinds: Vec<u8> = step.messages.iter().map(|outgoing| outgoing.message.encode()[0]).collect();
    assert_eq!(kinds, [5, 2, 1], "the announcement, the echo, the own message");
    assert_eq!(machine.status().waiting, 0);
}

#[test]
fn echoes_that_wait_for_a_key_are_bounded_by_the_tail() {
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
