use alloc::vec::Vec;

use crate::erasure::{Coding, ErasureSuite, Shape};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The measured cost of a suite for a shape and a message length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    shape: Shape,
    message: u32,
    suite: ErasureSuite,
    cost: u64,
}

/// Rows sorted by shape, length and suite, at most one of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
}

impl Row {
    /// Creates a row: encoding a message of `message` bytes and decoding it with f and with 2f shards lost takes
    /// `cost` nanoseconds in total with this suite.
    ///
    /// # Errors
    /// As [`Coding::new`].
    pub fn new(shape: Shape, message: usize, suite: ErasureSuite, cost: u64) -> Result<Self> {
        Coding::new(suite, shape, message)?;
        let too_large = Error::TooLarge { what: "erasure-coded message", limit: u32::MAX.into() };
        Ok(Self { shape, message: u32::try_from(message).map_err(|_| too_large)?, suite, cost })
    }

    /// Returns the numbers of shards.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the message length in bytes.
    pub fn message(&self) -> usize {
        self.message as usize
    }

    /// Returns the suite with its parameters.
    pub fn suite(&self) -> ErasureSuite {
        self.suite
    }

    /// Returns the cost in nanoseconds.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    fn key(&self) -> (Shape, u32, u8) {
        (self.shape, self.message, self.suite.number())
    }
}

impl Table {
    /// Maximum number of rows.
    pub const MAX_ROWS: usize = 4096;

    /// Returns all rows, ascending by shape, length and suite.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Adds a row, replacing one for the same shape, length and suite.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the table is full.
    pub fn insert(&mut self, row: Row) -> Result<()> {
        match self.rows.binary_search_by_key(&row.key(), Row::key) {
            Ok(at) => {
                if let Some(old) = self.rows.get_mut(at) {
                    *old = row;
                }
            }
            Err(_) if self.rows.len() >= Self::MAX_ROWS => return Err(too_many()),
            Err(at) => self.rows.insert(at, row),
        }
        Ok(())
    }

    /// Adds all rows of a newer table, replacing existing ones.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the table is full.
    pub fn merge(&mut self, newer: &Table) -> Result<()> {
        newer.rows.iter().try_for_each(|row| self.insert(*row))
    }

    /// Returns the fastest row that `allow` accepts for shards of this shape, measured with the length nearest to
    /// `message` by ratio; the shorter of two equally near lengths. Returns `None` if there is none for this shape.
    pub fn best(&self, shape: Shape, message: usize, allow: impl Fn(ErasureSuite) -> bool) -> Option<&Row> {
        let wanted = message.max(1) as u128;
        // Ratio of the lengths as a fraction.
        let ratio = |row: &Row| {
            let length = u128::from(row.message.max(1));
            (length.max(wanted), length.min(wanted))
        };
        let nearer = |a: &Row, b: &Row| {
            let ((high_a, low_a), (high_b, low_b)) = (ratio(a), ratio(b));
            (high_a * low_b).cmp(&(high_b * low_a)).then(a.message.cmp(&b.message))
        };
        let candidates = self.rows.iter().filter(|row| row.shape == shape && allow(row.suite));
        candidates.min_by(|a, b| nearer(a, b).then(a.cost.cmp(&b.cost)))
    }
}

impl Encode for Row {
    fn encode_to(&self, w: &mut Writer) {
        self.shape.encode_to(w);
        w.u32(self.message);
        self.suite.encode_to(w);
        w.u64(self.cost);
    }
}

impl Decode for Row {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (shape, message) = (Shape::decode_from(r, &())?, r.u32()? as usize);
        Self::new(shape, message, ErasureSuite::decode_from(r, &())?, r.u64()?)
    }
}

impl Encode for Table {
    fn encode_to(&self, w: &mut Writer) {
        let mut rows = Writer::new();
        rows.list(&self.rows);
        let rows = rows.into_bytes();
        w.raw(&rows);
        w.raw(&domain::hash(domain::ERASURE_TABLE, &rows));
    }
}

/// The checksum detects damaged and foreign files. It does not authenticate the table.
impl Decode for Table {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let rows: Vec<Row> = r.list("rows of an erasure table", Self::MAX_ROWS, &())?;
        if !rows.is_sorted_by(|a, b| a.key() < b.key()) {
            return Err(Error::NonCanonical { what: "order of an erasure table" });
        }
        let table = Self { rows };
        let mut again = Writer::new();
        again.list(&table.rows);
        if r.array()? != domain::hash(domain::ERASURE_TABLE, &again.into_bytes()) {
            return Err(Error::Malformed { what: "checksum of an erasure table" });
        }
        Ok(table)
    }
}

