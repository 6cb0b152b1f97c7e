//! Leader selection: rotation over the eligible members.
//!
//! Reputation is a function of the chain of blocks alone. A block is signed by its author, names its parent by hash
//! and carries the parent's certificate. All members that hold the block therefore compute the same reputation, and
//! *the leader of view v above block B* is unique:
//!
//! * A member **fails** if it leads a view above B and the next block of the chain, of a later view, has B as its
//!   parent. This counts only if at most ⌊(n − 1) / 3⌋ views were skipped; more skipped views are attributed to the
//!   network.
//! * A failed member is not eligible for 64 blocks, doubled for each further failure (at most 2¹⁵), **and** until a
//!   certificate of the chain includes its vote again. A crashed member costs one view; a member that votes but does
//!   not lead is selected ever more rarely.
//! * The failures of a member are cleared when its block is certified.
//! * The leader of view v is number `v mod k` of the `k` eligible members in ascending order. If these weigh less
//!   than a quorum, the rotation includes all members.
//!
//! A proposal is judged against *its own* parent, so that no two members judge one block differently. Members may
//! temporarily expect different leaders: after a timeout, their highest certificates may differ. Timeouts carry these
//! certificates and go to all members, so that one exchange between honest members equalises the highest certificate.
//! It can differ again only through a withheld certificate; there is at most one per view, and its use reveals it.
//! Members therefore agree again without a clock or additional messages.
//!
//! Like the leader reputation of DiemBFT v4 and Carousel (*Be Aware of Your Leaders*, FC '22), the rule judges by the
//! chain. Unlike them it counts failures rather than activity, so that a slow member whose votes miss the
//! certificates remains eligible.

use quorate::committee::{Committee, SignerSet};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

/// Number of blocks for which a first failure makes a member ineligible.
pub const PENALTY: u64 = 64;
const MAX_STRIKES: u8 = 10;

/// Reputation of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MemberReputation {
    /// Failures since the member last led a certified block.
    strikes: u8,
    /// Height of the block that showed the last failure.
    failed_at: u64,
    /// Height of the last block that the member authored or whose certificate includes its vote.
    seen_at: u64,
}

/// Reputation of all members, as of the chain's last block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderReputation {
    height: u64,
    members: Vec<MemberReputation>,
}

/// Input of one block to the reputation.
#[derive(Clone, Copy, Debug)]
pub struct ReputationUpdate<'a> {
    /// The parent's view; 0 for the genesis.
    pub parent_view: u64,
    /// The parent's author; `None` for the genesis.
    pub parent_author: Option<MemberIndex>,
    /// Signers of the parent's certificate.
    pub signers: Option<&'a SignerSet>,
    /// The block's height.
    pub height: u64,
    /// The block's view.
    pub view: u64,
    /// The block's author.
    pub author: MemberIndex,
}

impl LeaderReputation {
    /// Creates the reputation at the genesis: all members are eligible.
    pub fn new(members: u16) -> Self {
        Self { height: 0, members: vec![MemberReputation::default(); members.into()] }
    }

    /// Returns the leader of `view` above the chain's last block.
    pub fn leader<S: Scheme>(&self, committee: &Committee<S>, view: u64) -> MemberIndex {
        let eligible: Vec<MemberIndex> = (0..committee.len()).filter(|m| self.is_eligible(*m)).collect();
        let weight: u128 = eligible.iter().filter_map(|m| committee.weight(*m)).sum();
        let all_members = u64::from(committee.len().max(1));
        if weight < committee.quorum_weight() {
            return (view % all_members) as MemberIndex;
        }
        let turn = (view % eligible.len().max(1) as u64) as usize;
        eligible.get(turn).copied().unwrap_or((view % all_members) as MemberIndex)
    }

    /// Returns `true` if the member is part of the rotation.
    pub fn is_eligible(&self, member: MemberIndex) -> bool {
        self.members.get(usize::from(member)).is_some_and(|record| {
            let served = self.height >= record.failed_at.saturating_add(record.penalty());
            record.strikes == 0 || (served && record.seen_at > record.failed_at)
        })
    }

    /// Returns the reputation after one more block.
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

    /// Returns the leaders of the skipped views, if these are few enough to be attributed to the leaders.
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

    /// Lets the eligible leaders among `alive` propose for `views` views. Returns the reputation and the leader of
    /// each view.
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
    fn without_failures_all_members_rotate() {
        let (_, led) = run(4, &[0, 1, 2, 3], 40);
        assert!(led.iter().all(|(view, leader)| u64::from(*leader) == view % 4));
    }

    #[test]
    fn a_crashed_member_leads_only_one_view() {
        let (reputation, led) = run(4, &[0, 1, 3], 2000);
        assert_eq!(led.iter().filter(|(_, leader)| *leader == 2).count(), 1);
        assert!(!reputation.is_eligible(2) && reputation.is_eligible(3));
    }

    #[test]
    fn two_crashed_of_seven_lead_one_view_each() {
        let (_, led) = run(7, &[0, 1, 3, 4, 6], 2000);
        for dead in [2, 5] {
            assert_eq!(led.iter().filter(|(_, leader)| *leader == dead).count(), 1);
        }
    }

    #[test]
    fn a_recovered_member_leads_again_after_its_penalty() {
        let committee = committees::<Ed25519>(4).voters;
        let all_members = SignerSet::full(4);
        let mut reputation = LeaderReputation::new(4);
        let link = |height, view, parent_view, author| ReputationUpdate {
            parent_view,
            parent_author: Some(0),
            signers: Some(&all_members),
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
    fn many_skipped_views_are_not_attributed_to_leaders() {
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
    fn reputation_survives_its_encoding() {
        let (reputation, _) = run(4, &[0, 1, 3], 30);
        assert_eq!(LeaderReputation::decode(&reputation.encode(), &()), Ok(reputation));
    }
}
