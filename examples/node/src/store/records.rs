//! Records, blocks, and where batches are: one fjall database beside the segment files.
//!
//! | keyspace | key | value |
//! |---|---|---|
//! | `records` | as the protocol says: [`Kept::Newest`] | the newest record of that key; `0`, height: the record of that height; `0 0`: why the newest executed block is committed |
//! | `blocks` | digest | block |
//! | `batches` | digest | [`Place`] |
//! | `heights` | height, big endian | digest of the executed block |
//! | `live` | `b` or `t` (transactions), digest | height of a block; nothing: not executed yet, needed after a restart |
//! | `epochs` | number, big endian | [`Epoch`]; not the first, which is the genesis |
//! | `tail` | | the newest place that was entered: where the scan of the segments begins |

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fjall::{Database, Keyspace, OwnedWriteBatch, PersistMode};
use quorate::merkle::Hash;
use quorate::wire::{Decode, Encode};

use super::database::{Options, height_key, open_database, open_keyspace};
use super::segments::{Place, Segments};
use crate::epochs::Epoch;
use crate::protocol::{Batch, Block, Kept, Protocol, Record};
use crate::{NodeError, Result};

const LIVE_BLOCK: u8 = b'b';
const LIVE_BATCH: u8 = b't';
const TAIL: &[u8] = b"tail";
const FINALITY: [u8; 2] = [0, 0];
/// Where keys of records begin that replace each other. Below, with a zero and the height before, are those that stay.
const FIRST_NEWEST: [u8; 1] = [1];

pub(super) struct Records<P: Protocol> {
    database: Database,
    records: Keyspace,
    blocks: Keyspace,
    batches: Keyspace,
    heights: Keyspace,
    live: Keyspace,
    tail: Keyspace,
    epochs: Keyspace,
    segments: Segments,
    /// Held from writing bodies until their places are entered: see [`append_bodies`](Self::append_bodies).
    entering: Mutex<()>,
    context: P::Context,
    failed: AtomicBool,
}

impl<P: Protocol> Records<P> {
    pub(super) fn open(dir: &Path, context: P::Context) -> Result<Self> {
        let database = open_database(&dir.join(super::RECORDS))?;
        let keyspace = |name, memtable| open_keyspace(&database, name, Options { memtable });
        let (batches, live) = (keyspace("batches", 8 << 20)?, keyspace("live", 4 << 20)?);
        let tail = keyspace("tail", 4 << 20)?;
        let last = match tail.get(TAIL).map_err(reading)? {
            Some(bytes) => Place::decode(&bytes, &()).map_err(|e| NodeError::corrupt("the store", e))?,
            None => Place::START,
        };
        let mut found = Vec::new();
        let segments = Segments::open(dir.join("batches"), last, |key, place| found.push((key, place)))?;
        let store = Self {
            records: keyspace("records", 4 << 20)?,
            blocks: keyspace("blocks", 16 << 20)?,
            heights: keyspace("heights", 4 << 20)?,
            epochs: keyspace("epochs", 1 << 20)?,
            database: database.clone(),
            batches,
            live,
            tail,
            segments,
            entering: Mutex::new(()),
            context,
            failed: AtomicBool::new(false),
        };
        // Bodies that were durable when the process died before it entered where they are.
        let mut batch = store.database.batch().durability(Some(PersistMode::SyncData));
        store.enter_places(&mut batch, &found);
        batch.commit().map_err(writing)?;
        Ok(store)
    }

