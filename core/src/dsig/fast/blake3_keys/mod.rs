//! Whole keys of W-OTS⁺ over BLAKE3, on x86-64 with AVX-512 with VBMI: from a signature's values to the 32 bytes that
//! stand for a key, chains and tree, without a detour between hash calls.
//!
//! A vector has one word of as many chains as it has lanes. The chains that take most steps are first, so that a step
//! is of as many vectors as its chains fill, the last of them of half the width where that is enough. Bytes and words
//! come to their places by permutations alone.
#![allow(unsafe_code, reason = "loads, and memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds that the compiler knows")]

mod tree;
mod words;

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use self::tree::tree;
use self::words::{pick, splat, store, transposed};
use super::blake3_x86::{avx512, avx512vl};
use super::order::MOST;
use super::short_x86::in_order;
use crate::dsig::chain::{CHAIN, KeySalt};

/// The length of a value for which a chain's input, with the salt and two numbers, is 32 bytes.
pub(in super::super) const VALUE: usize = 18;
type Value = [u8; VALUE];

type V = __m512i;
const LANES: usize = 16;
/// Lanes of a vector of half the width.
const FEW: usize = 8;

/// Words of a value; half of the last is not its own.
const WORDS: usize = 5;
const OWN: u32 = 0xffff;

/// One word of all chains, and of what is beyond the last in a vector of them.
type Row = [MaybeUninit<u32>; MOST.next_multiple_of(LANES)];

/// The key to which a signature's values lead, whose chains have these digits. `None` if one is of more than `B` bits.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn recover<const L: usize, const B: usize>(
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
    let mut found: [Row; WORDS] = [[const { MaybeUninit::uninit() }; _]; _];
    let found = transposed(values, &mut found);
    // The words that differ from chain to chain: the value's, and the one of the chain's number.
    let mut cells: [Row; WORDS + 1] = [[const { MaybeUninit::uninit() }; _]; _];
    let [a, b, middle, last] = words_of(salt);
    for (number, chains) in order.chains.as_chunks::<LANES>().0.iter().enumerate().take(L.div_ceil(LANES)) {
        // SAFETY: 16 bytes, of any alignment.
        let chains = _mm512_cvtepu8_epi32(unsafe { _mm_loadu_si128(chains.as_ptr().cast()) });
        let tags = _mm512_or_si512(_mm512_slli_epi32::<16>(chains), splat(last));
        let mut words = [tags; WORDS + 1];
        for (word, row) in words.iter_mut().zip(&found) {
            *word = pick(row, chains);
        }
        words[WORDS - 1] = _mm512_or_si512(_mm512_and_si512(words[WORDS - 1], splat(OWN)), splat(a));
        for (row, word) in cells.iter_mut().zip(words) {
            store(&mut row[number * LANES..], word);
        }
    }
    let [w0, w1, w2, w3, w4, tags] = &mut cells;
    // SAFETY: as many were written.
    let mut cells = unsafe {
        [
            written::<L>(w0),
            written::<L>(w1),
            written::<L>(w2),
            written::<L>(w3),
            written::<L>(w4),
            written::<L>(tags),
        ]
    };
    for step in 0..to {
        let (moving, mut at) = (order.moving(step), 0);
        while at < moving {
            let rest = moving - at;
            if rest > FEW {
                avx512::step(&CHAIN.key, &mut cells, at, rest, [b, middle], step);
                at += LANES;
            } else {
                avx512vl::step(&CHAIN.key, &mut cells, at, rest, [b, middle], step);
                at += FEW;
            }
        }
    }
    let [w0, w1, w2, w3, w4, _] = cells;
    Some(tree::<L>([w0, w1, w2, w3, w4], &order.places, salt))
}

/// The words that the salt makes in a chain's input, the first and the last with room for what is not its own.
fn words_of(salt: &KeySalt) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *salt;
    [[0, 0, a, b], [c, d, e, f], [g, h, i, j], [k, l, 0, 0]].map(u32::from_le_bytes)
}

/// What is in a row: vectors of `L` words.
///
/// # Safety
/// As many were written.
unsafe fn written<const L: usize>(row: &mut Row) -> &mut [u32] {
    let row = &mut row[..L.next_multiple_of(LANES)];
    // SAFETY: they were, and nothing else than whether they must have been tells the types apart.
    unsafe { &mut *(core::ptr::from_mut(row) as *mut [u32]) }
}
