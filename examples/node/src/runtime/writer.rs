use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Instant;

use bytes::Bytes;
use quorate::machine::{MemberIndex, Outgoing, Recipient};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_jolteon::{HistoryRequest, Message, Output};

use super::ingest::Ingest;
use super::outflow::{Outflow, Work};
use super::shared::Shared;
use crate::execution::Execution;
use crate::links::{Lane, LinkSender};
use crate::metrics::ChainMetrics;
use crate::store::Store;
use crate::{NodeError, Result};

/// A peer's question and who asks it.
pub(super) type Question = (MemberIndex, HistoryRequest);

/// A thread that carries steps out: records first, then messages, then outputs.
pub(super) struct Writer<S: Scheme> {
    pub(super) outflow: Arc<Outflow<S>>,
    pub(super) store: Arc<Store<S>>,
    pub(super) links: LinkSender,
    pub(super) ingest: Arc<Ingest>,
    /// Only where outputs come.
    pub(super) execution: Option<Execution<S>>,
    pub(super) questions: SyncSender<Question>,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: ChainMetrics,
}

impl<S: Scheme> Writer<S> {
    /// Runs until the outflow is closed and empty, or until something fails: then nothing leaves any more.
    pub(super) fn run(mut self) {
        while let Some(work) = self.outflow.take() {
            if let Err(error) = self.carry_out(work) {
                self.shared.fail(error);
                self.outflow.abort();
                break;
            }
        }
        if let Some(execution) = self.execution.take() {
            // What was delivered is executed and written out.
            execution.stop();
        }
    }

    fn carry_out(&self, work: Work<S>) -> Result<()> {
        if !work.records.is_empty() {
            let begin = Instant::now();
            self.store.append(&work.records)?;
            self.metrics.persist_seconds.observe(begin.elapsed().as_secs_f64());
            self.metrics.persist_records.inc_by(work.records.len() as u64);
        }
        for Outgoing { to, message } in work.messages {
            match to {
                Recipient::One(member) => send(&self.links, member, &message),
                Recipient::Others => self.links.broadcast(lane(&message), &Bytes::from(message.encode())),
            }
        }
        work.outputs.into_iter().try_for_each(|output| self.act(output))
    }

    fn act(&self, output: Output<S>) -> Result<()> {
        match output {
            Output::Deliver(delivery) => {
                self.ingest.set_lagging(self.shared.set_delivered(delivery.height));
                if !self.execution.as_ref().is_some_and(|execution| execution.deliver(delivery)) {
                    // It has said why before.
                    return Err(NodeError::Stopped { why: "execution has stopped".into() });
                }
            }
            Output::OwnBatch { sequence, state } => self.ingest.own_batch(sequence, state),
            Output::Congestion(congested) => self.ingest.set_congested(congested),
            Output::Serve { to, request } => match self.questions.try_send((to, request)) {
                // The peer asks again, and asks others.
                Err(TrySendError::Full(_)) => tracing::debug!(to, "too busy to answer from the archive"),
                Err(TrySendError::Disconnected(_)) | Ok(()) => {}
            },
            Output::Forget(batches) => self.store.forget_batches(&batches)?,
            Output::ForgetBlocks(blocks) => self.store.forget_blocks(&blocks)?,
            Output::View { view, leader, timed_out } => {
                if timed_out {
                    self.metrics.timeouts.inc();
                    tracing::info!(view, leader, "the view before timed out");
                }
            }
        }
        Ok(())
    }
}

impl<S: Scheme> Drop for Writer<S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Or the machine would wait for room for ever.
            self.outflow.abort();
        }
    }
}

/// Queues a message for one member.
pub(super) fn send<S: Scheme>(links: &LinkSender, to: MemberIndex, message: &Message<S>) {
    links.send(to, lane(message), message.encode().into());
}

/// What is large must not be in the way of what is urgent.
fn lane<S: Scheme>(message: &Message<S>) -> Lane {
    match message {
        Message::Batch(_) | Message::BatchReply(_) | Message::Blocks(_) => Lane::Bulk,
        _ => Lane::Urgent,
    }
}
