//! Append-only files with the bodies of batches.
//!
//! `NNNNNNNN.segment` holds the 8 bytes `qrtsegm1`, then frames:
//!
//! | bytes | field |
//! |---|---|
//! | 4 | length of the body |
//! | 32 | key: the batch's digest |
//! | 16 | check: first half of H(store-frame; length ‖ key ‖ body) |
//! | length | body |
//!
//! An append is durable when it returns: the file is synchronized, and for a new file also its directory. Opening the store
//! truncates the bytes after the last complete frame of the last file. A frame that was known to be durable and cannot be
//! read is reported as damage. Files whose frames are no longer needed are deleted, in any order; the newest file stays.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use quorate::wire::{Decode, Encode, Reader, Writer, domain};

use super::files::{create_dir, sync_dir};
use crate::{NodeError, Result};

const MAGIC: &[u8; 8] = b"qrtsegm1";
const HEAD: usize = 4 + 32 + 16;
/// Default size at which a new file is started: large enough that new files are rare, small enough to copy.
pub(super) const SEGMENT_SIZE: u64 = 256 << 20;
/// Maximum size of a body in bytes.
const MAX_BODY: usize = 16 << 20;

/// Location of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FrameLocation {
    pub(super) segment: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
}

impl FrameLocation {
    /// Location before all frames.
    pub(super) const START: FrameLocation = FrameLocation { segment: 0, offset: 0, length: 0 };

    fn end(&self) -> u64 {
        self.offset + HEAD as u64 + u64::from(self.length)
    }
}

impl Encode for FrameLocation {
    fn encode_to(&self, w: &mut Writer) {
        w.u32(self.segment);
        w.u64(self.offset);
        w.u32(self.length);
    }
}

impl Decode for FrameLocation {
    fn decode_from(r: &mut Reader<'_>, (): &()) -> quorate::Result<Self> {
        Ok(Self { segment: r.u32()?, offset: r.u64()?, length: r.u32()? })
    }
}

/// The segment files of one directory.
#[derive(Debug)]
pub(super) struct Segments {
    dir: PathBuf,
    full: u64,
    active: Mutex<Active>,
}

#[derive(Debug)]
struct Active {
    segment: u32,
    length: u64,
    /// `None` until the first append to a new directory.
    file: Option<File>,
    failed: bool,
}

impl Segments {
    /// Opens the directory. A new file is started at `full` bytes. `last` is the newest frame that is known to be durable.
    /// Calls `found` with each frame after it, in order.
    pub(super) fn open(
        dir: PathBuf,
        full: u64,
        last: FrameLocation,
        mut found: impl FnMut([u8; 32], FrameLocation),
    ) -> Result<Self> {
        create_dir(&dir)?;
        let (_, newest) = segment_range(&dir)?;
        if newest < last.segment {
            return Err(NodeError::corrupt(
                "the batch store",
                format!("segment {} is missing", last.segment),
            ));
        }
        Self::open_range(dir, full, last.segment.max(1)..=newest, last, &mut found)
    }

    /// Opens a directory whose oldest files may have been [removed](Self::remove_before). Calls `found` with each frame.
    pub(super) fn open_oldest(
        dir: PathBuf,
        full: u64,
        mut found: impl FnMut([u8; 32], FrameLocation),
    ) -> Result<Self> {
        create_dir(&dir)?;
        let (oldest, newest) = segment_range(&dir)?;
        Self::open_range(dir, full, oldest.max(1)..=newest, FrameLocation::START, &mut found)
    }

    fn open_range(
        dir: PathBuf,
        full: u64,
        segments: RangeInclusive<u32>,
        last: FrameLocation,
        found: &mut impl FnMut([u8; 32], FrameLocation),
    ) -> Result<Self> {
        let newest = *segments.end();
        let mut length = 0;
        for segment in segments {
            let start = if segment == last.segment { last.end() } else { MAGIC.len() as u64 };
            let path = segment_path(&dir, segment);
            length = scan(&path, segment, start, found)?;
            let file = OpenOptions::new().write(true).open(&path).map_err(|e| io(&path, e))?;
            let actual = file.metadata().map_err(|e| io(&path, e))?.len();
            if actual > length {
                if segment != newest {
                    return Err(NodeError::corrupt(
                        "the batch store",
                        format!("{} is damaged", path.display()),
                    ));
                }
                file.set_len(length).and_then(|()| file.sync_all()).map_err(|e| io(&path, e))?;
            }
        }
        let file = match newest {
            0 => None,
            _ => Some(open_at(&segment_path(&dir, newest), length)?),
        };
        let active = Mutex::new(Active { segment: newest, length, file, failed: false });
        Ok(Self { dir, full, active })
    }

