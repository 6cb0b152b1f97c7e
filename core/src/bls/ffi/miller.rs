//! The Miller loop and the final exponentiation of the pairing.
//!
//! blst's Miller loop over known lines takes one pairing. Ours takes several, which then share their squarings. It reads the
//! lines in blst's order and form (`precompute_lines` and `post_line_by_Px2` in `pairing.c`); a test compares it with blst's.

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

    /// The same, where the line functions of the points of G2 are known: two thirds of the work.
    pub(crate) fn miller_lines(terms: &[(&Lines, &blst_p1_affine)]) -> Self {
        let terms: Vec<_> = terms.iter().map(|(lines, p)| Term::new(lines, p)).collect();
        let mut product = blst_fp12::default();
        let mut line = 0;
        for bit in (0..PARAMETER.ilog2()).rev() {
            let element = ptr::from_mut(&mut product);
            // SAFETY: one live field element is read and written, which blst permits.
            unsafe { blst_fp12_sqr(element, element) };
            for _ in 0..=(PARAMETER >> bit & 1) {
                terms.iter().for_each(|term| term.multiply(&mut product, line));
                line += 1;
            }
        }
        // The parameter is negative.
        Self(product).conjugate()
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
        self.conjugate()
    }

    fn conjugate(&self) -> Self {
        let mut out = *self;
        // SAFETY: one live field element is changed in place.
        unsafe { blst_fp12_conjugate(&mut out.0) };
        out
    }
}

/// The line functions of a point of G2, which are a third of the work of the Miller loop.
#[derive(Clone)]
pub struct Lines(Vec<blst_fp6>);

/// Absolute value of the curve parameter, whose bits after the first one are the steps of the Miller loop.
const PARAMETER: u64 = 0xd201_0000_0001_0000;
/// Number of line functions: one for each step, and another one for each step whose bit is set.
const LINES: usize = (PARAMETER.ilog2() + PARAMETER.count_ones() - 1) as usize;
const _: () = assert!(LINES == 68);

impl Lines {
    pub(crate) fn new(point: &blst_p2_affine) -> Self {
        let mut lines = vec![blst_fp6::default(); LINES];
        // SAFETY: blst writes exactly 68 elements (`blst_precompute_lines` in blst.h) from one affine point.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), point) };
        Self(lines)
    }
}

/// A pairing whose line functions are known.
struct Term<'a> {
    lines: &'a Lines,
    /// −2·x and 2·y of the point of G1, by which the coefficients of a line function are multiplied.
    x: blst_fp,
    y: blst_fp,
}

impl<'a> Term<'a> {
    fn new(lines: &'a Lines, p: &blst_p1_affine) -> Self {
        let (mut x, mut y) = (blst_fp::default(), blst_fp::default());
        // SAFETY: live field elements are read and written; blst permits that they are the same.
        unsafe {
            let x = ptr::from_mut(&mut x);
            blst_fp_add(x, &p.x, &p.x);
            blst_fp_cneg(x, x, true);
            blst_fp_add(&mut y, &p.y, &p.y);
        }
        Self { lines, x, y }
    }

    /// Multiplies a product by the value of a line function.
    fn multiply(&self, product: &mut blst_fp12, line: usize) {
        let Some(mut line) = self.lines.0.get(line).copied() else { return };
        let [_, by_x, by_y] = &mut line.fp2;
        for (coefficient, coordinate) in [(by_x, &self.x), (by_y, &self.y)] {
            for part in &mut coefficient.fp {
                let part = ptr::from_mut(part);
                // SAFETY: live field elements are read and one of them is written, which blst permits.
                unsafe { blst_fp_mul(part, part, coordinate) };
            }
        }
        let product = ptr::from_mut(product);
        // SAFETY: live field elements are read and one of them is written, which blst permits.
        unsafe { blst_fp12_mul_by_xy00z0(product, product, &line) };
    }
}

impl Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}
