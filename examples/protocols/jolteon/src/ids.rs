//! Digests, slots, and the kinds of signed statements.

use quorate::certificate::{Kind, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_protocol::digest;

/// Vote for a block, with the voting key. View and digest are the block's.
pub const BLOCK: Kind = Kind::new(1);
/// Timeout of a view, with the voting key. The core creates these statements.
pub const TIMEOUT: Kind = Kind::new(2);
/// Author's signature of a block, with the identity key. View and digest are the block's.
pub const PROPOSAL: Kind = Kind::new(3);
/// Acknowledgement of a stored batch, with the identity key.
///
/// The view is [`Slot::view`], the digest the batch's. Since the view names the slot, acknowledging two batches in
/// one slot is a provable equivocation.
pub const AVAILABLE: Kind = Kind::new(4);

digest!(
    /// Digest of a block: the hash of all its fields except the author's signature.
    BlockDigest
);
digest!(
    /// Digest of a batch: the hash of its header.
    BatchDigest
);

/// Position of one batch: the author and its batch number. At most one batch per slot is ever committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The author of the batch.
    pub author: MemberIndex,
    /// The author's batch number, from 1 to 2⁴⁸ − 1.
    pub sequence: u64,
}

impl Slot {
    /// Creates a slot.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the sequence is 0 or has more than 48 bits.
    pub fn new(author: MemberIndex, sequence: u64) -> Result<Self> {
        if sequence == 0 || sequence >= 1 << 48 {
            return Err(Error::Malformed { what: "sequence of a batch" });
        }
        Ok(Self { author, sequence })
    }

    /// Returns the slot as one number: author × 2⁴⁸ + sequence.
    pub fn view(self) -> u64 {
        u64::from(self.author) << 48 | self.sequence
    }

    /// Returns the statement that acknowledges the batch `digest` in this slot.
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