    /// Appends frames durably. After an error, appends are refused until the store is opened again, because the content of
    /// the disk is unknown.
    pub(super) fn append<B: AsRef<[u8]>>(&self, frames: &[([u8; 32], B)]) -> Result<Vec<FrameLocation>> {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if active.failed {
            return Err(NodeError::store(
                "appending batches",
                "an earlier write failed; restart the node once the disk works",
            ));
        }
        let done = self.append_locked(&mut active, frames);
        active.failed = done.is_err();
        done
    }

    /// Reads a frame.
    pub(super) fn read(&self, key: &[u8; 32], location: FrameLocation) -> Result<Vec<u8>> {
        let path = segment_path(&self.dir, location.segment);
        let mut file = File::open(&path).map_err(|e| io(&path, e))?;
        file.seek(SeekFrom::Start(location.offset)).map_err(|e| io(&path, e))?;
        match read_frame(&mut file) {
            Ok(Some((found, body))) if found == *key && body.len() == location.length as usize => Ok(body),
            Ok(_) => Err(damaged(&path, location.offset)),
            Err(e) => Err(io(&path, e)),
        }
    }

    /// Returns true if the file of a location exists.
    pub(super) fn has_file(&self, location: FrameLocation) -> bool {
        segment_path(&self.dir, location.segment).exists()
    }

    /// The numbers of the files, ascending.
    pub(super) fn files(&self) -> Result<Vec<u32>> {
        segment_numbers(&self.dir)
    }

    /// Deletes one file. Does not wait for the disk.
    pub(super) fn remove(&self, segment: u32) -> Result<()> {
        let path = segment_path(&self.dir, segment);
        fs::remove_file(&path).map_err(|e| io(&path, e))
    }

    /// Makes deletions durable.
    pub(super) fn sync(&self) -> Result<()> {
        sync_dir(&self.dir)
    }

    /// Deletes the files before a segment, but for the newest. Does not wait for the disk: a crash may leave some of them.
    pub(super) fn remove_before(&self, segment: u32) -> Result<()> {
        let newest = self.active.lock().unwrap_or_else(PoisonError::into_inner).segment;
        let (oldest, _) = segment_range(&self.dir)?;
        for segment in oldest..segment.min(newest) {
            let path = segment_path(&self.dir, segment);
            fs::remove_file(&path).map_err(|e| io(&path, e))?;
        }
        Ok(())
    }

    fn append_locked<B: AsRef<[u8]>>(
        &self,
        active: &mut Active,
        frames: &[([u8; 32], B)],
    ) -> Result<Vec<FrameLocation>> {
        let mut locations = Vec::with_capacity(frames.len());
        if active.file.is_none() || active.length >= self.full {
            self.next_file(active)?;
        }
        let path = segment_path(&self.dir, active.segment);
        let Some(file) = active.file.as_mut() else { return Ok(locations) };
        // One system call for all frames: a step can have many small ones.
        let size = frames.iter().map(|(_, body)| HEAD + body.as_ref().len()).sum();
        let mut bytes = Vec::with_capacity(size);
        let mut offset = active.length;
        for (key, body) in frames {
            let body = body.as_ref();
            let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
            if body.len() > MAX_BODY {
                return Err(NodeError::store(
                    "appending batches",
                    format!("batch too large: limit {MAX_BODY} bytes, got {length}"),
                ));
            }
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&check(length, key, body));
            bytes.extend_from_slice(body);
            let location = FrameLocation { segment: active.segment, offset, length };
            offset = location.end();
            locations.push(location);
        }
        file.write_all(&bytes).map_err(|e| io(&path, e))?;
        active.length = offset;
        file.sync_data().map_err(|e| io(&path, e))?;
        Ok(locations)
    }

    fn next_file(&self, active: &mut Active) -> Result<()> {
        let segment = active.segment + 1;
        let path = segment_path(&self.dir, segment);
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(&path).map_err(|e| io(&path, e))?;
        file.write_all(MAGIC).and_then(|()| file.sync_all()).map_err(|e| io(&path, e))?;
        sync_dir(&self.dir)?;
        (active.segment, active.length, active.file) = (segment, MAGIC.len() as u64, Some(file));
        Ok(())
    }
}

