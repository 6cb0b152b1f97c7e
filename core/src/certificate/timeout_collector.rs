use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::collected::{Collected, VoteFault};
use super::held_votes::Scope;
use super::statement::Kind;
use super::suspects::Suspects;
use super::tally::{Report, Tally};
use super::timeout::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutVote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::scheme::Scheme;

/// Collects timeout votes of one kind and view until a quorum forms a certificate, even if the votes name
/// different values.
///
/// It works like [`VoteCollector`](super::VoteCollector) and has the same bounds; a verification costs one more pairing
/// and hash per distinct value. Two different values of one member are an [`Equivocation`](super::Equivocation): an
/// honest member repeats its first timeout vote of a view.
pub struct TimeoutCollector<S: Scheme> {
    tally: Tally<S>,
    done: bool,
}

impl<S: Scheme> TimeoutCollector<S> {
    /// Creates an empty collector.
    pub fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64) -> Self {
        let max_claims = MAX_TIMEOUT_GROUPS.min(committee.len().into());
        Self { tally: Tally::new(committee, kind, view, max_claims), done: false }
    }

    /// Sets the batch threshold, see
    /// [`VoteCollector::with_batch_threshold`](super::VoteCollector::with_batch_threshold).
    pub fn with_batch_threshold(mut self, votes: usize) -> Self {
        self.tally.set_batch_threshold(votes);
        self
    }

    /// Sets a limit on bad votes, see
    /// [`VoteCollector::with_failure_limit`](super::VoteCollector::with_failure_limit).
    pub fn with_failure_limit(mut self, votes: u16) -> Self {
        self.tally.set_failure_limit(votes);
        self
    }

    /// Adds a timeout vote.
    pub fn add(
        &mut self,
        vote: TimeoutVote<S>,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
        self.take(vote, false, suspects)
    }

    /// Adds a verified timeout vote, for instance the node's own. A vote that was verified against another committee is
    /// treated as unverified.
    pub fn add_verified(
        &mut self,
        vote: Verified<TimeoutVote<S>>,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
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

    /// Returns the weight of the held timeout votes, verified or not.
    pub fn weight(&self) -> u128 {
        self.tally.weight(Scope::All)
    }

    /// Returns true if the held votes, **verified or not**, weigh more than a third.
    ///
    /// On links that authenticate each signer, at least one honest member then gave up the view, and a pacemaker should
    /// give it up too. For votes from other paths, call [`verify_honest`](TimeoutCollector::verify_honest).
    pub fn has_honest(&self) -> bool {
        self.weight() >= self.tally.committee().honest_weight()
    }

    /// Verifies the pending votes, if they may suffice, and returns true if the **verified** votes weigh more than a
    /// third: at least one honest member gave up the view. The certificate reuses the verification.
    pub fn verify_honest(&mut self, suspects: &mut Suspects) -> (bool, Vec<VoteFault<S>>) {
        let mut faults = Vec::new();
        let needed = self.tally.committee().honest_weight();
        if self.has_honest() && self.tally.verified_weight(Scope::All) < needed {
            self.tally.verify_pending(Scope::All, &mut Report { suspects, faults: &mut faults });
        }
        (self.tally.verified_weight(Scope::All) >= needed, faults)
    }

    /// Returns true if the certificate was returned.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn take(
        &mut self,
        vote: TimeoutVote<S>,
        verified: bool,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
        let mut faults = Vec::new();
        let mut report = Report { suspects, faults: &mut faults };
        let held = self.tally.add(vote.into_vote(), verified, &mut report);
        let certificate = held.and_then(|_| self.certify(&mut report));
        Collected { certificate, faults }
    }

    fn certify(&mut self, report: &mut Report<'_, S>) -> Option<Verified<TimeoutCertificate<S>>> {
        let quorum = self.tally.committee().quorum_weight();
        if self.done || self.weight() < quorum {
            return None;
        }
        self.tally.verify_pending(Scope::All, report);
        if self.tally.verified_weight(Scope::All) < quorum {
            return None;
        }
        let (signers, proof) = self.tally.verified_proof(Scope::All);
        let value = |claim| Some(u64::from_le_bytes(*self.tally.statement(claim)?.digest.first_chunk()?));
        let mut groups: Vec<(u64, SignerSet)> =
            signers.into_iter().filter_map(|(claim, signers)| Some((value(claim)?, signers))).collect();
        groups.sort_unstable_by_key(|(value, _)| *value);
        self.done = true;
        report.suspects.decay();
        let (kind, view) = self.tally.topic();
        let topic = (kind, self.tally.committee().epoch(), view);
        let certificate = TimeoutCertificate::from_verified_parts(topic, groups, proof);
        Some(Verified::assume(certificate, self.tally.committee().id()))
    }
}

impl<S: Scheme> fmt::Debug for TimeoutCollector<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, view) = self.topic();
        write!(f, "TimeoutCollector(kind {}, view {view}, done: {})", kind.number(), self.done)
    }
}
