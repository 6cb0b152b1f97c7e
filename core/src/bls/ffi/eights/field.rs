//! Arithmetic on eight elements of the base field at a time.
//!
//! Outside, an element is in blst's form: Montgomery's with R = 2³⁸⁴, canonical, 64-bit limbs. Here it has eight limbs of 52
//! bits, and a multiplication reduces by 2⁴¹⁶; one factor is multiplied by 2³² first, so the result again has R = 2³⁸⁴.
//! Elements are not negative. A product of factors below a·p and b·p is below (0.102·a·b + 1)·p in [`mul1`], for
//! 0.102 > p/2³⁸⁴. In [`mul2`] its parts are below (0.102·a·b + 2)·p and (0.204·a·b + 1)·p. With these, all values of a level
//! stay below 8p.

use core::arch::x86_64::*;

use blst::blst_fp;

/// Eight field elements in 52-bit limbs: vector `i` has limb `i` of each.
type Fp8 = [__m512i; 8];
/// Eight coordinates of `D` elements each: 1 in G1, 2 in G2.
pub(super) type Coordinate<const D: usize> = [Fp8; D];

/// Bits of a limb.
const MASK: u64 = (1 << 52) - 1;
/// The field's modulus p in 64-bit limbs.
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];
/// −1/p modulo 2⁵².
const N0: u64 = 0x89f3_fffc_fffc_fffd & MASK;
/// p, 2p and 4p in 52-bit limbs.
const MULTIPLES: [[u64; 8]; 3] = [multiple_of_p(1), multiple_of_p(2), multiple_of_p(4)];

const fn multiple_of_p(k: u64) -> [u64; 8] {
    let w = MODULUS;
    let l = [
        w[0] & MASK,
        (w[0] >> 52 | w[1] << 12) & MASK,
        (w[1] >> 40 | w[2] << 24) & MASK,
        (w[2] >> 28 | w[3] << 36) & MASK,
        (w[3] >> 16 | w[4] << 48) & MASK,
        (w[4] >> 4) & MASK,
        (w[4] >> 56 | w[5] << 8) & MASK,
        w[5] >> 44,
    ];
    let mut out = [0; 8];
    let mut carry = 0;
    let mut i = 0;
    while i < 8 {
        let v = l[i] * k + carry;
        out[i] = v & MASK;
        carry = v >> 52;
        i += 1;
    }
    out
}

/// Eight copies of an element.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn constant(limbs: &[u64; 8]) -> Fp8 {
    let mut out = [_mm512_setzero_si512(); 8];
    for (out, limb) in out.iter_mut().zip(limbs) {
        *out = _mm512_set1_epi64(*limb as i64);
    }
    out
}

/// Propagates signed carries through limbs whose value is not negative.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn normalize(v: &mut Fp8) {
    let mask = _mm512_set1_epi64(MASK as i64);
    let mut carry = _mm512_setzero_si512();
    for limb in v.iter_mut() {
        let sum = _mm512_add_epi64(*limb, carry);
        carry = _mm512_srai_epi64::<52>(sum);
        *limb = _mm512_and_si512(sum, mask);
    }
}

/// a − b + p, for b ≤ p.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn subtract_one(a: &Fp8, b: &Fp8) -> Fp8 {
    let mut out = constant(&MULTIPLES[0]);
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = _mm512_sub_epi64(_mm512_add_epi64(*out, *a), *b);
    }
    normalize(&mut out);
    out
}

/// Subtracts a multiple of p where that leaves no negative value.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn subtract_unless_less(v: &mut Fp8, k: &[u64; 8]) {
    let mask = _mm512_set1_epi64(MASK as i64);
    let mut carry = _mm512_setzero_si512();
    let mut out = *v;
    for (out, k) in out.iter_mut().zip(k) {
        let sum = _mm512_add_epi64(_mm512_sub_epi64(*out, _mm512_set1_epi64(*k as i64)), carry);
        carry = _mm512_srai_epi64::<52>(sum);
        *out = _mm512_and_si512(sum, mask);
    }
    let enough = _mm512_cmpge_epi64_mask(carry, _mm512_setzero_si512());
    for (v, out) in v.iter_mut().zip(out) {
        *v = _mm512_mask_mov_epi64(*v, enough, out);
    }
}

/// Reduces a value below 8p to the one below p.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn canonical<const D: usize>(v: &mut Coordinate<D>) {
    for v in v {
        for multiple in MULTIPLES.iter().rev() {
            subtract_unless_less(v, multiple);
        }
    }
}

