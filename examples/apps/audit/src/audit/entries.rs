//! Checks the order of the entries and their hash chain.

use std::collections::BTreeMap;
use std::ops::Range;

use super::report::Findings;
use crate::Application;
use crate::log::{FoundEntry, MAX_NUMBER_JUMP, RawEntry};

/// State of the checks.
pub(super) struct EntryChain {
    application: &'static Application,
    highest: u64,
    /// Stored and expected hash of each recent entry.
    chains: BTreeMap<u64, [[u8; 32]; 2]>,
    /// Skipped numbers: from the first to the end of the gap, and the offset.
    missing: BTreeMap<u64, (u64, u64)>,
    /// Number of gaps.
    gaps: u64,
    /// Number of the expected head, and its hash once it is read.
    watched: Option<(u64, Option<[u8; 32]>)>,
    /// The last entry, if it has no hash.
    unsealed: Option<UnsealedHash>,
}

/// A hash that is not stored.
pub(super) struct UnsealedHash {
    number: u64,
    /// Offset of the entry, and of its hash.
    offset: u64,
    pub(super) hash_at: u64,
    expected: [u8; 32],
}

/// Position of an entry in the order.
pub(super) struct Position {
    /// Number; the original one, if it was altered.
    pub(super) number: u64,
    /// True if the entry is in order according to its number.
    pub(super) is_in_order: bool,
    /// True if the same bytes occurred before.
    pub(super) is_duplicate: bool,
    /// Fault of its hash.
    pub(super) altered: Option<&'static str>,
}

/// Number of recent entries that are compared.
const MAX_REMEMBERED: usize = 1 << 16;

impl EntryChain {
    pub(super) fn new(application: &'static Application, first: [u8; 32], watched: Option<u64>) -> Self {
        let watched = watched.map(|number| (number, (number == 0).then_some(first)));
        let chains = BTreeMap::from([(0, [first; 2])]);
        Self { application, highest: 0, chains, missing: BTreeMap::new(), gaps: 0, watched, unsealed: None }
    }

    /// Returns the next expected number.
    pub(super) fn next(&self) -> u64 {
        self.highest + 1
    }

    /// Returns the number of gaps so far.
    pub(super) fn gaps(&self) -> u64 {
        self.gaps
    }

    /// Returns the range of numbers that a search accepts.
    pub(super) fn searched(&self) -> Range<u64> {
        1..self.highest + MAX_NUMBER_JUMP
    }

    /// Returns number and hash of the last entry.
    pub(super) fn head(&self) -> (u64, [u8; 32]) {
        (self.highest, self.chains.get(&self.highest).map_or([0; 32], |[stated, _]| *stated))
    }

    /// Returns the hash of the expected head, if it was read.
    pub(super) fn watched(&self) -> Option<[u8; 32]> {
        self.watched.and_then(|(_, hash)| hash)
    }

    /// Continues at an entry found after unreadable bytes.
    pub(super) fn resume_at(&mut self, found: &FoundEntry) {
        if found.number <= self.highest {
            return;
        }
        self.highest = found.number - 1;
        match found.previous {
            Some(previous) => _ = self.chains.insert(self.highest, [previous; 2]),
            // Its hash cannot be checked; the hash of the next entry can.
            None => _ = self.chains.remove(&self.highest),
        }
    }

    /// Determines the position of an entry and reports faults of the order.
    pub(super) fn place(&mut self, raw: &RawEntry<'_>, offset: u64, findings: &mut Findings) -> Position {
        let (application, mut number, next) = (self.application, raw.entry.number, self.next());
        let mut place = Position { number, is_in_order: true, is_duplicate: false, altered: None };
        if number != next && self.follows(next, |previous| raw.would_follow(application, previous, next)) {
            (number, place.number) = (next, next);
            place.altered = Some("its number was changed");
        } else if number > next + MAX_NUMBER_JUMP {
            (number, place.number) = (next, next);
            place.altered = Some("its number is impossible");
        } else if number > next {
            self.missing.insert(next, (number, offset));
            self.gaps += 1;
        } else if number < next {
            place.is_in_order = false;
            if self.was_missing(number) {
                let detail = format!("it is stored after entry {}", self.highest);
                findings.add("REORDERED", number, offset, detail);
            } else {
                place.is_duplicate = self.chains.get(&number).is_some_and(|[stated, _]| *stated == raw.chain);
                let what = if place.is_duplicate {
                    "the same bytes were stored"
                } else {
                    "another entry was stored"
                };
                findings.add("DUPLICATE", number, offset, format!("{what} under this number before"));
                return place;
            }
        }
        let known = self.chains.get(&number.wrapping_sub(1)).copied();
        let expected = known.map_or(raw.chain, |[_, expected]| raw.expected_chain(application, &expected));
        let is_unsealed = place.altered.is_none() && raw.is_unsealed(&expected);
        let stated = if is_unsealed { expected } else { raw.chain };
        if is_unsealed {
            let hash_at = offset + raw.len() as u64 - 32;
            self.unsealed = Some(UnsealedHash { number, offset, hash_at, expected });
        }
        if stated == raw.chain
            && place.altered.is_none()
            && known.is_some_and(|known| !known.iter().any(|chain| raw.follows(application, chain)))
        {
            place.altered = Some("its bytes do not match its hash");
        }
        self.chains.insert(number, [stated, expected]);
        if let Some((watched, hash)) = &mut self.watched
            && *watched == number
        {
            *hash = Some(stated);
        }
        if self.chains.len() > MAX_REMEMBERED {
            self.chains.pop_first();
        }
        self.highest = self.highest.max(number);
        place
    }

    /// Takes the entry before the current position if it has no hash.
    pub(super) fn take_unsealed(&mut self) -> Option<UnsealedHash> {
        self.unsealed.take()
    }

    /// Puts it back: the log ends behind it.
    pub(super) fn restore(&mut self, unsealed: Option<UnsealedHash>) {
        self.unsealed = unsealed;
    }

    /// Reports an entry without a hash, unless `stored`, which was read after its successor, is its hash.
    pub(super) fn report_erased(unsealed: &UnsealedHash, stored: &[u8; 32], findings: &mut Findings) {
        if *stored != unsealed.expected {
            findings.add("ALTERED", unsealed.number, unsealed.offset, "its hash was erased".to_owned());
        }
    }

    /// Reports the last entry if it has no hash.
    pub(super) fn report_unsealed(&mut self, findings: &mut Findings) {
        if let Some(UnsealedHash { number, offset, .. }) = self.unsealed.take() {
            let detail =
                "it has no hash: the server was killed, or is writing; its next start completes the log";
            findings.add("UNSEALED", number, offset, detail.to_owned());
        }
    }

    /// Reports entries that are missing.
    pub(super) fn report_gaps(&mut self, findings: &mut Findings) {
        for (start, (end, offset)) in std::mem::take(&mut self.missing) {
            let detail = match end - start {
                1 => "this entry is missing".to_owned(),
                _ => format!("the entries up to {} are missing", end - 1),
            };
            findings.add("GAP", start, offset, detail);
        }
    }

    fn follows(&self, number: u64, test: impl Fn(&[u8; 32]) -> bool) -> bool {
        self.chains.get(&(number - 1)).is_some_and(|known| known.iter().any(test))
    }

    /// Removes a number from the missing ones; returns true if it was missing.
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
