//! Transactions in, batches out.

use quorate::Result;
use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;
use quorate::wire::Writer;

use crate::batch::{Batch, MAX_BATCH_BYTES, MAX_TRANSACTIONS};
use crate::ids::Slot;
use crate::parameters::Parameters;

/// Collects transactions into batches that are full or old enough, numbered one after the other.
#[derive(Debug)]
pub struct BatchBuilder {
    author: MemberIndex,
    sequence: u64,
    capacity: usize,
    delay: core::time::Duration,
    body: Writer,
    ends: Vec<u32>,
    ids: Vec<Hash>,
    opened: Option<Time>,
}

/// Where a transaction went.
#[derive(Debug)]
pub struct Placed {
    /// The batch it is in.
    pub sequence: u64,
    /// Its place in the batch.
    pub position: u32,
    /// A batch that is now full: this one, or the one before it.
    pub sealed: Option<Batch>,
}

impl BatchBuilder {
    /// A builder whose first batch has number `sequence`:
    /// [`Replica::next_sequence`](crate::Replica::next_sequence).
    pub fn new(author: MemberIndex, sequence: u64, parameters: &Parameters) -> Self {
        Self {
            author,
            sequence,
            capacity: parameters.batch_bytes.min(MAX_BATCH_BYTES),
            delay: parameters.batch_delay,
            body: Writer::new(),
            ends: Vec::new(),
            ids: Vec::new(),
            opened: None,
        }
    }

    /// Takes a transaction in, with its identifier: [`TRANSACTIONS`](crate::TRANSACTIONS)`.leaf(transaction)`. It
    /// is handed in because the caller needs it anyway, and hashing is most of the work; a wrong one makes a batch
    /// whose receivers compute another digest and never acknowledge it.
    ///
    /// # Errors
    /// [`Error::TooLarge`](quorate::Error::TooLarge) for a transaction that fits no batch; nothing changes.
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

    /// When [`seal`](BatchBuilder::seal) is due; none while the builder is empty.
    pub fn deadline(&self) -> Option<Time> {
        self.opened.map(|opened| opened.plus(self.delay))
    }

    /// The number of the batch that is being filled.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Makes a batch of what waits; none if nothing does.
    ///
    /// # Errors
    /// [`Error::Malformed`](quorate::Error::Malformed) when the 2⁴⁸ numbers are used up.
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
    use core::time::Duration;
    use quorate::wire::{Decode, Encode};

    #[test]
    fn batches_are_sealed_when_full_or_old_and_nothing_is_lost() {
        let parameters = Parameters { batch_bytes: 100, ..Parameters::default() };
        let mut builder = BatchBuilder::new(1, 7, &parameters);
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
