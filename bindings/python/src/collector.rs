//! The collector of votes.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use quorate::any;

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::convert::{Bytes, Kind, Limit, Threshold, View, exactly, size, verified_or_not};
use crate::failure::Outcome;
use crate::faults::Collected;
use crate::signers::Suspects;
use crate::votes::{VerifiedVote, Vote};

verified_or_not! { AnyVote: Vote or VerifiedVote }

/// Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per member
/// and verifies nothing until it has a quorum; then it verifies one sum. Threads may share it.
#[pyclass(frozen, module = "quorate")]
pub(crate) struct VoteCollector {
    inner: Mutex<any::VoteCollector>,
    committee: Py<Committee>,
}

#[pymethods]
impl VoteCollector {
    /// An empty collector. Fewer than `batch_threshold` pending votes are verified one by one. After `failure_limit`
    /// invalid votes, further votes of a member are dropped unverified: ONLY for links that authenticate each vote's
    /// signer; on other links any sender could silence a member.
    #[new]
    #[pyo3(signature = (committee, kind, view, *, batch_threshold = None, failure_limit = None))]
    fn new(
        committee: Py<Committee>,
        kind: Kind,
        view: View,
        batch_threshold: Option<Threshold>,
        failure_limit: Option<Limit>,
    ) -> Self {
        let mut inner = any::VoteCollector::new(&committee.get().0, kind.into(), view.0);
        if let Some(votes) = batch_threshold {
            inner = inner.with_batch_threshold(size(votes.0));
        }
        if let Some(votes) = failure_limit {
            inner = inner.with_failure_limit(votes.0);
        }
        Self { inner: Mutex::new(inner), committee }
    }

    /// Adds a vote. The result contains the certificate, if this vote completed it, and the faults found. A
    /// `VerifiedVote` of the same committee, for instance the member's own, is not verified again. On a link that
    /// authenticates its sender, reject votes in another member's name before this call.
    fn add(
        &self,
        py: Python<'_>,
        vote: AnyVote<'_>,
        suspects: &Suspects,
    ) -> Outcome<Collected<VerifiedCertificate>> {
        let collected = match vote {
            AnyVote::Plain(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add(vote, &mut suspects.lock())))
            }
            AnyVote::Verified(vote) => {
                let vote = vote.0.clone();
                py.detach(|| self.locked(|inner| inner.add_verified(vote, &mut suspects.lock())))
            }
        }?;
        let certificate = collected.certificate.map(VerifiedCertificate::from);
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

    /// Returns the weight of the votes for a digest of 32 bytes, verified or not.
    fn weight_for(&self, py: Python<'_>, digest: Bytes) -> Outcome<u128> {
        let digest = exactly(&digest, "digest")?;
        Ok(self.attached(py, |inner| inner.weight_for(&digest)))
    }

    /// True if the certificate was returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        self.attached(py, |inner| inner.is_done())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let ((kind, view), done) = self.attached(py, |inner| (inner.topic(), inner.is_done()));
        format!("VoteCollector(kind {}, view {view}, done: {done})", kind.number())
    }
}

impl VoteCollector {
    /// Calls `work` with the collector. The caller has released the interpreter.
    fn locked<T>(&self, work: impl FnOnce(&mut any::VoteCollector) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `work` with the collector while the interpreter is held, for calls that take no time.
    fn attached<T>(&self, py: Python<'_>, work: impl FnOnce(&any::VoteCollector) -> T) -> T {
        work(&self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}
