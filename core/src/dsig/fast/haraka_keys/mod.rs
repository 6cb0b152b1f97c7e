//! Whole W-OTS⁺ keys over Haraka, on x86-64 with VAES and AVX-512: chains and tree, from values to the 32-byte public
//! key, without leaving the vector layout between hash calls.
//!
//! A vector holds two inputs of Haraka-256 or one of Haraka-512 in memory order. So no transposition is needed, and
//! one permutation of words mixes the blocks. Several vectors are interleaved, because the latency of an AES round is
//! longer than its issue interval.
#![allow(unsafe_code, reason = "loads, stores, and memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

mod layout;
mod tree;
mod vectors;

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

pub(super) use self::layout::{BLOCKS_256, BLOCKS_512, VALUE};
use self::layout::{FEW, Storage, TURNS, TWO, Value, written};
use self::tree::tree;
use self::vectors::{V, WHOLE, gathered, hash, load, store};
use super::order::{MAX_CHAINS, NO_CHAIN, PLACES};
use super::single_x86::sort_digits;
use crate::dsig::block::wipe;
use crate::dsig::cell::KeySalt;

/// Bytes of a cell that a hash replaces, for no cell, one cell and two cells of a vector.
const FRONT: u64 = (1 << VALUE) - 1;
const FRONTS: [u64; 3] = [0, FRONT, FRONT | FRONT << 32];

/// Position of the chain number, for no cell, one cell and two cells of a vector.
const NUMBERS: [u64; 3] = [0, 1 << 30, 1 << 30 | 1 << 62];

/// Makes the values of a vector adjacent, for two cells and for one.
static PACKED: [u8; 64] = gathered(&[(0, 0, VALUE), (VALUE, 32, VALUE)], false);
static AS_IT_IS: [u8; 64] = gathered(&[(0, 0, VALUE)], false);

