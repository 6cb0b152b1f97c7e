//! Stage II: every node signs P, and TC once it holds a quorum of P, until every honest node holds a quorum of TC.
//!
//! The nodes run `core::gossip` itself, with a scheme without cost. A node's simulated processor is busy for the time that
//! the real scheme takes, during which the node neither verifies nor sends.

use std::sync::Arc;
use std::time::Duration;

use quorate::certificate::{Kind, Vote};
use quorate::committee::{ChainId, Committee};
use quorate::gossip::{Aggregate, Gossip, Parameters, Peers};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::{Scheme, Toy, VerifiedKey};
use quorate::{Error, Result};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::costs::Costs;
use super::network::{Class, Network, Node, Sent, Setting};
use crate::queue::{MILLISECOND, Nanos, Queue, SECOND};
use crate::sampling::processor_time;

/// Maximum difference between clocks.
pub(super) const SKEW: Nanos = 50 * MILLISECOND;
/// Bytes around a message: length, type, epoch, authentication of the link. An acknowledgement has only these.
pub(super) const FRAME: u64 = 32;
/// Interval after which an idle node checks again.
const IDLE: Nanos = 20 * MILLISECOND;
/// Time at which the simulation ends.
pub(super) const END: Nanos = 120 * SECOND;
pub(super) const P: usize = 0;
pub(super) const TC: usize = 1;

/// A run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) nodes: usize,
    /// Number of silent nodes.
    pub(super) silent: usize,
    pub(super) fan_out: usize,
    pub(super) setting: Setting,
    pub(super) costs: Costs,
    pub(super) seed: u64,
}

impl Case {
    /// Draws the silent nodes.
    pub(super) fn silent_nodes(&self, random: &mut StdRng) -> Vec<bool> {
        let mut silent = vec![false; self.nodes];
        let mut left = self.silent.min(self.nodes);
        while left > 0 {
            let place = random.random_range(0..self.nodes);
            if let Some(one) = silent.get_mut(place).filter(|one| !**one) {
                (*one, left) = (true, left - 1);
            }
        }
        silent
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Times at which honest nodes had a quorum of P, ascending.
    pub(super) prepared: Vec<Nanos>,
    /// Times at which honest nodes had a quorum of TC, ascending.
    pub(super) complete: Vec<Nanos>,
    pub(super) honest: usize,
    /// Bytes that each honest node sent, including headers and repetitions, ascending.
    pub(super) bytes: Vec<u64>,
    pub(super) messages: u64,
    /// Number of verified aggregates.
    pub(super) verified: u64,
    /// Bytes of the longest aggregate of a quorum, without the frame.
    pub(super) longest: usize,
    /// Highest count in any sent aggregate.
    pub(super) highest_count: u16,
    /// Total time for which the nodes' processors were busy.
    pub(super) busy: Nanos,
    pub(super) events: u64,
    /// Processor time of the simulation.
    pub(super) took: Duration,
}

impl Outcome {
    /// Time at which every honest node had finished; `None` if some did not.
    pub(super) fn completion(&self) -> Option<Nanos> {
        self.complete.last().copied().filter(|_| self.complete.len() == self.honest)
    }

    /// Sorts the figures.
    pub(super) fn finish(&mut self, events: u64, began: Option<Duration>) {
        self.bytes.sort_unstable();
        self.prepared.sort_unstable();
        self.complete.sort_unstable();
        self.events = events;
        self.took = since(began);
    }
}

enum Event {
    Begin(Node),
    Comes { to: Node, from: Node, sent: Sent, message: Message },
    Arrived { to: Node, from: Node, message: Message },
    Heard { to: Node, sent: Sent },
    Left { from: Node, to: Node },
    Failed { from: Node, to: Node },
    Check(Node),
}

/// A message: an aggregate of P or of TC.
type Message = (usize, Aggregate<Toy>);

struct Member {
    gossips: [Gossip<Toy>; 2],
    peers: Peers,
    /// Time until which the processor is busy.
    busy: Nanos,
    next_check: Nanos,
    tentative: bool,
    complete: bool,
}

struct World<'a> {
    case: &'a Case,
    queue: Queue<Event>,
    network: Network,
    committee: Arc<Committee<Toy>>,
    secrets: Vec<<Toy as Scheme>::SecretKey>,
    /// `None` for silent nodes.
    members: Vec<Option<Box<Member>>>,
    random: StdRng,
    outcome: Outcome,
}

