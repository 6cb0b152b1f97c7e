use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::machine::MemberIndex;
use crate::{Error, Result};

/// A set of members of a committee of `n` members.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignerSet {
    n: u16,
    count: u16,
    words: Vec<u64>,
}

impl SignerSet {
    /// Creates the empty set of a committee of `n` members.
    pub fn new(n: u16) -> Self {
        Self { n, count: 0, words: vec![0; usize::from(n).div_ceil(64)] }
    }

    /// Creates the set of the given members of a committee of `n`, which may be in any order.
    ///
    /// At most `n` + 1 items of `members` are read, because that number cannot all be different members.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] for an index that the committee does not have, [`Error::DuplicateSigner`] for a repeated
    /// index.
    pub fn from_members(n: u16, members: impl IntoIterator<Item = impl Into<u32>>) -> Result<Self> {
        let mut set = Self::new(n);
        for index in members.into_iter().map(Into::into) {
            let member = MemberIndex::try_from(index).ok().filter(|member| *member < n);
            if !set.insert(member.ok_or(Error::UnknownSigner { index })?) {
                return Err(Error::DuplicateSigner { index });
            }
        }
        Ok(set)
    }

    /// Creates the set of all members of a committee of `n` members.
    pub fn full(n: u16) -> Self {
        Self::new(n).complement()
    }

    /// Returns the number of members of the committee.
    pub fn committee_len(&self) -> u16 {
        self.n
    }

    /// Returns the number of members in the set.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a member. Returns false if it is already in the set or the committee has no such member.
    pub fn insert(&mut self, index: MemberIndex) -> bool {
        if index >= self.n {
            return false;
        }
        let bit = 1u64 << (index % 64);
        match self.words.get_mut(usize::from(index / 64)) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    /// Removes a member. Returns false if it is not in the set.
    pub fn remove(&mut self, index: MemberIndex) -> bool {
        if !self.contains(index) {
            return false;
        }
        if let Some(word) = self.words.get_mut(usize::from(index / 64)) {
            *word &= !(1u64 << (index % 64));
            self.count -= 1;
        }
        true
    }

    /// Returns true if the member is in the set.
    pub fn contains(&self, index: MemberIndex) -> bool {
        self.words.get(usize::from(index / 64)).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns the member with the lowest index.
    pub fn first(&self) -> Option<MemberIndex> {
        self.iter().next()
    }

    /// Returns the member with the highest index.
    pub fn last(&self) -> Option<MemberIndex> {
        let (i, word) = self.words.iter().enumerate().rfind(|(_, word)| **word != 0)?;
        Some((i * 64 + word.ilog2() as usize) as MemberIndex)
    }

    /// Iterates over the members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = MemberIndex> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            core::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
                .take_while(|w| *w != 0)
                .map(move |w| (i * 64 + w.trailing_zeros() as usize) as MemberIndex)
        })
    }

    /// The bitmap by groups of eight members, the first member of a group in the lowest bit of its byte. Bytes past the
    /// last member are zero.
    #[cfg(feature = "group-sums")]
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.words.iter().flat_map(|word| word.to_le_bytes())
    }

    /// Returns the set of the committee's members that are not in this set.
    pub fn complement(&self) -> Self {
        Self::from_words(self.n, self.words.iter().map(|w| !w).collect())
    }

    /// Returns the members of both sets. The sets should belong to the same committee.
    pub fn intersection(&self, other: &Self) -> Self {
        let words: Vec<u64> = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        Self::from_words(self.n, words)
    }

    /// Returns the members of either set. The sets should belong to the same committee; members of the other set that
    /// this committee does not have are left out.
    pub fn union(&self, other: &Self) -> Self {
        let others = other.words.iter().copied().chain(core::iter::repeat(0));
        let words: Vec<u64> = self.words.iter().zip(others).map(|(a, b)| a | b).collect();
        Self::from_words(self.n, words)
    }

    /// Returns true if the two sets have no member in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }

    /// Returns the number of members that the two sets have in common.
    pub fn overlap(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns true if every member of this set is in the other set. The sets should belong to the same committee.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.overlap(other) == self.len()
    }

    /// Builds a set from its bitmap and clears the bits of members that the committee does not have.
    fn from_words(n: u16, mut words: Vec<u64>) -> Self {
        words.resize(usize::from(n).div_ceil(64), 0);
        clear_unused(n, &mut words);
        let count = words.iter().map(|w| w.count_ones() as u16).sum();
        Self { n, count, words }
    }
}

