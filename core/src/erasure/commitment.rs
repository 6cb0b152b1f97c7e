//! The sender's commitment to its shards, and shards verified against it.

use alloc::sync::Arc;

use super::shape::{Coding, ErasureSuite, Shape};
use crate::merkle::{Hash, Merkle, Path};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The Merkle tree over the shards of a message.
pub(super) const TREE: Merkle<'_> = Merkle::new(domain::ERASURE_SHARD, domain::ERASURE_NODE);

/// A commitment to the shards of a message: code, shape, message length, and the Merkle root of all data and parity
/// shards. All members that decode shards of the same commitment obtain the same message, or all reject it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commitment {
    suite: ErasureSuite,
    shape: Shape,
    message_len: u32,
    root: Hash,
}

/// A shard whose Merkle path was verified against its commitment. Decoding the bytes verifies the path, and only
/// checked shards can be decoded to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedShard {
    commitment: Commitment,
    path: Path,
    leaf: Hash,
    /// Shared by the copies of the shard.
    bytes: Arc<[u8]>,
}

impl Commitment {
    /// Length of an encoded commitment in bytes.
    pub const LEN: usize = 43;

    pub(super) fn new(coding: &Coding, message_len: usize, root: Hash) -> Result<Self> {
        let limit = coding.max_message() as u64;
        let too_large = Error::TooLarge { what: "erasure-coded message", limit };
        let message_len = u32::try_from(message_len).map_err(|_| too_large)?;
        Ok(Self { suite: coding.suite(), shape: coding.shape(), message_len, root })
    }

    /// Returns the code.
    pub fn suite(&self) -> ErasureSuite {
        self.suite
    }

    /// Returns the numbers of data and parity shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the length of the message in bytes.
    pub fn message_len(&self) -> usize {
        self.message_len as usize
    }

    /// Returns the root of the tree over the shards. It determines neither code nor length: to identify a message,
    /// use [`identity`](Commitment::identity).
    pub fn root(&self) -> &Hash {
        &self.root
    }

    /// Returns the hash of the whole commitment, by which votes and certificates identify the message. Cost: two
    /// compressions.
    pub fn identity(&self) -> Hash {
        domain::hash(domain::ERASURE_ID, &self.encode())
    }

    /// Checks that this commitment belongs to the coding.
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
    /// Returns the maximum length of an encoded shard of this coding, as a limit for a link.
    pub fn max_encoded_len(coding: &Coding) -> usize {
        let siblings = coding.shape().shards().next_power_of_two().trailing_zeros() as usize;
        Commitment::LEN + 8 + 32 * siblings + coding.shard_len(coding.max_message())
    }

    /// Returns the commitment.
    pub fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// Returns the index of the shard; the data shards come first.
    pub fn index(&self) -> usize {
        self.path.index() as usize
    }

    /// Returns the bytes of the shard.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the leaf of the shard in the tree.
    pub(super) fn leaf(&self) -> &Hash {
        &self.leaf
    }

    /// Creates a shard of a local dispersal, which needs no verification.
    pub(super) fn trusted(commitment: Commitment, path: Path, leaf: Hash, bytes: &[u8]) -> Self {
        Self { commitment, path, leaf, bytes: bytes.into() }
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
        let (suite, shape) = (ErasureSuite::decode_from(r, &())?, Shape::decode_from(r, &())?);
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

/// Verifies the path while decoding. Cost: the hash of the shard, and a compression for each level of the tree.
impl Decode<Coding> for CheckedShard {
    fn decode_from(r: &mut Reader<'_>, coding: &Coding) -> Result<Self> {
        let commitment = Commitment::decode_from(r, coding)?;
        let path = Path::decode_from(r, &())?;
        if path.count() as usize != commitment.shape.shards() {
            return Err(Error::Malformed {
                what: "path of a shard: number of leaves differs from the shape",
            });
        }
        let bytes = r.raw(coding.shard_len(commitment.message_len()))?;
        let leaf = TREE.leaf(bytes);
        TREE.verify(&commitment.root, &leaf, &path)?;
        Ok(Self { commitment, path, leaf, bytes: bytes.into() })
    }
}
