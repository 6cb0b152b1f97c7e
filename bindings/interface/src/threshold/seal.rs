//! Sealed files: a dealer's delivery to each party over any channel, by X25519 and ChaCha20-Poly1305.
//!
//! **A seal encrypts; it does not authenticate the sender**: every holder of the public key can seal to it. A party
//! compares the identifiers of the key and the deal in its file with the expected ones.
#![cfg_attr(binding, module = "threshold/seal")]

use quorate::Result;
use quorate::threshold::seal;
use quorate::wire::{Decode, Encode};
use zeroize::Zeroizing;

use crate::{SecretBytes, exactly};

class! {
    /// A private key that opens files sealed to its public key. It cannot be printed, compared or copied, and is wiped
    /// when it is closed.
    object secret struct SealingKey(seal::SealingKey):;
    shown |self, f| write!(f, "SealingKey({})", self.public());
    /// Generates a key with the operating system's random number generator.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    fn generate() -> Result<Self> { seal::SealingKey::generate(&mut getrandom::SysRng).map(Self) }
    /// Decodes a key of exactly 32 bytes. The caller keeps `bytes`, and overwrites them with zeros where the language
    /// allows it.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes = Zeroizing::new(exactly(bytes, "sealing key")?);
        seal::SealingKey::from_bytes(&bytes).map(Self)
    }
    /// Returns the 32 bytes, for a key file. They are as secret as a signing key.
    quick fn to_bytes(&self) -> SecretBytes { SecretBytes::new(self.0.to_bytes().to_vec()) }
    /// The public key.
    getter fn public(&self) -> SealingPublicKey { SealingPublicKey(self.0.public()) }
    /// Opens a file that was sealed to this key with this context. **A seal does not authenticate the sender**: every
    /// holder of the public key can seal to it.
    /// [`Error::WrongContext`](quorate::Error) unless it was sealed to this key with this context.
    /// [`Error::Malformed`](quorate::Error) for a file that is too short.
    /// [`Error::TooLarge`](quorate::Error) for more than 64 MiB of content.
    /// [`Error::Infinity`](quorate::Error) for a sender's key of small order.
    slow fn open(&self, context: &[u8], sealed: &[u8]) -> Result<SecretBytes> { self.0.open(context, sealed) }
}

class! {
    /// An X25519 public key to which files are sealed.
    encoded hex struct SealingPublicKey(seal::SealingPublicKey):
        Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash;
    shown |self, f| f.write_str(&hex::encode(self.encode()));
    module const MAX_CONTENT: u32 = 67_108_864 == seal::MAX_CONTENT, "Maximum length of the content: 64 MiB.";
    module const OVERHEAD: u32 = 48 == seal::OVERHEAD,
        "Bytes by which a sealed file is longer than its content.";
    /// Decodes the 32 bytes. A key of small order is rejected when it is used.
    /// [`Error::Malformed`](quorate::Error) for another number of bytes.
    quick fn decode(bytes: &[u8]) -> Result<Self> { seal::SealingPublicKey::decode(bytes, &()).map(Self) }
    /// Returns the 32 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Seals content of at most 64 MiB to this key. The context identifies the content; opening it requires the same
    /// bytes. Cost: two multiplications, and a nanosecond per byte.
    /// [`Error::TooLarge`](quorate::Error) for more content.
    /// [`Error::Infinity`](quorate::Error) for a key of small order.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    slow fn seal(&self, context: &[u8], #[cfg_attr(binding, secret)] content: &[u8]) -> Result<Vec<u8>> {
        self.0.seal(context, content, &mut getrandom::SysRng)
    }
}
