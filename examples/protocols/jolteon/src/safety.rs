//! Safety rules: the statements that a member may sign.
//!
//! 1. Vote for at most one block per view, in ascending views, and only in views without an own timeout.
//! 2. Vote for a block of view v only if its parent is certified in view v − 1, or if a timeout certificate of view v
//!    − 1 exists and the parent's certificate is at least as high as the highest value in it.
//! 3. Time out at most once per view, in ascending views, naming the highest known certified view.
//! 4. Propose at most one block per view.
//!
//! Sufficiency (Jolteon, section 3): let block B of view v be committed, so that a child in view v + 1 is certified.
//! A quorum voted for the child and knows B's certificate from then on. Two quorums share an honest member, so every
//! timeout certificate of view v + 1 or later has a highest value of at least v. By rule 2 every later certified
//! block extends a certificate of view v or later. By rule 1 there is one certified block per view, so by induction
//! all of them extend B.
//!
//! [`Block`]'s decoder checks the shape required by rule 2, the replica its signatures; this module keeps the state
//! of the other rules. Each signature comes with a record that must be durable before the signature leaves. The keys
//! are held by [`Guard`]s, which refuse contradictions independently of the code above them.

use quorate::certificate::{TimeoutVote, Vote};
use quorate::ed25519::Ed25519;
use quorate::guard::{ExternalKey, Floor, Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::{Error, Result};
use quorate_protocol::signing_history::SigningHistory;

use crate::block::{Block, BlockContent, Committees};
use crate::ids::{BLOCK, PROPOSAL, TIMEOUT};

/// The voting key of a member.
pub enum VotingKey<S: Scheme> {
    /// A key in this process.
    Secret(S::SecretKey),
    /// A key outside this process. A vote or a timeout that it does not sign is not sent: a vote is tried again when the view's
    /// block is considered again, and a timeout with the next timer of the view.
    External(Box<dyn ExternalKey<S>>),
}

/// The guarded keys of a member.
pub(crate) struct Safety<S: Scheme> {
    votes: Guard<S>,
    proposals: Guard<Ed25519>,
    /// Last view without proposals and votes, and last view without timeouts: the member may have signed there.
    abstains_until: Abstained,
}

/// The last views in which a member signs nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Abstained {
    votes: u64,
    timeouts: u64,
}

impl<S: Scheme> Safety<S> {
    /// Restores the guards from their records, or creates them.
    pub(crate) fn restore(
        committees: &Committees<S>,
        voting_key: VotingKey<S>,
        identity_key: <Ed25519 as Scheme>::SecretKey,
        votes: Vec<GuardRecord>,
        proposals: Vec<GuardRecord>,
        history: SigningHistory,
    ) -> Result<Self> {
        let chain = committees.voters.chain();
        let votes = match (voting_key, history.votes()) {
            (VotingKey::External(key), floor) => Guard::restore_external(key, chain, votes, floor)?,
            (VotingKey::Secret(key), Some(floor)) => Guard::restore_above(key, chain, votes, floor)?,
            (VotingKey::Secret(key), None) => Guard::restore(key, chain, votes)?,
        };
        let proposals = match history.proposals() {
            Some(floor) => Guard::restore_above(identity_key, chain, proposals, floor)?,
            None => Guard::restore(identity_key, chain, proposals)?,
        };
        Ok(Self { votes, proposals, abstains_until: Abstained::default() })
    }

    /// Returns true if a counter shows that records are missing.
    pub(crate) fn is_stale(&self) -> bool {
        self.votes.is_stale() || self.proposals.is_stale()
    }

    /// Returns the last view with a signature according to the counters; 0 without them.
    pub(crate) fn floor_view(&self) -> u64 {
        [self.votes.floor(), self.proposals.floor()].into_iter().flatten().map(Floor::view).max().unwrap_or(0)
    }

    /// Returns `true` if the keys are those of member `me`.
    pub(crate) fn belongs_to(&self, committees: &Committees<S>, me: u16) -> bool {
        committees.voters.key(me) == Some(self.votes.public_key())
            && committees.identities.key(me) == Some(self.proposals.public_key())
    }

    /// Returns the last view with a vote.
    pub(crate) fn last_voted_view(&self) -> u64 {
        self.votes.last(BLOCK).map_or(0, |(_, view)| view)
    }

    /// Returns the last view with a timeout.
    pub(crate) fn last_timeout_view(&self) -> u64 {
        self.votes.last(TIMEOUT).map_or(0, |(_, view)| view)
    }

    /// Returns the last view with a proposal.
    pub(crate) fn last_proposed_view(&self) -> u64 {
        self.proposals.last(PROPOSAL).map_or(0, |(_, view)| view)
    }

