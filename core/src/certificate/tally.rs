//! The state machine that [`VoteCollector`](super::VoteCollector) and [`TimeoutCollector`](super::TimeoutCollector) share.
//!
//! 1. A vote that arrives is held unverified; nothing is computed. At most one vote is held per member.
//! 2. Once the held votes reach the quorum, all pending votes are verified together; bad votes are found and dropped.
//! 3. A second, different vote in a member's name causes both to be verified separately. A forged vote therefore cannot
//!    keep the member's real vote out, and two valid votes are an equivocation.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::batch_check::{Ballot, Check, Verdict, VerifiedUnit};
use super::collected::VoteFault;
use super::evidence::Equivocation;
use super::held_votes::{HeldVote, HeldVotes, Scope, VoteStatus};
use super::statement::{Kind, Statement};
use super::suspects::Suspects;
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// Number of pending votes below which a collector verifies them one by one.
///
/// The default is 2, because verifying a sum costs as much as verifying one vote: with `MinSig` three votes cost 25
/// Ed25519 verifications together and 80 one by one. A higher value would protect against members that spoil small
/// batches, but it costs more than it saves. With one bad vote among up to four, the failed verification of the sum is at
/// most one verification more than one by one; with several among five to seven it is little more than twice the
/// verifications. A culprit cannot repeat this, because it is then one of the [`Suspects`], whose votes enter no sum.
///
/// A higher value has one benefit: each of a few votes is verified alone, and only votes that were verified alone need no
/// further verification to become evidence of an equivocation.
pub const DEFAULT_BATCH_THRESHOLD: usize = 2;

/// The held votes of one kind and view, and their verification.
pub(super) struct Tally<S: Scheme> {
    committee: Arc<Committee<S>>,
    kind: Kind,
    view: u64,
    batch_threshold: usize,
    max_claims: usize,
    held: HeldVotes<S>,
    units: Vec<VerifiedUnit<S>>,
    /// Members whose equivocation, or bad vote in a verified unit, was already reported.
    reported: SignerSet,
    /// Members whose vote in a verified unit was also verified alone.
    confirmed: SignerSet,
    failure_limit: Option<u16>,
    /// Number of bad votes in each member's name.
    failures: BTreeMap<MemberIndex, u16>,
}

/// Destination for the findings of a call.
pub(super) struct Report<'a, S: Scheme> {
    pub(super) suspects: &'a mut Suspects,
    pub(super) faults: &'a mut Vec<VoteFault<S>>,
}

