//! Byzantine nodes: their adversaries and twins.

use core::time::Duration;

use quorate::machine::MemberIndex;

use super::Simulation;
use super::event::{Event, Twins};
use crate::behaviours::ready_made;
use crate::checker::Violation;
use crate::fault::Behaviour;
use crate::host::Host;
use crate::metrics::NodeMetrics;
use crate::node::Node;
use crate::node_state::{NodeState, Status};
use crate::rng::{Rng, micros};

impl<H: Host> Simulation<H> {
    /// Assigns the adversaries of the nodes that are Byzantine from the start.
    pub(super) fn assign_adversaries(&mut self) {
        if self.scenario.nodes > usize::from(MemberIndex::MAX) {
            let detail = format!("{} nodes exceed the largest member index", self.scenario.nodes);
            self.violation = Some(Violation::new("scenario", detail));
        }
        for (slot, behaviour) in self.scenario.byzantine.clone() {
            self.assign_adversary(slot, &behaviour);
        }
    }

    /// Assigns the adversary of a behaviour to a node.
    fn assign_adversary(&mut self, slot: usize, behaviour: &Behaviour) {
        let Some(state) = self.nodes.get_mut(slot).filter(|state| state.node.slot < self.scenario.nodes)
        else {
            let detail = format!(
                "Byzantine node {slot} is out of range: the scenario has {} nodes",
                self.scenario.nodes
            );
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

    /// Adds a second node with the identity of `slot` and an empty disk.
    fn add_twin(&mut self, slot: usize) -> usize {
        let (second, member) = (self.nodes.len(), slot as MemberIndex);
        let node = Node { slot: second, member, honest: false };
        self.nodes.push(NodeState::new(node, self.scenario.clocks, self.scenario.seed));
        self.twins.insert(member, Twins { second, with_second: Vec::new() });
        second
    }

    /// Makes a node Byzantine, or changes its behaviour. A node that is down adopts the behaviour at its next start.
    pub(super) fn make_byzantine(&mut self, slot: usize, behaviour: &Behaviour) {
        if slot >= self.scenario.nodes {
            return self.assign_adversary(slot, behaviour);
        }
        if let Some(state) = self.nodes.get_mut(slot) {
            state.node.honest = false;
            state.adversary_generation += 1;
        }
        self.assign_adversary(slot, behaviour);
        self.start_adversary_if_up(slot);
        let member = slot as MemberIndex;
        if let (Behaviour::Twins(every), false) = (behaviour, self.twins.contains_key(&member)) {
            let second = self.add_twin(slot);
            self.metrics.nodes.push(NodeMetrics::default());
            self.links.add_node(slot);
            self.redistribute_twins(member, *every);
            self.start(second);
        }
    }

    fn start_adversary_if_up(&mut self, slot: usize) {
        if self.nodes.get(slot).is_some_and(|state| state.status == Status::Up) {
            self.call_adversary(slot, |adversary, control| adversary.on_start(control));
        }
    }

    /// Reassigns the members to the two twins at random.
    pub(super) fn redistribute_twins(&mut self, member: MemberIndex, every: Duration) {
        let mut rng = Rng::stream(self.scenario.seed ^ self.now, "twins", u64::from(member));
        let mut others: Vec<usize> = self.nodes().filter(|n| n.member != member).map(|n| n.slot).collect();
        rng.shuffle(&mut others);
        // Each twin gets at least one member if there are two.
        others.truncate(1 + rng.index(others.len().saturating_sub(1)));
        let mut with_second = vec![false; self.nodes.len()];
        for slot in others {
            if let Some(side) = with_second.get_mut(slot) {
                *side = true;
            }
        }
        if let Some(twins) = self.twins.get_mut(&member) {
            twins.with_second = with_second;
        }
        let at = self.now.saturating_add(micros(every).max(1));
        self.queue.push(at, Event::RedistributeTwins { member, every });
    }
}
