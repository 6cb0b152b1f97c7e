mod state;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use quorate::machine::Time;
use quorate::merkle::{Hash, Merkle};
use quorate_protocol::batch::Batch;
use quorate_protocol::builder::BatchBuilder;

use super::clock::Clock;
use super::inbox::Inbox;
use crate::application::Checker;
use crate::config::MempoolConfig;
use crate::handle::{Refusal, Ticket};
use crate::metrics::{CodeLabel, MempoolMetrics};
use crate::protocol::{Command, OwnBatchState};
use state::{RETRY_AFTER, State};

/// Admission of client transactions, their batching, and the set of uncommitted transactions.
pub(super) struct Ingest {
    admission: Admission,
    limits: MempoolConfig,
    clock: Clock,
    inbox: Arc<Inbox>,
    metrics: MempoolMetrics,
    state: Mutex<State>,
    /// Time at which the open batch is due, on the replica's clock; `u64::MAX` while it is empty.
    deadline: AtomicU64,
    congested: AtomicBool,
    lagging: AtomicBool,
    syncing: AtomicBool,
    observing: AtomicBool,
    stopping: AtomicBool,
}

/// The protocol's reason to reject a transaction.
type Rejection = dyn Fn(&[u8]) -> Option<&'static str> + Send + Sync;

/// Checks before a transaction is accepted, and the tree that defines its identifier.
pub(super) struct Admission {
    pub(super) tree: Merkle<'static>,
    pub(super) checker: Arc<dyn Checker>,
    pub(super) max_transaction: usize,
    /// The protocol's check.
    pub(super) rejection: Box<Rejection>,
}

impl Ingest {
    pub(super) fn new(
        builder: BatchBuilder,
        admission: Admission,
        limits: MempoolConfig,
        clock: Clock,
        inbox: Arc<Inbox>,
        metrics: MempoolMetrics,
    ) -> Self {
        Self {
            admission,
            limits,
            clock,
            inbox,
            metrics,
            state: Mutex::new(State::new(builder)),
            deadline: AtomicU64::new(u64::MAX),
            congested: AtomicBool::new(false),
            lagging: AtomicBool::new(false),
            syncing: AtomicBool::new(false),
            observing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        }
    }

    /// Accepts or refuses transactions; the answers are in the same order.
    pub(super) fn submit(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        if let Some(refusal) = self.closed() {
            self.count_refused(&refusal, transactions.len());
            return vec![Err(refusal); transactions.len()];
        }
        // Check and hash before taking the lock.
        let checked: Vec<Result<Bytes, Refusal>> =
            transactions.into_iter().map(|t| self.check(&t).map(|()| t)).collect();
        let ids = self.admission.tree.leaves(checked.iter().flatten());
        let (answers, batches, opened) = self.place(checked, ids);
        for batch in batches {
            self.metrics.batches.inc();
            self.inbox.command(Command::Submit(batch));
        }
        if opened {
            self.inbox.request_clock_check();
        }
        let accepted = answers.iter().filter(|a| a.is_ok()).count();
        self.metrics.accepted.inc_by(accepted as u64);
        for refusal in answers.iter().filter_map(|a| a.as_ref().err()) {
            self.count_refused(refusal, 1);
        }
        answers
    }

    /// Time at which the open batch is due.
    pub(super) fn deadline(&self) -> Option<Time> {
        Some(self.deadline.load(Ordering::Acquire)).filter(|d| *d != u64::MAX).map(Time)
    }

