//! Whole keys of W-OTS⁺ over Haraka, on x86-64 with VAES and AVX-512: from values to the 32 bytes that stand for a
//! key, chains and tree, without a detour between hash calls.
//!
//! A vector is two inputs of Haraka-256 or one of Haraka-512, block after block as in memory. So nothing is
//! transposed, and what mixes the blocks is one permutation of words. Several vectors take turns, for an AES round
//! takes longer than it keeps the processor from beginning the next.
#![allow(unsafe_code, reason = "loads, stores, and memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds that the compiler knows")]

mod tree;
mod vectors;

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use self::tree::{ARITY, tree};
use self::vectors::{V, WHOLE, gathered, hash, load, store};
use super::order::{MOST, NO_CHAIN, PLACES};
use super::short_x86::in_order;
use crate::dsig::chain::KeySalt;
use crate::dsig::short::wipe;

/// The length of a value for which a chain's input, with the salt and two numbers, is 32 bytes.
pub(in super::super) const VALUE: usize = 18;
type Value = [u8; VALUE];

/// Blocks of an input.
pub(in super::super) const OF_256: usize = 2;
pub(in super::super) const OF_512: usize = 4;

/// Vectors that take turns.
const TURNS: usize = 8;
/// As many as few take no longer than one.
const FEW: usize = 4;
/// What is left over costs less so, for the next step can begin meanwhile.
const TWO: usize = 2;
/// Room for what belongs to chains, and for what is beyond the last in a vector or a group of them.
type Room<T> = [MaybeUninit<T>; MOST + 2 * ARITY * TURNS];

/// Bytes of a value's cell that a hash replaces, in a vector of one and of two cells.
const FRONT: u64 = (1 << VALUE) - 1;
const FRONTS: [u64; 3] = [0, FRONT, FRONT | FRONT << 32];

/// Where the chains' numbers are, in a vector of one and of two cells.
const NUMBERS: [u64; 3] = [0, 1 << 30, 1 << 30 | 1 << 62];

/// What brings the values of a vector next to each other, of two cells and of one.
static PACKED: [u8; 64] = gathered(&[(0, 0, VALUE), (VALUE, 32, VALUE)], false);
static AS_IT_IS: [u8; 64] = gathered(&[(0, 0, VALUE)], false);

