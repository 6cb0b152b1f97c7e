//! State derived from a chain of blocks: a function of the blocks alone.

use quorate::Result;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};

use crate::block::{Block, Committees};
use crate::leader::{LeaderReputation, ReputationUpdate};
use crate::sequence::Inventory;

/// Included batches and leader reputation of a chain, as of its last block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainState {
    /// Included batches of each author.
    pub inventory: Inventory,
    /// Reputation of each member.
    pub reputation: LeaderReputation,
    /// Height of the last block with batches; 0 if there is none.
    pub payload_height: u64,
    /// Height up to which the chain itself proves commitment: the highest block whose child, of the next view, is
    /// certified by a block of the chain.
    pub final_height: u64,
}

impl ChainState {
    /// Creates the state of the genesis.
    pub fn new(members: u16) -> Self {
        Self {
            inventory: Inventory::new(members),
            reputation: LeaderReputation::new(members),
            payload_height: 0,
            final_height: 0,
        }
    }

    /// Returns the [`final_height`](Self::final_height) of a block that extends `parent`, the last block of this
    /// state.
    pub fn final_above<S: Scheme>(&self, parent: Option<&Block<S>>) -> u64 {
        match parent {
            Some(parent) if parent.parent_view().checked_add(1) == Some(parent.view) => {
                self.final_height.max(parent.height.saturating_sub(1))
            }
            _ => self.final_height,
        }
    }

    /// Returns the state after `block`, a child of `parent`, and whether all its batches were admitted. Batches that
    /// are not admitted are skipped.
    pub fn after<S: Scheme>(
        &self,
        committees: &Committees<S>,
        parent: Option<&Block<S>>,
        block: &Block<S>,
    ) -> (Self, bool) {
        let link = ReputationUpdate {
            parent_view: block.parent_view(),
            parent_author: parent.map(|parent| parent.author),
            signers: block.justify.as_ref().map(|qc| qc.signers()),
            height: block.height,
            view: block.view,
            author: block.author,
        };
        let reputation = self.reputation.after(&committees.voters, link);
        let mut inventory = self.inventory.clone();
        let mut admitted = true;
        for batch in &block.payload {
            admitted &= inventory.include(batch.header.slot);
        }
        let payload_height = if block.payload.is_empty() { self.payload_height } else { block.height };
        let final_height = self.final_above(parent);
        (Self { inventory, reputation, payload_height, final_height }, admitted)
    }
}

impl Encode for ChainState {
    fn encode_to(&self, w: &mut Writer) {
        self.inventory.encode_to(w);
        self.reputation.encode_to(w);
        w.u64(self.payload_height);
        w.u64(self.final_height);
    }
}

impl Decode for ChainState {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            inventory: Inventory::decode_from(r, &())?,
            reputation: LeaderReputation::decode_from(r, &())?,
            payload_height: r.u64()?,
            final_height: r.u64()?,
        })
    }
}
