//! The state of one round: valid proposals, and the signatures on their blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::certificate::{Kind, Vote};
use quorate::ed25519::Ed25519;
use quorate::gossip::Gossip;
use quorate::machine::{MemberIndex, Time};
use quorate::sortition::{Score, Seed, Ticket};

use crate::block::{Committees, GosigScheme};
use crate::digests::BlockDigest;
use crate::proposal::Proposal;

/// Maximum number of proposals of a round, those with the best scores. About seven members win the lottery.
pub(crate) const MAX_PROPOSALS: usize = 64;

/// State of one round.
pub(crate) struct RoundState<S: GosigScheme> {
    proposals: Vec<ValidProposal<S>>,
    /// The first signed proposal of each proposer, to detect equivocation.
    first: BTreeMap<MemberIndex, Vote<Ed25519>>,
    /// Proposers whose proposals are not prepared: they equivocated or broke another rule.
    excluded: BTreeSet<MemberIndex>,
    /// Verified tickets. Their validity depends on the seed, which the height determines.
    tickets: BTreeMap<(u64, MemberIndex), (Ticket<S>, Score)>,
    /// Signatures by kind and ballot.
    pub(crate) votes: BTreeMap<(Kind, [u8; 32]), Gossip<S>>,
    /// Ballots of unknown proposals, each with the time of the last request.
    pub(crate) requested: BTreeMap<[u8; 32], Time>,
    /// Height of this member's draw, and its ticket if it won.
    pub(crate) own_ticket: Option<(u64, Option<Ticket<S>>)>,
    /// Highest certificate round of a repeated proposal that was forwarded.
    pub(crate) forwarded_round: u64,
}

/// A proposal that was checked.
#[derive(Clone)]
pub(crate) struct ValidProposal<S: GosigScheme> {
    pub(crate) proposal: Arc<Proposal<S>>,
    pub(crate) score: Score,
    /// The seed after its block.
    pub(crate) seed: Seed,
    /// Digest that votes for its block sign.
    pub(crate) ballot: [u8; 32],
}

impl<S: GosigScheme> Default for RoundState<S> {
    fn default() -> Self {
        Self {
            proposals: Vec::new(),
            first: BTreeMap::new(),
            excluded: BTreeSet::new(),
            tickets: BTreeMap::new(),
            votes: BTreeMap::new(),
            requested: BTreeMap::new(),
            own_ticket: None,
            forwarded_round: 0,
        }
    }
}

impl<S: GosigScheme> RoundState<S> {
    /// Returns all proposals.
    pub(crate) fn proposals(&self) -> &[ValidProposal<S>] {
        &self.proposals
    }

    /// Returns the proposals that may be prepared: those of proposers that are not excluded.
    pub(crate) fn eligible(&self) -> impl Iterator<Item = &ValidProposal<S>> {
        self.proposals.iter().filter(|known| !self.excluded.contains(&known.proposal.proposer))
    }

    /// Returns the eligible proposal with the best score at a height.
    pub(crate) fn best(&self, height: u64) -> Option<&ValidProposal<S>> {
        self.eligible()
            .filter(|known| known.proposal.block.height == height)
            .min_by_key(|known| (known.score, known.proposal.block.digest()))
    }

    /// Returns a proposal of the block that a ballot names.
    pub(crate) fn by_ballot(&self, ballot: &[u8; 32]) -> Option<&ValidProposal<S>> {
        self.proposals.iter().find(|known| known.ballot == *ballot)
    }

    /// Returns a proposal of a block.
    pub(crate) fn by_block(&self, block: &BlockDigest) -> Option<&ValidProposal<S>> {
        self.proposals.iter().find(|known| known.proposal.block.digest() == *block)
    }

    /// Returns true if exactly this proposal is known.
    pub(crate) fn contains(&self, proposal: &Proposal<S>) -> bool {
        self.proposals.iter().any(|known| *known.proposal == *proposal)
    }

    /// Returns true if a proposer is excluded.
    pub(crate) fn is_excluded(&self, proposer: MemberIndex) -> bool {
        self.excluded.contains(&proposer)
    }

    /// Excludes a proposer: its proposals are not prepared in this round.
    pub(crate) fn exclude(&mut self, proposer: MemberIndex) {
        self.excluded.insert(proposer);
    }

    /// Returns the first signed proposal of the same proposer, if `vote` contradicts it.
    pub(crate) fn first_contradicted(&mut self, vote: &Vote<Ed25519>) -> Option<Vote<Ed25519>> {
        let first = self.first.entry(vote.signer()).or_insert_with(|| vote.clone());
        (first.statement() != vote.statement()).then(|| first.clone())
    }

    /// Returns the score of a ticket that was verified before.
    pub(crate) fn score(&self, height: u64, ticket: &Ticket<S>) -> Option<Score> {
        self.tickets.get(&(height, ticket.member())).filter(|(known, _)| known == ticket).map(|(_, s)| *s)
    }

    /// Remembers a verified ticket.
    pub(crate) fn insert_ticket(&mut self, height: u64, ticket: Ticket<S>, score: Score) {
        if self.tickets.len() < 2 * MAX_PROPOSALS {
            self.tickets.insert((height, ticket.member()), (ticket, score));
        }
    }

    /// Inserts a proposal. Returns false if [`MAX_PROPOSALS`] better ones are known.
    pub(crate) fn insert(&mut self, known: ValidProposal<S>) -> bool {
        self.proposals.push(known);
        if self.proposals.len() <= MAX_PROPOSALS {
            return true;
        }
        self.proposals.sort_by_key(|known| known.score);
        let worst = self.proposals.pop();
        if let Some(worst) = &worst
            && self.by_ballot(&worst.ballot).is_none()
        {
            self.votes.retain(|(_, ballot), _| *ballot != worst.ballot);
        }
        let last = self.proposals.last().map(|known| known.score);
        worst.is_some_and(|worst| last.is_some_and(|last| worst.score > last))
    }
}

impl<S: GosigScheme> ValidProposal<S> {
    pub(crate) fn new(
        committees: &Committees<S>,
        proposal: Arc<Proposal<S>>,
        score: Score,
        seed: Seed,
    ) -> Self {
        let ballot = committees.ballot(proposal.block.height, proposal.block.digest());
        Self { proposal, score, seed, ballot }
    }
}