fn clear_unused(n: u16, words: &mut [u64]) {
    let used = n % 64;
    if let (Some(last), true) = (words.last_mut(), used != 0) {
        *last &= (1u64 << used) - 1;
    }
}

impl fmt::Debug for SignerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignerSet(")?;
        f.debug_list().entries(self.iter()).finish()?;
        write!(f, " of {})", self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    #[test]
    fn a_union_adds_no_member_outside_the_committee() {
        let (small, large) = (SignerSet::new(3), SignerSet::full(200));
        let union = small.union(&large);
        assert!(union.iter().eq(0..3) && union.len() == 3);
        assert_eq!(union.complement().len(), 0);
        assert_eq!(large.union(&small), large);
        assert_eq!(large.intersection(&SignerSet::full(3)).len(), 3);
    }

    #[test]
    fn a_list_must_name_known_and_distinct_members() {
        assert!(SignerSet::from_members(4, [3u16, 1]).unwrap().iter().eq([1, 3]));
        assert_eq!(SignerSet::from_members(4, [1u16, 1]), Err(Error::DuplicateSigner { index: 1 }));
        assert_eq!(SignerSet::from_members(4, [9u16]), Err(Error::UnknownSigner { index: 9 }));
        assert_eq!(
            SignerSet::from_members(u16::MAX, [65_535u32]),
            Err(Error::UnknownSigner { index: 65_535 })
        );
        assert_eq!(
            SignerSet::from_members(u16::MAX, [65_536u32]),
            Err(Error::UnknownSigner { index: 65_536 })
        );
        // The constructor stops reading an endless list.
        assert_eq!(SignerSet::from_members(4, 0u32..), Err(Error::UnknownSigner { index: 4 }));
        assert_eq!(
            SignerSet::from_members(4, core::iter::repeat(2u16)),
            Err(Error::DuplicateSigner { index: 2 })
        );
    }

    proptest! {
        #[test]
        fn agrees_with_a_btree_set(
            n in 1u16..300,
            a in proptest::collection::vec(0u16..320, 0..80),
            b in proptest::collection::vec(0u16..320, 0..80),
        ) {
            let build = |items: &[u16]| {
                let (mut set, mut plain) = (SignerSet::new(n), BTreeSet::new());
                for &i in items {
                    assert_eq!(set.insert(i), i < n && plain.insert(i));
                }
                (set, plain)
            };
            let ((a, pa), (b, pb)) = (build(&a), build(&b));
            prop_assert!(a.iter().eq(pa.iter().copied()));
            prop_assert_eq!(a.len(), pa.len());
            prop_assert_eq!((a.first(), a.last()), (pa.first().copied(), pa.last().copied()));
            prop_assert!(a.union(&b).iter().eq(pa.union(&pb).copied()));
            prop_assert!(a.intersection(&b).iter().eq(pa.intersection(&pb).copied()));
            prop_assert_eq!(a.is_disjoint(&b), pa.is_disjoint(&pb));
            prop_assert_eq!(a.overlap(&b), pa.intersection(&pb).count());
            prop_assert_eq!(a.is_subset(&b), pa.is_subset(&pb));
            prop_assert!(a.is_subset(&a.union(&b)));
            prop_assert!(a.complement().iter().eq((0..n).filter(|i| !pa.contains(i))));
            prop_assert_eq!(a.complement().complement(), a.clone());
            prop_assert_eq!(SignerSet::full(n).len(), usize::from(n));
            let mut rest = a.clone();
            for i in 0..320 {
                prop_assert_eq!(rest.remove(i), pa.contains(&i));
                prop_assert_eq!(rest.contains(i), false);
                prop_assert_eq!(a.contains(i), pa.contains(&i));
            }
            prop_assert_eq!(rest, SignerSet::new(n));
        }
    }
}
