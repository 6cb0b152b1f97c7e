use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::scheme::Scheme;

use super::{MAX_UNEXECUTED, Replica, ReplicaStep};
use crate::batch::BatchRef;
use crate::block::{Block, Executed};
use crate::finality::Finality;
use crate::ids::BlockDigest;
use crate::interface::{Delivery, Output, OwnBatchState};
use crate::record::{Committed, Record};

/// Number of undelivered blocks, and of bytes of their batches, for which missing batches are requested. The first
/// block's batches are always requested.
const LOOKAHEAD: usize = 32;
const LOOKAHEAD_BYTES: u64 = 64 << 20;

impl<S: Scheme> Replica<S> {
    /// Attaches a known certificate to a block that arrived after it.
    pub(super) fn attach_certificate(&mut self, digest: &BlockDigest, out: &mut ReplicaStep<S>) {
        let high = self.pacemaker.high().filter(|qc| qc.statement().digest == digest.0).cloned();
        if let Some(qc) = high
            && let Some(node) = self.tree.get_mut(digest)
        {
            node.certificate.get_or_insert(qc);
            self.try_commit(digest, out);
        }
    }

    /// Commit rule: a block and its ancestors are committed when its child in the next view is certified.
    pub(super) fn try_commit(&mut self, child: &BlockDigest, out: &mut ReplicaStep<S>) {
        let Some(node) = self.tree.get(child) else { return };
        let Some(qc) = node.certificate.clone() else { return };
        let child = node.block.clone();
        if self.tree.get(&child.parent).is_some_and(|parent| parent.block.view + 1 == child.view) {
            self.commit(child, qc, out);
        }
    }

    fn commit(&mut self, child: Arc<Block<S>>, certificate: Certificate<S>, out: &mut ReplicaStep<S>) {
        let Some(path) = self.tree.path(&child.parent) else { return };
        for block in path.iter().chain([&child]) {
            self.make_durable(&block.digest(), out);
        }
        self.pacemaker.on_commit();
        let stale = self.tree.commit(&child.parent);
        let root = self.tree.root();
        out.persist(Record::Committed(Box::new(Committed {
            height: root.height,
            view: root.view,
            digest: root.digest,
            child: child.digest(),
            certificate: certificate.clone(),
            state: (*root.state).clone(),
        })));
        if !stale.is_empty() {
            out.output(Output::PruneBlocks(stale));
        }
        let (view, executed) = (root.view, root.executed.height);
        self.execution.prune_below(executed);
        self.proposals.retain(|(of, _), _| *of > view);
        self.orphans.retain(|_, block| block.view > view);
        let payload: Vec<BatchRef> = path.iter().flat_map(|block| block.payload.iter().cloned()).collect();
        self.settle_batches(&payload, out);
        self.queue.extend(Finality::for_path(&path, &child, &certificate));
        self.deliver(out);
    }

    fn settle_batches(&mut self, committed: &[BatchRef], out: &mut ReplicaStep<S>) {
        let chain = self.tree.root().state.inventory.clone();
        let (own, pruned) = self.mempool.settle(&chain, committed);
        for (sequence, is_committed) in own {
            let state = if is_committed { OwnBatchState::Committed } else { OwnBatchState::Refused };
            out.output(Output::OwnBatch { sequence, state });
        }
        if !pruned.is_empty() {
            out.output(Output::PruneBatches(pruned));
        }
        self.report_congestion(out);
    }

    /// Delivers committed blocks in chain order, as long as their batches are available and the application keeps up.
    pub(super) fn deliver(&mut self, out: &mut ReplicaStep<S>) {
        while let Some((block, _)) = self.queue.front() {
            let batches: Option<Vec<_>> =
                block.payload.iter().map(|batch| self.mempool.batch(&batch.digest()).cloned()).collect();
            let Some(batches) = batches else { break };
            let bytes = batches.iter().map(|batch| batch.bytes()).sum::<usize>();
            if !self.may_deliver(bytes) {
                return;
            }
            let Some((block, finality)) = self.queue.pop_front() else { break };
            for batch in &block.payload {
                self.mempool.release(&batch.digest());
            }
            self.delivered = block.height;
            self.unexecuted.push_back((block.height, bytes));
            let (digest, height) = (block.digest(), block.height);
            out.output(Output::Deliver(Box::new(Delivery { block, digest, height, batches, finality })));
        }
        let mut bytes = 0;
        for (i, (block, _)) in self.queue.iter().take(LOOKAHEAD).enumerate() {
            bytes += block.payload.iter().map(|batch| u64::from(batch.header.bytes)).sum::<u64>();
            if i > 0 && bytes > LOOKAHEAD_BYTES {
                break;
            }
            for batch in block.payload.iter().filter(|batch| self.mempool.batch(&batch.digest()).is_none()) {
                self.sync.request_batch(block.height, batch);
            }
        }
    }

    /// Returns `true` if the application keeps up, so that a block with this many bytes of batches can be delivered.
    pub(super) fn may_deliver(&self, bytes: usize) -> bool {
        let waiting = self.unexecuted.iter().map(|(_, bytes)| bytes).sum::<usize>();
        let fits = waiting == 0 || waiting + bytes <= self.parameters.max_unexecuted_bytes;
        fits && self.delivered < self.execution.newest().height + MAX_UNEXECUTED
    }

    /// Handles a report that the application executed up to a block.
    pub(super) fn on_executed(&mut self, executed: Executed, out: &mut ReplicaStep<S>) {
        if executed.height <= self.delivered && self.execution.record(executed) {
            while self.unexecuted.front().is_some_and(|(height, _)| *height <= executed.height) {
                self.unexecuted.pop_front();
            }
            self.deliver(out);
            self.try_vote(out);
        }
    }
}
