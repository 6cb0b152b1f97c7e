//! Sums of all subsets of small groups of keys, the method of the four Russians.

use alloc::vec::Vec;

use super::ffi::Group;
use crate::scheme::SignerSet;

/// Members of a group: a byte of a signer set.
const GROUP: usize = 8;

/// For each group of eight keys, the sums of its 256 subsets.
#[derive(Clone, Debug)]
pub(super) struct GroupSums<G: Group> {
    /// The sums of a group begin at a multiple of 256. A subset's place in its group is its bitmap.
    sums: Vec<G::Affine>,
}

impl<G: Group> GroupSums<G> {
    /// Cost: 32 additions per key, and one inversion per group.
    pub(super) fn new(keys: &[G::Affine]) -> Self {
        Self { sums: keys.chunks(GROUP).flat_map(G::subset_sums).collect() }
    }

    /// The points whose sum is that of the keys of these members, at most one per group.
    pub(super) fn terms(&self, members: &SignerSet) -> Vec<&G::Affine> {
        let groups = members.bytes().enumerate().filter(|(_, subset)| *subset != 0);
        groups.filter_map(|(group, subset)| self.sums.get((group << GROUP) + usize::from(subset))).collect()
    }

    /// Size in bytes.
    pub(super) fn size(&self) -> usize {
        self.sums.len() * size_of::<G::Affine>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ffi::{G1, G2, Scalar};
    use super::*;

    fn keys<G: Group>(n: u16) -> Vec<G::Affine> {
        (0..n).map(|i| G::public_key(&Scalar::derive(&[i as u8 + 1; 32]))).collect()
    }

    fn sums_are_right<G: Group>(n: u16, members: &[u16]) {
        let keys = keys::<G>(n);
        let members = members.iter().map(|member| member % n);
        let set = members.fold(SignerSet::new(n), |mut set, member| {
            set.insert(member);
            set
        });
        let groups = GroupSums::<G>::new(&keys);
        let terms = groups.terms(&set);
        assert!(terms.len() <= usize::from(n).div_ceil(GROUP));
        let expected: Vec<_> = set.iter().map(|member| &keys[usize::from(member)]).collect();
        assert_eq!(G::sum(&terms), G::sum(&expected), "{n} members, {set:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn sums_of_groups_are_the_sums_of_their_members(
            n in 1u16..70,
            members in prop::collection::vec(any::<u16>(), 0..70),
        ) {
            sums_are_right::<G1>(n, &members);
            sums_are_right::<G2>(n, &members);
        }
    }

    #[test]
    fn keys_that_cancel_and_equal_keys_are_added_correctly() {
        let key = keys::<G2>(1)[0];
        let groups = GroupSums::<G2>::new(&[key, G2::negate(&key), key]);
        let sum = |members: &[u16]| {
            let set = SignerSet::from_members(3, members.iter().copied()).unwrap();
            G2::sum(&groups.terms(&set))
        };
        assert!(G2::is_infinity(&sum(&[0, 1])));
        assert_eq!(sum(&[0, 1, 2]), key);
        assert_eq!(sum(&[0, 2]), G2::sum(&[&key, &key]));
        assert!(G2::is_infinity(&sum(&[])));
    }

    #[test]
    fn an_incomplete_group_has_fewer_sums() {
        let size = |n| GroupSums::<G1>::new(&keys::<G1>(n)).size();
        assert_eq!([size(1), size(8), size(11)], [2 * 96, 256 * 96, 264 * 96]);
    }
}
