use std::sync::Arc;

use quorate::certificate::Equivocation;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep, VIEW_WINDOW};
use crate::batch::BatchRef;
use crate::block::{Block, BlockContent, Executed};
use crate::ids::BlockDigest;
use crate::interface::{Evidence, Timer};
use crate::mempool::{Checked, check_certificates};
use crate::message::Message;
use crate::record::Record;

/// Maximum lag of execution behind the chain at which this member still proposes.
const MAX_LAG: u64 = 256;

impl<S: Scheme> Replica<S> {
    /// Handles a proposal from its author.
    pub(super) fn on_proposal(&mut self, from: MemberIndex, block: Arc<Block<S>>, out: &mut ReplicaStep<S>) {
        if block.view <= self.tree.root().view || self.tree.contains(&block.digest()) {
            return;
        }
        let proposal = block.proposal(&self.committees);
        let first = self.proposals.get(&(block.view, block.author));
        if first.is_some_and(|first| first.statement() == proposal.statement())
            && self.orphans.contains_key(&from)
        {
            return;
        }
        if let Err(error) = proposal.check(&self.committees.identities) {
            out.fault(from, Evidence::Invalid { what: "signature of a proposal", error });
            return;
        }
        if let Some(first) = first.filter(|first| first.statement() != proposal.statement()) {
            if let Ok(evidence) = Equivocation::new(first.clone(), proposal)
                && let Ok(evidence) = evidence.verify(&self.committees.identities)
            {
                out.fault(from, Evidence::Identity(Box::new(evidence)));
            }
            return;
        }
        if block.justify.as_ref().is_some_and(|qc| !self.check_qc(from, qc, out))
            || block.tc.as_ref().is_some_and(|tc| !self.check_tc(from, tc, out))
        {
            return;
        }
        // The certificates prove that the view has begun, so the number of entries is bounded by the number of views.
        self.proposals.insert((block.view, block.author), proposal);
        while self.proposals.len() > 4 * VIEW_WINDOW {
            self.proposals.pop_first();
        }
        if let Some(qc) = &block.justify {
            self.learn_qc(qc, Some(from), out);
        }
        if let Some(tc) = &block.tc {
            self.learn_tc(tc.clone(), out);
        }
        if self.tree.contains(&block.parent) {
            self.accept(block, out);
        } else {
            self.orphans.insert(from, block);
        }
    }

    /// Accepts a block with verified signature and certificates and a known parent.
    pub(super) fn accept(&mut self, block: Arc<Block<S>>, out: &mut ReplicaStep<S>) {
        if block.view <= self.tree.root().view || self.tree.contains(&block.digest()) {
            return;
        }
        if self.queue.len() >= 4 * self.parameters.max_undelivered {
            // This far behind, further blocks only cost memory. They are requested again by range.
            return;
        }
        if let Err(rule) = self.check_against_parent(&block) {
            out.fault(block.author, Evidence::Proposal { block, rule });
            return;
        }
        if let Err(error) = self.check_payload(&block) {
            out.fault(block.author, Evidence::Invalid { what: "certificate of a batch in a block", error });
            return;
        }
        if let Some(qc) = block.justify.clone() {
            // The certificate may have been known before its block.
            self.learn_qc(&qc, None, out);
        }
        if !self.tree.insert(&self.committees, block.clone(), false) {
            return;
        }
        self.add_payload(&block, true);
        if block.view == self.pacemaker.view() {
            self.last_block_at = Some(self.now);
            self.candidate.get_or_insert(block.digest());
        }
        self.attach_certificate(&block.digest(), out);
        self.try_vote(out);
        self.adopt_orphans(out);
    }

    /// Accepts blocks whose missing parent has arrived.
    pub(super) fn adopt_orphans(&mut self, out: &mut ReplicaStep<S>) {
        let root = self.tree.root().view;
        self.orphans.retain(|_, block| block.view > root);
        let ready: Vec<MemberIndex> = self
            .orphans
            .iter()
            .filter(|(_, block)| self.tree.contains(&block.parent))
            .map(|(author, _)| *author)
            .collect();
        for author in ready {
            if let Some(block) = self.orphans.remove(&author) {
                self.accept(block, out);
            }
        }
    }

