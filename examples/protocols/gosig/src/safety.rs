//! The safety rules: the statements that a member may sign.
//!
//! 1. Prepare at most one block per round, at any height, in ascending rounds, and only the block that
//!    [`decide_block`](crate::decide_block) names.
//! 2. Commit a block tentatively only with a quorum of PREPAREs for it, in the round of this member's **last** PREPARE, and
//!    only the block that it prepared there. Remember the block with that certificate: the lock.
//! 3. A lock ends when a block of its height is committed, or when DecideBlock releases it.
//! 4. Prepare and commit tentatively only at the height above the committed chain.
//! 5. Propose at most once per round.
//!
//! Sufficiency: let a quorum have committed B tentatively at height h in round r. Its honest members, H, weigh
//! more than a third, and each is locked on B since round r or later. Consider the first later round in which another block
//! of height h gets a quorum of PREPAREs. A member of H prepared it, and so saw a proposal certificate for it of a round
//! after r. That certificate is no quorum of PREPAREs for that block, because this round is the first. So it is a quorum
//! that committed the parent in round r or later. But H weighs more than a third, so a member of H is part of that quorum,
//! after it had committed the parent (rule 4), or in round r, in which it prepared B (rule 2): a contradiction.
//! `spec/gosig.md` has the full proof, and TLC checks a model of it.
//!
//! Each signature comes with a record that must be durable before the signature leaves. The keys are held by [`Guard`]s,
//! which refuse contradictions independently of their callers. This module adds the rules that connect PREPARE and
//! TENTATIVE.

use quorate::certificate::{Certificate, Vote};
use quorate::ed25519::Ed25519;
use quorate::guard::{Floor, Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::{Error, Result};
use quorate_protocol::signing_history::SigningHistory;

use crate::block::{Committees, GosigScheme};
use crate::digests::BlockDigest;
use crate::kinds::{PREPARE, PROPOSAL, TENTATIVE};
use crate::record::Lock;

/// The two keys of a member, with the votes and the lock that bind it.
pub(crate) struct Safety<S: GosigScheme> {
    votes: Guard<S>,
    proposals: Guard<Ed25519>,
    epoch: u64,
    lock: Option<Lock<S>>,
    prepared: Option<Prepared>,
    /// Height up to which the member signs nothing.
    abstain: u64,
    /// Round up to which the member signs nothing.
    abstain_round: u64,
}

/// The last PREPARE of this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) round: u64,
    pub(crate) height: u64,
    pub(crate) block: BlockDigest,
}

impl<S: GosigScheme> Safety<S> {
    /// Returns the safety state from the keys and the records; there are none at the first start.
    pub(crate) fn restore(
        committees: &Committees<S>,
        voting_key: S::SecretKey,
        identity_key: <Ed25519 as Scheme>::SecretKey,
        votes: Vec<GuardRecord>,
        proposals: Vec<GuardRecord>,
        lock: Option<Lock<S>>,
        history: SigningHistory,
    ) -> Result<Self> {
        let chain = committees.voters.chain();
        Ok(Self {
            votes: match history.votes() {
                Some(floor) => Guard::restore_above(voting_key, chain, votes, floor)?,
                None => Guard::restore(voting_key, chain, votes)?,
            },
            proposals: match history.proposals() {
                Some(floor) => Guard::restore_above(identity_key, chain, proposals, floor)?,
                None => Guard::restore(identity_key, chain, proposals)?,
            },
            epoch: committees.voters.epoch(),
            lock,
            prepared: None,
            abstain: 0,
            abstain_round: 0,
        })
    }

    /// Returns true if a counter shows that records are missing.
    pub(crate) fn is_stale(&self) -> bool {
        self.votes.is_stale() || self.proposals.is_stale()
    }

    /// Returns the last round with a signature according to the counters; 0 without them.
    pub(crate) fn floor_round(&self) -> u64 {
        [self.votes.floor(), self.proposals.floor()].into_iter().flatten().map(Floor::view).max().unwrap_or(0)
    }

    /// Returns true if the keys are this member's.
    pub(crate) fn belongs_to(&self, committees: &Committees<S>, me: u16) -> bool {
        committees.voters.key(me) == Some(self.votes.public_key())
            && committees.identities.key(me) == Some(self.proposals.public_key())
    }

    /// Returns the round of the last PREPARE, in this run or an earlier one; 0 if there is none in this epoch.
    pub(crate) fn prepared_round(&self) -> u64 {
        self.round_of(self.votes.last(PREPARE))
    }

