//! The log: a file of entries that form a hash chain.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | the application's magic, for example `QARLOG01` |
//! | 32 | store: random, chosen when the file is created; covered by every signature in it |
//!
//! | bytes | entry |
//! |---|---|
//! | 4 | length of the rest of the entry |
//! | 8 | number, from 1 |
//! | 8 | durable: the last entry that was on disk when this one was written |
//! | 8 | time of receipt by the server's clock, in microseconds; never below that of the previous entry |
//! | 32 | signer |
//! | … | the [signed command](crate::signed::SignedCommand), exactly as the client sent it |
//! | 32 | chain = H(the previous entry's chain ‖ everything above); before entry 1 it is H(header) |
//!
//! H is BLAKE3 in key-derivation mode with the domain of the application. The chain detects changes by parties
//! that cannot rewrite the file. Changes by parties that can, including the server, are detected by the clients'
//! signatures and gapless sequence numbers.
//!
//! **Written before executed.** [`LogWriter::append`] returns once a group of entries is durable, and only then
//! does the server execute their commands. After a crash the file may end within the last group, whose
//! commands were never executed. [`LogWriter::open`] moves such a torn tail into a separate file. It never discards
//! bytes but reserved zeros, and it refuses a log with a damaged entry that a later entry marks as durable.
//!
//! **Sealed later.** A server with a latency of microseconds hashes an entry after it has answered its command:
//! [`LogWriter::append_unsealed`] writes all of an entry but its chain hash. After a kill the last entry may lack its hash; a
//! writer that is opened with [`LogOptions::seals_later`] computes it. The bytes of the entries are the same as those of
//! [`LogWriter::append`].
//!
//! **Through memory.** Such a writer maps reserved space at the end of the file ([`quorate_mapped`]) and stores entries there,
//! because a call of the operating system would take longer than the verification of a signature. While it runs, and after a
//! kill, the file ends with zeros, which are the end of the log for every reader. An entry without its hash has in its place
//! a mark with its number and length, so that no other length is taken for it. Where no space can be reserved, each entry is
//! one call, and its hash is written with the next one.

mod entry;
mod opening;
mod reader;
mod recovery;
mod writer;

pub(crate) use entry::MAX_NUMBER_JUMP;
pub use entry::{Entry, HEADER, MAX_ENTRY, MAX_GROUP, OVERHEAD, RawEntry};
pub use reader::{FoundEntry, Scan, ScanStep};
pub(crate) use recovery::sync_folder;
pub use writer::{LogOptions, LogWriter, NewEntry, Recovery, SyncPolicy};

#[cfg(test)]
mod tests;
