//! Block sync: the heights that peers claim, requests for missing blocks, and the queue of committed blocks.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::committee::{Committee, SignerSet};
use quorate::machine::{MemberIndex, Time};
use quorate::sortition::Seed;
use quorate_protocol::pruned_peers::{PrunedHistory, PrunedPeers};
use quorate_protocol::rate_limit::PeerRateLimiter;
use quorate_protocol::status_poll::StatusPoll;

use crate::block::{Block, GosigScheme};
use crate::finality::Finality;
use crate::parameters::Parameters;
use crate::sampler::PeerSampler;

/// Maximum number of committed blocks that await their transactions.
pub(crate) const MAX_QUEUE: usize = 256;

/// State of the block sync. See the [module](self).
pub(crate) struct BlockSync<S: GosigScheme> {
    me: Option<MemberIndex>,
    members: u16,
    /// The committed heights that members claim.
    heights: BTreeMap<MemberIndex, u64>,
    /// The member that was asked for blocks last, and the time until which its answer is awaited.
    asked: Option<(MemberIndex, Time)>,
    /// The members that were asked and may still answer.
    awaited: Vec<MemberIndex>,
    queue: VecDeque<CertifiedBlock<S>>,
    poll: StatusPoll,
    limiter: PeerRateLimiter,
    pruned: PrunedPeers,
}

/// A committed block that awaits its transactions.
pub(crate) struct CertifiedBlock<S: GosigScheme> {
    pub(crate) block: Arc<Block<S>>,
    pub(crate) finality: Arc<Finality<S>>,
    /// The seed after it.
    pub(crate) seed: Seed,
}

impl<S: GosigScheme> BlockSync<S> {
    pub(crate) fn new(me: Option<MemberIndex>, members: u16) -> Self {
        let mut poll = StatusPoll::new(members);
        if me.is_some() && members < 2 {
            poll.close();
        }
        Self {
            me,
            members,
            heights: BTreeMap::new(),
            asked: None,
            awaited: Vec::new(),
            queue: VecDeque::new(),
            poll,
            limiter: PeerRateLimiter::default(),
            pruned: PrunedPeers::default(),
        }
    }

    // Heights of peers.

    /// Records that a member claims, or shows, a committed height.
    pub(crate) fn record_height(&mut self, member: MemberIndex, height: u64) {
        if Some(member) != self.me && member < self.members {
            let known = self.heights.entry(member).or_default();
            *known = (*known).max(height);
        }
    }

    /// Discards the height that a member claimed, because its answer did not support it.
    pub(crate) fn discard_height(&mut self, member: MemberIndex) {
        self.heights.remove(&member);
    }

    /// Returns true if blocks above a height are known to be committed.
    pub(crate) fn is_behind(&self, height: u64, voters: &Committee<S>) -> bool {
        !self.queue.is_empty() || self.honest_height(voters) > height
    }

    /// Returns the highest height that members of more than a third of the weight claim, at least one of them honest.
    pub(crate) fn honest_height(&self, voters: &Committee<S>) -> u64 {
        let mut claims: Vec<(u64, u128)> = self
            .heights
            .iter()
            .map(|(member, height)| (*height, voters.weight(*member).unwrap_or_default()))
            .collect();
        claims.sort_unstable_by(|a, b| b.cmp(a));
        let mut sum = 0;
        let supported = claims.into_iter().find(|(_, weight)| {
            sum += weight;
            sum >= voters.honest_weight()
        });
        supported.map_or(0, |(height, _)| height)
    }

    /// Returns the members that claim a height or a higher one and have not pruned it.
    pub(crate) fn holders(&self, height: u64) -> Vec<MemberIndex> {
        let holds =
            |(member, of): &(&MemberIndex, &u64)| **of >= height && !self.pruned.lacks(**member, height);
        self.heights.iter().filter(holds).map(|(member, _)| *member).collect()
    }