/// Scans the frames of a file from `start` on. Returns the end of the last complete frame.
fn scan(
    path: &Path,
    segment: u32,
    start: u64,
    found: &mut impl FnMut([u8; 32], FrameLocation),
) -> Result<u64> {
    let mut file = File::open(path).map_err(|e| io(path, e))?;
    let length = file.metadata().map_err(|e| io(path, e))?.len();
    let mut magic = [0; MAGIC.len()];
    if length < MAGIC.len() as u64 {
        // The process crashed after it created the file and before it wrote its first bytes.
        rewrite_magic(path)?;
        return Ok(MAGIC.len() as u64);
    }
    file.read_exact(&mut magic).map_err(|e| io(path, e))?;
    if magic != *MAGIC || length < start {
        return Err(damaged(path, if magic == *MAGIC { length } else { 0 }));
    }
    let mut offset = start;
    file.seek(SeekFrom::Start(offset)).map_err(|e| io(path, e))?;
    let mut file = std::io::BufReader::with_capacity(1 << 20, file);
    while let Some((key, body)) = read_frame(&mut file).map_err(|e| io(path, e))? {
        let location = FrameLocation { segment, offset, length: body.len() as u32 };
        offset = location.end();
        found(key, location);
    }
    Ok(offset)
}

fn rewrite_magic(path: &Path) -> Result<()> {
    fs::write(path, MAGIC).and_then(|()| File::open(path)?.sync_all()).map_err(|e| io(path, e))
}

/// Reads the next frame; `None` if it is incomplete.
fn read_frame(file: &mut impl Read) -> std::io::Result<Option<([u8; 32], Vec<u8>)>> {
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let mut r = Reader::new(&head);
    let (Ok(length), Ok(key), Ok(sum)) = (r.u32(), r.array::<32>(), r.array::<16>()) else { return Ok(None) };
    if length as usize > MAX_BODY {
        return Ok(None);
    }
    let mut body = Vec::new();
    file.by_ref().take(length.into()).read_to_end(&mut body)?;
    let whole = body.len() == length as usize && check(length, &key, &body) == sum;
    Ok(whole.then_some((key, body)))
}

fn check(length: u32, key: &[u8; 32], body: &[u8]) -> [u8; 16] {
    let mut hasher = domain::hasher(domain::STORE_FRAME);
    hasher.update(&length.to_le_bytes()).update(key).update(body);
    let mut sum = [0; 16];
    hasher.finalize_xof().fill(&mut sum);
    sum
}

/// Numbers of the oldest and the newest segment; zeros if there is none.
fn segment_range(dir: &Path) -> Result<(u32, u32)> {
    let numbers = segment_numbers(dir)?;
    Ok((numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0)))
}

