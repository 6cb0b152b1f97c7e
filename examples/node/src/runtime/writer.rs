use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use quorate::machine::{MemberIndex, Outgoing, Recipient};
use quorate::wire::Encode;
use tokio::sync::broadcast;

use super::ingest::Ingest;
use super::outcome::Outcome;
use super::shared::Shared;
use super::step_queue::{StepQueue, Work};
use crate::execution::Execution;
use crate::links::{Lane, LinkSender};
use crate::metrics::ChainMetrics;
use crate::protocol::{Action, Block, Message, OwnBatchState, Protocol, Record, RecordKind};
use crate::store::{SignatureCounters, SpentJournal, Store};
use crate::{NodeError, Result};

/// A request and the peer that sent it.
pub(super) type PeerRequest<P> = (MemberIndex, <P as Protocol>::Request);

/// Thread that carries out steps: records first, then messages, then actions.
pub(super) struct Writer<P: Protocol> {
    pub(super) step_queue: Arc<StepQueue<P>>,
    pub(super) store: Arc<Store<P>>,
    pub(super) counters: Option<Arc<Mutex<SignatureCounters>>>,
    pub(super) spent: Option<Arc<Mutex<SpentJournal>>>,
    pub(super) links: LinkSender,
    pub(super) ingest: Arc<Ingest>,
    /// Present only in the writer of the urgent queue, which receives deliveries.
    pub(super) execution: Option<Execution<P>>,
    pub(super) requests: SyncSender<PeerRequest<P>>,
    pub(super) shared: Arc<Shared>,
    pub(super) outcome: Arc<Outcome<P>>,
    pub(super) metrics: ChainMetrics,
    /// Own batches that the next delivery commits.
    pub(super) settled: Vec<u64>,
    /// Reports own batches whose transactions were all committed before.
    pub(super) repeats: broadcast::Sender<Arc<Vec<u64>>>,
}

impl<P: Protocol> Writer<P> {
    /// Runs until the queue is closed and empty, or until an error: then no further message leaves.
    pub(super) fn run(mut self) {
        while let Some(work) = self.step_queue.take() {
            if let Err(error) = self.carry_out(work) {
                self.shared.fail(error);
                self.step_queue.abort();
                break;
            }
        }
        if let Some(execution) = self.execution.take() {
            // Waits until all delivered blocks are executed and written to disk.
            self.outcome.set_executor(execution.stop());
        }
    }

    fn carry_out(&mut self, work: Work<P>) -> Result<()> {
        if !work.records.is_empty() {
            let begin = Instant::now();
            self.store.append(&work.records)?;
            self.record_spent(&work.records)?;
            self.count_signatures(&work.records)?;
            self.metrics.persist_seconds.observe(begin.elapsed().as_secs_f64());
            self.metrics.persist_records.inc_by(work.records.len() as u64);
        }
        for Outgoing { to, message } in work.messages {
            match to {
                Recipient::One(member) => send::<P>(&self.links, member, &message),
                Recipient::Others => {
                    self.links.broadcast(lane::<P>(&message), &Bytes::from(message.encode()))
                }
            }
        }
        work.actions.into_iter().try_for_each(|action| self.act(action))
    }

    /// Makes the records of presignatures durable: before the messages.
    fn record_spent(&mut self, records: &[Record<P>]) -> Result<()> {
        let spent = records.iter().filter_map(|record| match P::record_kind(record) {
            RecordKind::Spent(record) => Some(*record),
            _ => None,
        });
        let spent: Vec<_> = spent.collect();
        match &self.spent {
            _ if spent.is_empty() => Ok(()),
            Some(journal) => journal.lock().unwrap_or_else(PoisonError::into_inner).append(&spent),
            None => Err(NodeError::store("recording presignatures", "the protocol states that it has none")),
        }
    }

    /// Makes the counters durable: after the records and before the messages.
    fn count_signatures(&mut self, records: &[Record<P>]) -> Result<()> {
        match &self.counters {
            Some(counters) if records.iter().any(|record| P::signed(record).is_some()) => counters
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .advance(records.iter().filter_map(P::signed)),
            _ => Ok(()),
        }
    }

    fn act(&mut self, action: Action<P>) -> Result<()> {
        match action {
            Action::Deliver(mut delivery) => {
                delivery.own_batches.append(&mut self.settled);
                self.ingest.set_lagging(self.shared.set_delivered(delivery.block.height()));
                if !self.execution.as_ref().is_some_and(|execution| execution.deliver(delivery)) {
                    // The execution thread has reported the reason.
                    return Err(NodeError::Stopped { why: "the execution thread has stopped".into() });
                }
            }
            Action::OwnBatch { sequence, state } => self.ingest.own_batch(sequence, state),
            Action::Settled { sequence } => {
                self.ingest.own_batch(sequence, OwnBatchState::Committed);
                self.settled.push(sequence);
            }
            Action::Repeated { sequence } => {
                self.ingest.own_batch(sequence, OwnBatchState::Committed);
                // An error means that there are no subscribers.
                let _ = self.repeats.send(Arc::new(vec![self.ingest.ticket_number(sequence)]));
            }
            Action::EndEpoch(next_epoch) => {
                self.outcome.set_next_epoch(*next_epoch);
                self.shared.end_epoch();
            }
            Action::Congestion(congested) => self.ingest.set_congested(congested),
            Action::Serve { to, request } => match self.requests.try_send((to, request)) {
                // The peer repeats the request, or sends it to another member.
                Err(TrySendError::Full(_)) => {
                    tracing::debug!(to, "request dropped: the archive thread is busy")
                }
                Err(TrySendError::Disconnected(_)) | Ok(()) => {}
            },
            Action::PruneBatches(batches) => self.store.prune_batches(&batches)?,
            Action::PruneBlocks(blocks) => self.store.prune_blocks(&blocks)?,
            Action::PruneLog { up_to } => self.store.prune_log(up_to)?,
            Action::Fail(error) => return Err(error.into()),
            Action::View { view, leader, timed_out } => {
                if timed_out {
                    self.metrics.timeouts.inc();
                    tracing::info!(view, leader, "the previous view timed out");
                }
            }
        }
        Ok(())
    }
}

impl<P: Protocol> Drop for Writer<P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Otherwise the machine would wait for room forever.
            self.step_queue.abort();
        }
    }
}

/// Queues a message to one member.
pub(super) fn send<P: Protocol>(links: &LinkSender, to: MemberIndex, message: &Message<P>) {
    links.send(to, lane::<P>(message), message.encode().into());
}

/// Selects the lane: large messages must not delay urgent ones.
fn lane<P: Protocol>(message: &Message<P>) -> Lane {
    if P::is_bulk(message) { Lane::Bulk } else { Lane::Urgent }
}
