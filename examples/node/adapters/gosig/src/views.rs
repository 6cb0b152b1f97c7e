//! Implementations of the node's block and batch traits for Gosig's blocks and payloads.

use quorate::machine::MemberIndex;
use quorate::merkle::{Hash, Path};
use quorate_gosig::{BlockDigest, GosigScheme, Payload, PayloadDigest, Transaction};
use quorate_node::protocol::{Batch, BatchSummary, Block, Executed};

use crate::Gosig;

impl<S: GosigScheme> Block<Gosig<S>> for quorate_gosig::Block<S> {
    fn digest(&self) -> Hash {
        let BlockDigest(digest) = Self::digest(self);
        digest
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn view(&self) -> u64 {
        self.round
    }

    fn height(&self) -> u64 {
        self.height
    }

    fn author(&self) -> Option<MemberIndex> {
        Some(self.author)
    }

    fn parent(&self) -> Hash {
        self.parent.0
    }

    fn timestamp(&self) -> u64 {
        self.timestamp
    }

    fn executed(&self) -> Executed {
        self.executed
    }

    /// One batch, whose sequence number is the height of the block; none if the block has no transactions.
    fn payload(&self) -> Vec<BatchSummary> {
        let part = BatchSummary {
            digest: self.payload.digest().0,
            author: self.author,
            sequence: self.height,
            count: self.payload.count,
            bytes: self.payload.bytes,
            root: self.payload.root,
        };
        Some(part).filter(|part| part.count > 0).into_iter().collect()
    }
}

impl<S: GosigScheme> Batch<Gosig<S>> for Payload {
    fn digest(&self) -> Hash {
        let PayloadDigest(digest) = Self::digest(self);
        digest
    }

    fn ids(&self) -> &[Hash] {
        Self::ids(self)
    }

    fn transactions(&self) -> impl Iterator<Item = &[u8]> {
        Self::transactions(self).iter().map(Transaction::bytes)
    }

    fn transaction(&self, position: usize) -> Option<&[u8]> {
        Self::transaction(self, position).map(Transaction::bytes)
    }

    fn path(&self, position: usize) -> quorate::Result<Path> {
        Self::path(self, position)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}
