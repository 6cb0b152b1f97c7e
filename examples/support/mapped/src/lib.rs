//! Appends to a file through its mapping in memory.
//!
//! A write of the operating system costs half a microsecond, and several where it begins a new page of the file. A store into
//! a page that is already in memory costs some nanoseconds, and survives a kill of the process just as well: the page belongs
//! to the operating system. Neither survives a power failure before it is on disk.
//!
//! ```text
//!  file   │ records │ reserved: zeros ...                      │
//!  memory      │ window: populated pages │ pages not touched │
//! ```
//!
//! As with every mapping, an access can end the process with the signal SIGBUS: if another process shortens the file, which
//! a lock on the file can prevent; if the disk fails; and on file systems that copy on write, if the disk is full although
//! space was reserved.
//!
//! The file is longer than its records: it ends with zeros, at most [`MAX_RESERVED`] of them, which a reader must take for
//! the end. A record therefore begins with four bytes that are not all zero; they are stored last. A process that is killed
//! leaves a whole record, or none, or bytes that begin with four zeros. An [`AppendFile`] that is dropped cuts the zeros off.

mod window;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use window::Window;

/// Maximum number of zeros behind the last record: a window, and a page.
pub const MAX_RESERVED: u64 = window::LENGTH + (1 << 16);

/// Maximum room that [`AppendFile::make_room`] makes.
pub const MAX_ROOM: u64 = window::LENGTH / 2;
/// Maximum length of a record.
const MAX_RECORD: u64 = 1 << 20;
/// Maximum number of bytes that one call of [`AppendFile::make_room`] brings into memory, in about 20 µs.
const SLICE: u64 = 1 << 16;

/// A file of which this process is the only writer.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Offset behind the last record.
    end: u64,
    window: Window,
}

impl AppendFile {
    /// Takes a file whose records end at `end`, and reserves the first window behind it. Cost: some calls of the operating
    /// system, and [`MAX_ROOM`] of pages: milliseconds.
    ///
    /// # Errors
    /// Those of the operating system: [`io::ErrorKind::Unsupported`] on file systems that cannot reserve space, and
    /// [`io::ErrorKind::StorageFull`]. The file is then as before.
    pub fn new(file: File, end: u64) -> io::Result<Self> {
        let before = file.metadata()?.len();
        let window = Window::new(&file, end).inspect_err(|_| {
            // A window that is reserved but not mapped would leave zeros.
            let _ = file.set_len(before);
        })?;
        let mut mapped = Self { file, end, window };
        while mapped.make_room(MAX_ROOM) {}
        Ok(mapped)
    }

    /// Returns the offset behind the last record.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Appends a record and returns its offset. Cost: one copy; some calls of the operating system for each 8 MiB, and a page
    /// fault for each page that [`make_room`](Self::make_room) has not populated.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a record of less than 4 bytes or more than 1 MiB, or whose first four bytes are zero;
    /// those of [`new`](Self::new). Nothing is appended then.
    pub fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        let (begin, length) = (self.end, record.len() as u64);
        let Some((first, rest)) = record.split_first_chunk::<4>().filter(|_| length <= MAX_RECORD) else {
            return Err(invalid(format_args!("a record of {length} bytes: expected 4 to {MAX_RECORD}")));
        };
        if *first == [0; 4] {
            return Err(invalid(format_args!("a record that begins with four zeros")));
        }
        if self.window.end() - begin < length {
            self.window = Window::new(&self.file, begin)?;
        }
        self.window.store(begin + 4, rest)?;
        self.window.store_last(begin, *first)?;
        self.end += length;
        Ok(begin)
    }

    /// Overwrites bytes of an earlier record, but not its first four.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for bytes behind the last record; those of the operating system.
    pub fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.end) {
            return Err(invalid(format_args!("bytes behind the last record")));
        }
        if offset >= self.window.begin() {
            return self.window.store(offset, bytes);
        }
        self.file.write_all_at(bytes, offset)
    }

    /// Brings the place of the next record, of up to `length` bytes, into the cache of this core, so that
    /// [`append`](Self::append) need not wait for memory. To be called after the answer to a record.
    pub fn fetch_next(&self, length: u64) {
        // Pages that are not in memory would come with a page fault each.
        let length = length.min(self.window.populated().saturating_sub(self.end));
        self.window.fetch(self.end, length as usize);
    }

    /// Brings pages for the next `bytes` bytes, at most [`MAX_ROOM`], into memory, so that [`append`](Self::append) need not wait for
    /// them. Does a part of that work, about a microsecond for each page and not more than 16, and returns true if there is
    /// more. To be called when nothing else is to be done. If no further space can be reserved, `append` reports it.
    pub fn make_room(&mut self, bytes: u64) -> bool {
        let bytes = bytes.min(MAX_ROOM);
        if self.window.end() - self.end < bytes {
            let next = Window::new(&self.file, self.end);
            return next.map(|window| self.window = window).is_ok();
        }
        self.window.populate(self.end + bytes, SLICE)
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        // Zeros that stay are the end for readers too.
        let _ = self.file.set_len(self.end);
    }
}

