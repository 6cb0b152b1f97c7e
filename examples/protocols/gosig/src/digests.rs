//! Digest types: the names of blocks and payloads.

use quorate_protocol::digest;

digest!(
    /// The digest of a block: the hash of its encoding. A block that is proposed again keeps its digest.
    BlockDigest
);
digest!(
    /// The digest of a [`Payload`](crate::Payload): the hash of its [`Summary`](crate::Summary).
    PayloadDigest
);
