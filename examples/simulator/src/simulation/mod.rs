//! A run.

mod faults;
mod routing;
mod steps;

use std::collections::BTreeMap;
use std::sync::Arc;

use core::time::Duration;

use quorate::machine::{Machine, MemberIndex, Recipient, Time};

use crate::behaviours::ready_made;
use crate::checker::{Verdict, Violation};
use crate::fault::{Behaviour, Fault};
use crate::host::{Action, Actions, Host, Node};
use crate::links::Links;
use crate::metrics::{Metrics, NodeMetrics};
use crate::node::{NodeState, Payload, QueuedInput};
use crate::queue::Queue;
use crate::report::Report;
use crate::rng::{Rng, micros};
use crate::scenario::Scenario;
use crate::trace::{Trace, TraceObserver};

/// A run of a scenario: a pure function of scenario and host. [`run`](Simulation::run) carries it to its end;
/// [`advance`](Simulation::advance) goes step by step, for instance from one frame of a page to the next.
pub struct Simulation<H: Host> {
    scenario: Scenario,
    host: H,
    now: u64,
    events: u64,
    queue: Queue<Event<H::Machine>>,
    nodes: Vec<NodeState<H::Machine>>,
    twins: BTreeMap<MemberIndex, Twins>,
    links: Links,
    /// What waits for a partition to heal.
    held: Vec<InFlight>,
    host_rng: Rng,
    /// Progress of each node at the last look.
    reached: Vec<u64>,
    metrics: Metrics,
    trace: Trace,
    violation: Option<Violation>,
    actions: Vec<Action<H::Machine>>,
}

/// Two nodes of one identity, and which of the two each node talks with.
struct Twins {
    second: usize,
    with_second: Vec<bool>,
}

/// A message between two nodes.
struct InFlight {
    from: usize,
    to: usize,
    payload: Arc<Payload>,
}

enum Event<M: Machine> {
    FirstStart(usize),
    Arrival {
        in_flight: InFlight,
        sent: u64,
    },
    /// A message that was held back before it left.
    Departure(InFlight),
    /// An adversary's message that was held back before it left.
    Emission {
        from: usize,
        to: Recipient,
        payload: Arc<Payload>,
    },
    Timer {
        slot: usize,
        incarnation: u32,
        generation: u64,
        timer: M::Timer,
    },
    Command {
        slot: usize,
        incarnation: u32,
        command: M::Command,
    },
    HostWake {
        slot: usize,
        incarnation: u32,
        token: u64,
    },
    AdversaryWake {
        slot: usize,
        incarnation: u32,
        adversary_generation: u32,
        token: u64,
    },
    Ready {
        slot: usize,
        incarnation: u32,
    },
    Fault(Fault),
    RedistributeTwins {
        member: MemberIndex,
        every: Duration,
    },
    Liveness,
}

impl<H: Host> Simulation<H> {
    /// A run that has not begun.
    pub fn new(scenario: Scenario, host: H) -> Self {
        let seed = scenario.seed;
        let mut nodes: Vec<NodeState<H::Machine>> = (0..scenario.nodes)
            .map(|slot| {
                let honest = !scenario.byzantine.contains_key(&slot);
                let node = Node { slot, member: slot as MemberIndex, honest };
                NodeState::new(node, scenario.clocks, seed)
            })
            .collect();
        let mut queue = Queue::new();
        let mut twins = BTreeMap::new();
        for (slot, behaviour) in &scenario.byzantine {
            if let (Behaviour::Twins(every), true) = (behaviour, *slot < scenario.nodes) {
                let member = *slot as MemberIndex;
                let node = Node { slot: nodes.len(), member, honest: false };
                twins.insert(member, Twins { second: node.slot, with_second: Vec::new() });
                nodes.push(NodeState::new(node, scenario.clocks, seed));
                queue.push(0, Event::RedistributeTwins { member, every: *every });
            }
        }
        // Faults come before the start, so that a node that is dead at time zero says nothing.
        for scheduled in &scenario.faults {
            queue.push(micros(scheduled.at), Event::Fault(scheduled.fault.clone()));
        }
        (0..nodes.len()).for_each(|slot| queue.push(0, Event::FirstStart(slot)));
        if scenario.checks.liveness.is_some() {
            queue.push(scenario.quiet_from(), Event::Liveness);
        }
        let links = Links::new(scenario.network.clone(), nodes.len(), Rng::stream(seed, "links", 0));
        let metrics = Metrics { nodes: vec![NodeMetrics::default(); nodes.len()], ..Metrics::default() };
        let mut simulation = Self {
            host,
            now: 0,
            events: 0,
            queue,
            twins,
            links,
            held: Vec::new(),
            host_rng: Rng::stream(seed, "host", 0),
            reached: Vec::new(),
            metrics,
            trace: Trace::new(),
            violation: None,
            actions: Vec::new(),
            nodes,
            scenario,
        };
        simulation.assign_adversaries();
        simulation
    }

