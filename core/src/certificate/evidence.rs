use core::fmt;

use super::certificate::{Certificate, read_kind, read_suite};
use super::statement::Statement;
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Two votes of one member on contradicting statements: the same kind, epoch and view, another digest. Whoever
/// knows the committee can check it; no honest member can be accused.
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
    /// Puts evidence together. The signatures are still to be checked.
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

    /// The two votes, the one with the lower digest first.
    pub fn votes(&self) -> (&Vote<S>, &Vote<S>) {
        (&self.first, &self.second)
    }

    /// Who signed both.
    pub fn signer(&self) -> MemberIndex {
        self.first.signer()
    }

    /// Who is guilty: the signer alone, once [`verify`](Equivocation::verify) has said so.
    pub fn culprits(&self) -> [MemberIndex; 1] {
        [self.signer()]
    }

    /// Checks both signatures, each by itself.
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
        let (kind, epoch, view, signer) = (read_kind(r)?, r.u64()?, r.u64()?, r.u16()?);
        let vote = |r: &mut Reader<'_>| {
            let statement = Statement { kind, epoch, view, digest: r.array()? };
            Ok::<_, Error>(Vote::<S>::new(statement, signer, S::Signature::decode_from(r, &())?))
        };
        let (first, second) = (vote(r)?, vote(r)?);
        if first.statement().digest >= second.statement().digest {
            return Err(Error::NonCanonical { what: "equivocation" });
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

/// Two certificates of contradicting statements. Both quorums signed, so the members of both, who weigh more than
/// a third of the committee, broke the protocol.
///
/// Encoded as the two certificates, the one with the lower digest first.
#[derive(Clone, PartialEq, Eq)]
pub struct Conflict<S: Scheme> {
    first: Certificate<S>,
    second: Certificate<S>,
}

impl<S: Scheme> Conflict<S> {
    /// Puts evidence together. The signatures are still to be checked.
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

    /// The two certificates, the one with the lower digest first.
    pub fn certificates(&self) -> (&Certificate<S>, &Certificate<S>) {
        (&self.first, &self.second)
    }

    /// Who signed both: at least [`honest_weight`](Committee::honest_weight), once [`verify`](Conflict::verify) has
    /// said so; before that it is a mere claim.
    pub fn culprits(&self) -> SignerSet {
        self.first.signers().intersection(self.second.signers())
    }

    /// Checks both certificates.
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
            return Err(Error::NonCanonical { what: "conflict" });
        }
        Self::new(first, second)
    }
}

impl<S: Scheme> fmt::Debug for Conflict<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Conflict({:?}, {:?})", self.first, self.second)
    }
}
