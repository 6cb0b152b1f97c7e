//! The rules that keep the chain single, and nothing else.
//!
//! 1. Vote for at most one block per view, views ascending, and only in views that were not given up.
//! 2. Vote for a block of view v only if its parent is certified in view v − 1; or if a timeout certificate of view
//!    v − 1 shows that a quorum gave that view up, and the parent's certificate is at least as high as the highest
//!    that any of them knew.
//! 3. Give up at most once per view, ascending, naming the highest certified view one knows.
//! 4. Propose at most one block per view.
//!
//! Why that suffices: let B, in view v, be committed, so a certified child in view v + 1 exists. A quorum voted
//! for the child and from then on knows B's certificate. Two quorums share an honest member, so every timeout
//! certificate of view v + 1 or later names a value of at least v, and by rule 2 every later certified block
//! extends a certificate of view v or later: by rule 1 there is one block per view, so by induction all of them
//! extend B. (Jolteon, section 3.)
//!
//! Rule 2 is checked by [`Block`]'s decoder (the shape) and by the replica (the signatures); this module has what
//! must be remembered. Each signature comes with a record that must be durable before it leaves. The keys sit in
//! [`Guard`]s, which refuse contradictions by themselves, whatever the code above them does.

use quorate::certificate::{TimeoutVote, Vote};
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::{Error, Result};

use crate::block::{Block, Committees, Content};
use crate::ids::{BLOCK, PROPOSAL, TIMEOUT};

/// The two keys of a member.
pub(crate) struct Safety<S: Scheme> {
    votes: Guard<S>,
    proposals: Guard<Ed25519>,
    abstain: u64,
}

impl<S: Scheme> Safety<S> {
    /// Takes the keys back after a restart, or for the first time.
    pub(crate) fn restore(
        committees: &Committees<S>,
        voting_key: S::SecretKey,
        identity_key: <Ed25519 as Scheme>::SecretKey,
        votes: Vec<GuardRecord>,
        proposals: Vec<GuardRecord>,
    ) -> Result<Self> {
        let chain = committees.voters.chain();
        Ok(Self {
            votes: Guard::restore(voting_key, chain, votes)?,
            proposals: Guard::restore(identity_key, chain, proposals)?,
            abstain: 0,
        })
    }

    /// Whether the keys are this member's.
    pub(crate) fn belongs_to(&self, committees: &Committees<S>, me: u16) -> bool {
        committees.voters.key(me) == Some(self.votes.public_key())
            && committees.identities.key(me) == Some(self.proposals.public_key())
    }

    /// The last view in which a vote was cast.
    pub(crate) fn last_voted_view(&self) -> u64 {
        self.votes.last(BLOCK).map_or(0, |(_, view)| view)
    }

    /// The last view that was given up.
    pub(crate) fn last_timeout_view(&self) -> u64 {
        self.votes.last(TIMEOUT).map_or(0, |(_, view)| view)
    }

    /// The last view in which a block was proposed.
    pub(crate) fn last_proposed_view(&self) -> u64 {
        self.proposals.last(PROPOSAL).map_or(0, |(_, view)| view)
    }

    /// Whether rule 1 allows a vote in `view`.
    pub(crate) fn may_vote(&self, view: u64) -> bool {
        view > self.last_voted_view() && view > self.last_timeout_view() && view > self.abstain
    }

    /// Signs nothing up to a view: this member has no memory of what it may have signed there.
    pub(crate) fn abstain(&mut self, view: u64) {
        self.abstain = self.abstain.max(view);
    }

    /// Votes for a block whose certificates were checked.
    pub(crate) fn vote(
        &mut self,
        committees: &Committees<S>,
        block: &Block<S>,
    ) -> Result<(Vote<S>, GuardRecord)> {
        if !self.may_vote(block.view) {
            let signed_view = self.last_voted_view().max(self.last_timeout_view());
            return Err(Error::Contradiction { kind: BLOCK.number(), signed_view });
        }
        self.votes.sign(&committees.voters, committees.ballot(block.view, block.digest()))
    }

    /// Whether it signs nothing in a view for want of memory.
    pub(crate) fn abstains(&self, view: u64) -> bool {
        view <= self.abstain
    }

    /// Ends the abstention.
    pub(crate) fn end_abstention(&mut self) {
        self.abstain = 0;
    }

    /// The vote for `block` once more, if it is the last one that was cast.
    pub(crate) fn repeat_vote(&mut self, committees: &Committees<S>, block: &Block<S>) -> Option<Vote<S>> {
        if block.view != self.last_voted_view() {
            return None;
        }
        self.votes
            .sign(&committees.voters, committees.ballot(block.view, block.digest()))
            .ok()
            .map(|(vote, _)| vote)
    }

