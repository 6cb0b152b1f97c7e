//! Removal of old blocks and of the files with their batches.
//!
//! [`Records::forget`] removes the blocks of some heights, their batches' locations and their records, in one write with the new
//! oldest height. Once that is durable, [`Records::obsolete_files`] lists the segments without a needed body, and
//! [`Records::delete_files`] deletes them. A crash at any point leaves a store that opens; the next start deletes the files that
//! are left.
//!
//! A segment is needed
//!
//! - if it is the newest one, or the one at which the scan at the next start begins;
//! - if the last executed block with a batch in it is not pruned (`files`);
//! - if it contains a batch that is live: not executed, and needed by a restart.
//!
//! A body may belong to several blocks. Its location is removed with the last of them (`uses`).

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use fjall::OwnedWriteBatch;
use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode, Reader, Writer};

use super::database::{decode_height, height_key};
use super::keys::{LiveKey, RecordKey};
use super::records::{NOTED, OLDEST, Records, TAIL, payload_digests, reading, writing};
use super::segments::FrameLocation;
use crate::protocol::{Block, Protocol};
use crate::{NodeError, Result};

/// Maximum number of heights that one [step of a scan](Records::note_uses) covers.
const HEIGHTS_PER_WRITE: usize = 64;
/// Maximum length of a part of a handover, in bytes.
const MAX_PART: usize = 32 << 20;

/// The block on which an epoch begins, its finality and its first batch, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The block.
    pub block: Vec<u8>,
    /// Proof that the block is committed.
    pub finality: Vec<u8>,
    /// The batch with the change of members.
    pub batch: Vec<u8>,
}

impl Encode for Handover {
    fn encode_to(&self, w: &mut Writer) {
        [&self.block, &self.finality, &self.batch].into_iter().for_each(|part| w.bytes(part));
    }
}

impl Decode for Handover {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> quorate::Result<Self> {
        let mut part = || Ok(r.bytes("part of a handover", MAX_PART)?.to_vec());
        Ok(Self { block: part()?, finality: part()?, batch: part()? })
    }
}

impl<P: Protocol> Records<P> {
    /// Height of the oldest block that is not pruned; 1 if none is.
    pub(super) fn oldest(&self) -> u64 {
        self.oldest.load(Ordering::Acquire)
    }

    /// Excludes the removal of blocks until the guard is dropped.
    pub(super) fn share(&self) -> RwLockReadGuard<'_, ()> {
        self.removal.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the blocks below a height, which must be executed, and stores the handovers among them by their epochs. Durable
    /// when it returns: the tables of the keyspaces are written to disk at different times, so without the journal a crash could
    /// leave a height whose block is removed.
    pub(super) fn forget(&self, below: u64, handovers: &[(u64, Handover)]) -> Result<()> {
        let oldest = self.oldest();
        if below <= oldest {
            return Ok(());
        }
        let mut batch = self.database.batch();
        let mut parts = BTreeMap::new();
        for height in oldest..below {
            let Some(block) = self.block_at(height)? else { continue };
            let digest = block.digest();
            batch.remove(&self.heights, height_key(height));
            batch.remove(&self.blocks, digest);
            batch.remove(&self.live, LiveKey::Block(digest).encode());
            batch.remove(&self.records, RecordKey::AtHeight(height).encode());
            parts.extend(payload_digests::<P>(&block).into_iter().map(|digest| (digest, height)));
        }
        for (epoch, handover) in handovers {
            batch.insert(&self.handovers, epoch.to_be_bytes(), handover.encode());
        }
        batch.insert(&self.tail, OLDEST, height_key(below));
        let _excluded = self.exclude();
        let awaited = self.awaited_parts()?;
        let mut again = BTreeMap::new();
        for (digest, height) in parts {
            let last = self.last_use(&digest)?.unwrap_or(height);
            match awaited.get(&digest) {
                Some(later) if *later >= below => drop(again.insert(digest, *later)),
                _ if last < below => {
                    batch.remove(&self.uses, digest);
                    batch.remove(&self.batches, digest);
                }
                _ => {}
            }
        }
        self.insert_uses(&mut batch, again, &[])?;
        // Before the removal: a reader that misses an entry looks at this height.
        self.oldest.store(below, Ordering::Release);
        self.database.commit_durably(batch).map_err(writing)
    }

    /// The segments that contain no needed body, ascending. The durable records must be at least as new as this call: see
    /// [`delete_files`](Self::delete_files).
    pub(super) fn obsolete_files(&self) -> Result<Vec<u32>> {
        let mut files = self.segments.files()?;
        self.retain_obsolete(&mut files)?;
        Ok(files)
    }

    /// Deletes those of the segments that are still obsolete, after the records are durable.
    pub(super) fn delete_files(&self, files: &[u32]) -> Result<()> {
        let mut deleted = Vec::new();
        for segment in files {
            // Otherwise a body in the file could become needed after the check.
            let _excluded = self.exclude();
            let mut file = vec![*segment];
            self.retain_obsolete(&mut file)?;
            if !file.is_empty() {
                self.segments.remove(*segment)?;
                deleted.push(*segment);
            }
        }
        self.segments.sync()?;
        let mut batch = self.database.batch();
        for segment in deleted {
            self.file_heights.remove(segment);
            batch.remove(&self.files, segment.to_be_bytes());
        }
        self.database.commit(batch).map_err(writing)
    }

