//! Names of things, and the kinds of statements that members sign.

use quorate::certificate::Kind;
use quorate_protocol::digest;

/// "I prepare this block" (the paper's P message), with the voting key: view = the round, digest = a hash of the block's
/// height and digest. Members sum these.
pub const PREPARE: Kind = Kind::new(1);
/// "I commit this block tentatively" (the paper's TC message): a quorum prepared it, and I hold all of it. Voting key,
/// view and digest as for [`PREPARE`].
pub const TENTATIVE: Kind = Kind::new(2);
/// A proposer's signature under a [`Proposal`](crate::Proposal), with the identity key: view = the round, digest = the
/// proposal's.
pub const PROPOSAL: Kind = Kind::new(3);
/// A proposer's signature under a [`Segment`](crate::Segment), with the identity key: view = the round, digest = the
/// segment's. One signs as many in a round as its block has segments: two of them contradict nothing.
pub const SEGMENT: Kind = Kind::new(4);

digest!(
    /// The name of a block: the hash of everything in it. A block that is proposed again keeps it.
    BlockDigest
);
digest!(
    /// The name of a [`Payload`](crate::Payload): the hash of its [`Summary`](crate::Summary).
    PayloadDigest
);
