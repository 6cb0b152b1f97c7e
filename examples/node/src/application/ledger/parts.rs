//! Parts of the ledger's state, each with what is needed to check it alone.
//!
//! The paths of the trie are divided into prefixes, so that the entries below each fit into one part. The outline has the root
//! of the subtree at each prefix; together they lead to the root of the trie, which the certified state root contains. A part
//! has all entries below its prefix in the order of their paths, so it is checked by computing the root of its subtree: no entry
//! can be changed, left out or added.
//!
//! ```text
//! outline = summary 80 ‖ list of ( depth u8 ‖ subtree )               in the order of the prefixes
//! subtree = 0                                no entries
//!         | 1 ‖ path 32 ‖ hash of the value  one entry
//!         | 2 ‖ hash 32                      more
//! part    = list of ( key: byte string ‖ value: byte string )
//! ```
//!
//! The depths alone determine the prefixes: those of a binary tree's leaves, from left to right. A subtree with one entry is that
//! entry's leaf at any depth, so its root is given with its path: a hash alone could be that of an inner node.

use quorate::Error;
use quorate::wire::{Decode, Encode};

use super::command::{MAX_VALUE, checked_key};
use super::division::{Division, Indexed, Item, agree, divide, fold, subtree};
use super::proof::{Summary, trie_path, value_hash};
use super::records::{SUMMARY, entry_key};
use crate::application::parts::{Entries, Entry, MAX_PARTS, Outline, StateParts, entry_bytes};
use crate::application::trie::{self, Digest, damaged, visit_entries};
use crate::application::{ApplicationError, State};

/// Number of entries that the division of a state keeps in memory, on average: about 5 MB.
const ENTRIES_AT_ONCE: u64 = 1 << 16;

/// The division of the ledger's state.
#[derive(Clone, Copy, Debug, Default)]
pub struct LedgerParts;

/// A checked outline.
#[derive(Debug)]
struct LedgerOutline {
    summary: Summary,
    /// The subtrees with entries, each with its prefix, ascending.
    parts: Vec<(Digest, Item)>,
}

impl StateParts for LedgerParts {
    fn outline(&self, state: &State) -> Result<Vec<u8>, ApplicationError> {
        let summary = Summary::restore(state)?;
        let bits = summary.entries.div_ceil(ENTRIES_AT_ONCE).next_power_of_two().trailing_zeros();
        let mut items = Vec::new();
        for at in 0..1_u32 << bits {
            let prefix = prefix_path(at.checked_shl(32 - bits).unwrap_or(0));
            let mut entries = Vec::new();
            visit(state, &prefix, bits as usize, |entry, key, value| {
                entries.push(Indexed { entry, bytes: entry_bytes(key, &value) });
            })?;
            divide(&entries, bits as usize, &mut items);
        }
        if items.len() > MAX_PARTS {
            return Err(ApplicationError::new(format!("the ledger has more than {MAX_PARTS} parts")));
        }
        Ok(Division { summary, items }.encode())
    }

    fn open(&self, outline: &[u8], root: &[u8; 32]) -> Result<Box<dyn Outline>, Error> {
        let Division { summary, items } = Division::decode(outline, &())?;
        if summary.root() != *root {
            return Err(Error::WrongContext { what: "state root" });
        }
        let (mut rest, mut parts) = (items.as_slice(), Vec::new());
        let trie = fold(&mut rest, &mut [0; 32], 0, &mut parts)?;
        if !rest.is_empty() || trie.hash() != summary.trie_root {
            return Err(Error::WrongContext { what: "root of the trie" });
        }
        Ok(Box::new(LedgerOutline { summary, parts }))
    }
}

impl Outline for LedgerOutline {
    fn parts(&self) -> u32 {
        self.parts.len() as u32
    }

    fn entries(&self) -> Vec<Entry> {
        vec![(SUMMARY.to_vec(), self.summary.encode())]
    }

    fn export(&self, state: &State, part: u32) -> Result<Vec<u8>, ApplicationError> {
        let none = || ApplicationError::new(format!("there is no part {part} of the state"));
        let (prefix, item) = self.parts.get(part as usize).ok_or_else(none)?;
        let mut entries = Vec::new();
        visit(state, prefix, usize::from(item.depth), |_, key, value| entries.push((key.to_vec(), value)))?;
        Ok(Entries(entries).encode())
    }

