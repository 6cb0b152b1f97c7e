use std::sync::Arc;

use quorate::machine::MemberIndex;

use super::{Effects, Replica};
use crate::block::GosigScheme;
use crate::interface::{Output, Submission};
use crate::message::{MAX_REPLY_BYTES, Message};
use crate::payload::{Payload, Transaction};
use crate::pool::Settled;
use crate::record::Record;

impl<S: GosigScheme> Replica<S> {
    /// Transactions of this member's clients.
    pub(super) fn on_submit(&mut self, sequence: u64, payload: Arc<Payload>, out: &mut Effects<S>) {
        if !self.observes() && self.pool.adopt(&payload.digest(), sequence) {
            return;
        }
        let fits = self.pool.has_room(&payload, &self.parameters) && !self.pool.is_own(&payload.digest());
        if self.observes() || !fits {
            out.output(Output::Submitted { sequence, state: Submission::Refused });
            return;
        }
        let (new, known) = self.pool.submit(Some(sequence), &payload);
        if !known.is_empty() {
            out.output(Output::Known(known));
        }
        out.persist(Record::Payload(payload));
        for transaction in new {
            self.spread(None, transaction);
        }
        self.forget_submitted(out);
    }

    /// Transactions that somebody passes on.
    pub(super) fn on_transactions(&mut self, from: MemberIndex, transactions: Vec<Transaction>) {
        for transaction in transactions {
            if self.pool.add(from, transaction.clone(), &self.parameters) {
                self.spread(Some(from), transaction);
            }
        }
    }

    /// A transaction is new here: bodies may wait for it, and others do not know it yet.
    fn spread(&mut self, from: Option<MemberIndex>, transaction: Transaction) {
        for assembly in self.assemblies.values_mut() {
            assembly.learn(&transaction);
        }
        if self.parameters.asynchronous_transactions {
            self.outbox.push(from, transaction);
            let due = self.now.plus(self.parameters.transaction_delay);
            self.outbox_due.get_or_insert(due);
        }
    }

    /// Passes transactions on that have gathered.
    pub(super) fn flush_outbox(&mut self, out: &mut Effects<S>) {
        if self.outbox_due.is_none_or(|due| due > self.now) {
            return;
        }
        self.outbox_due = None;
        let fanout = self.parameters.transaction_fanout;
        // One more than a transaction goes to: each is left out for what it has brought itself.
        let peers = self.random(fanout.saturating_add(1), &[]);
        for (peer, transactions) in self.outbox.take(&peers, fanout, MAX_REPLY_BYTES) {
            out.send(peer, Message::Transactions(transactions));
        }
    }

    /// Tells of submitted payloads that were committed before they came.
    pub(super) fn forget_submitted(&mut self, out: &mut Effects<S>) {
        let settled = self.pool.settle();
        self.tell_settled(settled, None, out);
    }

    /// Tells what became of submitted payloads. The record of a block's own payload stays.
    pub(super) fn tell_settled(
        &mut self,
        settled: Settled,
        committed: Option<&Payload>,
        out: &mut Effects<S>,
    ) {
        for sequence in settled.sequences {
            out.output(Output::Submitted { sequence, state: Submission::Committed });
        }
        let mut forgotten = settled.payloads;
        forgotten.retain(|digest| committed.is_none_or(|payload| payload.digest() != *digest));
        if !forgotten.is_empty() {
            out.output(Output::Forget(forgotten));
        }
    }

    pub(super) fn report_congestion(&mut self, out: &mut Effects<S>) {
        let full = self.pool.held() >= self.parameters.max_pool_bytes / 4 * 3;
        let congested = full || self.block_size.is_behind(self.pool.len(), self.pool.bytes(), self.congested);
        if congested != self.congested {
            self.congested = congested;
            out.output(Output::Congestion(congested));
        }
    }
}
