//! Whole W-OTS⁺ keys over BLAKE3, on x86-64 with AVX-512 and VBMI: chains and tree, from a signature's values to the
//! 32-byte public key, without leaving the vector layout between hash calls.
//!
//! A vector holds one word of one chain per lane. Chains are sorted by their number of steps, most first, so a step
//! needs only the vectors that its chains fill; the last one has half the width where that suffices. Bytes and words
//! are moved by permutations only.
#![allow(unsafe_code, reason = "loads, and memory that is not cleared first")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

mod layout;
mod tree;
mod words;

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

pub(super) use self::layout::VALUE;
use self::layout::{FEW, LANES, OWN, Row, Value, WORDS, written};
use self::tree::tree;
use self::words::{pick, splat, store, transposed};
use super::blake3_x86::{avx512, avx512vl};
use super::order::MAX_CHAINS;
use super::single_x86::sort_digits;
use crate::dsig::cell::{CHAIN, KeySalt};

/// Returns the key that a signature's values lead to, for chains with these digits. Returns `None` if a digit has
/// more than `B` bits.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn recover<const L: usize, const B: usize>(
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
    let mut found: [Row; WORDS] = [[const { MaybeUninit::uninit() }; _]; _];
    let found = transposed(values, &mut found);
    // The words that differ between chains: those of the value and the one of the chain number.
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
    // SAFETY: the loop above wrote `L` words of each row.
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

/// Returns the words that the salt occupies in a chain's input; the first and the last one are shared with other
/// fields.
fn words_of(salt: &KeySalt) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *salt;
    [[0, 0, a, b], [c, d, e, f], [g, h, i, j], [k, l, 0, 0]].map(u32::from_le_bytes)
}
