use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};

use super::{Effects, Replica};
use crate::assembly::{Assembly, Outcome};
use crate::block::{Block, GosigScheme};
use crate::digests::BlockDigest;
use crate::interface::{Evidence, Output};
use crate::message::{HistoryRequest, MAX_REPLY_BYTES, Message, cut};
use crate::payload::Transaction;
use crate::proposal::Proposal;

/// What an answer from the archive costs its receiver's allowance: less than the most that it can be, or honest members
/// would catch up slowly, and not so little that many requests cost nothing.
const ARCHIVED_CHARGE: usize = MAX_REPLY_BYTES / 8;
/// How often segments and transactions are asked for in the ordinary way before one peer is to bring all.
const PATIENCE: u32 = 3;
/// In a committee of at most so many its proposer is asked for what others lack: one link can bring it to that many.
const SERVED: u16 = 64;
/// Of how many committed blocks the transactions are asked for at a time.
const LOOKAHEAD: usize = 8;
/// The most bodies of proposals that are put together at a time.
const MAX_ASSEMBLIES: usize = 8;

impl<S: GosigScheme> Replica<S> {
    /// The proposal's transactions may be needed: if it is the best of its round, or was prepared, or is of the block that
    /// is to be proposed again.
    pub(super) fn expect_body(&mut self, proposal: &Proposal<S>, from: MemberIndex) {
        let digest = proposal.block.digest();
        let state = self.rounds.get(&proposal.round);
        let best = state.and_then(|state| state.best(self.tip.height + 1));
        let best = best.is_some_and(|best| best.proposal.block.digest() == digest);
        let prepared = self.safety.prepared().is_some_and(|prepared| prepared.block == digest);
        let again = self.highest_prepare_qc.as_ref().is_some_and(|again| again.block.digest() == digest);
        if !best && !prepared && !again {
            return;
        }
        if !self.assemblies.contains_key(&digest) && self.assemblies.len() >= MAX_ASSEMBLIES {
            self.forget_bodies();
        }
        // They are on their way, probably.
        let due = self.now.plus(self.parameters.retry);
        self.expect(&proposal.block, from, due);
    }

    /// A block's transactions are needed, and asked for if they are not here by then.
    pub(super) fn expect(&mut self, block: &Arc<Block<S>>, from: MemberIndex, due: Time) {
        let digest = block.digest();
        if self.assemblies.contains_key(&digest) {
            return;
        }
        let mut assembly = Assembly::new(digest, block.height, block.payload);
        assembly.seed(self.pool.all());
        assembly.hint = Some(from);
        assembly.asked = Some(due);
        self.assemblies.insert(digest, assembly);
    }

    /// Blocks that are committed: those who committed them have their transactions.
    pub(super) fn expect_committed(&mut self) {
        let mut blocks: Vec<(Arc<Block<S>>, MemberIndex)> = Vec::new();
        for certified in self.sync.queue().iter().take(LOOKAHEAD) {
            let signers = certified.finality.certificate().signers();
            let others = signers.iter().filter(|signer| Some(*signer) != self.me);
            let others: Vec<MemberIndex> = others.collect();
            if !self.assemblies.contains_key(&certified.block.digest())
                && let Some(holder) = self.sampler.some(others, 1).first()
            {
                blocks.push((certified.block.clone(), *holder));
            }
        }
        for (block, holder) in blocks {
            self.expect(&block, holder, self.now);
        }
    }

    /// Forgets bodies that nobody needs: of blocks that are neither locked nor prepared nor committed nor to be proposed
    /// again nor the best of a round that is remembered.
    pub(super) fn forget_bodies(&mut self) {
        let height = self.tip.height + 1;
        let mut needed: BTreeSet<BlockDigest> =
            self.sync.queue().iter().map(|certified| certified.block.digest()).collect();
        needed.extend(self.safety.lock().map(|lock| lock.block));
        needed.extend(self.safety.prepared().map(|prepared| prepared.block));
        needed.extend(self.highest_prepare_qc.as_ref().map(|again| again.block.digest()));
        // Others may still need the last one.
        needed.extend(self.tip.last.as_ref().map(|(block, _)| block.digest()));
        for state in self.rounds.values() {
            needed.extend(state.best(height).map(|entry| entry.proposal.block.digest()));
            // Some are locked on these: they come again, and what is there of them is not to be asked for twice.
            let repeated = state.entries().iter().filter(|entry| entry.proposal.is_repeated());
            needed.extend(repeated.map(|entry| entry.proposal.block.digest()));
        }
        self.assemblies.retain(|digest, _| needed.contains(digest));
    }

