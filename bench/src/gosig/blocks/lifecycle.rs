//! The life cycle of a block: proposal, certification, commit.

use super::super::network::Node;
use super::TRANSACTION;
use super::block::{Block, Id};
use super::message::{COPIES, Message};
use super::node::Body;
use super::world::World;

/// Bytes by which a full block raises the limit, after a lost round lowered it.
const RISE: u64 = 32 << 10;

impl World<'_> {
    pub(super) fn block(&self, id: Id) -> Option<&Block> {
        self.blocks.get(id as usize)
    }

    /// A node's height: that of the last block that it committed.
    pub(super) fn height(&self, me: Node) -> u64 {
        let member = self.members.get(me as usize).and_then(Option::as_deref);
        member.and_then(|member| self.block(member.tip)).map_or(0, |block| block.height)
    }

    /// Proposes a block if this node was drawn, is not behind, and knows transactions.
    pub(super) fn propose(&mut self, me: Node) {
        let (now, height, id) = (self.queue.now(), self.height(me) + 1, self.blocks.len() as Id);
        let most = (self.limit / TRANSACTION / self.case.bundle).max(1) as usize;
        let Some(member) = self.members.get(me as usize).and_then(Option::as_deref) else { return };
        let late = member.begun && member.clock >= member.round;
        let (Some(score), false, None) = (member.ticket, late, member.certified) else { return };
        while self.bundles.get(self.oldest).is_some_and(|bundle| bundle.committed) {
            self.oldest += 1;
        }
        let waiting = (self.oldest..).zip(self.bundles.iter().skip(self.oldest));
        let waiting = waiting.filter(|(number, bundle)| {
            // Without asynchronous transactions, those of all nodes are taken.
            !bundle.committed && (!self.case.rules.asynchronous || member.pool.has(*number as u32))
        });
        let bundles: Vec<u32> = waiting.take(most).map(|(number, _)| number as u32).collect();
        if bundles.is_empty() {
            return;
        }
        let (parent, round) = (member.tip, member.round);
        let body = Body { segments: self.all_segments(bundles.len()), whole: true, ..Body::default() };
        self.blocks.push(Block {
            id,
            parent,
            height,
            round,
            proposer: me,
            score,
            proposed: now,
            bundles: bundles.clone(),
            commits: 0,
        });
        if let Some(member) = self.member(me) {
            member.ticket = None;
            for bundle in bundles {
                member.fetched.insert(bundle);
            }
            member.bodies.insert(id, body);
        }
        self.step(1, id);
        self.step(2, id);
        if self.store_header(me, id) {
            self.forward(me, &[], COPIES, &Message::Header(id));
            for segment in 0..self.segments(id) {
                self.forward(me, &[], COPIES, &Message::Segment(id, segment));
            }
        }
    }

    /// Stores a header; returns true if it is the best of its round.
    pub(super) fn store_header(&mut self, me: Node, id: Id) -> bool {
        let Some((round, score)) = self.block(id).map(|block| (block.round, block.score)) else {
            return false;
        };
        let before = self.round(me, round).and_then(|state| state.best);
        let before = before.and_then(|best| self.block(best)).map(|best| (best.height, best.score));
        let height = self.block(id).map_or(0, |block| block.height);
        // A block above the committed one is better than any beside it.
        let best = before.is_none_or(|(other, lowest)| height > other || score < lowest);
        self.step(0, id);
        let Some(state) = self.round(me, round) else { return false };
        state.headers.push(id);
        state.unknown.remove(&id);
        if best {
            state.best = Some(id);
        }
        best
    }

    /// Records that a quorum has committed a block; the node commits it once it has the whole body.
    pub(super) fn certify(&mut self, me: Node, id: Id) {
        let Some((height, round)) = self.block(id).map(|block| (block.height, block.round)) else { return };
        let known = self.round(me, round).is_some_and(|state| state.headers.contains(&id));
        let next = height == self.height(me) + 1;
        let Some(member) = self.member(me).filter(|member| next && known && member.certified.is_none())
        else {
            return;
        };
        member.certified = Some(id);
        self.expect_body(me, id, None);
        self.commit(me);
    }

    /// Commits the certified block if the node has the whole body.
    pub(super) fn commit(&mut self, me: Node) {
        let now = self.queue.now();
        let Some(member) = self.member(me) else { return };
        let Some(id) = member.certified.filter(|id| member.has_all(*id)) else { return };
        (member.certified, member.tip) = (None, id);
        let Some(block) = self.blocks.get_mut(id as usize) else { return };
        block.commits += 1;
        let (round, first, bundles) = (block.round, block.commits == 1, block.bundles.clone());
        let full = 2 * bundles.len() as u64 * self.case.bundle * TRANSACTION >= self.limit;
        if first && full && self.limit < self.case.block {
            self.limit += RISE;
        }
        self.step(4, id);
        let counts = self.counts(round);
        for number in bundles {
            let Some(bundle) = self.bundles.get_mut(number as usize) else { continue };
            bundle.committed |= first;
            if bundle.origin == me && counts {
                self.latencies.0 += (now - bundle.at) as f64 / 1e9;
                self.latencies.1 += 1;
            }
            if let Some(member) = self.member(me) {
                member.pool.insert(number);
            }
        }
        let early = self.member(me).map(|member| std::mem::take(&mut member.early)).unwrap_or_default();
        for (id, from) in early {
            self.header(me, from, id);
        }
        if self.case.rules.round_pipelining {
            self.enter(me, round + 1);
        }
    }

    /// Halves the limit of blocks after a round without a commit.
    pub(super) fn on_round_end(&mut self, round: u64) {
        let decided =
            self.blocks.iter().rev().take(100).any(|block| block.round == round && block.commits > 0);
        if round > 0 && !decided {
            self.limit /= 2;
        }
    }

    /// Drops bodies that the node no longer needs.
    pub(super) fn drop_bodies(&mut self, me: Node) {
        let Some(member) = self.member(me) else { return };
        let mut needed = vec![member.tip];
        needed.extend(member.certified);
        needed.extend(member.prepared);
        needed.extend(member.rounds.values().filter_map(|round| round.best));
        member.bodies.retain(|id, _| needed.contains(id));
    }
}