    /// Gives a view up.
    pub(crate) fn give_up(
        &mut self,
        committees: &Committees<S>,
        view: u64,
        certified: u64,
    ) -> Result<(TimeoutVote<S>, GuardRecord)> {
        if certified >= view || view < self.last_timeout_view() || view <= self.abstain {
            return Err(Error::Contradiction {
                kind: TIMEOUT.number(),
                signed_view: self.last_timeout_view(),
            });
        }
        self.votes.sign_timeout(&committees.voters, TIMEOUT, view, certified)
    }

    /// Signs a block of this member's.
    pub(crate) fn propose(
        &mut self,
        committees: &Committees<S>,
        content: Content<S>,
    ) -> Result<(Block<S>, GuardRecord)> {
        let statement = committees.proposal(content.view, content.digest());
        let (vote, record) = self.proposals.sign(&committees.identities, statement)?;
        Ok((Block::new(content, vote.signature().clone()), record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Executed;
    use crate::ids::BlockDigest;
    use crate::testing::{committees, secret};

    fn safety(votes: Vec<GuardRecord>) -> Safety<Ed25519> {
        let committees = committees::<Ed25519>(4);
        Safety::restore(&committees, secret::<Ed25519>(1), secret::<Ed25519>(1), votes, Vec::new()).unwrap()
    }

    fn block(view: u64, timestamp: u64) -> Block<Ed25519> {
        let content = Content {
            epoch: 0,
            view,
            height: 1,
            author: 0,
            parent: BlockDigest::default(),
            justify: None,
            tc: None,
            payload: Vec::new(),
            executed: Executed { height: 0, state_root: [0; 32] },
            timestamp,
        };
        Block::new(content, Ed25519::sign(&secret::<Ed25519>(0), b""))
    }

    #[test]
    fn one_vote_per_view_ascending_and_none_after_giving_up() {
        let committees = committees::<Ed25519>(4);
        let mut safety = safety(Vec::new());
        assert!(safety.vote(&committees, &block(3, 0)).is_ok());
        assert!(safety.vote(&committees, &block(3, 1)).is_err(), "another block of the view");
        assert!(safety.vote(&committees, &block(2, 0)).is_err(), "an older view");
        assert!(safety.repeat_vote(&committees, &block(3, 0)).is_some());
        assert!(safety.repeat_vote(&committees, &block(3, 1)).is_none());
        assert!(safety.give_up(&committees, 5, 5).is_err(), "a certificate of the view itself");
        assert!(safety.give_up(&committees, 5, 3).is_ok());
        assert!(safety.give_up(&committees, 5, 4).is_err(), "another value in one view");
        assert!(safety.give_up(&committees, 5, 3).is_ok(), "the same again");
        assert!(
            safety.vote(&committees, &block(4, 0)).is_err()
                && safety.vote(&committees, &block(5, 0)).is_err()
        );
        assert!(safety.vote(&committees, &block(6, 0)).is_ok());
    }

    #[test]
    fn a_restart_remembers() {
        let committees = committees::<Ed25519>(4);
        let mut before = safety(Vec::new());
        let (vote, a) = before.vote(&committees, &block(3, 0)).unwrap();
        let (_, b) = before.give_up(&committees, 4, 3).unwrap();
        let mut after = safety(vec![b, a]);
        assert_eq!((after.last_voted_view(), after.last_timeout_view()), (3, 4));
        after.abstain(9);
        assert!(after.give_up(&committees, 9, 3).is_err() && !after.may_vote(9) && after.may_vote(10));
        after.end_abstention();
        assert!(after.may_vote(9) && !after.may_vote(4));
        assert!(after.vote(&committees, &block(4, 0)).is_err());
        assert_eq!(after.repeat_vote(&committees, &block(3, 0)), Some(vote));
        assert!(after.repeat_vote(&committees, &block(3, 1)).is_none());
    }

    #[test]
    fn one_proposal_per_view() {
        let committees = committees::<Ed25519>(4);
        let mut safety = safety(Vec::new());
        let content = |view, timestamp| (*block(view, timestamp)).clone();
        let (proposal, _) = safety.propose(&committees, content(3, 0)).unwrap();
        assert_eq!(proposal.proposal(&committees).signer(), 0, "the author that the content names");
        assert!(safety.propose(&committees, content(3, 1)).is_err());
        assert!(safety.propose(&committees, content(2, 0)).is_err());
        assert_eq!(safety.last_proposed_view(), 3);
    }
}