    pub(super) fn append(&self, records: &[Record<P>]) -> Result<()> {
        if self.failed.load(Ordering::Acquire) {
            return Err(NodeError::store(
                "appending records",
                "an earlier write failed; nothing is signed any more",
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
        let newest = self.records.range(FIRST_NEWEST..);
        for entry in newest.chain(self.records.range(record_key(executed)..=record_key(u64::MAX))) {
            loaded.push(self.decode_record(&entry.value().map_err(reading)?)?);
        }
        // Execution may be behind the archive after a crash of the machine: both are asked.
        let (mut blocks, mut batches) = (HashSet::new(), HashSet::new());
        let mut next = executed + 1;
        // The tip itself, when all is executed: what comes next builds on it.
        loaded.extend(self.block_at(executed)?.map(P::block_record));
        while let Some(block) = self.block_at(next)? {
            batches.extend(block.payload().iter().map(|part| part.digest));
            blocks.insert(block.digest());
            loaded.push(P::block_record(block));
            next += 1;
        }
        for digest in self.live_digests(LIVE_BLOCK)? {
            let block = self.block(&digest)?.ok_or_else(|| missing("block", &digest))?;
            if block.height() <= executed {
                self.drop_stale(&block)?;
            } else if blocks.insert(block.digest()) {
                loaded.push(P::block_record(block));
            }
        }
        batches.extend(self.live_digests(LIVE_BATCH)?);
        for digest in batches {
            if let Some(batch) = self.batch(&digest)? {
                loaded.push(P::batch_record(batch));
            }
        }
        Ok(loaded)
    }

    pub(super) fn forget_batches(&self, digests: &[Hash]) -> Result<()> {
        let mut batch = self.database.batch();
        for digest in digests {
            // What was archived meanwhile, or before under another block, stays.
            let live = live_key(LIVE_BATCH, digest);
            if self.live.contains_key(live).map_err(reading)? {
                batch.remove(&self.live, live);
                batch.remove(&self.batches, *digest);
            }
        }
        batch.commit().map_err(writing)
    }

    pub(super) fn forget_blocks(&self, digests: &[Hash]) -> Result<()> {
        let mut batch = self.database.batch();
        for digest in digests {
            batch.remove(&self.live, live_key(LIVE_BLOCK, digest));
            batch.remove(&self.blocks, *digest);
        }
        batch.commit().map_err(writing)
    }

    pub(super) fn archive(
        &self,
        block: &P::Block,
        batches: &[Arc<P::Batch>],
        finality: &P::Finality,
    ) -> Result<()> {
        let (digest, height) = (block.digest(), block.height());
        let archived = self.heights.get(height_key(height)).map_err(reading)?;
        if archived.is_some_and(|archived| *archived == digest) {
            return Ok(());
        }
        // Both were records before; this only makes sure.
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        let _entering = self.append_bodies(&mut batch, batches.iter())?;
        if !self.blocks.contains_key(digest).map_err(reading)? {
            batch.insert(&self.blocks, digest, block.encode());
        }
        batch.insert(&self.heights, height_key(height), digest);
        if P::KEEPS_NEWEST_FINALITY {
            batch.insert(&self.records, FINALITY, finality.encode());
        }
        batch.remove(&self.live, live_key(LIVE_BLOCK, &digest));
        for part in block.payload() {
            batch.remove(&self.live, live_key(LIVE_BATCH, &part.digest));
        }
        batch.commit().map_err(writing)
    }

    pub(super) fn block_at(&self, height: u64) -> Result<Option<Arc<P::Block>>> {
        let Some(digest) = self.heights.get(height_key(height)).map_err(reading)? else { return Ok(None) };
        let digest = Hash::try_from(&*digest).map_err(|e| NodeError::corrupt("a height", e))?;
        self.block(&digest)?.map_or_else(|| Err(missing("block", &digest)), |block| Ok(Some(block)))
    }

    pub(super) fn block(&self, digest: &Hash) -> Result<Option<Arc<P::Block>>> {
        let Some(bytes) = self.blocks.get(digest).map_err(reading)? else { return Ok(None) };
        let block = P::Block::decode(&bytes, &self.context).map_err(|e| NodeError::corrupt("a block", e))?;
        if block.digest() != *digest {
            return Err(NodeError::corrupt("a block", "its digest is another"));
        }
        Ok(Some(Arc::new(block)))
    }

    pub(super) fn batch(&self, digest: &Hash) -> Result<Option<Arc<P::Batch>>> {
        let Some(place) = self.batches.get(digest).map_err(reading)? else { return Ok(None) };
        let place = Place::decode(&place, &()).map_err(|e| NodeError::corrupt("the place of a batch", e))?;
        let body = self.segments.read(digest, place)?;
        let batch = P::Batch::decode(&body, &()).map_err(|e| NodeError::corrupt("a batch", e))?;
        if batch.digest() != *digest {
            return Err(NodeError::corrupt("a batch", "its digest is another"));
        }
        Ok(Some(Arc::new(batch)))
    }

    pub(super) fn history(
        &self,
        from: u64,
        max_blocks: usize,
        max_bytes: usize,
    ) -> Result<Vec<Arc<P::Block>>> {
        let (mut blocks, mut bytes) = (Vec::new(), 0);
        for height in (from..).take(max_blocks) {
            let Some(block) = self.block_at(height)? else { break };
            bytes += block.encode().len();
            blocks.push(block);
            if bytes > max_bytes {
                break;
            }
        }
        Ok(blocks)
    }

    pub(super) fn newest_finality(&self) -> Result<Option<P::Finality>> {
        let Some(bytes) = self.records.get(FINALITY).map_err(reading)? else {
            return Ok(None);
        };
        let finality = P::Finality::decode(&bytes, &self.context);
        finality.map(Some).map_err(|e| NodeError::corrupt("a commit proof", e))
    }

    pub(super) fn append_epoch(&self, epoch: &Epoch) -> Result<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        batch.insert(&self.epochs, epoch.number.to_be_bytes(), epoch.encode());
        batch.commit().map_err(writing)
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
        self.database.persist(PersistMode::SyncAll).map_err(writing)
    }

    fn try_append(&self, records: &[Record<P>]) -> Result<()> {
        let bodies = records.iter().filter_map(|record| match P::keep(record) {
            Kept::Batch(batch) => Some(batch),
            _ => None,
        });
        let mut batch = self.database.batch();
        let _entering = self.append_bodies(&mut batch, bodies)?;
        // A write batch must not name a key twice: of records that replace each other, the last.
        let mut newest = BTreeMap::new();
        let mut blocks: BTreeMap<Hash, &Arc<P::Block>> = BTreeMap::new();
        for record in records {
            match P::keep(record) {
                Kept::Batch(_) => {}
                Kept::Block(block) => {
                    blocks.insert(block.digest(), block);
                }
                Kept::Newest(key) => {
                    newest.insert(key.to_vec(), record);
                }
                Kept::Height(height) => {
                    newest.insert(record_key(height).to_vec(), record);
                }
            }
        }
        let durable = !newest.is_empty() || !blocks.is_empty();
        for (digest, block) in blocks {
            batch.insert(&self.blocks, digest, block.encode());
            batch.insert(&self.live, live_key(LIVE_BLOCK, &digest), height_key(block.height()));
        }
        for (key, record) in newest {
            batch.insert(&self.records, key, record.encode());
        }
        // Bodies are found again by the scan at the next start: where they are need not be durable.
        let batch = if durable { batch.durability(Some(PersistMode::SyncData)) } else { batch };
        batch.commit().map_err(writing)
    }

    /// Stores those batches that are not stored yet, and names their places in `batch`. Commit that before the guard
    /// is dropped: places are to be entered in the order of the files, or the newest place could become durable
    /// before an earlier one, and the scan at the next start would not look for that. No guard if all are stored.
    fn append_bodies<'a>(
        &self,
        batch: &mut OwnedWriteBatch,
        bodies: impl Iterator<Item = &'a Arc<P::Batch>>,
    ) -> Result<Option<MutexGuard<'_, ()>>> {
        let absent = self.absent(bodies)?;
        if absent.is_empty() {
            return Ok(None);
        }
        let guard = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have stored some of them meanwhile.
        let absent = self.absent(absent.into_iter())?;
        if !absent.is_empty() {
            let frames: Vec<_> = absent.iter().map(|batch| (batch.digest(), batch.encode())).collect();
            let places = self.segments.append(&frames)?;
            let found: Vec<_> = frames.iter().map(|(key, _)| *key).zip(places).collect();
            self.enter_places(batch, &found);
        }
        Ok(Some(guard))
    }

