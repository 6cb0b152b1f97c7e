use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Fault, MemberIndex, Time};
use quorate::wire::Decode;
use quorate_simulator::{
    Actions, Adversary, BootContext, Host, Interception, Node, Scenario, Verdict, Violation,
};

use super::adversaries::BroadcastAdversary;
use super::authentication::SimulatedAuthentication;
use crate::{
    Broadcaster, Command, Config, Delivery, Digest, Equivocation, Message, Misbehaviour, Output, Parameters,
    Record, Slot, limits,
};

/// Decides about the delivery of messages.
type Interceptor<S> = Box<dyn Fn(Time, Node, Node, &Message<S>) -> Interception>;

/// Host of a run: the members' workload and the checks.
pub struct BroadcastHost<A: SimulatedAuthentication> {
    group: Arc<Committee<Ed25519>>,
    /// Parameters of the machines.
    pub parameters: Parameters,
    /// Average interval between a member's broadcasts.
    pub pause: Duration,
    /// Time of the last broadcast.
    pub until: Time,
    /// Time after which a correct sender's message must have reached all members.
    delivery_timeout: Duration,
    /// Members that are Byzantine from the start.
    byzantine: BTreeSet<MemberIndex>,
    issued: BTreeMap<Arc<[u8]>, (MemberIndex, Time)>,
    /// Messages delivered by correct members in each slot, with the first member and the time.
    pub agreed: BTreeMap<Slot, (Digest, usize, Time)>,
    /// Slots delivered by each node in all its runs, and in the current one.
    pub delivered: BTreeMap<usize, BTreeSet<Slot>>,
    this_life: BTreeMap<usize, BTreeSet<Slot>>,
    up: BTreeMap<usize, (Node, Time)>,
    /// Highest own sequence of each correct member.
    tops: BTreeMap<MemberIndex, u64>,
    /// Fast and slow verifications per correct node, in its current run.
    pub verified: BTreeMap<usize, (u64, u64)>,
    /// Evidence held by correct members.
    pub evidence: Vec<Equivocation<A::Signature>>,
    /// Faults reported by correct members, by culprit and code.
    pub misbehaviours: BTreeMap<(MemberIndex, &'static str), u64>,
    /// Decides about the delivery of correct nodes' messages.
    pub interceptor: Option<Interceptor<A::Signature>>,
}

impl<A: SimulatedAuthentication> BroadcastHost<A> {
    /// Creates the host of a run.
    pub fn new(group: Arc<Committee<Ed25519>>, scenario: &Scenario) -> Self {
        Self {
            group,
            parameters: Self::parameters(),
            pause: Duration::from_millis(800),
            until: Time(u64::MAX),
            delivery_timeout: scenario.checks.liveness.unwrap_or(scenario.duration / 2),
            byzantine: scenario.byzantine.keys().map(|node| *node as MemberIndex).collect(),
            issued: BTreeMap::new(),
            agreed: BTreeMap::new(),
            delivered: BTreeMap::new(),
            this_life: BTreeMap::new(),
            up: BTreeMap::new(),
            tops: BTreeMap::new(),
            verified: BTreeMap::new(),
            evidence: Vec::new(),
            misbehaviours: BTreeMap::new(),
            interceptor: None,
        }
    }

    /// Parameters with a short tail, which runs exceed.
    pub fn parameters() -> Parameters {
        Parameters { tail: 16, max_message: 256, retry: Duration::from_millis(150), ..Parameters::default() }
    }

    /// Returns the number of slots delivered by correct members.
    pub fn slots(&self) -> usize {
        self.agreed.len()
    }