fn too_many() -> Error {
    Error::TooLarge { what: "rows of an erasure table", limit: Table::MAX_ROWS as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erasure::Packets;
    use proptest::prelude::*;

    fn row(members: u16, message: usize, suite: ErasureSuite, cost: u64) -> Row {
        Row::new(Shape::for_committee(members, members / 4).unwrap(), message, suite, cost).unwrap()
    }

    fn jerasure(log2: u8) -> ErasureSuite {
        ErasureSuite::Jerasure(Packets::new(7, log2).unwrap())
    }

    fn table(rows: &[Row]) -> Table {
        let mut table = Table::default();
        rows.iter().for_each(|row| table.insert(*row).unwrap());
        table
    }

    #[test]
    fn a_newer_row_replaces_the_older_one() {
        let mut old = table(&[row(100, 25_000, jerasure(3), 9), row(100, 25_000, ErasureSuite::Leopard, 5)]);
        old.merge(&table(&[row(100, 25_000, jerasure(5), 7), row(4, 25_000, ErasureSuite::Leopard, 1)]))
            .unwrap();
        let suites: Vec<_> = old.rows().iter().map(|row| (row.suite(), row.cost())).collect();
        assert_eq!(suites, [(ErasureSuite::Leopard, 1), (ErasureSuite::Leopard, 5), (jerasure(5), 7)]);
    }

    #[test]
    fn the_nearest_length_counts_and_then_the_least_cost() {
        let table = table(&[
            row(100, 1_000, ErasureSuite::Gf8, 1),
            row(100, 1_000, jerasure(0), 2),
            row(100, 100_000, ErasureSuite::Gf8, 90),
            row(100, 100_000, ErasureSuite::Leopard, 40),
            row(4, 20_000, ErasureSuite::Leopard, 1),
        ]);
        let shape = Shape::for_committee(100, 25).unwrap();
        let best = |message| table.best(shape, message, |_| true).map(|row| (row.message(), row.suite()));
        assert_eq!(best(0), Some((1_000, ErasureSuite::Gf8)));
        assert_eq!(best(10_000), Some((1_000, ErasureSuite::Gf8)), "as near as the other");
        assert_eq!(best(10_001), Some((100_000, ErasureSuite::Leopard)));
        assert_eq!(best(usize::MAX), Some((100_000, ErasureSuite::Leopard)));
        let only = table.best(shape, 50_000, |suite| matches!(suite, ErasureSuite::Jerasure(_)));
        assert_eq!(only.map(Row::suite), Some(jerasure(0)));
        assert_eq!(table.best(Shape::for_committee(7, 1).unwrap(), 1_000, |_| true), None);
    }

    #[test]
    fn a_table_has_a_maximum_number_of_rows() {
        let mut full = table(&(0..4096).map(|i| row(4, i, ErasureSuite::Gf8, 1)).collect::<Vec<_>>());
        assert_eq!(full.insert(row(4, 5, ErasureSuite::Gf8, 2)), Ok(()));
        assert_eq!(full.insert(row(4, 5000, ErasureSuite::Gf8, 1)), Err(too_many()));
        assert_eq!(Table::decode(&full.encode(), &()), Ok(full));
        let refused = Table::decode(&4097u32.to_le_bytes(), &());
        assert_eq!(refused, Err(too_many()));
    }

    #[test]
    fn damaged_disordered_and_impossible_rows_are_refused() {
        let good = table(&[row(4, 5, ErasureSuite::Gf8, 1), row(4, 6, ErasureSuite::Gf8, 1)]);
        let code = |bytes: &[u8]| Table::decode(bytes, &()).map_err(|error| error.code());
        for at in 0..good.encode().len() {
            let mut bytes = good.encode();
            bytes[at] ^= 1;
            assert!(code(&bytes).is_err(), "byte {at}");
        }
        let backwards = Table { rows: good.rows.iter().rev().copied().collect() };
        assert_eq!(code(&backwards.encode()), Err("NON_CANONICAL"));
        let twice = Table { rows: [good.rows[0]; 2].into() };
        assert_eq!(code(&twice.encode()), Err("NON_CANONICAL"));
        let mut impossible = good.clone();
        impossible.rows[0].suite = ErasureSuite::Jerasure(Packets::new(2, 0).unwrap());
        impossible.rows[0].shape = Shape::new(3, 2).unwrap();
        assert_eq!(code(&impossible.encode()), Err("BAD_SHAPE"));
    }

    proptest! {
        #[test]
        fn tables_encode_to_the_same_bytes(
            rows in proptest::collection::vec((1u16..300, 0usize..1 << 30, 0u8..3, any::<u64>()), 0..20),
        ) {
            let mut all = Table::default();
            for (members, message, suite, cost) in rows {
                let suite = [ErasureSuite::Leopard, ErasureSuite::Gf8, jerasure(4)][usize::from(suite)];
                if let Ok(row) = Row::new(Shape::for_committee(members, 0).unwrap(), message, suite, cost) {
                    all.insert(row)?;
                }
            }
            let bytes = all.encode();
            let again = Table::decode(&bytes, &())?;
            prop_assert_eq!(again.encode(), bytes);
            prop_assert_eq!(again, all);
        }
    }
}
