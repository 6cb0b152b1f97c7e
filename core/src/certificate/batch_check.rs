//! Verification of many votes at once: an optimistic sum and, if it fails, a guess at the bad vote, then bisection.

use alloc::vec::Vec;

use super::statement::Statement;
use crate::Result;
use crate::committee::{Committee, SignerSet};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Scheme};

/// Size at which a group that contains a bad vote is verified vote by vote.
const LEAF: usize = 4;
/// Maximum number of wrong guesses before a check only bisects. A guess costs as much as two verifications, and with many
/// bad votes most guesses are wrong.
const WRONG_GUESSES: u8 = 4;

/// A vote to verify.
pub(super) struct Ballot<'a, S: Scheme> {
    /// Index of its statement.
    pub(super) claim: usize,
    pub(super) signer: MemberIndex,
    pub(super) signature: &'a S::Signature,
}

impl<S: Scheme> Clone for Ballot<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Scheme> Copy for Ballot<'_, S> {}

/// Signatures that verified **together**.
///
/// Two bad signatures may cancel in the sum (σ₁ + X and σ₂ − X), so nothing follows for a single one, and none can be
/// taken out: a unit can only be merged, as a whole, into a certificate.
pub(super) struct VerifiedUnit<S: Scheme> {
    claim: usize,
    proof: S::Proof,
}

impl<S: Scheme> VerifiedUnit<S> {
    /// Returns the statement of the unit, or the first of its statements.
    pub(super) fn claim(&self) -> usize {
        self.claim
    }

    pub(super) fn proof(&self) -> &S::Proof {
        &self.proof
    }

    /// Sums the votes with one addition each and verifies the sum once: subgroup and one product of pairings.
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

/// Result of a check. Each ballot is in exactly one of the three lists.
pub(super) struct Verdict<S: Scheme> {
    /// Units of ballots that verified together, with their signers.
    pub(super) units: Vec<(VerifiedUnit<S>, Vec<MemberIndex>)>,
    /// Signers whose ballot verified alone.
    pub(super) good: Vec<MemberIndex>,
    /// Signers whose ballot is bad.
    pub(super) bad: Vec<MemberIndex>,
    wrong_guesses: u8,
}

/// Context of a batch check.
pub(super) struct Check<'a, S: Scheme> {
    pub(super) committee: &'a Committee<S>,
    /// Returns the signed bytes of a claim.
    pub(super) message: &'a dyn Fn(usize) -> Option<&'a [u8; Statement::SIGNED_LEN]>,
}

impl<S: Scheme> Check<'_, S> {
    /// Verifies ballots, sorted by claim and then by signer, together and finds the bad ones.
    pub(super) fn together(&self, ballots: &[Ballot<'_, S>]) -> Verdict<S> {
        let mut verdict = Verdict { units: Vec::new(), good: Vec::new(), bad: Vec::new(), wrong_guesses: 0 };
        self.bisect(ballots, false, &mut verdict);
        verdict
    }

    /// Verifies one ballot alone, including the subgroup check.
    pub(super) fn singly(&self, ballot: &Ballot<'_, S>) -> bool {
        let (Some(key), Some(message)) = (self.committee.key(ballot.signer), (self.message)(ballot.claim))
        else {
            return false;
        };
        S::verify(key, message, ballot.signature).is_ok()
    }

    /// Returns true if the ballots verify together. `known_bad` is true if their sum is known to be bad, because a bad
    /// sum without a good part is bad.
    fn bisect(&self, ballots: &[Ballot<'_, S>], known_bad: bool, verdict: &mut Verdict<S>) -> bool {
        if ballots.is_empty() {
            return true;
        }
        if !known_bad && ballots.len() > 1 && self.accept(ballots, verdict) {
            return true;
        }
        if ballots.len() <= LEAF || !S::SUMMED {
            return self.one_by_one(ballots, known_bad || ballots.len() > 1, verdict);
        }
        if self.all_but_one(ballots, verdict) {
            return false;
        }
        let (left, right) = ballots.split_at(ballots.len() / 2);
        let left_good = self.bisect(left, false, verdict);
        self.bisect(right, left_good, verdict);
        false
    }

    /// Accepts the ballots as a unit if they verify together.
    fn accept(&self, ballots: &[Ballot<'_, S>], verdict: &mut Verdict<S>) -> bool {
        let Ok(unit) = VerifiedUnit::verify(self, ballots) else { return false };
        verdict.units.push((unit, ballots.iter().map(|ballot| ballot.signer).collect()));
        true
    }

    /// Tries to explain the failure by one bad ballot. If the other ballots verify without it, it is bad; a wrong guess
    /// does no harm.
    fn all_but_one(&self, ballots: &[Ballot<'_, S>], verdict: &mut Verdict<S>) -> bool {
        let (Some(first), Some(last)) = (ballots.first(), ballots.last()) else { return false };
        let Some(message) = (self.message)(first.claim) else { return false };
        if first.claim != last.claim || verdict.wrong_guesses >= WRONG_GUESSES {
            return false;
        }
        let signatures: Vec<_> = ballots.iter().map(|ballot| (ballot.signer, ballot.signature)).collect();
        if let Some(bad) = S::locate(self.committee.scheme_keys(), message, &signatures) {
            let others: Vec<_> = ballots.iter().copied().filter(|ballot| ballot.signer != bad).collect();
            if self.accept(&others, verdict) {
                verdict.bad.push(bad);
                return true;
            }
        }
        verdict.wrong_guesses += 1;
        false
    }

    /// Verifies the ballots one by one. `some_bad` is true if at least one is known to be bad; if all but the last are
    /// good, the last one is bad.
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