/// Runs a case to its end.
pub(super) fn run(case: &Case) -> Result<Outcome> {
    let began = processor_time();
    let mut world = World::new(case)?;
    while let Some(event) = world.queue.take() {
        if world.queue.now() > END || world.outcome.complete.len() == world.outcome.honest {
            break;
        }
        world.happen(event)?;
    }
    Ok(world.finish(began))
}

impl<'a> World<'a> {
    fn new(case: &'a Case) -> Result<Self> {
        let mut random = StdRng::seed_from_u64(case.seed);
        let n = MemberIndex::try_from(case.nodes)
            .map_err(|_| Error::BadCommittee { rule: "at most 65,535 members" })?;
        let secrets = (0..n).map(|_| Toy::generate(&mut random)).collect::<Result<Vec<_>>>()?;
        let keys = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
        let committee = Arc::new(Committee::new(ChainId::from_name("bench"), 1, keys)?);
        let silent = case.silent_nodes(&mut random);
        let parameters = Parameters { fan_out: case.fan_out, ..Parameters::default() };
        let mut queue = Queue::new();
        let mut members = Vec::new();
        for (me, silent) in (0..n).zip(&silent) {
            if *silent {
                members.push(None);
                continue;
            }
            let gossip = |kind| {
                let statement = committee.statement(Kind::new(kind), 1, [7; 32]);
                Gossip::new(committee.clone(), me, statement, parameters)
            };
            members.push(Some(Box::new(Member {
                gossips: [gossip(1)?, gossip(2)?],
                peers: Peers::new(me, n, parameters),
                busy: 0,
                next_check: 0,
                tentative: false,
                complete: false,
            })));
            queue.put(random.random_range(0..=SKEW), Event::Begin(me.into()));
        }
        let outcome = Outcome { honest: case.nodes - case.silent, ..Outcome::default() };
        let network = Network::new(case.setting, case.nodes, random.random());
        Ok(Self { case, queue, network, committee, secrets, members, random, outcome })
    }

