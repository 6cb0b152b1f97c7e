//! Search for the fastest parameters by measurement, and a table of the results: section IV-B of the ABFT paper.
//!
//! Every suite is measured for each number of shards and each message length that a committee wants to use. For suite
//! 3 these are a few word sizes w, from the smallest with 2ʷ above the number of shards on, and for each word size a
//! hill climb over the packet sizes. The results go into a [`Table`], a file in which a node looks up the suite to
//! use.
//!
//! This crate has no clock: the caller passes [`hill_climb`] a function that measures. The search is deterministic given
//! the seed and the measurements.
//!
//! **The suite and its parameters determine the bytes of the shards**: all members of a committee must use the same
//! table, or the same row of it. A node with another table rejects the members' shards; it never decodes them to a
//! wrong message.
//!
//! ```
//! use quorate::erasure::tuner::{Row, SearchSpace, Table, hill_climb};
//! use quorate::erasure::{Shape, ErasureSuite};
//! use quorate::wire::{Decode, Encode};
//!
//! let shape = Shape::for_committee(100, 25)?;
//! let space = SearchSpace::new(shape, 25_000, 1)?;
//! // In practice: create a `Workload` with these packets, and measure its runs.
//! let found = hill_climb(&space, 7, |packets| Ok::<u64, quorate::Error>(packets.packet().abs_diff(64) as u64))?;
//! let best = found.best().unwrap();
//! assert_eq!(best.packets.packet(), 64);
//!
//! let mut table = Table::default();
//! table.insert(Row::new(shape, 25_000, ErasureSuite::Jerasure(best.packets), best.cost)?)?;
//! let table = Table::decode(&table.encode(), &())?;
//! assert_eq!(table.best(shape, 30_000, |_| true).map(|row| row.suite()), Some(ErasureSuite::Jerasure(best.packets)));
//! # Ok::<(), quorate::Error>(())
//! ```

mod search;
mod table;
mod workload;

pub use search::{Measurement, SearchResult, SearchSpace, hill_climb};
pub use table::{Row, Table};
pub use workload::{Workload, sample_len};
