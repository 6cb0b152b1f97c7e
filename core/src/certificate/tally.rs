//! The engine that [`VoteCollector`](super::VoteCollector) and [`TimeoutCollector`](super::TimeoutCollector) share:
//! who voted for what, what of it is verified, and when it pays to verify.
//!
//! 1. A vote that arrives is held, unverified; nothing is computed. One vote is held per member.
//! 2. Once what is held reaches the quorum, everything pending is checked in one go; bad votes are found and
//!    dropped.
//! 3. A second, different vote in a member's name makes both be checked by themselves. So a forged vote cannot keep
//!    the member's own out, and two good ones are an equivocation.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::collector::VoteFault;
use super::evidence::Equivocation;
use super::holdings::{Held, Holdings, Scope, Standing};
use super::statement::{Kind, Statement};
use super::suspects::Suspects;
use super::units::{Ballot, Check, Verdict, VerifiedUnit};
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::{Error, Result};

pub(super) struct Tally<S: Scheme> {
    committee: Arc<Committee<S>>,
    kind: Kind,
    view: u64,
    batch_threshold: usize,
    max_claims: usize,
    holdings: Holdings<S>,
    units: Vec<VerifiedUnit<S>>,
    /// Members of whom an equivocation, or a bad part of a verified unit, was already reported.
    settled_with: SignerSet,
    /// Members whose vote in a verified unit was found good by itself too.
    confirmed: SignerSet,
    failure_limit: Option<u16>,
    /// How many votes in a member's name were bad.
    failures: BTreeMap<MemberIndex, u16>,
}

/// Where a call reports what it finds.
pub(super) struct Report<'a, S: Scheme> {
    pub(super) suspects: &'a mut Suspects,
    pub(super) faults: &'a mut Vec<VoteFault<S>>,
}

