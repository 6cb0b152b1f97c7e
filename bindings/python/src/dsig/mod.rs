//! `quorate.dsig`: one-time keys sign, and Ed25519 signs these keys in batches.

mod hook;
mod signer;
mod verifier;

use std::sync::{Mutex, PoisonError};

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyList};
use pyo3::{IntoPyObjectExt, type_hint_identifier, type_hint_subscript, type_hint_union};
use quorate::dsig::dynamic::{self, SuiteId};
use quorate::{Result, ed25519};

pub(crate) use signer::Signer;
pub(crate) use verifier::{Auditor, Verifier};

use crate::convert::{Bytes, List};
use crate::failure::{Outcome, exception};
use crate::keys::PublicKey;
use crate::layer::{Coroutine, off_thread};

/// Names of all suites, ordered by number, with the size of a signature in bytes.
#[pyfunction]
pub(crate) fn dsig_suites() -> Vec<(&'static str, usize)> {
    SuiteId::ALL.iter().map(|suite| (suite.name(), suite.signature_len())).collect()
}

/// Verifies a signature of any suite without prior knowledge of its batch. Cost: one Ed25519 verification, plus hashes.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, signer: &PublicKey, message: Bytes, signature: Bytes) -> Outcome<()> {
    let signer = ed25519(signer)?;
    Ok(py.detach(|| dynamic::verify(signer, &message, &signature))?)
}

/// Verifies several signatures of one suite, such as those of a log: each entry has a signer, a message and a
/// signature. Returns an outcome for each, in input order: `None`, or the exception that an `Auditor` that remembers
/// 1,024 batches would raise. Cost: one Ed25519 verification per batch of keys, plus hashes.
#[pyfunction]
pub(crate) fn verify_all(py: Python<'_>, suite: &str, entries: List<Entry>) -> Outcome<Outcomes> {
    let (suite, entries) = (named(suite)?, entries.all()?);
    let entries = entries
        .iter()
        .map(|(signer, message, signature)| Ok((ed25519(signer.get())?, &**message, &**signature)))
        .collect::<Result<Vec<_>>>()?;
    Ok(Outcomes(py.detach(|| dynamic::verify_all(suite, &entries))))
}

/// As `verify_all`, on another thread.
#[pyfunction]
#[pyo3(pass_module)]
pub(crate) fn verify_all_async<'py>(
    module: &Bound<'py, PyModule>,
    suite: &str,
    entries: List<Entry>,
) -> Outcome<Coroutine<'py, Outcomes>> {
    let py = module.py();
    let own =
        |(signer, message, signature): Entry| (signer, message.into_python(py), signature.into_python(py));
    let entries: Vec<_> = entries.all()?.into_iter().map(own).collect();
    Ok(off_thread(module, "verify_all", (suite, entries))?)
}

/// Combines two signatures of one one-time key, each with its message, into evidence against the signer; `verify_reuse`
/// verifies it. Raises `NotEvidenceError` if they prove no fault.
#[pyfunction]
pub(crate) fn reuse<'py>(
    py: Python<'py>,
    signer: &PublicKey,
    first: (Bytes, Bytes),
    second: (Bytes, Bytes),
) -> Outcome<Bound<'py, PyBytes>> {
    let signer = ed25519(signer)?;
    let evidence = py.detach(|| dynamic::reuse(signer, (&first.0, &first.1), (&second.0, &second.1)))?;
    Ok(PyBytes::new(py, &evidence))
}

/// Verifies evidence of key reuse without prior knowledge, and returns the culprit.
#[pyfunction]
pub(crate) fn verify_reuse(py: Python<'_>, suite: &str, evidence: Bytes) -> Outcome<PublicKey> {
    let suite = named(suite)?;
    let culprit = py.detach(|| dynamic::verify_reuse(suite, &evidence))?;
    Ok(public_key(culprit.into()))
}

/// Signer, message and signature.
type Entry = (Py<PublicKey>, Bytes, Bytes);

/// Outcome for each signature.
pub(crate) struct Outcomes(Vec<Result<()>>);

impl<'py> IntoPyObject<'py> for Outcomes {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "list"),
        type_hint_union!(
            type_hint_identifier!("quorate.errors", "QuorateError"),
            type_hint_identifier!("builtins", "None")
        )
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let outcome = |outcome| match outcome {
            Ok(()) => py.None().into_bound_py_any(py),
            Err(error) => exception(py, &error),
        };
        PyList::new(py, self.0.into_iter().map(outcome).collect::<PyResult<Vec<_>>>()?)
    }
}

fn named(suite: &str) -> Result<SuiteId> {
    suite.parse()
}

fn public_key(key: quorate::any::PublicKey) -> PublicKey {
    PublicKey(quorate_interface::keys::PublicKey(key))
}

/// Batches are signed with Ed25519 only.
fn ed25519(key: &PublicKey) -> Result<&ed25519::PublicKey> {
    (&key.0.0).try_into()
}

/// Works on an object behind a lock. Threads take this lock only while they hold the interpreter, and release it first.
/// So no thread waits for it, and a fork, which also needs the interpreter, never leaves a child with a locked lock.
/// Work that takes longer than regaining the interpreter from a busy thread runs without both.
///
/// The remaining work under the lock: a signature copies or hashes for some microseconds and hashes its message at more
/// than a gigabyte per second; an auditor also verifies Ed25519 for the first signature of each batch, some 50 µs.
fn locked<L, T>(py: Python<'_>, lock: &Mutex<L>, work: impl FnOnce(&mut L) -> T) -> T {
    work(&mut lock.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
}
