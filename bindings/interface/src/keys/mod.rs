//! Keys, signatures, and proofs of possession.

#[cfg(feature = "full")]
mod proofs;
mod public;
#[cfg(feature = "full")]
mod secret;
#[cfg(feature = "full")]
mod signature;

#[cfg(feature = "full")]
pub use proofs::UnverifiedKey;
pub use public::{PublicKey, VerifiedKey};
#[cfg(feature = "full")]
pub use secret::SecretKey;
#[cfg(feature = "full")]
pub use signature::Signature;
