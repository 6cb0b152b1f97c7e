//! The rules that keep the chain single, and nothing else.
//!
//! 1. Prepare at most one block per round, rounds ascending, whatever their heights, and only what
//!    [`decide_block`](crate::decide_block) names.
//! 2. Commit a block tentatively only with a quorum's PREPAREs of it, in the round of this member's **last** PREPARE, and
//!    only the block that it prepared there; and remember it with that certificate: the lock.
//! 3. A lock ends when a block of its height is committed, or when rule 1 releases it.
//! 4. Both only at the height above the committed chain.
//! 5. Propose at most once per round.
//!
//! Why that suffices: let a quorum have committed B tentatively at height h in round r. The honest ones among them, H,
//! weigh more than a third, and each is locked on B since round r or later. Consider the first later round in which
//! another block of height h gets a quorum's PREPAREs: somebody in H prepared it, and so saw a proposal certificate of a
//! round after r for it. That is no quorum of PREPAREs of that block, for this round is the first. So it is a quorum that
//! committed the parent in round r or later; but H is more than a third and would have had to be part of it, after having
//! committed the parent (rule 4), or in round r, in which they prepared B (rule 2). `spec/gosig.md` has it in full, and TLC
//! checks it.
//!
//! Each signature comes with a record that must be durable before it leaves. The keys sit in [`Guard`]s, which refuse
//! contradictions by themselves, whatever the code above them does; what connects PREPARE and TENTATIVE is here.

use quorate::certificate::{Certificate, Vote};
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate::{Error, Result};

use crate::block::{Committees, GosigScheme};
use crate::digests::BlockDigest;
use crate::kinds::{PREPARE, PROPOSAL, TENTATIVE};
use crate::record::Lock;

/// The two keys of a member, and what it is bound by.
pub(crate) struct Safety<S: GosigScheme> {
    votes: Guard<S>,
    proposals: Guard<Ed25519>,
    epoch: u64,
    lock: Option<Lock<S>>,
    prepared: Option<Prepared>,
    abstain: u64,
}

/// What was prepared last, if that was in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) round: u64,
    pub(crate) height: u64,
    pub(crate) block: BlockDigest,
}

impl<S: GosigScheme> Safety<S> {
    /// Takes the keys back after a restart, or for the first time.
    pub(crate) fn restore(
        committees: &Committees<S>,
        voting_key: S::SecretKey,
        identity_key: <Ed25519 as Scheme>::SecretKey,
        votes: Vec<GuardRecord>,
        proposals: Vec<GuardRecord>,
        lock: Option<Lock<S>>,
    ) -> Result<Self> {
        let chain = committees.voters.chain();
        Ok(Self {
            votes: Guard::restore(voting_key, chain, votes)?,
            proposals: Guard::restore(identity_key, chain, proposals)?,
            epoch: committees.voters.epoch(),
            lock,
            prepared: None,
            abstain: 0,
        })
    }

    /// Whether the keys are this member's.
    pub(crate) fn belongs_to(&self, committees: &Committees<S>, me: u16) -> bool {
        committees.voters.key(me) == Some(self.votes.public_key())
            && committees.identities.key(me) == Some(self.proposals.public_key())
    }

    /// The round of the last PREPARE, also of an earlier run.
    pub(crate) fn prepared_round(&self) -> u64 {
        self.round_of(self.votes.last(PREPARE))
    }

    /// The round of the last TENTATIVE.
    pub(crate) fn tentative_round(&self) -> u64 {
        self.round_of(self.votes.last(TENTATIVE))
    }

    /// The round of the last proposal.
    pub(crate) fn proposed_round(&self) -> u64 {
        self.round_of(self.proposals.last(PROPOSAL))
    }

    fn round_of(&self, last: Option<(u64, u64)>) -> u64 {
        last.filter(|(epoch, _)| *epoch == self.epoch).map_or(0, |(_, round)| round)
    }

    /// What was prepared last, unless that was before a restart.
    pub(crate) fn prepared(&self) -> Option<Prepared> {
        self.prepared.filter(|prepared| prepared.round == self.prepared_round())
    }

    /// The tentatively committed block.
    pub(crate) fn lock(&self) -> Option<&Lock<S>> {
        self.lock.as_ref()
    }

    /// Gives the lock up: a block of its height is committed, or DecideBlock says so.
    pub(crate) fn release(&mut self) -> Option<Lock<S>> {
        self.lock.take()
    }

    /// The locked block was proposed again with this certificate.
    pub(crate) fn renew(&mut self, certificate: &Certificate<S>) {
        if let Some(lock) = &mut self.lock
            && certificate.statement().kind == PREPARE
            && certificate.statement().digest == lock.certificate.statement().digest
            && certificate.statement().view > lock.round()
        {
            lock.certificate = certificate.clone();
        }
    }

    /// Signs nothing for heights up to this: this member has no memory of what it may have signed there.
    pub(crate) fn abstain(&mut self, height: u64) {
        self.abstain = self.abstain.max(height);
    }

