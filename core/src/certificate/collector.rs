use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::certificate::Certificate;
use super::collected::Collected;
use super::held_votes::Scope;
use super::statement::Kind;
use super::suspects::Suspects;
use super::tally::{Report, Tally};
use super::vote::Vote;
use crate::committee::{Committee, Verified};
use crate::scheme::Scheme;

/// Collects the votes of one kind and view until one statement has a certificate.
///
/// Memory: at most one vote per member, whatever arrives. Cost: nothing until a quorum of votes is held, then one sum and
/// one verification (see the [module](super)). Each further vote in a member's name costs at most two single
/// verifications, which [`with_failure_limit`](VoteCollector::with_failure_limit) bounds per member.
pub struct VoteCollector<S: Scheme> {
    tally: Tally<S>,
    done: bool,
}

impl<S: Scheme> VoteCollector<S> {
    /// Creates an empty collector.
    pub fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64) -> Self {
        // The collector holds one vote per member, hence at most one statement per member.
        let max_claims = committee.len().into();
        Self { tally: Tally::new(committee, kind, view, max_claims), done: false }
    }

    /// Sets the number of pending votes below which votes are verified one by one. The default is
    /// [`DEFAULT_BATCH_THRESHOLD`](super::DEFAULT_BATCH_THRESHOLD).
    pub fn with_batch_threshold(mut self, votes: usize) -> Self {
        self.tally.set_batch_threshold(votes);
        self
    }

    /// Sets a limit on the bad votes of one member; once it is reached, the member's votes are dropped unverified.
    ///
    /// A member then costs at most `votes` failed verifications, and two more for an equivocation. **Use it only for
    /// links that authenticate each vote's signer**: on other paths an attacker could exhaust a member's limit and
    /// silence it. By default there is no limit, and each further bad vote costs one verification.
    pub fn with_failure_limit(mut self, votes: u16) -> Self {
        self.tally.set_failure_limit(votes);
        self
    }

    /// Adds a vote.
    ///
    /// On a link that authenticates its sender, refuse votes in other members' names before adding them: they do no
    /// harm, but each costs a verification and makes the member a suspect.
    pub fn add(&mut self, vote: Vote<S>, suspects: &mut Suspects) -> Collected<S> {
        self.take(vote, false, suspects)
    }

    /// Adds a verified vote, for instance the node's own. A vote that was verified against another committee is treated
    /// as unverified.
    pub fn add_verified(&mut self, vote: Verified<Vote<S>>, suspects: &mut Suspects) -> Collected<S> {
        let verified = vote.committee() == self.tally.committee().id();
        self.take(vote.into_inner(), verified, suspects)
    }

    /// Returns the committee whose votes are collected.
    pub fn committee(&self) -> &Arc<Committee<S>> {
        self.tally.committee()
    }

    /// Returns the kind and view of the collected votes.
    pub fn topic(&self) -> (Kind, u64) {
        self.tally.topic()
    }

    /// Returns the weight of the held votes for a digest, verified or not.
    pub fn weight_for(&self, digest: &[u8; 32]) -> u128 {
        self.tally.claim_for(digest).map_or(0, |claim| self.tally.weight(Scope::Claim(claim)))
    }

    /// Returns true if the certificate was returned.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn take(&mut self, vote: Vote<S>, verified: bool, suspects: &mut Suspects) -> Collected<S> {
        let mut faults = Vec::new();
        let mut report = Report { suspects, faults: &mut faults };
        let claim = self.tally.add(vote, verified, &mut report);
        let certificate = claim.and_then(|claim| self.certify(claim, &mut report));
        Collected { certificate, faults }
    }

    fn certify(&mut self, claim: usize, report: &mut Report<'_, S>) -> Option<Verified<Certificate<S>>> {
        let scope = Scope::Claim(claim);
        let quorum = self.tally.committee().quorum_weight();
        if self.done || self.tally.weight(scope) < quorum {
            return None;
        }
        self.tally.verify_pending(scope, report);
        if self.tally.verified_weight(scope) < quorum {
            return None;
        }
        let statement = *self.tally.statement(claim)?;
        let (signers, proof) = self.tally.verified_proof(scope);
        let signers = signers.into_values().next()?;
        self.done = true;
        report.suspects.decay();
        let certificate = Certificate::from_verified_parts(statement, signers, proof);
        Some(Verified::assume(certificate, self.tally.committee().id()))
    }
}

impl<S: Scheme> fmt::Debug for VoteCollector<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, view) = self.topic();
        write!(f, "VoteCollector(kind {}, view {view}, done: {})", kind.number(), self.done)
    }
}
