use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::collector::{Collected, VoteFault};
use super::holdings::Scope;
use super::statement::Kind;
use super::suspects::Suspects;
use super::tally::{Report, Tally};
use super::timeout::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutVote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::scheme::Scheme;

/// Gathers timeout votes of one kind and view until a quorum, whatever values they name, makes a certificate.
///
/// It works as [`VoteCollector`](super::VoteCollector) does and has the same bounds; a check costs one more pairing
/// and hash per different value. Two different values of one member are an
/// [`Equivocation`](super::Equivocation): an honest member repeats its first timeout vote of a view.
pub struct TimeoutCollector<S: Scheme> {
    tally: Tally<S>,
    done: bool,
}

impl<S: Scheme> TimeoutCollector<S> {
    /// An empty collector.
    pub fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64) -> Self {
        let max_claims = MAX_TIMEOUT_GROUPS.min(committee.len().into());
        Self { tally: Tally::new(committee, kind, view, max_claims), done: false }
    }

    /// As [`VoteCollector::with_batch_threshold`](super::VoteCollector::with_batch_threshold).
    pub fn with_batch_threshold(mut self, votes: usize) -> Self {
        self.tally.set_batch_threshold(votes);
        self
    }

    /// As [`VoteCollector::with_failure_limit`](super::VoteCollector::with_failure_limit).
    pub fn with_failure_limit(mut self, votes: u16) -> Self {
        self.tally.set_failure_limit(votes);
        self
    }

    /// Takes a timeout vote in.
    pub fn add(
        &mut self,
        vote: TimeoutVote<S>,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
        self.take(vote, false, suspects)
    }

    /// Takes in a timeout vote that was checked already, for instance one's own. A vote that was checked against
    /// another committee is treated as unchecked.
    pub fn add_verified(
        &mut self,
        vote: Verified<TimeoutVote<S>>,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
        let proven = vote.committee() == self.tally.committee().id();
        self.take(vote.into_inner(), proven, suspects)
    }

    /// Whose votes are collected.
    pub fn committee(&self) -> &Arc<Committee<S>> {
        self.tally.committee()
    }

    /// What is collected.
    pub fn topic(&self) -> (Kind, u64) {
        self.tally.topic()
    }

    /// The weight of the timeout votes held, verified or not.
    pub fn weight(&self) -> u128 {
        self.tally.weight(Scope::All)
    }

    /// Whether votes of more than a third of the weight are held, **verified or not**: over links that
    /// authenticate each signer at least one honest member then gave up the view, and a pacemaker does well to
    /// join. Where votes come over other paths, ask [`verify_honest`](TimeoutCollector::verify_honest).
    pub fn has_honest(&self) -> bool {
        self.weight() >= self.tally.committee().honest_weight()
    }

    /// Checks what is pending, if it may be enough, and says whether **verified** votes weigh more than a third:
    /// at least one honest member gave up the view. The check is not lost, the certificate builds on it.
    pub fn verify_honest(&mut self, suspects: &mut Suspects) -> (bool, Vec<VoteFault<S>>) {
        let mut faults = Vec::new();
        let needed = self.tally.committee().honest_weight();
        if self.has_honest() && self.tally.verified_weight(Scope::All) < needed {
            self.tally.settle(Scope::All, &mut Report { suspects, faults: &mut faults });
        }
        (self.tally.verified_weight(Scope::All) >= needed, faults)
    }

    /// Whether the certificate was handed out.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn take(
        &mut self,
        vote: TimeoutVote<S>,
        proven: bool,
        suspects: &mut Suspects,
    ) -> Collected<S, TimeoutCertificate<S>> {
        let mut faults = Vec::new();
        let mut report = Report { suspects, faults: &mut faults };
        let held = self.tally.take(vote.into_vote(), proven, &mut report);
        let certificate = held.and_then(|_| self.certify(&mut report));
        Collected { certificate, faults }
    }

    fn certify(&mut self, report: &mut Report<'_, S>) -> Option<Verified<TimeoutCertificate<S>>> {
        let quorum = self.tally.committee().quorum_weight();
        if self.done || self.weight() < quorum {
            return None;
        }
        self.tally.settle(Scope::All, report);
        if self.tally.verified_weight(Scope::All) < quorum {
            return None;
        }
        let (signers, proof) = self.tally.verified(Scope::All);
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
