//! Who leads a view: rotation over the members in good standing.
//!
//! The standings are a function of a chain of blocks and of nothing else. A block is signed by its author, names
//! its parent by hash and carries the certificate of that parent, so everybody who holds the block computes the
//! same standings, and *the leader of view v above block B* has one answer for all, whatever else they have seen:
//!
//! * A member **fails** when it was to lead a view above B and the next block of the chain, of a later view, has
//!   `B` as its parent. That counts only if at most ⌊(n − 1) / 3⌋ views were skipped, for more is the network's
//!   fault, not the leaders'.
//! * A failed member is left out for 64 blocks, twice as many for each further failure (at most 2¹⁵), **and** until a
//!   certificate of the chain carries its vote again. So a dead member costs one view and is not tried again; one
//!   that votes but does not lead is tried ever more rarely.
//! * A member whose block is certified is forgiven everything.
//! * The leader of view v is number `v mod k` of the `k` members that are not left out, ascending. Should those
//!   weigh less than a quorum, the rotation is over all members.
//!
//! Whether a proposal comes from the right leader is judged against *its own* parent, so no two members ever judge
//! the same block differently. What may differ for a while is whom they wait for: after a timeout, members
//! whose highest certificates differ may expect different leaders. Timeouts carry those certificates and go to
//! everybody, so after one exchange between honest members the highest certificate is the same for all, and it
//! can only differ again through a certificate that somebody withheld, of which there is one per view at most and
//! which becomes known as soon as it is used. Hence they agree again without any clock or message of its own.
//! The rule follows the leader reputation of DiemBFT v4 and Carousel (*Be Aware of Your Leaders*, FC '22) in
//! judging by the chain; it differs in counting failures rather than activity, so that a slow member whose votes
//! come too late for the certificates keeps its turn.

use quorate::committee::{Committee, SignerSet};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

/// How many blocks a first failure costs.
pub const PENALTY: u64 = 64;
const MAX_STRIKES: u8 = 10;

/// What a chain knows of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MemberReputation {
    /// Failures since it last led with success.
    strikes: u8,
    /// Height of the block that showed the last failure.
    failed_at: u64,
    /// Height of the highest block whose certificate has its vote, or that it made.
    seen_at: u64,
}

/// What a chain knows of all members, as of its last block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderReputation {
    height: u64,
    members: Vec<MemberReputation>,
}

/// What a block adds to the standings.
#[derive(Clone, Copy, Debug)]
pub struct ReputationUpdate<'a> {
    /// The parent's view; 0 for the genesis.
    pub parent_view: u64,
    /// The parent's author; nobody made the genesis.
    pub parent_author: Option<MemberIndex>,
    /// Who certified the parent.
    pub signers: Option<&'a SignerSet>,
    /// The block's height.
    pub height: u64,
    /// The block's view.
    pub view: u64,
    /// The block's author.
    pub author: MemberIndex,
}

impl LeaderReputation {
    /// Of the genesis: everybody is in good standing.
    pub fn new(members: u16) -> Self {
        Self { height: 0, members: vec![MemberReputation::default(); members.into()] }
    }

    /// The leader of `view` above the chain's last block.
    pub fn leader<S: Scheme>(&self, committee: &Committee<S>, view: u64) -> MemberIndex {
        let eligible: Vec<MemberIndex> = (0..committee.len()).filter(|m| self.is_eligible(*m)).collect();
        let weight: u128 = eligible.iter().filter_map(|m| committee.weight(*m)).sum();
        let everybody = u64::from(committee.len().max(1));
        if weight < committee.quorum_weight() {
            return (view % everybody) as MemberIndex;
        }
        let turn = (view % eligible.len().max(1) as u64) as usize;
        eligible.get(turn).copied().unwrap_or((view % everybody) as MemberIndex)
    }

    /// Whether a member takes part in the rotation.
    pub fn is_eligible(&self, member: MemberIndex) -> bool {
        self.members.get(usize::from(member)).is_some_and(|record| {
            let served = self.height >= record.failed_at.saturating_add(record.penalty());
            record.strikes == 0 || (served && record.seen_at > record.failed_at)
        })
    }

    /// The standings after one more block.
    #[must_use]
    pub fn after<S: Scheme>(&self, committee: &Committee<S>, link: ReputationUpdate<'_>) -> Self {
        let mut next = self.clone();
        next.height = link.height;
        for signer in link.signers.into_iter().flat_map(SignerSet::iter) {
            next.update(signer, |record| record.seen_at = record.seen_at.max(link.height.saturating_sub(1)));
        }
        if let Some(author) = link.parent_author {
            next.update(author, |record| record.strikes = 0);
        }
        for failed in self.failures(committee, &link) {
            next.update(failed, |record| {
                record.strikes = (record.strikes + 1).min(MAX_STRIKES);
                record.failed_at = link.height;
            });
        }
        next.update(link.author, |record| record.seen_at = link.height);
        next
    }

