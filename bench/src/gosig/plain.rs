//! A model of Stage II without aggregation: signatures spread separately, many in one message.
//!
//! A node forwards each new signature to a few random nodes, together with other waiting signatures, as transactions spread
//! in the paper. Signatures are Ed25519's, verified in batches. Until nearly every node has a quorum, each must receive two
//! thirds of all signatures, twice, and many duplicates.

use std::rc::Rc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::network::{Class, Network, Node, Sent};
use super::stage::{Case, END, FRAME, Outcome, P, SKEW, TC};
use crate::queue::{MILLISECOND, Nanos, Queue};
use crate::sampling::processor_time;

/// Number of nodes that a signature is forwarded to.
const COPIES: u8 = 3;
/// Bytes of a signer's index and a signature of Ed25519.
const SIGNATURE: u64 = 2 + 64;
/// Maximum number of signatures in a message.
const MOST: usize = 1000;
/// Time that a node waits for more signatures before it sends them.
const GATHER: Nanos = 20 * MILLISECOND;

enum Event {
    Begin(Node),
    Comes { to: Node, sent: Sent, message: Message },
    Arrived { to: Node, message: Message },
    Left(Node),
    Check(Node),
}

#[derive(Clone)]
struct Message {
    which: usize,
    signers: Rc<[u16]>,
}

#[derive(Default)]
struct Known {
    has: Vec<u64>,
    /// Signatures in the order of arrival, and the number of times each was forwarded; the oldest most often.
    list: Vec<(u16, u8)>,
    /// Signatures before this index were forwarded often enough.
    done: usize,
}

struct Member {
    known: [Known; 2],
    sending: usize,
    busy: Nanos,
    next_check: Nanos,
    reached: [bool; 2],
}

struct World<'a> {
    case: &'a Case,
    queue: Queue<Event>,
    network: Network,
    members: Vec<Option<Member>>,
    random: StdRng,
    outcome: Outcome,
}

/// Runs a case to its end.
pub(super) fn run(case: &Case) -> Outcome {
    let began = processor_time();
    let mut world = World::new(case);
    while let Some(event) = world.queue.take() {
        if world.queue.now() > END || world.outcome.complete.len() == world.outcome.honest {
            break;
        }
        world.happen(event);
    }
    let World { mut outcome, queue, network, members, .. } = world;
    let honest = network.traffic().zip(&members).filter(|(_, member)| member.is_some());
    outcome.bytes = honest.map(|((sent, _), _)| sent).collect();
    outcome.finish(queue.taken(), began);
    outcome
}

impl<'a> World<'a> {
    fn new(case: &'a Case) -> Self {
        let mut random = StdRng::seed_from_u64(case.seed);
        let network = Network::new(case.setting, case.nodes, random.random());
        let mut queue = Queue::new();
        let silent = case.silent_nodes(&mut random);
        let member = |(me, silent): (Node, bool)| {
            if silent {
                return None;
            }
            queue.put(random.random_range(0..=SKEW), Event::Begin(me));
            let known = || Known { has: vec![0; case.nodes.div_ceil(64)], ..Known::default() };
            Some(Member {
                known: [known(), known()],
                sending: 0,
                busy: 0,
                next_check: 0,
                reached: [false; 2],
            })
        };
        let members = (0..).zip(silent).map(member).collect();
        let outcome = Outcome { honest: case.nodes - case.silent, ..Outcome::default() };
        Self { case, queue, network, members, random, outcome }
    }

    fn happen(&mut self, event: Event) {
        let now = self.queue.now();
        match event {
            Event::Begin(me) => {
                self.receive_signatures(me, P, &[me as u16]);
                self.send(me);
            }
            Event::Comes { to, sent, message } => {
                let at = self.network.receive(now, to, &sent);
                self.queue.put(at, Event::Arrived { to, message });
            }
            Event::Arrived { to, message } => {
                self.receive_signatures(to, message.which, &message.signers);
                self.send(to);
            }
            Event::Left(from) => {
                if let Some(member) = self.member(from) {
                    member.sending -= 1;
                }
                self.send(from);
            }
            Event::Check(me) => self.send(me),
        }
    }

    fn member(&mut self, node: Node) -> Option<&mut Member> {
        self.members.get_mut(node as usize)?.as_mut()
    }

