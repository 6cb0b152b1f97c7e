//! The simulation of whole rounds: events in the order of time.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use quorate::committee::{ChainId, Committee};
use quorate::gossip::{Parameters, Peers};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::{Scheme, Toy, VerifiedKey};
use quorate::{Error, Result};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::network::{Network, Node, Sent};
use super::super::stage::{SKEW, since};
use super::block::{Block, Bundle, Id};
use super::message::Message;
use super::node::{Member, Round};
use super::{Case, Outcome};
use crate::queue::{Nanos, Queue, SECOND};
use crate::sampling::processor_time;

/// Number of first rounds, which fill the pipeline and do not count.
const WARM_UP: u64 = 2;
/// Members that are drawn to propose, on average.
const PROPOSERS: f64 = 7.0;
/// Number of rounds before the clock's that nodes remember.
const REMEMBERED_ROUNDS: u64 = 1;

pub(super) enum Event {
    Submit,
    Comes {
        to: Node,
        from: Node,
        sent: Sent,
        message: Message,
    },
    Arrived {
        to: Node,
        from: Node,
        message: Message,
    },
    Left {
        from: Node,
        to: Node,
    },
    Failed {
        from: Node,
        to: Node,
    },
    Check(Node),
    /// A round begins by the clock.
    Clock(u64),
    /// Stage II begins by a node's clock.
    Sign(Node, u64),
}

pub(super) struct World<'a> {
    pub(super) case: &'a Case,
    pub(super) queue: Queue<Event>,
    pub(super) network: Network,
    pub(super) committee: Arc<Committee<Toy>>,
    pub(super) secrets: Vec<<Toy as Scheme>::SecretKey>,
    pub(super) members: Vec<Option<Box<Member>>>,
    pub(super) honest: Vec<Node>,
    pub(super) parameters: Parameters,
    pub(super) bundles: Vec<Bundle>,
    /// Index of the oldest bundle that may be uncommitted.
    pub(super) oldest: usize,
    /// Present maximum bytes of transactions in a block.
    pub(super) limit: u64,
    pub(super) blocks: Vec<Block>,
    /// Drawn nodes of each round, with their scores.
    tickets: BTreeMap<u64, Rc<BTreeMap<Node, u32>>>,
    pub(super) random: StdRng,
    /// Sum and number of latencies.
    pub(super) latencies: (f64, u64),
    /// Bundles that were sent.
    pub(super) carried: u64,
    /// Times of the steps, by block, in the round that is shown.
    pub(super) steps: BTreeMap<Id, [Vec<f64>; 5]>,
}

