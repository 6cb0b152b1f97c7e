//! Operations on a single input, on x86-64 with AVX-512: a BLAKE3 compression, and the sorting of a digest's digits.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;

use super::order::{DigitOrder, MAX_CHAINS, NO_CHAIN, PLACES};
use crate::wire::context::{IV, SCHEDULE};

/// Message words of each half of each round, those of the first additions first. The G functions of the diagonals are
/// in the columns of their second rows.
const ORDER: [[[i32; 8]; 2]; 7] = {
    let mut order = [[[0; 8]; 2]; 7];
    let mut i = 0;
    while i < 7 * 16 {
        let (round, half, at) = (i / 16, i / 8 % 2, i % 8);
        let column = (at + 3 * half) % 4;
        order[round][half][at] = SCHEDULE[round][8 * half + 2 * column + at / 4] as i32;
        i += 1;
    }
    order
};

/// Compresses one block. Rows hold four words, and each G function of a half round is a column. The second row, which
/// is ready last, stays in place, and the other rows rotate to their diagonals meanwhile.
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(super) fn compress(key: &[u32; 8], m: &[u32; 16], counter: u64, len: u32, flags: u32) -> [u32; 16] {
    let (low, high) = (load(m.first_chunk().unwrap_or(&[0; 8])), load(m.last_chunk().unwrap_or(&[0; 8])));
    let h = load(key);
    let (h0, h1) = (_mm256_castsi256_si128(h), _mm256_extracti128_si256::<1>(h));
    let [i0, i1, i2, i3] = [IV[0], IV[1], IV[2], IV[3]].map(|word| word as i32);
    let (mut a, mut b, mut c) = (h0, h1, _mm_setr_epi32(i0, i1, i2, i3));
    let mut d = _mm_setr_epi32(counter as i32, (counter >> 32) as i32, len as i32, flags as i32);
    for [columns, diagonals] in &ORDER {
        (a, b, c, d) = half_round(a, b, c, d, _mm256_permutex2var_epi32(low, index(columns), high));
        (a, c, d) = (
            _mm_shuffle_epi32::<0b10_01_00_11>(a),
            _mm_shuffle_epi32::<0b00_11_10_01>(c),
            _mm_shuffle_epi32::<0b01_00_11_10>(d),
        );
        (a, b, c, d) = half_round(a, b, c, d, _mm256_permutex2var_epi32(low, index(diagonals), high));
        (a, c, d) = (
            _mm_shuffle_epi32::<0b00_11_10_01>(a),
            _mm_shuffle_epi32::<0b10_01_00_11>(c),
            _mm_shuffle_epi32::<0b01_00_11_10>(d),
        );
    }
    let mut out = [0; 16];
    let rows = [_mm_xor_si128(a, c), _mm_xor_si128(b, d), _mm_xor_si128(c, h0), _mm_xor_si128(d, h1)];
    for (out, row) in out.as_chunks_mut::<4>().0.iter_mut().zip(rows) {
        // SAFETY: 16 bytes, of any alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), row) }
    }
    out
}

#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[inline]
fn half_round(
    a: __m128i,
    b: __m128i,
    c: __m128i,
    d: __m128i,
    message: __m256i,
) -> (__m128i, __m128i, __m128i, __m128i) {
    let (x, y) = (_mm256_castsi256_si128(message), _mm256_extracti128_si256::<1>(message));
    let a = _mm_add_epi32(_mm_add_epi32(a, x), b);
    let d = _mm_ror_epi32::<16>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<12>(_mm_xor_si128(b, c));
    let a = _mm_add_epi32(_mm_add_epi32(a, y), b);
    let d = _mm_ror_epi32::<8>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<7>(_mm_xor_si128(b, c));
    (a, b, c, d)
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(words: &[u32; 8]) -> __m256i {
    // Loaded in halves, as it was written: reading more bytes than the last store wrote stalls the processor.
    let [low, high] = words.as_chunks::<4>().0 else { return _mm256_setzero_si256() };
    // SAFETY: 16 bytes each, of any alignment.
    let (low, high) =
        unsafe { (_mm_loadu_si128(low.as_ptr().cast()), _mm_loadu_si128(high.as_ptr().cast())) };
    _mm256_set_m128i(high, low)
}

#[target_feature(enable = "avx2")]
#[inline]
fn index(words: &[i32; 8]) -> __m256i {
    // SAFETY: 32 bytes, of any alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// Sorts digits, 64 at a time; see [`DigitOrder::one_by_one`] for the reference form.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
pub(super) fn sort_digits<const L: usize>(digits: &[u8; L], count: usize) -> DigitOrder {
    const { assert!(L <= MAX_CHAINS) };
    let (mut order, mut filled) = (DigitOrder::NONE, 0);
    let first = NUMBERS.first_chunk().unwrap_or(&[0; 64]);
    let mut places = [_mm512_set1_epi8(NO_CHAIN as i8); PLACES / 64];
    for (digit, upto) in order.upto.iter_mut().enumerate().take(count) {
        let all = _mm512_set1_epi8(digit as i8);
        for ((digits, numbers), places) in digits.chunks(64).zip(NUMBERS.as_chunks::<64>().0).zip(&mut places)
        {
            let mask = u64::MAX >> (64 - digits.len());
            // SAFETY: masked bytes are not touched.
            let values = unsafe { _mm512_maskz_loadu_epi8(mask, digits.as_ptr().cast()) };
            let equal = _mm512_mask_cmpeq_epi8_mask(mask, values, all);
            let packed = _mm512_maskz_compress_epi8(equal, whole(numbers));
            let next = _mm512_add_epi8(whole(first), _mm512_set1_epi8(filled as i8));
            *places = _mm512_mask_expand_epi8(*places, equal, next);
            // A whole vector is stored; the next store overwrites the surplus.
            if let Some(chains) = order.chains.get_mut(filled..filled + 64) {
                // SAFETY: 64 bytes, of any alignment.
                unsafe { _mm512_storeu_si512(chains.as_mut_ptr().cast(), packed) }
            }
            filled += equal.count_ones() as usize;
        }
        *upto = filled as u8;
    }
    for (to, places) in order.places.as_chunks_mut::<64>().0.iter_mut().zip(places) {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), places) }
    }
    order
}

#[target_feature(enable = "avx512f")]
#[inline]
fn whole(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes, of any alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// The numbers 0, 1, 2, ….
static NUMBERS: [u8; PLACES] = {
    let (mut numbers, mut i) = ([0; PLACES], 0);
    while i < PLACES {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};
