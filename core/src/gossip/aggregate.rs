use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::certificate::{Certificate, Statement, Vote, signers};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Additive, Claim, CountedProof, Counts, Item, find_bad, random_32, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// Signatures of several members on one [`Statement`], merged in any order, with a count for each signer. A decoded
/// aggregate is canonical, of the committee's epoch, and not empty; its signature is not verified yet. It needs no
/// quorum.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 49 | statement: kind 1, epoch 8, view 8, digest 32 |
/// | 1 + at most ⌈n/8⌉ | the signers: a bitmap (form 0) or a list (form 1), whichever is shorter |
/// | 1 + at most ⌈31·signers/8⌉ | their counts: nothing if all are 1 (form 0), else Elias gamma codes (form 1) |
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
    /// Creates the aggregate of one verified vote.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the vote was verified for another committee.
    pub fn from_vote(vote: &Verified<Vote<S>>, committee: &Committee<S>) -> Result<Verified<Self>> {
        if vote.committee() != committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        let signers = SignerSet::from_members(committee.len(), [vote.signer()])?;
        let proof = S::combine(&[(vote.signer(), vote.signature())]);
        Ok(Verified::assume(Self::from_parts(*vote.statement(), signers, proof), committee.id()))
    }

    /// Creates the aggregate of a certificate.
    pub fn from_certificate(certificate: &Verified<Certificate<S>>) -> Verified<Self> {
        let (signers, proof) = (certificate.signers().clone(), certificate.proof().clone());
        let aggregate = Self::from_parts(*certificate.statement(), signers, proof);
        Verified::assume(aggregate, certificate.committee())
    }

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement {
        &self.parts.statement
    }

    /// Returns the signers.
    pub fn signers(&self) -> &SignerSet {
        &self.parts.signers
    }

    /// Returns the count of each signer in the sum.
    pub fn counts(&self) -> &Counts {
        self.parts.proof.counts()
    }

    /// Returns the count of a member in the sum: 0 if it did not sign.
    pub fn count(&self, member: MemberIndex) -> u16 {
        if self.signers().contains(member) { self.counts().get(member) } else { 0 }
    }

    /// Returns the sum of the signatures.
    pub fn signature(&self) -> &S::Signature {
        self.parts.proof.signature()
    }

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        1 + Statement::LEN
            + signers::encoded_len(self.signers())
            + S::proof_len(&self.parts.proof, self.signers())
    }

    /// Verifies the sum. Cost (BLS): a hash to the curve, a subgroup check, two pairings, one addition per signer in
    /// one batch per distinct count, and two additions per distinct count; if all counts are 1, one addition per
    /// absent member where these are fewer.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another epoch or committee size, and the errors of the signature.
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// Verifies as [`verify`](Aggregate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Aggregate::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        self.check_structure(committee)?;
        let message = self.statement().signed_bytes(&committee.id());
        let claim = Claim { message: &message, signers: self.signers() };
        S::verify_claims(committee.scheme_keys(), &[claim], &self.parts.proof)
    }

    /// Verifies a batch by a random linear combination with 64-bit coefficients from `rng`, and returns a result for
    /// each aggregate. Aggregates of one statement share a pairing. If the combination fails, it is bisected until
    /// every bad aggregate is found. If the generator fails, the coefficients are derived from all inputs.
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        let entropy = random_32(rng).ok();
        Self::batch(committee, aggregates, entropy.as_deref())
    }

    /// Verifies as [`verify_batch`](Aggregate::verify_batch), but without a random number generator.
    pub fn verify_batch_derived(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
    ) -> Vec<Result<Verified<Self>>> {
        Self::batch(committee, aggregates, None)
    }

    /// Verifies `aggregates`; `entropy` must have been drawn after they were received.
    pub(super) fn batch(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
        entropy: Option<&[u8; 32]>,
    ) -> Vec<Result<Verified<Self>>> {
        let mut verdicts: Vec<Result<()>> =
            aggregates.iter().map(|aggregate| aggregate.check_structure(committee)).collect();
        let sound: Vec<(usize, &Self, [u8; Statement::SIGNED_LEN])> = (0..)
            .zip(&aggregates)
            .zip(&verdicts)
            .filter(|(_, verdict)| verdict.is_ok())
            .map(|((i, aggregate), _)| (i, aggregate, aggregate.statement().signed_bytes(&committee.id())))
            .collect();
        let items: Vec<Item<'_, S>> = sound
            .iter()
            .map(|(i, aggregate, message)| {
                (*i, (Claim { message, signers: aggregate.signers() }, &aggregate.parts.proof))
            })
            .collect();
        let mut bad = Vec::new();
        find_bad(committee.scheme_keys(), &items, entropy, &mut bad);
        for (i, error) in bad {
            if let Some(verdict) = verdicts.get_mut(i) {
                *verdict = Err(error);
            }
        }
        let results = aggregates.into_iter().zip(verdicts);
        results
            .map(|(aggregate, verdict)| Ok(Verified::assume(verdict.map(|()| aggregate)?, committee.id())))
            .collect()
    }

    fn from_parts(statement: Statement, signers: SignerSet, proof: S::Proof) -> Self {
        Self { parts: Arc::new(Parts { statement, signers, proof }) }
    }

    fn check_structure(&self, committee: &Committee<S>) -> Result<()> {
        committee.require_epoch(self.statement().epoch)?;
        committee.require_size(self.signers())
    }
}