    /// Returns `true` if rule 1 permits a vote in `view`.
    pub(crate) fn may_vote(&self, view: u64) -> bool {
        view > self.last_voted_view() && view > self.last_timeout_view() && !self.abstains(view)
    }

    /// Stops signing in views up to `view`, because the member may have signed there and lost the record.
    pub(crate) fn abstain(&mut self, view: u64) {
        self.abstains_until = Abstained { votes: view, timeouts: view };
    }

    /// Signs timeouts of any view again, but no votes and proposals of the views with an abstention.
    pub(crate) fn resume_timeouts(&mut self) {
        self.abstains_until.timeouts = 0;
    }

    /// Votes for a block whose certificates were verified.
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

    /// Returns `true` if the member neither votes nor proposes in this view.
    pub(crate) fn abstains(&self, view: u64) -> bool {
        view <= self.abstains_until.votes
    }

    /// Returns the same vote for `block` again, if it was the last vote.
    pub(crate) fn repeat_vote(&mut self, committees: &Committees<S>, block: &Block<S>) -> Option<Vote<S>> {
        if block.view != self.last_voted_view() {
            return None;
        }
        self.votes
            .sign(&committees.voters, committees.ballot(block.view, block.digest()))
            .ok()
            .map(|(vote, _)| vote)
    }

    /// Signs a timeout of a view.
    pub(crate) fn sign_timeout(
        &mut self,
        committees: &Committees<S>,
        view: u64,
        certified: u64,
    ) -> Result<(TimeoutVote<S>, GuardRecord)> {
        if certified >= view || view < self.last_timeout_view() || view <= self.abstains_until.timeouts {
            return Err(Error::Contradiction {
                kind: TIMEOUT.number(),
                signed_view: self.last_timeout_view(),
            });
        }
        self.votes.sign_timeout(&committees.voters, TIMEOUT, view, certified)
    }

    /// Signs a block of this member.
    pub(crate) fn propose(
        &mut self,
        committees: &Committees<S>,
        content: BlockContent<S>,
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
        let (voting, identity) = (VotingKey::Secret(secret::<Ed25519>(1)), secret::<Ed25519>(1));
        Safety::restore(&committees, voting, identity, votes, Vec::new(), SigningHistory::Complete).unwrap()
    }

    fn block(view: u64, timestamp: u64) -> Block<Ed25519> {
        let content = BlockContent {
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
    fn one_vote_per_view_and_none_after_a_timeout() {
        let committees = committees::<Ed25519>(4);
        let mut safety = safety(Vec::new());
        assert!(safety.vote(&committees, &block(3, 0)).is_ok());
        assert!(safety.vote(&committees, &block(3, 1)).is_err(), "another block of the view");
        assert!(safety.vote(&committees, &block(2, 0)).is_err(), "an older view");
        assert!(safety.repeat_vote(&committees, &block(3, 0)).is_some());
        assert!(safety.repeat_vote(&committees, &block(3, 1)).is_none());
        assert!(safety.sign_timeout(&committees, 5, 5).is_err(), "a certificate of the view itself");
        assert!(safety.sign_timeout(&committees, 5, 3).is_ok());
        assert!(safety.sign_timeout(&committees, 5, 4).is_err(), "another value in one view");
        assert!(safety.sign_timeout(&committees, 5, 3).is_ok(), "the same timeout again");
        assert!(
            safety.vote(&committees, &block(4, 0)).is_err()
                && safety.vote(&committees, &block(5, 0)).is_err()
        );
        assert!(safety.vote(&committees, &block(6, 0)).is_ok());
    }

    #[test]
    fn a_restart_restores_the_signed_views() {
        let committees = committees::<Ed25519>(4);
        let mut before = safety(Vec::new());
        let (vote, a) = before.vote(&committees, &block(3, 0)).unwrap();
        let (_, b) = before.sign_timeout(&committees, 4, 3).unwrap();
        let mut after = safety(vec![b, a]);
        assert_eq!((after.last_voted_view(), after.last_timeout_view()), (3, 4));
        after.abstain(9);
        assert!(after.sign_timeout(&committees, 9, 3).is_err() && !after.may_vote(9) && after.may_vote(10));
        after.resume_timeouts();
        assert!(
            after.sign_timeout(&committees, 9, 3).is_ok() && !after.may_vote(9),
            "timeouts, but no votes"
        );
        assert!(after.may_vote(10) && !after.may_vote(4));
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
        assert_eq!(proposal.proposal(&committees).signer(), 0, "the author named by the content");
        assert!(safety.propose(&committees, content(3, 1)).is_err());
        assert!(safety.propose(&committees, content(2, 0)).is_err());
        assert_eq!(safety.last_proposed_view(), 3);
    }
}
