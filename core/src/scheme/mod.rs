//! The trait of a signature scheme that committees and certificates can use, so that one API serves BLS and Ed25519.
//!
//! | suite | scheme | key | signature | proof in a certificate |
//! |---|---|---|---|---|
//! | 1 | [`bls::MinSig`](crate::bls::MinSig) | 96 B | 48 B (96 B on links) | one aggregate signature |
//! | 2 | [`bls::MinPk`](crate::bls::MinPk) | 48 B | 96 B (192 B on links) | one aggregate signature |
//! | 3 | [`ed25519::Ed25519`](crate::ed25519::Ed25519) | 32 B | 64 B | one signature per signer |
//! | 4 | [`bls::Counted<MinSig>`](crate::bls::Counted) | 96 B | 48 B (96 B on links) | one sum, and the count of each signer in it |
//! | 5 | [`bls::Counted<MinPk>`](crate::bls::Counted) | 48 B | 96 B (192 B on links) | as suite 4 |
//!
//! This module is below the schemes: `bls` and `ed25519` implement its trait [`Scheme`]. The trait is sealed, because
//! the soundness of certificates depends on the guarantees of these schemes.

#[cfg(feature = "gossip")]
mod additive;
mod bisection;
#[cfg(any(feature = "bls", feature = "ed25519", feature = "threshold"))]
mod coefficients;
#[cfg(feature = "gossip")]
mod counts;
mod keys;
#[cfg(any(feature = "ed25519", feature = "threshold"))]
pub(crate) mod memo;
pub(crate) mod sealed;
mod secret;
mod signers;
#[cfg(feature = "toy")]
pub mod toy;
mod traits;
mod vrf;

#[cfg(feature = "gossip")]
pub use additive::{Additive, CountedProof};
pub(crate) use bisection::{Item, find_bad};
#[cfg(any(feature = "bls", feature = "ed25519", feature = "threshold"))]
pub(crate) use coefficients::coefficients;
#[cfg(feature = "gossip")]
pub use counts::Counts;
pub use keys::{UnverifiedKey, VerifiedKey};
#[cfg(feature = "memo")]
pub use memo::with_memo;
#[cfg(any(feature = "ed25519", feature = "threshold"))]
pub(crate) use secret::SecretBytes;
pub(crate) use secret::random_32;
pub use signers::SignerSet;
#[cfg(feature = "toy")]
pub use toy::Toy;
pub(crate) use traits::read_suite;
pub use traits::{Claim, Keys, Scheme, SumCheck};
pub use vrf::Vrf;
