//! Retrieval of missing blocks and batches, and rate limiting of responses to peers.
//!
//! Blocks are requested by range, from the height above the committed one up to a certified block. Each block of a
//! response is certified by the next one, so that a peer cannot supply a wrong block; the last block of a response is
//! held until the next response certifies it. Batches are requested by digest, one per request. A peer that does not
//! answer in time is replaced by the next one. A peer that has pruned the first missing block is replaced at once, by any
//! member, and asked again only while all have pruned it.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::committee::SignerSet;
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate_protocol::pruned_peers::{PrunedHistory, PrunedPeers};
use quorate_protocol::rate_limit::PeerRateLimiter;
use quorate_protocol::status_poll::StatusPoll;

use crate::batch::BatchRef;
use crate::block::Block;
use crate::ids::{BatchDigest, BlockDigest};
use crate::parameters::Parameters;

/// Maximum number of concurrent batch requests.
const MAX_WANTED: usize = 16;

pub(crate) struct Synchronizer<S: Scheme> {
    me: MemberIndex,
    blocks: Option<BlockSearch<S>>,
    /// Ordered by the height of the block that names the batch, because delivery waits for the lowest block.
    batches: BTreeMap<(u64, BatchDigest), BatchSearch>,
    heights: BTreeMap<BatchDigest, u64>,
    rate_limiter: PeerRateLimiter,
    poll: StatusPoll,
    pruned: PrunedPeers,
    members: u16,
}

/// A search for an unknown certified block.
pub(crate) struct BlockSearch<S: Scheme> {
    pub(crate) target: BlockDigest,
    holders: Vec<MemberIndex>,
    tries: usize,
    /// The last peer asked, and its deadline.
    pub(crate) asked: Option<(MemberIndex, Time)>,
    /// All peers asked since the last response. Late responses are accepted.
    pub(crate) awaited: Vec<MemberIndex>,
    /// The last block of the last response, not certified yet.
    pub(crate) held: Option<Arc<Block<S>>>,
}

struct BatchSearch {
    holders: Vec<MemberIndex>,
    tries: usize,
    due: Option<Time>,
}

impl<S: Scheme> Synchronizer<S> {
    pub(crate) fn new(me: MemberIndex, members: u16) -> Self {
        Self {
            me,
            blocks: None,
            batches: BTreeMap::new(),
            heights: BTreeMap::new(),
            rate_limiter: PeerRateLimiter::default(),
            poll: StatusPoll::new(members),
            pruned: PrunedPeers::default(),
            members,
        }
    }

    /// Returns `true` if anything is missing.
    pub(crate) fn is_active(&self) -> bool {
        self.blocks.is_some() || !self.batches.is_empty()
    }

    /// Returns the time of the next request. If `full`, no blocks are requested for now.
    pub(crate) fn due(&self, full: bool) -> Option<Time> {
        let blocks =
            self.blocks.as_ref().filter(|_| !full).map(|search| search.asked.map_or(Time(0), |(_, due)| due));
        let batches =
            self.batches.values().take(MAX_WANTED).map(|search| search.due.unwrap_or(Time(0))).min();
        [blocks, batches, self.poll.due()].into_iter().flatten().min()
    }

    // Blocks.

    /// Searches for a certified block, which its signers have. `hint` most likely has it, too.
    pub(crate) fn search_for(&mut self, target: BlockDigest, hint: Option<MemberIndex>, signers: &SignerSet) {
        if self.blocks.as_ref().is_some_and(|search| search.target == target) {
            return;
        }
        let mut holders: Vec<MemberIndex> =
            hint.into_iter().chain(signers.iter()).filter(|m| *m != self.me).collect();
        dedup(&mut holders);
        // The target of a moving chain may change faster than a slow link answers, so the back-off is kept.
        self.blocks = Some(match self.blocks.take() {
            Some(search) => BlockSearch { target, holders, ..search },
            None => BlockSearch { target, holders, tries: 0, asked: None, awaited: Vec::new(), held: None },
        });
    }