impl<S: Scheme> Tally<S> {
    pub(super) fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64, max_claims: usize) -> Self {
        Self {
            kind,
            view,
            batch_threshold: super::DEFAULT_BATCH_THRESHOLD,
            max_claims,
            holdings: Holdings::new(committee.id(), committee.len(), max_claims),
            units: Vec::new(),
            settled_with: SignerSet::new(committee.len()),
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
        self.holdings.weight(scope)
    }

    pub(super) fn verified_weight(&self, scope: Scope) -> u128 {
        self.holdings.verified_weight(scope)
    }

    pub(super) fn claim_for(&self, digest: &[u8; 32]) -> Option<usize> {
        self.holdings.claim_for(digest)
    }

    pub(super) fn statement(&self, claim: usize) -> Option<&Statement> {
        self.holdings.claim(claim).map(|claimed| &claimed.statement)
    }

    /// Takes a vote in; `proven` says that it was verified. Returns its claim if it is now held.
    pub(super) fn take(&mut self, vote: Vote<S>, proven: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        if let Err(error) = self.admit(&vote) {
            report.faults.push(VoteFault::Stray { signer, error });
            return None;
        }
        if self.holdings.get(signer).is_none() {
            self.hold(vote, proven, report)
        } else if self.settled_with.contains(signer) {
            None
        } else {
            self.reconcile(vote, proven, report)
        }
    }

    /// Checks what is pending, in one go if it is enough votes for that. Suspects come last, one by one, and only
    /// as far as they are needed.
    pub(super) fn settle(&mut self, scope: Scope, report: &mut Report<'_, S>) {
        let pending = self.holdings.ascending(scope).filter(|held| held.standing == Standing::Pending);
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
            self.confirm(signer, report);
        }
    }

    /// Everything verified in the scope as one proof with its signers by claim.
    pub(super) fn verified(&self, scope: Scope) -> (BTreeMap<usize, SignerSet>, S::Proof) {
        let mut signers: BTreeMap<usize, SignerSet> = BTreeMap::new();
        let mut alone = Vec::new();
        for held in self.holdings.ascending(scope).filter(|held| held.standing != Standing::Pending) {
            signers
                .entry(held.claim)
                .or_insert_with(|| SignerSet::new(self.committee.len()))
                .insert(held.signer);
            if held.standing == Standing::VerifiedAlone {
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

    fn admit(&self, vote: &Vote<S>) -> Result<()> {
        vote.statement().check_epoch(&self.committee)?;
        if vote.statement().kind != self.kind {
            return Err(Error::WrongContext { what: "kind" });
        }
        if vote.statement().view != self.view {
            return Err(Error::WrongContext { what: "view" });
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
        let held = signers.iter().filter_map(|signer| self.holdings.get(*signer));
        let mut ballots: Vec<Ballot<'_, S>> = held
            .map(|held| Ballot { claim: held.claim, signer: held.signer, signature: &held.signature })
            .collect();
        ballots.sort_by_key(|ballot| ballot.claim);
        let message = |claim: usize| self.holdings.claim(claim).map(|claimed| &claimed.message);
        Check { committee: &self.committee, message: &message }.together(&ballots)
    }

    fn apply(&mut self, verdict: Verdict<S>, report: &mut Report<'_, S>) {
        for (unit, signers) in verdict.units {
            signers.into_iter().for_each(|signer| self.holdings.promote(signer, Standing::VerifiedTogether));
            self.units.push(unit);
        }
        verdict.good.into_iter().for_each(|signer| self.holdings.promote(signer, Standing::VerifiedAlone));
        for signer in verdict.bad {
            self.blame(signer, report);
            self.holdings.remove(signer);
        }
    }

    /// Checks the vote that is held of a member by itself, unless that was done. False if it is bad; a pending one is
    /// then gone.
    fn confirm(&mut self, signer: MemberIndex, report: &mut Report<'_, S>) -> bool {
        let Some(held) = self.holdings.get(signer) else { return false };
        let standing = held.standing;
        if standing == Standing::VerifiedAlone || self.confirmed.contains(signer) {
            return true;
        }
        if self.as_vote(held).is_some_and(|vote| vote.check(&self.committee).is_ok()) {
            if standing == Standing::Pending {
                self.holdings.promote(signer, Standing::VerifiedAlone);
            } else {
                self.confirmed.insert(signer);
            }
            return true;
        }
        self.blame(signer, report);
        if standing == Standing::Pending {
            self.holdings.remove(signer);
        } else {
            // The unit holds as a whole and stays as it is.
            self.settled_with.insert(signer);
        }
        false
    }

    fn as_vote(&self, held: &Held<S>) -> Option<Vote<S>> {
        Some(Vote::new(*self.statement(held.claim)?, held.signer, held.signature.clone()))
    }

    /// A member of whom a vote is held sent another.
    fn reconcile(&mut self, vote: Vote<S>, proven: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        let held = self.holdings.get(signer)?;
        let (claim, pending) = (held.claim, held.standing == Standing::Pending);
        let same_statement = self.statement(claim) == Some(vote.statement());
        if same_statement && held.signature == *vote.signature() {
            if proven {
                self.holdings.promote(signer, Standing::VerifiedAlone);
            }
            return Some(claim);
        }
        if same_statement && !pending {
            return None;
        }
        if !self.confirm(signer, report) {
            return if pending { self.hold(vote, proven, report) } else { None };
        }
        if same_statement {
            return None;
        }
        if !proven && vote.check(&self.committee).is_err() {
            self.blame(signer, report);
            return None;
        }
        self.settled_with.insert(signer);
        let first = self.as_vote(self.holdings.get(signer)?)?;
        let equivocation = Verified::assume(Equivocation::new(first, vote).ok()?, self.committee.id());
        report.faults.push(VoteFault::Equivocation(Box::new(equivocation)));
        None
    }

    fn hold(&mut self, vote: Vote<S>, proven: bool, report: &mut Report<'_, S>) -> Option<usize> {
        let signer = vote.signer();
        let weight = self.committee.weight(signer)?;
        let claim = self.holdings.insert(vote, weight);
        if claim.is_none() {
            let error =
                Error::TooLarge { what: "number of different statements", limit: self.max_claims as u64 };
            report.faults.push(VoteFault::Stray { signer, error });
        } else if proven {
            self.holdings.promote(signer, Standing::VerifiedAlone);
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

    /// Random votes, good and forged, for few and many digests; the books must balance all the time.
    #[test]
    fn nothing_accumulates_whatever_arrives() {
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
                tally.take(vote, false, &mut report);
                if rng.random_bool(0.1) {
                    tally.settle(Scope::All, &mut report);
                }
                tally.holdings.audit(7);
            }
        }
    }
}
