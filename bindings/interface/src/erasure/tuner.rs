//! The tuner's table of the fastest codes. The command `quorate tune-erasure` creates it.

use quorate::Result;
use quorate::erasure::tuner;
use quorate::wire::{Decode, Encode};

use super::{Shape, Suite};
use crate::{AnyLength, Length, Locked};

class! {
    /// Measurement for a shape, a length and a suite: encoding a message of this length and decoding it with f and with
    /// 2f lost shards takes `cost` nanoseconds in total.
    value struct Row(tuner::Row): Clone, Copy, Debug, PartialEq, Eq;
    shown |self, f| {
        write!(f, "Row({}, message={}, {}, cost={})", self.shape(), self.message(), self.suite(), self.cost())
    };
    /// Creates a measurement.
    /// [`Error::TooLarge`](quorate::Error) if the message is longer than any coding allows.
    quick fn new(shape: &Shape, message: Length, suite: &Suite, cost: u64) -> Result<Self> {
        tuner::Row::new(shape.0, message, suite.0, cost).map(Self)
    }
    /// Number of data and parity shards.
    getter fn shape(&self) -> Shape { Shape(self.0.shape()) }
    /// Length of the message in bytes.
    getter fn message(&self) -> Length { self.0.message() }
    /// The suite, with its parameters.
    getter fn suite(&self) -> Suite { Suite(self.0.suite()) }
    /// Cost in nanoseconds.
    getter fn cost(&self) -> u64 { self.0.cost() }
}

class! {
    /// Rows by shape, length and suite, without duplicates: the results of `quorate tune-erasure`. All members of a
    /// committee must use one table, or one row of it, because the suite determines the bytes of the shards.
    object struct Table(Locked<tuner::Table>): Debug;
    shown |self, f| write!(f, "Table({} rows)", self.0.lock().rows().len());
    const MAX_ROWS: u32 = 4096 == tuner::Table::MAX_ROWS, "Maximum number of rows.";
    /// Creates an empty table.
    #[expect(clippy::new_without_default, reason = "languages have constructors, not defaults")]
    quick fn new() -> Self { Self(Locked::default()) }
    /// Decodes a file of the tuner.
    /// [`Error::Malformed`](quorate::Error) for a damaged file.
    fn decode(bytes: &[u8]) -> Result<Self> {
        tuner::Table::decode(bytes, &()).map(|table| Self(Locked::new(table)))
    }
    /// Returns the bytes of the file.
    fn encode(&self) -> Vec<u8> { self.0.lock().encode() }
    /// All rows, ascending by shape, length and suite.
    getter fn rows(&self) -> Vec<Row> { self.0.lock().rows().iter().copied().map(Row).collect() }
    /// Changes the table: adds a row, and replaces one for the same shape, length and suite.
    /// [`Error::TooLarge`](quorate::Error) for more rows than a table may have.
    fn insert(&self, row: &Row) -> Result<()> { self.0.lock().insert(row.0) }
    /// Changes the table: adds all rows of a newer one.
    /// [`Error::TooLarge`](quorate::Error) for more rows than a table may have.
    fn merge(&self, newer: &Table) -> Result<()> {
        // It may be the same table, whose lock is taken once at a time.
        let newer = newer.0.lock().clone();
        self.0.lock().merge(&newer)
    }
    /// Returns the suites that were measured for shards of this shape.
    fn suites(&self, shape: &Shape) -> Vec<Suite> {
        let mut suites: Vec<Suite> = Vec::new();
        for row in self.0.lock().rows().iter().filter(|row| row.shape() == shape.0) {
            if !suites.iter().any(|suite| suite.0 == row.suite()) {
                suites.push(Suite(row.suite()));
            }
        }
        suites
    }
    /// Returns the fastest suite that `allow` accepts for shards of this shape, measured with the length nearest to
    /// `message` as a ratio; nothing if this shape was not measured. By default, `allow` accepts the suites of this
    /// build; a committee whose members have different builds passes the suites that all support.
    fn best(
        &self,
        shape: &Shape,
        message: AnyLength,
        #[cfg_attr(binding, among = "suites", default = "is_available")] allow: &[&Suite],
    ) -> Option<Row> {
        let message = usize::try_from(message).unwrap_or(usize::MAX);
        self.0.lock().best(shape.0, message, |suite| allow.iter().any(|one| one.0 == suite)).copied().map(Row)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        // One lock at a time: another thread may compare the same tables in the other order.
        let other = other.0.lock().clone();
        *self.0.lock() == other
    }
}