    /// Seals the open batch if it is due.
    pub(super) fn seal_due(&self, now: Time) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let mut state = self.lock();
        if state.builder.deadline().is_some_and(|deadline| now >= deadline) {
            let batch = state.builder.seal();
            let batch = state.record_sealed(batch, None);
            self.note_deadline(&state);
            drop(state);
            self.submit_batch(batch);
        }
    }

    /// Updates the state of an own batch.
    pub(super) fn own_batch(&self, sequence: u64, outcome: OwnBatchState) {
        let mut state = self.lock();
        match outcome {
            OwnBatchState::Certified => {}
            OwnBatchState::Committed => {
                state.committed(sequence);
                self.note_pending(&state);
                drop(state);
                self.seal_refused();
            }
            OwnBatchState::Refused => {
                if state.sealed.contains_key(&sequence) {
                    state.refused.push_back(sequence);
                } else {
                    // A batch from before the start no longer takes up room.
                    drop(state);
                    self.seal_refused();
                }
            }
        }
    }

    /// Number on the tickets of the batch that was committed as `sequence`.
    pub(super) fn ticket_number(&self, sequence: u64) -> u64 {
        self.lock().renamed.remove(&sequence).unwrap_or(sequence)
    }

    pub(super) fn set_congested(&self, congested: bool) {
        self.congested.store(congested, Ordering::Relaxed);
        if !congested {
            self.seal_refused();
        }
    }

    /// Sets whether execution is behind the chain.
    pub(super) fn set_lagging(&self, lagging: bool) {
        self.lagging.store(lagging, Ordering::Relaxed);
    }

    pub(super) fn set_syncing(&self, syncing: bool) {
        self.syncing.store(syncing, Ordering::Relaxed);
    }

    /// Starts an epoch: submits all uncommitted batches to its replica, under the same numbers. An observer refuses
    /// transactions.
    pub(super) fn start_epoch(&self, observing: bool) {
        self.observing.store(observing, Ordering::Relaxed);
        self.congested.store(false, Ordering::Relaxed);
        let batches = self.lock().uncommitted();
        batches.into_iter().for_each(|batch| self.inbox.command(Command::Submit(batch)));
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_congested(&self) -> bool {
        self.congested.load(Ordering::Relaxed) || self.lagging.load(Ordering::Relaxed)
    }

    pub(super) fn is_syncing(&self) -> bool {
        self.syncing.load(Ordering::Relaxed) || self.observing.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Numbers of accepted transactions that are not committed yet, and of their bytes.
    pub(super) fn pending(&self) -> (u64, u64) {
        let state = self.lock();
        (state.pending.len() as u64, state.bytes as u64)
    }

    fn closed(&self) -> Option<Refusal> {
        if self.is_stopping() {
            return Some(Refusal::ShuttingDown);
        }
        if self.is_syncing() {
            return Some(Refusal::Syncing);
        }
        self.is_congested().then_some(Refusal::Busy { retry_after: RETRY_AFTER })
    }

    fn check(&self, transaction: &[u8]) -> Result<(), Refusal> {
        if transaction.is_empty() {
            return Err(Refusal::Empty);
        }
        if transaction.len() > self.admission.max_transaction {
            return Err(Refusal::TooLarge { limit: self.admission.max_transaction });
        }
        if let Some(reason) = (self.admission.rejection)(transaction) {
            return Err(Refusal::Rejected { reason: reason.to_owned() });
        }
        self.admission
            .checker
            .check(transaction)
            .map_err(|e| Refusal::Rejected { reason: format!("{}: {e}", e.code()) })
    }

    /// Places checked transactions; gives the answers, full batches, and whether a batch was opened.
    fn place(
        &self,
        checked: Vec<Result<Bytes, Refusal>>,
        ids: Vec<Hash>,
    ) -> (Vec<Result<Ticket, Refusal>>, Vec<Arc<Batch>>, bool) {
        let now = self.clock.now();
        let mut ids = ids.into_iter();
        let mut batches = Vec::new();
        let mut state = self.lock();
        let idle = state.builder.deadline().is_none();
        let answers = checked
            .into_iter()
            .map(|checked| {
                let transaction = checked?;
                let id = ids.next().unwrap_or_default();
                state.place(&self.limits, transaction, id, now, &mut batches)
            })
            .collect();
        self.note_deadline(&state);
        self.note_pending(&state);
        (answers, batches, idle && state.builder.deadline().is_some())
    }

    /// Gives refused batches new numbers: the machine has room again.
    pub(super) fn seal_refused(&self) {
        let mut state = self.lock();
        if state.refused.is_empty() {
            return;
        }
        let now = self.clock.now();
        let mut batches = Vec::new();
        while let Some(sequence) = state.refused.pop_front() {
            state.reseal(sequence, now, &mut batches);
        }
        self.note_deadline(&state);
        drop(state);
        batches.into_iter().for_each(|batch| self.submit_batch(Some(batch)));
    }

    fn submit_batch(&self, batch: Option<Arc<Batch>>) {
        if let Some(batch) = batch {
            self.metrics.batches.inc();
            self.inbox.command(Command::Submit(batch));
        }
    }

    fn note_deadline(&self, state: &State) {
        let deadline = state.builder.deadline().map_or(u64::MAX, |d| d.0);
        self.deadline.store(deadline, Ordering::Release);
    }

    fn note_pending(&self, state: &State) {
        self.metrics.pending_transactions.set(state.pending.len() as i64);
        self.metrics.pending_bytes.set(state.bytes as i64);
    }

    fn count_refused(&self, refusal: &Refusal, times: usize) {
        self.metrics.refused.get_or_create(&CodeLabel { code: refusal.code() }).inc_by(times as u64);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
