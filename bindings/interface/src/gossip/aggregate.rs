//! Sums of signatures, with counts.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::committee::Verified;

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::keys::Signature;
use crate::signers::SignerSet;
use crate::statement::{self, Statement};
use crate::votes::VerifiedVote;

class! {
    /// Signatures of some members on one statement, summed in any order: the signers, and how often each signature is
    /// in the sum. A quorum is not required. A decoded aggregate is canonical and has the committee's epoch; its sum is
    /// not verified yet. Only the suites `bls-min-sig-counted` and `bls-min-pk-counted` have aggregates.
    object struct Aggregate(pub(super) any::Aggregate): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Aggregate({})", shown(&self.0));
    /// Returns the aggregate of one verified vote.
    /// [`Error::WrongContext`](quorate::Error) for a suite without counts, or a vote that was verified for another
    /// committee.
    fn from_vote(vote: &VerifiedVote, committee: &Committee) -> Result<VerifiedAggregate> {
        any::Aggregate::from_vote(&vote.0, &committee.0).map(VerifiedAggregate)
    }
    /// Returns the aggregate of a certificate.
    /// [`Error::WrongContext`](quorate::Error) for a suite without counts.
    fn from_certificate(certificate: &VerifiedCertificate) -> Result<VerifiedAggregate> {
        any::Aggregate::from_certificate(&certificate.0).map(VerifiedAggregate)
    }
    /// Decodes an aggregate of that committee: checks its form and epoch, not its sum.
    /// [`Error::WrongContext`](quorate::Error) for another epoch or suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of an aggregate.
    /// [`Error::NonCanonical`](quorate::Error) for counts in another form than the canonical one.
    /// [`Error::TooLarge`](quorate::Error) for a count above 65,535.
    fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        any::Aggregate::decode(bytes, &committee.0).map(Self)
    }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Length of the encoding in bytes.
    getter computed fn encoded_len(&self) -> usize { self.0.encoded_len() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The signed statement.
    getter fn statement(&self) -> Statement { Statement(*self.0.statement()) }
    /// A new set of the signers.
    getter fn signers(&self) -> SignerSet { self.0.signers().clone().into() }
    /// Count of each signer's signature in the sum, in ascending order of the signers.
    getter fn counts(&self) -> Vec<u16> {
        self.0.signers().iter().map(|signer| self.0.count(signer)).collect()
    }
    /// Returns the count of a member's signature in the sum: 0 for a non-signer.
    quick fn count(&self, member: u16) -> u16 { self.0.count(member) }
    /// The sum.
    getter fn signature(&self) -> Signature { Signature(self.0.signature()) }
    /// Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each
    /// signer, or for each absent member if all counts are 1.
    /// [`Error::BadSignature`](quorate::Error) if the sum is not that of these signatures.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another epoch or suite.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedAggregate> {
        self.0.clone().verify(&committee.0).map(VerifiedAggregate)
    }
    /// Verifies several by a random linear combination, which costs less, and returns a verdict for each, in input
    /// order: the verified aggregate, or the error of [`Aggregate::verify`].
    slow fn verify_batch(committee: &Committee, aggregates: &[&Aggregate]) -> Vec<Result<VerifiedAggregate>> {
        verdicts(any::Aggregate::verify_batch(&committee.0, plain(aggregates), &mut getrandom::SysRng))
    }
    /// As [`Aggregate::verify_batch`], with coefficients derived by hashing the whole input, so that all nodes compute
    /// the same.
    slow fn verify_batch_derived(
        committee: &Committee,
        aggregates: &[&Aggregate],
    ) -> Vec<Result<VerifiedAggregate>> {
        verdicts(any::Aggregate::verify_batch_derived(&committee.0, plain(aggregates)))
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.encoded_len() }
}

fn plain(aggregates: &[&Aggregate]) -> Vec<any::Aggregate> {
    aggregates.iter().map(|aggregate| aggregate.0.clone()).collect()
}

fn verdicts(verdicts: Vec<Result<Verified<any::Aggregate>>>) -> Vec<Result<VerifiedAggregate>> {
    verdicts.into_iter().map(|verdict| verdict.map(VerifiedAggregate)).collect()
}

class! {
    /// An aggregate whose sum was verified; only such aggregates are merged. Only verification creates one.
    object struct VerifiedAggregate(pub(super) Verified<any::Aggregate>): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "VerifiedAggregate({})", shown(&self.0));
    /// The verified value.
    getter fn value(&self) -> Aggregate { Aggregate((*self.0).clone()) }
    /// Committee against which it was verified: compare it with the id of the current one.
    getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
    /// Adds two aggregates of one statement. No count may exceed `limit`, which is 255 by default. Cost: one addition.
    /// [`Error::TooLarge`](quorate::Error) if a count would exceed the limit.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    /// [`Error::Infinity`](quorate::Error) if the signatures cancel.
    fn merge(
        &self,
        other: &VerifiedAggregate,
        #[cfg_attr(binding, default = 255)] limit: Option<u16>,
    ) -> Result<Self> {
        let limit = limit.unwrap_or_else(|| quorate::gossip::Parameters::default().limit);
        self.0.merge(&other.0, limit).map(Self)
    }
    /// Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every signer
    /// in the sum at least once. Skips parts of another statement or committee, and parts with signers outside this
    /// aggregate.
    fn normalised(&self, parts: &[&VerifiedAggregate]) -> Self {
        Self(self.0.normalised(parts.iter().map(|part| &part.0)))
    }
    /// Returns the certificate, if the signers are a quorum.
    fn certificate(&self, committee: &Committee) -> Option<VerifiedCertificate> {
        self.0.certificate(&committee.0).map(VerifiedCertificate)
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.encoded_len() }
}

/// An aggregate in texts, which its class and that of verified aggregates share.
fn shown(aggregate: &any::Aggregate) -> String {
    let (statement, signers) = (statement::shown(aggregate.statement()), aggregate.signers());
    let (signed, members, suite) = (signers.len(), signers.committee_len(), aggregate.suite());
    format!("{statement}, signers={signed}/{members}, suite={suite}")
}
