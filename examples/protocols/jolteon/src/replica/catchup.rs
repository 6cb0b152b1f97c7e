use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep};
use crate::batch::MAX_BATCH_BYTES;
use crate::block::Block;
use crate::ids::{BatchDigest, BlockDigest};
use crate::interface::{Evidence, Output};
use crate::message::{HistoryRequest, MAX_RANGE_BYTES, Message, block_range};

/// Charge of a response whose size is not known beforehand: less than the maximum, so that honest members catch up
/// quickly, but enough to make many requests costly.
const RANGE_CHARGE: usize = MAX_RANGE_BYTES / 8;
/// Number of committed heights from which a peer's history is compared with this member's.
const COMPARED: u64 = 8;
const ARCHIVED_CHARGE: usize = MAX_BATCH_BYTES / 16;

impl<S: Scheme> Replica<S> {
    /// Handles a new link to a member.
    pub(super) fn on_connected(&mut self, peer: MemberIndex, out: &mut ReplicaStep<S>) {
        if peer == self.me || peer >= self.committees.voters.len() {
            return;
        }
        self.sync.forget_pruned(peer);
        out.send(peer, Message::Hello { certified: self.pacemaker.certified() });
        self.request_view_of(peer, out);
        self.resend_batches_to(peer, out);
    }

    /// Sends requests for everything missing that is not requested yet.
    pub(super) fn send_requests(&mut self, out: &mut ReplicaStep<S>) {
        if self.sync.start_poll(self.now, &self.parameters) {
            out.broadcast(Message::Hello { certified: self.pacemaker.certified() });
        }
        if self.sync.search().is_some_and(|search| self.tree.contains(&search.target)) {
            self.sync.end_search();
        }
        if self.queue.len() < self.parameters.max_undelivered {
            let root = self.tree.root().height;
            if let Some((peer, from)) = self.sync.ask_blocks(self.now, root, &self.parameters)
                && let Some(search) = self.sync.search()
            {
                out.send(peer, Message::BlockRequest { from, target: search.target });
            }
        }
        for (peer, digest) in self.sync.ask_batches(self.now, &self.parameters) {
            out.send(peer, Message::BatchRequest(vec![digest]));
        }
    }

    /// Handles a request for blocks. Blocks above the committed one come from the tree, older ones from the archive.
    pub(super) fn on_block_request(
        &mut self,
        peer: MemberIndex,
        from: u64,
        target: &BlockDigest,
        out: &mut ReplicaStep<S>,
    ) {
        if !self.sync.try_serve(self.now, peer, RANGE_CHARGE, &self.parameters) {
            return;
        }
        if from <= self.tree.root().height {
            out.output(Output::Serve { to: peer, request: HistoryRequest::Blocks { from } });
            return;
        }
        let path = self.tree.path(target).unwrap_or_default();
        if path.last().is_some_and(|block| block.height >= from) {
            out.send(peer, block_range(path.into_iter().filter(|block| block.height >= from)));
        }
    }

    /// Handles consecutive blocks, each certified by the next; the last one is certified by the next response, or is
    /// the target.
    pub(super) fn on_blocks(
        &mut self,
        from: MemberIndex,
        blocks: Vec<Arc<Block<S>>>,
        out: &mut ReplicaStep<S>,
    ) {
        let root = self.tree.root().height;
        let overlaps = blocks.first().is_some_and(|first| first.height <= root);
        if overlaps && self.sync.try_serve(self.now, from, RANGE_CHARGE, &self.parameters) {
            out.output(Output::Serve { to: from, request: HistoryRequest::Compare(blocks.clone()) });
        }
        let Some(search) = self.sync.search() else { return };
        if !search.awaited.contains(&from) || blocks.is_empty() {
            return;
        }
        let mut chain: Vec<Arc<Block<S>>> = search.held.iter().cloned().collect();
        let target = search.target;
        chain.extend(blocks);
        let linked = chain.windows(2).all(|pair| match pair {
            [parent, child] => {
                child.parent == parent.digest()
                    && child.height == parent.height + 1
                    && child.justify.as_ref().is_some_and(|qc| parent.is_certified_by(qc))
            }
            _ => false,
        });
        // A late response may start below blocks that were dropped since.
        let attached = chain.iter().any(|block| self.tree.contains(&block.parent));
        if !linked || !attached || !self.check_justifications(&chain) {
            // No fault: the held block may come from another peer. The request expires and goes to the next peer.
            if linked && !attached && !overlaps {
                self.request_history(from, root.saturating_sub(COMPARED), target, out);
            }
            return;
        }
        // No certificate covers the author's signature, but the archive passes it on.
        let signed =
            |block: &Arc<Block<S>>| block.proposal(&self.committees).check(&self.committees.identities);
        if let Err(error) = chain.iter().try_for_each(signed) {
            out.fault(from, Evidence::Invalid { what: "signature of a block", error });
            return;
        }
        if let Some(last) = chain.last().cloned()
            && let Some(search) = self.sync.search()
        {
            search.held = Some(last);
            search.asked = None;
            search.awaited.clear();
        }
        let certificates: Vec<Option<Certificate<S>>> =
            chain.iter().skip(1).map(|child| child.justify.clone()).chain([None]).collect();
        for (block, certificate) in chain.into_iter().zip(certificates) {
            let certificate = certificate.or_else(|| self.certificate_of(&block.digest()));
            if let Some(certificate) = certificate {
                self.adopt(block, &certificate, from, out);
            }
        }
        if self.tree.contains(&target) {
            self.sync.end_search();
            self.adopt_orphans(out);
        }
    }

