//! An epoch of a committee over simulated links. The machines are the real ones; a member has one processor, and each input
//! costs it the processor time that the real machine took in this process.

use std::collections::VecDeque;
use std::sync::Arc;

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time};
use quorate::wire::Encode;
use quorate_abft::epoch::{Epoch, Ordered, Output};
use quorate_abft::signatures::ThresholdScheme;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::time::{ClockId, clock_gettime};

use super::committee::Committee;
use crate::queue::{MILLISECOND, Nanos, Queue, SECOND};

/// Bytes that a packet, its headers and the frame of a message add.
const FRAME: usize = 100;
/// Length above which a message does not delay others, as in the node.
const BULK: usize = 16 << 10;
/// Time after which a lost message is sent again the first time; it doubles.
const RETRY: Nanos = 200 * MILLISECOND;

/// The links of a committee.
pub(super) struct Links {
    /// One-way latency from one member to another.
    pub(super) latency: Box<dyn Fn(MemberIndex, MemberIndex) -> Nanos + Sync>,
    /// Bits per second that a member can send, and as many that it can receive.
    pub(super) bandwidth: f64,
    /// Members whose messages, sent and received, are late or lost.
    pub(super) degraded: u16,
    /// Added to the latency of their messages.
    pub(super) delay: Nanos,
    /// Fraction of their messages that is lost.
    pub(super) loss: f64,
}

/// Result of an epoch.
pub(super) struct Outcome {
    /// When each member decided.
    pub(super) decided: Vec<Nanos>,
    /// Bytes that each member sent.
    pub(super) sent: Vec<u64>,
    /// Processor time of each member until its decision.
    pub(super) processor: Vec<Nanos>,
    /// Number of decided transactions.
    pub(super) transactions: usize,
}

enum Event {
    /// The last bit of a large message would arrive, if no other one did at the same time.
    Reach {
        to: MemberIndex,
        from: MemberIndex,
        bytes: Arc<[u8]>,
    },
    Arrival {
        to: MemberIndex,
        from: MemberIndex,
        bytes: Arc<[u8]>,
    },
    /// A member has handled an input.
    Free {
        member: MemberIndex,
    },
}

struct Member<S: ThresholdScheme> {
    /// `None` after the end: late messages cost nothing.
    machine: Option<Epoch<S>>,
    waiting: VecDeque<(MemberIndex, Arc<[u8]>)>,
    is_busy: bool,
    /// When the member can send the next urgent message, and the next large one.
    uplink: [Nanos; 2],
    downlink: Nanos,
    sent: u64,
    processor: Nanos,
    decided: Option<Nanos>,
}

struct Simulation<'a, S: ThresholdScheme> {
    links: &'a Links,
    members: Vec<Member<S>>,
    queue: Queue<Event>,
    rng: StdRng,
    first: Option<Vec<Ordered>>,
    problem: Option<String>,
}

/// Runs an epoch until `needed` members have decided.
pub(super) fn run<S: ThresholdScheme>(
    committee: &Committee<S>,
    epoch: u64,
    links: &Links,
    needed: &[MemberIndex],
) -> Result<Outcome, String> {
    let member = |me| {
        Ok(Member {
            machine: Some(committee.machine(me, epoch)?),
            waiting: VecDeque::new(),
            is_busy: false,
            uplink: [0; 2],
            downlink: 0,
            sent: 0,
            processor: 0,
            decided: None,
        })
    };
    let members: quorate::Result<_> = (0..committee.plan.members).map(member).collect();
    let mut simulation = Simulation {
        links,
        members: members.map_err(|e| e.to_string())?,
        queue: Queue::new(),
        rng: StdRng::seed_from_u64(epoch),
        first: None,
        problem: None,
    };
    for me in 0..committee.plan.members {
        let proposal = committee.proposal(me, epoch);
        simulation.input(me, |machine| {
            let mut step = machine.handle(Time(0), Input::Start);
            let proposed = machine.handle(Time(0), Input::Command(proposal));
            step.messages.extend(proposed.messages);
            step.outputs.extend(proposed.outputs);
            Ok(step)
        });
    }
    simulation.finish(needed)
}

