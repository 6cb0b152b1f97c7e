//! Ed25519 signatures under **one verification rule** that single and batch verification share.
//!
//! A signature `(R, s)` of key `A` on message `m` is accepted if and only if
//!
//! 1. `A` and `R` are canonical encodings of curve points and `A` is not of small order,
//! 2. `s` is below the group order, and
//! 3. `8·(s·B − R − k·A) = 0` with `k = SHA-512(R ‖ A ‖ m)`.
//!
//! The equation is the cofactored one of RFC 8032, section 5.1.7. Libraries usually check the cofactorless equation for
//! single signatures, and no random linear combination can agree with it: a torsion component vanishes from the
//! combination with probability 1/8. Two validators, one of which verifies in batches, would then disagree about a
//! certificate, and the chain would split. With the factor 8 torsion is irrelevant on both sides, so both accept exactly
//! the same signatures. The page `spec/ed25519.md` has the argument and the test cases.
//!
//! Signing is standard and deterministic: every standard verifier accepts the signatures of this module.
//!
//! ```
//! use quorate::ed25519::{Ed25519, PublicKey, Signature};
//! use quorate::scheme::Scheme;
//! use quorate::wire::{Decode, Encode};
//!
//! let secret = Ed25519::generate(&mut getrandom::SysRng)?;
//! let (key, signature) = (Ed25519::public_key(&secret).encode(), Ed25519::sign(&secret, b"hello").encode());
//! // The receiver decodes 32 and 64 bytes:
//! let (key, signature) = (PublicKey::decode(&key, &())?, Signature::decode(&signature, &())?);
//! assert!(Ed25519::verify(&key, b"hello", &signature).is_ok());
//! assert_eq!(Ed25519::verify(&key, b"other", &signature).unwrap_err().code(), "BAD_SIGNATURE");
//! # Ok::<(), quorate::Error>(())
//! ```

mod batch;
mod keys;
mod scheme;

pub use keys::{PublicKey, SecretKey, Signature};
pub use scheme::{Ed25519, possession_message};
