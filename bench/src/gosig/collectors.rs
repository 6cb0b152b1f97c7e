//! A model of Stage II with threshold signatures: nodes send shares to a collector, which sends the signature to all nodes.
//!
//! Every node sends its share of P to the collector; a quorum of shares forms one short signature, which the collector
//! sends to each node separately; then the same with TC. The cost of combining shares is that of adding them, which favours
//! the collector.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::network::{Class, Network, Node, Sent};
use super::stage::{Case, END, FRAME, Outcome, P, SKEW, TC};
use crate::queue::{Nanos, Queue};
use crate::sampling::processor_time;

/// Bytes of a share: suite, statement, signer, signature. The combined signature has no signer.
const SHARE: u64 = 1 + 49 + 2 + 48;
/// The collector. It is never silent in this model, which leaves out the timeout that replaces a silent one.
const COLLECTOR: Node = 0;

enum Event {
    /// A node signs.
    Sign(Node, usize),
    Comes {
        to: Node,
        which: usize,
        sent: Sent,
    },
    Arrived {
        to: Node,
        which: usize,
    },
    /// The collector has combined a quorum of shares.
    Whole(usize),
}

struct World<'a> {
    case: &'a Case,
    queue: Queue<Event>,
    network: Network,
    silent: Vec<bool>,
    shares: [usize; 2],
    outcome: Outcome,
}

/// Runs a case to its end.
pub(super) fn run(case: &Case) -> Outcome {
    let began = processor_time();
    let mut random = StdRng::seed_from_u64(case.seed);
    let network = Network::new(case.setting, case.nodes, random.random());
    let mut silent = case.silent_nodes(&mut random);
    if let Some(place) = silent.iter().position(|silent| !silent) {
        silent.swap(COLLECTOR as usize, place);
    }
    let mut queue = Queue::new();
    for (me, _) in (0..).zip(&silent).filter(|(_, silent)| !**silent) {
        queue.put(random.random_range(0..=SKEW), Event::Sign(me, P));
    }
    let outcome = Outcome { honest: case.nodes - case.silent, ..Outcome::default() };
    let mut world = World { case, queue, network, silent, shares: [0; 2], outcome };
    while let Some(event) = world.queue.take() {
        if world.queue.now() > END {
            break;
        }
        world.happen(event);
    }
    let World { mut outcome, queue, network, silent, .. } = world;
    outcome.bytes =
        network.traffic().zip(&silent).filter(|(_, silent)| !**silent).map(|((sent, _), _)| sent).collect();
    outcome.finish(queue.taken(), began);
    outcome
}

impl World<'_> {
    fn happen(&mut self, event: Event) {
        let now = self.queue.now();
        match event {
            Event::Sign(me, which) => {
                let ready = now + self.case.costs.sign;
                self.send(ready, me, COLLECTOR, which);
            }
            Event::Comes { to, which, sent } => {
                let at = self.network.receive(now, to, &sent);
                self.queue.put(at, Event::Arrived { to, which });
            }
            Event::Arrived { to: COLLECTOR, which } => self.share(which),
            Event::Arrived { to, which } => self.whole(to, which),
            Event::Whole(which) => {
                self.whole(COLLECTOR, which);
                for to in 1..self.case.nodes as Node {
                    self.send(now, COLLECTOR, to, which);
                }
            }
        }
    }

    fn send(&mut self, now: Nanos, from: Node, to: Node, which: usize) {
        let sent = self.network.send(now, from, to, FRAME + SHARE, Class::Urgent);
        self.outcome.messages += 1;
        if self.silent.get(to as usize) == Some(&false) {
            self.queue.put(sent.comes, Event::Comes { to, which, sent });
        }
    }

    fn share(&mut self, which: usize) {
        let quorum = self.case.nodes * 2 / 3 + 1;
        let Some(shares) = self.shares.get_mut(which) else { return };
        *shares += 1;
        if *shares == quorum {
            let cost = self.case.costs.check(1, quorum);
            self.queue.put(self.queue.now() + cost, Event::Whole(which));
        }
    }

    fn whole(&mut self, me: Node, which: usize) {
        let at = self.queue.now() + self.case.costs.check(1, 1);
        if which == P {
            self.outcome.prepared.push(at);
            self.queue.put(at, Event::Sign(me, TC));
        } else {
            self.outcome.complete.push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::tests::case;
    use super::*;
    use crate::queue::SECOND;

    #[test]
    fn all_nodes_get_the_signature_after_two_quorums() {
        let outcome = run(&case(1000, 0));
        assert_eq!((outcome.prepared.len(), outcome.complete.len()), (1000, 1000));
        // Two thirds of a thousand shares through two megabits per second, twice, and as much the other way.
        let bytes = 2 * (667 + 1000) * (SHARE + FRAME);
        let least = bytes * 8 * SECOND / 2_000_000;
        assert!(outcome.completion().is_some_and(|at| at > least && at < 3 * least));
    }

    #[test]
    fn the_collector_does_not_wait_for_silent_nodes() {
        let outcome = run(&case(1000, 333));
        assert_eq!((outcome.honest, outcome.complete.len()), (667, 667));
    }
}