impl<S: Additive> Verified<Aggregate<S>> {
    /// Merges two aggregates of one statement: the union of the signers, the sum of the counts. Commutative and
    /// associative. Cost: one addition of signatures.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement; [`Error::TooLarge`] if a count would exceed
    /// `limit`; [`Error::Infinity`] if the signatures cancel.
    pub fn merge(&self, other: &Self, limit: u16) -> Result<Self> {
        if self.committee() != other.committee() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if self.statement() != other.statement() {
            return Err(Error::WrongContext { what: "statement" });
        }
        let both = self.signers().intersection(other.signers());
        let counts = self.counts().plus(other.counts(), &both, limit)?;
        let proof = CountedProof { signature: S::add(&[self.signature(), other.signature()])?, counts };
        Ok(self.with(self.signers().union(other.signers()), proof))
    }

    /// Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every
    /// signer in the sum at least once. Skips parts of other statements and committees, and parts with signers that
    /// this aggregate lacks. The result stays valid, because the counts determine the sum. Cost: one short
    /// multiplication for each subtracted part.
    pub fn normalised<'a>(&self, parts: impl IntoIterator<Item = &'a Self>) -> Self {
        if self.counts().all_ones() {
            return self.clone();
        }
        let mut counts = self.counts().clone();
        let mut taken = Vec::new();
        for part in parts {
            if part.committee() != self.committee()
                || part.statement() != self.statement()
                || !part.signers().is_subset(self.signers())
            {
                continue;
            }
            let times = counts.max_multiple(part.counts(), part.signers());
            if times > 0 {
                counts.subtract(times, part.counts(), part.signers());
                taken.push((times, part.signature()));
            }
        }
        // Keys of colluding members can cancel to an empty sum; then keep the aggregate as it is.
        match S::subtract(self.signature(), &taken) {
            Ok(signature) if !taken.is_empty() => {
                self.with(self.signers().clone(), CountedProof { signature, counts })
            }
            _ => self.clone(),
        }
    }

    /// Returns the certificate if the signers are a quorum.
    pub fn certificate(&self, committee: &Committee<S>) -> Option<Verified<Certificate<S>>> {
        if self.committee() != committee.id() || !committee.has_quorum(self.signers()) {
            return None;
        }
        let (signers, proof) = (self.signers().clone(), self.parts.proof.clone());
        let certificate = Certificate::from_verified_parts(*self.statement(), signers, proof);
        Some(Verified::assume(certificate, committee.id()))
    }

    fn with(&self, signers: SignerSet, proof: S::Proof) -> Self {
        Verified::assume(Aggregate::from_parts(*self.statement(), signers, proof), self.committee())
    }
}

impl<S: Additive> Encode for Aggregate<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        self.statement().encode_to(w);
        signers::encode(self.signers(), w);
        S::encode_proof(&self.parts.proof, self.signers(), w);
    }
}

impl<S: Additive> Decode<Committee<S>> for Aggregate<S> {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        read_suite::<S>(r)?;
        let statement = Statement::decode_from(r, &())?;
        committee.require_epoch(statement.epoch)?;
        let signers = signers::decode(r, committee.len())?;
        if signers.is_empty() {
            return Err(Error::BelowQuorum { signed: 0, needed: 1 });
        }
        let proof = S::decode_proof(r, &signers)?;
        Ok(Self::from_parts(statement, signers, proof))
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
