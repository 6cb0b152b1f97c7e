//! `TimeoutVote`, `TimeoutCollector` and `TimeoutCertificate`.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use quorate::any;

use crate::committee::Committee;
use crate::convert::{Bytes, Epoch, Kind, Limit, Member, Threshold, Value, View, size, verified_or_not};
use crate::failure::Outcome;
use crate::faults::{Collected, Faults};
use crate::keys::{SecretKey, Signature};
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::{Reduced, reduced, refused};
use crate::signers::{SignerSet, Suspects};
use crate::statement::Statement;
use crate::text::Shown;
use crate::verified::verified;
use crate::votes::Vote;

type Typed = quorate::certificate::TimeoutVote<quorate::ed25519::Ed25519>;

/// A member's vote to give up a view. It names a value, in HotStuff-like protocols the view of the highest certificate
/// that the member knows.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct TimeoutVote(pub(crate) any::TimeoutVote);

#[pymethods]
impl TimeoutVote {
    /// Creates a timeout vote from its parts. Nothing is verified.
    #[new]
    fn new(
        kind: Kind,
        epoch: Epoch,
        view: View,
        value: Value,
        signer: Member,
        signature: &Signature,
    ) -> Self {
        let signature = signature.0.clone();
        Self(any::TimeoutVote::new(kind.into(), epoch.0, view.0, value.0, signer.0, signature))
    }

    /// Returns the statement that a timeout vote signs: its digest is the value as eight little-endian bytes and 24
    /// zeros.
    #[staticmethod]
    fn statement_of(kind: Kind, epoch: Epoch, view: View, value: Value) -> Statement {
        // The same in every suite.
        Typed::statement_of(kind.into(), epoch.0, view.0, value.0).into()
    }

    /// Signs WITHOUT RECORDING IT, for tests. A node signs through its `Guard`.
    #[staticmethod]
    fn sign_unguarded(
        py: Python<'_>,
        secret: &SecretKey,
        committee: &Committee,
        kind: Kind,
        view: View,
        value: Value,
    ) -> Outcome<Self> {
        let sign = |key: &any::SecretKey| {
            any::TimeoutVote::sign_unguarded(key, &committee.0, kind.into(), view.0, value.0)
        };
        Ok(Self(secret.with(py, sign)??))
    }

    /// Decodes a timeout vote of that suite.
    #[staticmethod]
    fn decode(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::TimeoutVote::decode(suite.0, &data))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Decodes the form for direct links.
    #[staticmethod]
    fn decode_link(py: Python<'_>, suite: Suite, data: Bytes) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::TimeoutVote::decode_link(suite.0, &data))?))
    }

    /// Returns the form for direct links, with an uncompressed signature.
    fn encode_link<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode_link())
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Phase of the protocol: each phase has a kind of its own.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    /// The committee's epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// The abandoned view.
    #[getter]
    fn view(&self) -> u64 {
        self.0.view()
    }

    /// The value that the member names.
    #[getter]
    fn value(&self) -> u64 {
        self.0.value()
    }

    /// The signer that the vote names.
    #[getter]
    fn signer(&self) -> u16 {
        self.0.signer()
    }

    /// The signature.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.as_vote().signature())
    }

    /// Returns the underlying vote.
    fn as_vote(&self) -> Vote {
        Vote(self.0.as_vote())
    }

    /// Verifies this vote alone.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedTimeoutVote> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedTimeoutVote>> {
        off_thread(slf, "verify", (committee,))
    }

    fn __repr__(&self) -> String {
        format!("<TimeoutVote {}>", self.0.shown())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, "decode", (self.suite(), self.encode(py)))
    }
}

verified! {
    /// A timeout vote whose signature was verified.
    VerifiedTimeoutVote of TimeoutVote: any::TimeoutVote
}

verified_or_not! { AnyTimeoutVote: TimeoutVote or VerifiedTimeoutVote }

/// Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. It works like
/// `VoteCollector`. Threads may share it.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct TimeoutCollector {
    inner: Mutex<any::TimeoutCollector>,
    committee: Py<Committee>,
}

#[pymethods]
impl TimeoutCollector {
    /// An empty collector; the options are those of `VoteCollector`.
    #[new]
    #[pyo3(signature = (committee, kind, view, *, batch_threshold = None, failure_limit = None))]
    fn new(
        committee: Py<Committee>,
        kind: Kind,
        view: View,
        batch_threshold: Option<Threshold>,
        failure_limit: Option<Limit>,
    ) -> Self {
        let mut inner = any::TimeoutCollector::new(&committee.get().0, kind.into(), view.0);
        if let Some(votes) = batch_threshold {
            inner = inner.with_batch_threshold(size(votes.0));
        }
        if let Some(votes) = failure_limit {
            inner = inner.with_failure_limit(votes.0);
        }
        Self { inner: Mutex::new(inner), committee }
    }

