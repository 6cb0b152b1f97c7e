use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::convert::{Bytes, CountLimit, List, Member};
use crate::failure::Outcome;
use crate::keys::Signature;
use crate::layer::{Coroutine, Suite, off_thread};
use crate::pickle::refused;
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::text::Shown;
use crate::verdicts::Verdicts;
use crate::verified::verified;
use crate::votes::VerifiedVote;

/// Signatures of some members on one statement, summed in any order: the signers, and how often each signature is in
/// the sum. A quorum is not required. A decoded aggregate is canonical and has the committee's epoch; its sum is not
/// verified yet. Only the suites `bls-min-sig-counted` and `bls-min-pk-counted` have aggregates.
#[pyclass(frozen, eq, module = "quorate.gossip")]
#[derive(Clone, PartialEq)]
pub(crate) struct Aggregate(pub(crate) any::Aggregate);

#[pymethods]
impl Aggregate {
    /// Returns the aggregate of one verified vote.
    #[staticmethod]
    fn from_vote(py: Python<'_>, vote: &VerifiedVote, committee: &Committee) -> Outcome<VerifiedAggregate> {
        Ok(py.detach(|| any::Aggregate::from_vote(&vote.0, &committee.0))?.into())
    }

    /// Returns the aggregate of a certificate.
    #[staticmethod]
    fn from_certificate(py: Python<'_>, certificate: &VerifiedCertificate) -> Outcome<VerifiedAggregate> {
        Ok(py.detach(|| any::Aggregate::from_certificate(&certificate.0))?.into())
    }

    /// Decodes an aggregate of that committee: checks its form and epoch, not its sum.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Aggregate::decode(&data, &committee.0))?))
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

    /// The signed statement.
    #[getter]
    fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    /// A new set of the signers.
    #[getter]
    fn signers(&self) -> SignerSet {
        self.0.signers().clone().into()
    }

    /// Count of each signer's signature in the sum, in ascending order of the signers.
    #[getter]
    fn counts(&self) -> Vec<u16> {
        self.0.signers().iter().map(|signer| self.0.count(signer)).collect()
    }

    /// Count of a member's signature in the sum: 0 for a non-signer.
    fn count(&self, member: Member) -> u16 {
        self.0.count(member.0)
    }

    /// The sum.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    /// Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each
    /// signer, or for each absent member if all counts are 1.
    fn verify(&self, py: Python<'_>, committee: &Committee) -> Outcome<VerifiedAggregate> {
        Ok(py.detach(|| self.0.clone().verify(&committee.0))?.into())
    }

    /// As `verify`, on another thread.
    fn verify_async<'py>(
        slf: &Bound<'py, Self>,
        committee: &Bound<'py, Committee>,
    ) -> PyResult<Coroutine<'py, VerifiedAggregate>> {
        off_thread(slf, "verify", (committee,))
    }

    /// Verifies several by a random linear combination and returns a verdict for each, in input order: the verified
    /// aggregate, or the exception that `verify` would have raised.
    #[staticmethod]
    fn verify_batch(
        py: Python<'_>,
        committee: &Committee,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Verdicts<VerifiedAggregate>> {
        let (aggregates, rng) = (plain(aggregates)?, &mut getrandom::SysRng);
        Ok(Verdicts::new(py.detach(|| any::Aggregate::verify_batch(&committee.0, aggregates, rng))))
    }

    /// As `verify_batch`, on another thread.
    #[staticmethod]
    fn verify_batch_async<'py>(
        py: Python<'py>,
        committee: &Bound<'py, Committee>,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Coroutine<'py, Verdicts<VerifiedAggregate>>> {
        Ok(off_thread(&py.get_type::<Aggregate>(), "verify_batch", (committee, aggregates.all()?))?)
    }

    /// As `verify_batch`, with coefficients derived by hashing the whole input, so that all nodes compute the same.
    #[staticmethod]
    fn verify_batch_derived(
        py: Python<'_>,
        committee: &Committee,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Verdicts<VerifiedAggregate>> {
        let aggregates = plain(aggregates)?;
        Ok(Verdicts::new(py.detach(|| any::Aggregate::verify_batch_derived(&committee.0, aggregates))))
    }

    /// As `verify_batch_derived`, on another thread.
    #[staticmethod]
    fn verify_batch_derived_async<'py>(
        py: Python<'py>,
        committee: &Bound<'py, Committee>,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Coroutine<'py, Verdicts<VerifiedAggregate>>> {
        let arguments = (committee, aggregates.all()?);
        Ok(off_thread(&py.get_type::<Aggregate>(), "verify_batch_derived", arguments)?)
    }

    fn __repr__(&self) -> String {
        format!("<Aggregate {}>", self.0.shown())
    }

    /// Raises `TypeError`: decoding needs the committee.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyAny>> {
        refused(
            "an Aggregate cannot be pickled: decoding needs the committee; send its bytes and decode them there",
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

fn plain(aggregates: List<Py<Aggregate>>) -> Outcome<Vec<any::Aggregate>> {
    Ok(aggregates.all()?.into_iter().map(|aggregate| aggregate.get().0.clone()).collect())
}

verified! {
    /// An aggregate whose sum was verified; only such aggregates are merged.
    VerifiedAggregate of Aggregate: any::Aggregate, {
        /// Adds two aggregates of one statement. Raises `WrongContextError` for another committee or statement, and
        /// `TooLargeError` if a count would exceed `limit`. Cost: one addition.
        #[pyo3(signature = (other, limit = CountLimit(255)), text_signature = "($self, other, limit=255)")]
        fn merge(&self, py: Python<'_>, other: &VerifiedAggregate, limit: CountLimit) -> Outcome<Self> {
            Ok(Self(py.detach(|| self.0.merge(&other.0, limit.0))?))
        }

        /// Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every
        /// signer in the sum at least once. Skips parts of another statement or committee, and parts with signers
        /// outside this aggregate.
        fn normalised(&self, py: Python<'_>, parts: List<Py<VerifiedAggregate>>) -> Outcome<Self> {
            let parts = parts.all()?;
            Ok(Self(py.detach(|| self.0.normalised(parts.iter().map(|part| &part.get().0)))))
        }

        /// Returns the certificate, if the signers are a quorum; otherwise `None`.
        fn certificate(&self, py: Python<'_>, committee: &Committee) -> Option<VerifiedCertificate> {
            py.detach(|| self.0.certificate(&committee.0)).map(VerifiedCertificate::from)
        }
    }
}
