//! Node starts, crashes and restarts, partitions, and the liveness check.

use quorate::wire::Encode;

use super::Simulation;
use super::event::Event;
use crate::checker::{Verdict, Violation};
use crate::fault::{CrashPoint, Fault};
use crate::hash;
use crate::host::{BootContext, Host};
use crate::links::Partition;
use crate::node_state::{QueuedInput, Status};
use crate::rng::micros;
use crate::trace::{EventKind, NoDetail};

impl<H: Host> Simulation<H> {
    pub(super) fn start_first_time(&mut self, slot: usize) {
        // A node that the schedule crashed at time zero stays down.
        if self.nodes.get(slot).is_some_and(|state| state.status == Status::New) {
            self.start(slot);
        }
    }

    /// Creates a node's machine from its disk and starts it.
    pub(super) fn start(&mut self, slot: usize) {
        match self.boot(slot) {
            Err(violation) => self.record_verdict(Err(violation)),
            Ok(()) => {
                self.call_host(slot, |host, node, actions| host.on_start(node, actions));
                self.call_adversary(slot, |adversary, control| adversary.on_start(control));
                self.accept(slot, QueuedInput::Start);
            }
        }
    }

    fn boot(&mut self, slot: usize) -> Verdict {
        let Some(state) = self.nodes.get_mut(slot) else { return Ok(()) };
        let mut records = Vec::with_capacity(state.disk.len());
        let mut content = 0u64;
        for bytes in &state.disk {
            let record = self.host.decode_record(bytes).map_err(|error| {
                let detail = format!("node {slot} cannot decode its own record: {error}");
                Violation::new("readable", detail)
            })?;
            if self.scenario.checks.canonical && *record.encode() != **bytes {
                let detail = format!("{record:?} was decoded from a non-canonical encoding");
                return Err(Violation::new("canonical", detail));
            }
            content = content.rotate_left(7) ^ hash::bytes(bytes);
            records.push(record);
        }
        let kind = EventKind::Started { records: records.len() };
        self.trace.event(self.now, Some(slot), kind, content, &NoDetail);
        let boot = BootContext {
            node: state.node,
            records,
            restarts: state.incarnation,
            was_rolled_back: state.was_rolled_back,
            seed: state.rng.seed32(),
        };
        state.machine = Some(self.host.boot(boot)?);
        state.status = Status::Up;
        Ok(())
    }

    /// Applies a scheduled fault.
    pub(super) fn apply_fault(&mut self, fault: Fault) {
        self.trace.event(self.now, None, EventKind::Fault, 0, &fault);
        match fault {
            Fault::Crash { node, point, after } => match (self.nodes.get_mut(node), point) {
                (Some(state), CrashPoint::Now) if state.status != Status::Down => self.crash(node),
                (Some(state), point) if state.status == Status::Up => state.armed = Some((point, after)),
                _ => {}
            },
            Fault::Restart { node } => {
                if self.nodes.get(node).is_some_and(|state| state.status != Status::Down) {
                    self.crash(node);
                }
                self.start(node);
            }
            Fault::Rollback { node, lost } => {
                if self.nodes.get(node).is_some_and(|state| state.status != Status::Down) {
                    self.crash(node);
                }
                if let Some(state) = self.nodes.get_mut(node) {
                    let kept = state.disk.len().saturating_sub(lost);
                    state.was_rolled_back |= kept < state.disk.len();
                    state.disk.truncate(kept);
                }
                self.start(node);
            }
            Fault::Split { groups, holds, one_way } => {
                let mut group = vec![0; self.nodes.len()];
                for (number, members) in (1..).zip(&groups) {
                    for member in members {
                        if let Some(place) = group.get_mut(*member) {
                            *place = number;
                        }
                    }
                }
                self.links.partition = Some(Partition { group, holds, one_way });
                self.release();
            }
            Fault::Heal => {
                self.links.partition = None;
                self.release();
            }
            Fault::Degrade { node, link } => self.links.degrade(node, Some(link)),
            Fault::Recover { node } => self.links.degrade(node, None),
            Fault::Relink { link } => self.links.relink(link),
            Fault::Turn { node, behaviour } => self.make_byzantine(node, &behaviour),
        }
    }

