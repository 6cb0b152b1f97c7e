//! Votes held by a collector: one per member, and the statements that they sign.
//!
//! Memory is bounded by the size of the committee, and a dropped vote leaves nothing behind.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::statement::Statement;
use super::vote::Vote;
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::scheme::Scheme;

/// The votes that must reach the quorum together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The votes for one statement.
    Claim(usize),
    /// All votes, whatever their statement.
    All,
}

impl Scope {
    pub(super) fn covers(self, claim: usize) -> bool {
        self == Scope::All || self == Scope::Claim(claim)
    }
}

/// Verification status of a vote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VoteStatus {
    /// Not yet verified.
    Pending,
    /// Verified by a single verification.
    VerifiedAlone,
    /// Verified only as part of a sum.
    VerifiedTogether,
}

/// The held vote of a member.
pub(super) struct HeldVote<S: Scheme> {
    pub(super) signer: MemberIndex,
    pub(super) claim: usize,
    pub(super) status: VoteStatus,
    pub(super) signature: S::Signature,
    weight: u128,
}

/// A statement with the weight of its held votes.
pub(super) struct HeldClaim {
    pub(super) statement: Statement,
    pub(super) message: [u8; Statement::SIGNED_LEN],
    votes: u32,
    weight: u128,
    verified: u128,
}

pub(super) struct HeldVotes<S: Scheme> {
    committee: CommitteeId,
    max_claims: usize,
    /// Position of each member's vote in `held` plus one; 0 for none.
    places: Vec<u32>,
    held: Vec<HeldVote<S>>,
    claims: Vec<HeldClaim>,
    claim_of: BTreeMap<[u8; 32], usize>,
    unused_claims: Vec<usize>,
}

impl<S: Scheme> HeldVotes<S> {
    pub(super) fn new(committee: CommitteeId, n: u16, max_claims: usize) -> Self {
        Self {
            committee,
            max_claims,
            places: vec![0; n.into()],
            held: Vec::new(),
            claims: Vec::new(),
            claim_of: BTreeMap::new(),
            unused_claims: Vec::new(),
        }
    }

    pub(super) fn get(&self, signer: MemberIndex) -> Option<&HeldVote<S>> {
        self.held.get(self.position(signer)?)
    }

    /// Iterates over the held votes of a scope, ascending by signer.
    pub(super) fn ascending(&self, scope: Scope) -> impl Iterator<Item = &HeldVote<S>> {
        let by_member =
            self.places.iter().filter_map(|place| self.held.get((*place as usize).checked_sub(1)?));
        by_member.filter(move |held| scope.covers(held.claim))
    }

    pub(super) fn claim(&self, claim: usize) -> Option<&HeldClaim> {
        self.claims.get(claim)
    }

    pub(super) fn claim_for(&self, digest: &[u8; 32]) -> Option<usize> {
        self.claim_of.get(digest).copied()
    }

    pub(super) fn weight(&self, scope: Scope) -> u128 {
        self.claims_in(scope).map(|claim| claim.weight).sum()
    }

    pub(super) fn verified_weight(&self, scope: Scope) -> u128 {
        self.claims_in(scope).map(|claim| claim.verified).sum()
    }

    /// Holds a vote of a member without a held vote and returns its claim; `None` if it would exceed the limit of
    /// different statements.
    pub(super) fn insert(&mut self, vote: Vote<S>, weight: u128) -> Option<usize> {
        let signer = vote.signer();
        let claim = self.claim_of_statement(*vote.statement())?;
        let claimed = self.claims.get_mut(claim)?;
        claimed.votes += 1;
        claimed.weight += weight;
        let signature = vote.into_signature();
        self.held.push(HeldVote { signer, claim, status: VoteStatus::Pending, signature, weight });
        *self.places.get_mut(usize::from(signer))? = self.held.len() as u32;
        Some(claim)
    }

    /// Marks a pending vote as verified.
    pub(super) fn promote(&mut self, signer: MemberIndex, status: VoteStatus) {
        let Some(held) = self.position(signer).and_then(|position| self.held.get_mut(position)) else {
            return;
        };
        if held.status == VoteStatus::Pending {
            held.status = status;
            if let Some(claimed) = self.claims.get_mut(held.claim) {
                claimed.verified += held.weight;
            }
        }
    }

    /// Drops a pending vote, and its statement if no other vote signs it.
    pub(super) fn remove(&mut self, signer: MemberIndex) {
        let Some(position) = self.position(signer).filter(|position| *position < self.held.len()) else {
            return;
        };
        let gone = self.held.swap_remove(position);
        if let Some(place) = self.places.get_mut(usize::from(signer)) {
            *place = 0;
        }
        if let Some(moved) = self.held.get(position)
            && let Some(place) = self.places.get_mut(usize::from(moved.signer))
        {
            *place = position as u32 + 1;
        }
        let Some(claimed) = self.claims.get_mut(gone.claim) else { return };
        claimed.weight -= gone.weight;
        claimed.votes -= 1;
        if claimed.votes == 0 {
            self.claim_of.remove(&claimed.statement.digest);
            self.unused_claims.push(gone.claim);
        }
    }

    fn position(&self, signer: MemberIndex) -> Option<usize> {
        (*self.places.get(usize::from(signer))? as usize).checked_sub(1)
    }

    fn claims_in(&self, scope: Scope) -> impl Iterator<Item = &HeldClaim> {
        let (from, count) = match scope {
            Scope::Claim(claim) => (claim, 1),
            Scope::All => (0, self.claims.len()),
        };
        self.claims.iter().skip(from).take(count)
    }

    fn claim_of_statement(&mut self, statement: Statement) -> Option<usize> {
        if let Some(claim) = self.claim_for(&statement.digest) {
            return Some(claim);
        }
        let claim = match self.unused_claims.pop() {
            Some(claim) => claim,
            None if self.claims.len() < self.max_claims => self.claims.len(),
            None => return None,
        };
        let message = statement.signed_bytes(&self.committee);
        let fresh = HeldClaim { statement, message, votes: 0, weight: 0, verified: 0 };
        match self.claims.get_mut(claim) {
            Some(unused) => *unused = fresh,
            None => self.claims.push(fresh),
        }
        self.claim_of.insert(statement.digest, claim);
        Some(claim)
    }
}

#[cfg(test)]
impl<S: Scheme> HeldVotes<S> {
    /// Panics unless all sums and indices are consistent.
    #[allow(clippy::indexing_slicing, clippy::panic)]
    pub(super) fn audit(&self, n: usize) {
        assert!(self.held.len() <= n && self.claims.len() <= self.max_claims);
        assert_eq!(self.claim_of.len() + self.unused_claims.len(), self.claims.len());
        assert_eq!(self.places.iter().filter(|place| **place != 0).count(), self.held.len());
        for (i, held) in self.held.iter().enumerate() {
            assert_eq!(self.position(held.signer), Some(i));
        }
        for (digest, claim) in &self.claim_of {
            let votes = || self.held.iter().filter(|held| held.claim == *claim);
            let verified = votes().filter(|held| held.status != VoteStatus::Pending);
            let claimed = &self.claims[*claim];
            assert_eq!(claimed.statement.digest, *digest);
            assert!(claimed.votes > 0);
            assert_eq!(claimed.votes as usize, votes().count());
            assert_eq!(claimed.weight, votes().map(|held| held.weight).sum::<u128>());
            assert_eq!(claimed.verified, verified.map(|held| held.weight).sum::<u128>());
        }
    }
}
