//! Public keys.

use quorate::Result;
use quorate::any::{self, Suite};

class! {
    /// A decoded public key: canonical, in the subgroup and not the neutral element. It does not prove possession of
    /// the secret key: committees require a [`VerifiedKey`].
    object hex struct PublicKey(pub any::PublicKey): Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| f.write_str(&hex::encode(self.encode()));
    /// Decodes a key of that suite. Cost (BLS): a square root and a subgroup check.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a key.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::NotInSubgroup`](quorate::Error) for a point outside the subgroup.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::PublicKey::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
}

class! {
    /// A public key whose owner proved possession of the secret key. Only `UnverifiedKey.verify` and
    /// [`VerifiedKey::from_secret`] create one; a committee accepts nothing less.
    object hex struct VerifiedKey(pub(crate) any::VerifiedKey):
        Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| self.public().fmt(f);
    /// The key.
    getter fn public(&self) -> PublicKey { PublicKey(self.0.public()) }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
}
