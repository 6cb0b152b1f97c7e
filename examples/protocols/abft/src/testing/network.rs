use std::collections::BTreeMap;

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time};
use quorate::wire::Encode;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::schedule::Schedule;
use super::{Verdict, ensure};
use crate::violation::Violation;

/// Changes what a Byzantine member sends to one receiver: arguments are sender, machine of the sender, receiver and
/// message; the result replaces the message.
pub(crate) type Tamper<M> =
    Box<dyn FnMut(MemberIndex, usize, MemberIndex, <M as Machine>::Message) -> Vec<<M as Machine>::Message>>;

/// A member. A correct member runs one machine; a Byzantine one may run several, all of which hear everything.
pub(crate) struct Node<M: Machine> {
    machines: Vec<M>,
    is_byzantine: bool,
    pub(crate) outputs: Vec<M::Output>,
    /// The causal depth of each output: the number of messages in the longest chain that led to it.
    pub(crate) depths: Vec<usize>,
    pub(crate) faults: Vec<(MemberIndex, Violation)>,
    /// Messages that were refused by the decoder, by sender.
    pub(crate) undecodable: Vec<MemberIndex>,
    depth: usize,
}

struct Envelope {
    from: MemberIndex,
    to: MemberIndex,
    depth: usize,
    bytes: Vec<u8>,
}

/// Members, the messages in flight, and the adversary.
pub(crate) struct Network<M: Machine> {
    pub(crate) nodes: Vec<Node<M>>,
    in_flight: BTreeMap<((u64, u64), u64), Envelope>,
    schedule: Schedule,
    tamper: Tamper<M>,
    rng: StdRng,
    sequence: u64,
    /// Whether the links deliver each message twice.
    pub(crate) repeats: bool,
    /// Number of delivered messages.
    pub(crate) delivered: usize,
    /// All messages in the order in which they were sent: sender, receiver, bytes.
    pub(crate) log: Vec<(MemberIndex, MemberIndex, Vec<u8>)>,
}

impl<M: Machine<Fault = Violation>> Network<M> {
    /// Creates a network without members.
    pub(crate) fn new(seed: u64, schedule: Schedule) -> Self {
        Self {
            nodes: Vec::new(),
            in_flight: BTreeMap::new(),
            schedule,
            tamper: Box::new(|_, _, _, message| vec![message]),
            rng: StdRng::seed_from_u64(seed),
            sequence: 0,
            repeats: false,
            delivered: 0,
            log: Vec::new(),
        }
    }

    /// Sets what Byzantine members send.
    pub(crate) fn with_tamper(
        mut self,
        tamper: impl FnMut(MemberIndex, usize, MemberIndex, M::Message) -> Vec<M::Message> + 'static,
    ) -> Self {
        self.tamper = Box::new(tamper);
        self
    }

    /// Adds the next member as a correct one.
    pub(crate) fn add(&mut self, machine: M) {
        self.add_node(vec![machine], false);
    }

    /// Adds the next member as a Byzantine one. Without a machine it is silent.
    pub(crate) fn add_byzantine(&mut self, machines: Vec<M>) {
        self.add_node(machines, true);
    }

    fn add_node(&mut self, machines: Vec<M>, is_byzantine: bool) {
        self.nodes.push(Node {
            machines,
            is_byzantine,
            outputs: Vec::new(),
            depths: Vec::new(),
            faults: Vec::new(),
            undecodable: Vec::new(),
            depth: 0,
        });
    }

    /// Starts all machines.
    pub(crate) fn start(&mut self) {
        for member in 0..self.nodes.len() {
            for place in 0..self.nodes[member].machines.len() {
                let step = self.nodes[member].machines[place].handle(Time(0), Input::Start);
                self.carry_out(member as MemberIndex, place, step);
            }
        }
    }

    /// Passes a command to one machine of a member.
    pub(crate) fn command(&mut self, member: MemberIndex, place: usize, command: M::Command) {
        let node = &mut self.nodes[usize::from(member)];
        let step = node.machines[place].handle(Time(0), Input::Command(command));
        self.carry_out(member, place, step);
    }

    /// Sends a message of a Byzantine member.
    pub(crate) fn inject(&mut self, from: MemberIndex, to: MemberIndex, message: &M::Message) {
        assert!(self.nodes[usize::from(from)].is_byzantine);
        self.send(from, to, message.encode());
    }