impl<S: ThresholdScheme> Simulation<'_, S> {
    fn finish(mut self, needed: &[MemberIndex]) -> Result<Outcome, String> {
        let decided = |members: &[Member<S>], one: &MemberIndex| {
            members.get(usize::from(*one)).is_some_and(|member| member.decided.is_some())
        };
        while !needed.iter().all(|one| decided(&self.members, one)) {
            match self.queue.take() {
                Some(Event::Arrival { to, from, bytes }) => {
                    if let Some(member) = self.members.get_mut(usize::from(to)) {
                        member.waiting.push_back((from, bytes));
                        self.next(to);
                    }
                }
                Some(Event::Reach { to, from, bytes }) => self.receive(to, from, bytes),
                Some(Event::Free { member }) => {
                    if let Some(freed) = self.members.get_mut(usize::from(member)) {
                        freed.is_busy = false;
                        self.next(member);
                    }
                }
                None => return Err("no message is in flight, and a member has not decided".to_owned()),
            }
            if let Some(problem) = self.problem {
                return Err(problem);
            }
        }
        Ok(Outcome {
            decided: self.members.iter().filter_map(|member| member.decided).collect(),
            sent: self.members.iter().map(|member| member.sent).collect(),
            processor: self.members.iter().map(|member| member.processor).collect(),
            transactions: self.first.map_or(0, |first| first.len()),
        })
    }

    /// Handles the next message of a member, if its processor is free.
    fn next(&mut self, me: MemberIndex) {
        let Some(member) = self.members.get_mut(usize::from(me)).filter(|member| !member.is_busy) else {
            return;
        };
        let Some((from, bytes)) = member.waiting.pop_front() else { return };
        self.input(me, |machine| {
            let message = machine.decode(from, &bytes)?;
            Ok(machine.handle(Time(0), Input::Message { from, message }))
        });
    }

    /// Lets a member handle an input: messages leave when the processor time has passed.
    fn input(
        &mut self,
        me: MemberIndex,
        work: impl FnOnce(&mut Epoch<S>) -> quorate::Result<Step<Epoch<S>>>,
    ) {
        let Some(member) = self.members.get_mut(usize::from(me)) else { return };
        let Some(machine) = member.machine.as_mut() else { return };
        let before = thread_time();
        let done = work(machine).map(|step| {
            let encoded = step.messages.into_iter();
            let encoded: Vec<(Recipient, Arc<[u8]>)> =
                encoded.map(|Outgoing { to, message }| (to, message.encode().into())).collect();
            (encoded, step.outputs)
        });
        let cost = thread_time().saturating_sub(before);
        let end = self.queue.now() + cost;
        member.processor += cost;
        member.is_busy = true;
        self.queue.put(end, Event::Free { member: me });
        match done {
            Ok((messages, outputs)) => {
                outputs.into_iter().for_each(|output| self.output(me, end, output));
                messages.into_iter().for_each(|(to, bytes)| self.send(me, end, to, &bytes));
            }
            Err(error) => self.problem = Some(format!("member {me}: {error}")),
        }
    }

    fn output(&mut self, me: MemberIndex, at: Nanos, output: Output) {
        match output {
            Output::Decided(ordered) => {
                if let Some(member) = self.members.get_mut(usize::from(me)) {
                    member.decided = Some(at);
                }
                if self.first.as_ref().is_some_and(|first| *first != ordered) {
                    self.problem = Some("two members decided different transactions".to_owned());
                }
                self.first.get_or_insert(ordered);
            }
            Output::Refused(error) | Output::Broken(error) => {
                self.problem = Some(format!("member {me}: {error}"))
            }
        }
    }

    fn send(&mut self, me: MemberIndex, at: Nanos, to: Recipient, bytes: &Arc<[u8]>) {
        let members = self.members.len() as MemberIndex;
        let receivers = match to {
            Recipient::One(one) => one..one + 1,
            Recipient::Others => 0..members,
        };
        // Each member begins with another one, so that no receiver is the last of all senders.
        let (begin, count) = (receivers.start, receivers.len() as MemberIndex);
        for place in 0..count {
            let receiver = begin + (place + me) % count;
            if receiver != me {
                self.transmit(me, at, receiver, bytes);
            }
        }
    }

    fn transmit(&mut self, from: MemberIndex, at: Nanos, to: MemberIndex, bytes: &Arc<[u8]>) {
        let (size, duration) = (bytes.len() + FRAME, self.links.duration(bytes));
        let Some(sender) = self.members.get_mut(usize::from(from)) else { return };
        sender.sent += size as u64;
        let lane = usize::from(bytes.len() > BULK);
        let [urgent, bulk] = &mut sender.uplink;
        let departure = if lane == 0 { at.max(*urgent) } else { at.max(*bulk) } + duration;
        if lane == 0 {
            *urgent = departure;
            // The large messages wait meanwhile.
            *bulk = (*bulk).max(at) + duration;
        } else {
            *bulk = departure;
        }
        let mut arrival = departure + (self.links.latency)(from, to);
        let degraded = self.links.degraded;
        if from < degraded || to < degraded {
            arrival += self.links.delay;
            let mut retry = RETRY;
            while self.rng.random_bool(self.links.loss) {
                arrival += retry;
                retry *= 2;
            }
        }
        let bytes = bytes.clone();
        let event =
            if lane == 0 { Event::Arrival { to, from, bytes } } else { Event::Reach { to, from, bytes } };
        self.queue.put(arrival, event);
    }

    /// Large messages share the receiver's link.
    fn receive(&mut self, to: MemberIndex, from: MemberIndex, bytes: Arc<[u8]>) {
        let (now, duration) = (self.queue.now(), self.links.duration(&bytes));
        let Some(receiver) = self.members.get_mut(usize::from(to)) else { return };
        receiver.downlink = (receiver.downlink + duration).max(now);
        self.queue.put(receiver.downlink, Event::Arrival { to, from, bytes });
    }
}

impl Links {
    /// Time in which a member sends or receives a message.
    fn duration(&self, bytes: &[u8]) -> Nanos {
        ((bytes.len() + FRAME) as f64 * 8.0 / self.bandwidth * SECOND as f64) as Nanos
    }
}

/// Processor time of this thread, which excludes other programs.
pub(super) fn thread_time() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as Nanos * SECOND + time.tv_nsec as Nanos
}