    // Pruned history.

    /// Records that a member has no blocks below a height. It is not asked for them again, unless a link to it is new.
    pub(crate) fn record_pruned(&mut self, member: MemberIndex, oldest: u64) {
        if self.accept_answer(member) || self.heights.contains_key(&member) {
            self.pruned.record(member, oldest);
        }
    }

    /// Forgets what a member has pruned.
    pub(crate) fn forget_pruned(&mut self, member: MemberIndex) {
        self.pruned.forget(member);
    }

    /// Returns the blocks above a committed height that members have pruned.
    pub(crate) fn pruned_history(&self, height: u64) -> Option<PrunedHistory> {
        let is_missing = !self.queue.is_empty() || self.heights.values().any(|of| *of > height);
        self.pruned.history(height + 1).filter(|_| is_missing)
    }

    // The queue of committed blocks.

    /// Returns the committed blocks that await their transactions, lowest first.
    pub(crate) fn queue(&self) -> &VecDeque<CertifiedBlock<S>> {
        &self.queue
    }

    /// Appends the block above the last of the queue. Returns false if the queue is full.
    pub(crate) fn push(&mut self, certified: CertifiedBlock<S>) -> bool {
        let fits = self.queue.len() < MAX_QUEUE;
        if fits {
            self.queue.push_back(certified);
        }
        fits
    }

    /// Removes the lowest block of the queue.
    pub(crate) fn pop(&mut self) -> Option<CertifiedBlock<S>> {
        self.queue.pop_front()
    }

    /// Returns the highest block of the queue.
    pub(crate) fn last(&self) -> Option<&CertifiedBlock<S>> {
        self.queue.back()
    }

    // Requests.

    /// Chooses the member to ask for the blocks above `height` now. Returns `None` if no member claims to have them, or an
    /// answer is awaited.
    pub(crate) fn next_request(
        &mut self,
        now: Time,
        height: u64,
        sampler: &mut PeerSampler,
        parameters: &Parameters,
    ) -> Option<MemberIndex> {
        if self.queue.len() > MAX_QUEUE / 2 {
            return None;
        }
        match self.asked {
            Some((_, due)) if due > now => return None,
            Some((silent, _)) => {
                // A member that claims a height and does not answer is asked again only after its next claim.
                self.heights.remove(&silent);
                self.asked = None;
            }
            None => {}
        }
        let peer = sampler.sample(self.holders(height + 1), 1).first().copied()?;
        self.asked = Some((peer, now.plus(parameters.retry * 4)));
        if !self.awaited.contains(&peer) {
            self.awaited.push(peer);
        }
        Some(peer)
    }

    /// Records an answer. Returns false if the member was not asked.
    pub(crate) fn accept_answer(&mut self, from: MemberIndex) -> bool {
        let awaited = self.awaited.contains(&from);
        if awaited {
            self.awaited.retain(|member| *member != from);
            self.asked = self.asked.filter(|(peer, _)| *peer != from);
        }
        awaited
    }

    /// Returns the time of the next request or the next attempt of the poll.
    pub(crate) fn due(&self) -> Option<Time> {
        [self.asked.map(|(_, due)| due), self.poll.due()].into_iter().flatten().min()
    }

    // The poll after a start.

    /// Returns true if all members should be polled for their heights now.
    pub(crate) fn start_poll(&mut self, now: Time, parameters: &Parameters) -> bool {
        self.poll.start_attempt(now, parameters.retry * 2)
    }

    /// Records an answer to the poll, which ends once `enough` accepts the set of members that answered.
    pub(crate) fn record_answer(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        self.poll.record_answer(from, enough);
    }

    /// Returns true while answers to the poll are awaited.
    pub(crate) fn is_polling(&self) -> bool {
        self.poll.is_open()
    }

    // Serving.