    /// Those batches that are not stored yet, each once.
    fn absent<'a>(&self, batches: impl Iterator<Item = &'a Arc<P::Batch>>) -> Result<Vec<&'a Arc<P::Batch>>> {
        let mut absent: Vec<&Arc<P::Batch>> = Vec::new();
        for batch in batches {
            let key = batch.digest();
            let known = absent.iter().any(|other| other.digest() == key);
            if !known && !self.batches.contains_key(key).map_err(reading)? {
                absent.push(batch);
            }
        }
        Ok(absent)
    }

    fn enter_places(&self, batch: &mut OwnedWriteBatch, found: &[([u8; 32], Place)]) {
        for (key, place) in found {
            batch.insert(&self.batches, *key, place.encode());
            batch.insert(&self.live, live_key(LIVE_BATCH, key), []);
        }
        if let Some((_, last)) = found.last() {
            batch.insert(&self.tail, TAIL, last.encode());
        }
    }

    fn live_digests(&self, tag: u8) -> Result<Vec<[u8; 32]>> {
        let digest = |entry: fjall::Guard| {
            let key = entry.key().map_err(reading)?;
            let digest = key.get(1..).and_then(|d| d.try_into().ok());
            digest.ok_or_else(|| NodeError::corrupt("a live record", "its key is damaged"))
        };
        self.live.prefix([tag]).map(digest).collect()
    }

    pub(super) fn record_at(&self, height: u64) -> Result<Option<Record<P>>> {
        let bytes = self.records.get(record_key(height)).map_err(reading)?;
        bytes.map(|bytes| self.decode_record(&bytes)).transpose()
    }

    fn decode_record(&self, bytes: &[u8]) -> Result<Record<P>> {
        P::decode_record(bytes, &self.context).map_err(|e| NodeError::corrupt("a record", e))
    }

    /// A block at an executed height that is still live: recorded again after it was archived, or never committed.
    fn drop_stale(&self, block: &P::Block) -> Result<()> {
        let digest = block.digest();
        let archived = self.heights.get(height_key(block.height())).map_err(reading)?;
        if archived.is_some_and(|archived| *archived == digest) {
            return self.live.remove(live_key(LIVE_BLOCK, &digest)).map_err(writing);
        }
        self.forget_blocks(&[digest])
    }
}

fn record_key(height: u64) -> [u8; 9] {
    let mut key = [0; 9];
    key.split_at_mut(1).1.copy_from_slice(&height_key(height));
    key
}

fn live_key(tag: u8, digest: &[u8; 32]) -> [u8; 33] {
    let mut key = [tag; 33];
    key.split_at_mut(1).1.copy_from_slice(digest);
    key
}

fn missing(what: &str, digest: &[u8; 32]) -> NodeError {
    NodeError::corrupt("the chain", format!("{what} {} is missing", hex::encode(digest)))
}

fn reading(e: fjall::Error) -> NodeError {
    NodeError::store("reading records", e)
}

fn writing(e: fjall::Error) -> NodeError {
    NodeError::store("writing records", e)
}
