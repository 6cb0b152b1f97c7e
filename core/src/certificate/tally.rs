//! The engine that [`VoteCollector`](super::VoteCollector) and [`TimeoutCollector`](super::TimeoutCollector) share:
//! who voted for what, what of it is verified, and when it pays to verify.
//!
//! 1. A vote that arrives is held, unverified; nothing is computed. One vote is held per member.
//! 2. Once what is held reaches the quorum, everything pending is checked in one go; bad votes are found by
//!    bisection and dropped.
//! 3. A second, different vote in a member's name makes both be checked by themselves. So a forged vote cannot keep
//!    the member's own out, and two good ones are an equivocation.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::collector::VoteFault;
use super::evidence::Equivocation;
use super::statement::{Kind, Statement};
use super::suspects::Suspects;
use super::units::{Ballot, Check, Verdict, VerifiedUnit};
use super::vote::Vote;
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// Which votes must reach the quorum together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Those for one statement.
    Claim(usize),
    /// All, whatever their statement.
    All,
}

impl Scope {
    fn covers(self, claim: usize) -> bool {
        self == Scope::All || self == Scope::Claim(claim)
    }
}

pub(super) struct Tally<S: Scheme> {
    committee: Arc<Committee<S>>,
    kind: Kind,
    view: u64,
    batch_threshold: usize,
    max_claims: usize,
    /// Per member one more than the position in `held`, or 0.
    places: Vec<u32>,
    held: Vec<Held<S>>,
    claims: Vec<ClaimTally>,
    claim_of: BTreeMap<[u8; 32], usize>,
    unused_claims: Vec<usize>,
    units: Vec<VerifiedUnit<S>>,
    /// Members of whom an equivocation, or a bad part of a verified unit, was already reported.
    settled_with: SignerSet,
}

struct Held<S: Scheme> {
    signer: MemberIndex,
    claim: usize,
    standing: Standing,
    signature: S::Signature,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Pending,
    VerifiedAlone,
    VerifiedTogether,
}

struct ClaimTally {
    statement: Statement,
    message: [u8; Statement::SIGNED_LEN],
    holders: u32,
    weight: u128,
    verified: u128,
}

