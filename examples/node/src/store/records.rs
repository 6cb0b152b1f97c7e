//! Records, blocks and the locations of batches: one fjall database beside the segment files.
//!
//! | keyspace | key | value |
//! |---|---|---|
//! | `records` | [`RecordKey`] | the latest record of the slot, the record of the height, or the newest finality |
//! | `blocks` | digest | block |
//! | `batches` | digest | [`FrameLocation`] |
//! | `heights` | height, big endian | digest of the executed block |
//! | `live` | [`LiveKey`] | of a block: its height; of a batch: empty |
//! | `uses` | digest of a batch | height of the last executed block that contains it |
//! | `files` | number of a segment, big endian | height of the last executed block with a batch in it |
//! | `handovers` | number of an epoch, big endian | the pruned block on which it begins, with its proof |
//! | `epochs` | number, big endian | [`Epoch`]; the genesis epoch is not stored |
//! | `tail` | `log` | the last record of the log when a record was written here: it must be there at the next start |
//! | `tail` | `tail` | the last inserted location: the scan of the segments begins there |
//! | `tail` | `oldest` | height of the oldest block; absent if none is pruned |
//! | `tail` | `noted` | height up to which `uses` and `files` are complete |
//!
//! `pruning` has the part of this store that removes old blocks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use fjall::{Keyspace, OwnedWriteBatch, UserValue};
use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode};

use super::database::{RECORDS_DIRECTORY, decode_height, failure, height_key};
use super::file_heights::FileHeights;
use super::keys::{LiveKey, RecordKey};
use super::log::Log;
use super::sealed::SealedDatabase;
use super::segments::{FrameLocation, Segments};
use crate::epochs::Epoch;
use crate::protocol::{Batch, Block, Protocol, Record, RecordKind};
use crate::{NodeError, Result};

pub(super) const TAIL: &[u8] = b"tail";
const LOG_TAIL: &[u8] = b"log";
pub(super) const OLDEST: &[u8] = b"oldest";
pub(super) const NOTED: &[u8] = b"noted";

/// Locations of bodies, by their digests.
type Locations = Vec<(Hash, FrameLocation)>;

pub(super) struct Records<P: Protocol> {
    pub(super) database: SealedDatabase,
    pub(super) records: Keyspace,
    pub(super) blocks: Keyspace,
    pub(super) batches: Keyspace,
    pub(super) heights: Keyspace,
    pub(super) live: Keyspace,
    pub(super) uses: Keyspace,
    pub(super) files: Keyspace,
    pub(super) handovers: Keyspace,
    pub(super) tail: Keyspace,
    epochs: Keyspace,
    log: Log,
    pub(super) segments: Segments,
    /// Held while bodies are written and their locations inserted: see [`append_bodies`](Self::append_bodies).
    location_order: Mutex<()>,
    /// Held while a block is archived: readers of the database see the parts of a write one after the other.
    archiving: RwLock<()>,
    /// Writers that rely on stored bodies share it; the removal of old blocks excludes them.
    pub(super) removal: RwLock<()>,
    /// The values of `files`.
    pub(super) file_heights: FileHeights,
    /// The oldest height. It is raised before the blocks below it are removed.
    pub(super) oldest: AtomicU64,
    /// The value of `noted`.
    pub(super) noted: AtomicU64,
    context: P::Context,
    failed: AtomicBool,
}

