//! Decoding of shares: the polynomial through most of the points, and the members whose points are off it.
//!
//! Shares of t of n are a Reed–Solomon codeword over the scalar field. Among m shares with at most ⌊(m − t)/2⌋ wrong
//! ones there is exactly one polynomial of degree below t through the rest. It is found by solving the key equation
//! of Berlekamp and Welch, N(xᵢ) = yᵢ·E(xᵢ), where E is zero at the wrong points, with Euclid's algorithm instead of
//! elimination (Gao, *A new algorithm for decoding Reed–Solomon codes*, 2003): m² instead of m³ operations.
//!
//! For signatures with t = f + 1 this identifies culprits without openings: 2f + 1 right shares among 3f + 1 expose
//! the f wrong ones. **Variable time**: for numbers that are public anyway.

use alloc::vec;
use alloc::vec::Vec;

use super::group::Field;
use super::index::ShareIndex;
use super::lagrange::{IndexSet, invert_all};
use crate::{Error, Result};

/// The result of decoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded<F> {
    /// The polynomial, constant term first, without trailing zeros.
    pub polynomial: Vec<F>,
    /// Indices whose points are off the polynomial, ascending.
    pub culprits: Vec<ShareIndex>,
}

impl<F: Field> Decoded<F> {
    /// Returns the value at zero.
    pub fn secret(&self) -> F {
        self.polynomial.first().copied().unwrap_or(F::ZERO)
    }
}

/// Finds the polynomial of degree below `needed` through all but at most ⌊(m − needed)/2⌋ of the m points. Cost:
/// about 5m² multiplications in the field, and an inversion for each wrong point.
///
/// # Errors
/// [`Error::BelowQuorum`] for fewer points than `needed`, [`Error::DuplicateSigner`]; [`Error::BadShare`] without
/// names if there is no such polynomial: retry with more points, most of them right.
pub fn decode<F: Field>(needed: u16, points: &[(ShareIndex, F)]) -> Result<Decoded<F>> {
    let set = IndexSet::new(points.iter().map(|(index, _)| *index))?;
    let (m, t) = (points.len(), usize::from(needed));
    if m < t || t == 0 {
        return Err(Error::BelowQuorum { signed: m as u128, needed: t.max(1) as u128 });
    }
    let all = vanishing::<F>(&set);
    let polynomial = key_equation(&all, through(&all, points), m + t);
    let polynomial = polynomial.filter(|polynomial| polynomial.len() <= t).ok_or_else(unknown)?;
    let mut culprits: Vec<ShareIndex> = points
        .iter()
        .filter(|(index, value)| evaluate(&polynomial, index.scalar()) != *value)
        .map(|(index, _)| *index)
        .collect();
    if culprits.len() > (m - t) / 2 {
        return Err(unknown());
    }
    culprits.sort_unstable();
    Ok(Decoded { polynomial, culprits })
}

fn unknown() -> Error {
    Error::BadShare { members: Vec::new() }
}

/// Π (x − xᵢ).
fn vanishing<F: Field>(set: &IndexSet) -> Vec<F> {
    let mut product = vec![F::ONE];
    for index in set.iter() {
        let at = index.scalar::<F>();
        let mut carry = F::ZERO;
        for coefficient in &mut product {
            (carry, *coefficient) = (*coefficient, carry - at * *coefficient);
        }
        product.push(carry);
    }
    product
}

/// Interpolates all points by a polynomial of degree below m: Σ yᵢ · A/(x − xᵢ) / Π (xᵢ − xⱼ).
fn through<F: Field>(all: &[F], points: &[(ShareIndex, F)]) -> Vec<F> {
    let others: Vec<Vec<F>> = points.iter().map(|(index, _)| without(all, index.scalar())).collect();
    let mut weights: Vec<F> =
        others.iter().zip(points).map(|(other, (index, _))| evaluate(other, index.scalar())).collect();
    invert_all(&mut weights);
    let mut sum = vec![F::ZERO; points.len()];
    for ((other, weight), (_, value)) in others.iter().zip(weights).zip(points) {
        add_scaled(&mut sum, other, weight * *value);
    }
    trim(sum)
}

/// Returns A/(x − root), where root is a root of A.
fn without<F: Field>(all: &[F], root: F) -> Vec<F> {
    let mut carry = F::ZERO;
    let mut quotient: Vec<F> = all
        .iter()
        .skip(1)
        .rev()
        .map(|coefficient| {
            carry = *coefficient + root * carry;
            carry
        })
        .collect();
    quotient.reverse();
    quotient
}

/// Runs Euclid's algorithm on A and the interpolant, up to a remainder g of degree below `bound`/2. Then g = u·A +
/// v·y, and the result is g/v if the division leaves no remainder: v is zero exactly at the wrong points.
fn key_equation<F: Field>(all: &[F], interpolant: Vec<F>, bound: usize) -> Option<Vec<F>> {
    let (mut r0, mut r1) = (all.to_vec(), interpolant);
    let (mut v0, mut v1) = (Vec::new(), vec![F::ONE]);
    // The degree is one less than the length.
    while !r1.is_empty() && 2 * (r1.len() - 1) >= bound {
        let (quotient, remainder) = divide(r0, &r1)?;
        for (shift, factor) in quotient.iter().enumerate() {
            let reach = shift + v1.len();
            v0.resize(v0.len().max(reach), F::ZERO);
            add_scaled(v0.get_mut(shift..)?, &v1, -*factor);
        }
        (r0, r1) = (r1, remainder);
        (v0, v1) = (v1, trim(v0));
    }
    let (quotient, rest) = divide(r1, &v1)?;
    rest.is_empty().then_some(quotient)
}

