//! A message becomes shards to which the sender commits, and a coder restores it from them.

use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result, erasure};

use super::{Coding, Shape, Suite};
use crate::{Length, Locked};

/// In a module of WebAssembly all shards of a message, the coder's working memory and two copies must fit into four
/// gigabytes; otherwise an allocation fails and aborts the module.
const MAX_MODULE_SHARDS: usize = 1 << 28;

class! {
    /// Encodes messages into shards and decodes them, for one coding. It holds tables and working memory, up to twice
    /// the size of the largest message so far. Creating one takes longer than encoding a short message, so reuse it.
    /// Calls on several threads do not wait for each other: each has working memory of its own.
    object struct Coder { coding: Coding, idle: Locked<Vec<erasure::Coder>> }: Debug;
    shown |self, f| write!(f, "Coder({})", self.coding);
    /// Creates a coder.
    /// [`Error::BadShape`](quorate::Error) if this build does not support the code.
    /// [`Error::TooLarge`](quorate::Error) in WebAssembly, if all shards of a message together exceed 256 MiB.
    fn new(coding: &Coding) -> Result<Self> {
        let inner = coding.0;
        let all = inner.shard_len(inner.max_message()).saturating_mul(inner.shape().shards());
        if cfg!(target_family = "wasm") && all > MAX_MODULE_SHARDS {
            let what = "shards of a message in a module's memory";
            return Err(Error::TooLarge { what, limit: MAX_MODULE_SHARDS as u64 });
        }
        Ok(Self { coding: *coding, idle: Locked::new(vec![erasure::Coder::new(inner)?]) })
    }
    /// Its coding.
    getter fn coding(&self) -> Coding { self.coding }
    /// Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
    /// shards.
    /// [`Error::TooLarge`](quorate::Error) for a message that is longer than the coding allows.
    slow fn disperse(&self, message: &[u8]) -> Result<Dispersal> {
        self.run(|coder| coder.disperse(message)).map(Dispersal)
    }
    /// Restores the message and all shards from at least as many shards of one commitment as there are data shards.
    /// **All members that decode shards of this commitment reach the same verdict**, whichever shards they have.
    /// [`Error::BadEncoding`](quorate::Error) if the sender committed to shards that do not encode one message; the
    /// shards, with the sender's signature on the commitment, are the evidence.
    /// [`Error::WrongContext`](quorate::Error) for shards of several commitments or of another coding.
    /// [`Error::DuplicateSigner`](quorate::Error) for two shards with the same index.
    /// [`Error::BelowQuorum`](quorate::Error) for too few shards.
    slow fn decode(&self, #[cfg_attr(binding, limit = 65_535)] shards: &[&CheckedShard]) -> Result<Dispersal> {
        // One shard more than the maximum suffices to report the error.
        let most = self.coding.0.shape().shards() + 1;
        let shards: Vec<_> = shards.iter().take(most).map(|shard| shard.0.clone()).collect();
        self.run(|coder| coder.decode(&shards)).map(Dispersal)
    }
}

impl Coder {
    /// A coder is dropped if its user panicked.
    fn run<T>(&self, work: impl FnOnce(&mut erasure::Coder) -> Result<T>) -> Result<T> {
        let kept = self.idle.lock().pop();
        let mut coder = kept.map_or_else(|| erasure::Coder::new(self.coding.0), Ok)?;
        let done = work(&mut coder);
        self.idle.lock().push(coder);
        done
    }
}

class! {
    /// Everything that determines a message's shards: code, shape, length, and the root of the tree over all shards.
    /// All receivers of the same commitment decode the same message, or all decode none.
    record struct Commitment(erasure::Commitment): Clone, Copy, Debug, PartialEq, Eq, Hash;
    shown |self, f| {
        f.write_str("Commitment(")?;
        self.0.root().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ", {} bytes)", self.0.message_len())
    };
    const LEN: u32 = 43 == erasure::Commitment::LEN, "Bytes of an encoded commitment.";
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

class! {
    /// A shard whose path leads to the root of its commitment. Decoding a shard checks it, and only checked shards can
    /// be decoded into a message.
    object struct CheckedShard(pub(super) erasure::CheckedShard): Clone, Debug, PartialEq, Eq;
    shown |self, f|
        write!(f, "CheckedShard({} of {}, {} bytes)", self.index(), self.commitment(), self.bytes().len());
    /// Returns the maximum length of an encoded shard of this coding: the limit for a link.
    quick fn max_encoded_len(coding: &Coding) -> Length { erasure::CheckedShard::max_encoded_len(&coding.0) }
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

class! {
    /// A message, all its shards, and the tree over them.
    #[cfg_attr(binding, instead = "send its shards and decode them there")]
    object struct Dispersal(pub(super) erasure::Dispersal): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Dispersal({})", self.commitment());
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
