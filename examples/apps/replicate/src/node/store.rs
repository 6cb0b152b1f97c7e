//! The log of a replica's records, in the format of `record_file`. An end that was torn by a kill or a power failure is cut, because
//! no message depended on it. Any other damage refuses the start.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use quorate::wire::{Decode, Encode};

use super::record_file::{Frames, Next, frame, marker};
use super::{Exit, Failure, OrFail};
use crate::{Limits, Record};

/// Name of the log in a data directory.
pub(super) const LOG: &str = "records.log";
/// Bytes after which the log is replaced by the records of the current state, if these are fewer.
const COMPACT: u64 = 4 << 20;

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
    /// Synchronises every append with the disk. Otherwise records survive a kill, not a power failure.
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
        let path = dir.join(LOG);
        let mut file = open_or_create(&path, binding, sync).or_fail(Exit::Setup, &shown)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).or_fail(Exit::Setup, &shown)?;
        let (records, length) =
            read(&bytes, binding, limits).map_err(|failure| failure.at(path.display()))?;
        let mut store =
            Self { path, file, _lock: lock, binding: binding.to_vec(), length, compacted: length, sync };
        store.prepare().or_fail(Exit::Setup, shown)?;
        Ok((store, records))
    }

    /// Cuts a torn end, and makes durable what was read.
    fn prepare(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::End(0))?;
        self.file.sync_all()?;
        self.mark()?;
        self.file.sync_all()
    }

    /// States that everything so far is on disk.
    fn mark(&mut self) -> io::Result<()> {
        let marker = marker(self.length, self.sync);
        self.length += marker.len() as u64;
        self.file.write_all(&marker)
    }

    /// Appends records. They are durable when this returns.
    pub(super) fn append<S: Encode>(&mut self, records: &[Record<S>]) -> Result<(), Failure> {
        let bytes: Vec<u8> = records.iter().flat_map(|record| frame(&record.encode())).collect();
        self.length += bytes.len() as u64;
        let mut written = self.file.write_all(&bytes);
        if self.sync {
            // The marker itself is not waited for: if it is lost, the records before it are read all the same.
            written = written.and_then(|()| self.file.sync_data()).and_then(|()| self.mark());
        }
        written.map_err(|error| unwritten(&self.path, &error))
    }

    /// Returns true if the log is worth replacing.
    pub(super) fn is_long(&self) -> bool {
        self.length > COMPACT.max(2 * self.compacted)
    }

    /// Replaces the log by these records.
    pub(super) fn replace<S: Encode>(&mut self, records: &[Record<S>]) -> Result<(), Failure> {
        let mut bytes = frame(&self.binding);
        bytes.extend(records.iter().flat_map(|record| frame(&record.encode())));
        bytes.extend(marker(bytes.len() as u64, self.sync));
        self.file = write_whole(&self.path, &bytes).map_err(|error| unwritten(&self.path, &error))?;
        self.length = bytes.len() as u64;
        self.compacted = self.length;
        Ok(())
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    let text = format!(
        "{}: {error}; the replica stops, and has sent and answered nothing that depends on this record: free space or repair \
         the disk, and start it again with the same data directory",
        path.display()
    );
    Failure::with_code(Exit::Failed, "RECORDS_UNWRITTEN", text)
}

/// Opens the log. A new one gets its name when its binding is on disk.
fn open_or_create(path: &Path, binding: &[u8], sync: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match options.read(true).write(true).open(path) {
        Err(missing) if missing.kind() == ErrorKind::NotFound => {
            let frame = frame(binding);
            let bytes = [&frame[..], &marker(frame.len() as u64, sync)].concat();
            write_whole(path, &bytes)?;
            sync_folder(folder(path))?;
            options.open(path)
        }
        opened => opened,
    }
}

/// Writes a file so that it has either its former or its new content, also after a power failure.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    sync_folder(path)?;
    Ok(file)
}

