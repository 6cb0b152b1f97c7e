//! Collecting the transactions of blocks.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};

use super::effects::Effects;
use super::state::Replica;
use crate::assembly::{Assembly, Completion};
use crate::block::{Block, GosigScheme};
use crate::digests::BlockDigest;
use crate::interface::{Evidence, Output};
use crate::message::{HistoryRequest, MAX_REPLY_BYTES, Message, fit_reply};
use crate::payload::Transaction;
use crate::proposal::Proposal;

/// Bytes that an answer from the archive is charged. Below the maximum of an answer, or honest members would catch up
/// slowly; high enough that many requests have a cost.
const ARCHIVED_CHARGE: usize = MAX_REPLY_BYTES / 8;
/// Number of requests for parts of a body before one peer is asked for all of it.
const MAX_PARTIAL_REQUESTS: u32 = 3;
/// Maximum size of a committee whose proposer is asked for missing parts: one link can serve that many members.
const MAX_SERVED_BY_PROPOSER: u16 = 64;
/// Number of committed blocks whose transactions are requested at a time.
const LOOKAHEAD: usize = 8;
/// Maximum number of bodies of proposals that are collected at a time.
const MAX_ASSEMBLIES: usize = 8;

impl<S: GosigScheme> Replica<S> {
    /// Begins to collect a proposal's transactions if the member may need them: the proposal is the best of its round, its
    /// block was prepared, or the block is to be proposed again.
    pub(super) fn expect_proposed_body(&mut self, proposal: &Proposal<S>, from: MemberIndex) {
        let digest = proposal.block.digest();
        let state = self.rounds.states.get(&proposal.round);
        let best = state.and_then(|state| state.best(self.chain.tip.height + 1));
        let is_best = best.is_some_and(|best| best.proposal.block.digest() == digest);
        let is_prepared = self.safety.prepared().is_some_and(|prepared| prepared.block == digest);
        let is_repeated =
            self.chain.highest_prepare_qc.as_ref().is_some_and(|qc| qc.block.digest() == digest);
        if !is_best && !is_prepared && !is_repeated {
            return;
        }
        if !self.assemblies.contains_key(&digest) && self.assemblies.len() >= MAX_ASSEMBLIES {
            self.drop_bodies();
        }
        // The segments are probably on their way.
        let due = self.now.plus(self.parameters.retry);
        self.expect_body(&proposal.block, from, due);
    }

    /// Begins to collect a block's transactions, and requests the missing ones at `due`.
    fn expect_body(&mut self, block: &Arc<Block<S>>, from: MemberIndex, due: Time) {
        let digest = block.digest();
        if self.assemblies.contains_key(&digest) {
            return;
        }
        let mut assembly = Assembly::new(digest, block.height, block.payload);
        assembly.add_pool(self.transactions.pool.all());
        assembly.hint = Some(from);
        assembly.due = Some(due);
        self.assemblies.insert(digest, assembly);
    }

    /// Begins to collect the transactions of committed blocks, from a signer of their commitment certificates.
    pub(super) fn expect_committed_bodies(&mut self) {
        let mut blocks: Vec<(Arc<Block<S>>, MemberIndex)> = Vec::new();
        for certified in self.sync.queue().iter().take(LOOKAHEAD) {
            let signers = certified.finality.certificate().signers();
            let others = signers.iter().filter(|signer| Some(*signer) != self.identity.me);
            let others: Vec<MemberIndex> = others.collect();
            if !self.assemblies.contains_key(&certified.block.digest())
                && let Some(holder) = self.network.sampler.sample(others, 1).first()
            {
                blocks.push((certified.block.clone(), *holder));
            }
        }
        for (block, holder) in blocks {
            self.expect_body(&block, holder, self.now);
        }
    }