    fn check(&self, part: u32, bytes: &[u8]) -> Result<Vec<Entry>, Error> {
        let (prefix, item) =
            self.parts.get(part as usize).ok_or(Error::WrongContext { what: "number of the part" })?;
        let Entries(entries) = Entries::decode(bytes, &())?;
        let depth = usize::from(item.depth);
        let mut leaves: Vec<trie::Entry> = Vec::with_capacity(entries.len());
        for (key, value) in &entries {
            if checked_key(key).is_err() || value.len() > MAX_VALUE {
                return Err(Error::Malformed { what: "entry of the ledger" });
            }
            let path = trie_path(key);
            if leaves.last().is_some_and(|last| last.path >= path) {
                return Err(Error::NonCanonical { what: "order of the entries" });
            }
            if !agree(&path, prefix, depth) {
                return Err(Error::WrongContext { what: "prefix of the part" });
            }
            leaves.push(trie::Entry { path, value: value_hash(value) });
        }
        if subtree(&leaves, depth) != item.root {
            return Err(Error::WrongContext { what: "part of the ledger" });
        }
        Ok(entries.into_iter().map(|(key, value)| (entry_key(&key), value)).collect())
    }
}

/// Calls `each` with the entries whose paths begin with the first `bits` bits of `prefix`, in ascending order of paths: with the
/// entry of the trie, the key and the value.
fn visit(
    state: &State,
    prefix: &Digest,
    bits: usize,
    mut each: impl FnMut(trie::Entry, &[u8], Vec<u8>),
) -> Result<(), ApplicationError> {
    visit_entries(state, prefix, bits, |entry, key| {
        let value = state.get(&entry_key(key))?.ok_or_else(damaged)?;
        each(entry, key, value);
        Ok(())
    })
}

