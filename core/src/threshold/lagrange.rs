//! Lagrange interpolation at zero, the position of the secret.
//!
//! For a set of indices the polynomial through their shares has the value Σ λᵢ · shareᵢ at zero, in the field or, with
//! elements as shares, in the exponent. The coefficients λᵢ = Π xⱼ / (xⱼ − xᵢ) depend on the set alone. In a stable
//! network usually the same members answer first, so a [`Cache`] of coefficients pays off.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::group::{Field, Group};
use super::index::ShareIndex;
use crate::{Error, Result};

/// Distinct indices, ascending, at least one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IndexSet(Vec<ShareIndex>);

impl IndexSet {
    /// Sorts the indices.
    ///
    /// # Errors
    /// [`Error::DuplicateSigner`] for a repeated index, [`Error::BelowQuorum`] for none at all.
    pub fn new(indices: impl IntoIterator<Item = ShareIndex>) -> Result<Self> {
        let mut indices: Vec<_> = indices.into_iter().collect();
        indices.sort_unstable();
        let twins = indices.iter().zip(indices.iter().skip(1)).find(|(a, b)| a == b);
        if let Some((twin, _)) = twins {
            return Err(Error::DuplicateSigner { index: twin.member().into() });
        }
        if indices.is_empty() {
            return Err(Error::BelowQuorum { signed: 0, needed: 1 });
        }
        Ok(Self(indices))
    }

    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns false: a set has at least one index.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the indices, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ShareIndex> + '_ {
        self.0.iter().copied()
    }
}

/// Returns the coefficients of a set at zero, in its order. Cost, in variable time: one inversion and 3t
/// multiplications in the field, t² of words, and for each index as many in the field as its differences fill 128
/// bits: t²/18 for indices up to 128.
pub fn at_zero<F: Field>(set: &IndexSet) -> Vec<F> {
    let mut coefficients: Vec<F> = (0..set.len()).map(|rank| product_of_differences(set, rank)).collect();
    divide_by_all(product(set.iter().map(ShareIndex::get)), &mut coefficients);
    coefficients
}

/// Returns xᵢ · Π (xⱼ − xᵢ) over all others, for the index of this rank.
fn product_of_differences<F: Field>(set: &IndexSet, rank: usize) -> F {
    let (below, rest) = set.0.split_at_checked(rank).unwrap_or_default();
    let Some((at, above)) = rest.split_first() else { return F::ONE };
    let at = at.get();
    let below = below.iter().map(|other| at - other.get());
    let product: F = product(below.chain(above.iter().map(|other| other.get() - at)).chain([at]));
    if rank % 2 == 1 { -product } else { product }
}

/// Multiplies small factors: in words while they fit, then in the field.
fn product<F: Field>(factors: impl Iterator<Item = u16>) -> F {
    let (mut product, mut wide, mut word) = (None, 1u64, 1u64);
    let times = |product: Option<F>, wide: u64, word: u64| {
        let both = F::from_u128(u128::from(wide) * u128::from(word));
        product.map_or(both, |product| product * both)
    };
    for factor in factors.map(u64::from) {
        word = word.checked_mul(factor).unwrap_or_else(|| {
            if wide == 1 {
                wide = word;
            } else {
                product = Some(times(product, wide, word));
                wide = 1;
            }
            factor
        });
    }
    times(product, wide, word)
}

/// Inverts nonzero public numbers, as [`divide_by_all`].
pub(super) fn invert_all<F: Field>(values: &mut [F]) {
    divide_by_all(F::ONE, values);
}

/// Replaces nonzero public numbers by `dividend` divided by each, with one inversion and three multiplications each.
/// If a number is zero, all results are zero.
fn divide_by_all<F: Field>(dividend: F, values: &mut [F]) {
    let mut product = F::ONE;
    let mut before = Vec::with_capacity(values.len());
    for value in &*values {
        before.push(product);
        product *= *value;
    }
    let mut quotient = product.invert_public().map_or(F::ZERO, |inverse| dividend * inverse);
    for (value, before) in values.iter_mut().zip(before).rev() {
        (quotient, *value) = (quotient * *value, quotient * before);
    }
}

/// Returns Σ λᵢ · valueᵢ in the field: the value at zero. Cost: a multiplication each.
pub fn interpolate<F: Field>(coefficients: &[F], values: impl IntoIterator<Item = F>) -> F {
    coefficients.iter().zip(values).fold(F::ZERO, |sum, (coefficient, value)| sum + *coefficient * value)
}

