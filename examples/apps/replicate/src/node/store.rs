//! The log of a replica's records: frames of a length u32, the first 4 bytes of the hash of the length, the first 8 bytes of the
//! hash of the record, and the record. A kill leaves at most an incomplete last frame, on which no message depended; it is cut.
//! Any other damage refuses the start. The length has a hash of its own: a damaged one would make a frame in the middle look like
//! an incomplete last one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use quorate::wire::{Decode, Encode, Reader, domain};

use super::{Exit, Failure, OrFail};
use crate::{Limits, Record};

/// Bytes after which the log is replaced by the records of the current state, if these are fewer.
const COMPACT: u64 = 4 << 20;
/// Bytes before a record.
const HEAD: usize = 16;

/// An open log.
pub(super) struct Store {
    path: PathBuf,
    file: File,
    /// Held as long as the store is open.
    _lock: File,
    binding: Vec<u8>,
    length: u64,
    /// Length after the last replacement.
    compacted: u64,
    /// Synchronises every write with the disk. Otherwise records survive a kill, not a power failure.
    sync: bool,
}

impl Store {
    /// Opens or creates the log of a directory. `binding` identifies the replica and its group.
    pub(super) fn open<S: Decode>(
        dir: &Path,
        binding: &[u8],
        sync: bool,
        limits: &Limits,
    ) -> Result<(Self, Vec<Record<S>>), Failure> {
        let shown = dir.display();
        fs::create_dir_all(dir).or_fail(Exit::Setup, &shown)?;
        let lock = File::create(dir.join("lock")).or_fail(Exit::Setup, &shown)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let text = format!("{shown}: another process uses this data directory");
                return Err(Failure::with_code(Exit::Setup, "DATA_IN_USE", text));
            }
            Err(TryLockError::Error(error)) => {
                return Err(Failure::new(Exit::Setup, format!("{shown}: {error}")));
            }
        }
        let path = dir.join("records.log");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).or_fail(Exit::Setup, &shown)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).or_fail(Exit::Setup, &shown)?;
        let (records, length) =
            read(&bytes, binding, limits).map_err(|failure| failure.at(path.display()))?;
        let mut store =
            Self { path, file, _lock: lock, binding: binding.to_vec(), length, compacted: length, sync };
        store.prepare().or_fail(Exit::Setup, shown)?;
        Ok((store, records))
    }

    /// Cuts an incomplete frame, and writes the binding of a new log.
    fn prepare(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::End(0))?;
        if self.length == 0 {
            self.length = (HEAD + self.binding.len()) as u64;
            let frame = frame(&self.binding);
            self.file.write_all(&frame)?;
            self.file.sync_all()?;
            sync_folder(&self.path)?;
        }
        Ok(())
    }

    /// Appends records. They are durable when this returns.
    pub(super) fn append<S: Encode>(&mut self, records: &[Record<S>]) -> Result<(), Failure> {
        let bytes: Vec<u8> = records.iter().flat_map(|record| frame(&record.encode())).collect();
        self.length += bytes.len() as u64;
        let written = self.file.write_all(&bytes);
        let written = written.and_then(|()| if self.sync { self.file.sync_data() } else { Ok(()) });
        written.or_fail(Exit::Failed, self.path.display())
    }

    /// Returns true if the log is worth replacing.
    pub(super) fn is_long(&self) -> bool {
        self.length > COMPACT.max(2 * self.compacted)
    }

    /// Replaces the log by these records.
    pub(super) fn replace<S: Encode>(&mut self, records: &[Record<S>]) -> Result<(), Failure> {
        let shown = self.path.display().to_string();
        let mut bytes = frame(&self.binding);
        bytes.extend(records.iter().flat_map(|record| frame(&record.encode())));
        let new = self.path.with_extension("new");
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&new, &self.path)?;
            sync_folder(&self.path)?;
            Ok(file)
        });
        self.file = written.or_fail(Exit::Failed, shown)?;
        self.length = bytes.len() as u64;
        self.compacted = self.length;
        Ok(())
    }
}

