//! Encoding a message into checked shards, and decoding it.

use quorate::erasure;
use quorate::{Error, Result};

use super::{CheckedShard, Coding, Dispersal};
use crate::Locked;

/// In a module of WebAssembly all shards of a message, the coder's working memory and two copies must fit into four
/// gigabytes; otherwise an allocation fails and aborts the module.
const MAX_MODULE_SHARDS: usize = 1 << 28;

/// Encodes messages into shards and decodes them, for one coding. It holds tables and working memory, up to twice the
/// size of the largest message so far. Creating one takes longer than encoding a short message, so reuse it. Calls on
/// several threads do not wait for each other: each has working memory of its own.
#[cfg_attr(binding, object)]
#[derive(Debug)]
pub struct Coder {
    coding: Coding,
    idle: Locked<Vec<erasure::Coder>>,
}

impl Coder {
    /// Creates a coder.
    /// [`Error::BadShape`](quorate::Error) if this build does not support the code.
    /// [`Error::TooLarge`](quorate::Error) in WebAssembly, if all shards of a message together exceed 256 MiB.
    pub fn new(coding: &Coding) -> Result<Self> {
        let inner = coding.0;
        let all = inner.shard_len(inner.max_message()).saturating_mul(inner.shape().shards());
        if cfg!(target_family = "wasm") && all > MAX_MODULE_SHARDS {
            let what = "shards of a message in a module's memory";
            return Err(Error::TooLarge { what, limit: MAX_MODULE_SHARDS as u64 });
        }
        Ok(Self { coding: *coding, idle: Locked::new(vec![erasure::Coder::new(inner)?]) })
    }

    calls! {
        /// Its coding.
        getter fn coding(&self) -> Coding { self.coding }
        /// Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
        /// shards.
        /// [`Error::TooLarge`](quorate::Error) for a message that is longer than the coding allows.
        slow fn disperse(&self, message: &[u8]) -> Result<Dispersal> {
            self.run(|coder| coder.disperse(message)).map(Dispersal)
        }
    }

    /// Restores the message and all shards from at least as many shards of one commitment as there are data shards.
    /// **All members that decode shards of this commitment reach the same verdict**, whichever shards they have.
    /// [`Error::BadEncoding`](quorate::Error) if the sender committed to shards that do not encode one message; the
    /// shards, with the sender's signature on the commitment, are the evidence.
    /// [`Error::WrongContext`](quorate::Error) for shards of several commitments or of another coding.
    /// [`Error::DuplicateSigner`](quorate::Error) for two shards with the same index.
    /// [`Error::BelowQuorum`](quorate::Error) for too few shards.
    #[cfg_attr(binding, slow)]
    pub fn decode(&self, #[cfg_attr(binding, limit = 65_535)] shards: &[&CheckedShard]) -> Result<Dispersal> {
        // One shard more than the maximum suffices to report the error.
        let most = self.coding.0.shape().shards() + 1;
        let shards: Vec<_> = shards.iter().take(most).map(|shard| shard.0.clone()).collect();
        self.run(|coder| coder.decode(&shards)).map(Dispersal)
    }

    /// A coder is dropped if its user panicked.
    fn run<T>(&self, work: impl FnOnce(&mut erasure::Coder) -> Result<T>) -> Result<T> {
        let kept = self.idle.lock().pop();
        let mut coder = kept.map_or_else(|| erasure::Coder::new(self.coding.0), Ok)?;
        let done = work(&mut coder);
        self.idle.lock().push(coder);
        done
    }
}

shown! {
    Coder: |self, f| write!(f, "Coder({})", self.coding);
}