    /// Returns the number of messages of correct senders that some correct member, up or down, has not delivered.
    pub fn missing(&self) -> usize {
        let slots: BTreeMap<&Digest, &Slot> =
            self.agreed.iter().map(|(slot, (digest, ..))| (digest, slot)).collect();
        let everywhere = |message: &[u8]| {
            let slot = slots.get(&crate::digest(message));
            let correct = (0..self.group.len()).filter(|member| self.is_correct(*member));
            slot.is_some_and(|slot| {
                let has =
                    |member| self.delivered.get(&usize::from(member)).is_some_and(|all| all.contains(slot));
                correct.into_iter().all(has)
            })
        };
        let correct = self.issued.iter().filter(|(_, (sender, _))| self.is_correct(*sender));
        correct.filter(|(message, _)| !everywhere(message)).count()
    }

    fn is_correct(&self, member: MemberIndex) -> bool {
        !self.byzantine.contains(&member)
    }

    fn deliver(
        &mut self,
        node: Node,
        delivery: &Delivery,
        actions: &mut Actions<'_, Broadcaster<A>>,
    ) -> Verdict {
        let Delivery { slot, message, digest } = delivery;
        if !node.honest {
            return Ok(());
        }
        let at = node.slot;
        if !self.this_life.entry(at).or_default().insert(*slot) {
            return Err(Violation::new("once", format!("node {at} delivers {slot:?} twice in one run")));
        }
        if crate::digest(message) != *digest {
            return Err(Violation::new("delivery", format!("node {at}: {slot:?} has another digest")));
        }
        match self.agreed.get(slot) {
            Some((agreed, first, _)) if agreed != digest => {
                let detail = format!("in {slot:?} node {first} delivered one message and node {at} another");
                return Err(Violation::new("consistency", detail));
            }
            Some(_) => {}
            None => drop(self.agreed.insert(*slot, (*digest, at, actions.now()))),
        }
        let issued = self.issued.get(message);
        if self.is_correct(slot.sender) && issued.is_none_or(|(by, _)| *by != slot.sender) {
            let detail = format!("node {at} delivers {slot:?}, which its correct sender never broadcast");
            return Err(Violation::new("integrity", detail));
        }
        let ever = self.delivered.entry(at).or_default();
        if ever.insert(*slot)
            && let Some((_, issued)) = issued
        {
            let name = if slot.sender == node.member { "own delivery" } else { "delivery" };
            actions.measure(name, actions.now().since(*issued));
        }
        actions.progress(ever.len() as u64);
        Ok(())
    }

    /// Checks validity: a message of a correct sender that one correct member delivered long ago is delivered by all,
    /// within the tail.
    fn all_have_what_one_has(&self, now: Time) -> Verdict {
        let is_overdue = |time: Time| now.since(time) >= self.delivery_timeout;
        for (slot, (_, first, at)) in &self.agreed {
            let top = self.tops.get(&slot.sender).copied().unwrap_or(0);
            let in_tail = slot.sequence + u64::from(self.parameters.tail) > top;
            // A sender that stays down is not correct.
            let sender = self.up.get(&usize::from(slot.sender)).filter(|(_, since)| is_overdue(*since));
            if !self.is_correct(slot.sender) || sender.is_none() || !is_overdue(*at) || !in_tail {
                continue;
            }
            for (node, since) in self.up.values() {
                let has = self.delivered.get(&node.slot).is_some_and(|all| all.contains(slot));
                if node.honest && is_overdue(*since) && !has {
                    let detail = format!("node {first} delivered {slot:?}, node {} did not", node.slot);
                    return Err(Violation::new("validity", detail));
                }
            }
        }
        Ok(())
    }
}

impl<A: SimulatedAuthentication> Host for BroadcastHost<A> {
    type Machine = Broadcaster<A>;