    /// Verifies new signatures, and signs TC once P has a quorum.
    fn receive_signatures(&mut self, me: Node, which: usize, signers: &[u16]) {
        let (now, quorum, costs) = (self.queue.now(), self.case.nodes * 2 / 3 + 1, self.case.costs);
        let Some(member) = self.member(me) else { return };
        let Some(known) = member.known.get_mut(which) else { return };
        let before = known.list.len();
        signers.iter().for_each(|signer| known.insert(*signer));
        let cost = (costs.plain * (known.list.len() - before) as f64) as Nanos;
        let has_quorum = known.list.len() >= quorum;
        member.busy = member.busy.max(now) + cost;
        let until = member.busy;
        let Some(reached) = member.reached.get_mut(which) else { return };
        if !has_quorum || *reached {
            return;
        }
        *reached = true;
        if which == P {
            self.outcome.prepared.push(until);
            self.receive_signatures(me, TC, &[me as u16]);
        } else {
            self.outcome.complete.push(until);
        }
    }

    fn send(&mut self, me: Node) {
        let (now, fan_out, nodes) = (self.queue.now(), self.case.fan_out, self.case.nodes as Node);
        loop {
            let (draw, to) = (self.random.random::<bool>(), self.random.random_range(0..nodes));
            let Some(member) = self.member(me).filter(|member| member.sending < fan_out) else { return };
            if member.busy > now || to == me {
                if to == me {
                    continue;
                }
                break;
            }
            let order = if draw { [P, TC] } else { [TC, P] };
            let next =
                order.into_iter().find_map(|which| Some((which, member.known.get_mut(which)?.next_batch()?)));
            let Some((which, signers)) = next else { break };
            member.sending += 1;
            let len = FRAME + signers.len() as u64 * SIGNATURE;
            let sent = self.network.send(now, me, to, len, Class::Urgent);
            self.outcome.messages += 1;
            self.queue.put(sent.left, Event::Left(me));
            if self.member(to).is_some() {
                self.queue.put(sent.comes, Event::Comes { to, sent, message: Message { which, signers } });
            }
        }
        let Some(member) = self.member(me).filter(|member| member.next_check <= now) else { return };
        member.next_check = now.max(member.busy) + GATHER;
        let next_check = member.next_check;
        self.queue.put(next_check, Event::Check(me));
    }
}

impl Known {
    fn insert(&mut self, signer: u16) {
        let bit = 1u64 << (signer % 64);
        if let Some(word) = self.has.get_mut(usize::from(signer / 64)).filter(|word| **word & bit == 0) {
            *word |= bit;
            self.list.push((signer, 0));
        }
    }

    /// The signatures to forward again.
    fn next_batch(&mut self) -> Option<Rc<[u16]>> {
        let begin = self.done;
        let end = self.list.len().min(begin + MOST);
        let part = self.list.get_mut(begin..end).filter(|part| !part.is_empty())?;
        let signers = part.iter_mut().map(|(signer, passed)| {
            *passed += 1;
            *signer
        });
        let signers = signers.collect();
        while self.list.get(self.done).is_some_and(|(_, passed)| *passed >= COPIES) {
            self.done += 1;
        }
        Some(signers)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::tests::case;
    use super::*;

    #[test]
    fn every_node_finishes_and_runs_are_reproducible() {
        let (one, again) = (run(&case(200, 0)), run(&case(200, 0)));
        assert_eq!((one.complete.len(), one.prepared.len()), (200, 200));
        assert_eq!((&one.complete, &one.bytes), (&again.complete, &again.bytes));
    }

    #[test]
    fn a_signature_is_forwarded_the_given_number_of_times() {
        let mut known = Known { has: vec![0; 1], ..Known::default() };
        known.insert(3);
        known.insert(3);
        assert_eq!(known.next_batch().as_deref(), Some([3].as_slice()));
        known.insert(5);
        assert_eq!(known.next_batch().as_deref(), Some([3, 5].as_slice()));
        assert_eq!(known.next_batch().as_deref(), Some([3, 5].as_slice()));
        assert_eq!(known.next_batch().as_deref(), Some([5].as_slice()));
        assert_eq!(known.next_batch(), None);
    }
}
