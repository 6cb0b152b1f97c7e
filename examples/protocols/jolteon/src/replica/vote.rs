//! Voting for blocks, and the collection of votes into quorum certificates.

use quorate::certificate::{Vote, VoteCollector, VoteFault};
use quorate::scheme::Scheme;
use quorate_protocol::execution::StateCheck;

use super::{Replica, ReplicaStep, VIEW_WINDOW};
use crate::ids::{BLOCK, BlockDigest};
use crate::interface::Evidence;
use crate::message::Message;
use crate::parameters::FAILURE_LIMIT;
use crate::record::Record;

impl<S: Scheme> Replica<S> {
    /// Votes for the view's block, if the rules permit it and the state it names is correct: the parent's, which a
    /// quorum checked, or one that this member computed. If that state is not executed yet, the vote waits; if that
    /// takes too long, the view times out.
    pub(super) fn try_vote(&mut self, out: &mut ReplicaStep<S>) {
        let view = self.pacemaker.view();
        let Some(node) = self.candidate.and_then(|digest| self.tree.get(&digest)) else { return };
        if node.block.view != view || !self.safety.may_vote(view) {
            return;
        }
        let block = node.block.clone();
        match self.execution.check(block.executed) {
            StateCheck::Matches => {}
            StateCheck::Unknown
                if self
                    .tree
                    .height_and_state(&block.parent)
                    .is_some_and(|(_, stated)| stated == block.executed) => {}
            StateCheck::Unknown => return,
            StateCheck::Differs(computed) => {
                self.candidate = None;
                out.fault(block.author, Evidence::StateRoot { block, computed });
                return;
            }
        }
        let Ok((vote, record)) = self.safety.vote(&self.committees, &block) else { return };
        for batch in self.held_with_vote(&block) {
            out.persist(Record::Batch(batch));
        }
        // Blocks below it without a vote are persisted too: after a restart the vote's block builds on them.
        for block in self.tree.path(&block.digest()).unwrap_or_default() {
            self.make_durable(&block.digest(), out);
        }
        out.persist(Record::VoteGuard(record));
        self.last_vote = Some(vote.clone());
        let Some(state) = self.tree.state(&block.digest()) else { return };
        match state.reputation.leader(&self.committees.voters, view.saturating_add(1)) {
            next if next == self.me => self.collect_vote(vote, out),
            next => out.send(next, Message::Vote(vote)),
        }
    }

    /// Persists a block unless it is durable already.
    pub(super) fn make_durable(&mut self, digest: &BlockDigest, out: &mut ReplicaStep<S>) {
        if let Some(node) = self.tree.get_mut(digest)
            && !node.durable
        {
            node.durable = true;
            out.persist(Record::Block(node.block.clone()));
        }
    }

    /// Handles a vote from its signer. Votes of past views and of views far ahead are useless; an honest voter that
    /// is far ahead proves it with certificates.
    pub(super) fn on_vote(&mut self, vote: Vote<S>, out: &mut ReplicaStep<S>) {
        if vote.statement().kind != BLOCK {
            out.fault(vote.signer(), Evidence::Unexpected { what: "vote with a statement of a wrong kind" });
            return;
        }
        self.collect_vote(vote, out);
    }

    /// Adds a vote for a block. A certificate that it completes is sent to all members, unless a proposal carries it.
    pub(super) fn collect_vote(&mut self, vote: Vote<S>, out: &mut ReplicaStep<S>) {
        let view = vote.statement().view;
        let certified = self.pacemaker.certified();
        if view <= certified || view > self.pacemaker.view().saturating_add(VIEW_WINDOW as u64) {
            return;
        }
        let voters = &self.committees.voters;
        let collector = self.votes.entry(view).or_insert_with(|| {
            VoteCollector::new(voters.clone(), BLOCK, view)
                .with_batch_threshold(2)
                .with_failure_limit(FAILURE_LIMIT)
        });
        let collected = collector.add(vote, &mut self.suspects);
        self.report_vote_faults(collected.faults, out);
        let Some(qc) = collected.certificate else { return };
        let qc = qc.into_inner();
        self.remember(&qc);
        self.learn_qc(&qc, None, out);
        if !self.wants_block() {
            // No proposal follows, so this message informs the members of the commit.
            out.broadcast(Message::Advance(Box::new(self.pacemaker.advance())));
        }
    }

    pub(super) fn report_vote_faults(&self, faults: Vec<VoteFault<S>>, out: &mut ReplicaStep<S>) {
        for fault in faults {
            let signer = fault.signer();
            let evidence = match fault {
                VoteFault::Stray { error, .. } => Evidence::Invalid { what: "vote", error },
                VoteFault::BadSignature { signer } => {
                    let error = quorate::Error::BadSignature { signers: vec![signer] };
                    Evidence::Invalid { what: "signature of a vote", error }
                }
                VoteFault::Equivocation(evidence) => Evidence::Votes(evidence),
            };
            out.fault(signer, evidence);
        }
    }
}
