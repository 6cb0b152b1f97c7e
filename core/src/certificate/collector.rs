use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::certificate::Certificate;
use super::evidence::Equivocation;
use super::holdings::Scope;
use super::statement::Kind;
use super::suspects::Suspects;
use super::tally::{Report, Tally};
use super::vote::Vote;
use crate::Error;
use crate::committee::{Committee, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;

/// Gathers the votes of one kind and view until some statement has a certificate.
///
/// Memory: at most one vote per member, whatever arrives. Cost: nothing until a quorum is held, then one sum and one
/// check (see the [module](super)); for each further vote in a member's name at most two single checks, which
/// [`with_failure_limit`](VoteCollector::with_failure_limit) bounds per member.
pub struct VoteCollector<S: Scheme> {
    tally: Tally<S>,
    done: bool,
}

/// What adding a vote led to.
#[must_use = "a certificate is handed out once"]
pub struct Collected<S: Scheme, C = Certificate<S>> {
    /// The certificate, once: when the quorum was reached.
    pub certificate: Option<Verified<C>>,
    /// What was found wrong with this vote or with earlier ones.
    pub faults: Vec<VoteFault<S>>,
}

/// Something is wrong with a vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoteFault<S: Scheme> {
    /// The vote does not belong here: another kind, epoch or view, no such member, or one statement or one bad vote
    /// of a member more than the limit. It was dropped unchecked.
    Stray {
        /// Whose vote it claims to be.
        signer: MemberIndex,
        /// What differs.
        error: Error,
    },
    /// The signature of the vote, checked alone, is bad. It is the member's doing only if the vote came over a
    /// link that authenticates the member; else it is whoever delivered it.
    BadSignature {
        /// Whose vote it claims to be.
        signer: MemberIndex,
    },
    /// The member signed two contradicting statements. The first vote still counts.
    Equivocation(Box<Verified<Equivocation<S>>>),
}

impl<S: Scheme> VoteFault<S> {
    /// Whose vote it is, or claims to be.
    pub fn signer(&self) -> MemberIndex {
        match self {
            VoteFault::Stray { signer, .. } | VoteFault::BadSignature { signer } => *signer,
            VoteFault::Equivocation(evidence) => evidence.signer(),
        }
    }
}

impl<S: Scheme> VoteCollector<S> {
    /// An empty collector.
    pub fn new(committee: Arc<Committee<S>>, kind: Kind, view: u64) -> Self {
        // One vote is held per member, so there are no more statements than members.
        let max_claims = committee.len().into();
        Self { tally: Tally::new(committee, kind, view, max_claims), done: false }
    }

    /// Checks votes singly where fewer than `votes` are pending, instead of
    /// [`DEFAULT_BATCH_THRESHOLD`](super::DEFAULT_BATCH_THRESHOLD).
    pub fn with_batch_threshold(mut self, votes: usize) -> Self {
        self.tally.set_batch_threshold(votes);
        self
    }

    /// Drops a member's votes unseen once `votes` of them were bad, so that one member costs at most so many
    /// checks in vain, and two more for an equivocation. **Only for links that authenticate each vote's signer**:
    /// elsewhere anybody could use up a member's tries and silence it, which is why there is no limit unless one
    /// is set. Without a limit each further bad vote costs one check.
    pub fn with_failure_limit(mut self, votes: u16) -> Self {
        self.tally.set_failure_limit(votes);
        self
    }

    /// Takes a vote in. Over a link that authenticates its sender, refuse votes in other members' names before they
    /// come here: they do no harm, but each costs a check and casts suspicion on the member.
    pub fn add(&mut self, vote: Vote<S>, suspects: &mut Suspects) -> Collected<S> {
        self.take(vote, false, suspects)
    }

    /// Takes in a vote that was checked already, for instance one's own. A vote that was checked against another
    /// committee is treated as unchecked.
    pub fn add_verified(&mut self, vote: Verified<Vote<S>>, suspects: &mut Suspects) -> Collected<S> {
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

    /// The weight of the votes held for a digest, verified or not.
    pub fn weight_for(&self, digest: &[u8; 32]) -> u128 {
        self.tally.claim_for(digest).map_or(0, |claim| self.tally.weight(Scope::Claim(claim)))
    }

    /// Whether the certificate was handed out.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn take(&mut self, vote: Vote<S>, proven: bool, suspects: &mut Suspects) -> Collected<S> {
        let mut faults = Vec::new();
        let mut report = Report { suspects, faults: &mut faults };
        let claim = self.tally.take(vote, proven, &mut report);
        let certificate = claim.and_then(|claim| self.certify(claim, &mut report));
        Collected { certificate, faults }
    }

    fn certify(&mut self, claim: usize, report: &mut Report<'_, S>) -> Option<Verified<Certificate<S>>> {
        let scope = Scope::Claim(claim);
        let quorum = self.tally.committee().quorum_weight();
        if self.done || self.tally.weight(scope) < quorum {
            return None;
        }
        self.tally.settle(scope, report);
        if self.tally.verified_weight(scope) < quorum {
            return None;
        }
        let statement = *self.tally.statement(claim)?;
        let (signers, proof) = self.tally.verified(scope);
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

impl<S: Scheme, C: fmt::Debug> fmt::Debug for Collected<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collected")
            .field("certificate", &self.certificate)
            .field("faults", &self.faults)
            .finish()
    }
}