    /// Returns true if the body of a location stays at least until the oldest height passes that of the last block that
    /// contains it, or until it is no longer live. A location may be left without either; the file of its body may be deleted.
    pub(super) fn is_kept(&self, digest: &Hash) -> Result<bool> {
        let oldest = self.oldest();
        Ok(oldest == 1
            || self.live.contains_key(LiveKey::Batch(*digest).encode()).map_err(reading)?
            || self.last_use(digest)?.is_some_and(|last| last >= oldest))
    }

    /// Removes from a list the segments that contain a needed body.
    fn retain_obsolete(&self, files: &mut Vec<u32>) -> Result<()> {
        let newest = match self.tail.get(TAIL).map_err(reading)? {
            Some(bytes) => {
                FrameLocation::decode(&bytes, &()).map_err(|e| NodeError::corrupt("the store", e))?.segment
            }
            None => 0,
        };
        let oldest = self.oldest();
        let is_old = |segment: &u32| *segment < newest && !self.file_heights.is_needed(*segment, oldest);
        files.retain(is_old);
        if files.is_empty() {
            return Ok(());
        }
        for digest in self.live_digests(LiveKey::BATCHES)? {
            let location = self.location(&digest)?;
            files.retain(|segment| location.is_none_or(|location| location.segment != *segment));
        }
        // A batch that was live above may have become part of a block meanwhile.
        files.retain(is_old);
        Ok(())
    }

    /// Completes `uses` and `files` for blocks that a version of this software without them wrote: at most 64 blocks in one call.
    /// Returns false if there were none left.
    pub(super) fn note_uses(&self) -> Result<bool> {
        let first = self.noted.load(Ordering::Acquire).max(self.oldest().saturating_sub(1)) + 1;
        let (mut uses, mut last) = (BTreeMap::new(), None);
        for height in (first..).take(HEIGHTS_PER_WRITE) {
            let Some(block) = self.block_at(height)? else { break };
            uses.extend(payload_digests::<P>(&block).into_iter().map(|digest| (digest, height)));
            last = Some(height);
        }
        let Some(last) = last else { return Ok(false) };
        // An older use must not replace one that is archived meanwhile.
        let _excluded = self.exclude();
        for (digest, height) in &mut uses {
            *height = self.last_use(digest)?.map_or(*height, |used| used.max(*height));
        }
        // Durable for the same reason as in `forget`: blocks that are noted without their uses would lose files.
        let mut batch = self.database.batch();
        self.insert_uses(&mut batch, uses, &[])?;
        batch.insert(&self.tail, NOTED, height_key(last));
        self.database.commit_durably(batch).map_err(writing)?;
        self.noted.store(last, Ordering::Release);
        Ok(true)
    }

    /// Notes the batches of a block that is archived, if those of all earlier blocks are noted. `written` has the locations that
    /// the same write inserts.
    pub(super) fn note_use(
        &self,
        batch: &mut OwnedWriteBatch,
        block: &P::Block,
        written: &[(Hash, FrameLocation)],
    ) -> Result<()> {
        let height = block.height();
        if self.noted.load(Ordering::Acquire) + 1 != height {
            return Ok(());
        }
        let parts = payload_digests::<P>(block).into_iter().map(|digest| (digest, height));
        self.insert_uses(batch, parts.collect(), written)?;
        batch.insert(&self.tail, NOTED, height_key(height));
        self.noted.store(height, Ordering::Release);
        Ok(())
    }

    /// The stored proof of a pruned handover.
    pub(super) fn handover(&self, epoch: u64) -> Result<Option<Handover>> {
        let bytes = self.handovers.get(epoch.to_be_bytes()).map_err(reading)?;
        let decode = |bytes: fjall::UserValue| Handover::decode(&bytes, &());
        bytes.map(decode).transpose().map_err(|e| NodeError::corrupt("a handover", e))
    }

    /// Inserts the heights of the last blocks that contain these batches, and those of their files.
    fn insert_uses(
        &self,
        batch: &mut OwnedWriteBatch,
        parts: BTreeMap<Hash, u64>,
        written: &[(Hash, FrameLocation)],
    ) -> Result<()> {
        let mut files = BTreeMap::new();
        for (digest, height) in parts {
            let inserted = written.iter().find(|(one, _)| *one == digest).map(|(_, location)| *location);
            let location = inserted.map_or_else(|| self.location(&digest), |found| Ok(Some(found)))?;
            batch.insert(&self.uses, digest, height_key(height));
            files.extend(
                location
                    .map(|location| (location.segment, self.file_heights.raise(location.segment, height))),
            );
        }
        for (segment, height) in files {
            batch.insert(&self.files, segment.to_be_bytes(), height_key(height));
        }
        Ok(())
    }

    /// Batches of blocks that are not executed, with the highest of their heights.
    fn awaited_parts(&self) -> Result<BTreeMap<Hash, u64>> {
        let mut awaited = BTreeMap::new();
        for digest in self.live_digests(LiveKey::BLOCKS)? {
            let Some(block) = self.block(&digest)? else { continue };
            for part in payload_digests::<P>(&block) {
                let last = awaited.entry(part).or_insert(block.height());
                *last = block.height().max(*last);
            }
        }
        Ok(awaited)
    }

    fn last_use(&self, digest: &Hash) -> Result<Option<u64>> {
        self.uses.get(digest).map_err(reading)?.map(|bytes| decode_height(&bytes)).transpose()
    }

    fn exclude(&self) -> RwLockWriteGuard<'_, ()> {
        self.removal.write().unwrap_or_else(PoisonError::into_inner)
    }
}
