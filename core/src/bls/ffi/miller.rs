//! The Miller loop and the final exponentiation of the pairing.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::ptr;

use blst::*;

/// An element of the target field of the pairing.
#[derive(Clone, Copy, PartialEq)]
pub struct Target(blst_fp12);

impl Target {
    /// Returns Π e(qᵢ, pᵢ) before the final exponentiation, with one shared squaring chain.
    pub(crate) fn miller(terms: &[(&blst_p2_affine, &blst_p1_affine)]) -> Self {
        if terms.is_empty() {
            return Self::one();
        }
        let mut out = blst_fp12::default();
        let (qs, ps): (Vec<*const _>, Vec<*const _>) =
            terms.iter().map(|(q, p)| (ptr::from_ref(*q), ptr::from_ref(*p))).unzip();
        // SAFETY: two arrays of `terms.len()` > 0 pointers to live affine points.
        unsafe { blst_miller_loop_n(&mut out, qs.as_ptr(), ps.as_ptr(), terms.len()) };
        Self(out)
    }

    pub(crate) fn product(&self, other: &Self) -> Self {
        let mut out = blst_fp12::default();
        // SAFETY: two live field elements are read and one is written.
        unsafe { blst_fp12_mul(&mut out, &self.0, &other.0) };
        Self(out)
    }

    /// Applies the final exponentiation, after which equal elements have equal coordinates.
    pub(crate) fn final_exp(&self) -> Self {
        let mut out = blst_fp12::default();
        // SAFETY: one live field element is read and one is written.
        unsafe { blst_final_exp(&mut out, &self.0) };
        Self(out)
    }

    /// Returns true if the element is 1.
    pub(crate) fn is_one(&self) -> bool {
        *self == Self::one()
    }

    pub(crate) fn one() -> Self {
        Self(blst_fp12::default())
    }

    /// Returns the inverse of a result of [`final_exp`](Target::final_exp), whose norm is 1.
    pub(crate) fn inverse(&self) -> Self {
        let mut out = *self;
        // SAFETY: one live field element is changed in place.
        unsafe { blst_fp12_conjugate(&mut out.0) };
        out
    }
}

/// Precomputed line functions of a fixed point of G2, which save a third of the work of the Miller loop.
#[derive(Clone)]
pub struct Lines(Vec<blst_fp6>);

/// Number of line functions of a Miller loop: the length of the curve parameter plus the number of its set bits.
const LINES: usize = 68;

impl Lines {
    pub(crate) fn new(point: &blst_p2_affine) -> Self {
        let mut lines = vec![blst_fp6::default(); LINES];
        // SAFETY: blst writes exactly 68 elements (`blst_precompute_lines` in blst.h) from one affine point.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), point) };
        Self(lines)
    }

    pub(crate) fn miller(&self, p: &blst_p1_affine) -> Target {
        let mut out = blst_fp12::default();
        // SAFETY: 68 lines, which only `new` computes, and one affine point.
        unsafe { blst_miller_loop_lines(&mut out, self.0.as_ptr(), p) };
        Target(out)
    }
}

impl Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}
