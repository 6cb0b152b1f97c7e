use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use super::executor::Executor;
use crate::handle::CommitEvent;
use crate::protocol::{Delivery, Executed, Protocol};
use crate::{NodeError, Result};

/// Report of the execution thread.
#[derive(Debug)]
pub enum Event {
    /// A block was executed and committed.
    Executed {
        /// The executed state, for the replica.
        executed: Executed,
        /// The commit, for clients.
        commit: Arc<CommitEvent>,
    },
    /// The thread has stopped, so the node must stop. No further report follows.
    Failed(NodeError),
}

/// Handle of the execution thread.
pub struct Execution<P: Protocol> {
    deliveries: SyncSender<Box<Delivery<P>>>,
    thread: JoinHandle<Option<Executor<P>>>,
}

impl<P: Protocol> Execution<P> {
    /// Starts the thread. It calls `report` after each block. At most `capacity` deliveries are queued.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(
        executor: Executor<P>,
        capacity: usize,
        report: impl FnMut(Event) + Send + 'static,
    ) -> Result<Self> {
        let (deliveries, receiver) = sync_channel(capacity);
        let thread = std::thread::Builder::new()
            .name("execution".into())
            .spawn(move || work(executor, receiver, report))
            .map_err(|e| NodeError::store("starting the execution thread", e))?;
        Ok(Self { deliveries, thread })
    }

    /// Queues the next delivery without waiting.
    ///
    /// # Errors
    /// The delivery if the queue is full; `None` if the thread has stopped.
    pub fn try_deliver(&self, delivery: Box<Delivery<P>>) -> Result<(), Option<Box<Delivery<P>>>> {
        self.deliveries.try_send(delivery).map_err(|e| match e {
            TrySendError::Full(delivery) => Some(delivery),
            TrySendError::Disconnected(_) => None,
        })
    }

    /// Queues the next delivery, and waits while the queue is full. Returns false if the thread has stopped.
    pub fn deliver(&self, delivery: Box<Delivery<P>>) -> bool {
        self.deliveries.send(delivery).is_ok()
    }

    /// Executes the queued deliveries, writes all data to disk and ends the thread. Returns the executor; `None` after a
    /// failure.
    pub fn stop(self) -> Option<Executor<P>> {
        drop(self.deliveries);
        // The thread has reported its failure; a panic of the application has been printed.
        self.thread.join().ok().flatten()
    }
}

fn work<P: Protocol>(
    mut executor: Executor<P>,
    deliveries: Receiver<Box<Delivery<P>>>,
    mut report: impl FnMut(Event),
) -> Option<Executor<P>> {
    let mut failed = None;
    while failed.is_none() {
        let Ok(delivery) = deliveries.recv() else {
            match executor.flush() {
                Ok(()) => return Some(executor),
                Err(e) => failed = Some(e),
            }
            break;
        };
        match executor.execute(&delivery) {
            Ok(None) => {}
            Ok(Some(commit)) => {
                report(Event::Executed { executed: executor.executed(), commit: Arc::new(commit) });
            }
            Err(e) => failed = Some(e),
        }
    }
    // Report the failure before the queue closes, so that its reason precedes the errors of the senders.
    if let Some(e) = failed {
        let height = executor.executed().height + 1;
        tracing::error!(code = "EXECUTION_STOPPED", height, error = %e, reason = e.code(), "execution has stopped");
        report(Event::Failed(e));
    }
    drop(deliveries);
    None
}