/// Numbers of the segments, ascending.
fn segment_numbers(dir: &Path) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| io(dir, e))? {
        let path = entry.map_err(|e| io(dir, e))?.path();
        if path.extension().is_some_and(|e| e == "segment") {
            numbers.push(path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok()).unwrap_or(0));
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn open_at(path: &Path, offset: u64) -> Result<File> {
    let mut file = OpenOptions::new().write(true).open(path).map_err(|e| io(path, e))?;
    file.seek(SeekFrom::Start(offset)).map_err(|e| io(path, e))?;
    Ok(file)
}

fn segment_path(dir: &Path, segment: u32) -> PathBuf {
    dir.join(format!("{segment:08}.segment"))
}

fn io(path: &Path, source: std::io::Error) -> NodeError {
    NodeError::file("using the batch store", path, source)
}

fn damaged(path: &Path, offset: u64) -> NodeError {
    NodeError::corrupt("the batch store", format!("{} is damaged at byte {offset}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(n: u8) -> ([u8; 32], Vec<u8>) {
        ([n; 32], vec![n; 100 + usize::from(n)])
    }

    type Found = Vec<([u8; 32], FrameLocation)>;

    fn open(dir: &Path, last: FrameLocation) -> Result<(Segments, Found)> {
        let mut found = Vec::new();
        let segments = Segments::open(dir.to_owned(), 400, last, |k, p| found.push((k, p)))?;
        Ok((segments, found))
    }

    #[test]
    fn appended_frames_are_found_across_files() {
        let dir = tempfile::tempdir().unwrap();
        let (segments, _) = open(dir.path(), FrameLocation::START).unwrap();
        let locations: Vec<_> = (0..9).map(|n| segments.append(&[frame(n)]).unwrap()[0]).collect();
        assert!(locations[8].segment > 2, "{locations:?}");
        drop(segments);
        let (segments, found) = open(dir.path(), locations[3]).unwrap();
        assert_eq!(found, (4..9).map(|n| ([n; 32], locations[usize::from(n)])).collect::<Vec<_>>());
        for n in 0..9 {
            assert_eq!(segments.read(&[n; 32], locations[usize::from(n)]).unwrap(), frame(n).1);
        }
        assert!(segments.read(&[1; 32], locations[2]).is_err());
    }

    #[test]
    fn a_torn_tail_is_truncated_and_overwritten() {
        let whole = tempfile::tempdir().unwrap();
        let (segments, _) = open(whole.path(), FrameLocation::START).unwrap();
        let locations = segments.append(&[frame(1), frame(2)]).unwrap();
        let bytes = fs::read(segment_path(whole.path(), 1)).unwrap();
        for cut in 0..bytes.len() {
            let dir = tempfile::tempdir().unwrap();
            fs::write(segment_path(dir.path(), 1), &bytes[..cut]).unwrap();
            let complete = locations.iter().filter(|p| p.end() <= cut as u64).count();
            let (segments, found) = open(dir.path(), FrameLocation::START).unwrap();
            assert_eq!(found.len(), complete, "cut at {cut}");
            let location = segments.append(&[frame(7)]).unwrap()[0];
            drop(segments);
            let (segments, found) = open(dir.path(), FrameLocation::START).unwrap();
            assert_eq!(found.len(), complete + 1);
            assert_eq!(segments.read(&[7; 32], location).unwrap(), frame(7).1);
        }
    }

    #[test]
    fn garbage_after_the_last_frame_is_truncated() {
        let dir = tempfile::tempdir().unwrap();
        let (segments, _) = open(dir.path(), FrameLocation::START).unwrap();
        let location = segments.append(&[frame(1)]).unwrap()[0];
        drop(segments);
        let path = segment_path(dir.path(), 1);
        for garbage in [&[0u8; 60][..], &[0xff; 200], &[3]] {
            let mut bytes = fs::read(&path).unwrap();
            bytes.extend_from_slice(garbage);
            fs::write(&path, bytes).unwrap();
            let (_, found) = open(dir.path(), FrameLocation::START).unwrap();
            assert_eq!(found, [([1; 32], location)]);
            assert_eq!(fs::metadata(&path).unwrap().len(), location.end());
        }
    }

    #[test]
    fn a_missing_durable_frame_is_reported_as_damage() {
        let dir = tempfile::tempdir().unwrap();
        let (segments, _) = open(dir.path(), FrameLocation::START).unwrap();
        let locations = segments.append(&[frame(1), frame(2)]).unwrap();
        drop(segments);
        let path = segment_path(dir.path(), 1);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(open(dir.path(), locations[1]).unwrap_err().code(), "CORRUPT");
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        fs::write(&path, flipped).unwrap();
        let (segments, _) = open(dir.path(), locations[1]).unwrap();
        assert_eq!(segments.read(&[2; 32], locations[1]).unwrap_err().code(), "CORRUPT");
        fs::remove_file(&path).unwrap();
        assert_eq!(open(dir.path(), locations[1]).unwrap_err().code(), "CORRUPT");
    }
}
