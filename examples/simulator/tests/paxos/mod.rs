//! A small, complete protocol to test the simulator with: one Paxos instance per height, whose machine can be given
//! one flaw.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test uses a part of it")]

pub mod host;
pub mod message;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::wire::Decode;

pub use message::{Body, Message, Record};

/// The flaw of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    /// Collects records and writes four at a time, so that messages leave before their records are durable.
    LazyDisk,
    /// Half of the members form a quorum.
    SmallQuorum,
    /// Does not repeat earlier decisions to its driver after a crash.
    NoRedelivery,
    /// Outputs decisions in the order in which it learns them.
    Unordered,
    /// Never retries.
    NoRetry,
    /// Sets a timer of zero duration repeatedly.
    Spins,
    /// Accuses every member that sends a promise.
    Unfair,
    /// Ignores trailing bytes of a message.
    LooseDecoder,
    /// Cannot decode messages of height 3.
    DeafAtThree,
    /// Panics at height 3.
    PanicsAtThree,
    /// Uses global state.
    Moody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    Try,
    Spin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub height: u64,
    pub value: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Propose(pub u64);

type Ballot = u64;

thread_local!(static MOOD: Cell<u64> = const { Cell::new(0) });

pub struct Paxos {
    me: MemberIndex,
    members: u64,
    flaw: Flaw,
    pub decided: Vec<u64>,
    promised: Ballot,
    accepted: Option<(Ballot, u64)>,
    /// The ballot this node leads at this height, with the promises and acceptances so far.
    leading: Option<Leading>,
    highest_seen: Ballot,
    attempts: u32,
    pending: VecDeque<u64>,
    late: Vec<Record>,
    delivered: BTreeSet<u64>,
    noise: u64,
}

struct Leading {
    ballot: Ballot,
    promises: BTreeMap<MemberIndex, Option<(Ballot, u64)>>,
    value: Option<u64>,
    acceptances: BTreeSet<MemberIndex>,
}

impl Paxos {
    pub fn new(me: MemberIndex, members: usize, flaw: Flaw, records: Vec<Record>, noise: u64) -> Self {
        let mut paxos = Paxos {
            me,
            members: members as u64,
            flaw,
            decided: Vec::new(),
            promised: 0,
            accepted: None,
            leading: None,
            highest_seen: 0,
            attempts: 0,
            pending: VecDeque::new(),
            late: Vec::new(),
            delivered: BTreeSet::new(),
            noise,
        };
        for record in records {
            match record {
                Record::Promised { ballot } => paxos.promised = ballot,
                Record::Accepted { ballot, value } => paxos.accepted = Some((ballot, value)),
                Record::Decided { value } => paxos.close(value),
            }
        }
        paxos.highest_seen = paxos.promised;
        paxos
    }

    fn height(&self) -> u64 {
        self.decided.len() as u64 + 1
    }

    fn quorum(&self) -> usize {
        (if self.flaw == Flaw::SmallQuorum { self.members / 2 } else { self.members / 2 + 1 }) as usize
    }

    fn persist(&mut self, step: &mut Step<Self>, record: Record) {
        if self.flaw == Flaw::LazyDisk { self.late.push(record) } else { step.persist(record) }
    }

    fn send(&self, step: &mut Step<Self>, to: MemberIndex, body: Body) {
        step.send(to, Message::new(self.me, body));
    }

    fn broadcast(&self, step: &mut Step<Self>, body: Body) {
        step.broadcast(Message::new(self.me, body));
    }

    fn rearm(&mut self, step: &mut Step<Self>) {
        if self.flaw == Flaw::NoRetry && self.attempts > 0 {
            return;
        }
        if self.flaw == Flaw::Moody {
            self.noise ^= MOOD.replace(MOOD.get() + 1);
        }
        self.noise =
            self.noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let spread = 100 * u64::from(self.attempts.min(8) + 1);
        step.set_timer(Timer::Try, Duration::from_millis(50 + (self.noise >> 33) % spread));
        self.attempts += 1;
    }

    fn close(&mut self, value: u64) {
        self.decided.push(value);
        self.pending.retain(|pending| *pending != value);
        (self.promised, self.accepted, self.leading) = (0, None, None);
        (self.highest_seen, self.attempts) = (0, 0);
    }

    fn decide(&mut self, step: &mut Step<Self>, value: u64) {
        let height = self.height();
        self.persist(step, Record::Decided { value });
        self.close(value);
        if self.delivered.insert(height) {
            step.output(Decision { height, value });
        }
        self.rearm(step);
    }

    fn try_again(&mut self, step: &mut Step<Self>) {
        let height = self.height();
        if self.pending.is_empty() && self.accepted.is_none() {
            self.broadcast(step, Body::Ask { height });
        } else {
            let round = self.highest_seen / self.members + 1;
            let ballot = round * self.members + u64::from(self.me);
            (self.highest_seen, self.promised) = (ballot, ballot);
            self.persist(step, Record::Promised { ballot });
            let promises = BTreeMap::from([(self.me, self.accepted)]);
            self.leading = Some(Leading { ballot, promises, value: None, acceptances: BTreeSet::new() });
            self.broadcast(step, Body::Prepare { height, ballot });
        }
        self.rearm(step);
    }

