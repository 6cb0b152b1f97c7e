use std::sync::Arc;

use quorate::certificate::{Vote, VoteFault};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;

use super::{Replica, ReplicaStep};
use crate::batch::{Batch, BatchRef};
use crate::ids::AVAILABLE;
use crate::interface::{Evidence, Output, OwnBatchState};
use crate::mempool::{Stored, check_certificates};
use crate::message::Message;
use crate::record::Record;

impl<S: Scheme> Replica<S> {
    /// A batch of this member's: make it durable, send it, and acknowledge it oneself.
    pub(super) fn on_seal(&mut self, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        let (wait, sequence) = (self.parameters.retry * 4, batch.sequence());
        let (due, chain) = (self.now.plus(wait), self.tree.root().state.inventory.clone());
        let identities = self.committees.identities.clone();
        let taken = batch.author() == self.me
            && self.mempool.has_room(sequence)
            && self.mempool.store(&batch, &chain, &self.parameters) == Stored::New
            && self.mempool.disseminate(batch.clone(), &identities, due, wait);
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

    /// Acknowledges the own batches that came back from the records.
    pub(super) fn certify_own(&mut self, out: &mut ReplicaStep<S>) {
        let own: Vec<Arc<Batch>> =
            self.mempool.unacknowledged(self.me).map(|own| own.batch.clone()).collect();
        for batch in own {
            let vote = self.acknowledgement(&batch);
            self.on_acknowledge(vote, out);
        }
    }

    fn acknowledgement(&self, batch: &Batch) -> Vote<Ed25519> {
        let identities = &self.committees.identities;
        let statement = batch.header().slot.statement(identities, batch.digest());
        let signature = Ed25519::sign(&self.identity_key, &statement.signed_bytes(&identities.id()));
        Vote::new(statement, self.me, signature)
    }

    /// Handles a batch from its author.
    pub(super) fn on_batch(&mut self, from: MemberIndex, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        let chain = self.tree.root().state.inventory.clone();
        if self.sync.is_requested(&batch.digest()) {
            self.on_batch_reply(batch.clone(), out);
        }
        match self.mempool.store(&batch, &chain, &self.parameters) {
            // A known one too: its record may still be on the way, and the acknowledgement must not overtake it.
            Stored::New | Stored::Known => out.persist(Record::Batch(batch.clone())),
            Stored::Refused => return,
        }
        out.send(from, Message::Acknowledge(self.acknowledgement(&batch)));
    }

    /// A batch that a committed block names, from somebody who has it.
    pub(super) fn on_batch_reply(&mut self, batch: Arc<Batch>, out: &mut ReplicaStep<S>) {
        if self.sync.batch_received(&batch.digest()) {
            out.persist(Record::Batch(batch.clone()));
            self.mempool.keep(batch);
            self.deliver(out);
        }
    }

    /// Somebody stored a batch of this member's.
    pub(super) fn on_acknowledge(&mut self, vote: Vote<Ed25519>, out: &mut ReplicaStep<S>) {
        if vote.statement().kind != AVAILABLE {
            out.fault(vote.signer(), Evidence::Unexpected { what: "acknowledgement of another kind" });
            return;
        }
        let (certified, faults) = self.mempool.acknowledge(vote);
        for fault in faults {
            // Acknowledgements are checked together: the bad one need not be the one that just came.
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
            self.add_certified(batch);
        }
    }

    /// A quorum stored a batch. Everybody is told, so that all know that there is work and wait for a leader to
    /// take it up.
    pub(super) fn on_certified(&mut self, from: MemberIndex, batch: BatchRef, out: &mut ReplicaStep<S>) {
        if self.mempool.knows(&batch) || !self.tree.root().state.inventory.admits(batch.header.slot) {
            return;
        }
        match check_certificates(&self.committees.identities, vec![batch.certificate.clone()]) {
            Ok(()) => self.add_certified(batch),
            Err(error) => out.fault(from, Evidence::Invalid { what: "certificate of a batch", error }),
        }
    }

    fn add_certified(&mut self, batch: BatchRef) {
        let chain = self.tree.root().state.inventory.clone();
        self.mempool.certify(batch, &chain);
    }

    pub(super) fn report_congestion(&mut self, out: &mut ReplicaStep<S>) {
        if let Some(congested) = self.mempool.congestion(&self.parameters) {
            out.output(Output::Congestion(congested));
        }
    }

    /// Sends own batches again that were not committed in time: the batch to those who have not acknowledged it,
    /// or, once it is certified, the certificate to all.
    pub(super) fn resend_batches(&mut self, out: &mut ReplicaStep<S>) {
        let members = self.committees.voters.len();
        for (own, missing) in self.mempool.overdue(self.now, members, &self.parameters) {
            match &own.certificate {
                Some(certified) => out.broadcast(Message::Certified(Box::new(certified.clone()))),
                None => missing.into_iter().for_each(|m| out.send(m, Message::Batch(own.batch.clone()))),
            }
        }
    }
}