impl<S: Scheme> Tally<S> {
    pub(super) fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64, max_claims: usize) -> Self {
        Self {
            kind,
            view,
            batch_threshold: DEFAULT_BATCH_THRESHOLD,
            max_claims,
            held: HeldVotes::new(committee.id(), committee.len(), max_claims),
            units: Vec::new(),
            reported: SignerSet::new(committee.len()),
            confirmed: SignerSet::new(committee.len()),
            failure_limit: None,
            failures: BTreeMap::new(),
            committee,
        }
    }

    pub(super) fn set_batch_threshold(&mut self, votes: usize) {
        self.batch_threshold = votes;
    }

    pub(super) fn set_failure_limit(&mut self, votes: u16) {
        self.failure_limit = Some(votes);
    }

    pub(super) fn committee(&self) -> &Arc<Committee<S>> {
        &self.committee
    }

    pub(super) fn topic(&self) -> (Kind, u64) {
        (self.kind, self.view)
    }

    pub(super) fn weight(&self, scope: Scope) -> u128 {
        self.held.weight(scope)
    }

    pub(super) fn verified_weight(&self, scope: Scope) -> u128 {
        self.held.verified_weight(scope)
    }

    pub(super) fn claim_for(&self, digest: &[u8; 32]) -> Option<usize> {
        self.held.claim_for(digest)
    }

    pub(super) fn statement(&self, claim: usize) -> Option<&Statement> {
        self.held.claim(claim).map(|claimed| &claimed.statement)
    }

    /// Adds a vote, which is verified if `verified` is true. Returns its claim if the vote is held.
    pub(super) fn add(&mut self, vote: Vote<S>, verified: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        if let Err(error) = self.check_admissible(&vote) {
            report.faults.push(VoteFault::Stray { signer, error });
            return None;
        }
        if self.held.get(signer).is_none() {
            self.hold(vote, verified, report)
        } else if self.reported.contains(signer) {
            None
        } else {
            self.reconcile(vote, verified, report)
        }
    }

    /// Verifies the pending votes, together if they reach the batch threshold. Votes of suspects are verified last, one
    /// by one, until the quorum is reached.
    pub(super) fn verify_pending(&mut self, scope: Scope, report: &mut Report<'_, S>) {
        let pending = self.held.ascending(scope).filter(|held| held.status == VoteStatus::Pending);
        let (doubtful, clean): (Vec<_>, Vec<_>) =
            pending.map(|held| held.signer).partition(|signer| report.suspects.contains(*signer));
        let singles = if clean.len() >= self.batch_threshold.max(2) {
            let verdict = self.check_together(&clean);
            self.apply(verdict, report);
            doubtful
        } else {
            clean.into_iter().chain(doubtful).collect()
        };
        for signer in singles {
            if self.verified_weight(scope) >= self.committee.quorum_weight() {
                break;
            }
            self.verify_held(signer, report);
        }
    }

    /// Returns the proof of all verified votes in the scope, and their signers by claim.
    pub(super) fn verified_proof(&self, scope: Scope) -> (BTreeMap<usize, SignerSet>, S::Proof) {
        let mut signers: BTreeMap<usize, SignerSet> = BTreeMap::new();
        let mut alone = Vec::new();
        for held in self.held.ascending(scope).filter(|held| held.status != VoteStatus::Pending) {
            signers
                .entry(held.claim)
                .or_insert_with(|| SignerSet::new(self.committee.len()))
                .insert(held.signer);
            if held.status == VoteStatus::VerifiedAlone {
                alone.push((held.signer, &held.signature));
            }
        }
        let alone = (!alone.is_empty()).then(|| S::combine(&alone));
        let units = self.units.iter().filter(|unit| scope.covers(unit.claim())).map(VerifiedUnit::proof);
        let parts: Vec<&S::Proof> = units.chain(&alone).collect();
        let proof = match parts.as_slice() {
            [whole] => (*whole).clone(),
            parts => S::merge(parts),
        };
        (signers, proof)
    }

    /// Checks that the vote belongs to this tally and its signer is below the failure limit.
    fn check_admissible(&self, vote: &Vote<S>) -> Result<()> {
        self.committee.require_epoch(vote.statement().epoch)?;
        let (kind, view) = (vote.statement().kind, vote.statement().view);
        if kind != self.kind {
            let (expected, actual) = (self.kind.number().into(), kind.number().into());
            return Err(Error::Mismatch { what: "kind", expected, actual });
        }
        if view != self.view {
            return Err(Error::Mismatch { what: "view", expected: self.view, actual: view });
        }
        if vote.signer() >= self.committee.len() {
            return Err(Error::UnknownSigner { index: vote.signer().into() });
        }
        let failed = self.failures.get(&vote.signer()).copied().unwrap_or(0);
        match self.failure_limit {
            Some(limit) if failed >= limit => {
                Err(Error::TooLarge { what: "number of bad votes of one member", limit: limit.into() })
            }
            _ => Ok(()),
        }
    }

    fn blame(&mut self, signer: MemberIndex, report: &mut Report<'_, S>) {
        let failures = self.failures.entry(signer).or_insert(0);
        *failures = failures.saturating_add(1);
        report.suspects.accuse(signer);
        report.faults.push(VoteFault::BadSignature { signer });
    }

    fn check_together(&self, signers: &[MemberIndex]) -> Verdict<S> {
        let held = signers.iter().filter_map(|signer| self.held.get(*signer));
        let mut ballots: Vec<Ballot<'_, S>> = held
            .map(|held| Ballot { claim: held.claim, signer: held.signer, signature: &held.signature })
            .collect();
        ballots.sort_by_key(|ballot| ballot.claim);
        let message = |claim: usize| self.held.claim(claim).map(|claimed| &claimed.message);
        Check { committee: &self.committee, message: &message }.together(&ballots)
    }

    fn apply(&mut self, verdict: Verdict<S>, report: &mut Report<'_, S>) {
        for (unit, signers) in verdict.units {
            signers.into_iter().for_each(|signer| self.held.promote(signer, VoteStatus::VerifiedTogether));
            self.units.push(unit);
        }
        verdict.good.into_iter().for_each(|signer| self.held.promote(signer, VoteStatus::VerifiedAlone));
        for signer in verdict.bad {
            self.blame(signer, report);
            self.held.remove(signer);
        }
    }

    /// Verifies the held vote of a member alone, unless that was done before. Returns false if it is bad; a bad pending
    /// vote is dropped.
    fn verify_held(&mut self, signer: MemberIndex, report: &mut Report<'_, S>) -> bool {
        let Some(held) = self.held.get(signer) else { return false };
        let status = held.status;
        if status == VoteStatus::VerifiedAlone || self.confirmed.contains(signer) {
            return true;
        }
        if self.as_vote(held).is_some_and(|vote| vote.check(&self.committee).is_ok()) {
            if status == VoteStatus::Pending {
                self.held.promote(signer, VoteStatus::VerifiedAlone);
            } else {
                self.confirmed.insert(signer);
            }
            return true;
        }
        self.blame(signer, report);
        if status == VoteStatus::Pending {
            self.held.remove(signer);
        } else {
            // The unit verified as a whole and stays.
            self.reported.insert(signer);
        }
        false
    }

    fn as_vote(&self, held: &HeldVote<S>) -> Option<Vote<S>> {
        Some(Vote::new(*self.statement(held.claim)?, held.signer, held.signature.clone()))
    }

    /// Handles a second vote of a member with a held vote.
    fn reconcile(&mut self, vote: Vote<S>, verified: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        let held = self.held.get(signer)?;
        let (claim, pending) = (held.claim, held.status == VoteStatus::Pending);
        let same_statement = self.statement(claim) == Some(vote.statement());
        if same_statement && held.signature == *vote.signature() {
            if verified {
                self.held.promote(signer, VoteStatus::VerifiedAlone);
            }
            return Some(claim);
        }
        if same_statement && !pending {
            return None;
        }
        if !self.verify_held(signer, report) {
            return if pending { self.hold(vote, verified, report) } else { None };
        }
        if same_statement {
            return None;
        }
        if !verified && vote.check(&self.committee).is_err() {
            self.blame(signer, report);
            return None;
        }
        self.reported.insert(signer);
        let first = self.as_vote(self.held.get(signer)?)?;
        let equivocation = Verified::assume(Equivocation::new(first, vote).ok()?, self.committee.id());
        report.faults.push(VoteFault::Equivocation(Box::new(equivocation)));
        None
    }

    fn hold(&mut self, vote: Vote<S>, verified: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        let weight = self.committee.weight(signer)?;
        let claim = self.held.insert(vote, weight);
        if claim.is_none() {
            let error =
                Error::TooLarge { what: "number of different statements", limit: self.max_claims as u64 };
            report.faults.push(VoteFault::Stray { signer, error });
        } else if verified {
            self.held.promote(signer, VoteStatus::VerifiedAlone);
        }
        claim
    }
}

