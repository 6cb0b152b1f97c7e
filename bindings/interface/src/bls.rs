//! BLS aggregates outside committees. Ed25519 and the counted suites have no such aggregates: all functions report the
//! wrong context for them, and for a mixture of suites.
#![cfg_attr(binding, module = "bls")]

use quorate::Result;
use quorate::any::{self, bls};

use crate::keys::{Signature, VerifiedKey};

/// Sums signatures. Nothing is verified; the sum verifies if all its parts do. Cost: one addition per signature.
/// [`Error::Infinity`](quorate::Error) for no signatures, and for signatures whose sum is the neutral element.
/// [`Error::WrongContext`](quorate::Error) for signatures that are not of one BLS suite.
pub fn aggregate(signatures: &[&Signature]) -> Result<Signature> {
    let signatures: Vec<any::Signature> = signatures.iter().map(|signature| signature.0.clone()).collect();
    bls::aggregate(&signatures).map(Signature)
}

/// Verifies one signature of all keys on one message. Cost: one addition per key, one hash to the curve, two pairings.
/// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
/// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
/// [`Error::Infinity`](quorate::Error) for no keys, and for keys whose sum is the neutral element.
/// [`Error::WrongContext`](quorate::Error) for keys and a signature that are not of one BLS suite.
#[cfg_attr(binding, slow)]
pub fn fast_aggregate_verify(keys: &[&VerifiedKey], message: &[u8], signature: &Signature) -> Result<()> {
    let keys: Vec<any::VerifiedKey> = keys.iter().map(|key| key.0.clone()).collect();
    bls::fast_aggregate_verify(&keys, message, &signature.0)
}

/// Verifies one signature of each key on its own message; `signed` are pairs of a key and its message. Cost: one hash
/// to the curve and one pairing per message, and one more pairing.
/// [`Error::BadSignature`](quorate::Error) if the signature is not valid.
/// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
/// [`Error::Infinity`](quorate::Error) for no keys.
/// [`Error::WrongContext`](quorate::Error) for keys and a signature that are not of one BLS suite.
#[cfg_attr(binding, slow)]
pub fn aggregate_verify(signed: &[(&VerifiedKey, &[u8])], signature: &Signature) -> Result<()> {
    let signed: Vec<(&any::VerifiedKey, &[u8])> =
        signed.iter().map(|(key, message)| (&key.0, *message)).collect();
    bls::aggregate_verify(&signed, &signature.0)
}
