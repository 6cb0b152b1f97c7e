//! The kinds of statements that members sign.

use quorate::certificate::Kind;

/// A vote to prepare a block (the paper's P message), signed with the voting key. View: the round. Digest: a hash of the
/// block's height and digest. Members aggregate these votes.
pub const PREPARE: Kind = Kind::new(1);
/// A vote to commit a block tentatively (the paper's TC message): a quorum prepared the block, and the signer holds all of
/// its transactions. Key, view and digest as for [`PREPARE`].
pub const TENTATIVE: Kind = Kind::new(2);
/// A proposer's signature on a [`Proposal`](crate::Proposal), with the identity key. View: the round. Digest: the
/// proposal's.
pub const PROPOSAL: Kind = Kind::new(3);
/// A proposer's signature on a [`Segment`](crate::Segment), with the identity key. View: the round. Digest: the segment's.
/// A proposer signs one per segment of its block, so two of them in one round are no equivocation.
pub const SEGMENT: Kind = Kind::new(4);