    fn boot(&mut self, boot: BootContext<Record<A::Signature>>) -> Result<Broadcaster<A>, Violation> {
        let BootContext { node, mut records, seed, .. } = boot;
        if seed[0].is_multiple_of(2) {
            // Records as a store with one key per place in the tail would keep them.
            let tail = self.parameters.tail.into();
            let kept: BTreeMap<_, _> =
                records.into_iter().map(|record| (record.place(tail), record)).collect();
            records = kept.into_values().collect();
        }
        let config = Config {
            group: self.group.clone(),
            me: node.member,
            authentication: A::make(self.group.clone(), node.member, seed),
            parameters: self.parameters.clone(),
        };
        Broadcaster::new(config, records)
            .map_err(|error| Violation::new("restart", format!("node {}: {error}", node.slot)))
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<A::Signature>> {
        Record::decode(bytes, &limits::<A>(&self.group, &self.parameters))
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Broadcaster<A>>) -> Verdict {
        self.this_life.remove(&node.slot);
        self.up.insert(node.slot, (node, actions.now()));
        let first = actions.rng().duration(Duration::from_millis(1), self.pause);
        actions.wake(0, first);
        Ok(())
    }

    fn on_crash(&mut self, node: Node) {
        self.up.remove(&node.slot);
    }

    fn on_wake(&mut self, node: Node, _: u64, actions: &mut Actions<'_, Broadcaster<A>>) -> Verdict {
        if actions.now() > self.until {
            return Ok(());
        }
        let message: Arc<[u8]> = format!("{} says {}", node.member, self.issued.len()).into_bytes().into();
        self.issued.insert(message.clone(), (node.member, actions.now()));
        actions.command(Command::Broadcast(message), Duration::ZERO);
        let pause = actions.rng().duration(self.pause / 2, self.pause * 3 / 2);
        actions.wake(0, pause);
        Ok(())
    }

    fn on_output(
        &mut self,
        node: Node,
        output: Output<A>,
        actions: &mut Actions<'_, Broadcaster<A>>,
    ) -> Verdict {
        match output {
            Output::Deliver(delivery) => self.deliver(node, &delivery, actions),
            Output::Work(work) => {
                let pause = actions.rng().duration(Duration::ZERO, Duration::from_millis(3));
                actions.command(Command::Done(work.run()), pause);
                Ok(())
            }
            Output::Refused { .. } => Ok(()),
            Output::Broken(error) => Err(Violation::new("broken", error.to_string())),
        }
    }

    fn on_fault(&mut self, node: Node, fault: Fault<Misbehaviour<A::Signature>>) -> Verdict {
        if !node.honest {
            return Ok(());
        }
        let Fault { culprit, evidence } = fault;
        *self.misbehaviours.entry((culprit, evidence.code())).or_default() += 1;
        if let Misbehaviour::Equivocation(evidence) = evidence {
            if evidence.culprit != culprit || evidence.verify::<A>(&self.group).is_err() {
                return Err(Violation::new("evidence", format!("node {}: invalid evidence", node.slot)));
            }
            self.evidence.push(*evidence);
        }
        Ok(())
    }

    fn after_step(&mut self, node: Node, machine: &Broadcaster<A>) -> Verdict {
        let status = machine.status();
        if !node.honest {
            return Ok(());
        }
        // May be lower than before a crash that precedes the durability of the last number; no member has received it
        // then.
        self.tops.insert(node.member, status.sequence);
        self.verified.insert(node.slot, status.verified);
        if status.deferred > usize::from(self.group.len()) * self.parameters.tail as usize {
            return Err(Violation::new("bounds", format!("node {}: {status:?}", node.slot)));
        }
        Ok(())
    }

    fn at_end(&mut self, now: Time) -> Verdict {
        self.all_have_what_one_has(now)
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Broadcaster<A>>>> {
        let adversary = BroadcastAdversary::<A>::new(name, self.group.clone(), node.member)?;
        Some(Box::new(adversary))
    }

    fn intercept(
        &mut self,
        now: Time,
        from: Node,
        to: Node,
        message: &Message<A::Signature>,
    ) -> Interception {
        self.interceptor
            .as_ref()
            .map_or(Interception::Pass, |interceptor| interceptor(now, from, to, message))
    }
}
