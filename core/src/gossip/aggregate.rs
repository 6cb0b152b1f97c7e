use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::certificate::{Certificate, Item, Statement, Vote, find_bad, signers};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::{Additive, Claim, CountedProof, Counts, random_32, read_suite};
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
        if vote.committee() != committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        let signers = SignerSet::from_members(committee.len(), [vote.signer()])?;
        let proof = S::combine(&[(vote.signer(), vote.signature())]);
        Ok(Verified::assume(Self::of_parts(*vote.statement(), signers, proof), committee.id()))
    }

    /// The aggregate that a certificate is.
    pub fn of_certificate(certificate: &Verified<Certificate<S>>) -> Verified<Self> {
        let (signers, proof) = (certificate.signers().clone(), certificate.proof().clone());
        let aggregate = Self::of_parts(*certificate.statement(), signers, proof);
        Verified::assume(aggregate, certificate.committee())
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
        1 + Statement::LEN
            + signers::encoded_len(self.signers())
            + S::proof_len(&self.parts.proof, self.signers())
    }

    /// Checks the sum. Cost (BLS): a hash to the curve, a subgroup check, two pairings, one addition per signer in one
    /// batch per different count, and two additions per different count; with all counts 1 as many additions as members
    /// are absent, if those are fewer.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another epoch or committee size, and what is wrong with the signature.
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// As [`verify`](Aggregate::verify), for an aggregate that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Aggregate::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        self.check_structure(committee)?;
        let message = self.statement().signed_bytes(&committee.id());
        let claim = Claim { message: &message, signers: self.signers() };
        S::verify_claims(committee.scheme_keys(), &[claim], &self.parts.proof)
    }

    /// Checks many aggregates by a random linear combination with 64-bit coefficients from `rng`, and says of each
    /// whether it is good. Aggregates of one statement share a pairing. If the combination fails, halves of it are tried
    /// until every bad one is known. Should the generator fail, the coefficients are derived from all inputs.
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        let entropy = random_32(rng).ok();
        Self::batch(committee, aggregates, entropy.as_deref())
    }

    /// As [`verify_batch`](Aggregate::verify_batch) where there is no generator.
    pub fn verify_batch_derived(
        committee: &Committee<S>,
        aggregates: Vec<Self>,
    ) -> Vec<Result<Verified<Self>>> {
        Self::batch(committee, aggregates, None)
    }

    /// The verdict on each of `aggregates`, of which `entropy` was drawn afterwards.
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
        find_bad(committee, &items, entropy, &mut bad);
        for (i, error) in bad {
            if let Some(verdict) = verdicts.get_mut(i) {
                *verdict = Err(error);
            }
        }
        let judged = aggregates.into_iter().zip(verdicts);
        judged
            .map(|(aggregate, verdict)| Ok(Verified::assume(verdict.map(|()| aggregate)?, committee.id())))
            .collect()
    }

    fn of_parts(statement: Statement, signers: SignerSet, proof: S::Proof) -> Self {
        Self { parts: Arc::new(Parts { statement, signers, proof }) }
    }

    fn check_structure(&self, committee: &Committee<S>) -> Result<()> {
        committee.require_epoch(self.statement().epoch)?;
        if self.signers().committee_len() == committee.len() {
            Ok(())
        } else {
            Err(Error::WrongContext { what: "committee size" })
        }
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

    /// The same signers with lower counts: of each of `parts`, in their order, as much is taken away as leaves every
    /// signer in at least once. Parts of other statements and committees, and those whose signers are not all in
    /// this aggregate, are passed over. What verified stays valid, since there is only one sum for given counts. Cost:
    /// one short multiplication for each part that is taken away.
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
            let times = counts.holds(part.counts(), part.signers());
            if times > 0 {
                counts.take(times, part.counts(), part.signers());
                taken.push((times, part.signature()));
            }
        }
        // Keys of colluders can cancel, so that nothing is left of a sum; then it stays as it is.
        match S::subtract(self.signature(), &taken) {
            Ok(signature) if !taken.is_empty() => {
                self.with(self.signers().clone(), CountedProof { signature, counts })
            }
            _ => self.clone(),
        }
    }

    /// The certificate that this is once the signers are a quorum.
    pub fn certificate(&self, committee: &Committee<S>) -> Option<Verified<Certificate<S>>> {
        if self.committee() != committee.id() || !committee.has_quorum(self.signers()) {
            return None;
        }
        let (signers, proof) = (self.signers().clone(), self.parts.proof.clone());
        let certificate = Certificate::from_verified_parts(*self.statement(), signers, proof);
        Some(Verified::assume(certificate, committee.id()))
    }

    fn with(&self, signers: SignerSet, proof: S::Proof) -> Self {
        Verified::assume(Aggregate::of_parts(*self.statement(), signers, proof), self.committee())
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
        Ok(Self::of_parts(statement, signers, proof))
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
