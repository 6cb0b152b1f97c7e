//! What a sender commits to, and shards that were checked against it.

use alloc::vec::Vec;

use super::{Coding, Shape, Suite};
use crate::merkle::{Hash, Merkle, Path};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The tree over the shards of a message.
pub(super) const TREE: Merkle<'_> = Merkle::new(domain::ERASURE_SHARD, domain::ERASURE_NODE);

/// All that decides what a message's shards are: code, shape, length, and the root of the tree over all shards, the
/// parity shards included. Who receives the same commitment decodes the same message or, with everybody else, none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commitment {
    suite: Suite,
    shape: Shape,
    message_len: u32,
    root: Hash,
}

/// A shard whose path leads to the root of its commitment. There is no other way to get one than to check it, and
/// nothing else can be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedShard {
    commitment: Commitment,
    path: Path,
    leaf: Hash,
    bytes: Vec<u8>,
}

impl Commitment {
    /// Bytes of an encoded commitment.
    pub const LEN: usize = 43;

    pub(super) fn new(coding: &Coding, message_len: usize, root: Hash) -> Result<Self> {
        let limit = coding.max_message() as u64;
        let too_large = Error::TooLarge { what: "erasure-coded message", limit };
        let message_len = u32::try_from(message_len).map_err(|_| too_large)?;
        Ok(Self { suite: coding.suite(), shape: coding.shape(), message_len, root })
    }

    /// The code.
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// How many shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Bytes of the message.
    pub fn message_len(&self) -> usize {
        self.message_len as usize
    }

    /// The root of the tree over the shards. It fixes neither the code nor the length: to name a message, use
    /// [`identity`](Commitment::identity).
    pub fn root(&self) -> &Hash {
        &self.root
    }

    /// What votes and certificates name the message by: the hash of all of the commitment. Cost: two compressions.
    pub fn identity(&self) -> Hash {
        domain::hash(domain::ERASURE_ID, &self.encode())
    }

    /// Whether this commitment is one of the coding.
    pub(super) fn fits(&self, coding: &Coding) -> Result<()> {
        if (self.suite, self.shape) != (coding.suite(), coding.shape()) {
            return Err(Error::WrongContext { what: "code or shape of the shards" });
        }
        if self.message_len() > coding.max_message() {
            let limit = coding.max_message() as u64;
            return Err(Error::TooLarge { what: "erasure-coded message", limit });
        }
        Ok(())
    }
}

impl CheckedShard {
    /// The most bytes that an encoded shard of this coding has: what a link should let through.
    pub fn max_encoded_len(coding: &Coding) -> usize {
        let siblings = coding.shape().shards().next_power_of_two().trailing_zeros() as usize;
        Commitment::LEN + 8 + 32 * siblings + coding.shard_len(coding.max_message())
    }

    /// What it belongs to.
    pub fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// Its place: the data shards come first.
    pub fn index(&self) -> usize {
        self.path.index() as usize
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its leaf in the tree.
    pub(super) fn leaf(&self) -> &Hash {
        &self.leaf
    }

    /// A shard of one's own making, which needs no check.
    pub(super) fn made(commitment: Commitment, path: Path, leaf: Hash, bytes: &[u8]) -> Self {
        Self { commitment, path, leaf, bytes: bytes.to_vec() }
    }
}

impl Encode for Commitment {
    fn encode_to(&self, w: &mut Writer) {
        self.suite.encode_to(w);
        self.shape.encode_to(w);
        w.u32(self.message_len);
        w.raw(&self.root);
    }
}

impl Decode<Coding> for Commitment {
    fn decode_from(r: &mut Reader<'_>, coding: &Coding) -> Result<Self> {
        let (suite, shape) = (Suite::decode_from(r, &())?, Shape::decode_from(r, &())?);
        suite.allow(shape)?;
        let commitment = Self { suite, shape, message_len: r.u32()?, root: r.array()? };
        commitment.fits(coding)?;
        Ok(commitment)
    }
}

impl Encode for CheckedShard {
    fn encode_to(&self, w: &mut Writer) {
        self.commitment.encode_to(w);
        self.path.encode_to(w);
        w.raw(&self.bytes);
    }
}

/// Checks as it decodes. Cost: the hash of the shard, and a compression for each level of the tree.
impl Decode<Coding> for CheckedShard {
    fn decode_from(r: &mut Reader<'_>, coding: &Coding) -> Result<Self> {
        let commitment = Commitment::decode_from(r, coding)?;
        let path = Path::decode_from(r, &())?;
        if path.count() as usize != commitment.shape.shards() {
            return Err(Error::Malformed { what: "path of a shard: not a tree of so many" });
        }
        let bytes = r.raw(coding.shard_len(commitment.message_len()))?;
        let leaf = TREE.leaf(bytes);
        TREE.verify(&commitment.root, &leaf, &path)?;
        Ok(Self { commitment, path, leaf, bytes: bytes.to_vec() })
    }
}
