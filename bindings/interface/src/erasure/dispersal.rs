//! A message's shards, and what the sender commits to.

use quorate::Result;
use quorate::erasure;
use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode};

use super::{Coding, Shape, Suite};
use crate::Length;

/// Everything that determines a message's shards: code, shape, length, and the root of the tree over all shards. All
/// receivers of the same commitment decode the same message, or all decode none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(binding, record)]
pub struct Commitment(erasure::Commitment);

impl Commitment {
    /// Bytes of an encoded commitment.
    pub const LEN: u32 = 43;

    calls! {
        /// Decodes a commitment of that coding.
        /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a commitment.
        /// [`Error::WrongContext`](quorate::Error) for another coding.
        quick fn decode(bytes: &[u8], coding: &Coding) -> Result<Self> {
            erasure::Commitment::decode(bytes, &coding.0).map(Self)
        }
        /// Returns the 43 bytes.
        quick fn encode(&self) -> Vec<u8> { self.0.encode() }
        /// The erasure code.
        getter fn suite(&self) -> Suite { Suite(self.0.suite()) }
        /// Number of data and parity shards.
        getter fn shape(&self) -> Shape { Shape(self.0.shape()) }
        /// Length of the message in bytes.
        getter fn message_len(&self) -> Length { self.0.message_len() }
        /// Root of the tree over the shards. It binds neither code nor length: [`Commitment::identity`] identifies the
        /// message.
        getter fn root(&self) -> Hash { *self.0.root() }
        /// Returns the identifier of the message in votes and certificates: 32 bytes.
        quick fn identity(&self) -> Hash { self.0.identity() }
    }
}

const _: () = assert!(Commitment::LEN as usize == erasure::Commitment::LEN);

/// A shard whose path leads to the root of its commitment. Decoding a shard checks it, and only checked shards can be
/// decoded into a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object)]
pub struct CheckedShard(pub(super) erasure::CheckedShard);

impl CheckedShard {
    calls! {
        /// Returns the maximum length of an encoded shard of this coding: the limit for a link.
        quick fn max_encoded_len(coding: &Coding) -> Length {
            erasure::CheckedShard::max_encoded_len(&coding.0)
        }
        /// Decodes a shard of that coding and checks it. Cost: hashing the shard.
        /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a shard.
        /// [`Error::WrongContext`](quorate::Error) if it does not match its commitment, or for another coding.
        fn decode(bytes: &[u8], coding: &Coding) -> Result<Self> {
            erasure::CheckedShard::decode(bytes, &coding.0).map(Self)
        }
        /// Returns the canonical encoding: commitment, path, and the shard's bytes.
        fn encode(&self) -> Vec<u8> { self.0.encode() }
        /// The commitment that it belongs to.
        getter fn commitment(&self) -> Commitment { Commitment(*self.0.commitment()) }
        /// Index of the shard; the data shards come first.
        getter fn index(&self) -> usize { self.0.index() }
        /// The shard's own bytes.
        getter fn bytes(&self) -> &[u8] { self.0.bytes() }
        /// About how many bytes it holds.
        size fn size(&self) -> usize { self.0.bytes().len() }
    }
}

/// A message, all its shards, and the tree over them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object)]
pub struct Dispersal(pub(super) erasure::Dispersal);

impl Dispersal {
    calls! {
        /// The sender's commitment.
        getter fn commitment(&self) -> Commitment { Commitment(*self.0.commitment()) }
        /// The message, as a new copy each time.
        getter fn message(&self) -> &[u8] { self.0.message() }
        /// Returns the shard at this index, for the member with this index.
        /// [`Error::Malformed`](quorate::Error) for an index out of range.
        fn shard(&self, index: usize) -> Result<CheckedShard> { self.0.shard(index).map(CheckedShard) }
        /// Returns all shards, in order.
        fn shards(&self) -> Result<Vec<CheckedShard>> {
            let count = self.0.commitment().shape().shards();
            (0..count).map(|index| self.shard(index)).collect()
        }
        /// About how many bytes it holds.
        size fn size(&self) -> usize {
            self.0.shards().shape().shards().saturating_mul(self.0.shards().shard_len())
        }
    }
}

shown! {
    Commitment: |self, f| {
        f.write_str("Commitment(")?;
        self.0.root().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ", {} bytes)", self.0.message_len())
    };
    CheckedShard: |self, f|
        write!(f, "CheckedShard({} of {}, {} bytes)", self.index(), self.commitment(), self.bytes().len());
    Dispersal: |self, f| write!(f, "Dispersal({})", self.commitment());
}
