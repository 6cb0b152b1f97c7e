//! Sums of many points with AVX-512: eight affine additions at a time, over 52-bit limbs.
//!
//! The additions are those of `blst_p*s_add`: λ = (y₂ − y₁) / (x₂ − x₁), with one inversion for all pairs of a level of the
//! tree. Only processors with the 52-bit multiply-add (Intel from Ice Lake, AMD from Zen 4) have this form; it takes a third
//! of blst's time for some hundred points. Points that this form cannot add (equal, opposite) are left to blst.
#![allow(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "bounds known to the compiler, which unrolls the loops"
)]

mod field;

use alloc::vec::Vec;
use std::arch::is_x86_feature_detected as has;

use blst::*;
use field::{Coordinate, canonical, load, multiply, store, subtract};

/// Number of points from which eight additions at a time are faster.
const MIN_POINTS: usize = 48;
/// Number of vectors of points from which another level is worth its inversion.
const MIN_VECTORS: usize = 4;
/// Number of points that are added in one tree: its memory fits the second-level cache.
const CHUNK: usize = 2048;

/// Replaces points by fewer ones with the same sum. `None` if that would not be faster, or if two points that are equal
/// or opposite were to be added.
pub(super) fn reduce<const D: usize, P: Coordinates<D>>(points: &[&P]) -> Option<Vec<P>> {
    if points.len() < MIN_POINTS || !has!("avx512f") || !has!("avx512ifma") {
        return None;
    }
    let finite: Vec<&P> = points.iter().copied().filter(|point| !point.is_infinity()).collect();
    // SAFETY: the processor has the instructions.
    let fewer = |points: &[&P]| unsafe { add_pairs::<D, P>(points) };
    let mut left = Vec::new();
    for chunk in finite.chunks(CHUNK) {
        left.extend(fewer(chunk)?);
    }
    while left.len() >= MIN_POINTS {
        left = fewer(&left.iter().collect::<Vec<_>>())?;
    }
    Some(left)
}

/// An affine point whose coordinates have `D` elements of the base field.
pub(super) trait Coordinates<const D: usize>: Copy {
    fn is_infinity(&self) -> bool;
    fn x(&self) -> &[blst_fp; D];
    fn y(&self) -> &[blst_fp; D];
    fn new(x: [blst_fp; D], y: [blst_fp; D]) -> Self;
    fn mul(a: &[blst_fp; D], b: &[blst_fp; D]) -> [blst_fp; D];
    fn inverse(a: &[blst_fp; D]) -> [blst_fp; D];
}

impl Coordinates<1> for blst_p1_affine {
    fn is_infinity(&self) -> bool {
        // SAFETY: one live point.
        unsafe { blst_p1_affine_is_inf(self) }
    }

    fn x(&self) -> &[blst_fp; 1] {
        core::array::from_ref(&self.x)
    }

    fn y(&self) -> &[blst_fp; 1] {
        core::array::from_ref(&self.y)
    }

    fn new([x]: [blst_fp; 1], [y]: [blst_fp; 1]) -> Self {
        Self { x, y }
    }

    fn mul([a]: &[blst_fp; 1], [b]: &[blst_fp; 1]) -> [blst_fp; 1] {
        let mut out = blst_fp::default();
        // SAFETY: live field elements are read, one is written.
        unsafe { blst_fp_mul(&mut out, a, b) };
        [out]
    }

    fn inverse([a]: &[blst_fp; 1]) -> [blst_fp; 1] {
        let mut out = blst_fp::default();
        // SAFETY: live field elements are read, one is written.
        unsafe { blst_fp_eucl_inverse(&mut out, a) };
        [out]
    }
}

impl Coordinates<2> for blst_p2_affine {
    fn is_infinity(&self) -> bool {
        // SAFETY: one live point.
        unsafe { blst_p2_affine_is_inf(self) }
    }

    fn x(&self) -> &[blst_fp; 2] {
        &self.x.fp
    }

    fn y(&self) -> &[blst_fp; 2] {
        &self.y.fp
    }

    fn new(x: [blst_fp; 2], y: [blst_fp; 2]) -> Self {
        Self { x: blst_fp2 { fp: x }, y: blst_fp2 { fp: y } }
    }

