use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quorate::machine::Time;
use quorate::merkle::Hash;
use quorate_protocol::batch::Batch;
use quorate_protocol::builder::BatchBuilder;

use crate::config::MempoolConfig;
use crate::handle::{Digest, Refusal, Ticket};

/// When a refused client may try again: about one batch delay.
pub(super) const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Contents of the mempool.
pub(super) struct State {
    pub(super) builder: BatchBuilder,
    /// Identifiers of all accepted transactions that are not committed.
    pub(super) pending: HashSet<Hash>,
    pub(super) bytes: usize,
    /// Sealed batches that are not committed, by their current number.
    pub(super) sealed: BTreeMap<u64, Sealed>,
    /// Numbers of batches that the replica refused; they are sealed again when it has room.
    pub(super) refused: VecDeque<u64>,
    /// Number on the tickets, for batches that were sealed again and are not reported yet.
    pub(super) renamed: BTreeMap<u64, u64>,
}

pub(super) struct Sealed {
    batch: Arc<Batch>,
    /// Number on the tickets.
    ticketed: u64,
}

impl State {
    pub(super) fn new(builder: BatchBuilder) -> Self {
        Self {
            builder,
            pending: HashSet::new(),
            bytes: 0,
            sealed: BTreeMap::new(),
            refused: VecDeque::new(),
            renamed: BTreeMap::new(),
        }
    }

    pub(super) fn place(
        &mut self,
        limits: &MempoolConfig,
        transaction: Bytes,
        id: Hash,
        now: Time,
        batches: &mut Vec<Arc<Batch>>,
    ) -> Result<Ticket, Refusal> {
        let full = self.bytes + transaction.len() > limits.max_pending_bytes
            || self.pending.len() >= limits.max_pending_transactions;
        if full {
            return Err(Refusal::Busy { retry_after: RETRY_AFTER });
        }
        if !self.pending.insert(id) {
            return Err(Refusal::Duplicate { id: Digest(id) });
        }
        let length = transaction.len();
        match self.builder.push(&transaction, id, now) {
            Ok(placed) => {
                self.bytes += length;
                batches.extend(self.record_sealed(Ok(placed.sealed), None));
                Ok(Ticket { id: Digest(id), batch_sequence: placed.sequence, position: placed.position })
            }
            Err(e) => {
                self.pending.remove(&id);
                Err(Refusal::Rejected { reason: e.to_string() })
            }
        }
    }

    /// Records a sealed batch; its transactions stay pending until it is committed.
    pub(super) fn record_sealed(
        &mut self,
        batch: quorate::Result<Option<Batch>>,
        ticketed: Option<u64>,
    ) -> Option<Arc<Batch>> {
        match batch {
            Ok(batch) => {
                let batch = Arc::new(batch?);
                let ticketed = ticketed.unwrap_or(batch.sequence());
                if ticketed != batch.sequence() {
                    self.renamed.insert(batch.sequence(), ticketed);
                }
                self.sealed.insert(batch.sequence(), Sealed { batch: batch.clone(), ticketed });
                Some(batch)
            }
            Err(error) => {
                // Only when all 2^48 sequence numbers are used.
                tracing::error!(code = "BATCH_NOT_SEALED", %error, "cannot seal a batch");
                None
            }
        }
    }

    /// Returns all sealed, uncommitted batches, and clears the queue of refused ones.
    pub(super) fn uncommitted(&mut self) -> Vec<Arc<Batch>> {
        self.refused.clear();
        self.sealed.values().map(|sealed| sealed.batch.clone()).collect()
    }

    pub(super) fn committed(&mut self, sequence: u64) {
        let Some(Sealed { batch, .. }) = self.sealed.remove(&sequence) else {
            // The batch was sealed before a restart.
            return;
        };
        for id in batch.ids() {
            self.pending.remove(id);
        }
        self.bytes = self.bytes.saturating_sub(batch.bytes() - 4 * batch.len());
    }

    /// Seals the transactions of a refused batch again under a new number.
    pub(super) fn reseal(&mut self, sequence: u64, now: Time, batches: &mut Vec<Arc<Batch>>) {
        let Some(Sealed { batch, ticketed }) = self.sealed.remove(&sequence) else {
            return;
        };
        self.renamed.remove(&sequence);
        // Seal the open batch first, so that it keeps the number on its tickets.
        let open = self.builder.seal();
        batches.extend(self.record_sealed(open, None));
        for (transaction, id) in batch.transactions().zip(batch.ids()) {
            if let Ok(placed) = self.builder.push(transaction, *id, now) {
                batches.extend(self.record_sealed(Ok(placed.sealed), Some(ticketed)));
            }
        }
        let rest = self.builder.seal();
        batches.extend(self.record_sealed(rest, Some(ticketed)));
    }
}
