//! Thousands of members with the insecure toy scheme, over a network with latencies, bandwidth limits and losses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use quorate::certificate::{Kind, Statement, Vote};
use quorate::committee::{ChainId, Committee};
use quorate::gossip::{Aggregate, Gossip, Parameters, Peers};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::{Scheme, Toy, VerifiedKey};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) n: u16,
    /// Members from this index on are silent.
    pub(crate) speaking: u16,
    /// One statement, or also a second one that members sign after the certificate of the first.
    pub(crate) statements: usize,
    pub(crate) parameters: Parameters,
    pub(crate) seed: u64,
}

/// Results of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Time at which the last member got its certificate, in milliseconds, by statement.
    pub(crate) last: Vec<u64>,
    /// Highest count in any aggregate, by statement.
    pub(crate) highest: Vec<u16>,
    pub(crate) largest: usize,
}

enum Event {
    Deliver { from: MemberIndex, statement: usize, aggregate: Aggregate<Toy> },
    Left { to: MemberIndex },
    Answered { by: MemberIndex },
    Failed { to: MemberIndex },
    Check,
    Wake,
}

struct Node {
    gossips: Vec<Gossip<Toy>>,
    peers: Peers,
    uplink: u64,
    busy: u64,
    checking: bool,
    waking: u64,
    done: Vec<bool>,
}

struct Network {
    setting: Setting,
    committee: Arc<Committee<Toy>>,
    secrets: Vec<<Toy as Scheme>::SecretKey>,
    statements: Vec<Statement>,
    nodes: Vec<Node>,
    queue: BinaryHeap<Reverse<(u64, u64, MemberIndex)>>,
    events: std::collections::HashMap<u64, Event>,
    sequence: u64,
    rng: StdRng,
    outcome: Outcome,
}

const BYTES_PER_SECOND: u64 = 250_000;
/// Time after which an unanswered send has failed.
const SEND_TIMEOUT: u64 = 500_000;

pub(crate) fn run(setting: Setting) -> Outcome {
    let mut network = Network::new(setting);
    for node in 0..setting.speaking {
        network.vote(0, node, 0);
        network.pump(0, node);
    }
    let mut left = usize::from(setting.speaking) * setting.statements;
    while let Some(Reverse((now, sequence, node))) = network.queue.pop() {
        let event = network.events.remove(&sequence).unwrap();
        left -= network.handle(now, node, event);
        if left == 0 || now > 60_000_000 {
            break;
        }
    }
    assert_eq!(left, 0, "some members lack certificates after a minute: {:?}", network.outcome);
    network.outcome
}

impl Network {
    fn new(setting: Setting) -> Self {
        let mut rng = StdRng::seed_from_u64(setting.seed);
        let secrets: Vec<_> = (0..setting.n).map(|_| Toy::generate(&mut rng).unwrap()).collect();
        let members = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
        let committee = Arc::new(Committee::<Toy>::new(ChainId::from_name("n"), 1, members).unwrap());
        let statements: Vec<_> = (1..)
            .take(setting.statements)
            .map(|kind| committee.statement(Kind::new(kind), 7, [9; 32]))
            .collect();
        let gossip =
            |me, statement| Gossip::new(committee.clone(), me, statement, setting.parameters).unwrap();
        let nodes: Vec<_> = (0..setting.n)
            .map(|me| Node {
                gossips: statements.iter().map(|statement| gossip(me, *statement)).collect(),
                peers: Peers::new(me, setting.n, setting.parameters),
                uplink: 0,
                busy: 0,
                checking: false,
                waking: u64::MAX,
                done: vec![false; setting.statements],
            })
            .collect();
        let outcome = Outcome {
            last: vec![0; setting.statements],
            highest: vec![0; setting.statements],
            ..Outcome::default()
        };
        Self {
            setting,
            secrets,
            statements,
            nodes,
            committee,
            queue: BinaryHeap::new(),
            events: std::collections::HashMap::new(),
            sequence: 0,
            rng,
            outcome,
        }
    }

    fn at(&mut self, time: u64, node: MemberIndex, event: Event) {
        self.sequence += 1;
        self.queue.push(Reverse((time, self.sequence, node)));
        self.events.insert(self.sequence, event);
    }

    fn vote(&mut self, _: u64, node: MemberIndex, statement: usize) {
        let vote = Vote::<Toy>::sign_unguarded(
            &self.secrets[usize::from(node)],
            &self.committee,
            self.statements[statement],
        );
        let vote = vote.unwrap().verify(&self.committee).unwrap();
        self.nodes[usize::from(node)].gossips[statement].vote(&vote).unwrap();
    }

    /// Returns the one-way latency in microseconds: 5 to 150 ms, the same in every run.
    fn latency(a: MemberIndex, b: MemberIndex) -> u64 {
        let (a, b) = (u64::from(a.min(b)) % 20, u64::from(a.max(b)) % 20);
        5_000 + (a * 31 + b * 17) % 30 * 5_000
    }