    /// Keeps the last so many entries of the trace for the report.
    #[must_use]
    pub fn keeping_trace(mut self, entries: usize) -> Self {
        self.trace.keep(entries);
        self
    }

    /// Shows every entry of the trace to `observer`.
    #[must_use]
    pub fn observed(mut self, observer: TraceObserver) -> Self {
        self.trace.observer = Some(observer);
        self
    }

    /// Runs to the end: the scenario's duration, the host's [`finished`](Host::finished), or a violation.
    pub fn run(&mut self) -> Report {
        self.advance(self.scenario.duration);
        if self.violation.is_none() {
            let verdict = self.host.at_end(Time(self.now)).and_then(|()| self.check_duration());
            self.record_verdict(verdict);
        }
        Report {
            name: self.scenario.name.clone(),
            seed: self.scenario.seed,
            nodes: self.scenario.nodes,
            outcome: self.violation.clone().map_or(Ok(()), Err),
            at: Time(self.now),
            events: self.events,
            trace_hash: self.trace.hash(),
            metrics: self.metrics.clone(),
            tail: self.trace.take_last(),
        }
    }

    /// Carries out everything up to `until` (since the beginning). Answers whether the run goes on.
    pub fn advance(&mut self, until: Duration) -> bool {
        let until = micros(until.min(self.scenario.duration));
        while self.violation.is_none() && !self.host.finished() {
            match self.queue.next_at() {
                Some(at) if at <= until => {}
                _ => {
                    self.now = self.now.max(until);
                    return until < micros(self.scenario.duration);
                }
            }
            if let Some((at, event)) = self.queue.pop() {
                self.now = at;
                self.dispatch(event);
            }
            self.events += 1;
            if self.events > self.scenario.checks.events {
                let detail = format!("more than {} events: the machines spin", self.scenario.checks.events);
                self.violation = Some(Violation::new("spin", detail));
            }
        }
        false
    }

    /// The time now.
    pub fn now(&self) -> Time {
        Time(self.now)
    }

    /// When the next event is due; nothing if nothing will ever happen again.
    pub fn next_at(&self) -> Option<Duration> {
        self.queue.next_at().map(Duration::from_micros)
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What identifies the history so far: two runs with the same hash went the same way.
    pub fn trace_hash(&self) -> u64 {
        self.trace.hash()
    }

    /// The scenario, as it was given.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What was found wrong.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The counts so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The host.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// The host, for what it keeps for its spectators. Changing anything else breaks determinism.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// All nodes; twins count twice.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.nodes.iter().map(|state| state.node)
    }

    /// A node's machine; nothing while it is down.
    pub fn machine(&self, slot: usize) -> Option<&H::Machine> {
        self.nodes.get(slot)?.machine.as_ref()
    }

    /// The records that a node made durable.
    pub fn disk(&self, slot: usize) -> &[Arc<[u8]>] {
        self.nodes.get(slot).map_or(&[], |state| &state.disk)
    }

    /// Lets a fault happen now, besides the schedule: somebody clicked on a node.
    pub fn inject(&mut self, fault: Fault) {
        self.queue.push(self.now, Event::Fault(fault));
    }

    /// Gives a node's machine a command now, besides the host's workload.
    pub fn command(&mut self, slot: usize, command: <H::Machine as Machine>::Command) {
        let incarnation = self.nodes.get(slot).map_or(0, |state| state.incarnation);
        self.queue.push(self.now, Event::Command { slot, incarnation, command });
    }

