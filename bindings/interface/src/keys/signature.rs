//! Signatures, and what public keys verify.

use core::hash::{Hash, Hasher};

use quorate::Result;
use quorate::any::{self, Suite};

use super::PublicKey;
use crate::ciphersuite::Ciphersuite;

/// A decoded signature. It is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object, hex)]
pub struct Signature(pub any::Signature);

impl Signature {
    calls! {
        /// Decodes a signature of that suite.
        /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
        /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
        /// [`Error::Infinity`](quorate::Error) for the neutral element.
        fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
            any::Signature::decode(suite, bytes).map(Self)
        }
        /// Returns the canonical encoding.
        fn encode(&self) -> Vec<u8> { self.0.encode() }
        /// Decodes the form for direct links, which is uncompressed where that saves a square root.
        /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
        /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
        /// [`Error::Infinity`](quorate::Error) for the neutral element.
        fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
            any::Signature::decode_link(suite, bytes).map(Self)
        }
        /// Returns the form for direct links: longer, and faster to decode.
        fn encode_link(&self) -> Vec<u8> { self.0.encode_link() }
        /// The signature scheme.
        getter fn suite(&self) -> Suite { self.0.suite() }
    }
}

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.encode().hash(state);
    }
}

impl PublicKey {
    calls! {
        /// Verifies that the owner of this key signed exactly these bytes.
        /// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
        /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
        /// [`Error::WrongContext`](quorate::Error) for a signature of another suite.
        slow fn verify(&self, message: &[u8], signature: &Signature) -> Result<()> {
            self.0.verify(message, &signature.0)
        }
        /// Verifies that the owner of this key signed exactly these bytes for another chain, under its ciphersuite. Cost
        /// (BLS): one hash to the curve, one subgroup check, two pairings.
        /// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
        /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
        /// [`Error::WrongContext`](quorate::Error) for a signature of another suite, and for another ciphersuite than the
        /// default, unless the suite is `bls-min-sig` or `bls-min-pk`.
        slow fn verify_with(
            &self,
            ciphersuite: &Ciphersuite,
            message: &[u8],
            signature: &Signature,
        ) -> Result<()> {
            self.0.verify_with(&ciphersuite.0, message, &signature.0)
        }
        /// Verifies a proof of possession.
        /// [`Error::BadPossession`](quorate::Error) if the proof is not valid.
        /// [`Error::WrongContext`](quorate::Error) for a proof of another suite.
        slow fn verify_possession(&self, possession: &Signature) -> Result<()> {
            self.0.verify_possession(&possession.0)
        }
    }
}

shown! {
    Signature: |self, f| f.write_str(&hex::encode(self.encode()));
}
