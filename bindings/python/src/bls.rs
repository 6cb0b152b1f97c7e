//! `quorate.bls`: aggregates outside committees.

use pyo3::prelude::*;
use quorate::any;

use crate::convert::Bytes;
use crate::failure::Outcome;
use crate::keys::{Signature, VerifiedKey};

/// Sums signatures. Nothing is verified; the sum verifies if all parts do.
#[pyfunction]
pub(crate) fn aggregate(py: Python<'_>, signatures: Vec<Py<Signature>>) -> Outcome<Signature> {
    let signatures: Vec<any::Signature> =
        signatures.into_iter().map(|signature| signature.get().0.clone()).collect();
    Ok(Signature(py.detach(|| any::bls::aggregate(&signatures))?))
}

/// Checks that all keys signed the same message. Cost: one addition per key, one hash, two pairings.
#[pyfunction]
pub(crate) fn fast_aggregate_verify(
    py: Python<'_>,
    keys: Vec<Py<VerifiedKey>>,
    message: Bytes,
    signature: &Signature,
) -> Outcome<()> {
    let keys: Vec<any::VerifiedKey> = keys.into_iter().map(|key| key.get().0.clone()).collect();
    Ok(py.detach(|| any::bls::fast_aggregate_verify(&keys, &message, &signature.0))?)
}

/// Checks that each key signed its own message. Cost: one hash and one pairing per message, and one.
#[pyfunction]
pub(crate) fn aggregate_verify(
    py: Python<'_>,
    signed: Vec<(Py<VerifiedKey>, Bytes)>,
    signature: &Signature,
) -> Outcome<()> {
    let signed: Vec<(any::VerifiedKey, Bytes)> =
        signed.into_iter().map(|(key, message)| (key.get().0.clone(), message)).collect();
    Ok(py.detach(|| {
        let signed: Vec<(&any::VerifiedKey, &[u8])> =
            signed.iter().map(|(key, message)| (key, &**message)).collect();
        any::bls::aggregate_verify(&signed, &signature.0)
    })?)
}