/// Returns quotient and remainder without trailing zeros; `None` for a divisor of zero.
fn divide<F: Field>(mut dividend: Vec<F>, divisor: &[F]) -> Option<(Vec<F>, Vec<F>)> {
    let inverse = divisor.last()?.invert_public()?;
    let mut quotient = Vec::new();
    while dividend.len() >= divisor.len() {
        let factor = *dividend.last()? * inverse;
        let shift = dividend.len() - divisor.len();
        add_scaled(dividend.get_mut(shift..)?, divisor, -factor);
        dividend.pop();
        quotient.push(factor);
    }
    quotient.reverse();
    Some((trim(quotient), trim(dividend)))
}

fn add_scaled<F: Field>(sum: &mut [F], term: &[F], factor: F) {
    sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += *term * factor);
}

fn evaluate<F: Field>(polynomial: &[F], at: F) -> F {
    polynomial.iter().rev().fold(F::ZERO, |value, coefficient| value * at + *coefficient)
}

fn trim<F: Field>(mut polynomial: Vec<F>) -> Vec<F> {
    while polynomial.last() == Some(&F::ZERO) {
        polynomial.pop();
    }
    polynomial
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::lagrange;
    use curve25519_dalek::scalar::Scalar;
    use proptest::prelude::*;

    /// The definition: the polynomial through some t points that misses the fewest others.
    fn plain<F: Field>(t: usize, points: &[(ShareIndex, F)]) -> Option<Vec<ShareIndex>> {
        let m = points.len();
        (0u32..1 << m)
            .filter(|mask| mask.count_ones() as usize == t)
            .map(|mask| {
                let chosen: Vec<_> =
                    points.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, p)| *p).collect();
                let set = IndexSet::new(chosen.iter().map(|(i, _)| *i)).unwrap();
                let polynomial = through(&vanishing(&set), &chosen);
                let off = |(i, y): &&(ShareIndex, F)| evaluate(&polynomial, i.scalar()) != *y;
                points.iter().filter(off).map(|(i, _)| *i).collect::<Vec<_>>()
            })
            .min_by_key(Vec::len)
            .filter(|culprits| culprits.len() <= (m - t) / 2)
    }

    fn points<F: Field>(coefficients: &[u64], m: u16, wrong: &[(u16, u64)]) -> Vec<(ShareIndex, F)> {
        let polynomial: Vec<F> = coefficients.iter().map(|c| F::from_u64(*c)).collect();
        ShareIndex::all(m)
            .map(|index| {
                let off = wrong.iter().filter(|(i, _)| *i == index.member()).map(|(_, by)| F::from_u64(*by));
                (index, off.fold(evaluate(&polynomial, index.scalar()), |value, by| value + by))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn decoding_equals_exhaustive_search(
            coefficients in proptest::collection::vec(any::<u64>(), 1..5),
            more in 0u16..5,
            wrong in proptest::collection::vec((0u16..9, 1u64..4), 0..5),
        ) {
            let t = coefficients.len() as u16;
            let points = points::<Scalar>(&coefficients, t + more, &wrong);
            let found = decode(t, &points);
            match plain(t.into(), &points) {
                Some(culprits) => prop_assert_eq!(found.unwrap().culprits, culprits),
                None => prop_assert_eq!(found, Err(unknown())),
            }
        }

        #[test]
        fn f_wrong_of_3f_plus_1_are_identified(seed: [u64; 8], faulty in proptest::collection::btree_set(0u16..22, 0..8)) {
            let coefficients: Vec<u64> = seed.to_vec();
            let wrong: Vec<_> = faulty.iter().map(|i| (*i, u64::from(*i) + 1)).collect();
            let points = points::<k256::Scalar>(&coefficients, 22, &wrong);
            let found = decode(8, &points).unwrap();
            prop_assert!(found.secret() == Field::from_u64(seed[0]));
            let members: Vec<_> = found.culprits.iter().map(|i| i.member()).collect();
            prop_assert_eq!(members, faulty.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn zero_polynomial_is_decoded() {
        let found = decode::<Scalar>(2, &points(&[0], 4, &[])).unwrap();
        assert!(found.polynomial.is_empty() && found.culprits.is_empty());
        assert_eq!(found.secret(), Scalar::ZERO);
        assert_eq!(decode::<Scalar>(2, &points(&[0], 4, &[(3, 1)])).unwrap().culprits.len(), 1);
    }

    #[test]
    fn minimum_number_of_points_is_interpolated() {
        let points = points::<Scalar>(&[3, 1, 4], 3, &[(1, 1)]);
        let found = decode(3, &points).unwrap();
        let set = IndexSet::new(points.iter().map(|(i, _)| *i)).unwrap();
        let secret = lagrange::interpolate(&lagrange::at_zero(&set), points.iter().map(|(_, y)| *y));
        assert_eq!((found.secret(), found.culprits.len()), (secret, 0));
    }

    #[test]
    fn too_few_and_repeated_points_are_refused() {
        let mut points = points::<Scalar>(&[3, 1], 2, &[]);
        assert_eq!(decode(3, &points), Err(Error::BelowQuorum { signed: 2, needed: 3 }));
        assert_eq!(decode(0, &points), Err(Error::BelowQuorum { signed: 2, needed: 1 }));
        points.push(points[0]);
        assert_eq!(decode(2, &points), Err(Error::DuplicateSigner { index: 0 }));
    }
}