    /// Returns the round of the last TENTATIVE, in this run or an earlier one; 0 if there is none in this epoch.
    pub(crate) fn tentative_round(&self) -> u64 {
        self.round_of(self.votes.last(TENTATIVE))
    }

    /// Returns the round of the last proposal, in this run or an earlier one; 0 if there is none in this epoch.
    pub(crate) fn proposed_round(&self) -> u64 {
        self.round_of(self.proposals.last(PROPOSAL))
    }

    fn round_of(&self, last: Option<(u64, u64)>) -> u64 {
        last.filter(|(epoch, _)| *epoch == self.epoch).map_or(0, |(_, round)| round)
    }

    /// Returns the last PREPARE, unless it was made before a restart.
    pub(crate) fn prepared(&self) -> Option<Prepared> {
        self.prepared.filter(|prepared| prepared.round == self.prepared_round())
    }

    /// Returns the lock: the tentatively committed block.
    pub(crate) fn lock(&self) -> Option<&Lock<S>> {
        self.lock.as_ref()
    }

    /// Releases the lock: a block of its height is committed, or DecideBlock released it.
    pub(crate) fn release(&mut self) -> Option<Lock<S>> {
        self.lock.take()
    }

    /// Renews the lock with a newer PREPARE certificate of its block. Ignores any other certificate.
    pub(crate) fn renew(&mut self, certificate: &Certificate<S>) {
        if let Some(lock) = &mut self.lock
            && certificate.statement().kind == PREPARE
            && certificate.statement().digest == lock.certificate.statement().digest
            && certificate.statement().view > lock.round()
        {
            lock.certificate = certificate.clone();
        }
    }

    /// Abstains at heights up to this one: the member may have signed there and lost the record.
    pub(crate) fn abstain(&mut self, height: u64) {
        self.abstain = self.abstain.max(height);
    }

    /// Returns true if the member abstains at a height.
    pub(crate) fn abstains(&self, height: u64) -> bool {
        height <= self.abstain
    }

    /// Signs nothing in rounds up to this one: by its clock, the member can have signed in no later one.
    pub(crate) fn abstain_in_rounds(&mut self, last: u64) {
        self.abstain_round = self.abstain_round.max(last);
    }

    /// Returns the last round in which the member signs nothing; 0 if there is none.
    pub(crate) fn abstains_until_round(&self) -> u64 {
        self.abstain_round
    }

    /// Ends the abstention at heights.
    pub(crate) fn end_abstention(&mut self) {
        self.abstain = 0;
    }

    /// Signs PREPARE for a block that DecideBlock named.
    pub(crate) fn prepare(
        &mut self,
        committees: &Committees<S>,
        round: u64,
        height: u64,
        block: BlockDigest,
    ) -> Result<(Vote<S>, GuardRecord)> {
        if self.abstains(height) || round <= self.prepared_round().max(self.abstain_round) {
            let signed_view = self.prepared_round();
            return Err(Error::Contradiction { kind: PREPARE.number(), signed_view });
        }
        let signed = self.votes.sign(&committees.voters, committees.prepare(round, height, block))?;
        self.prepared = Some(Prepared { round, height, block });
        Ok(signed)
    }

    /// Signs TENTATIVE for the block that was prepared last, and locks it. `certificate` is its verified PREPARE certificate.
    pub(crate) fn commit_tentatively(
        &mut self,
        committees: &Committees<S>,
        certificate: Certificate<S>,
    ) -> Result<(Vote<S>, GuardRecord)> {
        let refused = Error::Contradiction { kind: TENTATIVE.number(), signed_view: self.tentative_round() };
        let Prepared { round, height, block } = self.prepared().ok_or(refused.clone())?;
        let abstains = self.abstains(height) || round <= self.abstain_round;
        if *certificate.statement() != committees.prepare(round, height, block) || abstains {
            return Err(refused);
        }
        let signed = self.votes.sign(&committees.voters, committees.tentative(round, height, block))?;
        self.lock = Some(Lock { block, height, certificate });
        Ok(signed)
    }