    /// Looks whether transactions make a whole.
    pub(super) fn finish_bodies(&mut self, out: &mut Effects<S>) {
        for (block, assembly) in &mut self.assemblies {
            if let Outcome::Wrong(culprit) = assembly.finish() {
                let rule = "transactions that are not those of the block";
                if let Some(culprit) = culprit.filter(|culprit| Some(*culprit) != self.me) {
                    self.sync.distrust(culprit);
                    out.fault(culprit, Evidence::Body { block: *block, rule });
                }
                assembly.tries = PATIENCE;
            }
        }
    }

    /// When to ask again.
    pub(super) fn bodies_due(&self) -> Option<Time> {
        self.wanted().into_iter().filter_map(|digest| self.assemblies.get(&digest)?.asked).min()
    }

    /// The blocks whose transactions are needed now and are not here: what is committed, what was prepared, the best of
    /// the rounds that go on, and what is to be proposed again.
    fn wanted(&self) -> Vec<BlockDigest> {
        let open = |digest: &BlockDigest| {
            self.assemblies.get(digest).is_some_and(|assembly| assembly.payload().is_none())
        };
        let committed = self.sync.queue().iter().take(LOOKAHEAD).map(|certified| certified.block.digest());
        let height = self.tip.height + 1;
        let prepared = self.safety.prepared().filter(|prepared| prepared.height == height);
        let prepared = prepared.map(|prepared| prepared.block);
        let rounds = self.rounds.range(self.clock_round..);
        let best = rounds.filter_map(|(_, state)| Some(state.best(height)?.proposal.block.digest()));
        let again = self.highest_prepare_qc.as_ref().map(|again| again.block.digest());
        let mut wanted: Vec<BlockDigest> = Vec::new();
        for block in committed.chain(prepared).chain(best).chain(again).filter(open) {
            if !wanted.contains(&block) {
                wanted.push(block);
            }
        }
        wanted
    }

    /// Asks for segments and transactions that are missing.
    pub(super) fn ask_bodies(&mut self, out: &mut Effects<S>) {
        for digest in self.wanted() {
            let due = self
                .assemblies
                .get(&digest)
                .is_some_and(|assembly| assembly.asked.is_none_or(|due| due <= self.now));
            if due {
                self.ask_body(digest, out);
            }
        }
    }

