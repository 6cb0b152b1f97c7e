//! What is known of one round: valid proposals, and the signatures on their blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::certificate::{Kind, Vote};
use quorate::ed25519::Ed25519;
use quorate::gossip::Gossip;
use quorate::machine::MemberIndex;
use quorate::sortition::{Score, Seed, Ticket};

use crate::block::{Committees, GosigScheme};
use crate::digests::BlockDigest;
use crate::proposal::Proposal;

/// So many proposals are kept of a round, those with the best scores: about seven members are drawn.
pub(crate) const MAX_PROPOSALS: usize = 64;

/// One round.
pub(crate) struct Round<S: GosigScheme> {
    entries: Vec<Entry<S>>,
    /// The first proposal of each proposer, to compare others with.
    first: BTreeMap<MemberIndex, Vote<Ed25519>>,
    /// Who contradicted itself.
    liars: BTreeSet<MemberIndex>,
    /// Tickets that were checked; whether they are good depends on the seed, which the height fixes.
    tickets: BTreeMap<(u64, MemberIndex), (Ticket<S>, Score)>,
    /// The signatures, by kind and what votes say.
    pub(crate) votes: BTreeMap<(Kind, [u8; 32]), Gossip<S>>,
    /// Votes of which nothing is known but what somebody said: when its proposal was asked for.
    pub(crate) unknown: BTreeMap<[u8; 32], quorate::machine::Time>,
    /// Whether this member drew, at which height, and its ticket if it won.
    pub(crate) drawn: Option<(u64, Option<Ticket<S>>)>,
    /// The highest certificate round of a repeated proposal that was passed on.
    pub(crate) passed: u64,
}

/// A proposal that was checked.
#[derive(Clone)]
pub(crate) struct Entry<S: GosigScheme> {
    pub(crate) proposal: Arc<Proposal<S>>,
    pub(crate) score: Score,
    /// The seed after its block.
    pub(crate) seed: Seed,
    /// What votes for its block say.
    pub(crate) ballot: [u8; 32],
}

impl<S: GosigScheme> Default for Round<S> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            first: BTreeMap::new(),
            liars: BTreeSet::new(),
            tickets: BTreeMap::new(),
            votes: BTreeMap::new(),
            unknown: BTreeMap::new(),
            drawn: None,
            passed: 0,
        }
    }
}

impl<S: GosigScheme> Round<S> {
    /// The proposals that are kept.
    pub(crate) fn entries(&self) -> &[Entry<S>] {
        &self.entries
    }

    /// The proposals that may be prepared: those of members who did not contradict themselves.
    pub(crate) fn eligible(&self) -> impl Iterator<Item = &Entry<S>> {
        self.entries.iter().filter(|entry| !self.liars.contains(&entry.proposal.proposer))
    }

    /// The eligible proposal with the best score at a height.
    pub(crate) fn best(&self, height: u64) -> Option<&Entry<S>> {
        self.eligible()
            .filter(|entry| entry.proposal.block.height == height)
            .min_by_key(|entry| (entry.score, entry.proposal.block.digest()))
    }

    /// The proposal of which votes speak.
    pub(crate) fn by_ballot(&self, ballot: &[u8; 32]) -> Option<&Entry<S>> {
        self.entries.iter().find(|entry| entry.ballot == *ballot)
    }

    /// A proposal of a block.
    pub(crate) fn by_block(&self, block: &BlockDigest) -> Option<&Entry<S>> {
        self.entries.iter().find(|entry| entry.proposal.block.digest() == *block)
    }

    /// Whether this very proposal is known.
    pub(crate) fn contains(&self, proposal: &Proposal<S>) -> bool {
        self.entries.iter().any(|entry| *entry.proposal == *proposal)
    }

    /// Whether nothing more of a proposer is looked at.
    pub(crate) fn is_liar(&self, proposer: MemberIndex) -> bool {
        self.liars.contains(&proposer)
    }

    /// Nothing of a proposer is prepared.
    pub(crate) fn exclude(&mut self, proposer: MemberIndex) {
        self.liars.insert(proposer);
    }

    /// Compares a signed proposal with the first of its proposer: that one, if it is another.
    pub(crate) fn compare(&mut self, vote: &Vote<Ed25519>) -> Option<Vote<Ed25519>> {
        let first = self.first.entry(vote.signer()).or_insert_with(|| vote.clone());
        (first.statement() != vote.statement()).then(|| first.clone())
    }

    /// The score of a ticket that was checked before.
    pub(crate) fn score(&self, height: u64, ticket: &Ticket<S>) -> Option<Score> {
        self.tickets.get(&(height, ticket.member())).filter(|(known, _)| known == ticket).map(|(_, s)| *s)
    }

    /// Notes a ticket that was checked.
    pub(crate) fn note_ticket(&mut self, height: u64, ticket: Ticket<S>, score: Score) {
        if self.tickets.len() < 2 * MAX_PROPOSALS {
            self.tickets.insert((height, ticket.member()), (ticket, score));
        }
    }

    /// Keeps a proposal that was checked; false if there are better ones enough.
    pub(crate) fn insert(&mut self, entry: Entry<S>) -> bool {
        self.entries.push(entry);
        if self.entries.len() <= MAX_PROPOSALS {
            return true;
        }
        self.entries.sort_by_key(|entry| entry.score);
        let worst = self.entries.pop();
        if let Some(worst) = &worst
            && self.by_ballot(&worst.ballot).is_none()
        {
            self.votes.retain(|(_, ballot), _| *ballot != worst.ballot);
        }
        let last = self.entries.last().map(|entry| entry.score);
        worst.is_some_and(|worst| last.is_some_and(|last| worst.score > last))
    }
}

impl<S: GosigScheme> Entry<S> {
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
