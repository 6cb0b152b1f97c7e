//! Shares of the form xᵢ·B with a proof: what threshold encryption ([`tdh2`](super::tdh2)) and the common coin
//! ([`coin`](super::coin)) have in common. The group is ristretto255.
//!
//! A dealer shares a secret x; member i holds xᵢ, and everybody knows Hᵢ = xᵢ·G. For a base B that nobody chose freely
//! (a checked ciphertext, a hashed name) the member sends U = xᵢ·B and proves that its logarithm to B is that of Hᵢ to G:
//!
//! * A₁ = k·G and A₂ = k·B for a secret k,
//! * c = the first 128 bits of the hash of purpose ‖ index ‖ Hᵢ ‖ B ‖ U ‖ A₁ ‖ A₂ ‖ context,
//! * z = k + c·xᵢ; to be checked are z·G = A₁ + c·Hᵢ and z·B = A₂ + c·U.
//!
//! The proof carries A₁ and A₂ instead of c, which is 32 bytes longer, so that many proofs are checked with one sum: the
//! equations times random numbers of 128 bits. Everything stands in the hash, so that a proof holds for one member, one
//! base, one share and one context only.
//!
//! **Blame.** The first equation is a Schnorr signature of the member under Hᵢ, and what it signs is the share. So if
//! the first holds and the second does not, the member itself made a wrong share, and [`WrongShare`] proves that to
//! anybody who knows the verification keys. If the first fails too, the bytes may be anybody's, and only the link or the
//! signature under which they came says whose ([`ShareFault::Forged`]).
//!
//! [`PublicKeys::deal`] is a trusted dealer: **it knows the key**, and whoever copies its memory decrypts everything.

mod batch;
mod element;
mod evidence;
mod keys;
mod pool;
mod public;
mod share;

pub use element::Element;
pub use evidence::{ShareFault, WrongShare};
pub use keys::{KeyShare, Purpose};
pub use pool::Collected;
pub use public::PublicKeys;
pub use share::{Checked, Instance, Share, VerifiedShare};

pub(super) use element::{challenge_bits, half, read_scalar};
pub(super) use pool::Pool;
