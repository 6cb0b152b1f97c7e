//! Which presignatures are spent: the second thing that a guard remembers, in the same journal as the votes.
//!
//! A presignature that signs two messages gives the key away. So before a share leaves, one of two records is durable:
//!
//! * **one record per presignature**, with the digest of what it signs. After a crash the same message may be signed
//!   again, which gives the same share again, and no other;
//! * **one record per block** of [`BLOCK`] presignatures, made durable ahead. While the process lives, the guard's memory
//!   says which of the block are spent. After a crash nothing does, and the block is **burnt**: none of it signs again.
//!
//! At the end of an epoch its presignatures are destroyed; a third kind of record keeps a copy of their file from coming
//! back to life.

use alloc::collections::BTreeMap;

use super::{Guard, GuardRecord};
use crate::certificate::Kind;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// Presignatures in a block.
pub const BLOCK: u32 = 1_024;

/// That one presignature signs one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spend {
    /// Which threshold key.
    pub key: [u8; 32],
    /// Which epoch of it.
    pub epoch: u64,
    /// Which presignature of the epoch.
    pub index: u32,
    /// A hash of the key, the epoch, the index and the message.
    pub digest: [u8; 32],
}

/// What is spent. A key counts by the first four bytes of its name, so that a record has room for it; should two keys of
/// one guard ever have the same, they refuse each other's indices, and nothing worse.
#[derive(Debug, Default)]
pub(super) struct Spending {
    pub(super) binding: [u8; 32],
    /// Keyed by epoch and place; a place is the key's name and an index.
    spent: BTreeMap<(u64, u64), Spent>,
    /// Keyed by epoch and place of the first index divided by [`BLOCK`].
    blocks: BTreeMap<(u64, u64), Block>,
    /// Of each key, the last epoch that is over.
    closed: BTreeMap<u32, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    digest: [u8; 32],
    /// Whether it has a record of its own. If not, its block has.
    recorded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// Its record was handed out.
    Reserved,
    /// Its record is durable.
    Ready,
    /// It was reserved before a crash.
    Burnt,
}

/// What a record says.
mod kinds {
    use crate::certificate::Kind;

    pub(super) const SPENT: Kind = Kind::new(0);
    pub(super) const BLOCK: Kind = Kind::new(1);
    pub(super) const CLOSED: Kind = Kind::new(2);
}

fn name(key: &[u8; 32]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn place(key: &[u8; 32], number: u32) -> u64 {
    u64::from(name(key)) << 32 | u64::from(number)
}

impl<S: Scheme> Guard<S> {
    /// Spends a presignature on a message. The record, if there is one, must be durable **before the share leaves**;
    /// there is none if the presignature's block was reserved and [confirmed](Guard::confirm). The same message again
    /// gives the same answer.
    ///
    /// `Presignature::sign` calls this; nothing else needs to.
    ///
    /// # Errors
    /// [`Error::Contradiction`] if another message was signed with it; [`Error::Exhausted`] if it is burnt, or if its
    /// epoch is over. Nothing is remembered then.
    pub fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        let at = (spend.epoch, place(&spend.key, spend.index));
        let spending = &mut self.spending;
        spending.require_open(&spend.key, spend.epoch)?;
        let block = spending.blocks.get(&(spend.epoch, place(&spend.key, spend.index / BLOCK)));
        let recorded = match (spending.spent.get(&at), block) {
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
        spending.spent.insert(at, Spent { digest: spend.digest, recorded });
        Ok(recorded.then(|| spending.record(kinds::SPENT, at, spend.digest)))
    }

    /// Reserves the block that `index` lies in. Once its record is durable and [confirmed](Guard::confirm), spending
    /// what lies in it needs no record. After a crash all of it is burnt, spent or not.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the block is burnt, or if its epoch is over.
    pub fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> {
        self.spending.require_open(key, epoch)?;
        let at = (epoch, place(key, index / BLOCK));
        match self.spending.blocks.entry(at).or_insert(Block::Reserved) {
            Block::Burnt => Err(Error::Exhausted),
            _ => Ok(self.spending.record(kinds::BLOCK, at, [0; 32])),
        }
    }

    /// Says that the record of a reservation is durable. Other records need no such word.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a record that is no reservation of this guard.
    pub fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> {
        let wrong = Error::WrongContext { what: "reservation" };
        if reservation.binding != self.spending.binding || reservation.kind != kinds::BLOCK {
            return Err(wrong);
        }
        match self.spending.blocks.get_mut(&reservation.place()) {
            Some(block @ (Block::Reserved | Block::Ready)) => *block = Block::Ready,
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// Ends an epoch of a key and all before it: what is left of their presignatures never signs. All that was
    /// remembered of them is forgotten, once the record is durable.
    pub fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        let last = self.spending.close(name(key), epoch);
        self.spending.record(kinds::CLOSED, (last, place(key, 0)), [0; 32])
    }
}

impl Spending {
    pub(super) fn new(binding: [u8; 32]) -> Self {
        Self { binding, ..Self::default() }
    }

    /// Takes a durable record back; the order does not matter.
    pub(super) fn restore(&mut self, record: &GuardRecord) -> Result<()> {
        let at = record.place();
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
            _ => return Err(Error::Malformed { what: "kind of a presignature record" }),
        }
        Ok(())
    }

    /// All that a compacted log must keep.
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
        match self.closed.get(&name(key)) {
            Some(closed) if epoch <= *closed => Err(Error::Exhausted),
            _ => Ok(()),
        }
    }

    fn close(&mut self, key: u32, epoch: u64) -> u64 {
        let last = self.closed.entry(key).or_insert(epoch);
        *last = epoch.max(*last);
        let last = *last;
        let over = |(epoch, place): &(u64, u64)| *epoch <= last && (*place >> 32) as u32 == key;
        self.spent.retain(|at, _| !over(at));
        self.blocks.retain(|at, _| !over(at));
        last
    }

    fn record(&self, kind: Kind, (epoch, view): (u64, u64), identity: [u8; 32]) -> GuardRecord {
        GuardRecord { binding: self.binding, kind, epoch, view, identity }
    }
}