    fn dispatch(&mut self, event: Event<H::Machine>) {
        match event {
            Event::FirstStart(slot) => self.start_first_time(slot),
            Event::Arrival { in_flight, sent } => self.arrive(in_flight, sent),
            Event::Departure(in_flight) => self.send_on_link(in_flight),
            Event::Emission { from, to, payload } => self.transmit(from, to, &payload, None),
            Event::Timer { slot, incarnation, generation, timer } => {
                self.offer(slot, incarnation, QueuedInput::Timer { timer, generation });
            }
            Event::Command { slot, incarnation, command } => {
                self.offer(slot, incarnation, QueuedInput::Command(command))
            }
            Event::HostWake { slot, incarnation, token } if self.is_incarnation(slot, incarnation) => {
                self.call_host(slot, |host, node, actions| host.on_wake(node, token, actions));
            }
            Event::AdversaryWake { slot, incarnation, adversary_generation, token }
                if self.has_adversary(slot, incarnation, adversary_generation) =>
            {
                self.call_adversary(slot, |adversary, control| adversary.on_wake(token, control));
            }
            Event::Ready { slot, incarnation } if self.is_incarnation(slot, incarnation) => self.ready(slot),
            Event::HostWake { .. } | Event::AdversaryWake { .. } | Event::Ready { .. } => {}
            Event::Fault(fault) => self.apply_fault(fault),
            Event::RedistributeTwins { member, every } => self.redistribute_twins(member, every),
            Event::Liveness => self.check_progress(),
        }
    }

    /// Gives the Byzantine nodes their adversaries.
    fn assign_adversaries(&mut self) {
        if self.scenario.nodes > usize::from(MemberIndex::MAX) {
            let detail = format!("{} nodes are more than members can be numbered", self.scenario.nodes);
            self.violation = Some(Violation::new("scenario", detail));
        }
        for (slot, behaviour) in self.scenario.byzantine.clone() {
            self.assign_adversary(slot, &behaviour);
        }
    }

    /// Gives a node its adversary.
    fn assign_adversary(&mut self, slot: usize, behaviour: &Behaviour) {
        let Some(state) = self.nodes.get_mut(slot).filter(|state| state.node.slot < self.scenario.nodes)
        else {
            let detail =
                format!("node {slot} is to be Byzantine, but there are {} nodes", self.scenario.nodes);
            return self.record_verdict(Err(Violation::new("scenario", detail)));
        };
        state.adversary = match behaviour {
            Behaviour::Custom(name) => self.host.adversary(state.node, name),
            other => ready_made(other),
        };
        if let (None, Behaviour::Custom(name)) = (&state.adversary, behaviour) {
            let detail = format!("the host has no adversary named {name:?}");
            self.record_verdict(Err(Violation::new("scenario", detail)));
        }
    }

    /// Adds the second of twins, which begins with an empty disk.
    fn add_twin(&mut self, slot: usize) -> usize {
        let (second, member) = (self.nodes.len(), slot as MemberIndex);
        let node = Node { slot: second, member, honest: false };
        self.nodes.push(NodeState::new(node, self.scenario.clocks, self.scenario.seed));
        self.twins.insert(member, Twins { second, with_second: Vec::new() });
        second
    }

    /// Whether a node is in that life and still has that adversary.
    fn has_adversary(&self, slot: usize, incarnation: u32, adversary_generation: u32) -> bool {
        self.is_incarnation(slot, incarnation)
            && self.nodes.get(slot).is_some_and(|state| state.adversary_generation == adversary_generation)
    }

    fn is_incarnation(&self, slot: usize, incarnation: u32) -> bool {
        self.nodes.get(slot).is_some_and(|state| state.machine.is_some() && state.incarnation == incarnation)
    }

    fn record_verdict(&mut self, verdict: Verdict) {
        if let (Err(violation), None) = (verdict, &self.violation) {
            self.violation = Some(violation);
        }
    }

    /// Calls the host about a node and does what it asks for.
    fn call_host(
        &mut self,
        slot: usize,
        ask: impl FnOnce(&mut H, Node, &mut Actions<'_, H::Machine>) -> Verdict,
    ) {
        let Some(state) = self.nodes.get(slot) else { return };
        let (node, incarnation) = (state.node, state.incarnation);
        let mut list = core::mem::take(&mut self.actions);
        let mut actions = Actions {
            now: Time(self.now),
            local: state.clock.local(self.now),
            node,
            rng: &mut self.host_rng,
            list: &mut list,
            metrics: &mut self.metrics,
        };
        let verdict = ask(&mut self.host, node, &mut actions);
        self.record_verdict(verdict);
        for action in list.drain(..) {
            match action {
                Action::Command { command, after } => {
                    self.queue
                        .push(self.now.saturating_add(after), Event::Command { slot, incarnation, command });
                }
                Action::Send { to, bytes } => {
                    self.transmit(slot, to, &Payload::new(bytes, node.honest), None);
                }
                Action::Wake { token, after } => {
                    self.queue
                        .push(self.now.saturating_add(after), Event::HostWake { slot, incarnation, token });
                }
            }
        }
        self.actions = list;
    }
}