fn sync_folder(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
    [&length[..], &check::<4>(&length), &check::<8>(bytes), bytes].concat()
}

/// The first bytes of the hash.
fn check<const N: usize>(bytes: &[u8]) -> [u8; N] {
    domain::hash(domain::STORE_FRAME, bytes).first_chunk().copied().unwrap_or([0; N])
}

/// Returns the records, and the length without an incomplete last frame.
fn read<S: Decode>(bytes: &[u8], binding: &[u8], limits: &Limits) -> Result<(Vec<Record<S>>, u64), Failure> {
    let corrupt = |at: usize, what: &str| {
        let text = format!(
            "damaged at byte {at}: {what}; a replica must not forget what it accepted: restore the disk, or give the replica \
             a new key"
        );
        Failure::with_code(Exit::Setup, "CORRUPT", text)
    };
    let (mut records, mut at) = (Vec::new(), 0);
    let mut r = Reader::new(bytes);
    while r.remaining() >= HEAD {
        let (Ok(length), Ok(of_length), Ok(of_content)) = (r.u32(), r.array(), r.array()) else { break };
        if check::<4>(&length.to_le_bytes()) != of_length {
            return Err(corrupt(at, "wrong checksum of a length"));
        }
        let Ok(content) = r.raw(length as usize) else { break };
        if check::<8>(content) != of_content {
            return Err(corrupt(at, "wrong checksum"));
        }
        if at == 0 && content != binding {
            let text = "the records of another replica or group; use the right data directory";
            return Err(Failure::with_code(Exit::Setup, "DATA_MISMATCH", text));
        }
        if at > 0 {
            records.push(Record::decode(content, limits).map_err(|error| corrupt(at, &error.to_string()))?);
        }
        at = bytes.len() - r.remaining();
    }
    Ok((records, at as u64))
}

#[cfg(test)]
mod tests {
    use quorate_broadcast::authentication::Unsigned;

    use super::*;
    use crate::Value;

    const LIMITS: Limits =
        Limits { replicas: 4, clients: 1, window: 8, announcement: 0, state: 100, signature: 0 };

    fn open(dir: &Path, binding: &[u8]) -> Result<(Store, Vec<Record<Unsigned>>), Failure> {
        Store::open(dir, binding, false, &LIMITS)
    }

    fn decided(slot: u64) -> Record<Unsigned> {
        Record::Decided(slot, Value::Noop)
    }

    #[test]
    fn records_survive_and_a_torn_one_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let (mut store, none) = open(dir.path(), b"me").unwrap();
        assert!(none.is_empty());
        store.append(&[decided(1), decided(2)]).unwrap();
        drop(store);
        let path = dir.path().join("records.log");
        let whole = fs::read(&path).unwrap();
        // A kill in the middle of a write.
        for end in 0..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let (mut store, found) = open(dir.path(), b"me").unwrap();
            let kept = found.len();
            assert!(kept < 2 || end == whole.len());
            store.append(&[decided(9)]).unwrap();
            drop(store);
            let (_, found) = open(dir.path(), b"me").unwrap();
            assert_eq!((found.len(), found.last()), (kept + 1, Some(&decided(9))), "{end}");
        }
    }

    #[test]
    fn a_replacement_survives_and_damage_refuses_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let (mut store, _) = open(dir.path(), b"me").unwrap();
        store.append(&[decided(1), decided(2)]).unwrap();
        store.replace(&[decided(3)]).unwrap();
        store.append(&[decided(4)]).unwrap();
        let code = |binding| open(dir.path(), binding).err().map(|failure| failure.code);
        assert_eq!(code(b"me"), Some("DATA_IN_USE"));
        drop(store);
        assert_eq!(open(dir.path(), b"me").unwrap().1, [decided(3), decided(4)]);
        assert_eq!(code(b"you"), Some("DATA_MISMATCH"));
        let path = dir.path().join("records.log");
        let bytes = fs::read(&path).unwrap();
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(code(b"me"), Some("CORRUPT"), "bit {bit}");
        }
    }
}
