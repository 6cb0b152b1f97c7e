//! Commits, deliveries and executed states.

use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::sortition::Seed;

use super::effects::Effects;
use super::phase::Phase;
use super::state::{CommittedBlock, Replica};
use crate::block::{Block, Executed, GosigScheme};
use crate::block_sync::CertifiedBlock;
use crate::finality::Finality;
use crate::interface::{Delivery, Output};
use crate::membership::{self, Anchor, Successor};
use crate::payload::Payload;
use crate::record::{Committed, Record};

/// Maximum number of delivered blocks that await execution. At this number no more blocks are committed.
const MAX_UNEXECUTED: u64 = 128;

impl<S: GosigScheme> Replica<S> {
    /// Handles a commitment certificate of a block of the next height. The block is committed once all its
    /// transactions are available.
    pub(super) fn on_commit_certificate(
        &mut self,
        block: &Arc<Block<S>>,
        seed: Seed,
        certificate: Certificate<S>,
    ) {
        let next = block.height == self.chain.tip.height + 1 && block.parent == self.chain.tip.digest;
        if !next || !self.sync.queue().is_empty() || self.phase == Phase::Succeeded {
            return;
        }
        let Ok(finality) = Finality::new(certificate) else { return };
        let certified = CertifiedBlock { block: block.clone(), finality: Arc::new(finality), seed };
        self.sync.push(certified);
    }

    /// Commits the queued blocks in the order of the chain, as long as their transactions are available and the
    /// application keeps up.
    pub(super) fn commit_blocks(&mut self, out: &mut Effects<S>) {
        while let Some(front) = self.sync.queue().front() {
            let (height, digest) = (front.block.height, front.block.digest());
            if height <= self.chain.tip.height {
                self.sync.pop();
                continue;
            }
            self.expect_committed_bodies();
            self.complete_bodies(out);
            let payload = self.assemblies.get(&digest).and_then(|assembly| assembly.payload()).cloned();
            let Some(payload) = payload else { break };
            let ended = self.phase == Phase::Succeeded;
            if ended || !self.chain.undelivered.is_empty() || !self.may_deliver(payload.bytes()) {
                break;
            }
            let Some(certified) = self.sync.pop() else { break };
            self.commit(certified, payload, out);
        }
    }

    fn commit(&mut self, certified: CertifiedBlock<S>, payload: Arc<Payload>, out: &mut Effects<S>) {
        let CertifiedBlock { block, finality, seed } = certified;
        let (height, digest) = (block.height, block.digest());
        let payload_height = if payload.is_empty() { self.chain.tip.payload_height } else { height };
        let is_locked = self.chain.locked.as_ref().is_some_and(|locked| locked.digest() == digest);
        if !is_locked {
            if !payload.is_empty() {
                out.persist(Record::Payload(payload.clone()));
            }
            out.persist(Record::Block(block.clone()));
        }
        out.persist(Record::Committed(Box::new(Committed {
            height,
            digest,
            finality: (*finality).clone(),
            seed,
            payload_height,
        })));
        if let Some(lock) = self.safety.release() {
            out.persist(Record::Lock(None));
            if lock.block != digest {
                self.prune_lock(lock.block, Some(payload.digest()), out);
            }
        }
        self.chain.locked = None;
        self.chain.highest_prepare_qc = None;
        let settled = self.transactions.pool.commit(&payload);
        self.output_settled(settled, Some(&payload), out);
        self.chain.execution.prune_below(block.executed.height);
        let round = finality.round();
        self.transactions.block_size.on_commit(payload.summary());
        self.rounds.has_committed = true;
        self.rounds.undecided = 0;
        self.chain.tip.height = height;
        self.chain.tip.digest = digest;
        self.chain.tip.seed = seed;
        self.chain.tip.payload_height = payload_height;
        self.chain.tip.last = Some((block.clone(), finality.clone()));
        if self.parameters.round_pipelining {
            let next = round.saturating_add(1).min(self.rounds.clock + 1);
            self.rounds.current = self.rounds.current.max(next);
        }
        self.remember_certificate(finality.certificate().clone());
        if matches!(self.phase, Phase::Recovering { .. }) && !self.safety.abstains(height + 1) {
            // Every statement that this member may have signed before it lost its records is below.
            self.phase = Phase::Voting(self.vote_step());
        }
        self.deliver(CommittedBlock { block, finality, payload: payload.clone() }, out);
        self.end_epoch_if_changed(&payload, out);
        self.drop_bodies();
        self.reconsider_early(out);
    }

    fn deliver(&mut self, committed: CommittedBlock<S>, out: &mut Effects<S>) {
        let CommittedBlock { block, finality, payload } = committed;
        let (digest, height) = (block.digest(), block.height);
        self.chain.delivered = height;
        self.chain.unexecuted.push_back((height, payload.bytes()));
        out.output(Output::Deliver(Box::new(Delivery { block, digest, height, payload, finality })));
    }

    /// Delivers blocks that were committed before the restart and not executed durably.
    pub(super) fn deliver_undelivered(&mut self, out: &mut Effects<S>) {
        while let Some(next) = self.chain.undelivered.front() {
            if !self.may_deliver(next.payload.bytes()) {
                break;
            }
            let Some(next) = self.chain.undelivered.pop_front() else { break };
            self.deliver(next, out);
        }
    }

    /// Ends the epoch if the last block changes the committee.
    pub(super) fn end_epoch_if_changed(&mut self, payload: &Payload, out: &mut Effects<S>) {
        if let Some((committees, contacts)) = membership::next_committees(&self.identity.committees, payload)
        {
            self.phase = Phase::Succeeded;
            let anchor = Anchor {
                height: self.chain.tip.height,
                digest: self.chain.tip.digest,
                seed: self.chain.tip.seed,
                payload_height: self.chain.tip.payload_height,
            };
            out.output(Output::Succeeded(Box::new(Successor { committees, anchor, contacts })));
        }
    }

    /// Returns true if the application keeps up, so that a block with a payload of `bytes` bytes can be delivered.
    fn may_deliver(&self, bytes: usize) -> bool {
        let waiting = self.chain.unexecuted.iter().map(|(_, bytes)| bytes).sum::<usize>();
        let fits = waiting == 0 || waiting + bytes <= self.parameters.max_unexecuted_bytes;
        fits && self.chain.delivered < self.chain.execution.newest().height + MAX_UNEXECUTED
    }

    /// Handles the application's report of an executed state.
    pub(super) fn on_executed(&mut self, executed: Executed, out: &mut Effects<S>) {
        if executed.height <= self.chain.delivered && self.chain.execution.record(executed) {
            while self.chain.unexecuted.front().is_some_and(|(height, _)| *height <= executed.height) {
                self.chain.unexecuted.pop_front();
            }
            self.deliver_undelivered(out);
        }
    }
}
