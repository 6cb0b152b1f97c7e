//! Secret keys.

use getrandom::SysRng;
use quorate::Result;
use quorate::any::{self, Suite};

use super::{PublicKey, Signature, VerifiedKey};
use crate::SecretBytes;
use crate::ciphersuite::Ciphersuite;

/// A secret key. Its text has only the suite. It stays at one address, even while a `Guard` owns it. Other copies are
/// not wiped when it is closed: the bytes that it was created from, the result of [`SecretKey::to_bytes`], and data
/// that signing left in registers and on the stack.
#[derive(Debug)]
#[cfg_attr(binding, object, secret)]
pub struct SecretKey(pub any::SecretKey);

impl SecretKey {
    calls! {
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
}

impl VerifiedKey {
    /// Returns the key of a secret key, which needs no proof.
    pub fn from_secret(secret: &SecretKey) -> Self {
        Self(any::VerifiedKey::from_secret(&secret.0))
    }
}

shown! {
    SecretKey: |self, f| write!(f, "SecretKey({})", self.suite());
}