    /// Checks a certificate that a peer shows, if the view of its block is committed: with another history, the archive
    /// does not have that block.
    pub(super) fn check_certified(
        &mut self,
        from: MemberIndex,
        qc: &Certificate<S>,
        out: &mut ReplicaStep<S>,
    ) {
        let digest = BlockDigest(qc.statement().digest);
        if qc.statement().view <= self.tree.root().view && digest != self.tree.root().digest {
            out.output(Output::Serve { to: from, request: HistoryRequest::CheckCertified(digest) });
        }
    }

    /// Requests a part of a peer's history in order to compare it with the archive.
    fn request_history(
        &mut self,
        peer: MemberIndex,
        from: u64,
        target: BlockDigest,
        out: &mut ReplicaStep<S>,
    ) {
        if self.sync.try_serve(self.now, peer, RANGE_CHARGE, &self.parameters) {
            out.send(peer, Message::BlockRequest { from: from.max(1), target });
        }
    }

    /// Returns the known certificate of this block, if any.
    fn certificate_of(&self, digest: &BlockDigest) -> Option<Certificate<S>> {
        self.pacemaker.high().filter(|qc| qc.statement().digest == digest.0).cloned()
    }

    /// Verifies the certificates contained in a chain of blocks, in one batch.
    fn check_justifications(&mut self, chain: &[Arc<Block<S>>]) -> bool {
        let certificates: Vec<Certificate<S>> = chain
            .iter()
            .skip(1)
            .filter_map(|block| block.justify.clone())
            .filter(|qc| self.verified.get(&qc.statement().view) != Some(qc))
            .collect();
        let voters = &self.committees.voters;
        Certificate::verify_batch_derived(voters, certificates).into_iter().all(|result| result.is_ok())
    }

    /// Inserts a certified block. A quorum has checked everything that a voter checks.
    fn adopt(
        &mut self,
        block: Arc<Block<S>>,
        certificate: &Certificate<S>,
        from: MemberIndex,
        out: &mut ReplicaStep<S>,
    ) {
        if block.height <= self.tree.root().height {
            return;
        }
        if !self.tree.contains(&block.digest()) {
            if !self.tree.insert(&self.committees, block.clone(), false) {
                return;
            }
            self.add_payload(&block, false);
        }
        self.learn_qc(certificate, Some(from), out);
    }

    /// Handles a request for batches.
    pub(super) fn on_batch_request(
        &mut self,
        peer: MemberIndex,
        digests: Vec<BatchDigest>,
        out: &mut ReplicaStep<S>,
    ) {
        let mut archived = Vec::new();
        for digest in digests {
            let bytes = self.mempool.batch(&digest).map_or(ARCHIVED_CHARGE, |batch| batch.bytes());
            if !self.sync.try_serve(self.now, peer, bytes, &self.parameters) {
                break;
            }
            match self.mempool.batch(&digest) {
                Some(batch) => out.send(peer, Message::BatchReply(batch.clone())),
                None => archived.push(digest),
            }
        }
        if !archived.is_empty() {
            out.output(Output::Serve { to: peer, request: HistoryRequest::Batches(archived) });
        }
    }
}