    fn mul(a: &[blst_fp; 2], b: &[blst_fp; 2]) -> [blst_fp; 2] {
        let mut out = blst_fp2::default();
        // SAFETY: live field elements are read, one is written.
        unsafe { blst_fp2_mul(&mut out, &blst_fp2 { fp: *a }, &blst_fp2 { fp: *b }) };
        out.fp
    }

    fn inverse(a: &[blst_fp; 2]) -> [blst_fp; 2] {
        let mut out = blst_fp2::default();
        // SAFETY: live field elements are read, one is written.
        unsafe { blst_fp2_eucl_inverse(&mut out, &blst_fp2 { fp: *a }) };
        out.fp
    }
}

/// The inverses of eight coordinates; `None` if one is zero.
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverses<const D: usize, P: Coordinates<D>>(v: &Coordinate<D>) -> Option<Coordinate<D>> {
    let mut v = *v;
    canonical(&mut v);
    let lanes = store(&v);
    let mut prefix = lanes;
    for i in 1..8 {
        prefix[i] = P::mul(&prefix[i - 1], &lanes[i]);
    }
    if prefix[7] == [blst_fp::default(); D] {
        return None;
    }
    let mut inverse = P::inverse(&prefix[7]);
    let mut out = lanes;
    for i in (1..8).rev() {
        out[i] = P::mul(&inverse, &prefix[i - 1]);
        inverse = P::mul(&inverse, &lanes[i]);
    }
    out[0] = inverse;
    Some(load::<D>(out.each_ref()))
}

/// Eight points with canonical coordinates.
#[derive(Clone, Copy)]
struct Eight<const D: usize> {
    x: Coordinate<D>,
    y: Coordinate<D>,
}

/// Adds points, none of them infinite, in pairs and pairs of sums, until few are left.
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_pairs<const D: usize, P: Coordinates<D>>(points: &[&P]) -> Option<Vec<P>> {
    let (eights, rest) = points.as_chunks::<8>();
    let mut vectors: Vec<Eight<D>> = Vec::with_capacity(eights.len());
    for eight in eights {
        vectors.push(Eight { x: load(eight.map(P::x)), y: load(eight.map(P::y)) });
    }
    let mut differences = Vec::with_capacity(eights.len() / 2);
    while vectors.len() >= MIN_VECTORS {
        let half = vectors.len() / 2;
        let (left, right) = vectors.split_at_mut(half);
        add_level::<D, P>(left, right, &mut differences)?;
        // An odd vector waits for the next level.
        let odd = right.get(half).copied();
        vectors.truncate(half);
        vectors.extend(odd);
    }
    let mut left: Vec<P> = rest.iter().map(|point| **point).collect();
    for Eight { x, y } in &vectors {
        left.extend(store(x).into_iter().zip(store(y)).map(|(x, y)| P::new(x, y)));
    }
    Some(left)
}