    /// Proposes if this member leads the view and there is work.
    pub(super) fn try_propose(&mut self, out: &mut ReplicaStep<S>) {
        let view = self.pacemaker.view();
        let idle = self.propose_timer || !self.wants_block();
        if idle
            || self.safety.last_proposed_view() >= view
            || self.safety.last_timeout_view() >= view
            || self.safety.abstains(view)
        {
            return;
        }
        let parent = self.high_digest();
        let Some((height, stated)) = self.may_propose(&parent) else { return };
        let due = self.last_block_at.map(|at| at.plus(self.parameters.min_block_interval));
        if let Some(due) = due.filter(|due| *due > self.now) {
            self.propose_timer = true;
            out.set_timer(Timer::Propose, due.since(self.now));
            return;
        }
        self.propose(parent, height, stated, out);
    }

    /// Returns the parent's height and named state if this member may propose on it now.
    fn may_propose(&self, parent: &BlockDigest) -> Option<(u64, Executed)> {
        let view = self.pacemaker.view();
        let justified = match self.pacemaker.tc() {
            Some(tc) => tc.view() + 1 == view && self.pacemaker.certified() >= tc.highest_value(),
            None => self.pacemaker.certified() + 1 == view,
        };
        let place = self.tree.height_and_state(parent)?;
        let behind = self.tree.root().height.saturating_sub(self.execution.newest().height) > MAX_LAG;
        let turn = self.leader() == self.me;
        (turn && justified && !behind).then_some(place)
    }

    fn propose(&mut self, parent: BlockDigest, height: u64, stated: Executed, out: &mut ReplicaStep<S>) {
        let Some(payload) = self.verified_payload(&parent, out) else { return };
        if !self.wants_block() {
            return;
        }
        let Some(state) = self.tree.state(&parent) else { return };
        // Only states that the chain proves committed: a voter without the proof could not have executed more.
        let final_height = state.final_above(self.tree.block(&parent));
        let newest = self.execution.up_to(final_height).filter(|newest| newest.height > stated.height);
        let content = BlockContent {
            epoch: self.committees.voters.epoch(),
            view: self.pacemaker.view(),
            height: height + 1,
            author: self.me,
            parent,
            justify: self.pacemaker.high().cloned(),
            tc: self.pacemaker.tc().cloned(),
            payload,
            executed: newest.unwrap_or(stated),
            timestamp: self.now.0,
        };
        let Ok((block, record)) = self.safety.propose(&self.committees, content) else { return };
        let block = Arc::new(block);
        out.persist(Record::ProposalGuard(record));
        out.broadcast(Message::Proposal(block.clone()));
        self.proposals.insert((block.view, self.me), block.proposal(&self.committees));
        self.accept(block, out);
    }

    /// Returns the batches of a new block, or `None` if its parent is unknown. Each certificate is verified: voters that do not
    /// hold a batch verify it.
    fn verified_payload(&mut self, parent: &BlockDigest, out: &mut ReplicaStep<S>) -> Option<Vec<BatchRef>> {
        loop {
            let chain = &self.tree.state(parent)?.inventory;
            let payload = self.mempool.select(chain, self.parameters.max_block_batches);
            if self.verify_certified(&payload, out) {
                return Some(payload);
            }
        }
    }

    fn check_against_parent(&self, block: &Block<S>) -> Result<(), &'static str> {
        let place = self.tree.height_and_state(&block.parent).zip(self.tree.state(&block.parent));
        let Some(((height, stated), state)) = place else { return Err("its parent is unknown") };
        if block.height != height + 1 {
            return Err("its height is not one above its parent's");
        }
        if state.reputation.leader(&self.committees.voters, block.view) != block.author {
            return Err("its author does not lead its view");
        }
        let same = block.executed.height == stated.height && block.executed.state_root != stated.state_root;
        if block.executed.height < stated.height || same {
            return Err("the state that it names is older than its parent's");
        }
        if block.executed.height > stated.height.max(state.final_above(self.tree.block(&block.parent))) {
            return Err("the state that it names is not committed by its chain");
        }
        let mut inventory = state.inventory.clone();
        if !block.payload.iter().all(|batch| inventory.include(batch.header.slot)) {
            return Err("it names a batch that its chain has already, or that is too old");
        }
        Ok(())
    }

    /// Verifies the certificates of the batches that this member does not hold. If all honest voters for a block hold a batch,
    /// enough members store it.
    fn check_payload(&self, block: &Block<S>) -> quorate::Result<()> {
        let is_certain =
            |batch: &&BatchRef| self.mempool.known(batch) == Some(Checked::Verified) || self.holds(batch);
        let others = block.payload.iter().filter(|batch| !is_certain(batch));
        let certificates = others.map(|batch| batch.certificate.clone()).collect();
        check_certificates(&self.committees.identities, certificates)
    }
}