    /// Returns the current search, if any.
    pub(crate) fn search(&mut self) -> Option<&mut BlockSearch<S>> {
        self.blocks.as_mut()
    }

    /// Ends the search.
    pub(crate) fn end_search(&mut self) {
        self.blocks = None;
    }

    /// Returns the peer to request blocks from, and the first height; `None` while a response is expected.
    pub(crate) fn ask_blocks(
        &mut self,
        now: Time,
        root: u64,
        parameters: &Parameters,
    ) -> Option<(MemberIndex, u64)> {
        let search = self.blocks.as_mut()?;
        if search.asked.is_some_and(|(_, due)| due > now) {
            return None;
        }
        if search.asked.is_some() {
            // No response: ask another peer from the start, because the held block may be wrong.
            search.tries += 1;
            search.held = None;
        }
        let first = search.held.as_ref().map_or(root, |held| held.height) + 1;
        skip_pruned(&self.pruned, first, &search.holders, &mut search.tries);
        let peer = *search.holders.get(search.tries % search.holders.len().max(1))?;
        let wait = parameters.retry * (1 << (search.tries / search.holders.len().max(1)).min(4));
        search.asked = Some((peer, now.plus(wait)));
        if !search.awaited.contains(&peer) {
            search.awaited.push(peer);
        }
        Some((peer, first))
    }

    // Batches.

    /// Requests a batch named by the block at `height`. Its author and the signers of its certificate have it, or the voters for
    /// the block.
    pub(crate) fn request_batch(&mut self, height: u64, batch: &BatchRef) {
        if self.is_requested(&batch.digest()) {
            return;
        }
        let author = batch.header.slot.author;
        let mut holders: Vec<MemberIndex> = [author]
            .into_iter()
            .chain(batch.certificate.signers().iter())
            .chain(0..self.members)
            .filter(|m| *m != self.me)
            .collect();
        dedup(&mut holders);
        let search = BatchSearch { holders, tries: 0, due: None };
        self.heights.insert(batch.digest(), height);
        self.batches.insert((height, batch.digest()), search);
    }

    /// Records a received batch. Returns `true` if it was requested.
    pub(crate) fn batch_received(&mut self, digest: &BatchDigest) -> bool {
        let height = self.heights.remove(digest);
        height.and_then(|height| self.batches.remove(&(height, *digest))).is_some()
    }

    /// Returns `true` if the batch is requested.
    pub(crate) fn is_requested(&self, digest: &BatchDigest) -> bool {
        self.heights.contains_key(digest)
    }

    /// Returns the batch requests to send now.
    pub(crate) fn ask_batches(
        &mut self,
        now: Time,
        parameters: &Parameters,
    ) -> Vec<(MemberIndex, BatchDigest)> {
        let mut asks = Vec::new();
        for ((height, digest), search) in self.batches.iter_mut().take(MAX_WANTED) {
            if search.due.is_some_and(|due| due > now) {
                continue;
            }
            skip_pruned(&self.pruned, *height, &search.holders, &mut search.tries);
            let holders = search.holders.len().max(1);
            let Some(peer) = search.holders.get(search.tries % holders) else { continue };
            asks.push((*peer, *digest));
            search.due = Some(now.plus(parameters.retry * (1 << (search.tries / holders).min(4))));
            search.tries += 1;
        }
        asks
    }

    // Pruned history.

    /// Records that a peer has no blocks below a height. `root` is the committed height of this member.
    pub(crate) fn record_pruned(&mut self, peer: MemberIndex, oldest: u64, root: u64) {
        self.pruned.record(peer, oldest);
        let (me, members, pruned) = (self.me, self.members, &self.pruned);
        let Some(search) = &mut self.blocks else { return };
        let first = search.held.as_ref().map_or(root, |held| held.height) + 1;
        if search.asked.is_none_or(|(asked, _)| asked != peer) || !pruned.lacks(peer, first) {
            return;
        }
        // Members that did not sign the target may have the blocks, too.
        search.holders.extend((0..members).filter(|member| *member != me));
        dedup(&mut search.holders);
        if search.holders.iter().any(|holder| !pruned.lacks(*holder, first)) {
            search.asked = None;
        }
    }

