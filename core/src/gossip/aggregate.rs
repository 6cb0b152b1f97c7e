use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::certificate::{Certificate, Statement, Vote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Additive, Counts};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Some members' signatures on one [`Statement`], summed in any order, each as often as its count says. What decoded
/// is canonical, of the committee's epoch, and not empty; the signature is still to be checked. No quorum is needed.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 49 | statement: kind 1, epoch 8, view 8, digest 32 |
/// | 1 + at most ⌈n/8⌉ | the signers: a bitmap (form 0) or a list (form 1), whichever is shorter |
/// | 1 + at most ⌈31·signers/8⌉ | their counts: nothing if all are 1 (form 0), else Elias-gamma codes (form 1) |
/// | 48 (suite 4), 96 (suite 5) | the sum |
///
/// A clone shares the original's memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Aggregate<S: Additive> {
    parts: Arc<Parts<S>>,
}

#[derive(Clone, PartialEq, Eq)]
struct Parts<S: Additive> {
    statement: Statement,
    signers: SignerSet,
    proof: S::Proof,
}

impl<S: Additive> Aggregate<S> {
    /// The aggregate of one vote that was checked by itself.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if it was checked against another committee.
    pub fn of_vote(vote: &Verified<Vote<S>>, committee: &Committee<S>) -> Result<Verified<Self>> {
        todo!()
    }

    /// The aggregate that a certificate is.
    pub fn of_certificate(certificate: &Verified<Certificate<S>>) -> Verified<Self> {
        todo!()
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        &self.parts.statement
    }

    /// Who signed.
    pub fn signers(&self) -> &SignerSet {
        &self.parts.signers
    }

    /// How often each signer's signature is in the sum.
    pub fn counts(&self) -> &Counts {
        self.parts.proof.counts()
    }

    /// How often a member's signature is in the sum: 0 for who did not sign.
    pub fn count(&self, member: MemberIndex) -> u16 {
        if self.signers().contains(member) { self.counts().get(member) } else { 0 }
    }

    /// The sum.
    pub fn signature(&self) -> &S::Signature {
        self.parts.proof.signature()
    }

    /// Bytes of the encoding.
    pub fn encoded_len(&self) -> usize {
        todo!()
    }

    /// Checks the sum. Cost (BLS): a hash to the curve, a subgroup check, two pairings, one addition per signer in one
    /// batch per different count, and two additions per different count; with all counts 1 as many additions as members
    /// are absent, if those are fewer.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another epoch or committee size, and what is wrong with the signature.
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        todo!()
    }

    /// As [`verify`](Aggregate::verify), for an aggregate that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Aggregate::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        todo!()
    }

    /// Checks many aggregates by a random linear combination with 64-bit coefficients from `rng`, and says of each
    /// whether it is good. Aggregates of one statement share a pairing. If the combination fails, halves of it are tried
    /// until every bad one is known. Should the generator fail, the coefficients are derived from all inputs.
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        todo!()
    }

    /// As [`verify_batch`](Aggregate::verify_batch) where there is no generator.
    pub fn verify_batch_derived(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
    ) -> Vec<Result<Verified<Self>>> {
        todo!()
    }
}

impl<S: Additive> Verified<Aggregate<S>> {
    /// The sum of two aggregates of one statement: signers are united, counts add up. Commutative and associative.
    /// Cost: one addition of signatures.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement; [`Error::TooLarge`] if a count would be above
    /// `limit`; [`Error::Infinity`] if the two cancel.
    pub fn merge(&self, other: &Self, limit: u16) -> Result<Self> {
        todo!()
    }

    /// This aggregate without as much of `part` as leaves every signer in it at least once: the same signers, lower
    /// counts. `None` if nothing can be taken away. Cost: one short multiplication.
    pub fn reduced_by(&self, part: &Self) -> Option<Self> {
        todo!()
    }

    /// The certificate that this is once the signers are a quorum.
    pub fn certificate(&self, committee: &Committee<S>) -> Option<Verified<Certificate<S>>> {
        todo!()
    }
}

impl<S: Additive> Encode for Aggregate<S> {
    fn encode_to(&self, w: &mut Writer) {
        todo!()
    }
}

impl<S: Additive> Decode<Committee<S>> for Aggregate<S> {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        todo!()
    }
}

impl<S: Additive> fmt::Debug for Aggregate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Aggregate({} of {}, counts to {}, {:?})",
            self.signers().len(),
            self.signers().committee_len(),
            self.counts().highest(),
            self.statement()
        )
    }
}
