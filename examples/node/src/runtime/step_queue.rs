use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use quorate::machine::{MemberIndex, Outgoing, Recipient, Step};

use crate::protocol::{Action, Batch, FormerMemberReply, Message, Protocol, Record, RecordKind};

/// The machine waits when steps of this weight are not carried out.
const MAX_WEIGHT: usize = 64 << 20;

/// The two ways out, each with a thread of its own. Half a megabyte of batches takes the disk a while, and no vote
/// is to wait for that: a step that does nothing but store batches and say so goes another way than all others.
/// What leaves by one way never rests on what is not yet durable on the other: see
/// [`Protocol::concerns_batches_alone`].
#[derive(Clone)]
pub(super) struct StepQueues<P: Protocol> {
    pub(super) urgent: Arc<StepQueue<P>>,
    pub(super) bulk: Arc<StepQueue<P>>,
}

/// Merged steps of both ways.
pub(super) struct Steps<P: Protocol> {
    urgent: Work<P>,
    bulk: Work<P>,
}

impl<P: Protocol> StepQueues<P> {
    pub(super) fn new() -> Self {
        Self { urgent: Arc::new(StepQueue::new()), bulk: Arc::new(StepQueue::new()) }
    }

    /// Queues steps; waits while too much is queued. False if nobody carries steps out any more.
    pub(super) fn push(&self, steps: Steps<P>) -> bool {
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

impl<P: Protocol> Steps<P> {
    /// Adds what follows from one input. Actions always go the urgent way: they are in the chain's order. What is to
    /// be forgotten goes both ways, as its record may have gone either, and must not be written after it.
    pub(super) fn add(&mut self, mut step: Step<P::Machine>, me: Option<MemberIndex>) {
        let apart = P::stores_only_batches(&step);
        let stored = if apart { &mut self.bulk } else { &mut self.urgent };
        stored.records.append(&mut step.persist);
        stored.messages.append(&mut step.messages);
        for output in step.outputs {
            let Some(action) = P::action(output, me) else { continue };
            if let Action::ForgetBatches(batches) = &action {
                self.bulk.actions.push(Action::ForgetBatches(batches.clone()));
            }
            self.urgent.actions.push(action);
        }
    }
}

impl<P: Protocol> Steps<P> {
    /// Helps somebody who was a member once. It rests on nothing.
    pub(super) fn help(&mut self, to: MemberIndex, help: FormerMemberReply<P>) {
        match help {
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

/// Steps that the machine has made and the writer has not carried out. What gathers while the disk is busy is
/// merged, so that one durable write serves many steps; the order stays.
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

/// Records that are to be durable before the messages leave, and actions that come after that.
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

    /// Queues work; waits while too much is queued. False if nobody carries steps out any more.
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

    /// Waits for steps and takes all of them; `None` when the step_queue is closed and empty.
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

/// About how much memory work holds that nothing else does.
fn weight<P: Protocol>(work: &Work<P>) -> usize {
    let stored = work.records.iter().map(|record| match P::record_kind(record) {
        RecordKind::Batch(batch) => batch.bytes(),
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