    /// Sends the held messages again, as far as the current partition permits.
    fn release(&mut self) {
        for in_flight in core::mem::take(&mut self.held) {
            // The first attempt already counted it as sent.
            let bytes = in_flight.payload.bytes.len() as u64;
            self.metrics.node(in_flight.from, |node| {
                node.sent -= 1;
                node.sent_bytes -= bytes;
            });
            self.send_on_link(in_flight);
        }
    }

    /// Removes everything but the node's disk. If a write is in progress, the first few records become durable.
    pub(super) fn crash(&mut self, slot: usize) {
        let Some(state) = self.nodes.get_mut(slot) else { return };
        let node = state.node;
        if let Some(step) = state.busy.take() {
            let durable = state.rng.index(step.persist.len() + 1);
            self.persist(slot, step.persist, durable);
        }
        if let Some(state) = self.nodes.get_mut(slot) {
            state.lose_memory();
        }
        self.trace.event(self.now, Some(slot), EventKind::Crashed, 0, &NoDetail);
        self.metrics.node(slot, |node| node.crashes += 1);
        self.host.on_crash(node);
    }

    /// Checks that every correct node made progress since the previous check.
    pub(super) fn check_progress(&mut self) {
        let Some(bound) = self.scenario.checks.liveness else { return };
        let progress: Vec<u64> = self.metrics.nodes.iter().map(|node| node.progress).collect();
        let has_stopped = |slot: usize, now: u64| self.reached.get(slot).is_some_and(|before| now <= *before);
        let behind: Vec<String> = self
            .correct()
            .filter(|(slot, now)| has_stopped(*slot, *now))
            .map(|(slot, now)| format!("node {slot} at {now}"))
            .collect();
        if !behind.is_empty() {
            let detail = format!("no progress within {bound:?} after stabilisation: {}", behind.join(", "));
            self.record_verdict(Err(Violation::new("liveness", detail)));
        }
        self.reached = progress;
        self.queue.push(self.now.saturating_add(micros(bound).max(1)), Event::Liveness);
    }

    /// Sets the progress with which the run ends.
    pub(super) fn set_goal(&mut self) {
        let highest = self.correct().map(|(_, progress)| progress).max().unwrap_or(0);
        self.goal = self.scenario.enough_progress.map(|more| highest.saturating_add(more));
    }

    /// Ends the run if every correct node has reached the goal.
    pub(super) fn check_goal(&mut self) {
        if let Some(goal) = self.goal {
            let slowest = self.correct().map(|(_, progress)| progress).min();
            self.has_ended = slowest.is_some_and(|slowest| slowest >= goal);
        }
    }

    /// Returns the slots of the correct nodes that run, with their progress.
    fn correct(&self) -> impl Iterator<Item = (usize, u64)> {
        let running = self.nodes.iter().zip(&self.metrics.nodes);
        let correct = running.filter(|(state, _)| state.node.honest && state.machine.is_some());
        correct.map(|(state, metrics)| (state.node.slot, metrics.progress))
    }

    /// Rejects a run that ends before the first liveness check, because such a run proves nothing.
    pub(super) fn check_duration(&self) -> Verdict {
        let Some(bound) = self.scenario.checks.liveness else { return Ok(()) };
        let needed = self.scenario.quiet_from().saturating_add(micros(bound));
        if self.now < needed && !self.has_finished() {
            let detail = format!(
                "the run ends at {} µs, before the first liveness check at {needed} µs; extend its duration",
                self.now
            );
            return Err(Violation::new("scenario", detail));
        }
        Ok(())
    }
}