    /// Forgets what a peer has pruned.
    pub(crate) fn forget_pruned(&mut self, peer: MemberIndex) {
        self.pruned.forget(peer);
    }

    /// Returns the missing blocks that peers have pruned. `root` is the committed height of this member.
    pub(crate) fn pruned_history(&self, root: u64) -> Option<PrunedHistory> {
        let batches = self.batches.keys().next().map(|(height, _)| *height);
        let missing = batches.or(self.blocks.as_ref().map(|_| root + 1))?;
        self.pruned.history(missing)
    }

    // The poll after a start.

    /// Returns `true` if `Hello` is to be sent to all members now. The poll ends when members of more than a third of
    /// the weight have answered.
    pub(crate) fn start_poll(&mut self, now: Time, parameters: &Parameters) -> bool {
        self.poll.start_attempt(now, parameters.retry)
    }

    /// Records an answer to `Hello`. `enough` decides whether a set of members suffices.
    pub(crate) fn record_answer(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        self.poll.record_answer(from, enough);
    }

    /// Ends the poll without answers.
    pub(crate) fn close_poll(&mut self) {
        self.poll.close();
    }

    // Serving.

    /// Charges a peer for an answer of `bytes` bytes. Returns `false` if the peer has used up its rate.
    pub(crate) fn try_serve(
        &mut self,
        now: Time,
        peer: MemberIndex,
        bytes: usize,
        parameters: &Parameters,
    ) -> bool {
        self.rate_limiter.try_consume(now, peer, bytes, parameters.serve_bytes_per_second)
    }
}

/// Advances to the next holder that has not pruned a height, unless all have.
fn skip_pruned(pruned: &PrunedPeers, height: u64, holders: &[MemberIndex], tries: &mut usize) {
    let holder = |at: usize| holders.get(at % holders.len().max(1));
    let mut next = *tries..*tries + holders.len();
    let has = |at: &usize| holder(*at).is_some_and(|holder| !pruned.lacks(*holder, height));
    *tries = next.find(has).unwrap_or(*tries);
}

