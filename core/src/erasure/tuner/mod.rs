//! Finds the fastest parameters by measuring them, and keeps them in a table: section IV-B of the ABFT paper.
//!
//! For each number of shards and each length of message that a committee wants to use, every suite is measured; of
//! suite 3 the word sizes w with 2ʷ above the number of shards, a few of them, and for each a hill is climbed over the
//! packet sizes. What was found goes into a [`Table`], a file, in which a node looks up what to use.
//!
//! This crate has no clock: [`climb`] is handed a function that measures. With the same seed and a function that
//! answers the same, it does the same.
//!
//! **The suite and its parameters decide the bytes of the shards**: all members of a committee use one table, or one
//! row of it. A table that is not the others' makes a node refuse their shards, not decode them wrongly.
//!
//! ```
//! use quorate::erasure::tuner::{Row, Space, Table, climb};
//! use quorate::erasure::{Shape, Suite};
//! use quorate::wire::{Decode, Encode};
//!
//! let shape = Shape::of_committee(100, 25)?;
//! let space = Space::new(shape, 25_000, 1)?;
//! // In earnest: make a `Workload` with these packets, and take the time of its runs.
//! let found = climb(&space, 7, |packets| Ok::<u64, quorate::Error>(packets.packet().abs_diff(64) as u64))?;
//! let best = found.best().unwrap();
//! assert_eq!(best.packets.packet(), 64);
//!
//! let mut table = Table::default();
//! table.insert(Row::new(shape, 25_000, Suite::Jerasure(best.packets), best.cost)?)?;
//! let table = Table::decode(&table.encode(), &())?;
//! assert_eq!(table.best(shape, 30_000, |_| true).map(|row| row.suite()), Some(Suite::Jerasure(best.packets)));
//! # Ok::<(), quorate::Error>(())
//! ```

mod search;
mod table;
mod workload;

pub use search::{Found, Space, Trial, climb};
pub use table::{Row, Table};
pub use workload::{Workload, sample_len};
