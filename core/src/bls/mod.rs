//! BLS signatures on BLS12-381, in both variants of the standard's proof-of-possession ciphersuite.
//!
//! [`MinSig`] (the default) has 48-byte signatures in G1 and 96-byte keys in G2. [`MinPk`] has the groups exchanged; it
//! is the variant of Ethereum. Both are one generic implementation over `blst`.
//!
//! The trait [`Scheme`] is the standard's raw API: it signs message bytes under the domain separation tag
//! `BLS_SIG_BLS12381G{1,2}_XMD:SHA-256_SSWU_RO_POP_`, so public test vectors apply. A protocol puts its context into the
//! message, never into the tag (draft-irtf-cfrg-bls-signature, section 3.3). Signatures of chains with another
//! ciphersuite or tag are verified through [`Ciphersuite`].
//!
//! **Rogue keys.** Aggregation is sound only over keys whose owners hold the secret. The functions of this module
//! therefore take [`VerifiedKey`]s, which require a proof of possession.
//!
//! **Subgroups.** Decoding a key checks that it is in the subgroup. A signature is checked when it is verified, because
//! a sum of many signatures needs only one check; every path that accepts a signature includes the check.
//!
//! ```
//! use quorate::bls::{self, MinPk};
//! use quorate::scheme::{Scheme, UnverifiedKey};
//!
//! # let mut rng = getrandom::SysRng;
//! let (alice, bob) = (MinPk::generate(&mut rng)?, MinPk::generate(&mut rng)?);
//! let keys = [UnverifiedKey::<MinPk>::prove(&alice).verify()?, UnverifiedKey::<MinPk>::prove(&bob).verify()?];
//! let both = bls::aggregate(&[MinPk::sign(&alice, b"block 7"), MinPk::sign(&bob, b"block 7")])?;
//! assert!(bls::fast_aggregate_verify(&keys, b"block 7", &both).is_ok());
//! assert!(bls::fast_aggregate_verify(&keys[..1], b"block 7", &both).is_err());
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! Secret keys implement neither `Clone` nor `Debug`:
//!
//! ```compile_fail,E0599
//! # use quorate::{bls::MinSig, scheme::Scheme};
//! let secret = MinSig::generate(&mut getrandom::SysRng).unwrap();
//! let copy = secret.clone();
//! ```
//!
//! ```compile_fail,E0277
//! # use quorate::{bls::MinSig, scheme::Scheme};
//! let secret = MinSig::generate(&mut getrandom::SysRng).unwrap();
//! println!("{secret:?}");
//! ```

mod ciphersuite;
#[cfg(feature = "gossip")]
mod counted;
mod ffi;
mod group;
#[cfg(feature = "group-sums")]
mod group_sums;
mod keys;
mod locate;
mod pairing;
mod path;
mod raw;
mod scheme;

use alloc::vec::Vec;

pub use ciphersuite::{Ciphersuite, Dst};
#[cfg(feature = "gossip")]
pub use counted::Counted;
#[cfg(feature = "threshold")]
pub use ffi::Fr;
pub use group::{MinPk, MinSig, Variant};
pub use keys::{PublicKey, SecretKey, Signature};
pub use path::KeyPath;

use crate::scheme::{Scheme, VerifiedKey};
use crate::{Error, Result};

/// Sums signatures. Nothing is verified; the sum verifies if all parts do. Cost: one addition per signature.
///
/// # Errors
/// [`Error::Infinity`] if `signatures` is empty or the signatures cancel.
pub fn aggregate<V: Variant + Scheme<PublicKey = PublicKey<V>>>(
    signatures: &[Signature<V>],
) -> Result<Signature<V>> {
    let sum = Signature::sum(signatures.iter());
    if sum.is_infinity() { Err(Error::Infinity) } else { Ok(sum) }
}

/// Verifies that all of `keys` signed the same message. Cost: one addition per key, one hash, two pairings.
///
/// # Errors
/// [`Error::Infinity`] if `keys` is empty or the keys cancel, [`Error::NotInSubgroup`], [`Error::BadSignature`].
pub fn fast_aggregate_verify<V: Variant + Scheme<PublicKey = PublicKey<V>>>(
    keys: &[VerifiedKey<V>],
    message: &[u8],
    signature: &Signature<V>,
) -> Result<()> {
    let key = PublicKey::sum(keys.iter().map(VerifiedKey::public));
    pairing::verify::<V>(&[(key, message)], V::TAGS.proven, signature)
}

/// Verifies that each key signed its own message. Cost: one hash and one pairing per message, and one more pairing.
///
/// # Errors
/// [`Error::Infinity`] if `signed` is empty, [`Error::NotInSubgroup`], [`Error::BadSignature`].
pub fn aggregate_verify<V: Variant + Scheme<PublicKey = PublicKey<V>>>(
    signed: &[(&VerifiedKey<V>, &[u8])],
    signature: &Signature<V>,
) -> Result<()> {
    let terms: Vec<_> = signed.iter().map(|(key, message)| (key.public().point(), *message)).collect();
    pairing::verify::<V>(&terms, V::TAGS.proven, signature)
}
