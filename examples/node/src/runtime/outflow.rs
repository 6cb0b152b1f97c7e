use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use quorate::machine::{Outgoing, Step};
use quorate::scheme::Scheme;
use quorate_jolteon::{Message, Output, Record, Replica};

/// The machine waits when steps of this weight are not carried out.
const MAX_WEIGHT: usize = 64 << 20;

/// The two ways out, each with a thread of its own. Half a megabyte of batches takes the disk a while, and no vote
/// is to wait for that: a step that does nothing but store batches and say so goes another way than all others.
/// What leaves by one way never rests on what is not yet durable on the other: an acknowledgement speaks of its
/// batch alone, and no other message claims that this node holds a batch.
#[derive(Clone)]
pub(super) struct Outflows<S: Scheme> {
    pub(super) urgent: Arc<Outflow<S>>,
    pub(super) bulk: Arc<Outflow<S>>,
}

/// Merged steps of both ways.
pub(super) struct Steps<S: Scheme> {
    urgent: Step<Replica<S>>,
    bulk: Step<Replica<S>>,
}

impl<S: Scheme> Outflows<S> {
    pub(super) fn new() -> Self {
        Self { urgent: Arc::new(Outflow::new()), bulk: Arc::new(Outflow::new()) }
    }

    /// Queues steps; waits while too much is queued. False if nobody carries steps out any more.
    pub(super) fn push(&self, steps: Steps<S>) -> bool {
        // Both, whatever the first says.
        let bulk = self.bulk.push(steps.bulk);
        self.urgent.push(steps.urgent) && bulk
    }

    /// No steps come any more; those that came are carried out.
    pub(super) fn close(&self) {
        self.urgent.close();
        self.bulk.close();
    }

    /// Nothing more is carried out but what a writer has in hand.
    pub(super) fn abort(&self) {
        self.urgent.abort();
        self.bulk.abort();
    }
}

impl<S: Scheme> Steps<S> {
    /// Adds what follows from one input. Outputs always go the urgent way: they are in the chain's order. What is to
    /// be forgotten goes both ways, as its record may have gone either, and must not be written after it.
    pub(super) fn add(&mut self, mut step: Step<Replica<S>>) {
        if concerns_batches_alone(&step) {
            self.bulk.persist.append(&mut step.persist);
            self.bulk.messages.append(&mut step.messages);
        }
        for output in &step.outputs {
            if let Output::Forget(batches) = output {
                self.bulk.outputs.push(Output::Forget(batches.clone()));
            }
        }
        self.urgent.append(step);
    }
}

impl<S: Scheme> Default for Steps<S> {
    fn default() -> Self {
        Self { urgent: Step::new(), bulk: Step::new() }
    }
}

fn concerns_batches_alone<S: Scheme>(step: &Step<Replica<S>>) -> bool {
    let records = step.persist.iter().all(|record| matches!(record, Record::Batch(_)));
    let messages = step.messages.iter().all(|outgoing| {
        matches!(outgoing.message, Message::Batch(_) | Message::Acknowledge(_) | Message::BatchRequest(_))
    });
    !step.persist.is_empty() && records && messages
}

/// Steps that the machine has made and the writer has not carried out. What gathers while the disk is busy is
/// merged, so that one durable write serves many steps; the order stays.
pub(super) struct Outflow<S: Scheme> {
    pending: Mutex<Pending<S>>,
    ready: Condvar,
    room: Condvar,
}

struct Pending<S: Scheme> {
    work: Work<S>,
    weight: usize,
    closed: bool,
}

/// Records that are to be durable before the messages leave, and outputs that are acted on after that.
pub(super) struct Work<S: Scheme> {
    pub(super) records: Vec<Record<S>>,
    pub(super) messages: Vec<Outgoing<Message<S>>>,
    pub(super) outputs: Vec<Output<S>>,
}

impl<S: Scheme> Outflow<S> {
    pub(super) fn new() -> Self {
        let pending = Pending { work: Work::new(), weight: 0, closed: false };
        Self { pending: Mutex::new(pending), ready: Condvar::new(), room: Condvar::new() }
    }

    /// Queues a step; waits while too much is queued. False if nobody carries steps out any more.
    fn push(&self, mut step: Step<Replica<S>>) -> bool {
        let weight = weight(&step);
        let mut pending = self.lock();
        while pending.weight > MAX_WEIGHT && !pending.closed {
            pending = self.room.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        if pending.closed {
            return false;
        }
        let wake = pending.work.is_empty() && !step.is_empty();
        pending.weight += weight;
        pending.work.records.append(&mut step.persist);
        pending.work.messages.append(&mut step.messages);
        pending.work.outputs.append(&mut step.outputs);
        drop(pending);
        if wake {
            self.ready.notify_one();
        }
        true
    }

    /// Waits for steps and takes all of them; `None` when the outflow is closed and empty.
    pub(super) fn take(&self) -> Option<Work<S>> {
        let mut pending = self.lock();
        while pending.work.is_empty() {
            if pending.closed {
                return None;
            }
            pending = self.ready.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        pending.weight = 0;
        let work = std::mem::replace(&mut pending.work, Work::new());
        drop(pending);
        self.room.notify_one();
        Some(work)
    }

    /// No steps come any more, or none is carried out any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
        self.room.notify_all();
    }

    /// Nothing more is carried out.
    pub(super) fn abort(&self) {
        let mut pending = self.lock();
        pending.work = Work::new();
        pending.weight = 0;
        drop(pending);
        self.close();
    }

    fn lock(&self) -> MutexGuard<'_, Pending<S>> {
        // No code panics while it holds the lock.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Scheme> Work<S> {
    fn new() -> Self {
        Self { records: Vec::new(), messages: Vec::new(), outputs: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.messages.is_empty() && self.outputs.is_empty()
    }
}

/// About how much memory a step holds that nothing else does.
fn weight<S: Scheme>(step: &Step<Replica<S>>) -> usize {
    let batches: usize = step
        .persist
        .iter()
        .map(|record| match record {
            Record::Batch(batch) => batch.bytes(),
            _ => 0,
        })
        .sum();
    let sent = step.messages.iter().map(|outgoing| match &outgoing.message {
        Message::BatchReply(batch) => batch.bytes(),
        _ => 0,
    });
    let delivered = step.outputs.iter().map(|output| match output {
        Output::Deliver(delivery) => delivery.batches.iter().map(|batch| batch.bytes()).sum(),
        _ => 0,
    });
    let batches = batches + sent.sum::<usize>() + delivered.sum::<usize>();
    batches + 1024 * (step.persist.len() + step.messages.len() + step.outputs.len())
}