    /// Drops the bodies that are not needed: those of blocks that are not locked, prepared, committed, to be proposed
    /// again, or the best of a retained round.
    pub(super) fn drop_bodies(&mut self) {
        let height = self.chain.tip.height + 1;
        let mut needed: BTreeSet<BlockDigest> =
            self.sync.queue().iter().map(|certified| certified.block.digest()).collect();
        needed.extend(self.safety.lock().map(|lock| lock.block));
        needed.extend(self.safety.prepared().map(|prepared| prepared.block));
        needed.extend(self.chain.highest_prepare_qc.as_ref().map(|qc| qc.block.digest()));
        // Other members may still request the last committed one.
        needed.extend(self.chain.tip.last.as_ref().map(|(block, _)| block.digest()));
        for state in self.rounds.states.values() {
            needed.extend(state.best(height).map(|known| known.proposal.block.digest()));
            // Some members are locked on repeated blocks: these are proposed once more, and must not be fetched twice.
            let repeated = state.proposals().iter().filter(|known| known.proposal.is_repeated());
            needed.extend(repeated.map(|known| known.proposal.block.digest()));
        }
        self.assemblies.retain(|digest, _| needed.contains(digest));
    }

    /// Checks the bodies whose transactions are all here.
    pub(super) fn complete_bodies(&mut self, out: &mut Effects<S>) {
        for (block, assembly) in &mut self.assemblies {
            if let Completion::Mismatch(culprit) = assembly.complete_if_filled() {
                let rule = "transactions that are not those of the block";
                if let Some(culprit) = culprit.filter(|culprit| Some(*culprit) != self.identity.me) {
                    self.sync.discard_height(culprit);
                    out.fault(culprit, Evidence::Body { block: *block, rule });
                }
                assembly.attempts = MAX_PARTIAL_REQUESTS;
            }
        }
    }

    /// Returns the time of the next request for missing parts.
    pub(super) fn bodies_due(&self) -> Option<Time> {
        self.wanted_bodies().into_iter().filter_map(|digest| self.assemblies.get(&digest)?.due).min()
    }

    /// Returns the blocks whose transactions are needed and incomplete: the committed ones, the prepared one, the best of the
    /// rounds that go on, and the one to be proposed again.
    fn wanted_bodies(&self) -> Vec<BlockDigest> {
        let is_incomplete = |digest: &BlockDigest| {
            self.assemblies.get(digest).is_some_and(|assembly| assembly.payload().is_none())
        };
        let committed = self.sync.queue().iter().take(LOOKAHEAD).map(|certified| certified.block.digest());
        let height = self.chain.tip.height + 1;
        let prepared = self.safety.prepared().filter(|prepared| prepared.height == height);
        let prepared = prepared.map(|prepared| prepared.block);
        let rounds = self.rounds.states.range(self.rounds.clock..);
        let best = rounds.filter_map(|(_, state)| Some(state.best(height)?.proposal.block.digest()));
        let repeated = self.chain.highest_prepare_qc.as_ref().map(|qc| qc.block.digest());
        let mut wanted: Vec<BlockDigest> = Vec::new();
        for block in committed.chain(prepared).chain(best).chain(repeated).filter(is_incomplete) {
            if !wanted.contains(&block) {
                wanted.push(block);
            }
        }
        wanted
    }

    /// Requests missing segments and transactions.
    pub(super) fn request_bodies(&mut self, out: &mut Effects<S>) {
        for digest in self.wanted_bodies() {
            let assembly = self.assemblies.get(&digest);
            if assembly.is_some_and(|assembly| assembly.due.is_none_or(|due| due <= self.now)) {
                self.request_body(digest, out);
            }
        }
    }