    /// Whether it signs nothing at a height for want of memory.
    pub(crate) fn abstains(&self, height: u64) -> bool {
        height <= self.abstain
    }

    /// Ends the abstention.
    pub(crate) fn take_part(&mut self) {
        self.abstain = 0;
    }

    /// Prepares a block that DecideBlock named.
    pub(crate) fn prepare(
        &mut self,
        committees: &Committees<S>,
        round: u64,
        height: u64,
        block: BlockDigest,
    ) -> Result<(Vote<S>, GuardRecord)> {
        if self.abstains(height) || round <= self.prepared_round() {
            let signed_view = self.prepared_round();
            return Err(Error::Contradiction { kind: PREPARE.number(), signed_view });
        }
        let signed = self.votes.sign(&committees.voters, committees.prepare(round, height, block))?;
        self.prepared = Some(Prepared { round, height, block });
        Ok(signed)
    }

    /// Commits tentatively what was prepared last; `certificate` is a quorum's PREPAREs of it, and was verified.
    pub(crate) fn commit_tentatively(
        &mut self,
        committees: &Committees<S>,
        certificate: Certificate<S>,
    ) -> Result<(Vote<S>, GuardRecord)> {
        let refused = Error::Contradiction { kind: TENTATIVE.number(), signed_view: self.tentative_round() };
        let Prepared { round, height, block } = self.prepared().ok_or(refused.clone())?;
        if *certificate.statement() != committees.prepare(round, height, block) || self.abstains(height) {
            return Err(refused);
        }
        let signed = self.votes.sign(&committees.voters, committees.tentative(round, height, block))?;
        self.lock = Some(Lock { block, height, certificate });
        Ok(signed)
    }

    /// Signs a proposal of this member's.
    pub(crate) fn propose(
        &mut self,
        committees: &Committees<S>,
        round: u64,
        digest: [u8; 32],
    ) -> Result<(Vote<Ed25519>, GuardRecord)> {
        if round <= self.proposed_round() {
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
        Safety::restore(&committees, secret::<T>(1), secret::<Ed25519>(1), votes, Vec::new(), lock).unwrap()
    }

    #[test]
    fn one_block_per_round_whatever_its_height() {
        let c = committees(4);
        let mut safety = safety(Vec::new(), None);
        assert!(safety.prepare(&c, 3, 1, A).is_ok());
        assert!(safety.prepare(&c, 3, 1, B).is_err() && safety.prepare(&c, 3, 2, B).is_err());
        assert!(safety.prepare(&c, 2, 1, B).is_err(), "an older round");
        assert!(safety.prepare(&c, 4, 1, B).is_ok());
        assert_eq!(safety.prepared(), Some(Prepared { round: 4, height: 1, block: B }));
    }

    #[test]
    fn a_tentative_commit_needs_the_quorum_of_what_was_prepared_last() {
        let c = committees(4);
        let quorum = |round, block| certify(&c.voters, c.prepare(round, 1, block));
        let mut safety = safety(Vec::new(), None);
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_err(), "nothing was prepared");
        safety.prepare(&c, 3, 1, A).unwrap();
        assert!(safety.commit_tentatively(&c, quorum(3, B)).is_err(), "another block");
        assert!(safety.commit_tentatively(&c, quorum(2, A)).is_err(), "another round");
        assert!(safety.commit_tentatively(&c, certify(&c.voters, c.tentative(3, 1, A))).is_err());
        assert!(safety.lock().is_none());
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_ok());
        assert_eq!(safety.lock().map(|lock| (lock.block, lock.round())), Some((A, 3)));
        safety.prepare(&c, 5, 1, B).unwrap();
        assert!(safety.commit_tentatively(&c, quorum(3, A)).is_err(), "something was prepared since");
    }

    #[test]
    fn a_restart_remembers_the_rounds_and_the_lock_and_commits_nothing_from_before() {
        let c = committees(4);
        let mut before = safety(Vec::new(), None);
        let (_, record) = before.prepare(&c, 3, 1, A).unwrap();
        let mut after = safety(vec![record], None);
        assert_eq!((after.prepared_round(), after.prepared()), (3, None));
        assert!(after.commit_tentatively(&c, certify(&c.voters, c.prepare(3, 1, A))).is_err());
        assert!(after.prepare(&c, 3, 1, B).is_err() && after.prepare(&c, 4, 1, B).is_ok());
    }

    #[test]
    fn a_lock_is_renewed_by_newer_certificates_of_its_block_only() {
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
    fn whoever_forgot_signs_nothing_until_it_takes_part() {
        let c = committees(4);
        let mut safety = safety(Vec::new(), None);
        safety.abstain(4);
        assert!(safety.prepare(&c, 3, 4, A).is_err() && safety.prepare(&c, 3, 5, A).is_ok());
        safety.take_part();
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