fn invalid(what: std::fmt::Arguments<'_>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fetching_the_next_place_changes_nothing_wherever_the_window_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = opened(&path, 0);
        let record = [7; 100_000];
        for _ in 0..2 * window::LENGTH as usize / record.len() {
            file.fetch_next(u64::MAX);
            file.append(&record).unwrap();
        }
        let end = file.end();
        drop(file);
        let bytes = fs::read(&path).unwrap();
        assert!(bytes == [7].repeat(end as usize));
    }

    fn opened(path: &std::path::Path, end: u64) -> AppendFile {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap();
        AppendFile::new(file, end).unwrap()
    }

    #[test]
    fn records_are_in_the_file_at_once_and_zeros_only_behind_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"header").unwrap();
        let mut mapped = opened(&path, 6);
        assert_eq!(mapped.append(b"first...").unwrap(), 6);
        mapped.overwrite(11, b"abc").unwrap();
        assert_eq!(mapped.append(b"second").unwrap(), 14);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[..20], *b"headerfirstabcsecond");
        assert!(bytes.len() as u64 - 20 <= MAX_RESERVED && bytes[20..].iter().all(|byte| *byte == 0));
        // As after a kill.
        std::mem::forget(mapped);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        let mut mapped = opened(&path, 20);
        mapped.append(b"third").unwrap();
        drop(mapped);
        assert_eq!(fs::read(&path).unwrap(), b"headerfirstabcsecondthird");
    }

    #[test]
    fn records_that_readers_could_not_tell_from_the_end_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut mapped = opened(&folder.path().join("file"), 0);
        for record in [&b"abc"[..], b"\0\0\0\0a", &vec![1; (1 << 20) + 1]] {
            assert_eq!(mapped.append(record).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(mapped.append(b"abcdef").unwrap(), 0);
        assert!(mapped.overwrite(5, b"xx").is_err() && mapped.overwrite(u64::MAX, b"xx").is_err());
        mapped.overwrite(4, b"xx").unwrap();
        assert_eq!(mapped.end(), 6);
    }

    #[test]
    fn a_file_that_must_not_grow_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().write_all(b"abcdef").unwrap();
        let read_only = File::open(&path).unwrap();
        assert!(AppendFile::new(read_only, 6).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"abcdef");
    }

    /// A file in memory that cannot grow after its first window, as on a disk that is full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_record_that_finds_no_space_is_refused_and_the_others_stay() {
        use std::io::{Read, Seek};

        use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

        let mut file = File::from(memfd_create("log", MemfdFlags::ALLOW_SEALING).unwrap());
        let mut mapped = AppendFile::new(file.try_clone().unwrap(), 0).unwrap();
        fcntl_add_seals(&file, SealFlags::GROW).unwrap();
        let record = vec![7; 1 << 20];
        for i in 0..8 {
            assert_eq!(mapped.append(&record).unwrap(), i << 20);
        }
        assert!(!mapped.make_room(MAX_ROOM));
        for _ in 0..2 {
            assert!(mapped.append(&record).is_err());
            assert_eq!(mapped.end(), window::LENGTH);
        }
        mapped.overwrite(4, b"seal").unwrap();
        drop(mapped);
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes[..10], *b"\x07\x07\x07\x07seal\x07\x07");
        assert!(bytes.len() as u64 == window::LENGTH && bytes[8..].iter().all(|byte| *byte == 7));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn the_file_is_the_concatenation_of_the_records(
            records in vec((vec(1u8.., 8..200_000), any::<bool>()), 1..60),
            kept in 0usize..40_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            let mut expected = vec![9; kept];
            fs::write(&path, &expected).unwrap();
            let mut mapped = opened(&path, kept as u64);
            let mut last = None;
            for (record, makes_room) in &records {
                // One record later: the window may have moved on.
                let next = mapped.append(record).unwrap();
                if let Some(last) = last.replace(next) {
                    mapped.overwrite(last + 4, &[8; 4]).unwrap();
                }
                if *makes_room {
                    mapped.make_room(MAX_ROOM);
                }
                expected.extend(&record[..4]);
                expected.extend([8; 4]);
                expected.extend(&record[8..]);
            }
            mapped.overwrite(last.unwrap() + 4, &[8; 4]).unwrap();
            drop(mapped);
            prop_assert!(fs::read(&path).unwrap() == expected);
        }
    }
}
