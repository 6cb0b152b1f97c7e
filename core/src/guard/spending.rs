//! Spent presignatures, which a guard records in the same journal as the votes.
//!
//! A presignature that signs two messages reveals the key. Before a share leaves, one of two records is therefore durable:
//!
//! * **one record per presignature**, with the digest that it signs. After a crash the presignature may sign the same
//!   message again, which gives the same share, and no other message;
//! * **one record per block** of [`PRESIGNATURES_PER_BLOCK`] presignatures, made durable in advance. While the process
//!   runs, the guard's memory knows the spent presignatures of the block. After a crash they are unknown, and the block is
//!   **burnt**: none of its presignatures signs again.
//!
//! At the end of an epoch its presignatures are destroyed. A third kind of record prevents the use of a copy of their
//! file.

use alloc::collections::BTreeMap;

use super::record::GuardRecord;
use crate::certificate::Kind;
use crate::{Error, Result};

/// Number of presignatures in a block.
pub const PRESIGNATURES_PER_BLOCK: u32 = 1_024;

/// The use of one presignature for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spend {
    /// Identity of the threshold key.
    pub key: [u8; 32],
    /// Epoch of the key.
    pub epoch: u64,
    /// Index of the presignature in the epoch.
    pub index: u32,
    /// Hash of the key, the epoch, the index and the message.
    pub digest: [u8; 32],
}

/// Spent presignatures of all keys of a guard.
///
/// A key is identified by the first four bytes of its identity, which fit into a record. If two keys of one guard ever
/// have the same four bytes, they refuse each other's indices and nothing worse.
#[derive(Debug, Default)]
pub(super) struct Spending {
    pub(super) binding: [u8; 32],
    /// Spent presignatures by epoch and position; a position is the key's prefix and an index.
    spent: BTreeMap<(u64, u64), Spent>,
    /// Blocks by epoch and position; the index is that of the first presignature divided by [`PRESIGNATURES_PER_BLOCK`].
    blocks: BTreeMap<(u64, u64), Block>,
    /// The last closed epoch by key prefix.
    closed: BTreeMap<u32, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    digest: [u8; 32],
    /// True if it has its own record; otherwise the record of its block covers it.
    recorded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// Its record was returned to the caller.
    Reserved,
    /// Its record is durable.
    Ready,
    /// It was reserved before a crash.
    Burnt,
}

/// Kinds of presignature records.
mod kinds {
    use crate::certificate::Kind;

    pub(super) const SPENT: Kind = Kind::new(0);
    pub(super) const BLOCK: Kind = Kind::new(1);
    pub(super) const CLOSED: Kind = Kind::new(2);
}

fn prefix(key: &[u8; 32]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn position(key: &[u8; 32], number: u32) -> u64 {
    u64::from(prefix(key)) << 32 | u64::from(number)
}

impl Spending {
    pub(super) fn new(binding: [u8; 32]) -> Self {
        Self { binding, ..Self::default() }
    }

    /// See [`Guard::spend`](super::Guard::spend).
    pub(super) fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        let at = (spend.epoch, position(&spend.key, spend.index));
        self.require_open(&spend.key, spend.epoch)?;
        let block =
            self.blocks.get(&(spend.epoch, position(&spend.key, spend.index / PRESIGNATURES_PER_BLOCK)));
        let recorded = match (self.spent.get(&at), block) {
            (Some(spent), _) if spent.digest != spend.digest => {
                return Err(Error::Contradiction {
                    kind: kinds::SPENT.number(),
                    signed_view: spend.index.into(),
                });
            }
            (Some(spent), _) => spent.recorded,
            (None, Some(Block::Burnt)) => return Err(Error::Exhausted),
            (None, block) => block != Some(&Block::Ready),
        };
        self.spent.insert(at, Spent { digest: spend.digest, recorded });
        Ok(recorded.then(|| self.record(kinds::SPENT, at, spend.digest)))
    }

    /// See [`Guard::reserve`](super::Guard::reserve).
    pub(super) fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> {
        self.require_open(key, epoch)?;
        let at = (epoch, position(key, index / PRESIGNATURES_PER_BLOCK));
        match self.blocks.entry(at).or_insert(Block::Reserved) {
            Block::Burnt => Err(Error::Exhausted),
            _ => Ok(self.record(kinds::BLOCK, at, [0; 32])),
        }
    }

    /// See [`Guard::confirm`](super::Guard::confirm).
    pub(super) fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> {
        let wrong = Error::WrongContext { what: "reservation" };
        if reservation.binding != self.binding || reservation.kind != kinds::BLOCK {
            return Err(wrong);
        }
        match self.blocks.get_mut(&reservation.position()) {
            Some(block @ (Block::Reserved | Block::Ready)) => *block = Block::Ready,
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// See [`Guard::close_epoch`](super::Guard::close_epoch).
    pub(super) fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        let last = self.close(prefix(key), epoch);
        self.record(kinds::CLOSED, (last, position(key, 0)), [0; 32])
    }

    /// Restores a durable record; the order does not matter.
    pub(super) fn restore(&mut self, record: &GuardRecord) -> Result<()> {
        let at = record.position();
        let key = (record.view >> 32) as u32;
        match record.kind {
            kinds::CLOSED => drop(self.close(key, record.epoch)),
            _ if self.closed.get(&key).is_some_and(|closed| record.epoch <= *closed) => {}
            kinds::SPENT => {
                let spent = Spent { digest: record.identity, recorded: true };
                let before = self.spent.insert(at, spent);
                if before.is_some_and(|before| before.digest != record.identity) {
                    return Err(Error::Contradiction {
                        kind: kinds::SPENT.number(),
                        signed_view: record.view & u64::from(u32::MAX),
                    });
                }
            }
            kinds::BLOCK => drop(self.blocks.insert(at, Block::Burnt)),
            _ => return Err(Error::Malformed { what: "kind of a presignature record: expected 0, 1 or 2" }),
        }
        Ok(())
    }

    /// Iterates over the records that a compacted log must keep.
    pub(super) fn records(&self) -> impl Iterator<Item = GuardRecord> + '_ {
        let closed = self
            .closed
            .iter()
            .map(|(key, epoch)| self.record(kinds::CLOSED, (*epoch, u64::from(*key) << 32), [0; 32]));
        let blocks = self.blocks.keys().map(|at| self.record(kinds::BLOCK, *at, [0; 32]));
        let spent = self.spent.iter().filter(|(_, spent)| spent.recorded);
        closed.chain(blocks).chain(spent.map(|(at, spent)| self.record(kinds::SPENT, *at, spent.digest)))
    }

    fn require_open(&self, key: &[u8; 32], epoch: u64) -> Result<()> {
        match self.closed.get(&prefix(key)) {
            Some(closed) if epoch <= *closed => Err(Error::Exhausted),
            _ => Ok(()),
        }
    }

    fn close(&mut self, key: u32, epoch: u64) -> u64 {
        let last = self.closed.entry(key).or_insert(epoch);
        *last = epoch.max(*last);
        let last = *last;
        let over = |(epoch, position): &(u64, u64)| *epoch <= last && (*position >> 32) as u32 == key;
        self.spent.retain(|at, _| !over(at));
        self.blocks.retain(|at, _| !over(at));
        last
    }

    fn record(&self, kind: Kind, (epoch, view): (u64, u64), identity: [u8; 32]) -> GuardRecord {
        GuardRecord { binding: self.binding, kind, epoch, view, identity }
    }
}
