//! `quorate.bls`: aggregates outside committees.

use pyo3::prelude::*;
use quorate::any;

use crate::convert::{Bytes, List};
use crate::failure::Outcome;
use crate::keys::{Signature, VerifiedKey};
use crate::layer::{Coroutine, off_thread};

/// Sums signatures. Nothing is verified; the sum verifies if all its parts do.
#[pyfunction]
pub(crate) fn aggregate(py: Python<'_>, signatures: List<Py<Signature>>) -> Outcome<Signature> {
    let signatures: Vec<any::Signature> =
        signatures.all()?.into_iter().map(|signature| signature.get().0.clone()).collect();
    Ok(Signature(py.detach(|| any::bls::aggregate(&signatures))?))
}

/// Verifies that all keys signed the same message. Cost: one addition per key, one hash, two pairings.
#[pyfunction]
pub(crate) fn fast_aggregate_verify(
    py: Python<'_>,
    keys: List<Py<VerifiedKey>>,
    message: Bytes,
    signature: &Signature,
) -> Outcome<()> {
    let keys: Vec<any::VerifiedKey> = keys.all()?.into_iter().map(|key| key.get().0.clone()).collect();
    Ok(py.detach(|| any::bls::fast_aggregate_verify(&keys, &message, &signature.0))?)
}

/// As `fast_aggregate_verify`, on another thread.
#[pyfunction]
#[pyo3(pass_module)]
pub(crate) fn fast_aggregate_verify_async<'py>(
    module: &Bound<'py, PyModule>,
    keys: List<Py<VerifiedKey>>,
    message: Bytes,
    signature: &Bound<'py, Signature>,
) -> Outcome<Coroutine<'py, ()>> {
    let arguments = (keys.all()?, message.into_python(module.py()), signature);
    Ok(off_thread(module, "fast_aggregate_verify", arguments)?)
}

/// Verifies that each key signed its own message. Cost: one hash and one pairing per message, plus one pairing.
#[pyfunction]
pub(crate) fn aggregate_verify(
    py: Python<'_>,
    signed: List<(Py<VerifiedKey>, Bytes)>,
    signature: &Signature,
) -> Outcome<()> {
    let signed: Vec<(any::VerifiedKey, Bytes)> =
        signed.all()?.into_iter().map(|(key, message)| (key.get().0.clone(), message)).collect();
    Ok(py.detach(|| {
        let signed: Vec<(&any::VerifiedKey, &[u8])> =
            signed.iter().map(|(key, message)| (key, &**message)).collect();
        any::bls::aggregate_verify(&signed, &signature.0)
    })?)
}

/// As `aggregate_verify`, on another thread.
#[pyfunction]
#[pyo3(pass_module)]
pub(crate) fn aggregate_verify_async<'py>(
    module: &Bound<'py, PyModule>,
    signed: List<(Py<VerifiedKey>, Bytes)>,
    signature: &Bound<'py, Signature>,
) -> Outcome<Coroutine<'py, ()>> {
    let own = |(key, message): (_, Bytes)| (key, message.into_python(module.py()));
    let signed: Vec<_> = signed.all()?.into_iter().map(own).collect();
    Ok(off_thread(module, "aggregate_verify", (signed, signature))?)
}