/// Makes the name of a file or folder durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the records, and the length without a torn end.
fn read<S: Decode>(bytes: &[u8], binding: &[u8], limits: &Limits) -> Result<(Vec<Record<S>>, u64), Failure> {
    let corrupt = |at: usize, what: &str| {
        let text = format!(
            "damaged at byte {at}: {what}; a replica must not forget what it accepted: restore the disk, or give the replica \
             a new key"
        );
        Failure::with_code(Exit::Setup, "CORRUPT", text)
    };
    let (mut records, mut frames) = (Vec::new(), Frames::new(bytes));
    match frames.next() {
        Next::Content { content, .. } if content == binding => {}
        Next::Content { .. } => {
            let text = "the records of another replica or group; use the right data directory";
            return Err(Failure::with_code(Exit::Setup, "DATA_MISMATCH", text));
        }
        Next::Damaged { at, what } => return Err(corrupt(at, what)),
        Next::End { at } | Next::Torn { at } => return Err(corrupt(at, "the file has no beginning")),
    }
    loop {
        match frames.next() {
            Next::Content { at, content } => {
                let record = Record::decode(content, limits);
                records.push(record.map_err(|error| corrupt(at, &error.to_string()))?);
            }
            Next::End { at } | Next::Torn { at } => return Ok((records, at as u64)),
            Next::Damaged { at, what } => return Err(corrupt(at, what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quorate_broadcast::authentication::Unsigned;
    use tempfile::TempDir;

    use super::*;
    use crate::Value;

    const LIMITS: Limits =
        Limits { replicas: 4, clients: 1, window: 8, announcement: 0, state: 100, signature: 0 };

    fn open_with(dir: &Path, sync: bool) -> Result<(Store, Vec<Record<Unsigned>>), Failure> {
        Store::open(dir, b"me", sync, &LIMITS)
    }

    fn decided(slot: u64) -> Record<Unsigned> {
        Record::Decided(slot, Value::Noop)
    }

    /// A log of appends of the given numbers of records, and its length after each of them.
    fn log(sync: bool, appends: &[u64]) -> (TempDir, Vec<usize>) {
        let dir = tempfile::tempdir().unwrap();
        let (mut store, none) = open_with(dir.path(), sync).unwrap();
        assert!(none.is_empty());
        let mut slots = 1..;
        let append = |count: &u64| {
            let records: Vec<_> = slots.by_ref().take(*count as usize).map(decided).collect();
            store.append(&records).unwrap();
            bytes(&dir).len()
        };
        let lengths = appends.iter().map(append).collect();
        (dir, lengths)
    }

    fn bytes(dir: &TempDir) -> Vec<u8> {
        fs::read(dir.path().join(LOG)).unwrap()
    }

    /// Number of records that are read from these bytes, which are slots from 1 on; `None` if the start is refused.
    fn kept(dir: &TempDir, bytes: &[u8], sync: bool) -> Option<usize> {
        fs::write(dir.path().join(LOG), bytes).unwrap();
        match open_with(dir.path(), sync) {
            Ok((_, records)) => {
                assert!(
                    records.iter().eq((1..=records.len() as u64).map(decided).collect::<Vec<_>>().iter())
                );
                Some(records.len())
            }
            Err(failure) => {
                assert_eq!(failure.code, "CORRUPT");
                None
            }
        }
    }

    #[test]
    fn records_survive_and_an_incomplete_one_is_cut() {
        for sync in [false, true] {
            let (dir, lengths) = log(sync, &[2]);
            let whole = bytes(&dir);
            let marked = if sync { lengths[0] - marker(0, true).len() } else { lengths[0] };
            let begin = marked - 2 * frame(&decided(1).encode()).len();
            // A kill in the middle of a write.
            for end in begin..=whole.len() {
                let count = kept(&dir, &whole[..end], sync).unwrap();
                assert_eq!(count == 2, end >= marked, "{end}");
                let (mut store, _) = open_with(dir.path(), sync).unwrap();
                store.append(&[decided(count as u64 + 1)]).unwrap();
                drop(store);
                assert_eq!(open_with(dir.path(), sync).unwrap().1.len(), count + 1, "{end}");
            }
        }
    }

    #[test]
    fn a_replacement_survives_and_a_log_without_beginning_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (mut store, _) = open_with(dir.path(), true).unwrap();
        store.append(&[decided(1), decided(2)]).unwrap();
        store.replace(&[decided(3)]).unwrap();
        store.append(&[decided(4)]).unwrap();
        let code = |binding: &[u8]| {
            Store::open::<Unsigned>(dir.path(), binding, true, &LIMITS).err().map(|failure| failure.code)
        };
        assert_eq!(code(b"me"), Some("DATA_IN_USE"));
        drop(store);
        assert_eq!(open_with(dir.path(), true).unwrap().1, [decided(3), decided(4)]);
        assert_eq!(code(b"you"), Some("DATA_MISMATCH"));
        let whole = bytes(&dir);
        for end in 0..frame(b"me").len() {
            fs::write(dir.path().join(LOG), &whole[..end]).unwrap();
            assert_eq!(code(b"me"), Some("CORRUPT"), "{end}");
        }
    }

    #[test]
    fn without_synchronisation_any_damaged_bit_refuses_the_start() {
        let (dir, lengths) = log(false, &[2, 1]);
        let whole = bytes(&dir);
        for bit in 0..8 * lengths[1] {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(kept(&dir, &damaged, false), None, "bit {bit}");
        }
    }

    #[test]
    fn with_synchronisation_a_damaged_bit_never_loses_a_record() {
        let (dir, lengths) = log(true, &[2, 1]);
        let whole = bytes(&dir);
        let last_marker = lengths[1] - marker(0, true).len();
        for bit in 0..8 * lengths[1] {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // No record depends on the last marker.
            let expected = (bit / 8 >= last_marker).then_some(3);
            assert_eq!(kept(&dir, &damaged, true), expected, "bit {bit}");
        }
    }

    /// A log that changed between the two modes: what was written without synchronisation is not an end that may be cut.
    #[test]
    fn the_mode_of_the_last_start_counts() {
        let (dir, _) = log(true, &[1]);
        let (mut store, _) = open_with(dir.path(), false).unwrap();
        let before = bytes(&dir).len();
        store.append(&[decided(2)]).unwrap();
        drop(store);
        let mut damaged = bytes(&dir);
        damaged[before..].fill(0);
        assert_eq!(kept(&dir, &damaged, true), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A power failure while the last append is synchronised: any of its bytes are zeros, garbage, or missing.
        #[test]
        fn a_last_append_that_was_torn_in_any_way_is_cut(
            appends in proptest::collection::vec(1u64..4, 1..5),
            last in 1u64..4,
            spoiled in proptest::collection::vec(
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<Option<u64>>()), 0..4,
            ),
            end in any::<Option<prop::sample::Index>>(),
        ) {
            let before: u64 = appends.iter().sum();
            let (dir, lengths) = log(true, &[&appends[..], &[last]].concat());
            let mut torn = bytes(&dir);
            let begin = lengths[appends.len() - 1];
            torn.truncate(torn.len() - marker(0, true).len());
            let length = torn.len() - begin;
            for (from, to, seed) in spoiled {
                let (from, to) = (begin + from.index(length), begin + to.index(length));
                for (i, byte) in torn.iter_mut().enumerate().take(to + 1).skip(from) {
                    // A generator of Lehmer, or zeros.
                    *byte = seed.map_or(0, |seed| (seed.wrapping_mul(i as u64 * 2 + 1) >> 40) as u8);
                }
            }
            torn.truncate(end.map_or(torn.len(), |end| begin + end.index(length + 1)));
            let count = kept(&dir, &torn, true).map(|count| count as u64);
            prop_assert!(count.is_some_and(|count| (before..=before + last).contains(&count)), "{count:?}");
        }

        /// Damage to what was on disk, also together with a torn last append, is never mistaken for a torn end.
        #[test]
        fn damage_before_the_last_append_is_refused(
            appends in proptest::collection::vec(1u64..4, 2..6),
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
            torn in any::<prop::sample::Index>(),
        ) {
            let (dir, lengths) = log(true, &appends);
            let mut damaged = bytes(&dir);
            let (begin, end) = (lengths[lengths.len() - 2], lengths[lengths.len() - 1]);
            // Not the marker before the last append: no record depends on it.
            damaged[at.index(begin - marker(0, true).len())] ^= flip;
            damaged.truncate(begin + torn.index(end - begin));
            prop_assert_eq!(kept(&dir, &damaged, true), None);
        }
    }
}
