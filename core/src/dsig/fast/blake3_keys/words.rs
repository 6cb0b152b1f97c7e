//! Conversion of values to vectors of words, and operations on them.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::layout::{LANES, Row, V, VALUE, Value, WORDS, written};

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load(words: &[u32]) -> V {
    match words.first_chunk::<LANES>() {
        // SAFETY: 64 bytes, of any alignment.
        Some(words) => unsafe { _mm512_loadu_si512(words.as_ptr().cast()) },
        None => _mm512_setzero_si512(),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store(words: &mut [MaybeUninit<u32>], vector: V) {
    if let Some(words) = words.first_chunk_mut::<LANES>() {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn splat(word: u32) -> V {
    _mm512_set1_epi32(word as i32)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn bytes(bytes: &[u8; 64]) -> V {
    // SAFETY: 64 bytes, of any alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Picks the word at each position of a row. Positions beyond the row yield unspecified words.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn pick(row: &[u32], places: V) -> V {
    let mut picked = _mm512_setzero_si512();
    for (number, pair) in row.as_chunks::<LANES>().0.chunks(2).enumerate() {
        let in_row = _mm512_cmpge_epu32_mask(places, splat((2 * LANES * number) as u32));
        let words = match pair {
            [low, high] => _mm512_permutex2var_epi32(load(low), places, load(high)),
            [last] => _mm512_permutexvar_epi32(places, load(last)),
            _ => picked,
        };
        picked = _mm512_mask_mov_epi32(picked, in_row, words);
    }
    picked
}

/// Transposes values to rows of words: the first words, the second words, and so on. Half of the last word is
/// unspecified.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
pub(super) fn transposed<'a, const L: usize>(
    values: &[Value; L],
    rows: &'a mut [Row; WORDS],
) -> [&'a mut [u32]; WORDS] {
    for (number, values) in values.chunks(LANES).enumerate() {
        let values = values.as_flattened();
        // The first 126 bytes hold seven values, the next 126 bytes seven more, and two remain.
        let (a, b, c) = (part(values, 0), part(values, 64), part(values, 7 * VALUE));
        let (d, e) = (part(values, 7 * VALUE + 64), part(values, 16 * VALUE - 64));
        for (word, row) in rows.iter_mut().enumerate() {
            let from = _mm512_add_epi8(bytes(&FIRST), _mm512_set1_epi8(4 * word as i8));
            let (front, back) = (_mm512_permutex2var_epi8(a, from, b), _mm512_permutex2var_epi8(c, from, d));
            let most = _mm512_mask_mov_epi8(front, !0 << 28, back);
            store(&mut row[number * LANES..], _mm512_mask_permutexvar_epi8(most, !0 << 56, from, e));
        }
    }
    let [a, b, c, d, e] = rows;
    // SAFETY: the loop above wrote `L` words of each row.
    unsafe { [written::<L>(a), written::<L>(b), written::<L>(c), written::<L>(d), written::<L>(e)] }
}

/// Position of the first word of each of sixteen values.
static FIRST: [u8; 64] = {
    let (mut from, mut i) = ([0; 64], 0);
    while i < 64 {
        let (value, byte) = (i / 4, i % 4);
        let start = if value < 14 { value % 7 * VALUE } else { 64 - (LANES - value) * VALUE };
        from[i] = (start + byte) as u8;
        i += 1;
    }
    from
};

/// Returns the 64 bytes from `at` on, zero-padded beyond the end of the values.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn part(values: &[u8], at: usize) -> V {
    let rest = values.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(whole) => bytes(whole),
        None if rest.is_empty() => _mm512_setzero_si512(),
        // SAFETY: bytes beyond the values are masked, and not touched.
        None => unsafe { _mm512_maskz_loadu_epi8(!(!0 << rest.len()), rest.as_ptr().cast()) },
    }
}
