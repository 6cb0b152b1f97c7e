use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Instant;

use bytes::Bytes;
use quorate::machine::{MemberIndex, Outgoing, Recipient};
use quorate::wire::Encode;
use tokio::sync::broadcast;

use super::engine::Outcome;
use super::ingest::Ingest;
use super::shared::Shared;
use super::step_queue::{StepQueue, Work};
use crate::execution::Execution;
use crate::links::{Lane, LinkSender};
use crate::metrics::ChainMetrics;
use crate::protocol::{Action, Block, Message, OwnBatchState, Protocol};
use crate::store::Store;
use crate::{NodeError, Result};

/// A peer's question and who asks it.
pub(super) type Question<P> = (MemberIndex, <P as Protocol>::Request);

/// A thread that carries steps out: records first, then messages, then actions.
pub(super) struct Writer<P: Protocol> {
    pub(super) step_queue: Arc<StepQueue<P>>,
    pub(super) store: Arc<Store<P>>,
    pub(super) links: LinkSender,
    pub(super) ingest: Arc<Ingest>,
    /// Only where deliveries come.
    pub(super) execution: Option<Execution<P>>,
    pub(super) questions: SyncSender<Question<P>>,
    pub(super) shared: Arc<Shared>,
    pub(super) outcome: Arc<Outcome<P>>,
    pub(super) metrics: ChainMetrics,
    /// Own batches that are committed with the next delivery of the same step.
    pub(super) settled: Vec<u64>,
    /// Own batches of which all was committed before they came.
    pub(super) repeats: broadcast::Sender<Arc<Vec<u64>>>,
}

impl<P: Protocol> Writer<P> {
    /// Runs until the step_queue is closed and empty, or until something fails: then nothing leaves any more.
    pub(super) fn run(mut self) {
        while let Some(work) = self.step_queue.take() {
            if let Err(error) = self.carry_out(work) {
                self.shared.fail(error);
                self.step_queue.abort();
                break;
            }
        }
        if let Some(execution) = self.execution.take() {
            // What was delivered is executed and written out.
            self.outcome.set_executor(execution.stop());
        }
    }

    fn carry_out(&mut self, work: Work<P>) -> Result<()> {
        if !work.records.is_empty() {
            let begin = Instant::now();
            self.store.append(&work.records)?;
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
        work.actions.into_iter().try_for_each(|action| self.act(action))?;
        self.tell_repeats();
        Ok(())
    }

    /// What is settled and in no block that was delivered with it is in earlier ones, and no later one will tell.
    fn tell_repeats(&mut self) {
        if self.settled.is_empty() {
            return;
        }
        let settled = self.settled.drain(..);
        let tickets = settled.map(|sequence| self.ingest.ticketed(sequence)).collect();
        // An error means that nobody listens.
        let _ = self.repeats.send(Arc::new(tickets));
    }

    fn act(&mut self, action: Action<P>) -> Result<()> {
        match action {
            Action::Deliver(mut delivery) => {
                delivery.own_batches.append(&mut self.settled);
                self.ingest.set_lagging(self.shared.set_delivered(delivery.block.height()));
                if !self.execution.as_ref().is_some_and(|execution| execution.deliver(delivery)) {
                    // It has said why before.
                    return Err(NodeError::Stopped { why: "execution has stopped".into() });
                }
            }
            Action::OwnBatch { sequence, state } => self.ingest.own_batch(sequence, state),
            Action::Settled { sequence } => {
                self.ingest.own_batch(sequence, OwnBatchState::Committed);
                self.settled.push(sequence);
            }
            Action::EndEpoch(successor) => {
                self.outcome.set_successor(*successor);
                self.shared.turn();
            }
            Action::Congestion(congested) => self.ingest.set_congested(congested),
            Action::Serve { to, request } => match self.questions.try_send((to, request)) {
                // The peer asks again, and asks others.
                Err(TrySendError::Full(_)) => tracing::debug!(to, "too busy to answer from the archive"),
                Err(TrySendError::Disconnected(_)) | Ok(()) => {}
            },
            Action::ForgetBatches(batches) => self.store.forget_batches(&batches)?,
            Action::ForgetBlocks(blocks) => self.store.forget_blocks(&blocks)?,
            Action::View { view, leader, timed_out } => {
                if timed_out {
                    self.metrics.timeouts.inc();
                    tracing::info!(view, leader, "the view before timed out");
                }
            }
        }
        Ok(())
    }
}

impl<P: Protocol> Drop for Writer<P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Or the machine would wait for room for ever.
            self.step_queue.abort();
        }
    }
}

/// Queues a message for one member.
pub(super) fn send<P: Protocol>(links: &LinkSender, to: MemberIndex, message: &Message<P>) {
    links.send(to, lane::<P>(message), message.encode().into());
}

/// What is large must not be in the way of what is urgent.
fn lane<P: Protocol>(message: &Message<P>) -> Lane {
    if P::is_bulk(message) { Lane::Bulk } else { Lane::Urgent }
}
