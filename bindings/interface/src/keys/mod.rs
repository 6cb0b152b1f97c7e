//! Keys, signatures, and proofs of possession.

mod public;
#[cfg(feature = "full")]
mod secret;

pub use public::{PublicKey, VerifiedKey};
#[cfg(feature = "full")]
pub use secret::{SecretKey, Signature, UnverifiedKey};
