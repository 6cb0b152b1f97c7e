//! Execution of a scenario: event queue, nodes and links.

mod byzantine;
mod event;
mod faults;
mod routing;
mod steps;

use std::collections::BTreeMap;
use std::sync::Arc;

use core::time::Duration;

use quorate::machine::{Machine, MemberIndex, Time};

use event::{Event, InFlight, Twins};

use crate::checker::{Verdict, Violation};
use crate::fault::{Behaviour, Fault};
use crate::host::{Action, Actions, Host};
use crate::links::Links;
use crate::metrics::{Metrics, NodeMetrics};
use crate::node::Node;
use crate::node_state::{NodeState, Payload, QueuedInput};
use crate::queue::Queue;
use crate::report::Report;
use crate::rng::{Rng, micros};
use crate::scenario::Scenario;
use crate::trace::{Trace, TraceObserver};

/// A run of a scenario: a pure function of the scenario and the host.
///
/// [`run`](Simulation::run) executes it to its end; [`advance`](Simulation::advance) executes it in parts, for
/// instance one per frame of a page.
pub struct Simulation<H: Host> {
    scenario: Scenario,
    host: H,
    now: u64,
    events: u64,
    queue: Queue<Event<H::Machine>>,
    nodes: Vec<NodeState<H::Machine>>,
    twins: BTreeMap<MemberIndex, Twins>,
    links: Links,
    /// Messages held until a partition heals.
    held: Vec<InFlight>,
    host_rng: Rng,
    /// Progress of each node at the last liveness check.
    reached: Vec<u64>,
    /// Progress with which every correct node ends the run; `None` while faults occur or if the run has a fixed duration.
    goal: Option<u64>,
    has_ended: bool,
    metrics: Metrics,
    trace: Trace,
    violation: Option<Violation>,
    actions: Vec<Action<H::Machine>>,
}

impl<H: Host> Simulation<H> {
    /// Creates a run that has not started.
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
        // Faults precede the first start, so that a node that is down at time zero sends nothing.
        for scheduled in &scenario.faults {
            queue.push(micros(scheduled.at), Event::Fault(scheduled.fault.clone()));
        }
        (0..nodes.len()).for_each(|slot| queue.push(0, Event::FirstStart(slot)));
        if scenario.checks.liveness.is_some() {
            queue.push(scenario.quiet_from(), Event::Liveness);
        }
        if scenario.enough_progress.is_some() {
            queue.push(scenario.quiet_from(), Event::Quiet);
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
            goal: None,
            has_ended: false,
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

    /// Keeps the last `entries` trace entries for the report.
    #[must_use]
    pub fn keeping_trace(mut self, entries: usize) -> Self {
        self.trace.keep(entries);
        self
    }

    /// Passes every trace entry to `observer`.
    #[must_use]
    pub fn observed(mut self, observer: TraceObserver) -> Self {
        self.trace.observer = Some(observer);
        self
    }

    /// Runs until the scenario's duration elapses, there is [enough progress](Scenario::enough_progress), the host is
    /// [`finished`](Host::finished), or a violation occurs.
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

    /// Processes all events up to `until`, measured from the start. Returns `true` if the run continues.
    pub fn advance(&mut self, until: Duration) -> bool {
        let until = micros(until.min(self.scenario.duration));
        while self.violation.is_none() && !self.has_finished() {
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
                let detail = format!(
                    "more than {} events: the machines make no progress in virtual time",
                    self.scenario.checks.events
                );
                self.violation = Some(Violation::new("spin", detail));
            }
        }
        false
    }

    /// Returns the current virtual time.
    pub fn now(&self) -> Time {
        Time(self.now)
    }

    /// Returns the time of the next event; `None` if no event is scheduled.
    pub fn next_at(&self) -> Option<Duration> {
        self.queue.next_at().map(Duration::from_micros)
    }

    /// Returns the number of events processed.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the hash of the history so far. Equal hashes mean equal histories.
    pub fn trace_hash(&self) -> u64 {
        self.trace.hash()
    }

    /// Returns the scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the violation found, if any.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Returns the metrics collected so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the host.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// Returns the host mutably, for its observer state. Any other change breaks determinism.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// Iterates over all nodes. Twins are two nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.nodes.iter().map(|state| state.node)
    }

    /// Returns a node's machine; `None` while the node is down.
    pub fn machine(&self, slot: usize) -> Option<&H::Machine> {
        self.nodes.get(slot)?.machine.as_ref()
    }

    /// Returns a node's durable records.
    pub fn disk(&self, slot: usize) -> &[Arc<[u8]>] {
        self.nodes.get(slot).map_or(&[], |state| &state.disk)
    }

    /// Applies a fault now, in addition to the schedule.
    pub fn inject(&mut self, fault: Fault) {
        self.queue.push(self.now, Event::Fault(fault));
    }

    /// Passes a command to a node's machine now, in addition to the host's workload.
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
            Event::Quiet => self.set_goal(),
        }
    }

    /// Returns true if the run ends before its duration elapses.
    fn has_finished(&self) -> bool {
        self.has_ended || self.host.finished()
    }

    /// Returns `true` if the node is in this incarnation and has this adversary.
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

    /// Calls the host for a node and executes the actions it requests.
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
        self.check_goal();
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
