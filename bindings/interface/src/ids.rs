//! Identifiers of chains and committees: 32 bytes each, not interchangeable.

use quorate::Result;
use quorate::committee;

use crate::exactly;

class! {
    /// Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis.
    encoded hex struct ChainId(pub committee::ChainId):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| self.0.fmt(f);
    /// Derives an identifier from a name, for tests and demonstrations. Any party that knows the name can derive it, so
    /// a live chain hashes its genesis instead.
    quick fn from_name(name: String) -> Self { Self(committee::ChainId::from_name(&name)) }
    /// Creates the identifier from exactly 32 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn from_bytes(bytes: &[u8]) -> Result<Self> {
        exactly(bytes, "chain id").map(committee::ChainId).map(Self)
    }
    /// The 32 bytes.
    getter fn bytes(&self) -> [u8; 32] { self.0.0 }
}

class! {
    /// Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers.
    encoded hex struct CommitteeId(pub committee::CommitteeId):
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| self.0.fmt(f);
    /// Creates the identifier from exactly 32 bytes.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn from_bytes(bytes: &[u8]) -> Result<Self> {
        exactly(bytes, "committee id").map(committee::CommitteeId).map(Self)
    }
    /// The 32 bytes.
    getter fn bytes(&self) -> [u8; 32] { self.0.0 }
}