    fn happen(&mut self, event: Event) -> Result<()> {
        let now = self.queue.now();
        match event {
            Event::Begin(me) => {
                self.vote(me, P)?;
                self.check(me)
            }
            Event::Comes { to, from, sent, message } => {
                let at = self.network.receive(now, to, &sent);
                self.queue.put(at, Event::Arrived { to, from, message });
                Ok(())
            }
            Event::Arrived { to, from, message } => {
                let sent = self.network.send(now, to, from, FRAME, Class::Urgent);
                self.queue.put(sent.comes, Event::Heard { to: from, sent });
                if let Some(member) = self.member(to)
                    && let Some(gossip) = member.gossips.get_mut(message.0)
                {
                    gossip.receive(from as MemberIndex, message.1, time(now), &mut member.peers);
                }
                self.check(to)
            }
            Event::Heard { to, sent } => {
                self.network.receive(now, to, &sent);
                Ok(())
            }
            Event::Left { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.left(to as MemberIndex);
                }
                self.check(from)
            }
            Event::Failed { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.failed(to as MemberIndex, time(now));
                }
                self.check(from)
            }
            Event::Check(me) => self.check(me),
        }
    }

    fn member(&mut self, node: Node) -> Option<&mut Member> {
        self.members.get_mut(node as usize)?.as_deref_mut()
    }

    /// Signs P or TC.
    fn vote(&mut self, me: Node, which: usize) -> Result<()> {
        let (committee, now) = (self.committee.clone(), self.queue.now());
        let sign = self.case.costs.sign;
        let secret = self.secrets.get(me as usize);
        let Some(member) = self.members.get_mut(me as usize).and_then(Option::as_deref_mut) else {
            return Ok(());
        };
        if let (Some(gossip), Some(secret)) = (member.gossips.get_mut(which), secret) {
            let vote = Vote::sign_unguarded(secret, &committee, *gossip.statement())?;
            gossip.vote(&vote.verify(&committee)?)?;
        }
        member.busy = member.busy.max(now) + sign;
        self.outcome.busy += sign;
        let until = member.busy;
        self.queue.put(until, Event::Check(me));
        Ok(())
    }

    /// Verifies waiting aggregates; if there are none, sends.
    fn check(&mut self, me: Node) -> Result<()> {
        let (now, costs) = (self.queue.now(), self.case.costs);
        let mut entropy = [0; 32];
        self.random.fill(&mut entropy);
        let Some(member) = self.member(me).filter(|member| now >= member.busy) else { return Ok(()) };
        let (mut cost, mut verified) = (0, 0);
        for gossip in &mut member.gossips {
            if gossip.waiting() > 0 {
                let checked = gossip.check(time(now), Some(&entropy), &mut member.peers);
                cost += costs.check(checked.aggregates, checked.signers);
                verified += checked.aggregates as u64;
            }
        }
        let [p, tc] = &member.gossips;
        let prepared = !member.tentative && p.certificate().is_some();
        let complete = !member.complete && tc.certificate().is_some();
        member.tentative |= prepared;
        member.complete |= complete;
        member.busy = now + cost;
        let until = member.busy;
        self.outcome.verified += verified;
        self.outcome.busy += cost;
        if prepared {
            self.outcome.prepared.push(until);
            self.vote(me, TC)?;
        }
        if complete {
            self.outcome.complete.push(until);
        }
        if cost > 0 {
            self.queue.put(until, Event::Check(me));
            return Ok(());
        }
        self.send(me);
        Ok(())
    }

    /// Sends to as many peers as there are free places.
    fn send(&mut self, me: Node) {
        let now = self.queue.now();
        loop {
            let draw = self.random.random();
            let Some(member) = self.member(me) else { return };
            let [p, tc] = &mut member.gossips;
            let pair = if draw % 2 == 0 { [(P, p), (TC, tc)] } else { [(TC, tc), (P, p)] };
            let picked = pair.into_iter().find_map(|(which, gossip)| {
                let (to, aggregate) = gossip.next(time(now), draw, &mut member.peers)?;
                Some((to, (which, aggregate)))
            });
            let Some((to, message)) = picked else { break };
            self.send_message(me, to.into(), message);
        }
        let Some(member) = self.member(me).filter(|member| member.next_check <= now) else { return };
        member.next_check = now + IDLE;
        self.queue.put(now + IDLE, Event::Check(me));
    }

    fn send_message(&mut self, from: Node, to: Node, message: Message) {
        let now = self.queue.now();
        let aggregate = &message.1;
        let bytes = aggregate.encoded_len();
        self.outcome.highest_count = self.outcome.highest_count.max(aggregate.counts().highest());
        if self.committee.has_quorum(aggregate.signers()) {
            self.outcome.longest = self.outcome.longest.max(bytes);
        }
        self.outcome.messages += 1;
        let sent = self.network.send(now, from, to, FRAME + bytes as u64, Class::Urgent);
        self.queue.put(sent.left, Event::Left { from, to });
        if self.member(to).is_some() {
            self.queue.put(sent.comes, Event::Comes { to, from, sent, message });
        } else {
            // There is no answer, which a transport treats as a failure.
            let overdue = sent.left + Parameters::default().send_timeout.as_nanos() as Nanos;
            self.queue.put(overdue, Event::Failed { from, to });
        }
    }

    fn finish(self, began: Option<Duration>) -> Outcome {
        let Self { mut outcome, queue, network, members, .. } = self;
        let honest = network.traffic().zip(&members).filter(|(_, member)| member.is_some());
        outcome.bytes = honest.map(|((sent, _), _)| sent).collect();
        outcome.finish(queue.taken(), began);
        outcome
    }
}

/// Processor time of this thread since then; zero if the system does not provide it.
pub(super) fn since(began: Option<Duration>) -> Duration {
    processor_time().zip(began).map_or(Duration::ZERO, |(now, began)| now.saturating_sub(began))
}

fn time(now: Nanos) -> Time {
    Time(now / 1000)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cities::WORLD;

    const PAPER: Setting = Setting { cities: &WORLD, bandwidth: 2e6, connection: None, loss: 0.01 };

    pub(in super::super) fn case(nodes: usize, silent: usize) -> Case {
        Case { nodes, silent, fan_out: 5, setting: PAPER, costs: Costs::TYPICAL, seed: 1 }
    }

    #[test]
    fn every_node_finishes_also_with_a_third_silent() {
        for silent in [0, 33] {
            let one = run(&case(100, silent)).unwrap();
            assert!(one.completion().is_some_and(|at| at < 10 * SECOND), "{:?}", one.complete.last());
            assert_eq!((one.complete.len(), one.prepared.len()), (100 - silent, 100 - silent));
            let again = run(&case(100, silent)).unwrap();
            assert_eq!((one.complete, one.bytes), (again.complete, again.bytes));
        }
    }

    #[test]
    fn no_node_finishes_with_more_than_a_third_silent() {
        let outcome = run(&case(40, 14)).unwrap();
        assert_eq!((outcome.completion(), outcome.prepared.len()), (None, 0));
    }

    #[test]
    fn another_seed_is_another_run() {
        let other = Case { seed: 2, ..case(60, 0) };
        assert_ne!(run(&case(60, 0)).unwrap().complete, run(&other).unwrap().complete);
    }
}
