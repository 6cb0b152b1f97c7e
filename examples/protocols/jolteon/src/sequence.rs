//! Exactly once: which batches of an author a chain already has, in sixteen bytes.
//!
//! Every author numbers its batches. A chain keeps, per author, the highest number it has and which of the 63
//! below it has. A number in a block must be higher, or within the window and not there yet; anything older is
//! refused for good. So no slot is committed twice, whatever restarts and whoever proposes, and the state does not
//! grow. An author whose unfinished batches span less than the window never loses one; numbers may be left out.

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::ids::Slot;

/// How many numbers, the highest included, a chain remembers of an author.
pub const WINDOW: u64 = 64;

/// The batches of one author that a chain has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequences {
    top: u64,
    /// Bit i says that `top − i` is there; bit 0 always is.
    seen: u64,
}

impl Default for Sequences {
    /// Nothing but number 0, which no batch has.
    fn default() -> Self {
        Self { top: 0, seen: 1 }
    }
}

impl Sequences {
    /// The highest number there is.
    pub fn top(&self) -> u64 {
        self.top
    }

    /// Whether this number may still come.
    pub fn admits(&self, sequence: u64) -> bool {
        match self.top.checked_sub(sequence) {
            None => true,
            Some(behind) => behind < WINDOW && self.seen >> behind & 1 == 0,
        }
    }

    /// Whether this number can never come any more.
    pub fn excludes(&self, sequence: u64) -> bool {
        !self.admits(sequence)
    }

    /// Notes a number; false if it was not admitted.
    pub fn note(&mut self, sequence: u64) -> bool {
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

/// The batches of all authors that a chain has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    authors: Vec<Sequences>,
}

impl Inventory {
    /// Of an empty chain with that many authors.
    pub fn new(members: u16) -> Self {
        Self { authors: vec![Sequences::default(); members.into()] }
    }

    /// What the chain has of an author.
    pub fn author(&self, author: MemberIndex) -> Sequences {
        self.authors.get(usize::from(author)).copied().unwrap_or_default()
    }

    /// Whether a batch in this slot may still come.
    pub fn admits(&self, slot: Slot) -> bool {
        self.authors.get(usize::from(slot.author)).is_some_and(|author| author.admits(slot.sequence))
    }

    /// Notes a batch; false if it was not admitted.
    pub fn note(&mut self, slot: Slot) -> bool {
        self.authors.get_mut(usize::from(slot.author)).is_some_and(|author| author.note(slot.sequence))
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
                prop_assert_eq!(window.note(number), admitted);
                if admitted {
                    all.insert(number);
                }
                prop_assert_eq!(window.top(), *all.last().unwrap());
            }
        }
    }

    #[test]
    fn a_jump_to_the_end_is_harmless() {
        let mut window = Sequences::default();
        assert!(window.note(u64::MAX) && !window.note(u64::MAX) && !window.note(1));
        assert!(window.note(u64::MAX - 63) && !window.note(u64::MAX - 64));
    }

    #[test]
    fn an_inventory_survives_its_encoding() {
        let mut inventory = Inventory::new(3);
        assert!(inventory.note(Slot { author: 2, sequence: 9 }));
        assert!(!inventory.note(Slot { author: 3, sequence: 9 }));
        assert_eq!(Inventory::decode(&inventory.encode(), &()), Ok(inventory));
    }
}
