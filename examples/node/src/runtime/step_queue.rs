use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use quorate::machine::{MemberIndex, Outgoing, Recipient, Step};

use crate::protocol::{Action, Batch, FormerMemberReply, Message, Protocol, Record, RecordKind};

/// Total weight of queued steps above which the machine waits.
const MAX_WEIGHT: usize = 64 << 20;

/// Two queues of steps, each with its own writer thread. Writing half a megabyte of batches takes a while, and votes must
/// not wait for it: a step that only stores batches goes to the bulk queue, all others to the urgent queue. The messages
/// of one queue never depend on records in the other: see [`Protocol::stores_only_batches`].
#[derive(Clone)]
pub(super) struct StepQueues<P: Protocol> {
    pub(super) urgent: Arc<StepQueue<P>>,
    pub(super) bulk: Arc<StepQueue<P>>,
}

/// Merged steps for both queues.
pub(super) struct Steps<P: Protocol> {
    urgent: Work<P>,
    bulk: Work<P>,
}

impl<P: Protocol> StepQueues<P> {
    pub(super) fn new() -> Self {
        Self { urgent: Arc::new(StepQueue::new()), bulk: Arc::new(StepQueue::new()) }
    }

    /// Queues steps; waits while the queue is full. Returns false if the writers have stopped.
    pub(super) fn push(&self, steps: Steps<P>) -> bool {
        // Push to both queues even if the first is closed.
        let bulk = self.bulk.push(steps.bulk);
        self.urgent.push(steps.urgent) && bulk
    }

    /// Closes both queues. Queued steps are still carried out.
    pub(super) fn close(&self) {
        self.urgent.close();
        self.bulk.close();
    }

    /// Drops all queued steps and closes both queues.
    pub(super) fn abort(&self) {
        self.urgent.abort();
        self.bulk.abort();
    }
}

impl<P: Protocol> Steps<P> {
    /// Adds the step of one input. Actions go to the urgent queue, which keeps them in chain order. A request to prune
    /// batches goes to both queues, because the record may be in either and must not be written afterwards.
    pub(super) fn add(&mut self, mut step: Step<P::Machine>, me: Option<MemberIndex>) {
        let apart = P::stores_only_batches(&step);
        let stored = if apart { &mut self.bulk } else { &mut self.urgent };
        stored.records.append(&mut step.persist);
        stored.messages.append(&mut step.messages);
        for output in step.outputs {
            let Some(action) = P::action(output, me) else { continue };
            if let Action::PruneBatches(batches) = &action {
                self.bulk.actions.push(Action::PruneBatches(batches.clone()));
            }
            self.urgent.actions.push(action);
        }
    }
}

impl<P: Protocol> Steps<P> {
    /// Adds a reply to a former member. It depends on no record.
    pub(super) fn reply(&mut self, to: MemberIndex, reply: FormerMemberReply<P>) {
        match reply {
            FormerMemberReply::Message(message) => {
                self.urgent.messages.push(Outgoing { to: Recipient::One(to), message });
            }
            FormerMemberReply::Archive(request) => self.urgent.actions.push(Action::Serve { to, request }),
        }
    }
}

impl<P: Protocol> Default for Steps<P> {
    fn default() -> Self {
        Self { urgent: Work::new(), bulk: Work::new() }
    }
}

/// Steps that await the writer. Steps that queue up while the disk is busy are merged in order, so that one durable write
/// covers them all.
pub(super) struct StepQueue<P: Protocol> {
    pending: Mutex<Pending<P>>,
    ready: Condvar,
    room: Condvar,
}

struct Pending<P: Protocol> {
    work: Work<P>,
    weight: usize,
    closed: bool,
}

/// Records to persist, messages to send after that, and actions to carry out last.
pub(super) struct Work<P: Protocol> {
    pub(super) records: Vec<Record<P>>,
    pub(super) messages: Vec<Outgoing<Message<P>>>,
    pub(super) actions: Vec<Action<P>>,
}

impl<P: Protocol> StepQueue<P> {
    pub(super) fn new() -> Self {
        let pending = Pending { work: Work::new(), weight: 0, closed: false };
        Self { pending: Mutex::new(pending), ready: Condvar::new(), room: Condvar::new() }
    }

    /// Queues work; waits while the queue is full. Returns false if the queue is closed.
    fn push(&self, mut work: Work<P>) -> bool {
        let weight = weight(&work);
        let mut pending = self.lock();
        while pending.weight > MAX_WEIGHT && !pending.closed {
            pending = self.room.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        if pending.closed {
            return false;
        }
        let wake = pending.work.is_empty() && !work.is_empty();
        pending.weight += weight;
        pending.work.records.append(&mut work.records);
        pending.work.messages.append(&mut work.messages);
        pending.work.actions.append(&mut work.actions);
        drop(pending);
        if wake {
            self.ready.notify_one();
        }
        true
    }

    /// Waits for work and takes all of it; `None` when the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Work<P>> {
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

    /// Closes the queue.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
        self.room.notify_all();
    }

    /// Drops all queued work and closes the queue.
    pub(super) fn abort(&self) {
        let mut pending = self.lock();
        pending.work = Work::new();
        pending.weight = 0;
        drop(pending);
        self.close();
    }

    fn lock(&self) -> MutexGuard<'_, Pending<P>> {
        // No code panics while it holds the lock.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Protocol> Work<P> {
    fn new() -> Self {
        Self { records: Vec::new(), messages: Vec::new(), actions: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.messages.is_empty() && self.actions.is_empty()
    }
}

/// Approximate memory that the work alone holds, in bytes.
fn weight<P: Protocol>(work: &Work<P>) -> usize {
    let stored = work.records.iter().map(|record| match P::record_kind(record) {
        RecordKind::Batch(batch) => batch.bytes(),
        RecordKind::Log { bytes, .. } => bytes,
        _ => 0,
    });
    let sent = work.messages.iter().map(|outgoing| P::message_weight(&outgoing.message));
    let delivered = work.actions.iter().map(|action| match action {
        Action::Deliver(delivery) => delivery.batches.iter().map(|batch| batch.bytes()).sum(),
        _ => 0,
    });
    let batches: usize = stored.chain(sent).chain(delivered).sum();
    batches + 1024 * (work.records.len() + work.messages.len() + work.actions.len())
}
