//! Haraka on interleaved vectors, and permutations of their bytes.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;

use super::layout::{BLOCKS_256, BLOCKS_512};
use crate::dsig::haraka::CONSTANTS;

pub(super) type V = __m512i;

/// Computes Haraka of each input, with all 64 bytes of output.
#[target_feature(enable = "avx512f,vaes")]
#[inline]
pub(super) fn hash<const BLOCKS: usize, const W: usize>(inputs: &[V; W]) -> [V; W] {
    let mix = words(if BLOCKS == BLOCKS_256 { &MIX_256 } else { &MIX_512 });
    let mut states = *inputs;
    for round in 0..5 {
        for half in 0..2 {
            let key = key::<BLOCKS>(2 * round + half);
            for state in &mut states {
                *state = _mm512_aesenc_epi128(*state, key);
            }
        }
        for state in &mut states {
            *state = _mm512_permutexvar_epi32(mix, *state);
        }
    }
    for (state, input) in states.iter_mut().zip(inputs) {
        *state = _mm512_xor_si512(*state, *input);
    }
    states
}

/// Returns the round keys of one AES round.
#[target_feature(enable = "avx512f")]
#[inline]
fn key<const BLOCKS: usize>(round: usize) -> V {
    let keys = &CONSTANTS[BLOCKS * round..];
    match (keys.first_chunk::<BLOCKS_256>(), keys.first_chunk::<BLOCKS_512>()) {
        // SAFETY: 32 bytes, of any alignment.
        (Some(two), _) if BLOCKS == BLOCKS_256 => unsafe {
            _mm512_broadcast_i64x4(_mm256_loadu_si256(two.as_ptr().cast()))
        },
        (_, Some(four)) => load(four.as_flattened().first_chunk().unwrap_or(&[0; 64])),
        _ => _mm512_setzero_si512(),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load(bytes: &[u8; 64]) -> V {
    // SAFETY: 64 bytes, of any alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store(bytes: &mut [u8; 64], vector: V) {
    // SAFETY: 64 bytes, of any alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn words(words: &[i32; 16]) -> V {
    // SAFETY: 64 bytes, of any alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// The word permutation of each of the five rounds of Haraka, for two inputs and for one.
static MIX_256: [i32; 16] = [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];
static MIX_512: [i32; 16] = [3, 11, 7, 15, 8, 0, 12, 4, 9, 1, 13, 5, 2, 10, 6, 14];

/// Positions of the 32 bytes of output, of 64, that Haraka-512 keeps.
const KEPT: [u8; 32] = {
    let (mut kept, mut i) = ([0; 32], 0);
    while i < 32 {
        kept[i] = [8, 24, 32, 48][i / 8] + (i % 8) as u8;
        i += 1;
    }
    kept
};

/// Returns a permutation of the bytes of two vectors. A part is its position, its source and its length.
pub(super) const fn gathered(parts: &[(usize, u8, usize)], kept: bool) -> [u8; 64] {
    let (mut order, mut part) = ([0; 64], 0);
    while part < parts.len() {
        let ((to, from, len), mut i) = (parts[part], 0);
        while i < len {
            order[to + i] = from + if kept { KEPT[i] } else { i as u8 };
            i += 1;
        }
        part += 1;
    }
    order
}

/// Moves the 32 bytes of output that Haraka-512 keeps to the front.
pub(super) static WHOLE: [u8; 64] = gathered(&[(0, 0, 32)], true);