/// Runs a case to its end.
pub(in super::super) fn run(case: &Case) -> Result<Outcome> {
    let began = processor_time();
    let mut world = World::new(case)?;
    let end = (case.rounds + 1) * world.length();
    while let Some(event) = world.queue.take() {
        if world.queue.now() > end {
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
        let mut silent = vec![false; case.nodes];
        while silent.iter().filter(|silent| **silent).count() < case.silent {
            if let Some(one) = silent.get_mut(random.random_range(0..case.nodes)) {
                *one = true;
            }
        }
        let parameters = Parameters::default();
        let member = |(me, silent): (MemberIndex, &bool)| {
            (!silent).then(|| Box::new(Member::new(Peers::new(me, n, parameters))))
        };
        let members: Vec<_> = (0..n).zip(&silent).map(member).collect();
        let honest: Vec<Node> =
            (0..).zip(&silent).filter(|(_, silent)| !**silent).map(|(me, _)| me).collect();
        let mut queue = Queue::new();
        queue.put(0, Event::Submit);
        queue.put(case.stages.iter().sum(), Event::Clock(1));
        let network = Network::new(case.setting, case.nodes, random.random());
        Ok(Self {
            case,
            queue,
            network,
            committee,
            secrets,
            members,
            honest,
            parameters,
            bundles: Vec::new(),
            oldest: 0,
            limit: case.block,
            blocks: vec![Block::genesis()],
            tickets: BTreeMap::new(),
            random,
            latencies: (0.0, 0),
            carried: 0,
            steps: BTreeMap::new(),
        })
    }

    fn length(&self) -> Nanos {
        self.case.stages.iter().sum()
    }

    pub(super) fn member(&mut self, node: Node) -> Option<&mut Member> {
        self.members.get_mut(node as usize)?.as_deref_mut()
    }

    pub(super) fn round(&mut self, me: Node, round: u64) -> Option<&mut Round> {
        Some(self.member(me)?.rounds.entry(round).or_default())
    }

    fn happen(&mut self, event: Event) -> Result<()> {
        let now = self.queue.now();
        match event {
            Event::Submit => self.submit(),
            Event::Comes { to, from, sent, message } => {
                let at = self.network.receive(now, to, &sent);
                self.queue.put(at, Event::Arrived { to, from, message });
            }
            Event::Arrived { to, from, message } => return self.arrive(to, from, message),
            Event::Left { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.left(to as MemberIndex);
                }
                return self.check(from);
            }
            Event::Failed { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.failed(to as MemberIndex, time(now));
                }
            }
            Event::Check(me) => return self.check(me),
            Event::Clock(round) => self.clock(round),
            Event::Sign(me, round) => {
                if let Some(member) = self.member(me).filter(|member| member.clock == round) {
                    member.begun = true;
                }
                return self.check(me);
            }
        }
        Ok(())
    }

    /// Submits a bundle of transactions at a random node.
    fn submit(&mut self) {
        let now = self.queue.now();
        let place = self.random.random_range(0..self.honest.len());
        let origin = self.honest.get(place).copied().unwrap_or_default();
        let bundle = self.bundles.len() as u32;
        self.bundles.push(Bundle { origin, at: now, committed: false });
        self.receive_bundle(origin, origin, bundle);
        let gap = self.case.bundle as f64 / self.case.load * SECOND as f64;
        self.queue.put(now + gap as Nanos, Event::Submit);
    }

    /// A round begins by the clock.
    fn clock(&mut self, round: u64) {
        let (now, [first, _]) = (self.queue.now(), self.case.stages);
        self.on_round_end(round - 1);
        for me in self.honest.clone() {
            let skew = self.random.random_range(0..=SKEW);
            self.queue.put(now + first + skew, Event::Sign(me, round));
            if let Some(member) = self.member(me) {
                (member.clock, member.begun) = (round, false);
                member.rounds.retain(|old, _| old + REMEMBERED_ROUNDS >= round);
            }
            self.drop_bodies(me);
            self.enter(me, round);
        }
        self.queue.put(now + self.length(), Event::Clock(round + 1));
    }

    /// Moves a node to a round, unless it is in a later one, and proposes if it was drawn.
    pub(super) fn enter(&mut self, me: Node, round: u64) {
        if self.member(me).is_none_or(|member| member.round >= round) {
            return;
        }
        let ticket = self.tickets(round).get(&me).copied();
        if let Some(member) = self.member(me) {
            (member.round, member.ticket) = (round, ticket);
        }
        self.propose(me);
    }

    /// The drawn honest nodes of a round.
    fn tickets(&mut self, round: u64) -> Rc<BTreeMap<Node, u32>> {
        if let Some(tickets) = self.tickets.get(&round) {
            return tickets.clone();
        }
        let share = PROPOSERS / self.case.nodes as f64;
        let mut tickets = BTreeMap::new();
        for me in self.honest.clone() {
            if self.random.random::<f64>() < share {
                tickets.insert(me, self.random.random());
            }
        }
        let tickets = Rc::new(tickets);
        self.tickets.insert(round, tickets.clone());
        tickets
    }

    /// Returns true if a round counts.
    pub(super) fn counts(&self, round: u64) -> bool {
        round > WARM_UP && round < self.case.rounds
    }

    /// Records the time at which a node reached a step with a block of the last round that counts.
    pub(super) fn step(&mut self, step: usize, id: Id) {
        let (now, shown) = (self.queue.now(), self.case.rounds.saturating_sub(1));
        let Some(block) = self.blocks.get(id as usize).filter(|block| block.round == shown) else { return };
        let since = now - block.proposed;
        if let Some(times) = self.steps.entry(id).or_default().get_mut(step) {
            times.push(since as f64 / 1e9);
        }
    }

    fn finish(mut self, began: Option<Duration>) -> Outcome {
        let quorum = self.case.nodes * 2 / 3 + 1;
        let committed: Vec<&Block> =
            self.blocks.iter().filter(|block| self.counts(block.round) && block.commits >= quorum).collect();
        let transactions =
            committed.iter().map(|block| block.bundles.len() as u64 * self.case.bundle).sum::<u64>();
        let rounds = (0..=self.case.rounds).filter(|round| self.counts(*round)).count() as u64;
        let length = self.length() as f64 / 1e9;
        let sent: u64 = self.network.traffic().map(|(sent, _)| sent).sum();
        let shown = committed.last().and_then(|block| self.steps.remove(&block.id)).unwrap_or_default();
        let mut steps = shown;
        steps.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        let seconds = self.queue.now().max(1) as f64 / 1e9;
        let honest = self.honest.len().max(1) as f64;
        Outcome {
            throughput: transactions as f64 / (rounds.max(1) as f64 * length),
            latency: self.latencies.0 / self.latencies.1.max(1) as f64,
            committed: (committed.len() as u64, rounds),
            steps,
            sent: sent as f64 * 8.0 / honest / seconds,
            copies: self.carried as f64 / honest / self.bundles.len().max(1) as f64,
            took: since(began),
        }
    }
}

pub(super) fn time(now: Nanos) -> Time {
    Time(now / 1000)
}
