//! Peers that have pruned the blocks that a member lacks.

use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::MemberIndex;

/// The oldest heights that peers say they have.
///
/// A peer's word only makes a member ask another peer first. It is forgotten when the link to the peer is new: the peer may
/// have been replaced by one with all blocks.
#[derive(Clone, Debug, Default)]
pub struct PrunedPeers {
    oldest: BTreeMap<MemberIndex, u64>,
}

/// Blocks that a member lacks and that peers have pruned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedHistory {
    /// Height of the first block that the member lacks.
    pub height: u64,
    /// The peers that have pruned it.
    pub peers: BTreeSet<MemberIndex>,
    /// Height of the oldest block that one of them has.
    pub oldest: u64,
}

impl PrunedPeers {
    /// Records that a peer has no block below a height.
    pub fn record(&mut self, peer: MemberIndex, oldest: u64) {
        self.oldest.insert(peer, oldest);
    }

    /// Forgets what a peer said.
    pub fn forget(&mut self, peer: MemberIndex) {
        self.oldest.remove(&peer);
    }

    /// Returns true if a peer said that it has pruned the block at a height.
    pub fn lacks(&self, peer: MemberIndex, height: u64) -> bool {
        self.oldest.get(&peer).is_some_and(|oldest| *oldest > height)
    }

    /// Summarizes the peers that have pruned the block at a height; `None` if there are none.
    pub fn history(&self, height: u64) -> Option<PrunedHistory> {
        let lacking = self.oldest.iter().filter(|(_, oldest)| **oldest > height);
        let oldest = *lacking.clone().map(|(_, oldest)| oldest).min()?;
        let peers = lacking.map(|(peer, _)| *peer).collect();
        Some(PrunedHistory { height, peers, oldest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_listed_for_the_missing_height() {
        let mut peers = PrunedPeers::default();
        peers.record(1, 10);
        peers.record(2, 20);
        assert!(peers.lacks(1, 9) && !peers.lacks(1, 10) && !peers.lacks(3, 1));
        assert_eq!(
            peers.history(9),
            Some(PrunedHistory { height: 9, peers: BTreeSet::from([1, 2]), oldest: 10 })
        );
        assert_eq!(
            peers.history(10),
            Some(PrunedHistory { height: 10, peers: BTreeSet::from([2]), oldest: 20 })
        );
        assert_eq!(peers.history(20), None);
        peers.forget(2);
        assert_eq!(peers.history(10), None);
    }
}
