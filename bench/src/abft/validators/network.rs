//! The events of the simulated validators and of their computer.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate_abft::chain::{self, Command, Timer};
use quorate_abft::signatures::Ed25519List;
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use quorate_protocol::testing::committee;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::super::committee::{Committee, TRANSACTION};
use super::costs::{Costs, Counts};
use super::load::{Load, Outcome};
use super::processors::{Processors, Slice};
use super::validator::{ClientTask, Delivery, Kind, LINK_WORKERS, LinkTask, Stage, Thread, Validator};
use crate::queue::{MILLISECOND, Nanos, Queue, SECOND};

/// Time after which a batch is sealed, as in a new chain of ABFT.
const BATCH_DELAY: Nanos = 2 * MILLISECOND;
/// Resolution of the timer of the program that makes the load.
const LOAD_TIMER: Nanos = MILLISECOND;
/// Time for the last commit.
const PATIENCE: Nanos = 60 * SECOND;

pub(super) enum Event {
    /// A thread that was woken can run.
    Awake(Thread),
    Turn(Slice<Thread>),
    /// The writes of a thread are durable.
    Durable(Thread),
    Timer {
        member: MemberIndex,
        timer: Timer,
        generation: u64,
    },
    /// A transaction falls due.
    Due(usize),
    /// The batch with a transaction is sealed.
    Seal {
        member: MemberIndex,
        transaction: usize,
    },
}

pub(super) struct Network<'a> {
    pub(super) costs: &'a Costs,
    load: Load,
    pub(super) validators: Vec<Validator>,
    processors: Processors<Thread>,
    pub(super) queue: Queue<Event>,
    pub(super) rng: StdRng,
    /// Number of files that are written now.
    writing: usize,
    /// The blocks, for members that lack some.
    pub(super) blocks: BTreeMap<u64, chain::Delivery<Ed25519>>,
    pub(super) counts: Counts,
    latencies: Vec<Nanos>,
}

impl<'a> Network<'a> {
    pub(super) fn new(
        members: &Committee<Ed25519List>,
        load: Load,
        processors: usize,
        costs: &'a Costs,
    ) -> Result<Self, String> {
        let voters = committee::<Ed25519>("bench", members.plan.members);
        let genesis = Executed { height: 0, state_root: [0; 32] };
        let validator = |me| {
            let chain = members.chain(me, &voters, genesis).map_err(|e| e.to_string())?;
            Ok(Validator::new(chain, members.plan.members))
        };
        Ok(Self {
            costs,
            load,
            validators: (0..members.plan.members).map(validator).collect::<Result<_, String>>()?,
            processors: Processors::new(processors),
            queue: Queue::new(),
            rng: StdRng::seed_from_u64(1),
            writing: 0,
            blocks: BTreeMap::new(),
            counts: Counts::default(),
            latencies: Vec::new(),
        })
    }

    /// Runs until all transactions of the load are committed.
    pub(super) fn run(mut self) -> Result<Outcome, String> {
        for number in 0..self.load.transactions {
            self.queue.put(self.due(number) + LOAD_TIMER, Event::Due(number));
        }
        for member in 0..self.validators.len() as MemberIndex {
            self.wake((member, Kind::Machine));
        }
        let deadline = self.due(self.load.transactions) + PATIENCE;
        while self.latencies.len() < self.load.transactions {
            let Some(event) = self.queue.take() else {
                return Err("nothing is in progress, and a transaction is not committed".to_owned());
            };
            if self.queue.now() > deadline {
                return Err("a transaction was not committed within a minute".to_owned());
            }
            self.on_event(event)?;
            while let Some((thread, left)) = self.processors.take() {
                let work = match left {
                    Some(left) => left,
                    None => self.begin(thread)?,
                };
                let slice = Slice::new(thread, work);
                self.counts.processor += slice.length;
                self.queue.put(self.queue.now() + slice.length, Event::Turn(slice));
            }
        }
        self.counts.blocks = self.blocks.len() as u64;
        Ok(Outcome { latencies: self.latencies, counts: self.counts })
    }

    /// When a transaction falls due.
    fn due(&self, number: usize) -> Nanos {
        (number as Nanos + 1) * self.load.interval
    }