/// The key to which a signature's values lead, whose chains have these digits. `None` if one is of more than `B` bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,vaes")]
pub(super) fn recover<const BLOCKS: usize, const L: usize, const B: usize>(
    values: &[Value; L],
    digits: impl FnOnce() -> [u8; L],
    salt: &KeySalt,
) -> Option<[u8; 32]> {
    const { assert!(L <= MOST && B <= 5) };
    let to = const { ((1u32 << B) - 1) as u8 };
    let order = in_order(&digits(), 1 << B);
    if order.moving(to) != L {
        return None;
    }
    let cells_each = OF_512 / BLOCKS;
    let vectors = L.div_ceil(cells_each);
    let mut cells: Room<V> = [const { MaybeUninit::uninit() }; _];
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
    // SAFETY: as many were written, and `TURNS` more.
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

/// All values of a key from those of its chains' starts, which are the first level of `levels`; and the key.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
pub(super) fn grow<const BLOCKS: usize, const L: usize>(
    levels: &mut [[Value; L]],
    salt: &KeySalt,
) -> [u8; 32] {
    const { assert!(L <= MOST) };
    let cells_each = OF_512 / BLOCKS;
    let mut ends: Room<V> = [const { MaybeUninit::uninit() }; _];
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
    // SAFETY: as many were written.
    let ends = unsafe { written(&mut ends[..L.div_ceil(cells_each)]) };
    tree::<BLOCKS, L>(ends, const { &one_by_one(L) }, salt)
}

/// The places of so many cells that are where their numbers say.
const fn one_by_one(count: usize) -> [u8; PLACES] {
    let (mut places, mut i) = ([NO_CHAIN; PLACES], 0);
    while i < count {
        (places[i], i) = (i as u8, i + 1);
    }
    places
}

/// What is in a room.
///
/// # Safety
/// All of it was written.
unsafe fn written<T>(room: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: it was, and nothing else than whether it must have been tells the types apart.
    unsafe { &mut *(core::ptr::from_mut(room) as *mut [T]) }
}

/// How many of so many vectors take turns next.
fn turns(vectors: usize) -> usize {
    match vectors {
        0..=TWO => TWO,
        3..=FEW => FEW,
        _ => TURNS,
    }
}

/// The chains from `first` on that a group of vectors has.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
fn grow_group<const BLOCKS: usize, const W: usize, const L: usize>(
    levels: &mut [[Value; L]],
    first: usize,
    ends: &mut [MaybeUninit<V>],
    salt: &KeySalt,
) {
    let cells_each = OF_512 / BLOCKS;
    let Some((starts, levels)) = levels.split_first_mut() else { return };
    let template = template::<BLOCKS>(salt);
    let mut numbers = _mm512_add_epi8(first_places(), _mm512_set1_epi8(first as i8));
    let mut cells = [template; W];
    for (cell, values) in cells.iter_mut().zip(starts[first..].chunks(cells_each)) {
        let numbered = _mm512_mask_mov_epi8(template, NUMBERS[cells_each], numbers);
        *cell = put::<BLOCKS>(numbered, values.first(), values.get(1));
        numbers = _mm512_add_epi8(numbers, _mm512_set1_epi8(cells_each as i8));
    }
    let pack = load(if BLOCKS == OF_256 { &PACKED } else { &AS_IT_IS });
    for (step, level) in (0u8..).zip(levels) {
        advance::<BLOCKS, W>(&mut cells, W * cells_each, step);
        let mut level = level[first..].as_flattened_mut();
        for cell in cells {
            let packed = _mm512_permutexvar_epi8(pack, cell);
            let len = level.len().min(cells_each * VALUE);
            // Where a whole vector fits it is stored, and the next overwrites what is not part of it.
            if let Some(room) = level.first_chunk_mut::<64>() {
                store(room, packed);
            } else {
                let mut room = [0; 64];
                store(&mut room, packed);
                level[..len].copy_from_slice(&room[..len]);
                wipe(&mut room);
            }
            level = &mut level[len..];
        }
    }
    for (end, cell) in ends.iter_mut().zip(cells) {
        end.write(cell);
    }
}

/// One or two values at the front of their cells.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
#[inline]
fn put<const BLOCKS: usize>(cells: V, first: Option<&Value>, second: Option<&Value>) -> V {
    // SAFETY: bytes in front of and behind the values are masked, and not touched.
    unsafe {
        let cells = first.map_or(cells, |value| _mm512_mask_loadu_epi8(cells, FRONT, value.as_ptr().cast()));
        second.filter(|_| BLOCKS == OF_256).map_or(cells, |value| {
            _mm512_mask_loadu_epi8(cells, FRONT << 32, value.as_ptr().wrapping_sub(32).cast())
        })
    }
}

/// What is behind the values of a vector: `salt ‖ chain u8 ‖ step u8`, the numbers still 0.
#[target_feature(enable = "avx512f")]
#[inline]
fn template<const BLOCKS: usize>(salt: &KeySalt) -> V {
    let mut cells = [0; 64];
    cells[VALUE..VALUE + 12].copy_from_slice(salt);
    if BLOCKS == OF_256 {
        cells[32 + VALUE..32 + VALUE + 12].copy_from_slice(salt);
    }
    load(&cells)
}

/// Where the chains' numbers of a vector's cells are in a list: the first one's, and the second one's.
#[target_feature(enable = "avx512f")]
#[inline]
fn first_places() -> V {
    let mut places = [0; 64];
    places[62] = 1;
    load(&places)
}

/// Takes the first `moving` cells of a group one step along.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes")]
#[inline]
fn advance<const BLOCKS: usize, const W: usize>(group: &mut [V; W], moving: usize, step: u8) {
    let cells_each = OF_512 / BLOCKS;
    let at: u64 = if BLOCKS == OF_256 { 1 << 31 | 1 << 63 } else { 1 << 31 };
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

/// Bytes of a hash in those of cells.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn replace<const BLOCKS: usize>(cell: V, hash: V, replaced: u64) -> V {
    match BLOCKS {
        // Not by a mask: a store of single bytes would come of it, which is slow.
        OF_256 => _mm512_ternarylogic_epi64::<0xca>(_mm512_movm_epi8(replaced), hash, cell),
        _ => _mm512_mask_permutexvar_epi8(cell, replaced, load(&WHOLE), hash),
    }
}
