//! The interface of a running node for clients: submit transactions, follow commits, query blocks and state.
//!
//! A [`Handle`] is cheap to clone and independent of protocol and signature scheme. The runtime implements the [`Service`]
//! behind it.

mod views;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;

use crate::metrics::Metrics;
use crate::snapshot::{Piece, SnapshotView};
pub use views::{
    AbstentionStatus, Answer, BatchView, BlockView, CommitEvent, CommitView, Digest, EpochView,
    MissingHistory, PeerStatus, Reachable, Refusal, Status, Ticket, TransactionId, TransactionView,
    ValidatorView,
};

/// Interface of a running node for clients.
#[derive(Clone)]
pub struct Handle {
    service: Arc<dyn Service>,
}

/// Implementation of a [`Handle`].
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
    /// See [`Handle::commit`].
    fn commit(&self, height: u64) -> crate::Result<Option<CommitView>>;
    /// See [`Handle::transaction`].
    fn transaction(&self, id: TransactionId) -> crate::Result<Option<TransactionView>>;
    /// See [`Handle::query`].
    fn query(&self, key: &[u8]) -> crate::Result<Option<Answer>>;
    /// See [`Handle::snapshot`].
    fn snapshot(&self) -> crate::Result<Piece<SnapshotView>>;
    /// See [`Handle::snapshot_head`].
    fn snapshot_head(&self, height: u64) -> crate::Result<Piece>;
    /// See [`Handle::snapshot_block`].
    fn snapshot_block(&self, height: u64, block: u64) -> crate::Result<Piece>;
    /// See [`Handle::snapshot_part`].
    fn snapshot_part(&self, height: u64, part: u32) -> crate::Result<Piece>;
    /// See [`Handle::metrics`].
    fn metrics(&self) -> &Metrics;
}

impl Handle {
    /// Creates a handle of `service`.
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self { service }
    }

    /// Submits one transaction. It is in the node's mempool when this returns; [`commits`](Self::commits) reports when the
    /// batch on the ticket is committed. Never blocks. A crash of this node before the batch is sealed (at most the batch
    /// delay) loses the transaction: a client without a commit submits again, and the application defines the effect of a
    /// repetition.
    ///
    /// # Errors
    /// The reason for the refusal, with the remedy.
    pub fn submit(&self, transaction: Bytes) -> Result<Ticket, Refusal> {
        self.service.submit_many(vec![transaction]).pop().unwrap_or(Err(Refusal::ShuttingDown))
    }

    /// Submits many transactions at once, which is far cheaper than one by one. Returns one answer per transaction, in
    /// order. Never blocks.
    pub fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        self.service.submit_many(transactions)
    }

    /// Subscribes to the blocks that this node commits from now on, in chain order, after their execution. A receiver that
    /// falls behind by more than the channel's capacity (1024) receives the number of missed events and continues.
    pub fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>> {
        self.service.commits()
    }

    /// Subscribes to batches of this node's clients that no commit event will list, by the numbers on their tickets: the
    /// protocol orders the same bytes only once, and all transactions of the batch were committed before. A receiver that
    /// falls behind is informed as with [`commits`](Self::commits).
    pub fn repeats(&self) -> broadcast::Receiver<Arc<Vec<u64>>> {
        self.service.repeats()
    }

    /// The current status of the node.
    pub fn status(&self) -> Status {
        self.service.status()
    }

    /// The members of this node's epoch, in order.
    pub fn validators(&self) -> Vec<ValidatorView> {
        self.service.validators()
    }

    /// The epochs from a number on, in order: up to about 8 MiB, and at least one if it exists. Reads the
    /// disk: call it from a thread that may block.
    ///
    /// # Errors
    /// If the store fails.
    pub fn epochs(&self, from: u64) -> crate::Result<Vec<EpochView>> {
        self.service.epochs(from)
    }

    /// The committed block at `height`; `None` if there is none. Reads the disk: call it from a thread that may block.
    ///
    /// # Errors
    /// `PRUNED` below the oldest height of the [`status`](Self::status); if the store fails.
    pub fn block(&self, height: u64) -> crate::Result<Option<BlockView>> {
        self.service.block(height)
    }

    /// The committed block at `height` with the proof that it is committed; `None` if there is none. Reads the disk: call it
    /// from a thread that may block.
    ///
    /// # Errors
    /// As [`block`](Self::block).
    pub fn commit(&self, height: u64) -> crate::Result<Option<CommitView>> {
        self.service.commit(height)
    }

    /// A committed transaction with its proof of inclusion. Reads the disk: call it from a thread that may block.
    ///
    /// # Errors
    /// `PRUNED` if its block is known to be pruned; if the store fails.
    pub fn transaction(&self, id: TransactionId) -> crate::Result<Option<TransactionView>> {
        self.service.transaction(id)
    }

    /// Queries the application's state after the newest executed block. Call it from a thread that may block.
    ///
    /// # Errors
    /// If the application fails.
    pub fn query(&self, key: &[u8]) -> crate::Result<Option<Answer>> {
        self.service.query(key)
    }

    /// The newest snapshot of the state that a committed block proves. The first call starts its preparation. Call it from a
    /// thread that may block, like the next three.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot(&self) -> crate::Result<Piece<SnapshotView>> {
        self.service.snapshot()
    }

    /// The encoded head of the snapshot of a height.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_head(&self, height: u64) -> crate::Result<Piece> {
        self.service.snapshot_head(height)
    }

    /// An encoded block of the snapshot of a height.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_block(&self, height: u64, block: u64) -> crate::Result<Piece> {
        self.service.snapshot_block(height, block)
    }

    /// An encoded part of the state in the snapshot of a height.
    ///
    /// # Errors
    /// If the store fails.
    pub fn snapshot_part(&self, height: u64, part: u32) -> crate::Result<Piece> {
        self.service.snapshot_part(height, part)
    }

    /// The node's metrics.
    pub fn metrics(&self) -> &Metrics {
        self.service.metrics()
    }
}