    /// Sends arbitrary bytes of a Byzantine member.
    pub(crate) fn inject_bytes(&mut self, from: MemberIndex, to: MemberIndex, bytes: Vec<u8>) {
        assert!(self.nodes[usize::from(from)].is_byzantine);
        self.send(from, to, bytes);
    }

    /// Delivers messages until none is in flight.
    pub(crate) fn run(&mut self, budget: usize) -> Verdict {
        while self.deliver_one() {
            ensure(self.delivered <= budget, || format!("no end after {budget} messages"))?;
        }
        self.check_blame()
    }

    /// Delivers messages until a condition holds.
    pub(crate) fn run_until(&mut self, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            assert!(self.deliver_one(), "no message is in flight");
        }
    }

    /// Delivers the next message. Returns false if none is in flight.
    pub(crate) fn deliver_one(&mut self) -> bool {
        let Some((_, envelope)) = self.in_flight.pop_first() else { return false };
        self.delivered += 1;
        let Envelope { from, to, depth, bytes } = envelope;
        let sender_is_byzantine = self.nodes[usize::from(from)].is_byzantine;
        for place in 0..self.nodes[usize::from(to)].machines.len() {
            let node = &mut self.nodes[usize::from(to)];
            node.depth = node.depth.max(depth);
            let message = match node.machines[place].decode(from, &bytes) {
                Ok(message) => message,
                Err(error) => {
                    assert!(sender_is_byzantine, "a correct member's message is refused: {error:?}");
                    node.undecodable.push(from);
                    continue;
                }
            };
            assert_eq!(message.encode(), bytes, "decoding and encoding changes {message:?}");
            let step = node.machines[place].handle(Time(0), Input::Message { from, message });
            self.carry_out(to, place, step);
        }
        true
    }

    fn carry_out(&mut self, member: MemberIndex, place: usize, step: Step<M>) {
        assert!(step.persist.is_empty() && step.timers.is_empty());
        let node = &mut self.nodes[usize::from(member)];
        let is_byzantine = node.is_byzantine;
        if place == 0 {
            node.depths.extend(step.outputs.iter().map(|_| node.depth));
            node.outputs.extend(step.outputs);
            node.faults.extend(step.faults.into_iter().map(|fault| (fault.culprit, fault.evidence)));
        }
        for Outgoing { to, message } in step.messages {
            let receivers = match to {
                Recipient::One(to) => vec![to],
                Recipient::Others => {
                    (0..self.nodes.len() as MemberIndex).filter(|to| *to != member).collect()
                }
            };
            for to in receivers {
                assert_ne!(to, member, "a member sends to itself");
                if is_byzantine {
                    for message in (self.tamper)(member, place, to, message.clone()) {
                        self.send(member, to, message.encode());
                    }
                } else {
                    self.send(member, to, message.encode());
                }
            }
        }
    }

    fn send(&mut self, from: MemberIndex, to: MemberIndex, bytes: Vec<u8>) {
        if self.repeats {
            self.send_once(from, to, bytes.clone());
        }
        self.send_once(from, to, bytes);
    }

    fn send_once(&mut self, from: MemberIndex, to: MemberIndex, bytes: Vec<u8>) {
        let depth = self.nodes[usize::from(from)].depth + 1;
        let priority = self.schedule.priority(from, to, &bytes, self.sequence, &mut self.rng);
        self.log.push((from, to, bytes.clone()));
        self.in_flight.insert((priority, self.sequence), Envelope { from, to, depth, bytes });
        self.sequence += 1;
    }

    /// Iterates over the correct members.
    pub(crate) fn correct(&self) -> impl Iterator<Item = (MemberIndex, &Node<M>)> {
        let all = (0..).zip(&self.nodes);
        all.filter(|(_, node)| !node.is_byzantine)
    }

    /// Checks that no correct member names another correct member as a culprit.
    fn check_blame(&self) -> Verdict {
        for (member, node) in self.correct() {
            for (culprit, violation) in &node.faults {
                let is_byzantine = self.nodes[usize::from(*culprit)].is_byzantine;
                ensure(is_byzantine, || format!("{member} blames the correct {culprit}: {violation:?}"))?;
            }
        }
        Ok(())
    }

    /// Returns true if some correct member names `culprit` with a violation that matches.
    pub(crate) fn is_named(&self, culprit: MemberIndex, matches: impl Fn(&Violation) -> bool) -> bool {
        self.correct()
            .any(|(_, node)| node.faults.iter().any(|(named, what)| *named == culprit && matches(what)))
    }
}