#[cfg(all(test, feature = "ed25519"))]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::committee::ChainId;
    use crate::ed25519::Ed25519;
    use crate::scheme::VerifiedKey;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// Adds random votes, good and forged, for few and many digests; the sums must be consistent at all times.
    #[test]
    fn random_votes_keep_all_sums_consistent() {
        let mut rng = StdRng::seed_from_u64(11);
        let secrets: Vec<_> = (0..7).map(|_| Ed25519::generate(&mut rng).unwrap()).collect();
        let members = secrets.iter().map(VerifiedKey::from_secret).zip([1, 2, 3, 4, 5, 6, 7]).collect();
        let committee = Arc::new(Committee::<Ed25519>::new(ChainId::from_name("t"), 0, members).unwrap());
        let (kind, view) = (Kind::new(1), 3);
        for _ in 0..20 {
            let mut tally = Tally::new(committee.clone(), kind, view, 5);
            let (mut suspects, mut faults) = (Suspects::new(), Vec::new());
            let mut report = Report { suspects: &mut suspects, faults: &mut faults };
            for _ in 0..100 {
                let digest = [rng.random_range(0..20); 32];
                let (key, signer) = (rng.random_range(0..7usize), rng.random_range(0..7u16));
                let key = if rng.random_bool(0.5) { usize::from(signer) } else { key };
                let statement = committee.statement(kind, view, digest);
                let vote = Vote::sign(&secrets[key], signer, &committee.id(), statement);
                tally.add(vote, false, &mut report);
                if rng.random_bool(0.1) {
                    tally.verify_pending(Scope::All, &mut report);
                }
                tally.held.audit(7);
            }
        }
    }
}
