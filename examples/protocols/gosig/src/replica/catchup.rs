//! Requests for missing blocks, and answers to such requests.

use quorate::certificate::Certificate;
use quorate::machine::MemberIndex;

use super::effects::Effects;
use super::phase::Phase;
use super::state::Replica;
use crate::block::GosigScheme;
use crate::block_sync::CertifiedBlock;
use crate::finality::FinalizedBlock;
use crate::interface::{Evidence, Output};
use crate::kinds::TENTATIVE;
use crate::message::{HistoryRequest, MAX_RANGE_BLOCKS, Message};
use crate::proposal::Proposal;

/// Number of rounds for which a member without records abstains while the other members cannot decide without it.
pub(super) const MAX_ABSTENTIONS: u32 = 4;
/// The same for a member whose records may be old: it signs nothing in the rounds in which it may have signed.
pub(super) const ABSTAINED_ROUNDS: u32 = 2;
/// Approximate size in bytes of a block with its certificate in an answer.
const BLOCK_CHARGE: usize = 512;

impl<S: GosigScheme> Replica<S> {
    /// Handles a new link to a member.
    pub(super) fn on_connected(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        if Some(peer) == self.identity.me || peer >= self.identity.committees.voters.len() {
            return;
        }
        self.network.peers.heard(peer);
        self.sync.forget_pruned(peer);
        out.send(peer, Message::Hello { committed: self.chain.tip.height });
    }

    /// Handles a sign that a member is in another epoch. The one of the two that is behind learns it from the heights.
    pub(super) fn on_epoch_mismatch(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        let pause = self.parameters.retry;
        if self.network.hello_sent.get(&peer).is_none_or(|at| at.plus(pause) <= self.now) {
            self.network.hello_sent.insert(peer, self.now);
            self.on_connected(peer, out);
        }
    }

    /// Requests missing blocks that have not been requested.
    pub(super) fn request_missing(&mut self, out: &mut Effects<S>) {
        if self.sync.start_poll(self.now, &self.parameters) {
            out.broadcast(Message::Hello { committed: self.chain.tip.height });
        }
        let highest = self.sync.last().map_or(self.chain.tip.height, |last| last.block.height);
        if self.phase != Phase::Succeeded
            && let Some(peer) =
                self.sync.next_request(self.now, highest, &mut self.network.sampler, &self.parameters)
        {
            out.send(peer, Message::BlockRequest { from: highest + 1 });
        }
        self.request_bodies(out);
    }

    /// Asks a few random members for their committed heights.
    pub(super) fn poll_some(&mut self, out: &mut Effects<S>) {
        let committed = self.chain.tip.height;
        drop(self.send_to_some(&[], &Message::Hello { committed }, out));
    }

    /// Handles a peer's committed height, and answers with this member's.
    pub(super) fn on_hello(&mut self, from: MemberIndex, committed: u64, out: &mut Effects<S>) {
        self.sync.record_height(from, committed);
        self.send_welcome(from, out);
    }

    /// Sends this member's committed height to a peer, at most once per quarter of the retry time.
    pub(super) fn send_welcome(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        let pause = self.parameters.retry / 4;
        if self.network.welcome_sent.get(&peer).is_some_and(|at| at.plus(pause) > self.now) {
            return;
        }
        self.network.welcome_sent.insert(peer, self.now);
        out.send(peer, Message::Welcome { committed: self.chain.tip.height });
    }

    /// Handles a peer's committed height.
    pub(super) fn on_welcome(&mut self, from: MemberIndex, committed: u64) {
        self.sync.record_height(from, committed);
        let voters = self.identity.committees.voters.clone();
        self.sync.record_answer(from, |set| voters.weight_of(set) >= voters.honest_weight());
        if !self.sync.is_polling() {
            self.try_end_recovery();
        }
    }

    /// Ends the recovery if that is safe, or extends the abstention.
    ///
    /// If the other members have only begun the epoch, this one has lost nothing. Otherwise it votes once the height is
    /// committed at which it may have signed, or once the others could not decide without it for some rounds.
    pub(super) fn try_end_recovery(&mut self) {
        let Phase::Recovering { rounds, limit } = self.phase else { return };
        let voters = &self.identity.committees.voters;
        let begun =
            self.chain.tip.height > self.chain.anchor || self.sync.is_behind(self.chain.anchor, voters);
        if (!begun && !self.sync.is_polling()) || rounds >= limit {
            self.safety.end_abstention();
            self.phase = Phase::Voting(self.vote_step());
        } else if self.sync.is_behind(self.chain.tip.height, voters)
            && self.safety.abstains(self.chain.tip.height + 1)
        {
            // It is behind: any block that it may have signed is above the height of the others.
            let highest = self.sync.honest_height(voters).max(self.chain.tip.height);
            self.safety.abstain(highest.saturating_add(1));
            self.phase = Phase::Recovering { rounds: 0, limit };
        }
    }

