//! Shares of the form xᵢ·B with a proof, the common base of threshold encryption ([`tdh2`](super::tdh2)) and the
//! common coin ([`coin`](super::coin)). The group is ristretto255.
//!
//! A dealer shares a secret x; member i holds xᵢ, and Hᵢ = xᵢ·G is public. For a base B that no party could choose
//! freely (a verified ciphertext, a hashed name) the member sends U = xᵢ·B and proves that its logarithm to B equals
//! that of Hᵢ to G:
//!
//! * A₁ = k·G and A₂ = k·B for a secret k,
//! * c = the first 128 bits of the hash of purpose ‖ index ‖ Hᵢ ‖ B ‖ U ‖ A₁ ‖ A₂ ‖ context,
//! * z = k + c·xᵢ; the verifier checks z·G = A₁ + c·Hᵢ and z·B = A₂ + c·U.
//!
//! The proof carries A₁ and A₂ instead of c, which takes 32 bytes more, so that many proofs are verified with one
//! sum: the equations times random numbers of 128 bits. The hash covers everything, so a proof holds for one member,
//! one base, one share and one context only.
//!
//! **Blame.** The first equation is a Schnorr signature of the share by the member under Hᵢ. So if the first equation
//! holds and the second does not, the member itself made a wrong share, and [`WrongShare`] proves that to any holder
//! of the verification keys. If the first equation fails too, any process may have made the bytes, and only the link
//! or the signature that delivered them identifies the sender ([`ShareFault::Forged`]).
//!
//! [`PublicKeys::deal`] is a trusted dealer: **it knows the key**, and an attacker with a copy of its memory decrypts
//! everything.

mod batch;
mod element;
mod evidence;
mod keys;
mod pool;
mod public;
mod purpose;
mod share;
mod verification;

pub use element::Element;
pub use evidence::{ShareFault, WrongShare};
pub use keys::KeyShare;
pub use pool::Collected;
pub use public::PublicKeys;
pub use purpose::Purpose;
pub use share::{Instance, Share, VerifiedShare};
pub use verification::Checked;

pub(super) use element::{challenge_bits, half, read_scalar};
pub(super) use pool::SharePool;
