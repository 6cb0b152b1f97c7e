//! The builder that collects client transactions into batches.

use core::time::Duration;

use quorate::Result;
use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;
use quorate::wire::Writer;

use crate::batch::{Batch, MAX_BATCH_BYTES, MAX_TRANSACTIONS, Slot};

/// Limits at which a batch is sealed: a size or an age, whichever is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Maximum size of a batch's body in bytes; at most [`MAX_BATCH_BYTES`].
    pub bytes: usize,
    /// Maximum time that the first transaction of a batch waits.
    pub delay: Duration,
}

impl Default for BatchLimits {
    /// 500,000 bytes and 100 ms.
    fn default() -> Self {
        Self { bytes: 500_000, delay: Duration::from_millis(100) }
    }
}

/// Collects transactions into consecutively numbered batches, each sealed when a [limit](BatchLimits) is reached.
#[derive(Debug)]
pub struct BatchBuilder {
    author: MemberIndex,
    sequence: u64,
    capacity: usize,
    delay: Duration,
    body: Writer,
    ends: Vec<u32>,
    ids: Vec<Hash>,
    opened: Option<Time>,
}

/// Position that a transaction received in a batch.
#[derive(Debug)]
pub struct Placed {
    /// Sequence number of the batch.
    pub sequence: u64,
    /// Position in the batch.
    pub position: u32,
    /// A batch that is now full: this one or the previous one.
    pub sealed: Option<Batch>,
}

impl BatchBuilder {
    /// Creates a builder whose first batch has the number `sequence`. The protocol's replica knows the next unused
    /// number.
    pub fn new(author: MemberIndex, sequence: u64, limits: BatchLimits) -> Self {
        Self {
            author,
            sequence,
            capacity: limits.bytes.min(MAX_BATCH_BYTES),
            delay: limits.delay,
            body: Writer::new(),
            ends: Vec::new(),
            ids: Vec::new(),
            opened: None,
        }
    }

    /// Adds a transaction to the open batch, and seals the batch if it is full.
    ///
    /// `id` must be [`TRANSACTIONS`](crate::batch::TRANSACTIONS)`.leaf(transaction)`. The caller passes it because it needs
    /// the identifier anyway, and hashing is most of the work. With a wrong identifier, receivers of the batch compute a
    /// different digest and never acknowledge the batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`](quorate::Error::TooLarge) for a transaction that fits no batch; the builder is unchanged.
    pub fn push(&mut self, transaction: &[u8], id: Hash, now: Time) -> Result<Placed> {
        let need = transaction.len() + 4;
        if need > self.capacity {
            return Err(quorate::Error::TooLarge { what: "transaction", limit: self.capacity as u64 - 4 });
        }
        let mut sealed = None;
        if self.body.len() + need > self.capacity || self.ids.len() == MAX_TRANSACTIONS {
            sealed = self.seal()?;
        }
        let (sequence, position) = (self.sequence, self.ids.len() as u32);
        self.opened.get_or_insert(now);
        self.body.bytes(transaction);
        self.ends.push(self.body.len() as u32);
        self.ids.push(id);
        if sealed.is_none() && self.body.len() + 4 >= self.capacity {
            sealed = self.seal()?;
        }
        Ok(Placed { sequence, position, sealed })
    }

    /// Returns the time at which [`seal`](BatchBuilder::seal) is due; `None` while the builder is empty.
    pub fn deadline(&self) -> Option<Time> {
        self.opened.map(|opened| opened.plus(self.delay))
    }

    /// Returns the sequence number of the open batch.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns the size of the open batch in bytes.
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Seals the open batch; `None` if it is empty.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error::Malformed) when all 2⁴⁸ sequence numbers are used.
    pub fn seal(&mut self) -> Result<Option<Batch>> {
        if self.ids.is_empty() {
            return Ok(None);
        }
        let slot = Slot::new(self.author, self.sequence)?;
        let body = core::mem::take(&mut self.body).into_bytes();
        let (ends, ids) = (core::mem::take(&mut self.ends), core::mem::take(&mut self.ids));
        self.sequence += 1;
        self.opened = None;
        Ok(Some(Batch::from_parts(slot, body, ends, ids)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::TRANSACTIONS;
    use quorate::wire::{Decode, Encode};

    #[test]
    fn full_and_old_batches_are_sealed_without_loss() {
        let limits = BatchLimits { bytes: 100, ..BatchLimits::default() };
        let mut builder = BatchBuilder::new(1, 7, limits);
        assert!(builder.deadline().is_none() && builder.seal().unwrap().is_none());
        let mut batches = Vec::new();
        let mut places = Vec::new();
        for i in 0..50u8 {
            let placed = builder.push(&[i; 20], TRANSACTIONS.leaf(&[i; 20]), Time(u64::from(i))).unwrap();
            places.push((placed.sequence, placed.position));
            batches.extend(placed.sealed);
        }
        assert_eq!(builder.deadline(), Some(Time(48).plus(Duration::from_millis(100))));
        batches.extend(builder.seal().unwrap());
        assert!(builder.deadline().is_none());
        assert_eq!(batches.iter().map(Batch::sequence).collect::<Vec<_>>(), (7..7 + 13).collect::<Vec<_>>());
        for (i, (sequence, position)) in (0u8..).zip(places) {
            let batch = batches.iter().find(|b| b.sequence() == sequence).unwrap();
            assert_eq!(batch.transaction(position as usize), Some(&[i; 20][..]));
            assert!(batch.bytes() <= 100);
            assert_eq!(Batch::decode(&batch.encode(), &()).as_ref(), Ok(batch));
        }
        assert!(builder.push(&[0; 97], [0; 32], Time(0)).is_err());
    }
}