/// Returns Σ λᵢ · elementᵢ in the exponent. Cost: as [`Group::public_sum`].
pub fn interpolate_elements<G: Group>(
    coefficients: &[G::Scalar],
    elements: impl IntoIterator<Item = G::Element>,
) -> G::Element {
    let terms: Vec<_> = coefficients.iter().copied().zip(elements).collect();
    G::public_sum(&terms)
}

/// A cache of the coefficients of the most recently used sets.
///
/// Memory: per set 34 bytes for each of its indices.
pub struct Cache<F: Field> {
    capacity: usize,
    clock: u64,
    sets: BTreeMap<IndexSet, (u64, Arc<[F]>)>,
}

impl<F: Field> Cache<F> {
    /// Default maximum number of sets.
    pub const DEFAULT_CAPACITY: usize = 16;

    /// Creates a cache of at most `capacity` sets, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), clock: 0, sets: BTreeMap::new() }
    }

    /// Returns the coefficients at zero. Cost: t comparisons if the set is cached, that of [`at_zero`] if not.
    pub fn at_zero(&mut self, set: &IndexSet) -> Arc<[F]> {
        self.clock += 1;
        if let Some((used, coefficients)) = self.sets.get_mut(set) {
            *used = self.clock;
            return coefficients.clone();
        }
        if self.sets.len() >= self.capacity {
            let oldest = self.sets.iter().min_by_key(|(_, (used, _))| *used).map(|(set, _)| set.clone());
            oldest.map(|set| self.sets.remove(&set));
        }
        let coefficients: Arc<[F]> = at_zero(set).into();
        self.sets.insert(set.clone(), (self.clock, coefficients.clone()));
        coefficients
    }

    /// Returns the number of cached sets.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns true if no set is cached.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}

impl<F: Field> Default for Cache<F> {
    fn default() -> Self {
        Self::new(Self::DEFAULT_CAPACITY)
    }
}

impl<F: Field> fmt::Debug for Cache<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cache({} of {} sets)", self.sets.len(), self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use curve25519_dalek::scalar::Scalar;
    use proptest::prelude::*;

    fn set(indices: &[u16]) -> IndexSet {
        IndexSet::new(indices.iter().map(|i| ShareIndex::from_member(i - 1).unwrap())).unwrap()
    }

    /// Computes the coefficients as the definition states, factor by factor.
    fn plain<F: Field>(set: &IndexSet) -> Vec<F> {
        let coefficient = |i: ShareIndex| {
            set.iter().filter(|j| *j != i).fold(F::ONE, |product, j| {
                product * j.scalar() * (j.scalar::<F>() - i.scalar()).invert().unwrap()
            })
        };
        set.iter().map(coefficient).collect()
    }

    proptest! {
        #[test]
        fn the_fast_coefficients_are_the_plain_ones(
            indices in proptest::collection::btree_set(1u16.., 1..40),
        ) {
            let set = set(&indices.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(at_zero::<Scalar>(&set), plain::<Scalar>(&set));
            prop_assert!(at_zero::<k256::Scalar>(&set) == plain::<k256::Scalar>(&set));
        }
    }

    #[test]
    fn cache_evicts_the_least_recently_used_set() {
        let mut cache = Cache::<Scalar>::new(2);
        let (a, b, c) = (set(&[1, 2]), set(&[2, 3]), set(&[1, 3]));
        let first = cache.at_zero(&a);
        cache.at_zero(&b);
        assert!(Arc::ptr_eq(&first, &cache.at_zero(&a)));
        let last = cache.at_zero(&c);
        assert_eq!(cache.len(), 2);
        assert!(Arc::ptr_eq(&first, &cache.at_zero(&a)), "b was older");
        assert!(Arc::ptr_eq(&last, &cache.at_zero(&c)));
        cache.at_zero(&b);
        assert!(!Arc::ptr_eq(&first, &cache.at_zero(&a)));
        assert_eq!(cache.at_zero(&a)[..], plain::<Scalar>(&a)[..]);
    }

    #[test]
    fn index_sets_are_distinct_and_not_empty() {
        let of =
            |members: &[u16]| IndexSet::new(members.iter().map(|m| ShareIndex::from_member(*m).unwrap()));
        assert_eq!(of(&[5, 1, 5]), Err(Error::DuplicateSigner { index: 5 }));
        assert_eq!(of(&[]), Err(Error::BelowQuorum { signed: 0, needed: 1 }));
        assert_eq!(of(&[5, 1]), of(&[1, 5]));
    }
}
