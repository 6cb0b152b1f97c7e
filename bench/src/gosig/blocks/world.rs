//! The simulation of whole rounds.

use std::rc::Rc;
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

use super::super::network::{Class, Network, Node, Sent};
use super::super::queue::{MILLISECOND, Nanos, Queue, SECOND};
use super::super::stage::{FRAME, P, SKEW, TC, since};
use super::node::{Member, Round};
use super::{Case, HEADER, NAME, Outcome, TRANSACTION};
use crate::sampling::processor_time;

/// To how many nodes everything but transactions is passed on.
const COPIES: usize = 5;
/// When what was asked for is asked of somebody else.
const RETRY: Nanos = SECOND / 2;
const IDLE: Nanos = 50 * MILLISECOND;
/// Of how many nodes the missing transactions are asked at once.
const ASKED: usize = 5;
/// The rounds that fill the pipeline and do not count.
const WARM_UP: u64 = 2;

enum Event {
    Submit,
    Comes {
        to: Node,
        from: Node,
        sent: Sent,
        load: Load,
    },
    Arrived {
        to: Node,
        from: Node,
        load: Load,
    },
    Left {
        from: Node,
        to: Node,
    },
    Failed {
        from: Node,
        to: Node,
    },
    Look(Node),
    /// A round begins by the clock.
    Clock(u64),
    /// Stage II begins by a node's clock.
    Sign(Node, u64),
}

#[derive(Clone)]
enum Load {
    Bundle(u32),
    Header(u64),
    /// A segment, with the transactions themselves where they do not travel by themselves.
    Segment(u64, usize),
    AskHeader(u64),
    AskSegments(u64, u32),
    Ask(Rc<[u32]>),
    Signatures(u64, usize, Aggregate<Toy>),
}

struct Bundle {
    origin: Node,
    at: Nanos,
    /// The round whose block names it, and was not given up.
    named: Option<u64>,
}

struct Block {
    round: u64,
    proposer: Node,
    proposed: Option<Nanos>,
    bundles: Vec<u32>,
    commits: usize,
    ended: bool,
}

