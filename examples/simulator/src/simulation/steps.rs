//! Input processing and step execution: persist, then send, then report outputs.

use core::marker::PhantomData;
use std::sync::Arc;

use quorate::machine::{Fault, Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::wire::Encode;

use super::Simulation;
use super::event::Event;
use crate::adversary::{Adversary, AdversaryAction, Control};
use crate::checker::Violation;
use crate::fault::CrashPoint;
use crate::hash;
use crate::host::Host;
use crate::links::Loss;
use crate::node_state::{Payload, QueuedInput};
use crate::rng::micros;
use crate::trace::{EventKind, NoDetail, receiver};

impl<H: Host> Simulation<H> {
    /// Accepts an input that is addressed to one incarnation of a node.
    pub(super) fn offer(&mut self, slot: usize, incarnation: u32, input: QueuedInput<H::Machine>) {
        if self.is_incarnation(slot, incarnation) {
            self.accept(slot, input);
        }
    }

    /// Accepts an input for a node that is up: processes it at once, or queues it while the node is busy.
    pub(super) fn accept(&mut self, slot: usize, input: QueuedInput<H::Machine>) {
        let Some(state) = self.nodes.get_mut(slot) else { return };
        if state.busy.is_none() {
            return self.process_inputs(slot, Some(input));
        }
        if matches!(input, QueuedInput::Message { .. }) && state.inbox.len() >= self.scenario.work.inbox {
            self.metrics.lose(Loss::Inbox);
            return;
        }
        state.inbox.push_back(input);
    }

    /// Completes a node's current step.
    pub(super) fn ready(&mut self, slot: usize) {
        if let Some(step) = self.nodes.get_mut(slot).and_then(|state| state.busy.take()) {
            self.execute_step(slot, step);
            self.process_inputs(slot, None);
        }
    }

    /// Processes `first` and the queued inputs. If that takes virtual time, the node becomes busy.
    fn process_inputs(&mut self, slot: usize, mut first: Option<QueuedInput<H::Machine>>) {
        loop {
            let mut merged = Step::new();
            let (mut inputs, mut cost) = (0, 0u64);
            while inputs < self.scenario.work.group.max(1) && self.violation.is_none() {
                let next = first.take().or_else(|| self.nodes.get_mut(slot)?.inbox.pop_front());
                let Some(input) = next else { break };
                inputs += 1;
                cost = cost.saturating_add(self.cost(&input));
                if let Some(step) = self.handle(slot, input) {
                    merged.append(step);
                }
            }
            if inputs == 0 || self.violation.is_some() {
                return;
            }
            let Some(state) = self.nodes.get_mut(slot) else { return };
            if !merged.persist.is_empty() {
                cost = cost.saturating_add(self.scenario.work.write.sample(&mut state.rng));
            }
            if cost > 0 {
                state.busy = Some(merged);
                let incarnation = state.incarnation;
                return self.queue.push(self.now.saturating_add(cost), Event::Ready { slot, incarnation });
            }
            self.execute_step(slot, merged);
        }
    }

    fn cost(&self, input: &QueuedInput<H::Machine>) -> u64 {
        let work = &self.scenario.work;
        let bytes = match input {
            QueuedInput::Message { payload, .. } => payload.bytes.len() as u64,
            _ => 0,
        };
        micros(work.per_input).saturating_add(micros(work.per_kilobyte).saturating_mul(bytes) / 1_000)
    }

    /// Passes one input to a machine. Timer changes take effect at once, because timers are volatile state.
    fn handle(&mut self, slot: usize, waiting: QueuedInput<H::Machine>) -> Option<Step<H::Machine>> {
        let input = self.input_for(slot, waiting)?;
        if self.nodes.get(slot)?.adversary.is_some() {
            let mut lets_in = true;
            self.call_adversary(slot, |adversary, control| lets_in = adversary.on_input(&input, control));
            if !lets_in {
                return None;
            }
        }
        let state = self.nodes.get_mut(slot)?;
        let machine = state.machine.as_mut()?;
        let mut step = machine.handle(state.clock.local(self.now), input);
        let verdict = self.host.after_step(state.node, machine);
        for change in step.timers.drain(..) {
            match change {
                TimerChange::Set { timer, after } => {
                    state.generation += 1;
                    let generation = state.generation;
                    state.timers.insert(timer.clone(), generation);
                    let at = state.clock.later(self.now, after);
                    self.queue
                        .push(at, Event::Timer { slot, incarnation: state.incarnation, generation, timer });
                }
                TimerChange::Cancel { timer } => {
                    state.timers.remove(&timer);
                }
            }
        }
        self.record_verdict(verdict);
        Some(step)
    }

    /// Converts a queued input: decodes messages, and drops timers that were reset or cancelled.
    fn input_for(&mut self, slot: usize, waiting: QueuedInput<H::Machine>) -> Option<Input<H::Machine>> {
        let now = self.now;
        match waiting {
            QueuedInput::Start => Some(Input::Start),
            QueuedInput::Message { from, payload } => self.decode(slot, from, &payload),
            QueuedInput::Timer { timer, generation } => {
                let state = self.nodes.get_mut(slot)?;
                if state.timers.get(&timer) != Some(&generation) {
                    return None;
                }
                state.timers.remove(&timer);
                self.trace.event(now, Some(slot), EventKind::Timer, generation, &timer);
                Some(Input::Timer(timer))
            }
            QueuedInput::Command(command) => {
                self.trace.event(now, Some(slot), EventKind::Command, 0, &command);
                Some(Input::Command(command))
            }
        }
    }

    fn decode(&mut self, slot: usize, from: usize, payload: &Payload) -> Option<Input<H::Machine>> {
        let sender = self.nodes.get(from)?.node;
        let receiver = self.nodes.get(slot)?;
        let bytes = payload.bytes.len();
        match receiver.machine.as_ref()?.decode(sender.member, &payload.bytes) {
            Ok(message) => {
                let kind = EventKind::Received { from, bytes };
                self.trace.event(self.now, Some(slot), kind, payload.hash, &message);
                self.metrics.node(slot, |node| {
                    node.received += 1;
                    node.received_bytes += bytes as u64;
                });
                if self.scenario.checks.canonical
                    && payload.first_check()
                    && *message.encode() != *payload.bytes
                {
                    let detail = format!("{message:?} was decoded from a non-canonical encoding");
                    self.record_verdict(Err(Violation::new("canonical", detail)));
                }
                Some(Input::Message { from: sender.member, message })
            }
            Err(error) => {
                self.trace.event(
                    self.now,
                    Some(slot),
                    EventKind::Refused { from, bytes },
                    payload.hash,
                    &error,
                );
                self.metrics.node(from, |node| node.refused += 1);
                let checked = self.scenario.checks.readable && payload.honest && receiver.node.honest;
                let mut excused = false;
                self.call_host(slot, |host, node, actions| {
                    excused = host.on_refused(node, sender, &error, actions);
                    Ok(())
                });
                if checked && !excused {
                    let detail =
                        format!("node {slot} refused a message that honest node {from} sent: {error}");
                    self.record_verdict(Err(Violation::new("readable", detail)));
                }
                None
            }
        }
    }

    /// Executes a step, or the part of it that precedes an armed crash.
    fn execute_step(&mut self, slot: usize, step: Step<H::Machine>) {
        let crash = self.crash_point(slot, &step);
        match crash {
            Some(CrashPoint::DuringPersist) => {
                let durable = self.nodes.get_mut(slot).map_or(0, |state| state.rng.index(step.persist.len()));
                self.persist(slot, step.persist, durable);
                return self.crash(slot);
            }
            Some(CrashPoint::BeforeSend) => {
                self.persist(slot, step.persist, usize::MAX);
                return self.crash(slot);
            }
            Some(_) => {
                self.persist(slot, step.persist, usize::MAX);
                self.send_some(slot, step.messages);
                return self.crash(slot);
            }
            None => {}
        }
        self.persist(slot, step.persist, usize::MAX);
        for outgoing in step.messages {
            self.send(slot, outgoing);
        }
        for output in step.outputs {
            self.trace.event(self.now, Some(slot), EventKind::Output, 0, &output);
            self.call_host(slot, |host, node, actions| host.on_output(node, output, actions));
        }
        for fault in step.faults {
            self.accuse(slot, fault);
        }
    }

    /// Returns the crash point to apply in this step, if any.
    fn crash_point(&mut self, slot: usize, step: &Step<H::Machine>) -> Option<CrashPoint> {
        let state = self.nodes.get_mut(slot)?;
        let (point, after) = state.armed?;
        let has_the_point = match point {
            CrashPoint::Now => false,
            CrashPoint::DuringPersist | CrashPoint::BeforeSend => !step.persist.is_empty(),
            CrashPoint::DuringSend => !step.messages.is_empty(),
        };
        if has_the_point && after > 0 {
            state.armed = Some((point, after - 1));
        }
        (has_the_point && after == 0).then_some(point)
    }

    /// Makes the first `durable` records durable.
    pub(super) fn persist(
        &mut self,
        slot: usize,
        records: Vec<<H::Machine as Machine>::Record>,
        durable: usize,
    ) {
        let Some(state) = self.nodes.get_mut(slot) else { return };
        let (mut count, mut total, mut content) = (0, 0, 0u64);
        let mut verdict = Ok(());
        for record in records.into_iter().take(durable) {
            verdict = verdict.and_then(|()| self.host.on_durable(state.node, &record));
            let bytes = record.encode();
            content = content.rotate_left(7) ^ hash::bytes(&bytes);
            (count, total) = (count + 1, total + bytes.len() as u64);
            state.disk.push(bytes.into());
        }
        if count > 0 {
            self.trace.event(
                self.now,
                Some(slot),
                EventKind::Persisted { records: count },
                content,
                &NoDetail,
            );
            self.metrics.node(slot, |node| {
                node.records += count as u64;
                node.record_bytes += total;
            });
        }
        self.record_verdict(verdict);
    }

    /// Sends a message, or passes it to the node's adversary.
    fn send(&mut self, slot: usize, outgoing: Outgoing<<H::Machine as Machine>::Message>) {
        let Some(state) = self.nodes.get(slot) else { return };
        if state.adversary.is_some() {
            return self.call_adversary(slot, |adversary, control| adversary.on_send(outgoing, control));
        }
        let bytes: Arc<[u8]> = outgoing.message.encode().into();
        let kind = EventKind::Sent { to: receiver(outgoing.to), bytes: bytes.len() };
        let honest = state.node.honest;
        self.trace.observe(self.now, Some(slot), kind, &outgoing.message);
        self.transmit(slot, outgoing.to, &Payload::new(bytes, honest), Some(&outgoing.message));
    }

    /// Sends the part of a crashing node's messages that left before the crash: some messages, to some receivers.
    fn send_some(&mut self, slot: usize, messages: Vec<Outgoing<<H::Machine as Machine>::Message>>) {
        let Some(me) = self.nodes.get(slot).map(|state| state.node.member) else { return };
        let mut singly = Vec::new();
        for Outgoing { to, message } in messages {
            match to {
                Recipient::One(_) => singly.push(Outgoing { to, message }),
                Recipient::Others => {
                    let members = (0..self.scenario.nodes).map(|member| member as MemberIndex);
                    let others = members.filter(|member| *member != me).map(Recipient::One);
                    singly.extend(others.map(|to| Outgoing { to, message: message.clone() }));
                }
            }
        }
        let Some(state) = self.nodes.get_mut(slot) else { return };
        state.rng.shuffle(&mut singly);
        singly.truncate(state.rng.index(singly.len()));
        for outgoing in singly {
            self.send(slot, outgoing);
        }
    }

    fn accuse(&mut self, slot: usize, fault: Fault<<H::Machine as Machine>::Fault>) {
        let Some(node) = self.nodes.get(slot).map(|state| state.node) else { return };
        let culprit = fault.culprit;
        self.trace.event(self.now, Some(slot), EventKind::Accused { culprit }, 0, &fault.evidence);
        if node.honest {
            *self.metrics.accused.entry(culprit).or_default() += 1;
            if self.is_reliable(slot) && self.is_reliable(usize::from(culprit)) && self.scenario.checks.fair {
                let detail = format!("node {slot} accuses honest member {culprit}: {:?}", fault.evidence);
                self.record_verdict(Err(Violation::new("fair", detail)));
            }
        }
        let verdict = self.host.on_fault(node, fault);
        self.record_verdict(verdict);
    }

    /// Returns true if the node is honest and does not count as faulty after a rollback.
    fn is_reliable(&self, slot: usize) -> bool {
        self.nodes.get(slot).is_some_and(|state| {
            state.node.honest && !(state.was_rolled_back && self.host.may_contradict_after_rollback())
        })
    }

    /// Calls a node's adversary, if any, and executes the actions it requests.
    pub(super) fn call_adversary(
        &mut self,
        slot: usize,
        ask: impl FnOnce(&mut dyn Adversary<H::Machine>, &mut Control<'_, H::Machine>),
    ) {
        let Some(state) = self.nodes.get_mut(slot) else { return };
        let Some(adversary) = state.adversary.as_mut() else { return };
        let (node, incarnation, adversary_generation) =
            (state.node, state.incarnation, state.adversary_generation);
        let mut actions = Vec::new();
        let mut control = Control {
            now: Time(self.now),
            node,
            count: self.scenario.nodes,
            rng: &mut state.rng,
            actions: &mut actions,
            machine: PhantomData,
        };
        ask(adversary.as_mut(), &mut control);
        for action in actions {
            match action {
                AdversaryAction::Send { to, bytes, after } => {
                    let kind = EventKind::Sent { to: receiver(to), bytes: bytes.len() };
                    self.trace.observe(self.now, Some(slot), kind, &NoDetail);
                    let payload = Payload::new(bytes, false);
                    if after == 0 {
                        self.transmit(slot, to, &payload, None);
                    } else {
                        let at = self.now.saturating_add(after);
                        self.queue.push(at, Event::Emission { from: slot, to, payload });
                    }
                }
                AdversaryAction::Wake { token, after } => {
                    // A wake-up without delay could repeat forever without time passing.
                    let at = self.now.saturating_add(after.max(1));
                    self.queue
                        .push(at, Event::AdversaryWake { slot, incarnation, adversary_generation, token });
                }
            }
        }
    }
}