impl<P: Protocol> Records<P> {
    pub(super) fn open(dir: &Path, context: P::Context, file_bytes: u64) -> Result<Self> {
        let database = SealedDatabase::open(&dir.join(RECORDS_DIRECTORY))?;
        let keyspace = |name, memtable| database.keyspace(name, memtable);
        let (batches, live) = (keyspace("batches", 8 << 20)?, keyspace("live", 4 << 20)?);
        let tail = keyspace("tail", 4 << 20)?;
        let location = |key| match tail.get(key).map_err(reading)? {
            Some(bytes) => {
                FrameLocation::decode(&bytes, &()).map(Some).map_err(|e| NodeError::corrupt("the store", e))
            }
            None => Ok(None),
        };
        let (last, last_logged) = (location(TAIL)?.unwrap_or(FrameLocation::START), location(LOG_TAIL)?);
        let mut found = Vec::new();
        let segments = Segments::open(dir.join("batches"), file_bytes, last, |key, location| {
            found.push((key, location));
        })?;
        let height = |key| match tail.get(key).map_err(reading)? {
            Some(bytes) => decode_height(&bytes),
            None => Ok(0),
        };
        let (oldest, noted) = (height(OLDEST)?.max(1), height(NOTED)?);
        let files = keyspace("files", 1 << 20)?;
        let store = Self {
            records: keyspace("records", 4 << 20)?,
            blocks: keyspace("blocks", 16 << 20)?,
            heights: keyspace("heights", 4 << 20)?,
            epochs: keyspace("epochs", 1 << 20)?,
            uses: keyspace("uses", 8 << 20)?,
            handovers: keyspace("handovers", 1 << 20)?,
            log: Log::open(dir.join("log"), last_logged)?,
            database,
            batches,
            live,
            tail,
            segments,
            location_order: Mutex::new(()),
            archiving: RwLock::new(()),
            removal: RwLock::new(()),
            file_heights: FileHeights::read(&files)?,
            oldest: AtomicU64::new(oldest),
            noted: AtomicU64::new(noted),
            files,
            context,
            failed: AtomicBool::new(false),
        };
        // Bodies that were durable when the process died before it inserted their locations.
        let mut batch = store.database.batch();
        store.insert_locations(&mut batch, &found);
        store.database.commit_durably(batch).map_err(writing)?;
        Ok(store)
    }

    pub(super) fn append(&self, records: &[Record<P>]) -> Result<()> {
        if self.failed.load(Ordering::Acquire) {
            return Err(NodeError::store(
                "appending records",
                "an earlier write failed, so the node no longer signs; restart it once the disk works",
            ));
        }
        let done = self.try_append(records);
        if done.is_err() {
            self.failed.store(true, Ordering::Release);
        }
        done
    }

    pub(super) fn load(&self, executed: u64) -> Result<Vec<Record<P>>> {
        let mut loaded = Vec::new();
        let latest = self.records.range(RecordKey::latest());
        for entry in latest.chain(self.records.range(RecordKey::from_height(executed))) {
            loaded.push(self.decode_record(&entry.value().map_err(reading)?)?);
        }
        let (mut blocks, mut batches) = (HashSet::new(), HashSet::new());
        // The executed tip: the next block extends it.
        loaded.extend(self.block_at(executed)?.map(P::block_record));
        // After a crash of the machine, execution may be behind the archive: load archived blocks and live ones.
        let mut next = executed + 1;
        while let Some(block) = self.block_at(next)? {
            batches.extend(block.payload().iter().map(|batch| batch.digest));
            blocks.insert(block.digest());
            loaded.push(P::block_record(block));
            next += 1;
        }
        for digest in self.live_digests(LiveKey::BLOCKS)? {
            let block = self.block(&digest)?.ok_or_else(|| missing("block", &digest))?;
            if block.height() <= executed {
                self.drop_stale(&block)?;
            } else if blocks.insert(block.digest()) {
                loaded.push(P::block_record(block));
            }
        }
        batches.extend(self.live_digests(LiveKey::BATCHES)?);
        for digest in batches {
            if let Some(batch) = self.batch(&digest)? {
                loaded.push(P::batch_record(batch));
            }
        }
        for record in self.log.load()? {
            loaded.push(self.decode_record(&record)?);
        }
        Ok(loaded)
    }

    pub(super) fn prune_log(&self, up_to: u64) -> Result<()> {
        self.log.prune(up_to)
    }

    pub(super) fn prune_batches(&self, digests: &[Hash]) -> Result<()> {
        let mut batch = self.database.batch();
        for digest in digests {
            // A batch that is not live is in the archive, and stays.
            let live = LiveKey::Batch(*digest).encode();
            if self.live.contains_key(live).map_err(reading)? {
                batch.remove(&self.live, live);
                batch.remove(&self.batches, *digest);
            }
        }
        self.database.commit(batch).map_err(writing)
    }