struct World<'a> {
    case: &'a Case,
    queue: Queue<Event>,
    network: Network,
    committee: Arc<Committee<Toy>>,
    secrets: Vec<<Toy as Scheme>::SecretKey>,
    members: Vec<Option<Box<Member>>>,
    honest: Vec<Node>,
    parameters: Parameters,
    bundles: Vec<Bundle>,
    /// Everything before it is named by a block that is committed.
    oldest: usize,
    blocks: Vec<Block>,
    random: StdRng,
    latencies: (f64, u64),
    steps: [Vec<f64>; 5],
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
        let keys = secrets.iter().map(|secret| (VerifiedKey::of(secret), 1)).collect();
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
            blocks: vec![Block {
                round: 0,
                proposer: 0,
                proposed: None,
                bundles: vec![],
                commits: 0,
                ended: true,
            }],
            random,
            latencies: (0.0, 0),
            steps: Default::default(),
        })
    }

    fn length(&self) -> Nanos {
        self.case.stages.iter().sum()
    }

    fn member(&mut self, node: Node) -> Option<&mut Member> {
        self.members.get_mut(node as usize)?.as_deref_mut()
    }

    fn round(&mut self, me: Node, round: u64) -> Option<&mut Round> {
        Some(self.member(me)?.rounds.entry(round).or_default())
    }

    fn block(&self, round: u64) -> Option<&Block> {
        self.blocks.get(round as usize)
    }

    fn happen(&mut self, event: Event) -> Result<()> {
        let now = self.queue.now();
        match event {
            Event::Submit => self.submit(),
            Event::Comes { to, from, sent, load } => {
                let at = self.network.receive(now, to, &sent);
                self.queue.put(at, Event::Arrived { to, from, load });
            }
            Event::Arrived { to, from, load } => return self.arrive(to, from, load),
            Event::Left { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.left(to as MemberIndex);
                }
                return self.act(from);
            }
            Event::Failed { from, to } => {
                if let Some(member) = self.member(from) {
                    member.peers.failed(to as MemberIndex, time(now));
                }
            }
            Event::Look(me) => return self.act(me),
            Event::Clock(round) => self.clock(round),
            Event::Sign(me, round) => {
                if let Some(round) = self.round(me, round) {
                    round.begun = true;
                }
                return self.act(me);
            }
        }
        Ok(())
    }

    /// A bundle of transactions comes into being at a random node.
    fn submit(&mut self) {
        let now = self.queue.now();
        let place = self.random.random_range(0..self.honest.len());
        let origin = self.honest.get(place).copied().unwrap_or_default();
        let bundle = self.bundles.len() as u32;
        self.bundles.push(Bundle { origin, at: now, named: None });
        self.learn(origin, bundle);
        let gap = self.case.bundle as f64 / self.case.load * SECOND as f64;
        self.queue.put(now + gap as Nanos, Event::Submit);
    }

    fn learn(&mut self, me: Node, bundle: u32) {
        if self.member(me).is_some_and(|member| member.take(bundle)) && self.case.rules.asynchronous {
            self.pass_on(me, Load::Bundle(bundle));
        }
    }

    /// A round begins by the clock: the one before is over.
    fn clock(&mut self, round: u64) {
        let now = self.queue.now();
        let quorum = self.case.nodes * 2 / 3 + 1;
        if let Some(block) = self.blocks.get_mut(round as usize - 1) {
            block.ended = true;
            if block.commits < quorum {
                // Given up: its transactions are to be named again.
                for bundle in std::mem::take(&mut block.bundles) {
                    if let Some(bundle) = self.bundles.get_mut(bundle as usize) {
                        bundle.named = None;
                    }
                }
                for me in self.honest.clone() {
                    if let Some(member) = self.member(me) {
                        member.settled = member.settled.max(round - 1);
                    }
                }
            }
        }
        self.open(round);
        let proposer = self.block(round).map_or(0, |block| block.proposer);
        self.propose(round, proposer);
        for me in self.honest.clone() {
            let skew = self.random.random_range(0..=SKEW);
            self.queue
                .put(now + self.case.stages.first().copied().unwrap_or(0) + skew, Event::Sign(me, round));
            if let Some(member) = self.member(me) {
                member.rounds.retain(|old, _| old + 2 > round);
            }
        }
        self.queue.put(now + self.length(), Event::Clock(round + 1));
    }

    /// Draws a round's proposer, once.
    fn open(&mut self, round: u64) {
        while self.blocks.len() as u64 <= round {
            let place = self.random.random_range(0..self.honest.len());
            let proposer = self.honest.get(place).copied().unwrap_or_default();
            let round = self.blocks.len() as u64;
            self.blocks.push(Block {
                round,
                proposer,
                proposed: None,
                bundles: vec![],
                commits: 0,
                ended: false,
            });
        }
    }

    /// Proposes, if this node is the proposer, did not yet, and knows the block before.
    fn propose(&mut self, round: u64, me: Node) {
        let now = self.queue.now();
        let most = (self.case.block / TRANSACTION / self.case.bundle) as usize;
        let Some(block) = self.blocks.get(round as usize) else { return };
        let knows =
            self.members.get(me as usize).and_then(Option::as_deref).filter(|it| it.settled + 1 == round);
        let (Some(member), true) = (knows, block.proposer == me && block.proposed.is_none()) else { return };
        while self
            .bundles
            .get(self.oldest)
            .is_some_and(|bundle| bundle.named.is_some_and(|named| named + 2 < round))
        {
            self.oldest += 1;
        }
        let free = (self.oldest..).zip(self.bundles.iter().skip(self.oldest));
        let free = free.filter(|(number, bundle)| {
            // Nobody but who made them knows them where they travel with blocks alone: then every node's are taken.
            bundle.named.is_none() && (!self.case.rules.asynchronous || member.has(*number as u32))
        });
        let chosen: Vec<u32> = free.take(most).map(|(number, _)| number as u32).collect();
        for number in &chosen {
            if let Some(bundle) = self.bundles.get_mut(*number as usize) {
                bundle.named = Some(round);
            }
        }
        if let Some(block) = self.blocks.get_mut(round as usize) {
            (block.proposed, block.bundles) = (Some(now), chosen.clone());
        }
        if let Some(member) = self.member(me) {
            for bundle in &chosen {
                member.take(*bundle);
            }
        }
        self.header(me, round);
        for segment in 0..self.case.rules.segments {
            self.segment(me, round, segment);
        }
    }

    /// The bundles that a segment names.
    fn named(&self, round: u64, segment: usize) -> &[u32] {
        let Some(block) = self.block(round) else { return &[] };
        let each = block.bundles.len().div_ceil(self.case.rules.segments).max(1);
        let begin = (segment * each).min(block.bundles.len());
        block.bundles.get(begin..(begin + each).min(block.bundles.len())).unwrap_or_default()
    }

    fn header(&mut self, me: Node, round: u64) {
        if self.round(me, round).is_some_and(|round| !std::mem::replace(&mut round.header, true)) {
            self.step(0, round);
            self.pass_on(me, Load::Header(round));
        }
    }

    fn segment(&mut self, me: Node, round: u64, segment: usize) {
        let bit = 1 << segment;
        let (now, all) = (self.queue.now(), (1u32 << self.case.rules.segments) - 1);
        let bundles = self.named(round, segment).to_vec();
        let asynchronous = self.case.rules.asynchronous;
        let Some(member) = self.member(me) else { return };
        if member.rounds.get(&round).is_some_and(|round| round.segments & bit != 0) {
            return;
        }
        let missing: Vec<u32> = if asynchronous {
            bundles.into_iter().filter(|bundle| !member.has(*bundle)).collect()
        } else {
            for bundle in bundles {
                member.take(bundle);
            }
            vec![]
        };
        let state = member.rounds.entry(round).or_default();
        state.segments |= bit;
        state.missing.extend(missing.into_iter().map(|bundle| (bundle, 0)));
        state.asked = state.asked.min(now);
        if state.segments == all {
            self.step(1, round);
        }
        self.pass_on(me, Load::Segment(round, segment));
    }

    /// Notes when a step was reached in the round that is shown.
    fn step(&mut self, step: usize, round: u64) {
        let now = self.queue.now();
        if round + 1 != self.case.rounds {
            return;
        }
        let Some(proposed) = self.block(round).and_then(|block| block.proposed) else { return };
        if let Some(times) = self.steps.get_mut(step) {
            times.push((now - proposed) as f64 / 1e9);
        }
    }

    /// To a few random nodes.
    fn pass_on(&mut self, me: Node, load: Load) {
        let is_bulk = matches!(load, Load::Bundle(_))
            || !self.case.rules.asynchronous && matches!(load, Load::Segment(..));
        for _ in 0..if is_bulk { self.case.copies } else { COPIES } {
            if let Some(to) = self.somebody(me) {
                self.post(me, to, load.clone());
            }
        }
    }

    /// A random node that is not left alone.
    fn somebody(&mut self, me: Node) -> Option<Node> {
        let now = self.queue.now();
        for _ in 0..20 {
            let to = self.random.random_range(0..self.case.nodes as Node);
            if self.member(me).is_some_and(|member| member.peers.is_available(to as MemberIndex, time(now))) {
                return Some(to);
            }
        }
        None
    }

    fn post(&mut self, from: Node, to: Node, load: Load) {
        let now = self.queue.now();
        let certificate = self.case.nodes as u64 / 8;
        let carried = |round, segment| self.named(round, segment).len() as u64 * self.case.bundle;
        let (len, class) = match &load {
            Load::Bundle(_) => (self.case.bundle * TRANSACTION, Class::Bulk),
            Load::Header(_) => (HEADER + certificate, Class::Urgent),
            Load::Segment(round, segment) if self.case.rules.asynchronous => {
                (carried(*round, *segment) * NAME + 100, Class::Urgent)
            }
            Load::Segment(round, segment) => (carried(*round, *segment) * TRANSACTION + 100, Class::Bulk),
            Load::AskHeader(_) | Load::AskSegments(..) => (50, Class::Urgent),
            // One or two bytes for each transaction.
            Load::Ask(bundles) => (50 + 2 * bundles.len() as u64 * self.case.bundle, Class::Urgent),
            Load::Signatures(_, _, aggregate) => (aggregate.encoded_len() as u64, Class::Urgent),
        };
        let sent = self.network.send(now, from, to, FRAME + len, class);
        if matches!(load, Load::Signatures(..)) {
            self.queue.put(sent.left, Event::Left { from, to });
        }
        if self.member(to).is_some() {
            self.queue.put(sent.comes, Event::Comes { to, from, sent, load });
        } else {
            self.queue
                .put(sent.left + self.parameters.patience.as_nanos() as Nanos, Event::Failed { from, to });
        }
    }

    fn arrive(&mut self, me: Node, from: Node, load: Load) -> Result<()> {
        let now = self.queue.now();
        if let Some(member) = self.member(me) {
            member.peers.heard(from as MemberIndex);
        }
        match load {
            Load::Bundle(bundle) => {
                self.learn(me, bundle);
                let wants =
                    |member: &mut Member| member.rounds.values().any(|round| !round.whole && round.header);
                if !self.member(me).is_some_and(wants) {
                    return Ok(());
                }
            }
            Load::Header(round) => self.header(me, round),
            Load::Segment(round, segment) => self.segment(me, round, segment),
            Load::AskHeader(round) => {
                if self.round(me, round).is_some_and(|round| round.header) {
                    self.post(me, from, Load::Header(round));
                }
            }
            Load::AskSegments(round, lacks) => {
                let here = self.round(me, round).map_or(0, |round| round.segments) & lacks;
                for segment in (0..self.case.rules.segments).filter(|segment| here >> segment & 1 == 1) {
                    self.post(me, from, Load::Segment(round, segment));
                }
            }
            Load::Ask(bundles) => {
                for bundle in bundles.iter() {
                    if self.member(me).is_some_and(|member| member.has(*bundle)) {
                        self.post(me, from, Load::Bundle(*bundle));
                    }
                }
            }
            Load::Signatures(round, which, aggregate) => {
                let lacks = self.round(me, round).is_some_and(|round| !round.header);
                if lacks && self.round(me, round).is_some_and(|round| round.asked <= now) {
                    if let Some(round) = self.round(me, round) {
                        round.asked = now + RETRY;
                    }
                    self.post(me, from, Load::AskHeader(round));
                }
                self.gossip(me, round, which)?;
                let Some(member) = self.member(me) else { return Ok(()) };
                let round =
                    member.rounds.get_mut(&round).and_then(|round| round.gossips.get_mut(which)?.as_mut());
                if let Some(gossip) = round {
                    gossip.receive(from as MemberIndex, aggregate, time(now), &mut member.peers);
                }
            }
        }
        self.act(me)
    }

    /// Makes the gossip of a round's P or TC where there is none.
    fn gossip(&mut self, me: Node, round: u64, which: usize) -> Result<()> {
        let (committee, parameters) = (self.committee.clone(), self.parameters);
        let Some(state) = self.round(me, round) else { return Ok(()) };
        if let Some(place) = state.gossips.get_mut(which).filter(|place| place.is_none()) {
            let mut digest = [7; 32];
            digest.iter_mut().zip(round.to_le_bytes()).for_each(|(byte, of)| *byte = of);
            let statement = committee.statement(Kind::new(which as u8 + 1), round, digest);
            *place = Some(Box::new(Gossip::new(committee, me as MemberIndex, statement, parameters)?));
        }
        Ok(())
    }

    /// Checks what came in; goes on in the rounds; asks for what is missing; sends what there is to say.
    fn act(&mut self, me: Node) -> Result<()> {
        let (now, costs) = (self.queue.now(), self.case.costs);
        let mut entropy = [0; 32];
        self.random.fill(&mut entropy);
        let Some(member) = self.member(me).filter(|member| member.busy <= now) else { return Ok(()) };
        let mut cost = 0;
        for gossip in member.rounds.values_mut().flat_map(|round| &mut round.gossips).flatten() {
            if gossip.waiting() > 0 {
                let checked = gossip.check(time(now), Some(&entropy), &mut member.peers);
                cost += costs.check(checked.aggregates, checked.signers);
            }
        }
        member.busy = now + cost;
        let rounds: Vec<u64> = member.rounds.keys().copied().collect();
        for round in rounds {
            self.go_on(me, round)?;
        }
        let Some(member) = self.member(me) else { return Ok(()) };
        if member.busy > now {
            let until = member.busy;
            self.queue.put(until, Event::Look(me));
            return Ok(());
        }
        self.send(me);
        Ok(())
    }

    fn go_on(&mut self, me: Node, round: u64) -> Result<()> {
        let (now, all, rules) = (self.queue.now(), (1u32 << self.case.rules.segments) - 1, self.case.rules);
        let ended = self.block(round).is_none_or(|block| block.ended);
        let Some(member) = self.member(me) else { return Ok(()) };
        let settled = member.settled;
        let Some(state) = member.rounds.get_mut(&round) else { return Ok(()) };
        let mut done = Vec::new();
        if state.header
            && state.segments == all
            && state.missing.is_empty()
            && !std::mem::replace(&mut state.whole, true)
        {
            done.push(2);
        }
        for which in [P, TC] {
            let has = state
                .gossips
                .get(which)
                .is_some_and(|it| it.as_ref().is_some_and(|it| it.certificate().is_some()));
            if let Some(noted) = state.certified.get_mut(which).filter(|noted| has && !**noted) {
                *noted = true;
                done.push(3 + which);
            }
        }
        let [prepared, committed] = state.certified;
        let ready = [
            state.begun && state.header && settled + 1 == round && (rules.stage_pipelining || state.whole),
            prepared && state.whole && settled + 1 == round,
        ];
        let signs: Vec<usize> = [P, TC]
            .into_iter()
            .filter(|which| {
                let signed = state.signed.get_mut(*which);
                signed.is_some_and(|signed| {
                    !ended && ready.get(*which) == Some(&true) && !std::mem::replace(signed, true)
                })
            })
            .collect();
        let asks = state.header && !state.whole && !committed && state.asked <= now;
        for step in &done {
            self.step(*step, round);
        }
        if asks {
            self.ask(me, round);
        }
        for which in signs {
            self.sign(me, round, which)?;
        }
        if done.contains(&4) {
            self.commit(me, round);
        }
        Ok(())
    }

    fn sign(&mut self, me: Node, round: u64, which: usize) -> Result<()> {
        self.gossip(me, round, which)?;
        let (committee, now, sign) = (self.committee.clone(), self.queue.now(), self.case.costs.sign);
        let secret = self.secrets.get(me as usize);
        let Some(member) = self.members.get_mut(me as usize).and_then(Option::as_deref_mut) else {
            return Ok(());
        };
        let gossip = member.rounds.get_mut(&round).and_then(|round| round.gossips.get_mut(which)?.as_mut());
        if let (Some(gossip), Some(secret)) = (gossip, secret) {
            let vote = Vote::sign_unguarded(secret, &committee, *gossip.statement())?;
            gossip.vote(&vote.verify(&committee)?)?;
        }
        member.busy = member.busy.max(now) + sign;
        Ok(())
    }

    /// Asks for segments and transactions that are missing.
    fn ask(&mut self, me: Node, round: u64) {
        let (now, all) = (self.queue.now(), (1u32 << self.case.rules.segments) - 1);
        let proposed = self.block(round).and_then(|block| block.proposed).unwrap_or(now);
        let Some(state) = self.round(me, round) else { return };
        state.asked = now + RETRY / 5;
        let lacks = all & !state.segments;
        let due: Vec<u32> = state
            .missing
            .iter()
            .filter(|(_, asked)| **asked == 0 || **asked + RETRY <= now)
            .map(|(bundle, _)| *bundle)
            .collect();
        for bundle in &due {
            state.missing.insert(*bundle, now);
        }
        // Segments are on their way for a while.
        if lacks != 0
            && now > proposed + 2 * SECOND
            && let Some(to) = self.somebody(me)
        {
            self.post(me, to, Load::AskSegments(round, lacks));
        }
        for part in due.chunks(due.len().div_ceil(ASKED).max(1)) {
            if let Some(to) = self.somebody(me) {
                self.post(me, to, Load::Ask(part.into()));
            }
        }
    }

    fn commit(&mut self, me: Node, round: u64) {
        let now = self.queue.now();
        if let Some(member) = self.member(me) {
            member.settled = member.settled.max(round);
        }
        let Some(block) = self.blocks.get_mut(round as usize) else { return };
        block.commits += 1;
        if round > WARM_UP && round < self.case.rounds {
            for bundle in block.bundles.iter().filter_map(|bundle| self.bundles.get(*bundle as usize)) {
                if bundle.origin == me {
                    self.latencies.0 += (now - bundle.at) as f64 / 1e9;
                    self.latencies.1 += 1;
                }
            }
        }
        if self.case.rules.round_pipelining {
            self.open(round + 1);
            self.propose(round + 1, me);
        }
    }

    fn send(&mut self, me: Node) {
        let now = self.queue.now();
        let draw: u64 = self.random.random();
        loop {
            let Some(member) = self.member(me) else { return };
            let mut rounds: Vec<(u64, usize, &mut Gossip<Toy>)> = member
                .rounds
                .iter_mut()
                .flat_map(|(round, state)| {
                    let gossips = [P, TC].into_iter().zip(&mut state.gossips);
                    gossips.filter_map(|(which, gossip)| Some((*round, which, gossip.as_deref_mut()?)))
                })
                .collect();
            // Each has its turn to be the first.
            let len = rounds.len().max(1);
            rounds.rotate_left(draw as usize % len);
            let said = rounds.into_iter().find_map(|(round, which, gossip)| {
                let (to, aggregate) = gossip.next(time(now), draw, &mut member.peers)?;
                Some((to, Load::Signatures(round, which, aggregate)))
            });
            let Some((to, load)) = said else { break };
            self.post(me, to.into(), load);
        }
        let Some(member) = self.member(me).filter(|member| member.looks <= now && !member.rounds.is_empty())
        else {
            return;
        };
        member.looks = now + IDLE;
        self.queue.put(now + IDLE, Event::Look(me));
    }

    fn finish(self, began: Option<Duration>) -> Outcome {
        let quorum = self.case.nodes * 2 / 3 + 1;
        let counted = |block: &&Block| block.round > WARM_UP && block.round < self.case.rounds;
        let committed: Vec<&Block> =
            self.blocks.iter().filter(counted).filter(|block| block.commits >= quorum).collect();
        let transactions =
            committed.iter().map(|block| block.bundles.len() as u64 * self.case.bundle).sum::<u64>();
        let rounds = self.blocks.iter().filter(counted).count() as u64;
        let seconds = self.length() as f64 / 1e9;
        let sent: u64 = self.network.traffic().map(|(sent, _)| sent).sum();
        let mut steps = self.steps;
        steps.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        Outcome {
            throughput: transactions as f64 / (rounds.max(1) as f64 * seconds),
            latency: self.latencies.0 / self.latencies.1.max(1) as f64,
            committed: (committed.len() as u64, rounds),
            steps,
            sent: sent as f64 * 8.0
                / self.honest.len().max(1) as f64
                / (self.queue.now().max(1) as f64 / 1e9),
            took: since(began),
        }
    }
}

fn time(now: Nanos) -> Time {
    Time(now / 1000)
}
