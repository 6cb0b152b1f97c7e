//! Spent presignatures, which a guard records in the same journal as the votes.
//!
//! A presignature that signs two messages reveals the key. Before a share leaves, one of two records is therefore
//! durable:
//!
//! * **one record per presignature**, with the digest that it signs. After a crash the presignature may sign the same
//!   message again, which gives the same share, and no other message;
//! * **one record per block** of [`PRESIGNATURES_PER_BLOCK`] presignatures, made durable in advance. While the process
//!   runs, the guard holds the spent presignatures of the block in memory. After a crash they are unknown, and the
//!   block is **burnt**: none of its presignatures signs again.
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
/// have the same four bytes, indices that one key has spent and epochs that it has closed are refused for the other; no
/// presignature signs twice.
#[derive(Debug, Default)]
pub(super) struct Spending {
    pub(super) binding: [u8; 32],
    spent: BTreeMap<Position, Spent>,
    /// Blocks; the number of a block is the index of its first presignature divided by [`PRESIGNATURES_PER_BLOCK`].
    blocks: BTreeMap<Position, Block>,
    /// The last closed epoch of each key.
    closed: BTreeMap<KeyPrefix, u64>,
}

/// The first four bytes of a threshold key's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct KeyPrefix(u32);

/// A presignature or a block of one key in one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    epoch: u64,
    key: KeyPrefix,
    number: u32,
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
    pub(super) const CLOSED: Kind = crate::guard::GuardRecord::CLOSED_EPOCH;
}

impl KeyPrefix {
    fn new(key: &[u8; 32]) -> Self {
        Self(key.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }
}

impl Position {
    fn presignature(key: &[u8; 32], epoch: u64, index: u32) -> Self {
        Self { epoch, key: KeyPrefix::new(key), number: index }
    }

    fn block(key: &[u8; 32], epoch: u64, index: u32) -> Self {
        Self::presignature(key, epoch, index / PRESIGNATURES_PER_BLOCK)
    }

    /// The position of a record that closes an epoch.
    fn end(key: KeyPrefix, epoch: u64) -> Self {
        Self { epoch, key, number: 0 }
    }

    fn from_record(record: &GuardRecord) -> Self {
        Self { epoch: record.epoch, key: KeyPrefix((record.view >> 32) as u32), number: record.view as u32 }
    }

    /// The view of the position's record: the key's prefix, then the number.
    fn view(self) -> u64 {
        u64::from(self.key.0) << 32 | u64::from(self.number)
    }
}

impl Spending {
    pub(super) fn new(binding: [u8; 32]) -> Self {
        Self { binding, ..Self::default() }
    }

    /// Spends a presignature, see [`Guard::spend`](super::Guard::spend).
    pub(super) fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        let at = Position::presignature(&spend.key, spend.epoch, spend.index);
        self.require_open(at)?;
        let block = self.blocks.get(&Position::block(&spend.key, spend.epoch, spend.index));
        let recorded = match (self.spent.get(&at), block) {
            (Some(spent), _) if spent.digest != spend.digest => {
                return Err(double_spend(at));
            }
            (Some(spent), _) => spent.recorded,
            (None, Some(Block::Burnt)) => return Err(Error::Exhausted),
            (None, block) => block != Some(&Block::Ready),
        };
        self.spent.insert(at, Spent { digest: spend.digest, recorded });
        Ok(recorded.then(|| self.record(kinds::SPENT, at, spend.digest)))
    }

    /// Reserves a block, see [`Guard::reserve`](super::Guard::reserve).
    pub(super) fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> {
        let at = Position::block(key, epoch, index);
        self.require_open(at)?;
        match self.blocks.entry(at).or_insert(Block::Reserved) {
            Block::Burnt => Err(Error::Exhausted),
            _ => Ok(self.record(kinds::BLOCK, at, [0; 32])),
        }
    }

    /// Confirms a reservation, see [`Guard::confirm`](super::Guard::confirm).
    pub(super) fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> {
        let wrong = Error::WrongContext { what: "reservation" };
        if reservation.binding != self.binding || reservation.kind != kinds::BLOCK {
            return Err(wrong);
        }
        match self.blocks.get_mut(&Position::from_record(reservation)) {
            Some(block @ (Block::Reserved | Block::Ready)) => *block = Block::Ready,
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// Closes an epoch, see [`Guard::close_epoch`](super::Guard::close_epoch).
    pub(super) fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        let key = KeyPrefix::new(key);
        let last = self.close(key, epoch);
        self.record(kinds::CLOSED, Position::end(key, last), [0; 32])
    }

    /// Restores a durable record; the order does not matter.
    pub(super) fn restore(&mut self, record: &GuardRecord) -> Result<()> {
        let at = Position::from_record(record);
        match record.kind {
            kinds::CLOSED => drop(self.close(at.key, at.epoch)),
            _ if self.require_open(at).is_err() => {}
            kinds::SPENT => {
                let spent = Spent { digest: record.identity, recorded: true };
                let before = self.spent.insert(at, spent);
                if before.is_some_and(|before| before.digest != record.identity) {
                    return Err(double_spend(at));
                }
            }
            kinds::BLOCK => drop(self.blocks.insert(at, Block::Burnt)),
            _ => return Err(Error::Malformed { what: "kind of a presignature record: expected 0, 1 or 2" }),
        }
        Ok(())
    }

    /// Iterates over the records that a compacted log must keep.
    pub(super) fn records(&self) -> impl Iterator<Item = GuardRecord> + '_ {
        let ends = self.closed.iter().map(|(key, epoch)| Position::end(*key, *epoch));
        let closed = ends.map(|at| self.record(kinds::CLOSED, at, [0; 32]));
        let blocks = self.blocks.keys().map(|at| self.record(kinds::BLOCK, *at, [0; 32]));
        let spent = self.spent.iter().filter(|(_, spent)| spent.recorded);
        closed.chain(blocks).chain(spent.map(|(at, spent)| self.record(kinds::SPENT, *at, spent.digest)))
    }

    fn require_open(&self, at: Position) -> Result<()> {
        match self.closed.get(&at.key) {
            Some(closed) if at.epoch <= *closed => Err(Error::Exhausted),
            _ => Ok(()),
        }
    }

    /// Closes an epoch and all earlier ones, and returns the last closed epoch of the key.
    fn close(&mut self, key: KeyPrefix, epoch: u64) -> u64 {
        let last = self.closed.entry(key).or_insert(epoch);
        *last = epoch.max(*last);
        let last = *last;
        let over = |at: &Position| at.epoch <= last && at.key == key;
        self.spent.retain(|at, _| !over(at));
        self.blocks.retain(|at, _| !over(at));
        last
    }

    fn record(&self, kind: Kind, at: Position, identity: [u8; 32]) -> GuardRecord {
        GuardRecord { binding: self.binding, kind, epoch: at.epoch, view: at.view(), identity }
    }
}

/// Returns the error for a presignature that signed another message.
fn double_spend(at: Position) -> Error {
    Error::Contradiction { kind: kinds::SPENT.number(), signed_view: at.number.into() }
}
