//! Proofs of possession.

use core::hash::{Hash, Hasher};

use quorate::Result;
use quorate::any::{self, Suite};

use super::{PublicKey, SecretKey, Signature, VerifiedKey};

/// A public key with an unverified proof of possession, as a member submits it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object, hex)]
pub struct UnverifiedKey(any::UnverifiedKey);

impl UnverifiedKey {
    calls! {
        /// Combines a received key and proof.
        /// [`Error::WrongContext`](quorate::Error) if they have different suites.
        quick fn new(public: &PublicKey, possession: &Signature) -> Result<Self> {
            any::UnverifiedKey::new(public.0.clone(), possession.0.clone()).map(Self)
        }
        /// Returns the key of `secret` with a new proof.
        fn prove(secret: &SecretKey) -> Self { Self(any::UnverifiedKey::prove(&secret.0)) }
        /// Decodes a key of that suite, and its proof.
        /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a key and a proof.
        /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
        /// [`Error::NotInSubgroup`](quorate::Error) for a key outside the subgroup.
        /// [`Error::Infinity`](quorate::Error) for the neutral element.
        fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
            any::UnverifiedKey::decode(suite, bytes).map(Self)
        }
        /// Returns the key's bytes, then the proof's.
        fn encode(&self) -> Vec<u8> { self.0.encode() }
        /// The signature scheme.
        getter fn suite(&self) -> Suite { self.0.suite() }
        /// The key; it is unproven.
        getter fn public(&self) -> PublicKey { PublicKey(self.0.public()) }
        /// The proof as received.
        getter fn possession(&self) -> Signature { Signature(self.0.possession()) }
        /// Verifies the proof. Cost: one signature verification.
        /// [`Error::BadPossession`](quorate::Error) if the proof is not valid.
        slow fn verify(&self) -> Result<VerifiedKey> { self.0.verify().map(VerifiedKey) }
    }
}

impl Hash for UnverifiedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.encode().hash(state);
    }
}

shown! {
    UnverifiedKey: |self, f| f.write_str(&hex::encode(self.encode()));
}
