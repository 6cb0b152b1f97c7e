//! The tree over a key's values ([`key_tree`](crate::dsig::key_tree)), three values to a node.
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;

use super::super::blake3_x86::{avx512, avx512vl};
use super::super::order::{MAX_CHAINS, PLACES};
use super::layout::{FEW, LANES, V, WORDS};
use super::words::{bytes, pick, splat};
use crate::dsig::cell::{KEY, KeySalt};

/// Children of a node of the tree.
const ARITY: usize = 3;
type Children = [[V; WORDS]; ARITY];

/// Number of vectors of the first level's nodes.
const VECTORS: usize = MAX_CHAINS.div_ceil(ARITY).div_ceil(LANES);

/// Returns the top of the tree over a key's values. `places` holds the position of each chain's value.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
pub(super) fn tree<const L: usize>(
    values: [&mut [u32]; WORDS],
    places: &[u8; PLACES],
    salt: &KeySalt,
) -> [u8; 32] {
    const { assert!(L > ARITY && VECTORS <= ARITY) };
    let mut nodes = [[_mm512_setzero_si512(); VECTORS]; WORDS];
    let mut count = L.div_ceil(ARITY);
    for (vector, start) in (0..count).step_by(LANES).enumerate() {
        let places = bytes(places[ARITY * start..].first_chunk().unwrap_or(&[0; 64]));
        let mut children: Children = [[_mm512_setzero_si512(); _]; _];
        for (number, child) in children.iter_mut().enumerate() {
            let places = _mm512_maskz_permutexvar_epi8(LOWEST, nth(number), places);
            let present = present_lanes(number, L - ARITY * start);
            for (word, row) in child.iter_mut().zip(&values) {
                *word = _mm512_maskz_mov_epi32(present, pick(row, places));
            }
        }
        let message = message(&children, salt, start, 1);
        let hashes = if count - start > FEW { avx512::whole(&KEY.key, &message) } else { few(&message) };
        for (node, hash) in nodes.iter_mut().zip(hashes) {
            node[vector] = hash;
        }
    }

    let mut children: Children = [[_mm512_setzero_si512(); _]; _];
    for (number, child) in children.iter_mut().enumerate() {
        let (from, present) = (nth(number), present_lanes(number, count));
        let last = !present_lanes(number, 2 * LANES);
        for (word, node) in child.iter_mut().zip(&nodes) {
            let low = _mm512_permutex2var_epi32(node[0], from, node[1]);
            let all = _mm512_mask_permutexvar_epi32(low, last, from, node[2]);
            *word = _mm512_maskz_mov_epi32(present, all);
        }
    }
    count = count.div_ceil(ARITY);
    let input = message(&children, salt, 0, 2);
    let mut nodes = if count > FEW { avx512::whole(&KEY.key, &input) } else { few(&input) };

    // From here on one vector holds a level.
    for level in 3.. {
        if count <= 1 {
            break;
        }
        let mut children: Children = [[_mm512_setzero_si512(); _]; _];
        for (number, child) in children.iter_mut().enumerate() {
            let (from, present) = (nth(number), present_lanes(number, count));
            for (word, node) in child.iter_mut().zip(nodes) {
                *word = _mm512_maskz_permutexvar_epi32(present, from, node);
            }
        }
        count = count.div_ceil(ARITY);
        nodes = few(&message(&children, salt, 0, level));
    }
    let mut key = [0; 32];
    for (bytes, word) in key.as_chunks_mut().0.iter_mut().zip(nodes) {
        *bytes = _mm512_cvtsi512_si32(word).to_le_bytes();
    }
    key
}

/// Hashes the node inputs in the first half of the lanes.
#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[inline]
fn few(message: &[V; 16]) -> [V; 8] {
    let mut low = [_mm256_setzero_si256(); 16];
    for (low, word) in low.iter_mut().zip(message) {
        *low = _mm512_castsi512_si256(*word);
    }
    let mut hashes = [_mm512_setzero_si512(); 8];
    for (hash, low) in hashes.iter_mut().zip(avx512vl::whole(&KEY.key, &low)) {
        *hash = _mm512_zextsi256_si512(low);
    }
    hashes
}

/// Returns a mask of the lanes whose child with this number is below `count`.
#[target_feature(enable = "avx512f")]
#[inline]
fn present_lanes(number: usize, count: usize) -> u16 {
    _mm512_cmplt_epu32_mask(nth(number), splat(count as u32))
}

/// Returns the words of the node inputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn message([a, b, c]: &Children, salt: &KeySalt, start: usize, level: u32) -> [V; 16] {
    let [s, t, u, v, w, x, ..] = *salt;
    let [first, rest] = [[0, 0, s, t], [u, v, w, x]].map(u32::from_le_bytes);
    let half = |low, high| _mm512_mask_mov_epi16(high, HALVES, low);
    let apart = |low, high| _mm512_shldi_epi32::<16>(high, low);
    let place = _mm512_add_epi32(numbers(), splat(start as u32 | level << 24));
    let second = _mm512_slli_epi32::<16>(b[0]);
    [
        a[0],
        a[1],
        a[2],
        a[3],
        half(a[4], second),
        apart(b[0], b[1]),
        apart(b[1], b[2]),
        apart(b[2], b[3]),
        apart(b[3], b[4]),
        c[0],
        c[1],
        c[2],
        c[3],
        half(c[4], splat(first)),
        splat(rest),
        place,
    ]
}

/// Returns the lane number in each lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn numbers() -> V {
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/// Returns in each lane the position of the child with this number.
#[target_feature(enable = "avx512f")]
#[inline]
fn nth(number: usize) -> V {
    let lanes = numbers();
    _mm512_add_epi32(_mm512_add_epi32(lanes, lanes), _mm512_add_epi32(lanes, splat(number as u32)))
}

/// The lowest byte of each word.
const LOWEST: u64 = 0x1111_1111_1111_1111;
/// The lower half of each word.
const HALVES: u32 = 0x5555_5555;
