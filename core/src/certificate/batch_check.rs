//! Verification of many votes at once: an optimistic sum and, if it fails, a search for the only bad vote, then bisection.

use alloc::vec::Vec;

use super::statement::Statement;
use crate::committee::{Committee, SignerSet};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Scheme, SumCheck};

/// Size at which a group that contains a bad vote is verified vote by vote.
const LEAF: usize = 4;
/// Maximum number of failed searches for an only bad vote before a check only bisects. A search costs nearly as much as a
/// verification, and with many bad votes most searches fail.
const FAILED_SEARCHES: u8 = 4;

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

    /// Sums the votes with one addition each and verifies the sum once: subgroup and one product of pairings. If it is
    /// bad and `search` is true, tries to find the only bad vote.
    fn verify(check: &Check<'_, S>, ballots: &[Ballot<'_, S>], search: bool) -> SumCheck<Self> {
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
        let claims: Vec<Claim<'_>> = groups
            .iter()
            .filter_map(|(claim, signers)| Some(Claim { message: (check.message)(*claim)?, signers }))
            .collect();
        if claims.len() != groups.len() {
            return SumCheck::Bad;
        }
        let keys = check.committee.scheme_keys();
        let result = if let [claim] = claims.as_slice() {
            S::verify_sum(keys, *claim, &signatures, search)
        } else {
            let proof = S::combine(&signatures);
            match S::verify_claims(keys, &claims, &proof) {
                Ok(()) => SumCheck::Good(proof),
                Err(_) => SumCheck::Bad,
            }
        };
        let claim = groups.first().map_or(0, |(claim, _)| *claim);
        result.map(|proof| Self { claim, proof })
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
    failed_searches: u8,
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
        let mut verdict =
            Verdict { units: Vec::new(), good: Vec::new(), bad: Vec::new(), failed_searches: 0 };
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
        let leaf = ballots.len() <= LEAF || !S::SUMMED;
        let search = !leaf && verdict.failed_searches < FAILED_SEARCHES && have_one_claim(ballots);
        if ballots.len() > 1 && (search || !known_bad) {
            match self.accept(ballots, search, verdict) {
                SumCheck::Good(()) => return true,
                SumCheck::OneBad { .. } => return false,
                SumCheck::Bad => verdict.failed_searches += u8::from(search),
            }
        }
        if leaf {
            return self.one_by_one(ballots, known_bad || ballots.len() > 1, verdict);
        }
        let (left, right) = ballots.split_at(ballots.len() / 2);
        let left_good = self.bisect(left, false, verdict);
        self.bisect(right, left_good, verdict);
        false
    }

    /// Accepts the ballots as a unit if they verify together. If one of them is found to be the only bad one, accepts the
    /// others.
    fn accept(&self, ballots: &[Ballot<'_, S>], search: bool, verdict: &mut Verdict<S>) -> SumCheck<()> {
        let result = VerifiedUnit::verify(self, ballots, search);
        let bad = match &result {
            SumCheck::OneBad { signer, .. } => Some(*signer),
            _ => None,
        };
        verdict.bad.extend(bad);
        result.map(|unit| {
            let signers = ballots.iter().map(|ballot| ballot.signer);
            verdict.units.push((unit, signers.filter(|signer| Some(*signer) != bad).collect()));
        })
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

/// Returns true if all ballots, sorted by claim, have the same.
fn have_one_claim<S: Scheme>(ballots: &[Ballot<'_, S>]) -> bool {
    ballots.first().map(|ballot| ballot.claim) == ballots.last().map(|ballot| ballot.claim)
}