    fn on_event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Awake(thread) => self.processors.ready(thread),
            Event::Turn(slice) => {
                if self.processors.end(slice) {
                    self.done(slice.thread)?;
                }
            }
            Event::Durable(thread) => {
                self.writing -= 1;
                self.queue.put(self.queue.now() + self.costs.wake, Event::Awake(thread));
            }
            Event::Timer { member, timer, generation } => {
                let validator = self.validator(member)?;
                if validator.timers.get(&timer) == Some(&generation) {
                    validator.timers.remove(&timer);
                    validator.due.push_back(timer);
                    self.wake((member, Kind::Machine));
                }
            }
            Event::Due(number) => {
                let member = (number % self.validators.len()) as MemberIndex;
                self.validator(member)?.client_tasks.push_back(ClientTask::Submit(number));
                self.wake((member, Kind::Clients));
            }
            Event::Seal { member, transaction } => {
                let mut bytes = [0; TRANSACTION];
                self.rng.fill_bytes(&mut bytes);
                let validator = self.validator(member)?;
                validator.sequence += 1;
                validator.batches.insert(validator.sequence, transaction);
                let batch =
                    Batch::new(member, validator.sequence, [bytes]).map_err(|e| problem(member, &e))?;
                validator.commands.push_back(Command::Submit(Arc::new(batch)));
                self.wake((member, Kind::Machine));
            }
        }
        Ok(())
    }

    pub(super) fn validator(&mut self, member: MemberIndex) -> Result<&mut Validator, String> {
        self.validators.get_mut(usize::from(member)).ok_or_else(|| format!("no validator {member}"))
    }

    /// Wakes a thread if it sleeps.
    pub(super) fn wake(&mut self, thread: Thread) {
        let (member, kind) = thread;
        let Some(validator) = self.validators.get_mut(usize::from(member)) else { return };
        if !validator.awake.contains(&kind) {
            validator.awake.push(kind);
            self.queue.put(self.queue.now() + self.costs.wake, Event::Awake(thread));
        }
    }

    /// Wakes one of the threads that serve links, if one sleeps.
    pub(super) fn wake_links(&mut self, member: MemberIndex) {
        let Some(validator) = self.validators.get(usize::from(member)) else { return };
        let asleep = (0..LINK_WORKERS).map(Kind::Links).find(|kind| !validator.awake.contains(kind));
        if let Some(kind) = asleep {
            self.wake((member, kind));
        }
    }

    /// A thread that has a processor begins its next work. Returns its processor time.
    fn begin(&mut self, (member, kind): Thread) -> Result<Nanos, String> {
        match kind {
            Kind::Machine => self.step(member),
            Kind::Writer => self.write(member),
            Kind::Links(worker) => {
                let link = self.costs.link;
                let validator = self.validator(member)?;
                let Some(task) = validator.link_tasks.pop_front() else { return Ok(0) };
                let lane = match task {
                    LinkTask::Write(to) => validator.outgoing.get_mut(usize::from(to)),
                    LinkTask::Read(from) => validator.incoming.get_mut(usize::from(from)),
                };
                let lane = lane.map(std::mem::take).unwrap_or_default();
                if let Some(place) = validator.link_workers.get_mut(worker) {
                    *place = Some((task, lane.frames));
                }
                self.counts.links += 1;
                Ok(link)
            }
            Kind::Execution => {
                let block = self.costs.block;
                let validator = self.validator(member)?;
                if validator.execution == Stage::Durable {
                    return Ok(0);
                }
                validator.execution = Stage::Preparing(1);
                self.counts.executions += 1;
                Ok(block)
            }
            Kind::Clients => Ok(self.costs.link),
        }
    }

    /// A thread has done its work: others learn of the result, and it goes on or sleeps.
    fn done(&mut self, thread: Thread) -> Result<(), String> {
        let (member, kind) = thread;
        match kind {
            Kind::Machine => {
                let validator = self.validator(member)?;
                let work = std::mem::take(&mut validator.stepping);
                validator.steps.append(work);
                if validator.has_work(Kind::Writer) {
                    self.wake((member, Kind::Writer));
                }
            }
            Kind::Writer => match self.validator(member)?.writer {
                Stage::Preparing(writes) => {
                    self.validator(member)?.writer = Stage::Durable;
                    self.wait_for_disk(thread, writes);
                    return Ok(());
                }
                Stage::Idle | Stage::Durable => self.pass_on(member)?,
            },
            Kind::Links(worker) => self.move_frames(member, worker)?,
            Kind::Execution => {
                let validator = self.validator(member)?;
                if let Stage::Preparing(writes) = validator.execution {
                    validator.execution = Stage::Durable;
                    self.wait_for_disk(thread, writes);
                    return Ok(());
                }
                validator.execution = Stage::Idle;
                if let Some(Delivery { executed, transactions }) = validator.deliveries.pop_front() {
                    validator.commands.push_back(Command::Executed(executed));
                    validator.client_tasks.extend(transactions.into_iter().map(ClientTask::Answer));
                    if validator.has_work(Kind::Clients) {
                        self.wake((member, Kind::Clients));
                    }
                    self.wake((member, Kind::Machine));
                }
            }
            Kind::Clients => match self.validator(member)?.client_tasks.pop_front() {
                Some(ClientTask::Submit(transaction)) => {
                    let at = self.queue.now() + BATCH_DELAY;
                    self.queue.put(at, Event::Seal { member, transaction });
                }
                Some(ClientTask::Answer(transaction)) => {
                    let known = self.queue.now() + self.costs.wake;
                    self.latencies.push(known - self.due(transaction));
                }
                None => {}
            },
        }
        let validator = self.validator(member)?;
        if validator.has_work(kind) {
            self.processors.ready(thread);
        } else {
            validator.awake.retain(|awake| *awake != kind);
        }
        Ok(())
    }

    fn wait_for_disk(&mut self, thread: Thread, writes: usize) {
        self.writing += 1;
        let durations = (0..writes).map(|_| self.costs.disk.draw(self.writing, &mut self.rng));
        let end = self.queue.now() + durations.sum::<Nanos>();
        self.queue.put(end, Event::Durable(thread));
    }
}

pub(super) fn problem(member: MemberIndex, error: &quorate::Error) -> String {
    format!("validator {member}: {error}")
}
