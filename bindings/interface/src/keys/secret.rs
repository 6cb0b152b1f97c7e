//! Secret keys, signatures, and proofs of possession.

use core::hash::{Hash, Hasher};

use getrandom::SysRng;
use quorate::Result;
use quorate::any::{self, Suite};

use super::{PublicKey, VerifiedKey};
use crate::SecretBytes;
use crate::ciphersuite::Ciphersuite;

class! {
    /// A public key with an unverified proof of possession, as a member submits it.
    object hex struct UnverifiedKey(any::UnverifiedKey): Clone, Debug, PartialEq, Eq;
    shown |self, f| f.write_str(&hex::encode(self.encode()));
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

impl Hash for UnverifiedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.encode().hash(state);
    }
}

class! {
    /// A secret key. Its text has only the suite. It stays at one address, even while a `Guard` owns it. Other copies
    /// are not wiped when it is closed: the bytes that it was created from, the result of [`SecretKey::to_bytes`], and
    /// data that signing left in registers and on the stack.
    object secret struct SecretKey(pub any::SecretKey): Debug;
    shown |self, f| write!(f, "SecretKey({})", self.suite());
    /// Generates a key with the operating system's random number generator.
    /// [`Error::Rng`](quorate::Error) if the generator fails.
    fn generate(suite: Suite) -> Result<Self> { any::SecretKey::generate(suite, &mut SysRng).map(Self) }
    /// Decodes a key of exactly 32 bytes. The caller keeps the bytes and overwrites them.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes, or if they are not a key.
    fn from_bytes(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::SecretKey::from_bytes(suite, bytes).map(Self)
    }
    /// Returns the 32 bytes, **secret**, for a key file.
    fn to_bytes(&self) -> SecretBytes { SecretBytes::new(self.0.to_bytes().to_vec()) }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The public key. Cost: one multiplication.
    getter computed fn public_key(&self) -> PublicKey { PublicKey(self.0.public_key()) }
    /// Signs exactly these bytes. Use a `Guard` to sign anything that a protocol acts on.
    fn sign(&self, message: &[u8]) -> Signature { Signature(self.0.sign(message)) }
    /// Signs exactly these bytes for another chain, under its ciphersuite. Never sign with a key that signs quorate's
    /// statements: a `Guard` does not record it.
    /// [`Error::WrongContext`](quorate::Error) for another ciphersuite than the default, unless the suite is
    /// `bls-min-sig` or `bls-min-pk`.
    fn sign_with(&self, ciphersuite: &Ciphersuite, message: &[u8]) -> Result<Signature> {
        self.0.sign_with(&ciphersuite.0, message).map(Signature)
    }
    /// Creates a proof of possession of the key; see also `UnverifiedKey.prove`.
    fn prove_possession(&self) -> Signature { Signature(self.0.prove_possession()) }
}

functions! {
    VerifiedKey:
    /// Returns the key of a secret key, which needs no proof.
    fn from_secret(secret: &SecretKey) -> Self { Self(any::VerifiedKey::from_secret(&secret.0)) }
}

class! {
    /// A decoded signature. It is not verified yet.
    object hex struct Signature(pub any::Signature): Clone, Debug, PartialEq, Eq;
    shown |self, f| f.write_str(&hex::encode(self.encode()));
    /// Decodes a signature of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a signature.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::Signature::decode(suite, bytes).map(Self) }
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

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.encode().hash(state);
    }
}

functions! {
    PublicKey:
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