    /// Handles a peer's request for blocks: the archive serves it.
    pub(super) fn on_block_request(&mut self, peer: MemberIndex, from: u64, out: &mut Effects<S>) {
        let charge = MAX_RANGE_BLOCKS * BLOCK_CHARGE;
        let serves = (1..=self.chain.delivered).contains(&from);
        if serves && self.sync.try_serve(self.now, peer, charge, &self.parameters) {
            out.output(Output::Serve { to: peer, request: HistoryRequest::Blocks { from } });
        }
    }

    /// Handles consecutive blocks with their commitment certificates. Known blocks are skipped.
    pub(super) fn on_blocks(
        &mut self,
        from: MemberIndex,
        blocks: Vec<FinalizedBlock<S>>,
        out: &mut Effects<S>,
    ) {
        if let Some(first) = blocks.first().filter(|(block, _)| block.height <= self.chain.delivered) {
            self.compare(from, first.clone(), out);
        }
        if !self.sync.accept_answer(from) || self.phase == Phase::Succeeded {
            return;
        }
        let Some(new) = self.link_blocks(from, blocks, out) else { return };
        let Some(highest) = new.last().map(|last| last.block.height) else {
            self.sync.discard_height(from);
            return;
        };
        let certificates: Vec<Certificate<S>> =
            new.iter().map(|certified| certified.finality.certificate().clone()).collect();
        let checked = Certificate::verify_batch_derived(&self.identity.committees.voters, certificates);
        for (certified, checked) in new.into_iter().zip(checked) {
            if let Err(error) = checked {
                out.fault(from, Evidence::Invalid { what: "commitment certificate of a block", error });
                self.sync.discard_height(from);
                return;
            }
            if !self.sync.push(certified) {
                return;
            }
        }
        self.sync.record_height(from, highest);
    }

    /// Checks the block that a proposal claims to be committed: the parent of the proposed block.
    pub(super) fn check_committed_parent(
        &mut self,
        from: MemberIndex,
        proposal: &Proposal<S>,
        out: &mut Effects<S>,
    ) {
        let Some(height) = proposal.block.height.checked_sub(1).filter(|height| *height > 0) else { return };
        let digest = proposal.block.parent;
        let ballot = self.identity.committees.ballot(height, digest);
        let names_parent = |certificate: &Certificate<S>| {
            certificate.statement().kind == TENTATIVE && certificate.statement().digest == ballot
        };
        if height <= self.chain.delivered && proposal.certificate.as_ref().is_some_and(names_parent) {
            let request = HistoryRequest::CheckCommitted { height, digest };
            out.output(Output::Serve { to: from, request });
        }
    }

    /// Compares a block of a peer with the archive.
    fn compare(&mut self, from: MemberIndex, block: FinalizedBlock<S>, out: &mut Effects<S>) {
        if self.sync.try_serve(self.now, from, BLOCK_CHARGE, &self.parameters) {
            out.output(Output::Serve { to: from, request: HistoryRequest::Compare(block) });
        }
    }

    /// Checks that new blocks extend the queue, without their certificates' signatures. Returns `None` if one does not.
    fn link_blocks(
        &mut self,
        from: MemberIndex,
        blocks: Vec<FinalizedBlock<S>>,
        out: &mut Effects<S>,
    ) -> Option<Vec<CertifiedBlock<S>>> {
        let (mut height, mut digest, mut seed) = match self.sync.last() {
            Some(last) => (last.block.height, last.block.digest(), last.seed),
            None => (self.chain.tip.height, self.chain.tip.digest, self.chain.tip.seed),
        };
        let mut new: Vec<CertifiedBlock<S>> = Vec::new();
        for (block, finality) in blocks {
            if block.height <= height {
                continue;
            }
            if block.height != height + 1
                || block.parent != digest
                || !finality.certifies(&self.identity.committees, &block)
            {
                // Not a fault: this member may itself have caused the gap.
                self.sync.discard_height(from);
                if block.height == self.chain.delivered + 1 {
                    self.compare(from, (block, finality), out);
                }
                return None;
            }
            match seed.next(&block.seed, &self.identity.committees.voters) {
                Ok(next) => seed = next,
                Err(error) => {
                    out.fault(from, Evidence::Invalid { what: "seed proof in a block", error });
                    return None;
                }
            }
            (height, digest) = (block.height, block.digest());
            new.push(CertifiedBlock { block, finality, seed });
        }
        Some(new)
    }
}