    /// Signs a proposal.
    pub(crate) fn propose(
        &mut self,
        committees: &Committees<S>,
        round: u64,
        digest: [u8; 32],
    ) -> Result<(Vote<Ed25519>, GuardRecord)> {
        if round <= self.proposed_round().max(self.abstain_round) {
            let signed_view = self.proposed_round();
            return Err(Error::Contradiction { kind: PROPOSAL.number(), signed_view });
        }
        self.proposals.sign(&committees.identities, committees.proposal(round, digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{T, certify, committees, secret};

    const A: BlockDigest = BlockDigest([1; 32]);
    const B: BlockDigest = BlockDigest([2; 32]);

    fn safety(votes: Vec<GuardRecord>, lock: Option<Lock<T>>) -> Safety<T> {
        let committees = committees(4);
        let (voting, identity) = (secret::<T>(1), secret::<Ed25519>(1));
        Safety::restore(&committees, voting, identity, votes, Vec::new(), lock, SigningHistory::Complete)
            .unwrap()
    }

    #[test]
    fn one_prepare_per_round_at_any_height() {
        let c = committees(4);
        let mut safety = safety(Vec::new(), None);
        assert!(safety.prepare(&c, 3, 1, A).is_ok());
        assert!(safety.prepare(&c, 3, 1, B).is_err() && safety.prepare(&c, 3, 2, B).is_err());
        assert!(safety.prepare(&c, 2, 1, B).is_err(), "an older round");
        assert!(safety.prepare(&c, 4, 1, B).is_ok());
        assert_eq!(safety.prepared(), Some(Prepared { round: 4, height: 1, block: B }));
    }

    #[test]
    fn tentative_needs_the_certificate_of_the_last_prepare() {
        let c = committees(4);
        let quorum = |round, block| certify(&c.voters, c.prepare(round, 1, block));
        let mut safety = safety(Vec::new(), None);
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_err(), "no block was prepared");
        safety.prepare(&c, 3, 1, A).unwrap();
        assert!(safety.commit_tentatively(&c, quorum(3, B)).is_err(), "another block");
        assert!(safety.commit_tentatively(&c, quorum(2, A)).is_err(), "another round");
        assert!(safety.commit_tentatively(&c, certify(&c.voters, c.tentative(3, 1, A))).is_err());
        assert!(safety.lock().is_none());
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_ok());
        assert_eq!(safety.lock().map(|lock| (lock.block, lock.round())), Some((A, 3)));
        safety.prepare(&c, 5, 1, B).unwrap();
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_err(), "another block was prepared since");
    }

    #[test]
    fn a_restart_keeps_rounds_and_signs_no_earlier_tentative() {
        let c = committees(4);
        let mut before = safety(Vec::new(), None);
        let (_, record) = before.prepare(&c, 3, 1, A).unwrap();
        let mut after = safety(vec![record], None);
        assert_eq!((after.prepared_round(), after.prepared()), (3, None));
        assert!(after.commit_tentatively(&c, certify(&c.voters, c.prepare(3, 1, A))).is_err());
        assert!(after.prepare(&c, 3, 1, B).is_err() && after.prepare(&c, 4, 1, B).is_ok());
    }

    #[test]
    fn only_newer_certificates_of_its_block_renew_a_lock() {
        let c = committees(4);
        let quorum = |round, block| certify(&c.voters, c.prepare(round, 1, block));
        let lock = Lock { block: A, height: 1, certificate: quorum(3, A) };
        let mut safety = safety(Vec::new(), Some(lock));
        safety.renew(&quorum(2, A));
        safety.renew(&quorum(7, B));
        safety.renew(&certify(&c.voters, c.tentative(7, 1, A)));
        assert_eq!(safety.lock().map(Lock::round), Some(3));
        safety.renew(&quorum(5, A));
        assert_eq!(safety.lock().map(Lock::round), Some(5));
        assert!(safety.release().is_some() && safety.lock().is_none());
    }

    #[test]
    fn an_abstaining_member_signs_nothing_at_those_heights() {
        let c = committees(4);
        let mut safety = safety(Vec::new(), None);
        safety.abstain(4);
        assert!(safety.prepare(&c, 3, 4, A).is_err() && safety.prepare(&c, 3, 5, A).is_ok());
        safety.end_abstention();
        assert!(safety.prepare(&c, 4, 4, A).is_ok());
    }

    #[test]
    fn one_proposal_per_round() {
        let c = committees(4);
        let mut safety = safety(Vec::new(), None);
        assert!(safety.propose(&c, 3, [1; 32]).is_ok());
        assert!(safety.propose(&c, 3, [1; 32]).is_err() && safety.propose(&c, 2, [1; 32]).is_err());
        assert_eq!(safety.proposed_round(), 3);
    }
}