    fn on_message(&mut self, step: &mut Step<Self>, from: MemberIndex, body: Body) {
        let height = self.height();
        assert!(!(self.flaw == Flaw::PanicsAtThree && height > 3), "height three was too much");
        if let Body::Decided { height: at, value } = body {
            if at == height {
                self.decide(step, value);
            } else if at > height && self.flaw == Flaw::Unordered && self.delivered.insert(at) {
                step.output(Decision { height: at, value });
            }
            return;
        }
        if body.height() != height {
            if let Some(value) = self.decided.get(body.height() as usize - 1) {
                self.send(step, from, Body::Decided { height: body.height(), value: *value });
            } else {
                self.send(step, from, Body::Ask { height });
            }
            return;
        }
        match body {
            Body::Prepare { ballot, .. } if ballot > self.promised => {
                (self.promised, self.highest_seen) = (ballot, self.highest_seen.max(ballot));
                self.persist(step, Record::Promised { ballot });
                self.send(step, from, Body::Promise { height, ballot, accepted: self.accepted });
            }
            Body::Accept { ballot, value, .. } if ballot >= self.promised => {
                (self.promised, self.accepted) = (ballot, Some((ballot, value)));
                self.persist(step, Record::Accepted { ballot, value });
                self.send(step, from, Body::Accepted { height, ballot });
            }
            Body::Promise { ballot, accepted, .. } => self.on_promise(step, from, ballot, accepted),
            Body::Accepted { ballot, .. } => self.on_accepted(step, from, ballot),
            Body::Ask { .. } | Body::Decided { .. } | Body::Prepare { .. } | Body::Accept { .. } => {}
        }
    }

    fn on_promise(
        &mut self,
        step: &mut Step<Self>,
        from: MemberIndex,
        ballot: Ballot,
        accepted: Option<(u64, u64)>,
    ) {
        if self.flaw == Flaw::Unfair {
            step.fault(from, "it promised");
        }
        let (height, quorum) = (self.height(), self.quorum());
        let own = self.pending.front().copied();
        let Some(leading) = self.leading.as_mut().filter(|l| l.ballot == ballot && l.value.is_none()) else {
            return;
        };
        leading.promises.insert(from, accepted);
        if leading.promises.len() < quorum || self.promised != ballot {
            return;
        }
        let earlier = leading.promises.values().flatten().max().map(|(_, value)| *value);
        let value = earlier.or(own).unwrap_or(0);
        leading.value = Some(value);
        leading.acceptances.insert(self.me);
        self.accepted = Some((ballot, value));
        self.persist(step, Record::Accepted { ballot, value });
        self.broadcast(step, Body::Accept { height, ballot, value });
    }

    fn on_accepted(&mut self, step: &mut Step<Self>, from: MemberIndex, ballot: Ballot) {
        let (height, quorum) = (self.height(), self.quorum());
        let Some(leading) = self.leading.as_mut().filter(|l| l.ballot == ballot) else { return };
        let Some(value) = leading.value else { return };
        leading.acceptances.insert(from);
        if leading.acceptances.len() >= quorum {
            self.decide(step, value);
            self.broadcast(step, Body::Decided { height, value });
        }
    }
}

impl Machine for Paxos {
    type Message = Message;
    type Command = Propose;
    type Timer = Timer;
    type Record = Record;
    type Output = Decision;
    type Fault = &'static str;

    fn decode(&self, from: MemberIndex, bytes: &[u8]) -> quorate::Result<Message> {
        let bytes = match self.flaw {
            Flaw::LooseDecoder => bytes.get(..Message::length(bytes)).unwrap_or(bytes),
            _ => bytes,
        };
        let message = Message::decode(bytes, &())?;
        let deaf = self.flaw == Flaw::DeafAtThree && message.body.height() == 3;
        if message.from != from || deaf {
            return Err(quorate::Error::WrongContext { what: "sender" });
        }
        Ok(message)
    }

    fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        if self.late.len() >= 4 {
            step.persist = std::mem::take(&mut self.late);
        }
        match input {
            Input::Start => {
                for (i, value) in self.decided.iter().enumerate().filter(|_| self.flaw != Flaw::NoRedelivery)
                {
                    step.output(Decision { height: i as u64 + 1, value: *value });
                }
                self.delivered = (1..self.height()).collect();
                self.rearm(&mut step);
                if self.flaw == Flaw::Spins {
                    step.set_timer(Timer::Spin, Duration::ZERO);
                }
            }
            Input::Message { from, message } => self.on_message(&mut step, from, message.body),
            Input::Timer(Timer::Try) => self.try_again(&mut step),
            Input::Timer(Timer::Spin) => step.set_timer(Timer::Spin, Duration::ZERO),
            Input::Command(Propose(value)) => self.pending.push_back(value),
        }
        step
    }
}
