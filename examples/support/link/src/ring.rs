//! A ring in shared memory for one writer and one reader.
//!
//! ```text
//!  0         written u64, by the writer      128       read u64, by the reader
//!  256       slot 0: length u64, message     …         slot 63
//! ```
//!
//! A writer that is killed leaves only whole messages, because it counts a message after it has written it. The other side can
//! write anything at any time; then messages are wrong or the link closes, and nothing else happens.
#![allow(unsafe_code, reason = "shared memory, which no reference describes")]

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapRaw;

use super::limits::{CAPACITY, Closed, MAX_MESSAGE, SendError};

/// Places of the counters. Processors fetch two cache lines at once.
const WRITTEN: usize = 0;
const READ: usize = 128;
const SLOTS: usize = 256;
/// Length of a slot: a multiple of a cache line.
const SLOT: usize = (HEAD + MAX_MESSAGE).next_multiple_of(64);
/// Length of the length of a message.
const HEAD: usize = 8;
/// Length of the memory.
const LENGTH: usize = SLOTS + CAPACITY * SLOT;

/// The writer's end.
#[derive(Debug)]
pub(super) struct Sender {
    memory: Memory,
    written: u64,
    /// The last known count of the reader, so that its cache line is seldom fetched.
    read: u64,
}

/// The reader's end.
#[derive(Debug)]
pub(super) struct Receiver {
    memory: Memory,
    read: u64,
    /// The last known count of the writer.
    written: u64,
}

/// Creates the memory of a ring. It ends with the last process that has it.
pub(super) fn create() -> Result<File> {
    let file = memory()?;
    file.set_len(LENGTH as u64)?;
    seal(&file)?;
    Ok(file)
}

impl Sender {
    /// Begins to write to a new ring.
    ///
    /// # Errors
    /// I/O errors; [`ErrorKind::InvalidData`] for a file that is no ring.
    pub(super) fn new(file: &File) -> Result<Self> {
        Ok(Self { memory: Memory::new(file)?, written: 0, read: 0 })
    }

    /// Appends a message of at most [`MAX_MESSAGE`] bytes.
    ///
    /// # Errors
    /// [`SendError`]; [`SendError::Closed`] if the reader has counted more than there is.
    pub(super) fn send(&mut self, message: &[u8]) -> std::result::Result<(), SendError> {
        if message.len() > MAX_MESSAGE {
            return Err(SendError::TooLong);
        }
        if self.written.wrapping_sub(self.read) >= CAPACITY as u64 {
            self.read = self.memory.counter(READ).load(Ordering::Acquire);
            match self.written.wrapping_sub(self.read) {
                0..FULL => {}
                FULL => return Err(SendError::Full),
                _ => return Err(SendError::Closed),
            }
        }
        self.memory.write(self.written, message);
        self.written = self.written.wrapping_add(1);
        self.memory.counter(WRITTEN).store(self.written, Ordering::Release);
        Ok(())
    }
}

impl Receiver {
    /// Begins to read a new ring.
    ///
    /// # Errors
    /// Those of [`Sender::new`].
    pub(super) fn new(file: &File) -> Result<Self> {
        Ok(Self { memory: Memory::new(file)?, read: 0, written: 0 })
    }

    /// Replaces `message` by the next message and returns true, or returns false if there is none.
    ///
    /// # Errors
    /// [`Closed`] if the writer has counted more messages than there is room for, or written a length above the maximum.
    pub(super) fn receive(&mut self, message: &mut Vec<u8>) -> std::result::Result<bool, Closed> {
        if self.written == self.read {
            self.written = self.memory.counter(WRITTEN).load(Ordering::Acquire);
            match self.written.wrapping_sub(self.read) {
                0 => return Ok(false),
                1..=FULL => {}
                _ => return Err(Closed),
            }
        }
        self.memory.read(self.read, message)?;
        self.read = self.read.wrapping_add(1);
        self.memory.counter(READ).store(self.read, Ordering::Release);
        Ok(true)
    }
}

/// [`CAPACITY`] as a count.
const FULL: u64 = CAPACITY as u64;

/// A mapping of exactly [`LENGTH`] bytes.
#[derive(Debug)]
struct Memory(MmapRaw);

impl Memory {
    fn new(file: &File) -> Result<Self> {
        if file.metadata()?.len() != LENGTH as u64 || !is_sealed(file)? {
            return Err(Error::new(ErrorKind::InvalidData, "shared memory: the peer's file is no ring"));
        }
        Ok(Self(memmap2::MmapOptions::new().len(LENGTH).map_raw(file)?))
    }

    /// A counter at a place of this module.
    fn counter(&self, place: usize) -> &AtomicU64 {
        // SAFETY: both places are multiples of 8 within the mapping, which begins at a page and lives as long as `self`. Other
        // processes may change the counter, which is what atomics are for.
        unsafe { AtomicU64::from_ptr(self.0.as_mut_ptr().add(place).cast()) }
    }

    /// The beginning of the slot of a message.
    fn slot(&self, number: u64) -> *mut u8 {
        let at = SLOTS + (number % FULL) as usize * SLOT;
        // SAFETY: `at` is the place of one of the slots, which are within the mapping.
        unsafe { self.0.as_mut_ptr().add(at) }
    }