    /// The leaders of the views between parent and block, if they are few enough to be to blame.
    fn failures<S: Scheme>(&self, committee: &Committee<S>, link: &ReputationUpdate<'_>) -> Vec<MemberIndex> {
        let skipped = link.view.saturating_sub(link.parent_view.saturating_add(1));
        if skipped > (u64::from(committee.len().saturating_sub(1)) / 3).max(1) {
            return Vec::new();
        }
        let mut failed: Vec<MemberIndex> = (link.parent_view + 1..link.view)
            .map(|view| self.leader(committee, view))
            .filter(|leader| *leader != link.author)
            .collect();
        failed.sort_unstable();
        failed.dedup();
        failed
    }

    fn update(&mut self, member: MemberIndex, change: impl FnOnce(&mut MemberReputation)) {
        if let Some(record) = self.members.get_mut(usize::from(member)) {
            change(record);
        }
    }
}

impl MemberReputation {
    fn penalty(&self) -> u64 {
        PENALTY << self.strikes.saturating_sub(1).min(MAX_STRIKES - 1)
    }
}

impl Encode for LeaderReputation {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        w.count(self.members.len());
        for record in &self.members {
            w.u8(record.strikes);
            w.u64(record.failed_at);
            w.u64(record.seen_at);
        }
    }
}

impl Decode for LeaderReputation {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let height = r.u64()?;
        let n = r.count("members", usize::from(u16::MAX))?;
        let mut members = Vec::with_capacity(n.min(r.remaining() / 17));
        for _ in 0..n {
            let record = MemberReputation { strikes: r.u8()?, failed_at: r.u64()?, seen_at: r.u64()? };
            if record.strikes > MAX_STRIKES {
                return Err(Error::Malformed { what: "reputation of a member" });
            }
            members.push(record);
        }
        Ok(Self { height, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::committees;
    use quorate::ed25519::Ed25519;

    /// Lets the eligible leaders among `alive` build blocks for `views` views; returns the chain's standings and who
    /// led which view.
    fn run(n: u16, alive: &[MemberIndex], views: u64) -> (LeaderReputation, Vec<(u64, MemberIndex)>) {
        let committee = committees::<Ed25519>(n).voters;
        let mut signers = SignerSet::new(n);
        alive.iter().for_each(|m| assert!(signers.insert(*m)));
        let (mut reputation, mut led) = (LeaderReputation::new(n), Vec::new());
        let (mut parent_view, mut parent_author, mut height) = (0, None, 0);
        for view in 1..=views {
            let author = reputation.leader(&committee, view);
            if alive.contains(&author) {
                height += 1;
                let signers = (height > 1).then_some(&signers);
                let link = ReputationUpdate { parent_view, parent_author, signers, height, view, author };
                reputation = reputation.after(&committee, link);
                (parent_view, parent_author) = (view, Some(author));
            }
            led.push((view, author));
        }
        (reputation, led)
    }

    #[test]
    fn without_failures_everybody_takes_turns() {
        let (_, led) = run(4, &[0, 1, 2, 3], 40);
        assert!(led.iter().all(|(view, leader)| u64::from(*leader) == view % 4));
    }

    #[test]
    fn a_dead_member_is_tried_once_and_not_again() {
        let (reputation, led) = run(4, &[0, 1, 3], 2000);
        assert_eq!(led.iter().filter(|(_, leader)| *leader == 2).count(), 1);
        assert!(!reputation.is_eligible(2) && reputation.is_eligible(3));
    }

    #[test]
    fn two_dead_of_seven_are_tried_once_each() {
        let (_, led) = run(7, &[0, 1, 3, 4, 6], 2000);
        for dead in [2, 5] {
            assert_eq!(led.iter().filter(|(_, leader)| *leader == dead).count(), 1);
        }
    }

    #[test]
    fn a_member_that_votes_again_gets_its_turn_after_its_penalty() {
        let committee = committees::<Ed25519>(4).voters;
        let everybody = SignerSet::full(4);
        let mut reputation = LeaderReputation::new(4);
        let link = |height, view, parent_view, author| ReputationUpdate {
            parent_view,
            parent_author: Some(0),
            signers: Some(&everybody),
            height,
            view,
            author,
        };
        reputation = reputation.after(&committee, link(1, 2, 0, 2));
        assert!(!reputation.is_eligible(1), "the leader of view 1 failed");
        let mut height = 1;
        while !reputation.is_eligible(1) {
            height += 1;
            reputation = reputation.after(&committee, link(height, height + 1, height, 0));
        }
        assert_eq!(height, 1 + PENALTY);
    }

    #[test]
    fn many_skipped_views_blame_nobody() {
        let committee = committees::<Ed25519>(4).voters;
        let link = ReputationUpdate {
            parent_view: 0,
            parent_author: None,
            signers: None,
            height: 1,
            view: 4,
            author: 0,
        };
        let reputation = LeaderReputation::new(4).after(&committee, link);
        assert!((0..4).all(|m| reputation.is_eligible(m)));
    }

    #[test]
    fn standings_survive_their_encoding() {
        let (reputation, _) = run(4, &[0, 1, 3], 30);
        assert_eq!(LeaderReputation::decode(&reputation.encode(), &()), Ok(reputation));
    }
}
