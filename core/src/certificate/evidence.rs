use core::fmt;

use super::certificate::Certificate;
use super::statement::{Kind, Statement};
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Scheme, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Evidence of equivocation: two votes of one member on contradicting statements, that is, with equal kind, epoch and
/// view and different digests.
///
/// Anyone who knows the committee can verify it. It proves a fault if the protocol lets a member sign one statement of the kind
/// per view at most: compare the kind, because a protocol may have others.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 1, 8, 8 | kind, epoch, view |
/// | 2 | signer |
/// | twice: 32, then as in [`Vote`] | digest, signature; the lower digest first |
#[derive(Clone, PartialEq, Eq)]
pub struct Equivocation<S: Scheme> {
    first: Vote<S>,
    second: Vote<S>,
}

impl<S: Scheme> Equivocation<S> {
    /// Creates evidence from two votes. The signatures are not yet verified.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the votes are of different members or do not contradict each other.
    pub fn new(a: Vote<S>, b: Vote<S>) -> Result<Self> {
        if a.signer() != b.signer() || !a.statement().contradicts(b.statement()) {
            return Err(Error::NotEvidence);
        }
        let (first, second) = if a.statement().digest < b.statement().digest { (a, b) } else { (b, a) };
        Ok(Self { first, second })
    }

    /// Returns the two votes, the one with the lower digest first.
    pub fn votes(&self) -> (&Vote<S>, &Vote<S>) {
        (&self.first, &self.second)
    }

    /// Returns the signer of both votes.
    pub fn signer(&self) -> MemberIndex {
        self.first.signer()
    }

    /// Returns the member at fault, which is the signer. It is only a claim until [`verify`](Equivocation::verify)
    /// succeeds.
    pub fn culprits(&self) -> [MemberIndex; 1] {
        [self.signer()]
    }

    /// Verifies both signatures separately.
    ///
    /// # Errors
    /// As [`Vote::verify`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.first.check(committee)?;
        self.second.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }
}

impl<S: Scheme> Encode for Equivocation<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        let statement = self.first.statement();
        w.u8(statement.kind.number());
        w.u64(statement.epoch);
        w.u64(statement.view);
        w.u16(self.signer());
        for vote in [&self.first, &self.second] {
            w.raw(&vote.statement().digest);
            vote.signature().encode_to(w);
        }
    }
}

impl<S: Scheme> Decode for Equivocation<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        read_suite::<S>(r)?;
        let (kind, epoch, view, signer) = (Kind::decode_from(r)?, r.u64()?, r.u64()?, r.u16()?);
        let vote = |r: &mut Reader<'_>| {
            let statement = Statement { kind, epoch, view, digest: r.array()? };
            Ok::<_, Error>(Vote::<S>::new(statement, signer, S::Signature::decode_from(r, &())?))
        };
        let (first, second) = (vote(r)?, vote(r)?);
        if first.statement().digest >= second.statement().digest {
            return Err(Error::NonCanonical { what: "equivocation: expected ascending digests" });
        }
        Ok(Self { first, second })
    }
}

impl<S: Scheme> fmt::Debug for Equivocation<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = [&self.first, &self.second].map(|vote| vote.statement());
        write!(f, "Equivocation(member {}, {a:?}, {b:?})", self.signer())
    }
}

/// Evidence of a safety violation: two certificates of contradicting statements.
///
/// Both quorums signed, so the members in both quorums, with more than a third of the committee's weight, broke the
/// protocol. The encoding is the two certificates, the one with the lower digest first.
#[derive(Clone, PartialEq, Eq)]
pub struct Conflict<S: Scheme> {
    first: Certificate<S>,
    second: Certificate<S>,
}

impl<S: Scheme> Conflict<S> {
    /// Creates evidence from two certificates. The signatures are not yet verified.
    ///
    /// # Errors
    /// [`Error::NotEvidence`] if the statements do not contradict each other.
    pub fn new(a: Certificate<S>, b: Certificate<S>) -> Result<Self> {
        if !a.statement().contradicts(b.statement()) {
            return Err(Error::NotEvidence);
        }
        let (first, second) = if a.statement().digest < b.statement().digest { (a, b) } else { (b, a) };
        Ok(Self { first, second })
    }

    /// Returns the two certificates, the one with the lower digest first.
    pub fn certificates(&self) -> (&Certificate<S>, &Certificate<S>) {
        (&self.first, &self.second)
    }

    /// Returns the members that signed both certificates, with a weight of at least
    /// [`honest_weight`](Committee::honest_weight). They are only claimed signers until [`verify`](Conflict::verify)
    /// succeeds.
    pub fn culprits(&self) -> SignerSet {
        self.first.signers().intersection(self.second.signers())
    }

    /// Verifies both certificates.
    ///
    /// # Errors
    /// As [`Certificate::verify`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.first.check(committee)?;
        self.second.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }
}

impl<S: Scheme> Encode for Conflict<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.first.encode_to(w);
        self.second.encode_to(w);
    }
}

impl<S: Scheme> Decode<Committee<S>> for Conflict<S> {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        let first = Certificate::decode_from(r, committee)?;
        let second = Certificate::decode_from(r, committee)?;
        if first.statement().digest > second.statement().digest {
            return Err(Error::NonCanonical { what: "conflict: expected ascending digests" });
        }
        Self::new(first, second)
    }
}

impl<S: Scheme> fmt::Debug for Conflict<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Conflict({:?}, {:?})", self.first, self.second)
    }
}
