//! `Certificate`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::committee::Committee;
use crate::convert::{Bytes, List};
use crate::failure::Outcome;
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::refused;
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::text::Shown;
use crate::verdicts::Verdicts;
use crate::verified::verified;

/// A quorum's signatures on one statement. A decoded certificate is canonical, has the committee's epoch and reaches
/// the quorum; its signatures are not verified yet. Two certificates of one statement may differ in their signers:
/// compare statements, never certificates.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct Certificate(pub(crate) any::Certificate);

#[pymethods]
impl Certificate {
    /// Decodes a certificate of that committee: checks its form, epoch and quorum, not its signatures.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Certificate::decode(&data, &committee.0))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Length of the encoding in bytes.
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    /// Decodes the form without suite and statement, for use where the statement is known.
    #[staticmethod]
    fn decode_detached(
        py: Python<'_>,
        data: Bytes,
        statement: &Statement,
        committee: &Committee,
    ) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Certificate::decode_detached(&data, statement.0, &committee.0))?))
    }

    /// Returns the form without suite and statement: non-signers and proof.
    fn encode_detached<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_detached())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The certified statement.
    #[getter]
    fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    /// A new set of the signers.
    #[getter]
    fn signers(&self) -> SignerSet {
        self.0.signers().clone().into()
    }

    /// Encoded aggregate (BLS), or the signatures in ascending order of the signers (Ed25519).
    fn proof<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.proof())
    }

    /// Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one addition
    /// for each absent member (or each present member, if those are fewer).
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedCertificate> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedCertificate>> {
        off_thread(slf, "verify", (committee,))
    }

    /// Verifies several by a random linear combination and returns a verdict for each, in input order: the verified
    /// certificate, or the exception that `verify` would have raised.
    #[staticmethod]
    fn verify_batch(
        py: Python<'_>,
        committee: &Committee,
        certificates: List<Py<Certificate>>,
    ) -> Outcome<Verdicts<VerifiedCertificate>> {
        let (certificates, rng) = (plain(certificates)?, &mut getrandom::SysRng);
        Ok(Verdicts::new(py.detach(|| any::Certificate::verify_batch(&committee.0, certificates, rng))))
    }

    /// As `verify_batch`, on another thread.
    #[staticmethod]
    fn verify_batch_async<'py>(
        py: Python<'py>,
        committee: &Bound<'py, Committee>,
        certificates: List<Py<Certificate>>,
    ) -> Outcome<Coroutine<'py, Verdicts<VerifiedCertificate>>> {
        Ok(off_thread(&py.get_type::<Certificate>(), "verify_batch", (committee, certificates.all()?))?)
    }

    /// As `verify_batch`, with coefficients derived by hashing the whole input, so that all nodes compute the same.
    #[staticmethod]
    fn verify_batch_derived(
        py: Python<'_>,
        committee: &Committee,
        certificates: List<Py<Certificate>>,
    ) -> Outcome<Verdicts<VerifiedCertificate>> {
        let certificates = plain(certificates)?;
        Ok(Verdicts::new(py.detach(|| any::Certificate::verify_batch_derived(&committee.0, certificates))))
    }

    /// As `verify_batch_derived`, on another thread.
    #[staticmethod]
    fn verify_batch_derived_async<'py>(
        py: Python<'py>,
        committee: &Bound<'py, Committee>,
        certificates: List<Py<Certificate>>,
    ) -> Outcome<Coroutine<'py, Verdicts<VerifiedCertificate>>> {
        let arguments = (committee, certificates.all()?);
        Ok(off_thread(&py.get_type::<Certificate>(), "verify_batch_derived", arguments)?)
    }

    fn __repr__(&self) -> String {
        format!("<Certificate {}>", self.0.shown())
    }

    /// Raises `TypeError`: decoding needs the committee.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused(
            "a Certificate cannot be pickled: decoding needs the committee; send its bytes and decode them there",
        )
    }

    fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[allow(unused_variables, reason = "part of the protocol")]
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        slf
    }
}

verified! {
    /// A certificate whose signatures were verified.
    VerifiedCertificate of Certificate: any::Certificate
}

fn plain(certificates: List<Py<Certificate>>) -> Outcome<Vec<any::Certificate>> {
    Ok(certificates.all()?.into_iter().map(|certificate| certificate.get().0.clone()).collect())
}