impl<S: Scheme> Tally<S> {
    pub(super) fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64, max_claims: usize) -> Self {
        let n = committee.len();
        Self {
            kind,
            view,
            batch_threshold: super::DEFAULT_BATCH_THRESHOLD,
            max_claims,
            places: vec![0; n.into()],
            held: Vec::new(),
            claims: Vec::new(),
            claim_of: BTreeMap::new(),
            unused_claims: Vec::new(),
            units: Vec::new(),
            settled_with: SignerSet::new(n),
            committee,
        }
    }

    pub(super) fn set_batch_threshold(&mut self, votes: usize) {
        self.batch_threshold = votes;
    }

    pub(super) fn committee(&self) -> &Arc<Committee<S>> {
        &self.committee
    }

    pub(super) fn topic(&self) -> (Kind, u64) {
        (self.kind, self.view)
    }

    /// The weight that is held, verified or not.
    pub(super) fn weight(&self, scope: Scope) -> u128 {
        self.claims_in(scope).map(|claim| claim.weight).sum()
    }

    /// The weight that is verified.
    pub(super) fn verified_weight(&self, scope: Scope) -> u128 {
        self.claims_in(scope).map(|claim| claim.verified).sum()
    }

    pub(super) fn claim_for(&self, digest: &[u8; 32]) -> Option<usize> {
        self.claim_of.get(digest).copied()
    }

    pub(super) fn statement(&self, claim: usize) -> Option<&Statement> {
        self.claims.get(claim).map(|claim| &claim.statement)
    }

    /// Takes a vote in; `proven` says that it was verified. Returns its claim if it is now held.
    pub(super) fn take(
        &mut self,
        vote: Vote<S>,
        proven: bool,
        suspects: &mut Suspects,
        faults: &mut Vec<VoteFault<S>>,
    ) -> Option<usize> {
        let signer = vote.signer();
        if let Err(error) = self.check_topic(&vote) {
            faults.push(VoteFault::Stray { signer, error });
            return None;
        }
        match self.position(signer) {
            None => self.hold(vote, proven, faults),
            Some(_) if self.settled_with.contains(signer) => None,
            Some(position) => self.reconcile(position, vote, proven, suspects, faults),
        }
    }

    /// Checks what is pending, in one go if it is enough votes for that. Suspects come last, one by one, and only
    /// as far as they are needed.
    pub(super) fn settle(&mut self, scope: Scope, suspects: &mut Suspects, faults: &mut Vec<VoteFault<S>>) {
        let quorum = self.committee.quorum_weight();
        let (doubtful, clean): (Vec<_>, Vec<_>) =
            self.pending(scope).into_iter().partition(|signer| suspects.contains(*signer));
        let singles = if clean.len() >= self.batch_threshold.max(2) {
            let verdict = self.check_together(&clean);
            self.apply(verdict, suspects, faults);
            doubtful
        } else {
            clean.into_iter().chain(doubtful).collect()
        };
        for signer in singles {
            if self.verified_weight(scope) >= quorum {
                break;
            }
            if let Some(position) = self.position(signer) {
                self.confirm(position, suspects, faults);
            }
        }
    }

    /// Everything verified in the scope as one proof with its signers by claim.
    pub(super) fn verified(&self, scope: Scope) -> (BTreeMap<usize, SignerSet>, S::Proof) {
        let mut signers: BTreeMap<usize, SignerSet> = BTreeMap::new();
        let mut alone = Vec::new();
        for held in self.ascending().filter(|held| scope.covers(held.claim)) {
            if held.standing == Standing::Pending {
                continue;
            }
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

    fn claims_in(&self, scope: Scope) -> impl Iterator<Item = &ClaimTally> {
        let (from, count) = match scope {
            Scope::Claim(claim) => (claim, 1),
            Scope::All => (0, self.claims.len()),
        };
        self.claims.iter().skip(from).take(count)
    }

    fn check_topic(&self, vote: &Vote<S>) -> Result<()> {
        vote.statement().check_epoch(&self.committee)?;
        let what = match () {
            () if vote.statement().kind != self.kind => "kind",
            () if vote.statement().view != self.view => "view",
            () if vote.signer() >= self.committee.len() => {
                return Err(Error::UnknownSigner { index: vote.signer().into() });
            }
            () => return Ok(()),
        };
        Err(Error::WrongContext { what })
    }

    fn position(&self, signer: MemberIndex) -> Option<usize> {
        (*self.places.get(usize::from(signer))? as usize).checked_sub(1)
    }

    /// What is held, by ascending signer.
    fn ascending(&self) -> impl Iterator<Item = &Held<S>> {
        self.places.iter().filter_map(|place| self.held.get((*place as usize).checked_sub(1)?))
    }

    fn pending(&self, scope: Scope) -> Vec<MemberIndex> {
        let pending = |held: &&Held<S>| held.standing == Standing::Pending && scope.covers(held.claim);
        self.ascending().filter(pending).map(|held| held.signer).collect()
    }

    fn ballot(&self, signer: MemberIndex) -> Option<Ballot<'_, S>> {
        let held = self.held.get(self.position(signer)?)?;
        Some(Ballot { claim: held.claim, signer, signature: &held.signature })
    }

    fn check_together(&self, signers: &[MemberIndex]) -> Verdict<S> {
        let mut ballots: Vec<Ballot<'_, S>> =
            signers.iter().filter_map(|signer| self.ballot(*signer)).collect();
        ballots.sort_by_key(|ballot| ballot.claim);
        let message = |claim: usize| self.claims.get(claim).map(|claim| &claim.message);
        Check { committee: &self.committee, message: &message }.together(&ballots)
    }

    fn apply(&mut self, verdict: Verdict<S>, suspects: &mut Suspects, faults: &mut Vec<VoteFault<S>>) {
        for (unit, signers) in verdict.units {
            signers.into_iter().for_each(|signer| self.promote(signer, Standing::VerifiedTogether));
            self.units.push(unit);
        }
        verdict.good.into_iter().for_each(|signer| self.promote(signer, Standing::VerifiedAlone));
        verdict.bad.into_iter().for_each(|signer| self.reject(signer, suspects, faults));
    }

    fn promote(&mut self, signer: MemberIndex, standing: Standing) {
        let weight = self.committee.weight(signer).unwrap_or(0);
        let Some(held) = self.position(signer).and_then(|position| self.held.get_mut(position)) else {
            return;
        };
        if held.standing == Standing::Pending {
            held.standing = standing;
            if let Some(claim) = self.claims.get_mut(held.claim) {
                claim.verified += weight;
            }
        }
    }

    fn reject(&mut self, signer: MemberIndex, suspects: &mut Suspects, faults: &mut Vec<VoteFault<S>>) {
        suspects.accuse(signer);
        faults.push(VoteFault::BadSignature { signer });
        self.release(signer);
    }

    /// Checks the vote at `position` by itself unless that was done. False if it is bad; a pending one is then gone.
    fn confirm(&mut self, position: usize, suspects: &mut Suspects, faults: &mut Vec<VoteFault<S>>) -> bool {
        let Some(held) = self.held.get(position) else { return false };
        let (signer, standing) = (held.signer, held.standing);
        if standing == Standing::VerifiedAlone {
            return true;
        }
        let good = self.as_vote(held).is_some_and(|vote| vote.check(&self.committee).is_ok());
        match (good, standing) {
            (true, _) => self.promote(signer, Standing::VerifiedAlone),
            (false, Standing::Pending) => self.reject(signer, suspects, faults),
            // The unit holds as a whole and stays as it is.
            (false, _) => {
                suspects.accuse(signer);
                faults.push(VoteFault::BadSignature { signer });
                self.settled_with.insert(signer);
            }
        }
        good
    }

    fn as_vote(&self, held: &Held<S>) -> Option<Vote<S>> {
        Some(Vote::new(*self.statement(held.claim)?, held.signer, held.signature.clone()))
    }

    /// A member of whom a vote is held sent another.
    fn reconcile(
        &mut self,
        position: usize,
        vote: Vote<S>,
        proven: bool,
        suspects: &mut Suspects,
        faults: &mut Vec<VoteFault<S>>,
    ) -> Option<usize> {
        let held = self.held.get(position)?;
        let same_statement = self.statement(held.claim) == Some(vote.statement());
        let pending = held.standing == Standing::Pending;
        if same_statement && held.signature == *vote.signature() {
            if proven {
                self.promote(vote.signer(), Standing::VerifiedAlone);
            }
            return Some(self.held.get(position)?.claim);
        }
        if same_statement && !pending {
            return None;
        }
        if !self.confirm(position, suspects, faults) {
            return if pending { self.hold(vote, proven, faults) } else { None };
        }
        if same_statement {
            return None;
        }
        if !proven && vote.check(&self.committee).is_err() {
            suspects.accuse(vote.signer());
            faults.push(VoteFault::BadSignature { signer: vote.signer() });
            return None;
        }
        self.settled_with.insert(vote.signer());
        let first = self.as_vote(self.held.get(position)?)?;
        let equivocation = Equivocation::new(first, vote).ok()?;
        let verified = Verified::assume(equivocation, self.committee.id());
        faults.push(VoteFault::Equivocation(Box::new(verified)));
        None
    }

    fn hold(&mut self, vote: Vote<S>, proven: bool, faults: &mut Vec<VoteFault<S>>) -> Option<usize> {
        let signer = vote.signer();
        let Some(claim) = self.claim(*vote.statement()) else {
            let error =
                Error::TooLarge { what: "number of different statements", limit: self.max_claims as u64 };
            faults.push(VoteFault::Stray { signer, error });
            return None;
        };
        let weight = self.committee.weight(signer)?;
        let tally = self.claims.get_mut(claim)?;
        tally.holders += 1;
        tally.weight += weight;
        let signature = vote.into_signature();
        self.held.push(Held { signer, claim, standing: Standing::Pending, signature });
        *self.places.get_mut(usize::from(signer))? = self.held.len() as u32;
        if proven {
            self.promote(signer, Standing::VerifiedAlone);
        }
        Some(claim)
    }

    fn claim(&mut self, statement: Statement) -> Option<usize> {
        if let Some(claim) = self.claim_of.get(&statement.digest) {
            return Some(*claim);
        }
        let message = statement.signed_bytes(&self.committee.id());
        let fresh = ClaimTally { statement, message, holders: 0, weight: 0, verified: 0 };
        let claim = match self.unused_claims.pop() {
            Some(claim) => claim,
            None if self.claims.len() < self.max_claims => self.claims.len(),
            None => return None,
        };
        match self.claims.get_mut(claim) {
            Some(slot) => *slot = fresh,
            None => self.claims.push(fresh),
        }
        self.claim_of.insert(statement.digest, claim);
        Some(claim)
    }

    /// Drops a pending vote, and its claim with the last of them: forged votes leave nothing behind.
    fn release(&mut self, signer: MemberIndex) {
        let Some(position) = self.position(signer).filter(|position| *position < self.held.len()) else {
            return;
        };
        let gone = self.held.swap_remove(position);
        if let Some(moved) = self.held.get(position) {
            if let Some(place) = self.places.get_mut(usize::from(moved.signer)) {
                *place = position as u32 + 1;
            }
        }
        if let Some(place) = self.places.get_mut(usize::from(signer)) {
            *place = 0;
        }
        let Some(claim) = self.claims.get_mut(gone.claim) else { return };
        claim.weight -= self.committee.weight(signer).unwrap_or(0);
        claim.holders -= 1;
        if claim.holders == 0 {
            self.claim_of.remove(&claim.statement.digest);
            self.unused_claims.push(gone.claim);
        }
    }
}
