//! Exactly-once inclusion: the batches of each author that a chain includes, in 16 bytes per author.
//!
//! Authors number their batches. A chain keeps, per author, the highest included number and a bitmap of the 63
//! numbers below it. A number is admitted if it is higher, or within the window and not included; an older number is
//! never admitted. No slot is therefore committed twice, across restarts and proposers, and the state does not grow.
//! An author whose uncommitted batches span less than the window loses none. Numbers may be skipped.

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::ids::Slot;

/// Length of the window per author, including the highest number.
pub const WINDOW: u64 = 64;

/// Included batches of one author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequences {
    top: u64,
    /// Bit i is set if `top − i` is included; bit 0 always is.
    seen: u64,
}

impl Default for Sequences {
    /// Includes only number 0, which no batch has.
    fn default() -> Self {
        Self { top: 0, seen: 1 }
    }
}

impl Sequences {
    /// Returns the highest included number.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// Returns `true` if the number may be included.
    pub fn admits(&self, sequence: u64) -> bool {
        match self.top.checked_sub(sequence) {
            None => true,
            Some(behind) => behind < WINDOW && self.seen >> behind & 1 == 0,
        }
    }

    /// Returns `true` if the number can never be included.
    pub fn excludes(&self, sequence: u64) -> bool {
        !self.admits(sequence)
    }

    /// Includes a number. Returns `false` if it is not admitted.
    pub fn include(&mut self, sequence: u64) -> bool {
        if !self.admits(sequence) {
            return false;
        }
        if sequence > self.top {
            let ahead = sequence - self.top;
            self.seen = if ahead < WINDOW { self.seen << ahead } else { 0 };
            self.top = sequence;
        }
        self.seen |= 1 << (self.top - sequence);
        true
    }
}

/// Included batches of all authors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    authors: Vec<Sequences>,
}

impl Inventory {
    /// Creates the inventory of an empty chain with this number of authors.
    pub fn new(members: u16) -> Self {
        Self { authors: vec![Sequences::default(); members.into()] }
    }

    /// Returns the included batches of an author.
    pub fn author(&self, author: MemberIndex) -> Sequences {
        self.authors.get(usize::from(author)).copied().unwrap_or_default()
    }

    /// Returns `true` if a batch in this slot may be included.
    pub fn admits(&self, slot: Slot) -> bool {
        self.authors.get(usize::from(slot.author)).is_some_and(|author| author.admits(slot.sequence))
    }

    /// Includes a batch. Returns `false` if it is not admitted.
    pub fn include(&mut self, slot: Slot) -> bool {
        self.authors.get_mut(usize::from(slot.author)).is_some_and(|author| author.include(slot.sequence))
    }
}

impl Encode for Inventory {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.authors.len());
        for author in &self.authors {
            w.u64(author.top);
            w.u64(author.seen);
        }
    }
}

impl Decode for Inventory {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let n = r.count("authors", usize::from(u16::MAX))?;
        let mut authors = Vec::with_capacity(n.min(r.remaining() / 16));
        for _ in 0..n {
            let (top, seen) = (r.u64()?, r.u64()?);
            if seen & 1 == 0 {
                return Err(Error::NonCanonical { what: "sequence window" });
            }
            authors.push(Sequences { top, seen });
        }
        Ok(Self { authors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_window_equals_a_set_that_forgets_the_old(numbers in proptest::collection::vec(1u64..400, 0..200)) {
            let mut window = Sequences::default();
            let mut all = BTreeSet::from([0]);
            for number in numbers {
                let top = *all.last().unwrap();
                let admitted = number + WINDOW > top && !all.contains(&number);
                prop_assert_eq!(window.include(number), admitted);
                if admitted {
                    all.insert(number);
                }
                prop_assert_eq!(window.top(), *all.last().unwrap());
            }
        }
    }

    #[test]
    fn the_highest_sequence_is_handled() {
        let mut window = Sequences::default();
        assert!(window.include(u64::MAX) && !window.include(u64::MAX) && !window.include(1));
        assert!(window.include(u64::MAX - 63) && !window.include(u64::MAX - 64));
    }

    #[test]
    fn an_inventory_survives_its_encoding() {
        let mut inventory = Inventory::new(3);
        assert!(inventory.include(Slot { author: 2, sequence: 9 }));
        assert!(!inventory.include(Slot { author: 3, sequence: 9 }));
        assert_eq!(Inventory::decode(&inventory.encode(), &()), Ok(inventory));
    }
}
