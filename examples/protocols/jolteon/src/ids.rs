//! Names of things, and the kinds of statements that members sign.

use quorate::certificate::{Kind, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
pub use quorate_protocol::batch::{BatchDigest, Slot};
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
/// The statement that a member signs to acknowledge that it stores the batch `digest` in `slot`.
pub fn availability(slot: Slot, identities: &Committee<Ed25519>, digest: BatchDigest) -> Statement {
    identities.statement(AVAILABLE, slot.view(), digest.0)
}