    /// Writes the message with a number. It has at most [`MAX_MESSAGE`] bytes.
    fn write(&self, number: u64, message: &[u8]) {
        let slot = self.slot(number);
        // SAFETY: a slot has room for a length and the longest message. No reference to its bytes exists, because other
        // processes can write to them. A reader that follows the protocol reads them after the counter says so.
        unsafe {
            ptr::write_volatile(slot.cast::<u64>(), message.len() as u64);
            ptr::copy_nonoverlapping(message.as_ptr(), slot.add(HEAD), message.len());
        }
    }

    /// Reads the message with a number.
    fn read(&self, number: u64, message: &mut Vec<u8>) -> std::result::Result<(), Closed> {
        let slot = self.slot(number);
        // SAFETY: the slot begins at a multiple of 8 within the mapping.
        let length = unsafe { ptr::read_volatile(slot.cast::<u64>()) };
        let length = usize::try_from(length).ok().filter(|length| *length <= MAX_MESSAGE).ok_or(Closed)?;
        message.resize(length, 0);
        // SAFETY: the slot has `length` bytes after its length, and so has `message`. No reference to the slot exists; a writer that
        // follows the protocol does not write to it before the counter says so, and another one can only change the bytes.
        unsafe { ptr::copy_nonoverlapping(slot.add(HEAD), message.as_mut_ptr(), length) };
        Ok(())
    }
}

/// Creates a file in memory.
#[cfg(target_os = "linux")]
fn memory() -> Result<File> {
    use rustix::fs::MemfdFlags;

    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    Ok(rustix::fs::memfd_create("quorate-link", flags)?.into())
}

#[cfg(not(target_os = "linux"))]
fn memory() -> Result<File> {
    tempfile::tempfile()
}

/// A file that another process makes shorter would end this one when it touches its memory.
#[cfg(target_os = "linux")]
const SEALS: rustix::fs::SealFlags =
    rustix::fs::SealFlags::SHRINK.union(rustix::fs::SealFlags::GROW).union(rustix::fs::SealFlags::SEAL);

#[cfg(target_os = "linux")]
fn seal(file: &File) -> Result<()> {
    Ok(rustix::fs::fcntl_add_seals(file, SEALS)?)
}

#[cfg(target_os = "linux")]
fn is_sealed(file: &File) -> Result<bool> {
    Ok(rustix::fs::fcntl_get_seals(file)?.contains(SEALS))
}

/// Other systems have no seals: there a peer can end this process.
#[cfg(not(target_os = "linux"))]
fn seal(_: &File) -> Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn is_sealed(_: &File) -> Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn ring() -> (Sender, Receiver) {
        let file = create().unwrap();
        (Sender::new(&file).unwrap(), Receiver::new(&file).unwrap())
    }

    proptest! {
        /// The ring is a queue with a limit.
        #[test]
        fn messages_arrive_whole_and_in_order(steps in vec((any::<bool>(), 0..=MAX_MESSAGE), 0..400)) {
            let (mut sender, mut receiver) = ring();
            let (mut queue, mut received) = (std::collections::VecDeque::new(), Vec::new());
            for (number, (sends, length)) in steps.into_iter().enumerate() {
                if sends {
                    let message = vec![number as u8; length];
                    let sent = sender.send(&message);
                    prop_assert_eq!(sent.is_ok(), queue.len() < CAPACITY);
                    if sent.is_ok() { queue.push_back(message) } else { prop_assert_eq!(sent, Err(SendError::Full)) }
                } else {
                    let expected = queue.pop_front();
                    prop_assert_eq!(receiver.receive(&mut received), Ok(expected.is_some()));
                    prop_assert!(expected.is_none_or(|expected| expected == received));
                }
            }
        }
    }

    #[test]
    fn two_threads_share_a_ring() {
        let (mut sender, mut receiver) = ring();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..20_000_u32 {
                    let message = vec![number as u8; number as usize % 3_000];
                    while sender.send(&message) == Err(SendError::Full) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut message = Vec::new();
            for number in 0..20_000_u32 {
                while !receiver.receive(&mut message).unwrap() {
                    std::thread::yield_now();
                }
                assert!(message == vec![number as u8; number as usize % 3_000], "message {number}");
            }
        });
    }

    #[test]
    fn a_peer_that_writes_anything_only_closes_the_link() {
        for written in [FULL + 1, u64::MAX, 1 << 63] {
            let (sender, mut receiver) = ring();
            sender.memory.counter(WRITTEN).store(written, Ordering::Release);
            assert_eq!(receiver.receive(&mut Vec::new()), Err(Closed));
        }
        for length in [MAX_MESSAGE as u64 + 1, u64::MAX] {
            let (mut sender, mut receiver) = ring();
            sender.send(b"text").unwrap();
            // SAFETY: as in `write`.
            unsafe { ptr::write_volatile(sender.memory.slot(0).cast::<u64>(), length) };
            assert_eq!(receiver.receive(&mut Vec::new()), Err(Closed));
        }
        let (mut sender, receiver) = ring();
        (0..CAPACITY).for_each(|_| sender.send(b"text").unwrap());
        receiver.memory.counter(READ).store(FULL + 1, Ordering::Release);
        assert_eq!(sender.send(b"text"), Err(SendError::Closed));
    }

    #[test]
    fn other_files_are_refused() {
        let other = memory().unwrap();
        other.set_len(LENGTH as u64 - 1).unwrap();
        seal(&other).unwrap();
        assert_eq!(Sender::new(&other).unwrap_err().kind(), ErrorKind::InvalidData);
        #[cfg(target_os = "linux")]
        {
            let unsealed = memory().unwrap();
            unsealed.set_len(LENGTH as u64).unwrap();
            assert_eq!(Receiver::new(&unsealed).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }
}
