//! Blocks and batches as the node sees them.
//!
//! Both traits have the protocol as a type parameter, so that an adapter crate can implement them for types of a
//! protocol crate: Rust allows a foreign trait for a foreign type if one of the trait's parameters is local.

use std::fmt;

use quorate::machine::MemberIndex;
use quorate::merkle::{Hash, Path};
use quorate_protocol::Executed;

/// A block of the protocol `P`.
pub trait Block<P>: Clone + fmt::Debug + Eq + Send + Sync + 'static {
    /// Digest that identifies the block.
    fn digest(&self) -> Hash;
    /// Epoch of the committee that ordered it.
    fn epoch(&self) -> u64;
    /// View, or round, in which it was proposed.
    fn view(&self) -> u64;
    /// Height in the chain; the first block has height 1.
    fn height(&self) -> u64;
    /// The member that proposed it; `None` if the members made it together.
    fn author(&self) -> Option<MemberIndex>;
    /// Digest of the parent block.
    fn parent(&self) -> Hash;
    /// The author's clock, in microseconds since 1970; 0 if the protocol has no clock.
    fn timestamp(&self) -> u64;
    /// The application state that the block states.
    fn executed(&self) -> Executed;
    /// The batches that it orders, in order.
    fn payload(&self) -> Vec<BatchSummary>;
}

/// Description of a batch in the block that orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSummary {
    /// Digest that identifies the batch.
    pub digest: Hash,
    /// The member that made the batch.
    pub author: MemberIndex,
    /// Sequence number among the author's batches.
    pub sequence: u64,
    /// Number of transactions.
    pub count: u32,
    /// Size of the body in bytes: each transaction and its 4-byte length.
    pub bytes: u32,
    /// Merkle root of the transactions.
    pub root: Hash,
}

/// A batch of transactions of the protocol `P`, stored as one piece.
pub trait Batch<P>: fmt::Debug + Send + Sync + 'static {
    /// Digest that identifies the batch.
    fn digest(&self) -> Hash;
    /// Identifiers of its transactions, in order.
    fn ids(&self) -> &[Hash];
    /// Its transactions, in order.
    fn transactions(&self) -> impl Iterator<Item = &[u8]>;
    /// The transaction at a position.
    fn transaction(&self, position: usize) -> Option<&[u8]>;
    /// Merkle path from the transaction at `position` to the root.
    ///
    /// # Errors
    /// If the batch has no transaction at this position.
    fn path(&self, position: usize) -> quorate::Result<Path>;
    /// Size of the body in bytes: each transaction and its 4-byte length.
    fn bytes(&self) -> usize;
}

/// A protocol that orders client batches as they are uses them as its batch type.
impl<P> Batch<P> for quorate_protocol::batch::Batch {
    fn digest(&self) -> Hash {
        Self::digest(self).0
    }

    fn ids(&self) -> &[Hash] {
        Self::ids(self)
    }

    fn transactions(&self) -> impl Iterator<Item = &[u8]> {
        Self::transactions(self)
    }

    fn transaction(&self, position: usize) -> Option<&[u8]> {
        Self::transaction(self, position)
    }

    fn path(&self, position: usize) -> quorate::Result<Path> {
        Self::path(self, position)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}