    pub(super) fn prune_blocks(&self, digests: &[Hash]) -> Result<()> {
        let mut batch = self.database.batch();
        for digest in digests {
            batch.remove(&self.live, LiveKey::Block(*digest).encode());
            batch.remove(&self.blocks, *digest);
        }
        self.database.commit(batch).map_err(writing)
    }

    pub(super) fn archive(
        &self,
        block: &P::Block,
        batches: &[Arc<P::Batch>],
        finality: &P::Finality,
    ) -> Result<()> {
        let (digest, height) = (block.digest(), block.height());
        let _stays = self.share();
        if height < self.oldest() {
            return Ok(());
        }
        let archived = self.heights.get(height_key(height)).map_err(reading)?;
        if archived.is_some_and(|archived| *archived == digest) {
            return Ok(());
        }
        // The replica has persisted block and batches before. The archive does not depend on it: it writes absent ones.
        let mut batch = self.database.batch();
        let (_guard, written) = self.append_bodies(&mut batch, batches.iter())?;
        self.note_use(&mut batch, block, &written)?;
        if !self.blocks.contains_key(digest).map_err(reading)? {
            batch.insert(&self.blocks, digest, block.encode());
        }
        batch.insert(&self.heights, height_key(height), digest);
        if P::STORES_NEWEST_FINALITY {
            batch.insert(&self.records, RecordKey::NewestFinality.encode(), finality.encode());
        }
        batch.remove(&self.live, LiveKey::Block(digest).encode());
        for digest in payload_digests::<P>(block) {
            batch.remove(&self.live, LiveKey::Batch(digest).encode());
        }
        let _excluded = self.archiving.write().unwrap_or_else(PoisonError::into_inner);
        self.database.commit_durably(batch).map_err(writing)
    }

    /// No block is archived while the guard is held, so that several reads see the same chain.
    pub(super) fn hold_archive(&self) -> RwLockReadGuard<'_, ()> {
        self.archiving.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn block_at(&self, height: u64) -> Result<Option<Arc<P::Block>>> {
        let Some((digest, bytes)) = self.block_bytes_at(height)? else { return Ok(None) };
        self.decode_block(&digest, &bytes).map(Some)
    }

    pub(super) fn block(&self, digest: &Hash) -> Result<Option<Arc<P::Block>>> {
        let bytes = self.blocks.get(digest).map_err(reading)?;
        bytes.map(|bytes| self.decode_block(digest, &bytes)).transpose()
    }

