use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quorate::any;

use crate::certificates::{Verdicts, VerifiedCertificate};
use crate::committee::Committee;
use crate::convert::{Bytes, CountLimit, List, Member};
use crate::failure::Outcome;
use crate::keys::Signature;
use crate::layer::{Coroutine, Suite, off_thread};
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::verified::verified;
use crate::votes::VerifiedVote;

/// Some members' signatures on one statement, summed in any order: who signed, and how often each one's signature is in
/// the sum. It needs no quorum. What decoded is canonical and of the committee's epoch; the sum is still to be checked.
/// Only the suites `bls-min-sig-counted` and `bls-min-pk-counted` have aggregates.
#[pyclass(frozen, eq, module = "quorate.gossip")]
#[derive(Clone, PartialEq)]
pub(crate) struct Aggregate(pub(crate) any::Aggregate);

#[pymethods]
impl Aggregate {
    /// The aggregate of one vote that was checked by itself.
    #[staticmethod]
    fn of_vote(py: Python<'_>, vote: &VerifiedVote, committee: &Committee) -> Outcome<VerifiedAggregate> {
        Ok(py.detach(|| any::Aggregate::of_vote(&vote.0, &committee.0))?.into())
    }

    /// The aggregate that a certificate is.
    #[staticmethod]
    fn of_certificate(py: Python<'_>, certificate: &VerifiedCertificate) -> Outcome<VerifiedAggregate> {
        Ok(py.detach(|| any::Aggregate::of_certificate(&certificate.0))?.into())
    }

    /// Reads an aggregate of that committee: form and epoch are checked, the sum not yet.
    #[staticmethod]
    fn decode(py: Python<'_>, data: Bytes, committee: &Committee) -> Outcome<Self> {
        Ok(Self(py.detach(|| any::Aggregate::decode(&data, &committee.0))?))
    }

    /// The canonical bytes.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.encode())
    }

    /// How many bytes `encode` gives.
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    /// The signature scheme.
    #[getter]
    fn suite(&self) -> Suite {
        Suite(self.0.suite())
    }

    /// What is signed.
    #[getter]
    fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    /// Who signed: a set of one's own.
    #[getter]
    fn signers(&self) -> SignerSet {
        self.0.signers().clone().into()
    }

    /// How often each signer's signature is in the sum, in ascending order of the signers.
    #[getter]
    fn counts(&self) -> Vec<u16> {
        self.0.signers().iter().map(|signer| self.0.count(signer)).collect()
    }

    /// How often a member's signature is in the sum: 0 for who did not sign.
    fn count(&self, member: Member) -> u16 {
        self.0.count(member.0)
    }

    /// The sum.
    #[getter]
    fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    /// Checks the sum. Cost: two pairings, one hash to the curve, one subgroup check, and an addition for each signer, or
    /// for each member who is absent if all counts are 1.
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

    /// Checks many by a random linear combination and gives a verdict for each, in their order: the verified
    /// aggregate, or the exception that `verify` would have raised.
    #[staticmethod]
    fn verify_batch(
        py: Python<'_>,
        committee: &Committee,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Verdicts<VerifiedAggregate>> {
        let (aggregates, rng) = (plain(aggregates)?, &mut getrandom::SysRng);
        Ok(Verdicts::of(py.detach(|| any::Aggregate::verify_batch(&committee.0, aggregates, rng))))
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

    /// As `verify_batch`, with coefficients from a hash over everything that is checked, so that all nodes compute
    /// the same.
    #[staticmethod]
    fn verify_batch_derived(
        py: Python<'_>,
        committee: &Committee,
        aggregates: List<Py<Aggregate>>,
    ) -> Outcome<Verdicts<VerifiedAggregate>> {
        let aggregates = plain(aggregates)?;
        Ok(Verdicts::of(py.detach(|| any::Aggregate::verify_batch_derived(&committee.0, aggregates))))
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
        format!("{:?}", self.0)
    }
}

fn plain(aggregates: List<Py<Aggregate>>) -> Outcome<Vec<any::Aggregate>> {
    Ok(aggregates.all()?.into_iter().map(|aggregate| aggregate.get().0.clone()).collect())
}

verified! {
    /// An aggregate whose sum was checked: only such are added.
    VerifiedAggregate of Aggregate: any::Aggregate, {
        /// The sum of two aggregates of one statement. Raises `WrongContextError` for another committee or statement, and
        /// `TooLargeError` if a count would be above `limit`. Cost: one addition.
        #[pyo3(signature = (other, limit = CountLimit(255)))]
        fn merge(&self, py: Python<'_>, other: &VerifiedAggregate, limit: CountLimit) -> Outcome<Self> {
            Ok(Self(py.detach(|| self.0.merge(&other.0, limit.0))?))
        }

        /// The same signers with lower counts: of each of `parts`, in their order, as much is taken away as leaves every
        /// signer in at least once. Parts of another statement or committee, and those whose signers are not all in this
        /// aggregate, are passed over.
        fn normalised(&self, py: Python<'_>, parts: List<Py<VerifiedAggregate>>) -> Outcome<Self> {
            let parts = parts.all()?;
            Ok(Self(py.detach(|| self.0.normalised(parts.iter().map(|part| &part.get().0)))))
        }

        /// The certificate that this is once the signers are a quorum; `None` before.
        fn certificate(&self, py: Python<'_>, committee: &Committee) -> Option<VerifiedCertificate> {
            py.detach(|| self.0.certificate(&committee.0)).map(VerifiedCertificate::from)
        }
    }
}
