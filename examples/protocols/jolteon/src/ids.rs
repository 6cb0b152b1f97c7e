//! Names of things, and the kinds of statements that members sign.

use quorate::certificate::{Kind, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_protocol::digest;

/// A vote for a block, with the voting key: view = the block's, digest = the block's.
pub const BLOCK: Kind = Kind::new(1);
/// A timeout of a view, with the voting key. The core makes these statements.
pub const TIMEOUT: Kind = Kind::new(2);
/// The author's signature under a block, with the identity key: view and digest are the block's.
pub const PROPOSAL: Kind = Kind::new(3);
/// "I hold this batch", with the identity key: view = [`Slot::view`], digest = the batch's. As the view names the
/// slot, acknowledging two batches in one slot is an equivocation that can be proved like any other.
pub const AVAILABLE: Kind = Kind::new(4);

digest!(
    /// The name of a block: the hash of everything in it but its author's signature.
    BlockDigest
);
digest!(
    /// The name of a batch: the hash of its header.
    BatchDigest
);

/// A place for one batch: the author's batch number `sequence`. At most one batch per slot is ever committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Who fills it.
    pub author: MemberIndex,
    /// From 1 to 2⁴⁸ − 1.
    pub sequence: u64,
}

impl Slot {
    /// A slot.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the sequence is 0 or has more than 48 bits.
    pub fn new(author: MemberIndex, sequence: u64) -> Result<Self> {
        if sequence == 0 || sequence >= 1 << 48 {
            return Err(Error::Malformed { what: "sequence of a batch" });
        }
        Ok(Self { author, sequence })
    }

    /// The slot as one number: author × 2⁴⁸ + sequence.
    pub fn view(self) -> u64 {
        u64::from(self.author) << 48 | self.sequence
    }

    /// What a member signs that holds the batch `digest` in this slot.
    pub fn statement(self, identities: &Committee<Ed25519>, digest: BatchDigest) -> Statement {
        identities.statement(AVAILABLE, self.view(), digest.0)
    }

    /// Returns the slot named by a statement of kind [`AVAILABLE`].
    pub fn from_statement(statement: &Statement) -> Self {
        Self { author: (statement.view >> 48) as u16, sequence: statement.view & ((1 << 48) - 1) }
    }
}

impl Encode for Slot {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.author);
        w.u64(self.sequence);
    }
}

impl Decode for Slot {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Self::new(r.u16()?, r.u64()?)
    }
}