    pub(super) fn batch(&self, digest: &Hash) -> Result<Option<Arc<P::Batch>>> {
        let Some(location) = self.location(digest)? else { return Ok(None) };
        let body = match self.segments.read(digest, location) {
            // The file was deleted meanwhile.
            Err(NodeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let batch = P::Batch::decode(&body, &()).map_err(|e| NodeError::corrupt("a batch", e))?;
        check_digest("a batch", digest, &batch.digest())?;
        Ok(Some(Arc::new(batch)))
    }

    pub(super) fn history(
        &self,
        from: u64,
        max_blocks: usize,
        max_bytes: usize,
    ) -> Result<Vec<Arc<P::Block>>> {
        let (mut blocks, mut total) = (Vec::new(), 0);
        for height in (from..).take(max_blocks) {
            let Some((digest, bytes)) = self.block_bytes_at(height)? else { break };
            blocks.push(self.decode_block(&digest, &bytes)?);
            total += bytes.len();
            if total > max_bytes {
                break;
            }
        }
        Ok(blocks)
    }

    pub(super) fn newest_finality(&self) -> Result<Option<P::Finality>> {
        let bytes = self.records.get(RecordKey::NewestFinality.encode()).map_err(reading)?;
        let decode = |bytes: UserValue| P::Finality::decode(&bytes, &self.context);
        bytes.map(decode).transpose().map_err(|e| NodeError::corrupt("the finality of the newest block", e))
    }

    pub(super) fn record_at(&self, height: u64) -> Result<Option<Record<P>>> {
        let bytes = self.records.get(RecordKey::AtHeight(height).encode()).map_err(reading)?;
        bytes.map(|bytes| self.decode_record(&bytes)).transpose()
    }

    pub(super) fn append_epoch(&self, epoch: &Epoch) -> Result<()> {
        let mut batch = self.database.batch();
        batch.insert(&self.epochs, epoch.number.to_be_bytes(), epoch.encode());
        self.database.commit_durably(batch).map_err(writing)
    }

    pub(super) fn epochs(&self) -> Result<Vec<Epoch>> {
        let decode = |entry: fjall::Guard| {
            let bytes = entry.value().map_err(reading)?;
            Epoch::decode(&bytes, &()).map_err(|e| NodeError::corrupt("an epoch", e))
        };
        self.epochs.iter().map(decode).collect()
    }

    pub(super) fn context(&self) -> &P::Context {
        &self.context
    }

    pub(super) fn sync(&self) -> Result<()> {
        self.database.sync().map_err(writing)
    }

    fn try_append(&self, records: &[Record<P>]) -> Result<()> {
        // A write batch must not contain a key twice: of records with the same key, the last one counts.
        let (mut bodies, mut blocks, mut keyed) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let mut logged = Vec::new();
        for record in records {
            match P::record_kind(record) {
                RecordKind::Batch(batch) => bodies.push(batch),
                RecordKind::Block(block) => drop(blocks.insert(block.digest(), block)),
                RecordKind::Latest(slot) => drop(keyed.insert(RecordKey::Latest(slot), record)),
                RecordKind::AtHeight(height) => drop(keyed.insert(RecordKey::AtHeight(height), record)),
                // The writer puts it into a journal of its own.
                RecordKind::Spent(_) => {}
                RecordKind::Log { height, .. } => logged.push((height, record.encode())),
            }
        }
        let _stays = self.share();
        let oldest = self.oldest();
        // Executed long ago: nothing needs them.
        blocks.retain(|_, block| block.height() >= oldest);
        keyed.retain(|key, _| !matches!(key, RecordKey::AtHeight(height) if *height < oldest));
        let mut batch = self.database.batch();
        let _guard = self.append_bodies(&mut batch, bodies.into_iter())?;
        if !logged.is_empty() {
            // Before the others: a vote in the same step follows from these.
            self.log.append(&logged)?;
        }
        let durable = !keyed.is_empty() || !blocks.is_empty();
        for (digest, block) in blocks {
            batch.insert(&self.blocks, digest, block.encode());
            batch.insert(&self.live, LiveKey::Block(digest).encode(), height_key(block.height()));
        }
        for (key, record) in keyed {
            batch.insert(&self.records, key.encode(), record.encode());
        }
        if let Some(last) = self.log.last().filter(|_| durable) {
            batch.insert(&self.tail, LOG_TAIL, last.encode());
        }
        // Locations of bodies need not be durable: the scan at the next start finds the bodies again.
        let done = if durable { self.database.commit_durably(batch) } else { self.database.commit(batch) };
        done.map_err(writing)
    }

    /// Stores the bodies that are absent and adds their locations to `batch`. Commit `batch` before dropping the guard:
    /// locations must be inserted in file order. Otherwise the tail could become durable before an earlier location, and
    /// the scan at the next start would miss that one. Returns no guard if all bodies are stored. Returns the locations.
    fn append_bodies<'a>(
        &self,
        batch: &mut OwnedWriteBatch,
        bodies: impl Iterator<Item = &'a Arc<P::Batch>>,
    ) -> Result<(Option<MutexGuard<'_, ()>>, Locations)> {
        let (absent, mut found) = (self.absent(bodies)?, Vec::new());
        if absent.is_empty() {
            return Ok((None, found));
        }
        let guard = self.location_order.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have stored some of them meanwhile.
        let absent = self.absent(absent.into_iter())?;
        if !absent.is_empty() {
            let frames: Vec<_> = absent.iter().map(|batch| (batch.digest(), batch.encode())).collect();
            let locations = self.segments.append(&frames)?;
            found = frames.iter().map(|(digest, _)| *digest).zip(locations).collect();
            self.insert_locations(batch, &found);
        }
        Ok((Some(guard), found))
    }

    /// The batches whose bodies are not stored, or may be deleted, without repetitions.
    fn absent<'a>(&self, batches: impl Iterator<Item = &'a Arc<P::Batch>>) -> Result<Vec<&'a Arc<P::Batch>>> {
        let (mut absent, mut seen) = (Vec::new(), HashSet::new());
        for batch in batches {
            let digest = batch.digest();
            if seen.insert(digest) && (self.location(&digest)?.is_none() || !self.is_kept(&digest)?) {
                absent.push(batch);
            }
        }
        Ok(absent)
    }

    fn insert_locations(&self, batch: &mut OwnedWriteBatch, found: &[(Hash, FrameLocation)]) {
        for (digest, location) in found {
            batch.insert(&self.batches, *digest, location.encode());
            batch.insert(&self.live, LiveKey::Batch(*digest).encode(), []);
        }
        if let Some((_, last)) = found.last() {
            batch.insert(&self.tail, TAIL, last.encode());
        }
    }

    /// Location of a stored body.
    pub(super) fn location(&self, digest: &Hash) -> Result<Option<FrameLocation>> {
        let Some(location) = self.batches.get(digest).map_err(reading)? else { return Ok(None) };
        let location = FrameLocation::decode(&location, &())
            .map_err(|e| NodeError::corrupt("the location of a batch", e))?;
        Ok(Some(location).filter(|location| self.segments.has_file(*location)))
    }

    pub(super) fn live_digests(&self, tag: [u8; 1]) -> Result<Vec<Hash>> {
        let digest = |entry: fjall::Guard| LiveKey::digest(&entry.key().map_err(reading)?);
        self.live.prefix(tag).map(digest).collect()
    }

    fn block_bytes_at(&self, height: u64) -> Result<Option<(Hash, UserValue)>> {
        let Some(digest) = self.heights.get(height_key(height)).map_err(reading)? else { return Ok(None) };
        let digest = Hash::try_from(&*digest).map_err(|e| NodeError::corrupt("a height", e))?;
        match self.blocks.get(digest).map_err(reading)? {
            Some(bytes) => Ok(Some((digest, bytes))),
            // It was removed between the two reads.
            None if height < self.oldest() => Ok(None),
            None => Err(missing("block", &digest)),
        }
    }

    pub(super) fn decode_block(&self, digest: &Hash, bytes: &[u8]) -> Result<Arc<P::Block>> {
        let block = P::Block::decode(bytes, &self.context).map_err(|e| NodeError::corrupt("a block", e))?;
        check_digest("a block", digest, &block.digest())?;
        Ok(Arc::new(block))
    }

    fn decode_record(&self, bytes: &[u8]) -> Result<Record<P>> {
        P::decode_record(bytes, &self.context).map_err(|e| NodeError::corrupt("a record", e))
    }

    /// Removes a live block at an executed height: it was recorded again after it was archived, or never committed.
    fn drop_stale(&self, block: &P::Block) -> Result<()> {
        let digest = block.digest();
        let archived = self.heights.get(height_key(block.height())).map_err(reading)?;
        if archived.is_some_and(|archived| *archived == digest) {
            let mut batch = self.database.batch();
            batch.remove(&self.live, LiveKey::Block(digest).encode());
            return self.database.commit(batch).map_err(writing);
        }
        self.prune_blocks(&[digest])
    }
}

/// The digests of the batches of a block, without repetitions: a write batch must not contain a key twice.
pub(super) fn payload_digests<P: Protocol>(block: &P::Block) -> BTreeSet<Hash> {
    block.payload().into_iter().map(|part| part.digest).collect()
}

fn check_digest(what: &'static str, expected: &Hash, got: &Hash) -> Result<()> {
    if expected == got {
        return Ok(());
    }
    let problem = format!("expected digest {}, got {}", hex::encode(expected), hex::encode(got));
    Err(NodeError::corrupt(what, problem))
}

fn missing(what: &str, digest: &Hash) -> NodeError {
    NodeError::corrupt("the chain", format!("{what} {} is missing", hex::encode(digest)))
}

pub(super) fn reading(e: fjall::Error) -> NodeError {
    failure("reading records")(e)
}

pub(super) fn writing(e: fjall::Error) -> NodeError {
    failure("writing records")(e)
}
