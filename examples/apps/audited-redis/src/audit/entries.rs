//! The order of the entries and the hashes that bind them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Findings;
use crate::log::{FAR, Found, Raw};

/// What was seen so far.
pub(super) struct Entries {
    highest: u64,
    /// Of the latest entries, the hash that stands in the file and the one that should.
    chains: BTreeMap<u64, [[u8; 32]; 2]>,
    /// Numbers that were passed over: the first, then the one behind the last, and where.
    missing: BTreeMap<u64, (u64, u64)>,
    /// How often numbers were passed over.
    gaps: u64,
    /// The entry that the auditor asks for, and its hash once it came.
    watched: Option<(u64, Option<[u8; 32]>)>,
}

/// Where an entry belongs.
pub(super) struct Place {
    /// Its number; what it must have been, if that was altered.
    pub(super) number: u64,
    /// Whether it is where it belongs, as far as numbers tell.
    pub(super) is_in_order: bool,
    /// Whether it stood before in the same bytes.
    pub(super) is_copy: bool,
    /// What is wrong with its hash.
    pub(super) altered: Option<&'static str>,
}

/// How far behind an entry may stand and still be compared.
const REMEMBERED: usize = 1 << 16;

impl Entries {
    pub(super) fn new(first: [u8; 32], watched: Option<u64>) -> Self {
        let watched = watched.map(|number| (number, (number == 0).then_some(first)));
        let chains = BTreeMap::from([(0, [first; 2])]);
        Self { highest: 0, chains, missing: BTreeMap::new(), gaps: 0, watched }
    }

    /// The number that comes next.
    pub(super) fn next(&self) -> u64 {
        self.highest + 1
    }

    /// How often numbers were passed over so far.
    pub(super) fn gaps(&self) -> u64 {
        self.gaps
    }

    /// The numbers that a search may find.
    pub(super) fn searched(&self) -> Range<u64> {
        1..self.highest + FAR
    }

    /// Number and hash of the last entry.
    pub(super) fn head(&self) -> (u64, [u8; 32]) {
        (self.highest, self.chains.get(&self.highest).map_or([0; 32], |[stated, _]| *stated))
    }

    /// The hash of the entry that the auditor asks for, if it came.
    pub(super) fn watched(&self) -> Option<[u8; 32]> {
        self.watched.and_then(|(_, hash)| hash)
    }

    /// After unreadable bytes: this entry comes.
    pub(super) fn resume_at(&mut self, found: &Found) {
        if found.number <= self.highest {
            return;
        }
        self.highest = found.number - 1;
        match found.previous {
            Some(previous) => _ = self.chains.insert(self.highest, [previous; 2]),
            // Its hash cannot be checked, the next one's can.
            None => _ = self.chains.remove(&self.highest),
        }
    }

    /// Puts an entry into the order.
    pub(super) fn place(&mut self, raw: &Raw<'_>, offset: u64, findings: &mut Findings) -> Place {
        let (mut number, next) = (raw.entry.number, self.next());
        let mut place = Place { number, is_in_order: true, is_copy: false, altered: None };
        if number != next && self.follows(next, |previous| raw.would_follow(previous, next)) {
            (number, place.number) = (next, next);
            place.altered = Some("its number was changed");
        } else if number > next + FAR {
            (number, place.number) = (next, next);
            place.altered = Some("its number cannot be");
        } else if number > next {
            self.missing.insert(next, (number, offset));
            self.gaps += 1;
        } else if number < next {
            place.is_in_order = false;
            if self.was_missing(number) {
                let detail = format!("it stands behind entry {}", self.highest);
                findings.add("REORDERED", number, offset, detail);
            } else {
                place.is_copy = self.chains.get(&number).is_some_and(|[stated, _]| *stated == raw.chain);
                let what = if place.is_copy { "the same bytes stood" } else { "another entry stood" };
                findings.add("DUPLICATE", number, offset, format!("{what} under this number before"));
                return place;
            }
        }
        let known = self.chains.get(&number.wrapping_sub(1)).copied();
        if place.altered.is_none() && known.is_some_and(|known| !known.iter().any(|chain| raw.follows(chain)))
        {
            place.altered = Some("its bytes and its hash do not agree");
        }
        let expected = known.map_or(raw.chain, |[_, expected]| raw.expected_chain(&expected));
        self.chains.insert(number, [raw.chain, expected]);
        if let Some((watched, hash)) = &mut self.watched
            && *watched == number
        {
            *hash = Some(raw.chain);
        }
        if self.chains.len() > REMEMBERED {
            self.chains.pop_first();
        }
        self.highest = self.highest.max(number);
        place
    }

    /// Reports what never came.
    pub(super) fn report_gaps(&mut self, findings: &mut Findings) {
        for (start, (end, offset)) in std::mem::take(&mut self.missing) {
            let detail = match end - start {
                1 => "this entry is missing".to_owned(),
                _ => format!("the entries to {} are missing", end - 1),
            };
            findings.add("GAP", start, offset, detail);
        }
    }

    fn follows(&self, number: u64, test: impl Fn(&[u8; 32]) -> bool) -> bool {
        self.chains.get(&(number - 1)).is_some_and(|known| known.iter().any(test))
    }

    /// Takes a number off the missing ones.
    fn was_missing(&mut self, number: u64) -> bool {
        let before = self.missing.range(..=number).next_back();
        let Some((start, (end, offset))) = before.map(|(start, rest)| (*start, *rest)) else { return false };
        if number >= end {
            return false;
        }
        self.missing.remove(&start);
        for rest in [start..number, number + 1..end] {
            if !rest.is_empty() {
                self.missing.insert(rest.start, (rest.end, offset));
            }
        }
        true
    }
}