fn dedup(members: &mut Vec<MemberIndex>) {
    let mut seen = Vec::new();
    members.retain(|member| {
        let new = !seen.contains(member);
        seen.push(*member);
        new
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certify, committees};
    use quorate::ed25519::Ed25519;

    #[test]
    fn requests_rotate_over_peers_with_back_off() {
        let parameters = Parameters::default();
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.close_poll();
        let mut signers = SignerSet::new(4);
        [0, 2, 3].iter().for_each(|m| assert!(signers.insert(*m)));
        sync.search_for(BlockDigest([1; 32]), Some(3), &signers);
        let mut now = Time(0);
        let mut asked = Vec::new();
        for _ in 0..6 {
            let (peer, from) = sync.ask_blocks(now, 10, &parameters).unwrap();
            assert_eq!(from, 11);
            assert!(sync.ask_blocks(now, 10, &parameters).is_none(), "a response is expected");
            asked.push(peer);
            assert_eq!(sync.due(true), None, "no room for blocks");
            now = sync.due(false).unwrap().max(now);
        }
        assert_eq!(asked, [3, 2, 3, 2, 3, 2]);
        assert!(now > Time(0).plus(parameters.retry * 6));
    }

    #[test]
    fn a_moving_target_does_not_speed_up_requests() {
        let parameters = Parameters::default();
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.close_poll();
        let mut signers = SignerSet::new(4);
        [1, 2, 3].iter().for_each(|m| assert!(signers.insert(*m)));
        let (mut now, mut before) = (Time(0), Time(0));
        for target in 0..7 {
            sync.search_for(BlockDigest([target; 32]), None, &signers);
            assert!(sync.ask_blocks(now, 10, &parameters).is_some());
            before = now;
            now = sync.due(false).unwrap();
        }
        assert_eq!(now.since(before), parameters.retry * 4);
    }

    #[test]
    fn a_peer_that_pruned_the_blocks_is_replaced_at_once() {
        let parameters = Parameters::default();
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.close_poll();
        let mut signers = SignerSet::new(4);
        [0, 1, 2].iter().for_each(|m| assert!(signers.insert(*m)));
        sync.search_for(BlockDigest([1; 32]), None, &signers);
        assert_eq!(sync.ask_blocks(Time(0), 10, &parameters), Some((1, 11)));
        sync.record_pruned(1, 11, 10);
        assert_eq!(sync.ask_blocks(Time(0), 10, &parameters), None, "height 11 is there");
        sync.record_pruned(1, 50, 10);
        assert_eq!(sync.ask_blocks(Time(0), 10, &parameters), Some((2, 11)));
        sync.record_pruned(2, 40, 10);
        assert_eq!(sync.ask_blocks(Time(0), 10, &parameters), Some((3, 11)), "it did not sign the target");
        assert_eq!(
            sync.pruned_history(10),
            Some(PrunedHistory { height: 11, peers: [1, 2].into(), oldest: 40 })
        );
        sync.record_pruned(3, 60, 10);
        assert_eq!(sync.ask_blocks(Time(0), 10, &parameters), None, "all have pruned it: no busy loop");
        let (mut now, mut asks) = (Time(0), 0);
        while now < Time(0).plus(parameters.retry * 100) {
            now = sync.due(false).unwrap();
            let (peer, _) = sync.ask_blocks(now, 10, &parameters).unwrap();
            sync.record_pruned(peer, 60, 10);
            asks += 1;
        }
        assert!(asks < 20, "{asks} requests");
        sync.forget_pruned(2);
        now = sync.due(false).unwrap();
        assert_eq!(sync.ask_blocks(now, 10, &parameters).unwrap().0, 2);
    }

    #[test]
    fn each_batch_is_requested_once() {
        let parameters = Parameters::default();
        let identities = committees::<Ed25519>(4).identities;
        let batch = crate::Batch::new(2, 1, [b"x"]).unwrap();
        let statement = crate::ids::availability(batch.header().slot, &identities, batch.digest());
        let reference = BatchRef { header: *batch.header(), certificate: certify(&identities, statement) };
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.request_batch(7, &reference);
        assert_eq!(sync.ask_batches(Time(0), &parameters), [(2, batch.digest())]);
        assert!(sync.ask_batches(Time(0), &parameters).is_empty());
        sync.request_batch(7, &reference);
        assert_eq!(sync.ask_batches(Time(1_000_000), &parameters), [(1, batch.digest())]);
        assert!(
            sync.batch_received(&batch.digest())
                && !sync.batch_received(&batch.digest())
                && !sync.is_active()
        );
    }

    #[test]
    fn batches_of_the_lowest_block_are_requested_first() {
        let identities = committees::<Ed25519>(4).identities;
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        let mut digests = Vec::new();
        for sequence in 1..=40 {
            let batch = crate::Batch::new(2, sequence, [b"x"]).unwrap();
            let statement = crate::ids::availability(batch.header().slot, &identities, batch.digest());
            let certificate = certify(&identities, statement);
            sync.request_batch(100 - sequence, &BatchRef { header: *batch.header(), certificate });
            digests.insert(0, batch.digest());
        }
        let asked = sync.ask_batches(Time(0), &Parameters::default());
        let asked: Vec<_> = asked.into_iter().map(|(_, digest)| digest).collect();
        assert_eq!(asked, digests[..MAX_WANTED]);
    }
}