    /// Charges a peer for an answer of `bytes` bytes. Returns false if the peer has used up its rate.
    pub(crate) fn try_serve(
        &mut self,
        now: Time,
        peer: MemberIndex,
        bytes: usize,
        parameters: &Parameters,
    ) -> bool {
        self.limiter.try_consume(now, peer, bytes, parameters.serve_bytes_per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::T;

    #[test]
    fn members_that_claim_higher_blocks_are_asked_in_turn() {
        let (parameters, mut sampler) = (Parameters::default(), PeerSampler::new([1; 32]));
        let mut sync = BlockSync::<T>::new(Some(0), 4);
        let voters = crate::testing::committees::<T>(4).voters;
        assert!(sync.next_request(Time(0), 0, &mut sampler, &parameters).is_none());
        sync.record_height(0, 9);
        sync.record_height(9, 9);
        assert!(sync.holders(1).is_empty(), "neither the member itself nor an unknown index");
        sync.record_height(1, u64::MAX);
        assert!(!sync.is_behind(0, &voters), "a single member may be faulty");
        sync.discard_height(1);
        sync.record_height(1, 5);
        sync.record_height(2, 6);
        assert!(sync.is_behind(4, &voters) && !sync.is_behind(5, &voters));
        sync.record_height(3, 2);
        assert_eq!(sync.holders(5), [1, 2]);
        let first = sync.next_request(Time(0), 4, &mut sampler, &parameters).unwrap();
        let waiting = sync.next_request(Time(0), 4, &mut sampler, &parameters);
        assert!(waiting.is_none(), "an answer is awaited");
        let later = sync.due().unwrap().max(Time(10_000_000));
        let second = sync.next_request(later, 4, &mut sampler, &parameters).unwrap();
        assert_eq!(first.min(second), 1);
        assert_eq!(first.max(second), 2);
        assert!(sync.accept_answer(first) && !sync.accept_answer(first), "late, but requested");
        assert!(!sync.accept_answer(3));
        assert!(sync.accept_answer(second));
        assert!(sync.next_request(later, 4, &mut sampler, &parameters) == Some(second), "at once");
    }

    #[test]
    fn a_member_that_pruned_the_blocks_is_replaced_at_once() {
        let (parameters, mut sampler) = (Parameters::default(), PeerSampler::new([1; 32]));
        let mut sync = BlockSync::<T>::new(Some(0), 4);
        (1..=3).for_each(|member| sync.record_height(member, 90));
        let mut asked = Vec::new();
        for _ in 0..3 {
            let peer = sync.next_request(Time(0), 4, &mut sampler, &parameters).unwrap();
            sync.record_pruned(peer, 50);
            asked.push(peer);
        }
        asked.sort_unstable();
        assert_eq!(asked, [1, 2, 3]);
        assert_eq!(
            sync.pruned_history(4),
            Some(PrunedHistory { height: 5, peers: [1, 2, 3].into(), oldest: 50 })
        );
        assert!(sync.next_request(Time(0), 4, &mut sampler, &parameters).is_none(), "no busy loop");
        assert!(sync.holders(49).is_empty() && sync.holders(50).len() == 3);
        sync.forget_pruned(2);
        assert_eq!(sync.next_request(Time(0), 4, &mut sampler, &parameters), Some(2));
        assert!(BlockSync::<T>::new(Some(0), 4).pruned_history(4).is_none());
    }

    #[test]
    fn the_poll_ends_and_a_single_member_has_none() {
        let parameters = Parameters::default();
        let mut sync = BlockSync::<T>::new(Some(0), 4);
        assert!(sync.start_poll(Time(0), &parameters) && sync.is_polling());
        assert_eq!(sync.due(), Some(Time(0).plus(parameters.retry * 2)));
        sync.record_answer(2, |set| set.len() == 1);
        assert!(!sync.is_polling() && sync.due().is_none());
        assert!(!BlockSync::<T>::new(Some(0), 1).is_polling(), "a committee of one");
    }
}
