use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::sortition::Seed;

use super::{Committable, Effects, MAX_UNEXECUTED, Replica};
use crate::block::{Block, Executed, GosigScheme};
use crate::block_sync::Certified;
use crate::finality::Finality;
use crate::interface::{Delivery, Output};
use crate::membership::{self, Anchor, Successor};
use crate::payload::Payload;
use crate::record::{Committed, Record};

impl<S: GosigScheme> Replica<S> {
    /// A quorum committed a block of the next height tentatively, in one round: it is committed, and waits for its
    /// transactions if they are not here.
    pub(super) fn learn_commit(&mut self, block: &Arc<Block<S>>, seed: Seed, certificate: Certificate<S>) {
        let next = block.height == self.tip.height + 1 && block.parent == self.tip.digest;
        if !next || !self.sync.queue().is_empty() || self.succeeded {
            return;
        }
        let Ok(finality) = Finality::new(certificate) else { return };
        let certified = Certified { block: block.clone(), finality: Arc::new(finality), seed };
        self.sync.push(certified);
    }

    /// Commits the blocks that are known to be, in the order of the chain, as far as their transactions are here and the
    /// application keeps up.
    pub(super) fn try_commit(&mut self, out: &mut Effects<S>) {
        while let Some(front) = self.sync.queue().front() {
            let (height, digest) = (front.block.height, front.block.digest());
            if height <= self.tip.height {
                self.sync.pop();
                continue;
            }
            self.expect_committed();
            self.finish_bodies(out);
            let payload = self.assemblies.get(&digest).and_then(|assembly| assembly.payload()).cloned();
            let Some(payload) = payload else { break };
            if self.succeeded || !self.undelivered.is_empty() || !self.may_deliver(payload.bytes()) {
                break;
            }
            let Some(certified) = self.sync.pop() else { break };
            self.commit(certified, payload, out);
        }
    }

    fn commit(&mut self, certified: Certified<S>, payload: Arc<Payload>, out: &mut Effects<S>) {
        let Certified { block, finality, seed } = certified;
        let (height, digest) = (block.height, block.digest());
        let payload_height = if payload.is_empty() { self.tip.payload_height } else { height };
        let is_locked = self.locked.as_ref().is_some_and(|locked| locked.digest() == digest);
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
                self.forget_lock(lock.block, Some(payload.digest()), out);
            }
        }
        self.locked = None;
        self.highest_prepare_qc = None;
        let settled = self.pool.commit(&payload);
        self.tell_settled(settled, Some(&payload), out);
        self.execution.prune_below(block.executed.height);
        let round = finality.round();
        self.block_size.committed(payload.summary());
        self.progressed = true;
        self.idle_rounds = 0;
        self.tip.height = height;
        self.tip.digest = digest;
        self.tip.seed = seed;
        self.tip.payload_height = payload_height;
        self.tip.last = Some((block.clone(), finality.clone()));
        if self.parameters.round_pipelining {
            self.round = self.round.max(round.saturating_add(1).min(self.clock_round + 1));
        }
        self.remember(finality.certificate().clone());
        self.deliver(Committable { block, finality, payload: payload.clone() }, out);
        self.succeed(&payload, out);
        self.forget_bodies();
        self.reconsider_early(out);
    }

    fn deliver(&mut self, committable: Committable<S>, out: &mut Effects<S>) {
        let Committable { block, finality, payload } = committable;
        let (digest, height) = (block.digest(), block.height);
        self.delivered = height;
        self.unexecuted.push_back((height, payload.bytes()));
        out.output(Output::Deliver(Box::new(Delivery { block, digest, height, payload, finality })));
    }

    /// What was committed before the restart and not executed durably.
    pub(super) fn deliver_again(&mut self, out: &mut Effects<S>) {
        while let Some(next) = self.undelivered.front() {
            if !self.may_deliver(next.payload.bytes()) {
                break;
            }
            let Some(next) = self.undelivered.pop_front() else { break };
            self.deliver(next, out);
        }
    }

    /// Whether the last block ends the epoch.
    pub(super) fn succeed(&mut self, payload: &Payload, out: &mut Effects<S>) {
        if let Some((committees, contacts)) = membership::next_committees(&self.committees, payload) {
            self.succeeded = true;
            let anchor = Anchor {
                height: self.tip.height,
                digest: self.tip.digest,
                seed: self.tip.seed,
                payload_height: self.tip.payload_height,
            };
            out.output(Output::Succeeded(Box::new(Successor { committees, anchor, contacts })));
        }
    }

    /// Whether the application keeps up, so that a block with that many bytes of transactions can be delivered.
    pub(super) fn may_deliver(&self, bytes: usize) -> bool {
        let waiting = self.unexecuted.iter().map(|(_, bytes)| bytes).sum::<usize>();
        let fits = waiting == 0 || waiting + bytes <= self.parameters.max_unexecuted_bytes;
        fits && self.delivered < self.execution.newest().height + MAX_UNEXECUTED
    }

    /// The application executed up to a block.
    pub(super) fn on_executed(&mut self, executed: Executed, out: &mut Effects<S>) {
        if executed.height <= self.delivered && self.execution.record(executed) {
            while self.unexecuted.front().is_some_and(|(height, _)| *height <= executed.height) {
                self.unexecuted.pop_front();
            }
            self.deliver_again(out);
        }
    }
}
