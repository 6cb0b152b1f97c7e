//! A validator of the simulation: the queues between its threads.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::machine::{MemberIndex, Outgoing};
use quorate_abft::chain::{self, Command, Timer};
use quorate_abft::signatures::Ed25519List;
use quorate_protocol::Executed;

pub(super) type Chain = chain::Chain<Ed25519List, Ed25519>;
pub(super) type Message = chain::Message<Ed25519List, Ed25519>;
pub(super) type Record = chain::Record<Ed25519>;
pub(super) type Output = chain::Output<Ed25519>;
pub(super) type Bytes = Arc<[u8]>;

/// Number of threads that serve a node's links.
pub(super) const LINK_WORKERS: usize = 2;

/// A kind of thread of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Decodes messages and runs the state machine.
    Machine,
    /// Writes records, and then passes messages to the links.
    Writer,
    /// Writes to links and reads from them.
    Links(usize),
    /// Executes blocks.
    Execution,
    /// Serves clients.
    Clients,
}

/// A thread of a validator.
pub(super) type Thread = (MemberIndex, Kind);

/// Steps of the state machine, merged.
#[derive(Default)]
pub(super) struct Work {
    pub(super) records: Vec<Record>,
    pub(super) messages: Vec<Outgoing<Message>>,
    pub(super) outputs: Vec<Output>,
}

/// Encoded messages with their receivers.
pub(super) type Frames = Vec<(MemberIndex, Bytes)>;

/// What a thread does that writes to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Stage {
    #[default]
    Idle,
    /// Prepares this number of durable writes.
    Preparing(usize),
    /// The writes are durable.
    Durable,
}

/// A task of the threads that serve links.
#[derive(Clone, Copy, Debug)]
pub(super) enum LinkTask {
    Write(MemberIndex),
    Read(MemberIndex),
}

/// Frames of a link in one direction.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) frames: Vec<Bytes>,
    /// True if a task for them waits.
    pub(super) is_scheduled: bool,
}

/// A request of a client, or an answer to it; with the number of its transaction.
#[derive(Clone, Copy, Debug)]
pub(super) enum ClientTask {
    Submit(usize),
    Answer(usize),
}

/// A block to be executed, with the transactions of this validator's clients that it commits.
pub(super) struct Delivery {
    pub(super) executed: Executed,
    pub(super) transactions: Vec<usize>,
}

pub(super) struct Validator {
    pub(super) chain: Chain,
    pub(super) is_started: bool,
    pub(super) commands: VecDeque<Command>,
    pub(super) frames: VecDeque<(MemberIndex, Bytes)>,
    pub(super) due: VecDeque<Timer>,
    /// The generation of each timer that is set.
    pub(super) timers: BTreeMap<Timer, u64>,
    pub(super) generation: u64,
    /// Threads that do not sleep.
    pub(super) awake: Vec<Kind>,
    /// Result of the round that the machine's thread carries out.
    pub(super) stepping: Work,
    /// Steps that wait for the writer.
    pub(super) steps: Work,
    /// What the writer writes.
    pub(super) writing: Work,
    pub(super) writer: Stage,
    /// Frames that the writer passes to the links.
    pub(super) passing: Frames,
    pub(super) outgoing: Vec<Lane>,
    pub(super) incoming: Vec<Lane>,
    pub(super) link_tasks: VecDeque<LinkTask>,
    pub(super) link_workers: [Option<(LinkTask, Vec<Bytes>)>; LINK_WORKERS],
    pub(super) settled: Vec<usize>,
    pub(super) deliveries: VecDeque<Delivery>,
    pub(super) execution: Stage,
    pub(super) client_tasks: VecDeque<ClientTask>,
    /// Number of the last batch.
    pub(super) sequence: u64,
    /// The transaction in each batch.
    pub(super) batches: BTreeMap<u64, usize>,
}

impl Validator {
    pub(super) fn new(chain: Chain, members: u16) -> Self {
        let lanes = || (0..members).map(|_| Lane::default()).collect();
        Self {
            chain,
            is_started: false,
            commands: VecDeque::new(),
            frames: VecDeque::new(),
            due: VecDeque::new(),
            timers: BTreeMap::new(),
            generation: 0,
            awake: Vec::new(),
            stepping: Work::default(),
            steps: Work::default(),
            writing: Work::default(),
            writer: Stage::Idle,
            passing: Vec::new(),
            outgoing: lanes(),
            incoming: lanes(),
            link_tasks: VecDeque::new(),
            link_workers: [const { None }; LINK_WORKERS],
            settled: Vec::new(),
            deliveries: VecDeque::new(),
            execution: Stage::Idle,
            client_tasks: VecDeque::new(),
            sequence: 0,
            batches: BTreeMap::new(),
        }
    }

    /// Returns true if a thread has something to do.
    pub(super) fn has_work(&self, kind: Kind) -> bool {
        match kind {
            Kind::Machine => {
                !self.is_started
                    || !self.commands.is_empty()
                    || !self.frames.is_empty()
                    || !self.due.is_empty()
            }
            Kind::Writer => self.writer != Stage::Idle || !self.steps.is_empty(),
            Kind::Links(_) => !self.link_tasks.is_empty(),
            Kind::Execution => self.execution != Stage::Idle || !self.deliveries.is_empty(),
            Kind::Clients => !self.client_tasks.is_empty(),
        }
    }
}

impl Work {
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.messages.is_empty() && self.outputs.is_empty()
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.records.append(&mut other.records);
        self.messages.append(&mut other.messages);
        self.outputs.append(&mut other.outputs);
    }

    /// The number of durable writes of the records, one after another: files of batches, the log, the database.
    pub(super) fn durable_writes(&self) -> usize {
        let any = |is: fn(&Record) -> bool| usize::from(self.records.iter().any(is));
        any(|record| matches!(record, Record::Batch(_)))
            + any(|record| {
                matches!(
                    record,
                    Record::Input { .. }
                        | Record::Proposal { .. }
                        | Record::Presigned { .. }
                        | Record::FallBack { .. }
                )
            })
            + any(|record| {
                matches!(
                    record,
                    Record::Seed(_) | Record::Vote(_) | Record::Block(_) | Record::Certificate(_)
                )
            })
    }
}
