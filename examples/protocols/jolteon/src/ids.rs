//! Digests, slots, and the kinds of signed statements.

use quorate::certificate::{Kind, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
pub use quorate_protocol::batch::{BatchDigest, Slot};
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
/// Returns the statement with which a member acknowledges that it stores the batch `digest` in `slot`.
pub fn availability(slot: Slot, identities: &Committee<Ed25519>, digest: BatchDigest) -> Statement {
    identities.statement(AVAILABLE, slot.view(), digest.0)
}
