//! Runs committed blocks through the application, on a thread of its own, and answers questions about the result.
//!
//! For each delivery, in order:
//!
//! 1. **Compare.** The block states a state root of an earlier height that a quorum has checked. If this node has
//!    another one there, its application, its memory or its disk is wrong: it stops, loudly, and never goes on from
//!    a forked state.
//! 2. **Archive** the block, durably, so that the state is never ahead of the archive.
//! 3. **Execute**, then **commit** the changes, the height and the roots as one atomic write. Queries wait meanwhile.
//! 4. **Index** the transactions. An index that is behind after a crash is completed from the archive on start.
//! 5. **Report**, so that the replica may state the new root and clients learn of the commit.
//!
//! After a crash the state is that of some executed height; the replica delivers the blocks above it again. The same
//! changes follow from the same state and block, so it does not matter between which of these steps the crash came.
//!
//! # The execution root
//!
//! Blocks do not state the application's root itself but a hash over all of them:
//!
//! ```text
//! E(0) = H(executed; 32 zero bytes ‖ 0 ‖ A(0))          A(h): the application's root after height h
//! E(h) = H(executed; E(h − 1) ‖ h as u64 ‖ A(h))
//! ```
//!
//! So a single certified root proves every earlier state as well (blocks skip heights when execution is behind), and a
//! state that was once different stays different, even if the application's roots happen to meet again.

mod executor;
mod queries;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use quorate::wire::domain;

pub use executor::Executor;
pub use queries::Queries;

use crate::handle::CommitEvent;
use crate::protocol::{Delivery, Executed, Protocol};
use crate::{NodeError, Result};

/// What the execution thread tells its owner.
#[derive(Debug)]
pub enum Event {
    /// A block was executed and committed.
    Executed {
        /// What to tell the replica.
        executed: Executed,
        /// What to tell clients.
        commit: Arc<CommitEvent>,
    },
    /// The thread has stopped, and so must the node. Nothing follows.
    Failed(NodeError),
}

/// The thread that executes.
pub struct Execution<P: Protocol> {
    deliveries: SyncSender<Box<Delivery<P>>>,
    thread: JoinHandle<Option<Executor<P>>>,
}

impl<P: Protocol> Execution<P> {
    /// Starts the thread. It calls `report` after each block; at most `capacity` deliveries wait for it.
    ///
    /// # Errors
    /// If no thread can be started.
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

    /// Hands in the next delivery, without waiting.
    ///
    /// # Errors
    /// The delivery, if as many wait as may; hand it in later. [`None`] if the thread has stopped.
    pub fn try_deliver(&self, delivery: Box<Delivery<P>>) -> Result<(), Option<Box<Delivery<P>>>> {
        self.deliveries.try_send(delivery).map_err(|e| match e {
            TrySendError::Full(delivery) => Some(delivery),
            TrySendError::Disconnected(_) => None,
        })
    }

    /// Hands in the next delivery, and waits while as many wait as may. False if the thread has stopped.
    pub fn deliver(&self, delivery: Box<Delivery<P>>) -> bool {
        self.deliveries.send(delivery).is_ok()
    }

    /// Executes what was handed in, writes everything out, ends the thread, and gives the executor back; none if
    /// anything failed.
    pub fn stop(self) -> Option<Executor<P>> {
        drop(self.deliveries);
        // The thread reports its own failure; a panic of the application has been printed.
        self.thread.join().ok().flatten()
    }
}

/// The running hash over application roots that blocks state. See the [module](self).
pub fn execution_root(previous: &[u8; 32], height: u64, application: &[u8; 32]) -> [u8; 32] {
    let mut hasher = domain::hasher(domain::EXECUTED);
    hasher.update(previous).update(&height.to_le_bytes()).update(application);
    *hasher.finalize().as_bytes()
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
    // First it is told why, then nothing more is accepted: whoever finds that out must not be the first to say so.
    if let Some(e) = failed {
        tracing::error!(height = executor.executed().height + 1, error = %e, "execution has stopped");
        report(Event::Failed(e));
    }
    drop(deliveries);
    None
}
