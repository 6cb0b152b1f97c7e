//! What a chain of blocks says, as of its last block: a function of the blocks alone.

use quorate::Result;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};

use crate::block::{Block, Committees};
use crate::leader::{Link, Standings};
use crate::sequence::Inventory;

/// Which batches the chain has and how its members stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainState {
    /// The batches of each author.
    pub inventory: Inventory,
    /// The standing of each member.
    pub standings: Standings,
}

impl ChainState {
    /// Of the genesis.
    pub fn new(members: u16) -> Self {
        Self { inventory: Inventory::new(members), standings: Standings::new(members) }
    }

    /// The state after `block`, whose parent is `parent`; and whether each of its batches was admitted. What was
    /// not is left out.
    pub fn after<S: Scheme>(
        &self,
        committees: &Committees<S>,
        parent: Option<&Block<S>>,
        block: &Block<S>,
    ) -> (Self, bool) {
        let link = Link {
            parent_view: block.parent_view(),
            parent_author: parent.map(|parent| parent.author),
            signers: block.justify.as_ref().map(|qc| qc.signers()),
            height: block.height,
            view: block.view,
            author: block.author,
        };
        let standings = self.standings.after(&committees.voters, link);
        let mut inventory = self.inventory.clone();
        let mut admitted = true;
        for batch in &block.payload {
            admitted &= inventory.note(batch.header.slot);
        }
        (Self { inventory, standings }, admitted)
    }
}

impl Encode for ChainState {
    fn encode_to(&self, w: &mut Writer) {
        self.inventory.encode_to(w);
        self.standings.encode_to(w);
    }
}

impl Decode for ChainState {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { inventory: Inventory::decode_from(r, &())?, standings: Standings::decode_from(r, &())? })
    }
}
