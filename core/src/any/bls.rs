//! The functions of [`crate::bls`] with the suite chosen at run time: 1 or 2.
//!
//! For other suites they return [`Error::WrongContext`]: Ed25519 has no aggregates, and those of suites 4 and 5 are
//! [`Aggregate`](super::Aggregate)s.

use alloc::vec::Vec;

#[cfg(any(feature = "ed25519", feature = "gossip"))]
use super::dispatch::wrong_suite;
use super::keys::{Signature, VerifiedKey};
use crate::bls::{self, MinPk, MinSig, Variant};
use crate::scheme::{self, Scheme};
use crate::{Error, Result};

/// Sums signatures. Nothing is verified; the sum verifies if all parts do. Cost: one addition per signature.
///
/// # Errors
/// [`Error::Infinity`] if `signatures` is empty or the signatures cancel; [`Error::WrongContext`] if they are not all of one BLS
/// suite.
pub fn aggregate(signatures: &[Signature]) -> Result<Signature> {
    match signatures.first() {
        None => Err(Error::Infinity),
        Some(Signature::MinSig(_)) => bls::aggregate::<MinSig>(&typed(signatures)?).map(Signature::from),
        Some(Signature::MinPk(_)) => bls::aggregate::<MinPk>(&typed(signatures)?).map(Signature::from),
        #[cfg(any(feature = "ed25519", feature = "gossip"))]
        Some(_) => Err(wrong_suite()),
    }
}

/// Verifies that all of `keys` signed the same message. Cost: one addition per key, one hash, two pairings.
///
/// # Errors
/// As [`bls::fast_aggregate_verify`]; [`Error::WrongContext`] if they are not all of one BLS suite.
pub fn fast_aggregate_verify(keys: &[VerifiedKey], message: &[u8], signature: &Signature) -> Result<()> {
    fn verify<V>(keys: &[VerifiedKey], message: &[u8], signature: &bls::Signature<V>) -> Result<()>
    where
        V: Variant + Scheme<PublicKey = bls::PublicKey<V>>,
        scheme::VerifiedKey<V>: TryFrom<VerifiedKey, Error = Error>,
    {
        bls::fast_aggregate_verify::<V>(&typed(keys)?, message, signature)
    }
    match signature {
        Signature::MinSig(signature) => verify::<MinSig>(keys, message, signature),
        Signature::MinPk(signature) => verify::<MinPk>(keys, message, signature),
        #[cfg(any(feature = "ed25519", feature = "gossip"))]
        _ => Err(wrong_suite()),
    }
}

/// Verifies that each key signed its own message. Cost: one hash and one pairing per message, and one more pairing.
///
/// # Errors
/// As [`bls::aggregate_verify`]; [`Error::WrongContext`] if they are not all of one BLS suite.
pub fn aggregate_verify(signed: &[(&VerifiedKey, &[u8])], signature: &Signature) -> Result<()> {
    fn verify<'a, V>(signed: &[(&'a VerifiedKey, &'a [u8])], signature: &bls::Signature<V>) -> Result<()>
    where
        V: Variant + Scheme<PublicKey = bls::PublicKey<V>>,
        &'a scheme::VerifiedKey<V>: TryFrom<&'a VerifiedKey, Error = Error>,
    {
        let typed = signed.iter().map(|(key, message)| Ok(((*key).try_into()?, *message)));
        bls::aggregate_verify::<V>(&typed.collect::<Result<Vec<_>>>()?, signature)
    }
    match signature {
        Signature::MinSig(signature) => verify::<MinSig>(signed, signature),
        Signature::MinPk(signature) => verify::<MinPk>(signed, signature),
        #[cfg(any(feature = "ed25519", feature = "gossip"))]
        _ => Err(wrong_suite()),
    }
}

fn typed<T: Clone, U: TryFrom<T, Error = Error>>(any: &[T]) -> Result<Vec<U>> {
    any.iter().cloned().map(U::try_from).collect()
}
