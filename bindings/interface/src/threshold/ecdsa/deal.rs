//! The public part of a deal.

use std::sync::Arc;

use quorate::Result;
use quorate::merkle::Hash;
use quorate::threshold::ecdsa;
use quorate::wire::{Decode, Encode};

use super::Plan;

class! {
    /// Public part of the deal for one epoch; its holder can verify evidence. Compare the ids: parties that hold
    /// different deals cannot sign together.
    object struct Deal(pub(super) Arc<ecdsa::Deal>): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Deal(epoch {}, {})", self.epoch(), hex::encode(self.id()));
    /// Decodes a deal.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a deal.
    /// [`Error::TooLarge`](quorate::Error) for more parties than can share a key.
    fn decode(bytes: &[u8]) -> Result<Self> {
        ecdsa::Deal::decode(bytes, &()).map(|deal| Self(Arc::new(deal)))
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Identifier: 32 bytes.
    getter fn id(&self) -> Hash { self.0.id() }
    /// Identifier of the key: 32 bytes.
    getter fn key(&self) -> [u8; 32] { self.0.key().0 }
    /// The epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// Plan of the presignatures.
    getter fn plan(&self) -> Plan { Plan(self.0.plan()) }
    /// The roots of the parties' trees of openings.
    getter fn roots(&self) -> Vec<Hash> { self.0.roots().to_vec() }
}
