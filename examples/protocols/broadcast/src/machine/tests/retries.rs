//! Repetitions, requests and the tail.

use super::*;

#[test]
fn a_sender_waits_for_its_tail_and_refuses_excess_messages() {
    let mut net = Net::<Links>::new();
    // No message arrives: four fill the tail, and two wait.
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
fn lost_messages_are_requested_and_repeated() {
    let mut net = Net::<Eddsa>::new();
    net.say(0, "lost");
    // Member 3 receives nothing, member 2 no echo.
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
    assert!(net.wire.is_empty(), "no message is missing");
}

#[test]
fn repeated_requests_are_answered_at_a_limited_rate() {
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
        // The sender and another member are asked, by one and by two members, with requests and with a repeated
        // message.
        assert_eq!(answers(&mut net, 0, 3, &ask), 1);
        assert_eq!(answers(&mut net, 0, 2, &ask), 1);
        assert_eq!(answers(&mut net, 1, 3, &ask), 1);
        assert_eq!(answers(&mut net, 1, 0, &send), 1);
        assert_eq!(answers(&mut net, 1, 0, &ask), 0, "a sender's own message is not echoed to it");
        net.now = net.now.plus(Parameters::default().retry / 2);
    }
}

#[test]
fn a_disconnected_member_does_not_delay_repetitions() {
    let mut net = Net::<Links>::new();
    for me in 0..4 {
        let mut config = config(me, 0);
        config.parameters.tail = 1024;
        net.machines[usize::from(me)] = Broadcaster::new(config, []).unwrap();
    }
    // More messages than the longest pause has turns; each is repeated to member 3 forever.
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
fn slots_outside_the_tail_are_not_attested() {
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
