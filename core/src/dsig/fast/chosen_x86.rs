//! Which values of a W-OTS⁺ key sign, and wiping them all, on x86-64 with AVX-512.
//!
//! All depths go side by side, and of each byte there stays the one that its chain's digit says. So what is read does not
//! depend on the digits, and digits need not be written to be read again: a processor that reads more than it wrote at
//! once has to wait.
#![allow(unsafe_code, reason = "loads and stores")]

use core::arch::x86_64::*;
use core::ptr;

/// Digits of two bits of 16 bytes, and their checksum's.
pub(super) const CHAINS: usize = 68;
/// Bytes of a value at most.
pub(super) const MOST: usize = 64 * VECTORS / CHAINS;
const VECTORS: usize = 20;

/// The chain to which each byte of a depth belongs.
struct Chains<const N: usize>;

impl<const N: usize> Chains<N> {
    #[allow(clippy::indexing_slicing, reason = "bounds that the compiler knows")]
    const OF: [[u8; 64]; VECTORS] = {
        let (mut of, mut i) = ([[0; 64]; VECTORS], 0);
        while i < 64 * VECTORS {
            (of[i / 64][i % 64], i) = ((i / N) as u8, i + 1);
        }
        of
    };
}

/// Of the four depths of a key, which follow each other, the values that a digest's digits choose.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn choose<const N: usize>(kept: &[u8], digest: &[u8; 64], chosen: &mut [u8]) {
    let mut depths = kept.chunks_exact(N * CHAINS).map(|depth| depth.chunks(64));
    let (Some(a), Some(b), Some(c), Some(d)) = (depths.next(), depths.next(), depths.next(), depths.next())
    else {
        return;
    };
    let (shown, checksum) = digits(digest);
    let [low, high] = [1, 2].map(|bit| _mm512_set1_epi8(bit));
    let vectors = a.zip(b).zip(c.zip(d)).zip(chosen.chunks_mut(64)).zip(&Chains::<N>::OF);
    for ((((a, b), (c, d)), chosen), chains) in vectors {
        let there = u64::MAX >> (64 - chosen.len());
        let digits = _mm512_permutex2var_epi8(shown, load(chains, u64::MAX), checksum);
        let (odd, deep) = (_mm512_test_epi8_mask(digits, low), _mm512_test_epi8_mask(digits, high));
        let [a, b, c, d] = [a, b, c, d].map(|bytes| load(bytes, there));
        let (upper, lower) = (_mm512_mask_mov_epi8(a, odd, b), _mm512_mask_mov_epi8(c, odd, d));
        // SAFETY: the mask has as many bits as there are bytes.
        unsafe {
            _mm512_mask_storeu_epi8(
                chosen.as_mut_ptr().cast(),
                there,
                _mm512_mask_mov_epi8(upper, deep, lower),
            )
        }
    }
}

/// The digits of the first 16 bytes, and those of the checksum.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn digits(digest: &[u8; 64]) -> (__m512i, __m512i) {
    // SAFETY: 16 bytes of 64, of any alignment.
    let bytes = unsafe { _mm_loadu_si128(digest.as_ptr().cast()) };
    let eights =
        _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x0e0c_0a08_0604_0200), _mm512_cvtepu16_epi64(bytes));
    let shown = _mm512_and_si512(eights, _mm512_set1_epi8(3));
    let sum = _mm512_reduce_add_epi64(_mm512_sad_epu8(shown, _mm512_setzero_si512()));
    let rest = 3 * 64 - sum as i32;
    let apart = rest & 3 | (rest & 0x0c) << 6 | (rest & 0x30) << 12 | (rest & 0xc0) << 18;
    (shown, _mm512_zextsi128_si512(_mm_cvtsi32_si128(apart)))
}

/// Bytes that are there, and zeros.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(bytes: &[u8], there: u64) -> __m512i {
    // SAFETY: what is masked is not touched, and every slice here has as many bytes as its mask has bits.
    unsafe { _mm512_maskz_loadu_epi8(there, bytes.as_ptr().cast()) }
}

/// Zeros, a line at a time: the instruction for strings, which `memset` would take, holds up what comes next.
#[target_feature(enable = "avx512f")]
pub(super) fn wipe(bytes: &mut [u8]) {
    // SAFETY: a vector is any bytes.
    let (front, lines, back) = unsafe { bytes.align_to_mut::<__m512i>() };
    front.fill(0);
    for line in lines {
        // SAFETY: a line of ours. Volatile, for the compiler makes a `memset` of it otherwise.
        unsafe { ptr::write_volatile(line, _mm512_setzero_si512()) }
    }
    back.fill(0);
}
