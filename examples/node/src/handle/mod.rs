//! What the client side needs of a running node: submit transactions, follow commits, look things up.
//!
//! A [`Handle`] is cheap to clone and independent of the signature scheme. It stands on a [`Service`], which the
//! runtime implements.

mod views;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;

use crate::metrics::Metrics;
pub use views::{
    Answer, BatchView, BlockView, CommitEvent, Digest, EpochView, PeerStatus, Refusal, Status, Ticket,
    TransactionId, TransactionView, ValidatorView,
};

/// A running node, seen from the client side.
#[derive(Clone)]
pub struct Handle {
    service: Arc<dyn Service>,
}

/// What a [`Handle`] stands on.
pub trait Service: Send + Sync + 'static {
    /// See [`Handle::submit_many`].
    fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>>;
    /// See [`Handle::commits`].
    fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>>;
    /// See [`Handle::repeats`].
    fn repeats(&self) -> broadcast::Receiver<Arc<Vec<u64>>>;
    /// See [`Handle::status`].
    fn status(&self) -> Status;
    /// See [`Handle::validators`].
    fn validators(&self) -> Vec<ValidatorView>;
    /// See [`Handle::epochs`].
    fn epochs(&self, from: u64) -> crate::Result<Vec<EpochView>>;
    /// See [`Handle::block`].
    fn block(&self, height: u64) -> crate::Result<Option<BlockView>>;
    /// See [`Handle::transaction`].
    fn transaction(&self, id: TransactionId) -> crate::Result<Option<TransactionView>>;
    /// See [`Handle::query`].
    fn query(&self, key: &[u8]) -> crate::Result<Option<Answer>>;
    /// See [`Handle::metrics`].
    fn metrics(&self) -> &Metrics;
}

impl Handle {
    /// A handle on `service`.
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self { service }
    }

    /// Hands in one transaction. It is in the node's mempool when this returns; follow [`commits`](Self::commits)
    /// to learn when the batch that the ticket names is committed. Never blocks. Does not survive a crash of this
    /// node before its batch is sealed (at most the batch delay): a client that hears nothing submits again, and
    /// the application decides what a repetition means.
    ///
    /// # Errors
    /// Why the transaction was not taken, and what to do.
    pub fn submit(&self, transaction: Bytes) -> Result<Ticket, Refusal> {
        self.service.submit_many(vec![transaction]).pop().unwrap_or(Err(Refusal::ShuttingDown))
    }

    /// Hands in many transactions at once, which is far cheaper than one by one; the answers are in the same
    /// order and number. Never blocks.
    pub fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        self.service.submit_many(transactions)
    }

    /// Every block this node commits from now on, in chain order, after its execution. A receiver that falls
    /// behind by more than the channel's capacity (1024) is told how many it missed and goes on from there.
    pub fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>> {
        self.service.commits()
    }

    /// Batches of this node's clients, by the numbers on their tickets, of which no commit will tell: where the same bytes
    /// are ordered once, all that they hold was committed before they came. A receiver that falls behind is told so, as
    /// one of [`commits`](Self::commits) is.
    pub fn repeats(&self) -> broadcast::Receiver<Arc<Vec<u64>>> {
        self.service.repeats()
    }

    /// The node at this moment.
    pub fn status(&self) -> Status {
        self.service.status()
    }

    /// The committee of this node's epoch, in order.
    pub fn validators(&self) -> Vec<ValidatorView> {
        self.service.validators()
    }

    /// The epochs from a number on, in order: as many as fit into an answer of about 8 MiB, at least one if there is one.
    /// Reads the disk: call it from a thread that may block.
    ///
    /// # Errors
    /// If the store fails.
    pub fn epochs(&self, from: u64) -> crate::Result<Vec<EpochView>> {
        self.service.epochs(from)
    }

    /// The committed block at `height`, or `None` if there is none (yet, or any more). Reads the disk: call it
    /// from a thread that may block.
    ///
    /// # Errors
    /// If the store fails.
    pub fn block(&self, height: u64) -> crate::Result<Option<BlockView>> {
        self.service.block(height)
    }

    /// A committed transaction with its proof of inclusion. Reads the disk: call it from a thread that may block.
    ///
    /// # Errors
    /// If the store fails.
    pub fn transaction(&self, id: TransactionId) -> crate::Result<Option<TransactionView>> {
        self.service.transaction(id)
    }

    /// Asks the application, as of the newest executed block. Call it from a thread that may block.
    ///
    /// # Errors
    /// If the application fails.
    pub fn query(&self, key: &[u8]) -> crate::Result<Option<Answer>> {
        self.service.query(key)
    }

    /// The node's metrics.
    pub fn metrics(&self) -> &Metrics {
        self.service.metrics()
    }
}