    fn ask_body(&mut self, digest: BlockDigest, out: &mut Effects<S>) {
        let certified = self.sync.queue().iter().any(|certified| certified.block.digest() == digest);
        let proposal = self.rounds.values().rev().find_map(|state| state.by_block(&digest));
        let proposal = proposal.map(|entry| entry.proposal.clone());
        let Some(assembly) = self.assemblies.get_mut(&digest) else { return };
        let (tries, height) = (assembly.tries, assembly.height());
        assembly.tries = tries.saturating_add(1);
        let due = self.now.plus(self.parameters.retry * (1 << (tries / 4).min(4)));
        assembly.asked = Some(due);
        let first = assembly.hint.take().filter(|hint| Some(*hint) != self.me);
        let proposer = proposal.as_ref().map(|proposal| proposal.proposer).filter(|p| Some(*p) != self.me);
        let asks_proposer = tries == 1 && self.committees.voters.len() <= SERVED;
        let peer = match first.or(proposer.filter(|_| asks_proposer)) {
            Some(peer) => peer,
            None => {
                let holders = self.sync.holders(height);
                let holder = if certified { self.sampler.some(holders, 1).first().copied() } else { None };
                match holder.or_else(|| self.random(1, &[]).first().copied()) {
                    Some(peer) => peer,
                    None => return,
                }
            }
        };
        let Some(assembly) = self.assemblies.get_mut(&digest) else { return };
        // A block may be proposed in round after round: what counts is the one whose segments were begun with.
        let round = assembly.round().or(proposal.as_ref().map(|proposal| proposal.round));
        let ended = round.is_none_or(|round| round < self.clock_round);
        let unbelieved = assembly.misnamed || (tries >= PATIENCE && (ended || certified));
        if unbelieved || assembly.has_source() || (!assembly.is_named() && proposal.is_none()) {
            // No segments, or segments whose names may be lies, which nothing fits: whoever has the block is to bring
            // all of it, and another if that one did not. Not as long as its round goes on: then it is rather that
            // nobody has had the time to answer, and who begins anew makes that worse, and has nothing to answer others
            // with.
            assembly.choose(peer);
            // It has as long for its answer as anybody.
            assembly.asked = Some(due);
        }
        if !assembly.has_source()
            && let Some(proposal) = proposal
        {
            match assembly.missing_segments() {
                Some((_, round, segments)) => {
                    out.send(peer, Message::BodyRequest { block: digest, round, segments });
                }
                None if !assembly.has_body() => {
                    let round = proposal.round;
                    out.send(peer, Message::BodyRequest { block: digest, round, segments: Vec::new() });
                }
                None => {}
            }
        }
        let places = assembly.missing_places();
        if !places.is_empty() {
            out.send(peer, Message::TransactionRequest { block: digest, height, places });
        }
    }

    /// Somebody misses segments.
    pub(super) fn on_body_request(
        &mut self,
        from: MemberIndex,
        block: BlockDigest,
        round: u64,
        segments: &[u16],
        out: &mut Effects<S>,
    ) {
        let Some(assembly) = self.assemblies.get(&block) else { return };
        let wanted = |index: u16| segments.is_empty() || segments.contains(&index);
        for segment in assembly.segments(round).filter(|segment| wanted(segment.index)) {
            let message = Message::Segment(segment.clone());
            if !self.sync.afford(self.now, from, 128 + message.payload_bytes(), &self.parameters) {
                break;
            }
            out.send(from, message);
        }
    }

    /// Somebody misses transactions of a block. If it is in another epoch, it reads only what is of that one.
    pub(super) fn on_transaction_request(
        &mut self,
        from: MemberIndex,
        epoch: u64,
        block: BlockDigest,
        height: u64,
        places: Vec<u32>,
        out: &mut Effects<S>,
    ) {
        let held = self.assemblies.get(&block).map(|assembly| {
            cut(places.iter().filter_map(|place| Some((*place, assembly.transaction(*place)?.clone()))))
        });
        match held {
            Some(transactions) if !transactions.is_empty() => {
                let message = Message::TransactionReply { block, transactions };
                if self.sync.afford(self.now, from, message.payload_bytes(), &self.parameters) {
                    out.answer(from, message.in_epoch(epoch));
                }
            }
            _ if height <= self.delivered
                && self.sync.afford(self.now, from, ARCHIVED_CHARGE, &self.parameters) =>
            {
                let request = HistoryRequest::Transactions { block, height, places };
                out.output(Output::Serve { to: from, request });
            }
            _ => {}
        }
    }

    /// Transactions that this member asked for.
    pub(super) fn on_transaction_reply(
        &mut self,
        from: MemberIndex,
        block: BlockDigest,
        transactions: Vec<(u32, Transaction)>,
    ) {
        let Some(assembly) = self.assemblies.get_mut(&block) else { return };
        let bytes: usize = transactions.iter().map(|(_, transaction)| 4 + transaction.encoded_len()).sum();
        if assembly.take(from, transactions) && !assembly.missing_places().is_empty() {
            // The rest at once: from this one if its answer was cut, or it is to bring all; otherwise that was all it had.
            let has_more = bytes > MAX_REPLY_BYTES / 2 || assembly.has_source();
            assembly.hint = has_more.then_some(from);
            assembly.asked = Some(self.now);
            // As long as something fits, the names are believed, and what came by them is kept.
            assembly.tries = if assembly.has_source() { assembly.tries.min(PATIENCE) } else { 0 };
        }
    }
}