/// The path that begins with these 32 bits.
fn prefix_path(prefix: u32) -> Digest {
    let mut path = [0; 32];
    path.iter_mut().zip(prefix.to_be_bytes()).for_each(|(byte, value)| *byte = value);
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::application::ledger::division::{PART_BYTES, Subtree};
    use crate::application::ledger::records::ENTRY;
    use crate::application::trie::bit;
    use crate::application::{Application, Changes, ExecutionBlock, Ledger};

    type Map = BTreeMap<Vec<u8>, Vec<u8>>;

    /// The state after one block of `put`s with values of a length, and its root.
    fn ledger(keys: impl IntoIterator<Item = u32>, length: usize) -> (Map, Digest) {
        let put = |key: u32| [format!("put key{key} ").as_bytes(), &vec![key as u8; length]].concat();
        let puts: Vec<Vec<u8>> = keys.into_iter().map(put).collect();
        let (mut ledger, mut changes, mut map) = (Ledger::default(), Changes::default(), Map::new());
        let views: Vec<&[u8]> = puts.iter().map(Vec::as_slice).collect();
        let root = ledger.execute(&ExecutionBlock::from_transactions(1, 0, &views), &mut changes).unwrap();
        changes.apply_to(&mut map);
        (map, root)
    }

    fn open(map: &Map, root: &Digest) -> (State, Box<dyn Outline>) {
        let state = State::new(Arc::new(map.clone()));
        let outline = LedgerParts.outline(&state).unwrap();
        let opened = LedgerParts.open(&outline, root).unwrap();
        (state, opened)
    }

    #[test]
    fn a_ledger_is_put_together_from_its_parts() {
        for (keys, length, least) in [(0, 0, 0), (1, 4096, 1), (3, 4096, 1), (2_000, 4000, 8)] {
            let (map, root) = ledger(0..keys, length);
            let (state, opened) = open(&map, &root);
            assert!(opened.parts() >= least, "{} parts", opened.parts());
            let mut joined = Map::from_iter(opened.entries());
            for part in 0..opened.parts() {
                let bytes = opened.export(&state, part).unwrap();
                assert!(bytes.len() <= PART_BYTES);
                joined.extend(opened.check(part, &bytes).unwrap());
            }
            // The records of the trie are made again from the entries.
            let entries = map.into_iter().filter(|(key, _)| [ENTRY, SUMMARY[0]].contains(&key[0]));
            assert_eq!(joined, entries.collect());
            assert!(opened.export(&state, opened.parts()).is_err());
        }
    }

    #[test]
    fn the_state_before_the_first_block_has_no_parts() {
        let mut genesis = Ledger::default();
        let root = genesis.restore(State::empty(), 0).unwrap();
        let (_, opened) = open(&Map::new(), &root);
        let summary = (SUMMARY.to_vec(), Summary::default().encode());
        assert_eq!((opened.parts(), opened.entries()), (0, vec![summary]));
    }

    #[test]
    fn an_outline_is_checked_against_the_root() {
        let (map, root) = ledger(0..2_000, 4000);
        let outline = LedgerParts.outline(&State::new(Arc::new(map))).unwrap();
        for at in 0..outline.len() {
            let mut changed = outline.clone();
            changed[at] ^= 1;
            assert!(LedgerParts.open(&changed, &root).is_err(), "byte {at}");
        }
        assert!(LedgerParts.open(&outline, &[7; 32]).is_err());
        assert!(LedgerParts.open(&outline[..outline.len() - 1], &root).is_err());
        assert!(LedgerParts.open(&[&outline[..], &[0]].concat(), &root).is_err());
    }

    /// An inner node that is passed off as the only leaf beside an empty subtree would hide all entries.
    #[test]
    fn an_empty_subtree_beside_the_whole_trie_is_refused() {
        let (map, root) = ledger(0..10, 5);
        let state = State::new(Arc::new(map));
        let summary = Summary::restore(&state).unwrap();
        let whole = Subtree::Inner(summary.trie_root);
        let item = |depth, root| Item { depth, root };
        for (left, right) in [(Subtree::Empty, whole), (whole, Subtree::Empty)] {
            let lie = Division { summary, items: vec![item(1, left), item(1, right)] };
            assert!(LedgerParts.open(&lie.encode(), &root).is_err());
        }
        // Empty subtrees beside others are part of a valid division.
        let (map, root) = ledger([1], 5);
        let state = State::new(Arc::new(map));
        let (summary, path) = (Summary::restore(&state).unwrap(), trie_path(b"key1"));
        let leaf = Subtree::Leaf(trie::Entry { path, value: value_hash(&[1; 5]) });
        let (left, right) = if bit(&path, 0) { (Subtree::Empty, leaf) } else { (leaf, Subtree::Empty) };
        let valid = Division { summary, items: vec![item(1, left), item(1, right)] };
        assert_eq!(LedgerParts.open(&valid.encode(), &root).unwrap().parts(), 1);
        let mirrored = Division { summary, items: vec![item(1, right), item(1, left)] };
        assert!(LedgerParts.open(&mirrored.encode(), &root).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_other_part_is_accepted(
            keys in prop::collection::btree_set(0..500_u32, 1..20), at: prop::sample::Index, flip in 1..=255_u8,
            cut: prop::sample::Index, added in 500..600_u32,
        ) {
            let (map, root) = ledger(keys.iter().copied(), 10);
            let (state, opened) = open(&map, &root);
            let bytes = opened.export(&state, 0).unwrap();
            prop_assert!(opened.check(0, &bytes).is_ok());
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] ^= flip;
            prop_assert!(opened.check(0, &changed).is_err());
            prop_assert!(opened.check(0, &bytes[..cut.index(bytes.len())]).is_err());
            prop_assert!(opened.check(0, &[&bytes[..], &[0]].concat()).is_err());
            prop_assert!(opened.check(1, &bytes).is_err());
            let entries = Entries::decode(&bytes, &()).unwrap();
            let mut missing = entries.clone();
            missing.0.remove(at.index(entries.0.len()));
            prop_assert!(opened.check(0, &missing.encode()).is_err());
            let mut more = entries;
            more.0.push((format!("key{added}").into_bytes(), vec![1]));
            more.0.sort_by_key(|(key, _)| trie_path(key));
            prop_assert!(opened.check(0, &more.encode()).is_err());
        }

        #[test]
        fn outlines_decode_to_what_was_encoded(
            depths in prop::collection::vec((any::<u8>(), 0..3_u8, any::<[u8; 32]>()), 0..20)
        ) {
            let items = depths.into_iter().map(|(depth, kind, hash)| {
                let root = match kind {
                    0 => Subtree::Empty,
                    1 => Subtree::Leaf(trie::Entry { path: hash, value: [7; 32] }),
                    _ => Subtree::Inner(hash),
                };
                Item { depth, root }
            });
            let division = Division { summary: Summary::default(), items: items.collect() };
            prop_assert_eq!(Division::decode(&division.encode(), &()).unwrap(), division);
        }
    }
}
