//! Checking many votes at once: the optimistic aggregate, and bisection when it fails.

use alloc::vec::Vec;

use super::statement::Statement;
use crate::Result;
use crate::committee::{Committee, SignerSet};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Scheme};

/// A group of this size that is known to hold a bad vote is checked vote by vote.
const LEAF: usize = 4;

/// A vote as the check needs it.
pub(super) struct Ballot<'a, S: Scheme> {
    /// Which of the statements.
    pub(super) claim: usize,
    pub(super) signer: MemberIndex,
    pub(super) signature: &'a S::Signature,
}

/// Signatures that verified **together**. Two bad ones may cancel in it (σ₁ + X and σ₂ − X), so nothing follows for
/// any one of them, and there is no way to take one out: it only merges, whole, into a certificate.
pub(super) struct VerifiedUnit<S: Scheme> {
    claim: usize,
    proof: S::Proof,
}

impl<S: Scheme> VerifiedUnit<S> {
    /// The statement of the unit, or the first of its statements.
    pub(super) fn claim(&self) -> usize {
        self.claim
    }

    pub(super) fn proof(&self) -> &S::Proof {
        &self.proof
    }

    /// One addition per vote, then one check of the sum: subgroup, and one product of pairings.
    fn verify(check: &Check<'_, S>, ballots: &[Ballot<'_, S>]) -> Result<Self> {
        let mut groups: Vec<(usize, SignerSet)> = Vec::new();
        for ballot in ballots {
            match groups.last_mut() {
                Some((claim, signers)) if *claim == ballot.claim => drop(signers.insert(ballot.signer)),
                _ => {
                    let mut signers = SignerSet::new(check.committee.len());
                    signers.insert(ballot.signer);
                    groups.push((ballot.claim, signers));
                }
            }
        }
        let mut signatures: Vec<(MemberIndex, &S::Signature)> =
            ballots.iter().map(|ballot| (ballot.signer, ballot.signature)).collect();
        if groups.len() > 1 {
            signatures.sort_unstable_by_key(|(signer, _)| *signer);
        }
        let proof = S::combine(&signatures);
        let claims: Vec<Claim<'_>> = groups
            .iter()
            .filter_map(|(claim, signers)| Some(Claim { message: (check.message)(*claim)?, signers }))
            .collect();
        S::verify_claims(check.committee.scheme_keys(), &claims, &proof)?;
        Ok(Self { claim: groups.first().map_or(0, |(claim, _)| *claim), proof })
    }
}

/// What a check found. Each ballot is in exactly one place.
pub(super) struct Verdict<S: Scheme> {
    /// Verified together, with their signers.
    pub(super) units: Vec<(VerifiedUnit<S>, Vec<MemberIndex>)>,
    /// Verified one by one.
    pub(super) good: Vec<MemberIndex>,
    /// Refused one by one.
    pub(super) bad: Vec<MemberIndex>,
}

/// What the check of a batch needs to know.
pub(super) struct Check<'a, S: Scheme> {
    pub(super) committee: &'a Committee<S>,
    /// The signed bytes of a claim.
    pub(super) message: &'a dyn Fn(usize) -> Option<&'a [u8; Statement::SIGNED_LEN]>,
}

impl<S: Scheme> Check<'_, S> {
    /// Checks ballots, sorted by claim and then signer, together and finds the bad ones.
    pub(super) fn together(&self, ballots: &[Ballot<'_, S>]) -> Verdict<S> {
        let mut verdict = Verdict { units: Vec::new(), good: Vec::new(), bad: Vec::new() };
        self.bisect(ballots, false, &mut verdict);
        verdict
    }

    /// Checks one ballot by itself, subgroup included.
    pub(super) fn singly(&self, ballot: &Ballot<'_, S>) -> bool {
        let (Some(key), Some(message)) = (self.committee.key(ballot.signer), (self.message)(ballot.claim))
        else {
            return false;
        };
        S::verify(key, message, ballot.signature).is_ok()
    }

    /// Returns whether the ballots verified together. `known_bad` says that they do not: their sum is what a bad
    /// sum leaves when a good one is taken away.
    fn bisect(&self, ballots: &[Ballot<'_, S>], known_bad: bool, verdict: &mut Verdict<S>) -> bool {
        if ballots.is_empty() {
            return true;
        }
        if !known_bad && ballots.len() > 1 {
            if let Ok(unit) = VerifiedUnit::verify(self, ballots) {
                verdict.units.push((unit, ballots.iter().map(|ballot| ballot.signer).collect()));
                return true;
            }
        }
        if ballots.len() <= LEAF {
            return self.one_by_one(ballots, known_bad || ballots.len() > 1, verdict);
        }
        let (left, right) = ballots.split_at(ballots.len() / 2);
        let left_good = self.bisect(left, false, verdict);
        self.bisect(right, left_good, verdict);
        false
    }

    /// `some_bad` says that at least one is; if all but the last are good, it is that one.
    fn one_by_one(&self, ballots: &[Ballot<'_, S>], some_bad: bool, verdict: &mut Verdict<S>) -> bool {
        let mut all_good = true;
        for (left, ballot) in (0..ballots.len()).rev().zip(ballots) {
            let inferred_bad = some_bad && all_good && left == 0;
            if !inferred_bad && self.singly(ballot) {
                verdict.good.push(ballot.signer);
            } else {
                all_good = false;
                verdict.bad.push(ballot.signer);
            }
        }
        all_good
    }
}
