//! What is missing, whom to ask for it, and how much to give to those who ask.
//!
//! Blocks are asked for by range: from the height above the committed one, on the way to a certified block. Each
//! block of an answer is certified by the one after it, so a peer cannot make anybody take a wrong one; the last
//! of an answer is held until the next answer certifies it. Batches are asked for one by one; a digest says it all.
//! Whoever does not answer in time is passed over for the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::committee::SignerSet;
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate_protocol::peers::{Budgets, Greeting};

use crate::batch::BatchRef;
use crate::block::Block;
use crate::ids::{BatchDigest, BlockDigest};
use crate::parameters::Parameters;

/// How many batches are asked for at a time.
const MAX_WANTED: usize = 16;

pub(crate) struct Synchronizer<S: Scheme> {
    me: MemberIndex,
    blocks: Option<BlockSearch<S>>,
    /// In the order in which blocks name them: delivery waits for the lowest.
    batches: BTreeMap<(u64, BatchDigest), BatchSearch>,
    heights: BTreeMap<BatchDigest, u64>,
    budgets: Budgets,
    greeting: Greeting,
}

/// The way to a certified block that is not known.
pub(crate) struct BlockSearch<S: Scheme> {
    pub(crate) target: BlockDigest,
    holders: Vec<MemberIndex>,
    tries: usize,
    /// Who was asked, and until when it may answer.
    pub(crate) asked: Option<(MemberIndex, Time)>,
    /// Everybody who was asked since the last answer: a late one is good too.
    pub(crate) awaited: Vec<MemberIndex>,
    /// The last block of the last answer, which nothing certifies yet.
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
            budgets: Budgets::default(),
            greeting: Greeting::new(members),
        }
    }

    /// Whether anything is missing.
    pub(crate) fn is_active(&self) -> bool {
        self.blocks.is_some() || !self.batches.is_empty()
    }

    /// When something is to be asked (again); `full` says that no blocks are, for now.
    pub(crate) fn due(&self, full: bool) -> Option<Time> {
        let blocks =
            self.blocks.as_ref().filter(|_| !full).map(|search| search.asked.map_or(Time(0), |(_, due)| due));
        let batches =
            self.batches.values().take(MAX_WANTED).map(|search| search.due.unwrap_or(Time(0))).min();
        [blocks, batches, self.greeting.due()].into_iter().flatten().min()
    }

    // Blocks.

    /// Looks for a certified block, which its signers have; `hint` probably has it too.
    pub(crate) fn search_for(&mut self, target: BlockDigest, hint: Option<MemberIndex>, signers: &SignerSet) {
        if self.blocks.as_ref().is_some_and(|search| search.target == target) {
            return;
        }
        let mut holders: Vec<MemberIndex> =
            hint.into_iter().chain(signers.iter()).filter(|m| *m != self.me).collect();
        dedup(&mut holders);
        // While the chain moves, the target does too, faster than a slow link may answer: the pace must not start over.
        self.blocks = Some(match self.blocks.take() {
            Some(search) => BlockSearch { target, holders, ..search },
            None => BlockSearch { target, holders, tries: 0, asked: None, awaited: Vec::new(), held: None },
        });
    }

    /// The search, if one is on.
    pub(crate) fn search(&mut self) -> Option<&mut BlockSearch<S>> {
        self.blocks.as_mut()
    }

    /// The search is over.
    pub(crate) fn end_search(&mut self) {
        self.blocks = None;
    }

    /// Whom to ask for blocks now, and from which height on; none if an answer is still expected.
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
            // Not answered: another peer, and from the start, for what is held may be wrong.
            search.tries += 1;
            search.held = None;
        }
        let peer = *search.holders.get(search.tries % search.holders.len().max(1))?;
        let wait = parameters.retry * (1 << (search.tries / search.holders.len().max(1)).min(4));
        search.asked = Some((peer, now.plus(wait)));
        if !search.awaited.contains(&peer) {
            search.awaited.push(peer);
        }
        Some((peer, search.held.as_ref().map_or(root, |held| held.height) + 1))
    }

    // Batches.

    /// Looks for a batch that the block at `height` names; its author and those who acknowledged it have it.
    pub(crate) fn request_batch(&mut self, height: u64, batch: &BatchRef) {
        if self.is_requested(&batch.digest()) {
            return;
        }
        let author = batch.header.slot.author;
        let mut holders: Vec<MemberIndex> = [author]
            .into_iter()
            .chain(batch.certificate.signers().iter())
            .filter(|m| *m != self.me)
            .collect();
        dedup(&mut holders);
        let search = BatchSearch { holders, tries: 0, due: None };
        self.heights.insert(batch.digest(), height);
        self.batches.insert((height, batch.digest()), search);
    }

    /// A batch is here; returns whether it was looked for.
    pub(crate) fn batch_received(&mut self, digest: &BatchDigest) -> bool {
        let height = self.heights.remove(digest);
        height.and_then(|height| self.batches.remove(&(height, *digest))).is_some()
    }

    /// Whether a batch is looked for.
    pub(crate) fn is_requested(&self, digest: &BatchDigest) -> bool {
        self.heights.contains_key(digest)
    }

    /// Whom to ask for which batches now.
    pub(crate) fn ask_batches(
        &mut self,
        now: Time,
        parameters: &Parameters,
    ) -> Vec<(MemberIndex, BatchDigest)> {
        let mut asks = Vec::new();
        for ((_, digest), search) in self.batches.iter_mut().take(MAX_WANTED) {
            if search.due.is_some_and(|due| due > now) {
                continue;
            }
            let holders = search.holders.len().max(1);
            let Some(peer) = search.holders.get(search.tries % holders) else { continue };
            asks.push((*peer, *digest));
            search.due = Some(now.plus(parameters.retry * (1 << (search.tries / holders).min(4))));
            search.tries += 1;
        }
        asks
    }

    // Greetings.

    /// Whether to ask everybody (again) what was missed; until members that weigh more than a third answered.
    pub(crate) fn should_greet(&mut self, now: Time, parameters: &Parameters) -> bool {
        self.greeting.ask(now, parameters.retry)
    }

    /// Somebody answered; `enough` says of a set of members whether it is enough.
    pub(crate) fn answered(&mut self, from: MemberIndex, enough: impl FnOnce(&SignerSet) -> bool) {
        self.greeting.answer(from, enough);
    }

    /// Whether answers to the greeting are still awaited.
    pub(crate) fn is_greeting(&self) -> bool {
        self.greeting.is_open()
    }

    /// Nobody needs to answer.
    pub(crate) fn skip_greeting(&mut self) {
        self.greeting.end();
    }

    // Serving.

    /// Takes `bytes` from what a peer may have served; false if it had enough for now.
    pub(crate) fn afford(
        &mut self,
        now: Time,
        peer: MemberIndex,
        bytes: usize,
        parameters: &Parameters,
    ) -> bool {
        self.budgets.afford(now, peer, bytes, parameters.serve_bytes_per_second)
    }
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
    fn requests_go_round_and_slow_down() {
        let parameters = Parameters::default();
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.skip_greeting();
        let mut signers = SignerSet::new(4);
        [0, 2, 3].iter().for_each(|m| assert!(signers.insert(*m)));
        sync.search_for(BlockDigest([1; 32]), Some(3), &signers);
        let mut now = Time(0);
        let mut asked = Vec::new();
        for _ in 0..6 {
            let (peer, from) = sync.ask_blocks(now, 10, &parameters).unwrap();
            assert_eq!(from, 11);
            assert!(sync.ask_blocks(now, 10, &parameters).is_none(), "an answer is expected");
            asked.push(peer);
            assert_eq!(sync.due(true), None, "no room for blocks");
            now = sync.due(false).unwrap().max(now);
        }
        assert_eq!(asked, [3, 2, 3, 2, 3, 2]);
        assert!(now > Time(0).plus(parameters.retry * 6));
    }

    #[test]
    fn a_target_that_moves_does_not_make_requests_faster() {
        let parameters = Parameters::default();
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        sync.skip_greeting();
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
    fn batches_are_asked_for_by_digest_and_each_once() {
        let parameters = Parameters::default();
        let identities = committees::<Ed25519>(4).identities;
        let batch = crate::Batch::new(2, 1, [b"x"]).unwrap();
        let statement = batch.header().slot.statement(&identities, batch.digest());
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
    fn the_lowest_blocks_batches_are_asked_for_first() {
        let identities = committees::<Ed25519>(4).identities;
        let mut sync = Synchronizer::<Ed25519>::new(0, 4);
        let mut digests = Vec::new();
        for sequence in 1..=40 {
            let batch = crate::Batch::new(2, sequence, [b"x"]).unwrap();
            let statement = batch.header().slot.statement(&identities, batch.digest());
            let certificate = certify(&identities, statement);
            sync.request_batch(100 - sequence, &BatchRef { header: *batch.header(), certificate });
            digests.insert(0, batch.digest());
        }
        let asked = sync.ask_batches(Time(0), &Parameters::default());
        let asked: Vec<_> = asked.into_iter().map(|(_, digest)| digest).collect();
        assert_eq!(asked, digests[..MAX_WANTED]);
    }
}
