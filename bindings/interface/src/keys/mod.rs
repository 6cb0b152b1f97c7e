//! Keys, signatures, and proofs of possession.

#[cfg(feature = "full")]
mod proofs;
mod public;
#[cfg(feature = "full")]
mod secret;

#[cfg(feature = "full")]
pub use proofs::{Signature, UnverifiedKey};
pub use public::{PublicKey, VerifiedKey};
#[cfg(feature = "full")]
pub use secret::SecretKey;