    /// Returns the number of new certificates.
    fn handle(&mut self, now: u64, node: MemberIndex, event: Event) -> usize {
        let state = &mut self.nodes[usize::from(node)];
        match event {
            Event::Deliver { from, statement, aggregate } => {
                let _ = state.gossips[statement].receive(from, aggregate, Time(now), &mut state.peers);
                if !state.checking && state.gossips[statement].waiting() > 0 {
                    state.checking = true;
                    let when = now.max(state.busy);
                    self.at(when, node, Event::Check);
                }
                self.at(now + Self::latency(node, from), from, Event::Answered { by: node });
            }
            Event::Left { to } => state.peers.left(to),
            Event::Answered { by } => state.peers.sent(by),
            Event::Failed { to } => state.peers.failed(to, Time(now)),
            Event::Check => {
                state.checking = false;
                let entropy = self.rng.random::<[u8; 32]>();
                // The newest statement first.
                if let Some(gossip) = state.gossips.iter_mut().rev().find(|gossip| gossip.waiting() > 0) {
                    let checked = gossip.check(Time(now), Some(&entropy), &mut state.peers);
                    assert_eq!(checked.faults, []);
                    state.busy = now + 800 + 150 * checked.aggregates as u64 + 2 * checked.signers as u64 / 3;
                }
                if state.gossips.iter().any(|gossip| gossip.waiting() > 0) {
                    state.checking = true;
                    let when = state.busy;
                    self.at(when, node, Event::Check);
                }
            }
            Event::Wake => state.waking = u64::MAX,
        }
        let new = self.note(now, node);
        self.pump(now, node);
        new
    }

    fn note(&mut self, now: u64, node: MemberIndex) -> usize {
        let mut new = 0;
        for statement in 0..self.statements.len() {
            let state = &mut self.nodes[usize::from(node)];
            if !state.done[statement] && state.gossips[statement].certificate().is_some() {
                state.done[statement] = true;
                new += 1;
                self.outcome.last[statement] = now / 1_000;
                if statement + 1 < self.statements.len() {
                    self.vote(now, node, statement + 1);
                }
            }
        }
        new
    }

    fn pump(&mut self, now: u64, node: MemberIndex) {
        loop {
            let draw = self.rng.random::<u64>();
            let state = &mut self.nodes[usize::from(node)];
            let mut sends = Vec::new();
            let turn = draw as usize % state.gossips.len();
            let (first, second) = state.gossips.split_at_mut(turn);
            for (statement, gossip) in (turn..).zip(second.iter_mut()).chain((0..).zip(first.iter_mut())) {
                if let Some((to, aggregate)) = gossip.next(Time(now), draw, &mut state.peers) {
                    sends.push((statement, to, aggregate));
                    break;
                }
            }
            let Some((statement, to, aggregate)) = sends.pop() else { break };
            let len = aggregate.encoded_len();
            self.outcome.largest = self.outcome.largest.max(len);
            let highest = &mut self.outcome.highest[statement];
            *highest = (*highest).max(aggregate.counts().highest());
            let state = &mut self.nodes[usize::from(node)];
            state.uplink = now.max(state.uplink) + len as u64 * 1_000_000 / BYTES_PER_SECOND;
            let arrives = state.uplink + Self::latency(node, to);
            let left = state.uplink;
            self.at(left, node, Event::Left { to });
            if to >= self.setting.speaking || self.rng.random_range(0..100) == 0 {
                self.at(left + SEND_TIMEOUT, node, Event::Failed { to });
            } else {
                self.at(arrives, to, Event::Deliver { from: node, statement, aggregate });
            }
        }
        let state = &mut self.nodes[usize::from(node)];
        if state.waking == u64::MAX {
            state.waking = now + 50_000;
            self.at(now + 50_000, node, Event::Wake);
        }
    }
}

fn setting(n: u16, fan_out: usize) -> Setting {
    let parameters = Parameters { fan_out, ..Parameters::default() };
    Setting { n, speaking: n, statements: 1, parameters, seed: 1 }
}

/// Silences a third, the maximum: all other members are needed.
fn with_a_third_silent(setting: Setting) -> Setting {
    Setting { speaking: setting.n - (setting.n - 1) / 3, ..setting }
}

#[test]
fn counts_stay_low_with_a_thousand_members_and_fan_out_five() {
    for seed in 0..3 {
        let outcome = run(Setting { seed, ..setting(1_000, 5) });
        assert!(outcome.highest[0] <= 16, "{outcome:?}");
        assert!(outcome.last[0] < 2_000 && outcome.largest < 1_000, "{outcome:?}");
    }
}

#[test]
fn counts_stay_low_with_a_third_of_members_silent() {
    for seed in 0..3 {
        let outcome = run(with_a_third_silent(Setting { seed, ..setting(1_000, 5) }));
        assert!(outcome.highest[0] <= 16, "{outcome:?}");
        assert!(outcome.last[0] < 5_000 && outcome.largest < 1_000, "{outcome:?}");
    }
}

/// The silent members are learnt once for both statements.
#[test]
fn second_statement_shares_the_peers_of_the_first() {
    let outcome = run(with_a_third_silent(Setting { statements: 2, ..setting(1_000, 5) }));
    assert!(outcome.highest.iter().all(|highest| *highest <= 16), "{outcome:?}");
    assert!(outcome.last[1] < 10_000, "{outcome:?}");
}

#[test]
fn committees_of_all_small_sizes_reach_certificates() {
    for n in (1..40).chain([63, 64, 65, 100]) {
        run(Setting { statements: 2, ..setting(n, 5) });
        run(with_a_third_silent(setting(n, 5)));
    }
}
