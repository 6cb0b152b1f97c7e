//! The tree over a key's values ([`key_tree`](crate::dsig::key_tree)), three values to a node.
#![allow(clippy::indexing_slicing, reason = "bounds that the compiler knows")]

use core::arch::x86_64::*;

use super::super::blake3_x86::{avx512, avx512vl};
use super::super::order::{MOST, PLACES};
use super::words::{bytes, pick, splat};
use super::{FEW, LANES, V, WORDS};
use crate::dsig::chain::{KEY, KeySalt};

/// Children of a node of the tree.
const ARITY: usize = 3;
type Children = [[V; WORDS]; ARITY];

/// One word of all nodes of a level.
type Row = [u32; MOST.div_ceil(ARITY).next_multiple_of(LANES)];

/// The top of the tree over a key's values, which are where `places` says.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
pub(super) fn tree<const L: usize>(
    values: [&mut [u32]; WORDS],
    places: &[u8; PLACES],
    salt: &KeySalt,
) -> [u8; 32] {
    let mut nodes: [Row; WORDS] = [[0; _]; _];
    let (mut level, mut below) = (1, L);
    loop {
        let count = below.div_ceil(ARITY);
        // A level above the first is one group, so that its children are read before it takes their place.
        for start in (0..count).step_by(LANES) {
            let mut children: Children = [[_mm512_setzero_si512(); _]; _];
            if level == 1 {
                let places = bytes(places[ARITY * start..].first_chunk().unwrap_or(&[0; 64]));
                for (number, child) in children.iter_mut().enumerate() {
                    let places = _mm512_maskz_permutexvar_epi8(LOWEST, nth(number), places);
                    for (word, row) in child.iter_mut().zip(&values) {
                        *word = pick(row, places);
                    }
                }
            } else {
                let read = if count > FEW { ARITY * LANES } else { ARITY * FEW + FEW };
                for (number, child) in children.iter_mut().enumerate() {
                    for (word, row) in child.iter_mut().zip(&nodes) {
                        *word = pick(&row[..read], nth(number));
                    }
                }
            }
            let there = below - ARITY * start;
            if there < ARITY * LANES {
                for (number, child) in children.iter_mut().enumerate() {
                    let is_there = _mm512_cmplt_epu32_mask(nth(number), splat(there as u32));
                    child.iter_mut().for_each(|word| *word = _mm512_maskz_mov_epi32(is_there, *word));
                }
            }
            let message = message(&children, salt, start, level);
            if count - start > FEW {
                let hashes = avx512::whole(&KEY.key, &message);
                for (row, hash) in nodes.iter_mut().zip(hashes) {
                    avx512::put(row, start, hash);
                }
            } else {
                let hashes = avx512vl::whole(&KEY.key, &message.map(|word| _mm512_castsi512_si256(word)));
                if count <= 1 {
                    let mut key = [0; 32];
                    for (bytes, word) in key.as_chunks_mut().0.iter_mut().zip(hashes) {
                        *bytes = _mm256_cvtsi256_si32(word).to_le_bytes();
                    }
                    return key;
                }
                for (row, hash) in nodes.iter_mut().zip(hashes) {
                    avx512vl::put(row, start, hash);
                }
            }
        }
        (level, below) = (level + 1, count);
    }
}

/// The words of nodes' inputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn message([a, b, c]: &Children, salt: &KeySalt, start: usize, level: u32) -> [V; 16] {
    let [s, t, u, v, w, x, ..] = *salt;
    let [first, rest] = [[0, 0, s, t], [u, v, w, x]].map(|word| splat(u32::from_le_bytes(word)));
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
        half(c[4], first),
        rest,
        place,
    ]
}

/// In each lane the lane's number.
#[target_feature(enable = "avx512f")]
#[inline]
fn numbers() -> V {
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/// In each lane which child of that node's is the one of this number.
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
