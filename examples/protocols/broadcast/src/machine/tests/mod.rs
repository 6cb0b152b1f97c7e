//! Effects of single inputs on hand-driven machines.

mod agreement;
mod keys;
mod retries;

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

/// Machines, and the messages between them in the order of sending.
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

    /// Delivers messages for which `passes` holds, and fires the timer for slow messages when nothing else waits.
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

    /// Returns a digest and signature that a holder of this member's key could send.
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