/// Adds to each vector of `left` the one of `right` at the same place. `None` if two points have the same x.
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_level<const D: usize, P: Coordinates<D>>(
    left: &mut [Eight<D>],
    right: &[Eight<D>],
    differences: &mut Vec<(Coordinate<D>, Coordinate<D>)>,
) -> Option<()> {
    // Each difference x₂ − x₁, and the product of the differences up to it.
    differences.clear();
    for (a, b) in left.iter().zip(right) {
        let difference = subtract(&b.x, &a.x);
        let product = match differences.last() {
            Some((_, product)) => multiply(product, &difference),
            None => difference,
        };
        differences.push((difference, product));
    }
    // `inverse` is that of the product up to the current difference.
    let mut inverse = inverses::<D, P>(&differences.last()?.1)?;
    for (i, (a, b)) in left.iter_mut().zip(right).enumerate().rev() {
        let own = match i.checked_sub(1) {
            Some(before) => multiply(&inverse, &differences[before].1),
            None => inverse,
        };
        inverse = multiply(&inverse, &differences[i].0);
        let slope = multiply(&subtract(&b.y, &a.y), &own);
        let mut x = subtract(&subtract(&multiply(&slope, &slope), &a.x), &b.x);
        canonical(&mut x);
        let mut y = subtract(&multiply(&subtract(&a.x, &x), &slope), &a.y);
        canonical(&mut y);
        *a = Eight { x, y };
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{G1, G2, Group, Scalar};
    use super::*;

    /// The sum in pairs of points, and that of blst alone.
    fn sums_agree<G: Group, const D: usize>(points: &[&G::Affine]) -> bool
    where
        G::Affine: Coordinates<D>,
    {
        let one_by_one = points.iter().fold(G::infinity(), |sum, point| G::sum(&[&sum, *point]));
        let Some(fewer) = reduce(points) else { return false };
        assert!(fewer.len() < MIN_POINTS, "{} of {}", fewer.len(), points.len());
        let sum = fewer.iter().fold(G::infinity(), |sum, point| G::sum(&[&sum, point]));
        assert_eq!(sum, one_by_one, "{} points", points.len());
        true
    }

    fn points<G: Group>(n: usize) -> Vec<G::Affine> {
        let mut point = G::public_key(&Scalar::derive(&[5; 32]));
        let step = G::public_key(&Scalar::derive(&[6; 32]));
        let mut points = Vec::new();
        for _ in 0..n {
            points.push(point);
            point = G::sum(&[&point, &step]);
        }
        points
    }

    fn is_available() -> bool {
        has!("avx512f") && has!("avx512ifma")
    }

    #[test]
    fn all_numbers_of_points_are_summed() {
        let (g1, g2) = (points::<G1>(300), points::<G2>(300));
        let (g1, g2): (Vec<_>, Vec<_>) = (g1.iter().collect(), g2.iter().collect());
        assert!(reduce(&g1[..MIN_POINTS - 1]).is_none() && reduce::<1, blst_p1_affine>(&[]).is_none());
        for n in (MIN_POINTS..130).chain([255, 256, 300]) {
            assert_eq!(sums_agree::<G1, 1>(&g1[..n]), is_available());
            assert_eq!(sums_agree::<G2, 2>(&g2[..n]), is_available());
        }
    }

    #[test]
    fn many_chunks_are_summed() {
        let points = points::<G1>(2 * CHUNK + 100);
        assert_eq!(sums_agree::<G1, 1>(&points.iter().collect::<Vec<_>>()), is_available());
    }

    #[test]
    fn points_outside_the_subgroup_are_summed() {
        // Points of the curve by their x.
        let candidates = (0u16..).filter_map(|x| {
            let mut bytes = [0; 48];
            bytes[0] = 0x80;
            bytes[46..].copy_from_slice(&x.to_be_bytes());
            G1::uncompress(&bytes, "point").ok()
        });
        let points: Vec<_> = candidates.take(90).collect();
        assert!(points.iter().all(|point| !G1::in_subgroup(point)));
        assert_eq!(sums_agree::<G1, 1>(&points.iter().collect::<Vec<_>>()), is_available());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Equal, opposite and infinite points: either the sum is right, or it is left to blst.
        #[test]
        fn related_points_are_summed_or_refused(
            picks in prop::collection::vec((0usize..200, any::<bool>(), 0u8..10), 48..200),
        ) {
            related::<G1, 1>(&picks);
            related::<G2, 2>(&picks);
        }
    }

    fn related<G: Group, const D: usize>(picks: &[(usize, bool, u8)])
    where
        G::Affine: Coordinates<D>,
    {
        let points = points::<G>(200);
        let picked: Vec<_> = picks
            .iter()
            .map(|(i, negate, kind)| match kind {
                0 => G::infinity(),
                _ if *negate => G::negate(&points[*i]),
                _ => points[*i],
            })
            .collect();
        let picked: Vec<_> = picked.iter().collect();
        sums_agree::<G, D>(&picked);
        let one_by_one = picked.iter().fold(G::infinity(), |sum, point| G::sum(&[&sum, *point]));
        assert_eq!(G::sum(&picked), one_by_one);
    }

    #[test]
    fn equal_and_opposite_pairs_are_left_to_blst() {
        let points = points::<G2>(64);
        for other in [points[0], G2::negate(&points[0])] {
            // The first point is added to the one half of the vectors further on.
            let mut points = points.clone();
            points[32] = other;
            let points: Vec<_> = points.iter().collect();
            assert!(reduce(&points).is_none());
            assert_eq!(G2::sum(&points), points.iter().fold(G2::infinity(), |sum, p| G2::sum(&[&sum, *p])));
        }
    }
}
