//! Evidence of protocol violations.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::Statement;

use crate::certificates::Certificate;
use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::signers::SignerSet;
use crate::votes::Vote;

class! {
    /// Two votes of one member for contradicting statements. No honest member can be accused.
    object struct Equivocation(any::Equivocation): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let Statement { kind, epoch, view, .. } = *self.0.votes().0.statement();
        let (kind, signer, suite) = (kind.number(), self.signer(), self.suite());
        write!(f, "Equivocation(kind={kind}, epoch={epoch}, view={view}, signer={signer}, suite={suite})")
    };
    /// Combines two votes into evidence. The signatures are not verified yet.
    /// [`Error::NotEvidence`](quorate::Error) for votes of different members, or that do not contradict each other.
    /// [`Error::WrongContext`](quorate::Error) for votes of two suites.
    quick fn new(first: &Vote, second: &Vote) -> Result<Self> {
        any::Equivocation::new(first.0.clone(), second.0.clone()).map(Self)
    }
    /// Decodes evidence of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of evidence.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::NotEvidence`](quorate::Error) for votes that do not contradict each other.
    /// [`Error::WrongContext`](quorate::Error) for evidence of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::Equivocation::decode(suite, bytes).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The two votes, the one with the lower digest first.
    getter fn votes(&self) -> Vec<Vote> {
        let (first, second) = self.0.votes();
        vec![Vote(first), Vote(second)]
    }
    /// The member that signed both.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signer, which is at fault if [`Equivocation::verify`] succeeds.
    getter fn culprits(&self) -> Vec<u16> { self.0.culprits().to_vec() }
    /// Verifies both signatures, one by one.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::UnknownSigner`](quorate::Error) for a signer outside the committee.
    /// [`Error::BadSignature`](quorate::Error) if a signature is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedEquivocation> {
        self.0.clone().verify(&committee.0).map(VerifiedEquivocation)
    }
}

crate::verified::verified! { VerifiedEquivocation, Equivocation }

class! {
    /// Two certificates of contradicting statements. The members in both quorums, more than a third of the committee by
    /// weight, violated the protocol.
    object struct Conflict(any::Conflict): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let Statement { kind, epoch, view, .. } = *self.0.certificates().0.statement();
        let (kind, culprits, suite) = (kind.number(), self.0.culprits(), self.suite());
        let (size, of) = (culprits.len(), culprits.committee_len());
        write!(f, "Conflict(kind={kind}, epoch={epoch}, view={view}, culprits={size}/{of}, suite={suite})")
    };
    /// Combines two certificates into evidence. The signatures are not verified yet.
    /// [`Error::NotEvidence`](quorate::Error) for certificates that do not contradict each other.
    /// [`Error::WrongContext`](quorate::Error) for certificates of two suites.
    quick fn new(first: &Certificate, second: &Certificate) -> Result<Self> {
        any::Conflict::new(first.0.clone(), second.0.clone()).map(Self)
    }
    /// Decodes evidence against members of that committee.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of evidence.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::NotEvidence`](quorate::Error) for certificates that do not contradict each other.
    /// [`Error::WrongContext`](quorate::Error) for another suite or epoch.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        any::Conflict::decode(bytes, &committee.0).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The two certificates, the one with the lower digest first.
    getter fn certificates(&self) -> Vec<Certificate> {
        let (first, second) = self.0.certificates();
        vec![Certificate(first), Certificate(second)]
    }
    /// The members that signed both, as a new set each time; they are at fault if [`Conflict::verify`] succeeds.
    getter fn culprits(&self) -> SignerSet { self.0.culprits().into() }
    /// Verifies both certificates.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if a proof is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedConflict> {
        self.0.clone().verify(&committee.0).map(VerifiedConflict)
    }
}

crate::verified::verified! { VerifiedConflict, Conflict }
