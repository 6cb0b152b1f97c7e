//! Implementation of the node's block trait for ABFT's blocks.

use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate_node::protocol::{BatchSummary, Block, Executed};
use quorate_protocol::batch::BatchHeader;

use crate::Abft;
use crate::keys::ChainScheme;

impl<S: ChainScheme> Block<Abft<S>> for quorate_abft::chain::Block {
    fn digest(&self) -> Hash {
        Self::digest(self).0
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn view(&self) -> u64 {
        self.height
    }

    fn height(&self) -> u64 {
        self.height
    }

    fn author(&self) -> Option<MemberIndex> {
        None
    }

    fn parent(&self) -> Hash {
        self.parent.0
    }

    fn timestamp(&self) -> u64 {
        0
    }

    fn executed(&self) -> Executed {
        self.executed
    }

    fn payload(&self) -> Vec<BatchSummary> {
        let summary = |header: &BatchHeader| BatchSummary {
            digest: header.digest().0,
            author: header.slot.author,
            sequence: header.slot.sequence,
            count: header.count,
            bytes: header.bytes,
            root: header.root,
        };
        self.payload.iter().map(summary).collect()
    }
}
