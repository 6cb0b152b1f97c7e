//! Transactions of this member's clients, and those that other members forward.

use std::sync::Arc;

use quorate::machine::MemberIndex;

use super::effects::Effects;
use super::state::Replica;
use crate::block::GosigScheme;
use crate::interface::{Evidence, Output, Submission};
use crate::membership::Change;
use crate::message::{MAX_REPLY_BYTES, Message};
use crate::payload::{Payload, Transaction};
use crate::pool::Settled;
use crate::record::Record;

impl<S: GosigScheme> Replica<S> {
    /// Handles transactions of this member's clients.
    pub(super) fn on_submit(&mut self, sequence: u64, payload: Arc<Payload>, out: &mut Effects<S>) {
        let (pool, digest) = (&mut self.transactions.pool, payload.digest());
        if self.identity.me.is_some() && pool.attach_sequence(&digest, sequence) {
            return;
        }
        let fits = pool.has_room(&payload, &self.parameters) && !pool.is_own(&digest);
        if self.is_observer() || !fits {
            out.output(Output::Submitted { sequence, state: Submission::Refused });
            return;
        }
        let (new, committed) = self.transactions.pool.submit(Some(sequence), &payload);
        if !committed.is_empty() {
            out.output(Output::AlreadyCommitted(committed));
        }
        out.persist(Record::Payload(payload));
        for transaction in new {
            self.add_transaction(None, transaction);
        }
        self.report_settled(out);
    }

    /// Handles transactions that another member forwards.
    pub(super) fn on_transactions(
        &mut self,
        from: MemberIndex,
        transactions: Vec<Transaction>,
        out: &mut Effects<S>,
    ) {
        for transaction in transactions {
            if self.transactions.pool.is_known(&transaction.id()) {
                continue;
            }
            if let Err(error) = Change::check_forwarded(&transaction, &self.identity.committees) {
                // The rest of the message is not worth as many verifications.
                return out.fault(from, Evidence::Invalid { what: "change of the members", error });
            }
            if self.transactions.pool.add(from, transaction.clone(), &self.parameters) {
                self.add_transaction(Some(from), transaction);
            }
        }
    }

    /// Gives a new transaction to the bodies that may wait for it, and queues it for forwarding.
    fn add_transaction(&mut self, from: Option<MemberIndex>, transaction: Transaction) {
        for assembly in self.assemblies.values_mut() {
            assembly.add_transaction(&transaction);
        }
        if self.parameters.asynchronous_transactions && (from.is_some() || self.may_forward(&transaction)) {
            self.transactions.outbox.push(from, transaction);
            let due = self.now.plus(self.parameters.transaction_delay);
            self.transactions.outbox_due.get_or_insert(due);
        }
    }

    /// Returns true unless other members would count the transaction as a fault of this one. A client may have submitted it before
    /// the epoch that it names.
    pub(super) fn may_forward(&self, transaction: &Transaction) -> bool {
        Change::check_forwarded(transaction, &self.identity.committees).is_ok()
    }

    /// Forwards the queued transactions, if that is due.
    pub(super) fn forward_transactions(&mut self, out: &mut Effects<S>) {
        if self.transactions.outbox_due.is_none_or(|due| due > self.now) {
            return;
        }
        self.transactions.outbox_due = None;
        let fanout = self.parameters.transaction_fanout;
        // One peer more than the fan-out: a transaction does not go back to the peer that brought it.
        let peers = self.sample_peers(fanout.saturating_add(1), &[]);
        for (peer, transactions) in self.transactions.outbox.take(&peers, fanout, MAX_REPLY_BYTES) {
            out.send(peer, Message::Transactions(transactions));
        }
    }

    /// Reports submitted payloads whose transactions were all committed before the submission.
    pub(super) fn report_settled(&mut self, out: &mut Effects<S>) {
        let settled = self.transactions.pool.take_settled();
        self.output_settled(settled, None, out);
    }

    /// Outputs the results of submitted payloads. The record of the committed block's own payload is retained.
    pub(super) fn output_settled(
        &mut self,
        settled: Settled,
        committed: Option<&Payload>,
        out: &mut Effects<S>,
    ) {
        let state = if committed.is_some() { Submission::Committed } else { Submission::Repeated };
        for sequence in settled.sequences {
            out.output(Output::Submitted { sequence, state });
        }
        let mut obsolete = settled.payloads;
        obsolete.retain(|digest| committed.is_none_or(|payload| payload.digest() != *digest));
        if !obsolete.is_empty() {
            out.output(Output::PrunePayloads(obsolete));
        }
    }

    /// Reports a change between congestion and no congestion.
    pub(super) fn report_congestion(&mut self, out: &mut Effects<S>) {
        let (pool, was_congested) = (&self.transactions.pool, self.transactions.congested);
        let full = pool.footprint() >= self.parameters.max_pool_bytes / 4 * 3;
        let backlog = self.transactions.block_size.is_congested(pool.len(), pool.bytes(), was_congested);
        let congested = full || backlog;
        if congested != was_congested {
            self.transactions.congested = congested;
            out.output(Output::Congestion(congested));
        }
    }
}
