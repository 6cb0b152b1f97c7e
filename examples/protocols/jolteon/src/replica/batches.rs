use std::sync::Arc;

use quorate::certificate::{Vote, VoteFault};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep};
use crate::batch::{Batch, BatchRef};
use crate::block::Block;
use crate::ids::AVAILABLE;
use crate::interface::{Evidence, Output, OwnBatchState};
use crate::mempool::{Checked, StoreOutcome, check_certificates};
use crate::message::Message;
use crate::record::Record;

/// Maximum size in bytes of a batch that is written again with a vote, instead of a verification of its certificate.
const MAX_REPEATED: usize = 16 << 10;

impl<S: Scheme> Replica<S> {
    /// Stores a batch of this member durably, sends it to all and acknowledges it.
    pub(super) fn on_seal(&mut self, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        let (wait, sequence) = (self.parameters.retry * 4, batch.sequence());
        let (due, chain) = (self.now.plus(wait), self.tree.root().state.inventory.clone());
        let identities = self.committees.identities.clone();
        let taken = batch.author() == self.me
            && self.mempool.own.has_room(sequence)
            && self.mempool.store(&batch, &chain, &self.parameters) == StoreOutcome::Stored
            && self.mempool.own.disseminate(batch.clone(), &identities, due, wait);
        if !taken {
            out.output(Output::OwnBatch { sequence, state: OwnBatchState::Refused });
            return;
        }
        self.next_sequence = self.next_sequence.max(sequence + 1);
        out.persist(Record::Batch(batch.clone()));
        out.broadcast(Message::Batch(batch.clone()));
        let vote = self.acknowledgement(&batch);
        self.on_acknowledge(vote, out);
        self.report_congestion(out);
    }

    /// Acknowledges the own batches restored from records.
    pub(super) fn certify_own(&mut self, out: &mut ReplicaStep<S>) {
        let own: Vec<Arc<Batch>> =
            self.mempool.own.unacknowledged(self.me).map(|own| own.batch.clone()).collect();
        for batch in own {
            let vote = self.acknowledgement(&batch);
            self.on_acknowledge(vote, out);
        }
    }

    fn acknowledgement(&mut self, batch: &Batch) -> Vote<Ed25519> {
        let identities = &self.committees.identities;
        let statement = crate::ids::availability(batch.header().slot, identities, batch.digest());
        let signature = Ed25519::sign(&self.identity_key, &statement.signed_bytes(&identities.id()));
        self.mempool.acknowledged(batch.header().slot, signature.clone());
        Vote::new(statement, self.me, signature)
    }

    /// Handles a batch from its author.
    pub(super) fn on_batch(&mut self, from: MemberIndex, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        let chain = self.tree.root().state.inventory.clone();
        if self.sync.is_requested(&batch.digest()) {
            self.on_batch_reply(batch.clone(), out);
        }
        match self.mempool.store(&batch, &chain, &self.parameters) {
            StoreOutcome::Stored => out.persist(Record::Batch(batch.clone())),
            // A duplicate is persisted again: its record may not be durable yet, and the acknowledgement must not
            // overtake it. A faulty author could keep the disk busy with one batch.
            StoreOutcome::Duplicate => {
                let (bytes, rate) = (batch.bytes(), self.parameters.repeated_bytes_per_second);
                if !self.repeated.try_consume(self.now, from, bytes, rate) {
                    return;
                }
                out.persist(Record::Batch(batch.clone()));
            }
            StoreOutcome::Refused => return,
        }
        out.send(from, Message::Acknowledge(self.acknowledgement(&batch)));
    }

    /// Handles a requested batch of a committed block.
    pub(super) fn on_batch_reply(&mut self, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        if self.sync.batch_received(&batch.digest()) {
            out.persist(Record::Batch(batch.clone()));
            self.mempool.keep(batch);
            self.deliver(out);
        }
    }

    /// Handles an acknowledgement of a batch of this member.
    pub(super) fn on_acknowledge(&mut self, vote: Vote<Ed25519>, out: &mut ReplicaStep<S>) {
        if vote.statement().kind != AVAILABLE {
            out.fault(
                vote.signer(),
                Evidence::Unexpected { what: "acknowledgement with a statement of a wrong kind" },
            );
            return;
        }
        let (certified, faults) = self.mempool.own.acknowledge(vote);
        for fault in faults {
            // Acknowledgements are verified together: the invalid one need not be the latest.
            let culprit = fault.signer();
            let evidence = match fault {
                VoteFault::Equivocation(evidence) => Evidence::Identity(evidence),
                VoteFault::Stray { error, .. } => Evidence::Invalid { what: "acknowledgement", error },
                VoteFault::BadSignature { signer } => {
                    let error = quorate::Error::BadSignature { signers: vec![signer] };
                    Evidence::Invalid { what: "signature of an acknowledgement", error }
                }
            };
            out.fault(culprit, evidence);
        }
        if let Some(batch) = certified {
            let sequence = batch.header.slot.sequence;
            out.output(Output::OwnBatch { sequence, state: OwnBatchState::Certified });
            out.broadcast(Message::Certified(Box::new(batch.clone())));
            self.add_certified(batch, Checked::Verified);
        }
    }

