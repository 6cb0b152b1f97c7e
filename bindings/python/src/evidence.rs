//! `Equivocation` and `Conflict`: evidence of protocol violations.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::certificates::Certificate;
use crate::committee::Committee;
use crate::convert::Bytes;
use crate::failure::Outcome;
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced, refused};
use crate::signers::SignerSet;
use crate::text::Shown;
use crate::verified::verified;
use crate::votes::Vote;

/// Two votes of one member for contradicting statements.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct Equivocation(pub(crate) any::Equivocation);

#[pymethods]
impl Equivocation {
    /// Combines two votes into evidence. The signatures are not verified yet.
    #[new]
    fn new(first: &Vote, second: &Vote) -> Outcome<Self> {
        Ok(Self(any::Equivocation::new(first.0.clone(), second.0.clone())?))
    }

    /// Decodes evidence of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Equivocation::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The two votes, the one with the lower digest first.
    #[getter]
    fn votes(&self) -> (Vote, Vote) {
        let (first, second) = self.0.votes();
        (Vote(first), Vote(second))
    }

    /// The member that signed both.
    #[getter]
    fn signer(&self) -> u16 {
        self.0.signer()
    }

    /// The signer, which is at fault if `verify` succeeds.
    #[getter]
    fn culprits(&self) -> (u16,) {
        (self.0.signer(),)
    }

    /// Verifies both signatures, one by one.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedEquivocation> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedEquivocation>> {
        off_thread(slf, "verify", (committee,))
    }

    fn __repr__(&self) -> String {
        format!("<Equivocation {}>", self.0.shown())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

verified! {
    /// Evidence whose signatures were verified: the member is at fault.
    VerifiedEquivocation of Equivocation: any::Equivocation
}

/// Two certificates of contradicting statements. The members in both quorums, more than a third of the committee by
/// weight, violated the protocol.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct Conflict(pub(crate) any::Conflict);

#[pymethods]
impl Conflict {
    /// Combines two votes into evidence. The signatures are not verified yet.
    #[new]
    fn new(first: &Certificate, second: &Certificate) -> Outcome<Self> {
        Ok(Self(any::Conflict::new(first.0.clone(), second.0.clone())?))
    }

    /// Decodes evidence against members of that committee.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Conflict::decode(&data, &committee.0))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// The two certificates, the one with the lower digest first.
    #[getter]
    fn certificates(&self) -> (Certificate, Certificate) {
        let (first, second) = self.0.certificates();
        (Certificate(first), Certificate(second))
    }

    /// A new set of the members that signed both; they are at fault if `verify` succeeds.
    #[getter]
    fn culprits(&self) -> SignerSet {
        self.0.culprits().into()
    }

    /// Verifies both certificates.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedConflict> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedConflict>> {
        off_thread(slf, "verify", (committee,))
    }

    fn __repr__(&self) -> String {
        format!("<Conflict {}>", self.0.shown())
    }

    /// Raises `TypeError`: decoding needs the committee.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused(
            "a Conflict cannot be pickled: decoding needs the committee; send its bytes and decode them there",
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
    /// Evidence whose certificates were verified: its culprits are at fault.
    VerifiedConflict of Conflict: any::Conflict
}
