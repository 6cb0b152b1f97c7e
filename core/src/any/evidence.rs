use alloc::vec::Vec;

use super::certificates::Certificate;
use super::committee::Committee;
use super::dispatch::lift;
use super::families::{each, methods, per, with};
use super::suite::Suite;
use super::votes::Vote;
use crate::Result;
use crate::certificate;
use crate::committee::{SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode};

type EquivocationOf<S> = certificate::Equivocation<S>;
type ConflictOf<S> = certificate::Conflict<S>;

per! { suite:
    /// Two contradicting votes of one member, see [`certificate::Equivocation`].
    #[derive(Clone, PartialEq, Eq)]
    Equivocation, EquivocationOf
}

per! { suite:
    /// Two certificates of contradicting statements, see [`certificate::Conflict`].
    #[derive(Clone, PartialEq, Eq)]
    Conflict, ConflictOf
}

impl Equivocation {
    /// Creates evidence. The signatures are not yet verified.
    ///
    /// # Errors
    /// [`NotEvidence`](crate::Error::NotEvidence) if the votes are of different members or do not contradict each
    /// other, [`WrongContext`](crate::Error::WrongContext) if they are of different suites.
    pub fn new(a: Vote, b: Vote) -> Result<Self> {
        each!(a, Vote, S, a => EquivocationOf::<S>::new(a, b.try_into()?).map(Self::from))
    }

    /// Decodes evidence of a suite.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) if the bytes name another suite; otherwise an error
    /// that describes the invalid bytes.
    pub fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
        with!(suite, S => EquivocationOf::<S>::decode(bytes, &()).map(Self::from))
    }

    /// Returns the two votes, the one with the lower digest first.
    pub fn votes(&self) -> (Vote, Vote) {
        each!(self, Equivocation, S, evidence => {
            let (first, second) = evidence.votes();
            (first.clone().into(), second.clone().into())
        })
    }
}

methods! { suite: self, Equivocation, S, evidence =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = evidence.encode();

    /// Returns the signer of both votes.
    pub fn signer(&self) -> MemberIndex = evidence.signer();

    /// Returns the member at fault, which is the signer; only a claim until [`verify`](Equivocation::verify) succeeds.
    pub fn culprits(&self) -> [MemberIndex; 1] = evidence.culprits();

    /// Verifies both signatures separately.
    ///
    /// # Errors
    /// As [`certificate::Vote::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        evidence.verify(committee.try_into()?).map(lift);
}

impl Conflict {
    /// Creates evidence. The signatures are not yet verified.
    ///
    /// # Errors
    /// [`NotEvidence`](crate::Error::NotEvidence) if the statements do not contradict each other,
    /// [`WrongContext`](crate::Error::WrongContext) if the certificates are of different suites.
    pub fn new(a: Certificate, b: Certificate) -> Result<Self> {
        each!(a, Certificate, S, a => ConflictOf::<S>::new(a, b.try_into()?).map(Self::from))
    }

    /// Decodes evidence about this committee.
    ///
    /// # Errors
    /// As [`Certificate::decode`], [`NonCanonical`](crate::Error::NonCanonical), and [`NotEvidence`](crate::Error::NotEvidence).
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            ConflictOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        })
    }

    /// Returns the two certificates, the one with the lower digest first.
    pub fn certificates(&self) -> (Certificate, Certificate) {
        each!(self, Conflict, S, evidence => {
            let (first, second) = evidence.certificates();
            (first.clone().into(), second.clone().into())
        })
    }
}

methods! { suite: self, Conflict, S, evidence =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = evidence.encode();

    /// Returns the members that signed both certificates; only a claim until [`verify`](Conflict::verify) succeeds.
    pub fn culprits(&self) -> SignerSet = evidence.culprits();

    /// Verifies both certificates.
    ///
    /// # Errors
    /// As [`Certificate::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        evidence.verify(committee.try_into()?).map(lift);
}