    /// Adds a timeout vote. A `VerifiedTimeoutVote` of the same committee is not verified again.
    fn add(
        &self,
        py: Python<'_>,
        vote: AnyTimeoutVote<'_>,
        suspects: &Suspects,
    ) -> Outcome<Collected<VerifiedTimeoutCertificate>> {
        let collected = match vote {
            AnyTimeoutVote::Plain(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add(vote, &mut suspects.lock())))
            }
            AnyTimeoutVote::Verified(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add_verified(vote, &mut suspects.lock())))
            }
        }?;
        let certificate = collected.certificate.map(VerifiedTimeoutCertificate::from);
        Ok(Collected { certificate, faults: collected.faults })
    }

    /// Committee whose votes are collected.
    #[getter]
    fn committee(&self, py: Python<'_>) -> Py<Committee> {
        self.committee.clone_ref(py)
    }

    /// Kind and view of the collected votes.
    #[getter]
    fn topic(&self, py: Python<'_>) -> (u8, u64) {
        let (kind, view) = self.attached(py, |inner| inner.topic());
        (kind.number(), view)
    }

    /// Weight of the collected timeout votes, verified or not.
    fn weight(&self, py: Python<'_>) -> u128 {
        self.attached(py, |inner| inner.weight())
    }

    /// Returns true if the collected votes weigh more than a third, VERIFIED OR NOT.
    fn has_honest(&self, py: Python<'_>) -> bool {
        self.attached(py, |inner| inner.has_honest())
    }

    /// Verifies the pending votes, if they may suffice. Returns true if the verified votes weigh more than a third, so
    /// that at least one honest member gave up the view; and the faults found.
    fn verify_honest(&self, py: Python<'_>, suspects: &Suspects) -> (bool, Faults) {
        let (honest, faults) = py.detach(|| self.locked(|inner| inner.verify_honest(&mut suspects.lock())));
        (honest, Faults(faults))
    }

    /// True if the certificate was returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.attached(py, |inner| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let ((kind, view), done) = self.attached(py, |inner| (inner.topic(), inner.is_done()));
        format!("TimeoutCollector(kind {}, view {view}, done: {done})", kind.number())
    }
}

impl TimeoutCollector {
    /// Runs `work` without the interpreter.
    fn locked<T>(&self, work: impl FnOnce(&mut any::TimeoutCollector) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works on it with the interpreter, for calls that take no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::TimeoutCollector) -> T) -> T {
        work(&self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

/// A quorum's certificate that it gave up a view. The members are grouped by the values that they named, and one
/// aggregate covers the statements of all groups.
#[pyclass(frozen, eq, module = "quorate")]
#[derive(Clone, PartialEq)]
pub(crate) struct TimeoutCertificate(pub(crate) any::TimeoutCertificate);

#[pymethods]
impl TimeoutCertificate {
    /// Decodes a timeout certificate of that committee: checks its form, epoch and quorum, not its signatures.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::TimeoutCertificate::decode(&data, &committee.0))?))
    }

    /// Returns the canonical encoding.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// Length of the encoding in bytes.
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// Phase of the protocol: each phase has a kind of its own.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    /// The committee's epoch.
    #[getter]
    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    /// The abandoned view.
    #[getter]
    fn view(&self) -> u64 {
        self.0.view()
    }

    /// The highest value that a signer named.
    #[getter]
    fn highest_value(&self) -> u64 {
        self.0.highest_value()
    }

    /// The values, ascending, each with the members that named it.
    #[getter]
    fn groups(&self) -> Vec<(u64, SignerSet)> {
        self.0.groups().iter().map(|(value, signers)| (*value, signers.clone().into())).collect()
    }

    /// A new set of all signers.
    #[getter]
    fn signers(&self) -> SignerSet {
        self.0.signers().clone().into()
    }

    /// Verifies the signatures. Cost: as `Certificate.verify`, plus one pairing and one hash for each further value.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedTimeoutCertificate> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedTimeoutCertificate>> {
        off_thread(slf, "verify", (committee,))
    }

    fn __repr__(&self) -> String {
        format!("<TimeoutCertificate {}>", self.0.shown())
    }

    /// Raises `TypeError`: decoding needs the committee.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused(
            "a TimeoutCertificate cannot be pickled: decoding needs the committee; send its bytes and decode them there",
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
    /// A timeout certificate whose signatures were verified.
    VerifiedTimeoutCertificate of TimeoutCertificate: any::TimeoutCertificate
}
