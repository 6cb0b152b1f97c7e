use core::fmt;

use crate::wire::context::Context;
use crate::wire::domain;

const SIGNING: Context = Context::new(domain::THRESHOLD_SIGNING);

/// Identifier of a threshold key: a hash of the group, the committee, the tolerance and the public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 32]);

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({}…)", hex::encode(self.0.get(..4).unwrap_or_default()))
    }
}

/// Identifies one presignature of one key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// The key.
    pub key: KeyId,
    /// The epoch.
    pub epoch: u64,
    /// The index within the epoch.
    pub index: u32,
}

impl Slot {
    /// key 32 ‖ epoch u64 ‖ index u32.
    pub(super) fn bytes(&self) -> [u8; 44] {
        let mut bytes = [0; 44];
        let parts = self.key.0.into_iter().chain(self.epoch.to_le_bytes()).chain(self.index.to_le_bytes());
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        bytes
    }

    /// Returns a 32-byte digest of the slot and a message, unique for each key, epoch, index and message.
    pub fn digest(&self, message: &[u8]) -> [u8; 32] {
        let mut hasher = SIGNING.hasher();
        *hasher.update(&self.bytes()).update(message).finalize().as_bytes()
    }
}
