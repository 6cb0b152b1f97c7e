//! The tree over a key's values ([`key_tree`](crate::dsig::key_tree)), three values to a node.
#![allow(unsafe_code, reason = "loads, stores, and memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::layout::{ARITY, BLOCKS_256, BLOCKS_512, FEW, Storage, TURNS, VALUE, written};
use super::vectors::{V, WHOLE, gathered, hash, load};
use crate::dsig::cell::KeySalt;
use crate::dsig::fast::order::PLACES;

/// Returns the top of the tree over a key's values. `places` holds the position of each chain's cell; a missing cell
/// counts as zeros.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
pub(super) fn tree<const BLOCKS: usize, const L: usize>(
    cells: &[V],
    places: &[u8; PLACES],
    salt: &KeySalt,
) -> [u8; 32] {
    let mut below = L.div_ceil(ARITY);
    let groups = below.div_ceil(TURNS);
    // SAFETY: a vector consists of two vectors of half the width.
    let halves = unsafe { core::slice::from_raw_parts(cells.as_ptr().cast::<__m256i>(), 2 * cells.len()) };
    let value = |chain: usize| {
        let half = halves.get(usize::from(places[chain]) * (BLOCKS / BLOCKS_256));
        if let Some(half) = half { *half } else { _mm256_setzero_si256() }
    };
    let mut nodes: Storage<V> = [const { MaybeUninit::uninit() }; _];
    let mut tweak = [0; 64];
    tweak[ARITY * VALUE..60].copy_from_slice(&salt[..6]);
    tweak[63] = 1;
    let (mut tweak, next, level) = (load(&tweak), one_at(60), one_at(63));
    let together = load(&OF_CELLS);
    let mut level_tweak = tweak;
    for (group, first) in nodes.chunks_mut(TURNS).take(groups).zip((0..).step_by(ARITY * TURNS)) {
        let mut inputs = [tweak; TURNS];
        for (input, first) in inputs.iter_mut().zip((first..).step_by(ARITY)) {
            let two = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(value(first)), value(first + 1));
            let third = _mm512_castsi256_si512(value(first + 2));
            let all = _mm512_permutex2var_epi8(two, together, third);
            *input = _mm512_mask_mov_epi8(level_tweak, CHILDREN, all);
            level_tweak = _mm512_add_epi8(level_tweak, next);
        }
        for (node, hash) in group.iter_mut().zip(hash::<BLOCKS_512, TURNS>(&inputs)) {
            node.write(hash);
        }
    }
    for node in nodes.iter_mut().skip(groups * TURNS).take(ARITY * TURNS) {
        node.write(_mm512_setzero_si512());
    }
    // SAFETY: the loops above wrote these nodes.
    let nodes = unsafe { written(&mut nodes[..(groups + ARITY) * TURNS]) };
    while below > 1 {
        // Hashes beyond the last node are not nodes.
        nodes[below..below + ARITY - 1].fill(_mm512_setzero_si512());
        below = below.div_ceil(ARITY);
        tweak = _mm512_add_epi8(tweak, level);
        if below <= FEW {
            level_above::<FEW, { ARITY * FEW }>(nodes, below, tweak, next);
        } else {
            level_above::<TURNS, { ARITY * TURNS }>(nodes, below, tweak, next);
        }
    }
    let mut key = [0; 32];
    let top = _mm512_permutexvar_epi8(load(&WHOLE), nodes[0]);
    // SAFETY: 32 bytes, of any alignment.
    unsafe { _mm256_storeu_si256(key.as_mut_ptr().cast(), _mm512_castsi512_si256(top)) };
    key
}

/// Computes the next level of the tree, in place of the one below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
fn level_above<const W: usize, const C: usize>(nodes: &mut [V], count: usize, tweak: V, place: V) {
    let (two, third, mut tweak) = (load(&OF_TWO), load(&AND_THIRD), tweak);
    for start in (0..count).step_by(W) {
        let Some(children) = nodes.get(ARITY * start..).and_then(|nodes| nodes.first_chunk::<C>()) else {
            return;
        };
        let mut inputs = [tweak; W];
        for (input, children) in inputs.iter_mut().zip(children.as_chunks::<ARITY>().0) {
            let all = _mm512_permutex2var_epi8(children[0], two, children[1]);
            let all = _mm512_permutex2var_epi8(all, third, children[2]);
            *input = _mm512_mask_mov_epi8(tweak, CHILDREN, all);
            tweak = _mm512_add_epi8(tweak, place);
        }
        if let Some(nodes) = nodes.get_mut(start..).and_then(|nodes| nodes.first_chunk_mut::<W>()) {
            *nodes = hash::<BLOCKS_512, W>(&inputs);
        }
    }
}

/// Returns a vector with one byte set to 1.
#[target_feature(enable = "avx512f")]
#[inline]
fn one_at(place: usize) -> V {
    let mut bytes = [0; 64];
    bytes[place] = 1;
    load(&bytes)
}

/// Permutations that make three values adjacent: from cells of 32 bytes, two of them in the first vector; from two
/// hashes, then a third.
static OF_CELLS: [u8; 64] = gathered(&[(0, 0, VALUE), (VALUE, 32, VALUE), (2 * VALUE, 64, VALUE)], false);
static OF_TWO: [u8; 64] = gathered(&[(0, 0, VALUE), (VALUE, 64, VALUE)], true);
static AND_THIRD: [u8; 64] = {
    let (mut order, mut i) = (gathered(&[(2 * VALUE, 64, VALUE)], true), 0);
    while i < 2 * VALUE {
        order[i] = i as u8;
        i += 1;
    }
    order
};
const CHILDREN: u64 = (1 << (ARITY * VALUE)) - 1;