/// Returns the key that a signature's values lead to, for chains with these digits. Returns `None` if a digit has
/// more than `B` bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,vaes")]
pub(super) fn recover<const BLOCKS: usize, const L: usize, const B: usize>(
    values: &[Value; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    const { assert!(L <= MAX_CHAINS && B <= 5) };
    let to = const { ((1u32 << B) - 1) as u8 };
    let order = sort_digits(&digits(), 1 << B);
    if order.moving(to) != L {
        return None;
    }
    let cells_each = BLOCKS_512 / BLOCKS;
    let vectors = L.div_ceil(cells_each);
    let mut cells: Storage<V> = [const { MaybeUninit::uninit() }; _];
    let template = template::<BLOCKS>(salt);
    for (cells, chains) in cells[..vectors].chunks_mut(64 / cells_each).zip(order.chains.chunks(64)) {
        let numbers = load(chains.first_chunk().unwrap_or(&[0; 64]));
        let mut places = first_places();
        for (cell, chains) in cells.iter_mut().zip(chains.chunks(cells_each)) {
            let start = _mm512_mask_permutexvar_epi8(template, NUMBERS[cells_each], places, numbers);
            places = _mm512_add_epi8(places, _mm512_set1_epi8(cells_each as i8));
            let value = |at: usize| chains.get(at).and_then(|chain| values.get(usize::from(*chain)));
            cell.write(put::<BLOCKS>(start, value(0), value(1)));
        }
    }
    for vector in cells.iter_mut().skip(vectors).take(TURNS) {
        vector.write(_mm512_setzero_si512());
    }
    // SAFETY: the loops above wrote `vectors + TURNS` vectors.
    let cells = unsafe { written(&mut cells[..vectors + TURNS]) };

    for step in 0..to {
        let mut moving = order.moving(step);
        let mut rest = &mut *cells;
        while moving > 0 {
            let turns = turns(moving.div_ceil(cells_each));
            let Some((group, later)) = rest.split_at_mut_checked(turns) else { break };
            if let Some(group) = group.first_chunk_mut::<TURNS>() {
                advance::<BLOCKS, TURNS>(group, moving, step);
            } else if let Some(group) = group.first_chunk_mut::<FEW>() {
                advance::<BLOCKS, FEW>(group, moving, step);
            } else if let Some(group) = group.first_chunk_mut::<TWO>() {
                advance::<BLOCKS, TWO>(group, moving, step);
            }
            (rest, moving) = (later, moving.saturating_sub(turns * cells_each));
        }
    }

    Some(tree::<BLOCKS, L>(&cells[..vectors], &order.places, salt))
}

/// Computes all values of a key from the chain starts in the first level of `levels`, and returns the key.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
pub(super) fn grow<const BLOCKS: usize, const L: usize>(
    levels: &mut [[Value; L]],
    salt: &KeySalt,
) -> [u8; 32] {
    const { assert!(L <= MAX_CHAINS) };
    let cells_each = BLOCKS_512 / BLOCKS;
    let mut ends: Storage<V> = [const { MaybeUninit::uninit() }; _];
    let mut first = 0;
    while first < L {
        let turns = turns((L - first).div_ceil(cells_each));
        let ends = &mut ends[first / cells_each..];
        match turns {
            TWO => grow_group::<BLOCKS, TWO, L>(levels, first, ends, salt),
            FEW => grow_group::<BLOCKS, FEW, L>(levels, first, ends, salt),
            _ => grow_group::<BLOCKS, TURNS, L>(levels, first, ends, salt),
        }
        first += turns * cells_each;
    }
    // SAFETY: the groups above wrote the vectors of all `L` chains.
    let ends = unsafe { written(&mut ends[..L.div_ceil(cells_each)]) };
    tree::<BLOCKS, L>(ends, const { &one_by_one(L) }, salt)
}

/// Returns the identity positions of `count` cells.
const fn one_by_one(count: usize) -> [u8; PLACES] {
    let (mut places, mut i) = ([NO_CHAIN; PLACES], 0);
    while i < count {
        (places[i], i) = (i as u8, i + 1);
    }
    places
}

/// Returns the number of vectors to interleave next.
fn turns(vectors: usize) -> usize {
    match vectors {
        0..=TWO => TWO,
        3..=FEW => FEW,
        _ => TURNS,
    }
}

/// Computes the values of one group of vectors, for the chains from `first` on.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
fn grow_group<const BLOCKS: usize, const W: usize, const L: usize>(
    levels: &mut [[Value; L]],
    first: usize,
    ends: &mut [MaybeUninit<V>],
    salt: &KeySalt,
) {
    let cells_each = BLOCKS_512 / BLOCKS;
    let Some((starts, levels)) = levels.split_first_mut() else { return };
    let template = template::<BLOCKS>(salt);
    let mut numbers = _mm512_add_epi8(first_places(), _mm512_set1_epi8(first as i8));
    let mut cells = [template; W];
    for (cell, values) in cells.iter_mut().zip(starts[first..].chunks(cells_each)) {
        let numbered = _mm512_mask_mov_epi8(template, NUMBERS[cells_each], numbers);
        *cell = put::<BLOCKS>(numbered, values.first(), values.get(1));
        numbers = _mm512_add_epi8(numbers, _mm512_set1_epi8(cells_each as i8));
    }
    let pack = load(if BLOCKS == BLOCKS_256 { &PACKED } else { &AS_IT_IS });
    for (step, level) in (0u8..).zip(levels) {
        advance::<BLOCKS, W>(&mut cells, W * cells_each, step);
        let mut level = level[first..].as_flattened_mut();
        for cell in cells {
            let packed = _mm512_permutexvar_epi8(pack, cell);
            let len = level.len().min(cells_each * VALUE);
            // Store a whole vector where it fits; the next store overwrites the surplus.
            if let Some(bytes) = level.first_chunk_mut::<64>() {
                store(bytes, packed);
            } else {
                let mut bytes = [0; 64];
                store(&mut bytes, packed);
                level[..len].copy_from_slice(&bytes[..len]);
                wipe(&mut bytes);
            }
            level = &mut level[len..];
        }
    }
    for (end, cell) in ends.iter_mut().zip(cells) {
        end.write(cell);
    }
}

/// Writes one or two values at the front of their cells.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
#[inline]
fn put<const BLOCKS: usize>(cells: V, first: Option<&Value>, second: Option<&Value>) -> V {
    // SAFETY: bytes before and after the values are masked and not touched.
    unsafe {
        let cells = first.map_or(cells, |value| _mm512_mask_loadu_epi8(cells, FRONT, value.as_ptr().cast()));
        second.filter(|_| BLOCKS == BLOCKS_256).map_or(cells, |value| {
            _mm512_mask_loadu_epi8(cells, FRONT << 32, value.as_ptr().wrapping_sub(32).cast())
        })
    }
}

/// Returns the bytes after the values of a vector: `salt ‖ chain u8 ‖ step u8`, both numbers 0.
#[target_feature(enable = "avx512f")]
#[inline]
fn template<const BLOCKS: usize>(salt: &KeySalt) -> V {
    let mut cells = [0; 64];
    cells[VALUE..VALUE + 12].copy_from_slice(salt);
    if BLOCKS == BLOCKS_256 {
        cells[32 + VALUE..32 + VALUE + 12].copy_from_slice(salt);
    }
    load(&cells)
}

/// Returns the positions, in a list of chain numbers, of those of a vector's cells.
#[target_feature(enable = "avx512f")]
#[inline]
fn first_places() -> V {
    let mut places = [0; 64];
    places[62] = 1;
    load(&places)
}

/// Advances the first `moving` cells of a group by one step.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
fn advance<const BLOCKS: usize, const W: usize>(group: &mut [V; W], moving: usize, step: u8) {
    let cells_each = BLOCKS_512 / BLOCKS;
    let at: u64 = if BLOCKS == BLOCKS_256 { 1 << 31 | 1 << 63 } else { 1 << 31 };
    let number = _mm512_mask_set1_epi8(_mm512_setzero_si512(), at, step as i8);
    let mut inputs = *group;
    for input in &mut inputs {
        *input = _mm512_xor_si512(*input, number);
    }
    let hashes = hash::<BLOCKS, W>(&inputs);
    if moving >= W * cells_each {
        for (cell, hash) in group.iter_mut().zip(hashes) {
            *cell = replace::<BLOCKS>(*cell, hash, FRONTS[cells_each]);
        }
    } else {
        for (at, (cell, hash)) in group.iter_mut().zip(hashes).enumerate() {
            let replaced = FRONTS[moving.saturating_sub(at * cells_each).min(cells_each)];
            *cell = replace::<BLOCKS>(*cell, hash, replaced);
        }
    }
}

/// Replaces the selected bytes of cells with those of a hash.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn replace<const BLOCKS: usize>(cell: V, hash: V, replaced: u64) -> V {
    match BLOCKS {
        // No mask here: it would compile to a store of single bytes, which is slow.
        BLOCKS_256 => _mm512_ternarylogic_epi64::<0xca>(_mm512_movm_epi8(replaced), hash, cell),
        _ => _mm512_mask_permutexvar_epi8(cell, replaced, load(&WHOLE), hash),
    }
}
