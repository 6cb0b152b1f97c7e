//! What the threads of a simulated validator do.

use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::wire::Encode;
use quorate_abft::chain::PAGE;
use quorate_protocol::Executed;

use super::super::simulation::thread_time;
use super::network::{Event, Network, problem};
use super::validator::{Bytes, Chain, Delivery, Frames, Kind, LinkTask, Message, Output, Stage, Work};
use crate::queue::Nanos;

impl Network<'_> {
    /// A round of the machine's thread: handles all inputs that wait.
    pub(super) fn step(&mut self, member: MemberIndex) -> Result<Nanos, String> {
        let now = self.queue.now();
        let validator = self.validator(member)?;
        let mut timers = Vec::new();
        let before = thread_time();
        let mut handle = |chain: &mut Chain, input: Input<Chain>| {
            let Step { persist, messages, timers: changes, outputs, faults } =
                chain.handle(Time(now / 1000), input);
            timers.extend(changes);
            validator.stepping.append(Work { records: persist, messages, outputs });
            match faults.first() {
                Some(fault) => {
                    Err(format!("validator {member} accuses {}: {:?}", fault.culprit, fault.evidence))
                }
                None => Ok(()),
            }
        };
        let chain = &mut validator.chain;
        if !std::mem::replace(&mut validator.is_started, true) {
            handle(chain, Input::Start)?;
        }
        for command in validator.commands.drain(..) {
            handle(chain, Input::Command(command))?;
        }
        for (from, bytes) in validator.frames.drain(..) {
            let message = chain.decode(from, &bytes).map_err(|e| problem(member, &e))?;
            handle(chain, Input::Message { from, message })?;
        }
        for timer in validator.due.drain(..) {
            handle(chain, Input::Timer(timer))?;
        }
        let work = thread_time().saturating_sub(before);
        let mut set = Vec::new();
        for change in timers {
            match change {
                TimerChange::Set { timer, after } => {
                    validator.generation += 1;
                    let generation = validator.generation;
                    validator.timers.insert(timer, generation);
                    let at = now + after.as_nanos() as Nanos;
                    set.push((at, Event::Timer { member, timer, generation }));
                }
                TimerChange::Cancel { timer } => drop(validator.timers.remove(&timer)),
            }
        }
        set.into_iter().for_each(|(at, event)| self.queue.put(at, event));
        self.counts.rounds += 1;
        self.counts.machines += work;
        Ok(work + self.costs.round)
    }

    /// The writer takes all steps that wait, or encodes the messages of those whose records are durable.
    pub(super) fn write(&mut self, member: MemberIndex) -> Result<Nanos, String> {
        let (disk, frame) = (self.costs.disk.processor, self.costs.frame);
        let members = self.validators.len() as MemberIndex;
        let validator = self.validator(member)?;
        if validator.writer == Stage::Idle {
            validator.writing = std::mem::take(&mut validator.steps);
            let writes = validator.writing.durable_writes();
            if writes > 0 {
                validator.writer = Stage::Preparing(writes);
                let before = thread_time();
                validator.writing.records.iter().for_each(|record| drop(record.encode()));
                let work = thread_time().saturating_sub(before);
                self.counts.encoding += work;
                self.counts.writes += writes as u64;
                return Ok(work + disk * writes as Nanos);
            }
        }
        let before = thread_time();
        let mut frames = Frames::new();
        for Outgoing { to, message } in std::mem::take(&mut validator.writing.messages) {
            let bytes: Bytes = message.encode().into();
            match to {
                Recipient::One(to) => frames.push((to, bytes)),
                Recipient::Others => {
                    frames.extend((0..members).filter(|to| *to != member).map(|to| (to, bytes.clone())));
                }
            }
        }
        let work = thread_time().saturating_sub(before);
        let count = frames.len() as u64;
        validator.passing = frames;
        self.counts.encoding += work;
        self.counts.frames += count;
        Ok(work + frame * count)
    }

    /// The writer passes messages to the links, and carries out the machine's outputs.
    pub(super) fn pass_on(&mut self, member: MemberIndex) -> Result<(), String> {
        let validator = self.validator(member)?;
        validator.writer = Stage::Idle;
        let mut frames = std::mem::take(&mut validator.passing);
        for output in std::mem::take(&mut validator.writing.outputs) {
            self.act(member, output, &mut frames)?;
        }
        for (to, bytes) in frames {
            let validator = self.validator(member)?;
            let Some(lane) = validator.outgoing.get_mut(usize::from(to)) else { continue };
            lane.frames.push(bytes);
            if !std::mem::replace(&mut lane.is_scheduled, true) {
                validator.link_tasks.push_back(LinkTask::Write(to));
                self.wake_links(member);
            }
        }
        Ok(())
    }

    fn act(&mut self, member: MemberIndex, output: Output, frames: &mut Frames) -> Result<(), String> {
        let validator = self.validator(member)?;
        match output {
            Output::Settled { sequence } => validator.settled.extend(validator.batches.remove(&sequence)),
            Output::Deliver(delivery) => {
                let block = &delivery.certified.block;
                let executed = Executed { height: block.height, state_root: block.digest().0 };
                let transactions = std::mem::take(&mut validator.settled);
                validator.deliveries.push_back(Delivery { executed, transactions });
                self.wake((member, Kind::Execution));
                let height = delivery.certified.block.height;
                let known = self.blocks.entry(height).or_insert_with(|| (*delivery).clone());
                if known.certified.block != delivery.certified.block {
                    return Err(format!("two validators decided different blocks at height {height}"));
                }
            }
            Output::Serve { to, from, tip } => {
                let mut send = |message: Message| frames.push((to, message.encode().into()));
                let mut next = from;
                for (height, delivery) in self.blocks.range(from..=tip).take(PAGE as usize) {
                    next = height + 1;
                    send(Message::Block(delivery.certified.clone()));
                    delivery.batches.iter().for_each(|batch| send(Message::Batch(batch.clone())));
                }
                send(Message::End { next, tip });
            }
            Output::Congestion(_) | Output::PruneBatches(_) | Output::PruneEpochs { .. } => {}
            Output::Repeated { .. } | Output::Refused { .. } | Output::Compare { .. } | Output::Broken(_) => {
                return Err(format!("validator {member}: {output:?}"));
            }
        }
        Ok(())
    }

    /// Frames that were written arrive, or frames that were read are inputs of the machine.
    pub(super) fn move_frames(&mut self, member: MemberIndex, worker: usize) -> Result<(), String> {
        let validator = self.validator(member)?;
        let Some((task, frames)) = validator.link_workers.get_mut(worker).and_then(Option::take) else {
            return Ok(());
        };
        match task {
            LinkTask::Write(to) => {
                let receiver = self.validator(to)?;
                let Some(lane) = receiver.incoming.get_mut(usize::from(member)) else { return Ok(()) };
                lane.frames.extend(frames);
                if !std::mem::replace(&mut lane.is_scheduled, true) {
                    receiver.link_tasks.push_back(LinkTask::Read(member));
                    self.wake_links(to);
                }
            }
            LinkTask::Read(from) => {
                validator.frames.extend(frames.into_iter().map(|bytes| (from, bytes)));
                self.wake((member, Kind::Machine));
            }
        }
        Ok(())
    }
}