    fn request_body(&mut self, digest: BlockDigest, out: &mut Effects<S>) {
        let is_certified = self.sync.queue().iter().any(|certified| certified.block.digest() == digest);
        let proposal = self.rounds.states.values().rev().find_map(|state| state.by_block(&digest));
        let proposal = proposal.map(|known| known.proposal.clone());
        let Some(assembly) = self.assemblies.get_mut(&digest) else { return };
        let (attempts, height) = (assembly.attempts, assembly.height());
        assembly.attempts = attempts.saturating_add(1);
        let due = self.now.plus(self.parameters.retry * (1 << (attempts / 4).min(4)));
        assembly.due = Some(due);
        let hint = assembly.hint.take().filter(|hint| Some(*hint) != self.identity.me);
        let proposer = proposal.as_ref().map(|proposal| proposal.proposer);
        let proposer = proposer
            .filter(|_| attempts == 1 && self.identity.committees.voters.len() <= MAX_SERVED_BY_PROPOSER);
        let first = hint.or(proposer.filter(|proposer| Some(*proposer) != self.identity.me));
        let Some(peer) = first.or_else(|| self.sample_holder(height, is_certified)) else { return };
        let Some(assembly) = self.assemblies.get_mut(&digest) else { return };
        // A block may be proposed in several rounds: the round is that of the segments that are being collected.
        let round = assembly.round().or(proposal.as_ref().map(|proposal| proposal.round));
        let has_ended = round.is_none_or(|round| round < self.rounds.clock);
        let tried_enough = attempts >= MAX_PARTIAL_REQUESTS && (has_ended || is_certified);
        let has_no_names = !assembly.is_named() && proposal.is_none();
        if assembly.names_rejected || tried_enough || assembly.has_source() || has_no_names {
            // There are no segments, or their names may be wrong, since nothing fits them. From here on one peer brings the
            // whole body, and another one if that fails. Not during the round: answers are then late rather than
            // missing, and a restart would add load and leave this member with nothing to serve.
            assembly.set_source(peer);
            // The new source has the same time to answer as any other peer.
            assembly.due = Some(due);
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

    /// Returns a random member that may hold a block: for a committed one, a member at its height or above if there is one.
    fn sample_holder(&mut self, height: u64, is_certified: bool) -> Option<MemberIndex> {
        let holders = self.sync.holders(height);
        let holder =
            if is_certified { self.network.sampler.sample(holders, 1).first().copied() } else { None };
        holder.or_else(|| self.sample_peers(1, &[]).first().copied())
    }

    /// Handles a request for segments.
    pub(super) fn on_body_request(
        &mut self,
        from: MemberIndex,
        block: BlockDigest,
        round: u64,
        segments: &[u16],
        out: &mut Effects<S>,
    ) {
        let Some(assembly) = self.assemblies.get(&block) else { return };
        let is_requested = |index: u16| segments.is_empty() || segments.contains(&index);
        for segment in assembly.segments(round).filter(|segment| is_requested(segment.index)) {
            let message = Message::Segment(segment.clone());
            if !self.sync.try_serve(self.now, from, 128 + message.payload_bytes(), &self.parameters) {
                break;
            }
            out.send(from, message);
        }
    }

    /// Handles a request for transactions of a block. The answer is of the epoch of the request, because a member of another
    /// epoch reads nothing else.
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
            fit_reply(places.iter().filter_map(|place| Some((*place, assembly.transaction(*place)?.clone()))))
        });
        match held {
            Some(transactions) if !transactions.is_empty() => {
                let message = Message::TransactionReply { block, transactions };
                if self.sync.try_serve(self.now, from, message.payload_bytes(), &self.parameters) {
                    out.answer(from, message.in_epoch(epoch));
                }
            }
            _ if height <= self.chain.delivered
                && self.sync.try_serve(self.now, from, ARCHIVED_CHARGE, &self.parameters) =>
            {
                let request = HistoryRequest::Transactions { block, height, places };
                out.output(Output::Serve { to: from, request });
            }
            _ => {}
        }
    }

    /// Handles transactions that this member requested.
    pub(super) fn on_transaction_reply(
        &mut self,
        from: MemberIndex,
        block: BlockDigest,
        transactions: Vec<(u32, Transaction)>,
    ) {
        let Some(assembly) = self.assemblies.get_mut(&block) else { return };
        let bytes: usize = transactions.iter().map(|(_, transaction)| 4 + transaction.encoded_len()).sum();
        if assembly.add_reply(from, transactions) && !assembly.missing_places().is_empty() {
            // Request the rest at once: from the same peer if its answer was cut short or it is the source; otherwise the
            // answer was all that it had.
            let has_more = bytes > MAX_REPLY_BYTES / 2 || assembly.has_source();
            assembly.hint = has_more.then_some(from);
            assembly.due = Some(self.now);
            // As long as some transaction fits, the names are credible and the transactions that they matched are retained.
            assembly.attempts =
                if assembly.has_source() { assembly.attempts.min(MAX_PARTIAL_REQUESTS) } else { 0 };
        }
    }
}