    /// Handles the announcement of a certified batch. All members receive it, so that all know that there is work and expect a
    /// proposal. The first certificate of a slot from its author, if [trusted](crate::mempool::Mempool::trusts), is not verified
    /// until this member proposes the batch, votes for it without storing it, or times out.
    pub(super) fn on_certified(&mut self, from: MemberIndex, batch: BatchRef, out: &mut ReplicaStep<S>) {
        let slot = batch.header.slot;
        if self.mempool.known(&batch).is_some() || !self.tree.root().state.inventory.admits(slot) {
            return;
        }
        let checked = self.mempool.checked(&slot);
        if checked == Some(Checked::Verified) {
            return;
        }
        if checked.is_none() && from == slot.author && self.mempool.trusts(from) {
            return self.add_certified(batch, Checked::Unverified(from));
        }
        match check_certificates(&self.committees.identities, vec![batch.certificate.clone()]) {
            Ok(()) => self.add_certified(batch, Checked::Verified),
            Err(error) => {
                self.mempool.distrust(from);
                out.fault(from, Evidence::Invalid { what: "certificate of a batch", error });
            }
        }
    }

    fn add_certified(&mut self, batch: BatchRef, checked: Checked) {
        let chain = self.tree.root().state.inventory.clone();
        self.mempool.certify(batch, checked, &chain);
    }

    /// Records the batches of a block, whose author verified their certificates before it proposed them. If this member
    /// `checked` the block, it verified those of the batches that it does not hold.
    pub(super) fn add_payload(&mut self, block: &Block<S>, checked: bool) {
        let chain = self.tree.root().state.inventory.clone();
        for batch in &block.payload {
            let is_verified = checked && !self.holds(batch);
            let checked = if is_verified { Checked::Verified } else { Checked::Unverified(block.author) };
            self.mempool.certify(batch.clone(), checked, &chain);
        }
    }

    /// Returns true if this member has made the batch durable, or does so with its vote.
    pub(super) fn holds(&self, batch: &BatchRef) -> bool {
        self.mempool.has_own_acknowledgement(batch) || self.small_batch(batch).is_some()
    }

    /// Returns the batches of a block that become durable with the vote for it: the small ones that this member stores, perhaps
    /// not durably yet.
    pub(super) fn held_with_vote(&self, block: &Block<S>) -> Vec<Arc<Batch>> {
        let others = block.payload.iter().filter(|batch| !self.mempool.has_own_acknowledgement(batch));
        others.filter_map(|batch| self.small_batch(batch).cloned()).collect()
    }

    /// Returns the batch if this member stores it and it is small.
    fn small_batch(&self, batch: &BatchRef) -> Option<&Arc<Batch>> {
        self.mempool.acknowledged_batch(batch).filter(|batch| batch.bytes() <= MAX_REPEATED)
    }

    /// Verifies the certificates of these batches that were not verified, and returns true if all are valid. The others are
    /// dropped, and their senders reported.
    pub(super) fn verify_certified(&mut self, batches: &[BatchRef], out: &mut ReplicaStep<S>) -> bool {
        let invalid = self.mempool.verify(batches, &self.committees.identities);
        let all = invalid.is_empty();
        for (sender, error) in invalid {
            out.fault(sender, Evidence::Invalid { what: "certificate of a batch", error });
        }
        all
    }

    pub(super) fn report_congestion(&mut self, out: &mut ReplicaStep<S>) {
        if let Some(congested) = self.mempool.own.congestion(&self.parameters) {
            out.output(Output::Congestion(congested));
        }
    }

    /// Resends own batches that were not committed in time: the batch to the members that have not acknowledged it
    /// or, once it is certified, the certificate to all.
    pub(super) fn resend_batches(&mut self, out: &mut ReplicaStep<S>) {
        let members = self.committees.voters.len();
        for (own, missing) in self.mempool.own.overdue(self.now, members, &self.parameters) {
            match &own.certificate {
                Some(certified) => out.broadcast(Message::Certified(Box::new(certified.clone()))),
                None => resend(&own.batch, missing, out),
            }
        }
    }

    /// Resends own batches to a member that may have missed them.
    pub(super) fn resend_batches_to(&self, peer: MemberIndex, out: &mut ReplicaStep<S>) {
        for own in self.mempool.own.unacknowledged(peer).filter(|own| own.certificate.is_none()) {
            resend(&own.batch, [peer], out);
        }
    }
}

/// Sends a batch again. It is persisted again: its record may not be durable yet, and the batch must not overtake it. After
/// a crash the member would give its number to another batch, which no member that stores this one accepts.
fn resend<S: Scheme>(
    batch: &Arc<Batch>,
    to: impl IntoIterator<Item = MemberIndex>,
    out: &mut ReplicaStep<S>,
) {
    out.persist(Record::Batch(batch.clone()));
    to.into_iter().for_each(|member| out.send(member, Message::Batch(batch.clone())));
}
