//! Routing of messages between nodes.

use std::sync::Arc;

use quorate::machine::{Machine, MemberIndex, Recipient, Time};

use super::Simulation;
use super::event::{Event, InFlight};
use crate::checker::Violation;
use crate::host::{Host, Interception, Transmission};
use crate::links::{Loss, Transit};
use crate::node_state::{Payload, QueuedInput};
use crate::rng::micros;
use crate::trace::{EventKind, NoDetail};

/// Maximum number of messages held for a partition to heal. Further messages are lost, as in a bounded queue.
const MAX_HELD: usize = 1 << 18;

impl<H: Host> Simulation<H> {
    /// Sends to a recipient. `message` is present if an honest node's machine sent it.
    pub(super) fn transmit(
        &mut self,
        from: usize,
        to: Recipient,
        payload: &Arc<Payload>,
        message: Option<&<H::Machine as Machine>::Message>,
    ) {
        let Some(sender) = self.nodes.get(from).map(|state| state.node) else { return };
        match to {
            Recipient::Others => {
                for member in 0..self.scenario.nodes {
                    if member != usize::from(sender.member) {
                        self.transmit_one(from, member, payload, message);
                    }
                }
            }
            Recipient::One(member)
                if member != sender.member && usize::from(member) < self.scenario.nodes =>
            {
                self.transmit_one(from, usize::from(member), payload, message);
            }
            Recipient::One(member) if sender.honest => {
                let detail = format!("node {from} sends to member {member}: itself or out of range");
                self.record_verdict(Err(Violation::new("recipient", detail)));
            }
            Recipient::One(_) => {}
        }
    }

    fn transmit_one(
        &mut self,
        from: usize,
        member: usize,
        payload: &Arc<Payload>,
        message: Option<&<H::Machine as Machine>::Message>,
    ) {
        let Some(to) = self.resolve(from, member) else { return };
        let in_flight = InFlight { from, to, payload: Arc::clone(payload) };
        if let Some(message) = message {
            let (Some(sender), Some(receiver)) = (self.nodes.get(from), self.nodes.get(to)) else { return };
            match self.host.intercept(Time(self.now), sender.node, receiver.node, message) {
                Interception::Pass => {}
                Interception::Drop => return self.lose(from, to, Loss::Intercepted),
                Interception::Delay(by) => {
                    return self.queue.push(self.now.saturating_add(micros(by)), Event::Departure(in_flight));
                }
            }
        }
        self.send_on_link(in_flight);
    }

    /// Returns the node that receives the messages of `from` to `member`. With twins, it is the twin assigned to
    /// `from`.
    fn resolve(&self, from: usize, member: usize) -> Option<usize> {
        if self.twins.is_empty() {
            return Some(member);
        }
        let to = match self.twins.get(&(member as MemberIndex)) {
            Some(twins) if twins.with_second.get(from).copied().unwrap_or(false) => twins.second,
            _ => member,
        };
        let sender = self.nodes.get(from)?.node;
        match self.twins.get(&sender.member) {
            Some(twins) => {
                let side = twins.with_second.get(to).copied().unwrap_or(false);
                (side == (from == twins.second)).then_some(to)
            }
            None => Some(to),
        }
    }

    /// Puts a message on its link.
    pub(super) fn send_on_link(&mut self, in_flight: InFlight) {
        let InFlight { from, to, ref payload } = in_flight;
        let bytes = payload.bytes.len();
        self.metrics.node(from, |node| {
            node.sent += 1;
            node.sent_bytes += bytes as u64;
        });
        let transit = self.links.send(self.now, from, to, bytes);
        self.report_transmission(&in_flight, transit);
        match transit {
            Transit::Arrives { at, again } => {
                let sent = self.now;
                if let Some(again) = again {
                    let in_flight = InFlight { from, to, payload: Arc::clone(payload) };
                    self.queue.push(again, Event::Arrival { in_flight, sent });
                }
                self.queue.push(at, Event::Arrival { in_flight, sent });
            }
            Transit::Held if self.held.len() < MAX_HELD => self.held.push(in_flight),
            Transit::Held => self.lose(from, to, Loss::Partition),
            Transit::Lost(why) => self.lose(from, to, why),
        }
    }

    /// Reports a transmission to the host; a duplicated message is reported twice.
    fn report_transmission(&mut self, in_flight: &InFlight, transit: Transit) {
        let InFlight { from, to, payload } = in_flight;
        let node = |slot: usize| self.nodes.get(slot).map(|state| state.node);
        let (Some(from), Some(to)) = (node(*from), node(*to)) else { return };
        let (first, again) = match transit {
            Transit::Arrives { at, again } => (Some(at), again),
            Transit::Held | Transit::Lost(_) => (None, None),
        };
        for arrives in core::iter::once(first).chain(again.map(Some)) {
            let (sent, arrives) = (Time(self.now), arrives.map(Time));
            self.host.on_transmission(Transmission { sent, arrives, from, to, bytes: &payload.bytes });
        }
    }

    /// Delivers a message to its receiver.
    pub(super) fn arrive(&mut self, in_flight: InFlight, sent: u64) {
        let InFlight { from, to, payload } = in_flight;
        if self.nodes.get(to).is_none_or(|state| state.machine.is_none()) {
            return self.lose(from, to, Loss::Down);
        }
        self.metrics.transit.record(self.now - sent);
        self.accept(to, QueuedInput::Message { from, payload });
    }

    fn lose(&mut self, from: usize, to: usize, why: Loss) {
        self.metrics.lose(why);
        self.trace.observe(self.now, Some(from), EventKind::Lost { to, why }, &NoDetail);
    }
}