/// b · 2³² for b < 2³⁸⁴. A multiplication ignores the bits of a limb above the lowest 52, which are not cleared.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn shifted(b: &Fp8) -> Fp8 {
    let mut out = *b;
    let mut low = _mm512_setzero_si512();
    for limb in out.iter_mut() {
        let next = _mm512_srli_epi64::<20>(*limb);
        *limb = _mm512_or_si512(_mm512_slli_epi64::<32>(*limb), low);
        low = next;
    }
    out
}

/// Adds the columns of a · b. Inlined by force, or the columns would not stay in registers.
///
/// # Safety
/// Only for functions whose target features are those of this file.
#[inline(always)]
unsafe fn multiply_add(w: &mut [__m512i; 16], a: &Fp8, b: &Fp8) {
    // SAFETY: the caller has the target features.
    unsafe {
        for i in 0..8 {
            for j in 0..8 {
                w[i + j] = _mm512_madd52lo_epu64(w[i + j], a[i], b[j]);
                w[i + j + 1] = _mm512_madd52hi_epu64(w[i + j + 1], a[i], b[j]);
            }
        }
    }
}

/// Montgomery's reduction by 2⁴¹⁶ of columns, which may be negative. The limbs of the result carry signs too.
///
/// # Safety
/// As [`multiply_add`].
#[inline(always)]
unsafe fn reduce_columns(w: &mut [__m512i; 16]) -> Fp8 {
    // SAFETY: the caller has the target features.
    unsafe {
        let n0 = _mm512_set1_epi64(N0 as i64);
        let zero = _mm512_setzero_si512();
        for i in 0..8 {
            let q = _mm512_madd52lo_epu64(zero, w[i], n0);
            for j in 0..8 {
                let p = _mm512_set1_epi64(MULTIPLES[0][j] as i64);
                w[i + j] = _mm512_madd52lo_epu64(w[i + j], q, p);
                w[i + j + 1] = _mm512_madd52hi_epu64(w[i + j + 1], q, p);
            }
            w[i + 1] = _mm512_add_epi64(w[i + 1], _mm512_srai_epi64::<52>(w[i]));
        }
        [w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]]
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul1(a: &Fp8, b: &Fp8) -> Fp8 {
    let mut w = [_mm512_setzero_si512(); 16];
    let b = shifted(b);
    // SAFETY: this function has the target features.
    unsafe {
        multiply_add(&mut w, a, &b);
        let mut out = reduce_columns(&mut w);
        normalize(&mut out);
        out
    }
}

/// (a₀ + a₁u)(b₀ + b₁u) with u² = −1, for factors below 3p.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul2([a0, a1]: &[Fp8; 2], [b0, b1]: &[Fp8; 2]) -> [Fp8; 2] {
    let (b0, b1) = (shifted(b0), shifted(b1));
    let zero = [_mm512_setzero_si512(); 16];
    // SAFETY: this function has the target features.
    unsafe {
        let (mut w, mut v) = (zero, zero);
        multiply_add(&mut w, a0, &b0);
        multiply_add(&mut v, a1, &b1);
        for (w, v) in w.iter_mut().zip(v) {
            *w = _mm512_sub_epi64(*w, v);
        }
        let mut c0 = reduce_columns(&mut w);
        // c₀ may be negative, but not below −p.
        for (c, p) in c0.iter_mut().zip(constant(&MULTIPLES[0])) {
            *c = _mm512_add_epi64(*c, p);
        }
        normalize(&mut c0);
        let mut w = zero;
        multiply_add(&mut w, a0, &b1);
        multiply_add(&mut w, a1, &b0);
        let mut c1 = reduce_columns(&mut w);
        normalize(&mut c1);
        [c0, c1]
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply<const D: usize>(a: &Coordinate<D>, b: &Coordinate<D>) -> Coordinate<D> {
    let mut out = *a;
    match (out.as_mut_slice(), a.as_slice(), b.as_slice()) {
        ([out], [a], [b]) => *out = mul1(a, b),
        ([c0, c1], [a0, a1], [b0, b1]) => [*c0, *c1] = mul2(&[*a0, *a1], &[*b0, *b1]),
        _ => {}
    }
    out
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn subtract<const D: usize>(a: &Coordinate<D>, b: &Coordinate<D>) -> Coordinate<D> {
    let mut out = *a;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = subtract_one(a, b);
    }
    out
}

/// Collects eight coordinates from blst's form.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn load<const D: usize>(points: [&[blst_fp; D]; 8]) -> Coordinate<D> {
    let mut out = [[_mm512_setzero_si512(); 8]; D];
    let mask = _mm512_set1_epi64(MASK as i64);
    for (d, out) in out.iter_mut().enumerate() {
        let word = |k: usize| {
            let w = |i: usize| points[i][d].l[k] as i64;
            _mm512_set_epi64(w(7), w(6), w(5), w(4), w(3), w(2), w(1), w(0))
        };
        let w = [word(0), word(1), word(2), word(3), word(4), word(5)];
        let or = |a, b| _mm512_and_si512(_mm512_or_si512(a, b), mask);
        *out = [
            _mm512_and_si512(w[0], mask),
            or(_mm512_srli_epi64::<52>(w[0]), _mm512_slli_epi64::<12>(w[1])),
            or(_mm512_srli_epi64::<40>(w[1]), _mm512_slli_epi64::<24>(w[2])),
            or(_mm512_srli_epi64::<28>(w[2]), _mm512_slli_epi64::<36>(w[3])),
            or(_mm512_srli_epi64::<16>(w[3]), _mm512_slli_epi64::<48>(w[4])),
            _mm512_and_si512(_mm512_srli_epi64::<4>(w[4]), mask),
            or(_mm512_srli_epi64::<56>(w[4]), _mm512_slli_epi64::<8>(w[5])),
            _mm512_srli_epi64::<44>(w[5]),
        ];
    }
    out
}

/// Returns the eight coordinates, which are canonical, in blst's form.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn store<const D: usize>(v: &Coordinate<D>) -> [[blst_fp; D]; 8] {
    let mut out = [[blst_fp::default(); D]; 8];
    for (d, v) in v.iter().enumerate() {
        let or = |a, b| _mm512_or_si512(a, b);
        let words = [
            or(v[0], _mm512_slli_epi64::<52>(v[1])),
            or(_mm512_srli_epi64::<12>(v[1]), _mm512_slli_epi64::<40>(v[2])),
            or(_mm512_srli_epi64::<24>(v[2]), _mm512_slli_epi64::<28>(v[3])),
            or(_mm512_srli_epi64::<36>(v[3]), _mm512_slli_epi64::<16>(v[4])),
            or(
                or(_mm512_srli_epi64::<48>(v[4]), _mm512_slli_epi64::<4>(v[5])),
                _mm512_slli_epi64::<56>(v[6]),
            ),
            or(_mm512_srli_epi64::<8>(v[6]), _mm512_slli_epi64::<44>(v[7])),
        ];
        for (k, word) in words.into_iter().enumerate() {
            let mut lanes = [0u64; 8];
            // SAFETY: 64 bytes, of any alignment.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), word) };
            for (out, lane) in out.iter_mut().zip(lanes) {
                out[d].l[k] = lane;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::arch::is_x86_feature_detected as has;

    use blst::{blst_fp_from_uint64, blst_fp_mul, blst_fp_sub, blst_fp2, blst_fp2_mul, blst_fp2_sub};
    use proptest::prelude::*;

    use super::*;

    /// Elements in blst's form, of which many are at a limit of the arithmetic: 0, 1, p − 1, or with limbs of ones.
    fn element() -> impl Strategy<Value = blst_fp> {
        let limb = prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(u64::MAX << 52), any::<u64>()];
        let any = prop::array::uniform6(limb).prop_map(|mut l| {
            // Below p, whose highest limb this is.
            l[5] %= MODULUS[5];
            l
        });
        let last = {
            let mut l = MODULUS;
            l[0] -= 1;
            l
        };
        let one = [1, 0, 0, 0, 0, 0];
        prop_oneof![1 => Just([0; 6]), 1 => Just(one), 2 => Just(last), 8 => any].prop_map(|l| blst_fp { l })
    }

    fn coordinate<const D: usize>() -> impl Strategy<Value = [[blst_fp; D]; 8]> {
        prop::collection::vec(element(), 8 * D)
            .prop_map(|elements| core::array::from_fn(|i| core::array::from_fn(|d| elements[D * i + d])))
    }

    fn times<const D: usize>(a: &[blst_fp; D], b: &[blst_fp; D]) -> [blst_fp; D] {
        let mut out = [blst_fp::default(); D];
        // SAFETY: live field elements are read, one is written.
        match (out.as_mut_slice(), a.as_slice(), b.as_slice()) {
            ([out], [a], [b]) => unsafe { blst_fp_mul(out, a, b) },
            ([c0, c1], [a0, a1], [b0, b1]) => {
                let (mut c, a, b) =
                    (blst_fp2::default(), blst_fp2 { fp: [*a0, *a1] }, blst_fp2 { fp: [*b0, *b1] });
                unsafe { blst_fp2_mul(&mut c, &a, &b) };
                [*c0, *c1] = c.fp;
            }
            _ => unreachable!(),
        }
        out
    }

    fn minus<const D: usize>(a: &[blst_fp; D], b: &[blst_fp; D]) -> [blst_fp; D] {
        let mut out = [blst_fp::default(); D];
        // SAFETY: live field elements are read, one is written.
        match (out.as_mut_slice(), a.as_slice(), b.as_slice()) {
            ([out], [a], [b]) => unsafe { blst_fp_sub(out, a, b) },
            ([c0, c1], [a0, a1], [b0, b1]) => {
                let (mut c, a, b) =
                    (blst_fp2::default(), blst_fp2 { fp: [*a0, *a1] }, blst_fp2 { fp: [*b0, *b1] });
                unsafe { blst_fp2_sub(&mut c, &a, &b) };
                [*c0, *c1] = c.fp;
            }
            _ => unreachable!(),
        }
        out
    }

    /// The formulas of a level on elements of any value: differences, products of unreduced factors, and their reduction.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn level<const D: usize>(a: &[[blst_fp; D]; 8], b: &[[blst_fp; D]; 8]) -> [[[blst_fp; D]; 8]; 4] {
        let (x, y) = (load(a.each_ref()), load(b.each_ref()));
        let difference = subtract(&x, &y);
        let product = multiply(&difference, &difference);
        let cube = multiply(&product, &difference);
        let last = subtract(&subtract(&multiply(&cube, &product), &x), &y);
        [difference, product, cube, last].map(|mut value| {
            canonical(&mut value);
            store(&value)
        })
    }

    fn agrees_with_blst<const D: usize>(a: &[[blst_fp; D]; 8], b: &[[blst_fp; D]; 8]) {
        if !has!("avx512f") || !has!("avx512ifma") {
            return;
        }
        // SAFETY: the processor has the instructions.
        let found = unsafe { level(a, b) };
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            let difference = minus(a, b);
            let product = times(&difference, &difference);
            let cube = times(&product, &difference);
            let last = minus(&minus(&times(&cube, &product), a), b);
            assert_eq!(found.map(|lanes| lanes[i]), [difference, product, cube, last], "lane {i}");
        }
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_blst_in_the_base_field(a in coordinate::<1>(), b in coordinate::<1>()) {
            agrees_with_blst(&a, &b);
        }

        #[test]
        fn arithmetic_agrees_with_blst_in_its_extension(a in coordinate::<2>(), b in coordinate::<2>()) {
            agrees_with_blst(&a, &b);
        }

        #[test]
        fn every_value_below_eight_moduli_is_reduced(element in element(), k in 0u64..8) {
            if !has!("avx512f") || !has!("avx512ifma") {
                return Ok(());
            }
            // SAFETY: the processor has the instructions.
            prop_assert_eq!(unsafe { reduced(&element, k) }, element);
        }
    }

    /// Reduces element + k·p.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduced(element: &blst_fp, k: u64) -> blst_fp {
        let mut value: Coordinate<1> = load([&[*element]; 8]);
        for (limb, multiple) in value[0].iter_mut().zip(constant(&multiple_of_p(k))) {
            *limb = _mm512_add_epi64(*limb, multiple);
        }
        normalize(&mut value[0]);
        canonical(&mut value);
        let [[first], rest @ ..] = store(&value);
        assert!(rest.iter().all(|lane| *lane == [first]));
        first
    }

    #[test]
    fn an_element_of_blst_has_the_expected_form() {
        let mut one = blst_fp::default();
        // SAFETY: six limbs are read, one element is written.
        unsafe { blst_fp_from_uint64(&mut one, [1, 0, 0, 0, 0, 0].as_ptr()) };
        // 2³⁸⁴ − 9p, because 9p < 2³⁸⁴ < 10p.
        let (mut expected, mut borrow) = ([0u64; 6], 0u128);
        for (out, limb) in expected.iter_mut().zip(MODULUS) {
            let value = u128::from(limb) * 9 + borrow;
            (*out, borrow) = ((value as u64).wrapping_neg(), (value >> 64) + u128::from(value as u64 != 0));
        }
        assert_eq!(one.l, expected);
    }
}
