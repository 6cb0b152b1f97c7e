//! The part of the file that is in memory.
#![allow(unsafe_code, reason = "stores into a mapping, which no reference describes")]

use std::fs::File;
use std::io;
use std::sync::atomic::{Ordering, fence};

use memmap2::{MmapOptions, MmapRaw};

/// Length of a window.
pub(super) const LENGTH: u64 = 8 << 20;
/// Windows begin at multiples of this: a multiple of all page sizes.
const ALIGNMENT: u64 = 1 << 16;
/// The usual size of a page. Larger ones come into memory as a whole.
const PAGE: u64 = 1 << 12;
/// Length of a cache line.
const LINE: usize = 64;

/// A mapping of reserved space of the file. No reference to its bytes is made, because other processes may read them.
#[derive(Debug)]
pub(super) struct Window {
    map: MmapRaw,
    begin: u64,
    /// Offset in the file up to which the pages are in memory.
    populated: u64,
}

impl Window {
    /// Reserves space behind `end` and maps it.
    pub(super) fn new(file: &File, end: u64) -> io::Result<Self> {
        let begin = end / ALIGNMENT * ALIGNMENT;
        reserve(file, begin, LENGTH)?;
        let map = MmapOptions::new().offset(begin).len(LENGTH as usize).map_raw(file)?;
        Ok(Self { map, begin, populated: end / PAGE * PAGE })
    }

    pub(super) fn populated(&self) -> u64 {
        self.populated
    }

    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    pub(super) fn end(&self) -> u64 {
        self.begin + LENGTH
    }

    /// Stores bytes at an offset of the file.
    pub(super) fn store(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let at = self.position(offset, bytes.len())?;
        // SAFETY: `position` has checked that the bytes end within the mapping, which `self` owns; only this process
        // writes to it, and through `self` alone.
        unsafe { self.map.as_mut_ptr().add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
        Ok(())
    }

    /// Stores four bytes after everything that was stored before.
    pub(super) fn store_last(&self, offset: u64, bytes: [u8; 4]) -> io::Result<()> {
        fence(Ordering::Release);
        self.store(offset, &bytes)
    }

    /// Brings pages below `limit` into memory, at most `slice` bytes, and returns true if there are more.
    pub(super) fn populate(&mut self, limit: u64, slice: u64) -> bool {
        let limit = limit.next_multiple_of(PAGE).min(self.end());
        let length = limit.saturating_sub(self.populated).min(slice);
        if length == 0 {
            return false;
        }
        let at = (self.populated - self.begin) as usize;
        populate(&self.map, at, length as usize);
        self.populated += length;
        self.populated < limit
    }

    /// Loads the cache lines of bytes of the window into the cache of this core.
    pub(super) fn fetch(&self, offset: u64, length: usize) {
        let Ok(at) = self.position(offset, length) else { return };
        for line in (at..at + length).step_by(LINE) {
            // SAFETY: `position` has checked that the bytes end within the mapping, which `self` owns.
            unsafe { self.map.as_ptr().add(line).read_volatile() };
        }
    }

    fn position(&self, offset: u64, length: usize) -> io::Result<usize> {
        let at = offset.checked_sub(self.begin).and_then(|at| usize::try_from(at).ok());
        let at = at.filter(|at| at.checked_add(length).is_some_and(|end| end <= self.map.len()));
        at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "bytes outside of the window"))
    }
}

/// Reserves blocks of the disk, and makes the file longer if it ends before them.
#[cfg(target_os = "linux")]
fn reserve(file: &File, begin: u64, length: u64) -> io::Result<()> {
    let reserve = || rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), begin, length);
    Ok(rustix::io::retry_on_intr(reserve)?)
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Brings pages into memory, if the system is Linux 5.14 or later. Otherwise a page comes with its first store.
#[cfg(target_os = "linux")]
fn populate(map: &MmapRaw, at: usize, length: usize) {
    let _ = map.advise_range(memmap2::Advice::PopulateWrite, at, length);
}

#[cfg(not(target_os = "linux"))]
fn populate(_: &MmapRaw, _: usize, _: usize) {}
