//! Selection of the signed values of a W-OTS⁺ key, and wiping of keys, on x86-64 with AVX-512.
//!
//! All levels are read in parallel, and of each byte the one that its chain's digit selects is kept. So the memory
//! access pattern does not depend on the digits, and the digits stay in registers: reading more bytes than the last
//! store wrote stalls the processor.
#![allow(unsafe_code, reason = "loads and stores")]

use core::arch::x86_64::*;
use core::ptr;

/// Number of chains: digits of two bits of 16 bytes, and those of the checksum.
pub(super) const CHAINS: usize = 68;
/// Maximum length of a value in bytes.
pub(super) const MAX_VALUE: usize = 64 * VECTORS / CHAINS;
const VECTORS: usize = 20;

/// Maps each byte of a level to its chain.
struct ByteChains<const N: usize>;

impl<const N: usize> ByteChains<N> {
    #[allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]
    const CHAIN: [[u8; 64]; VECTORS] = {
        let (mut of, mut i) = ([[0; 64]; VECTORS], 0);
        while i < 64 * VECTORS {
            (of[i / 64][i % 64], i) = ((i / N) as u8, i + 1);
        }
        of
    };
}

/// Copies the values that the digest's digits select from the four levels of a key.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn select<const N: usize>(levels: &[u8], digest: &[u8; 64], selected: &mut [u8]) {
    let mut depths = levels.chunks_exact(N * CHAINS).map(|depth| depth.chunks(64));
    let (Some(a), Some(b), Some(c), Some(d)) = (depths.next(), depths.next(), depths.next(), depths.next())
    else {
        return;
    };
    let (shown, checksum) = digits(digest);
    let [low, high] = [1, 2].map(|bit| _mm512_set1_epi8(bit));
    let vectors = a.zip(b).zip(c.zip(d)).zip(selected.chunks_mut(64)).zip(&ByteChains::<N>::CHAIN);
    for ((((a, b), (c, d)), selected), chains) in vectors {
        let mask = u64::MAX >> (64 - selected.len());
        let digits = _mm512_permutex2var_epi8(shown, load(chains, u64::MAX), checksum);
        let (odd, deep) = (_mm512_test_epi8_mask(digits, low), _mm512_test_epi8_mask(digits, high));
        let [a, b, c, d] = [a, b, c, d].map(|bytes| load(bytes, mask));
        let (upper, lower) = (_mm512_mask_mov_epi8(a, odd, b), _mm512_mask_mov_epi8(c, odd, d));
        // SAFETY: the mask has as many bits as there are bytes.
        unsafe {
            _mm512_mask_storeu_epi8(
                selected.as_mut_ptr().cast(),
                mask,
                _mm512_mask_mov_epi8(upper, deep, lower),
            )
        }
    }
}

/// Returns the digits of the first 16 bytes, and those of the checksum.
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

/// Loads the unmasked bytes; the others are zero.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(bytes: &[u8], mask: u64) -> __m512i {
    // SAFETY: masked bytes are not touched, and every slice here has as many bytes as its mask has bits.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// Writes zeros, a cache line at a time: the string instruction that `memset` uses delays the instructions after it.
#[target_feature(enable = "avx512f")]
pub(super) fn wipe(bytes: &mut [u8]) {
    // SAFETY: any bytes are a valid vector.
    let (front, lines, back) = unsafe { bytes.align_to_mut::<__m512i>() };
    front.fill(0);
    for line in lines {
        // SAFETY: the line belongs to `bytes`. Volatile, or the compiler would emit a `memset`.
        unsafe { ptr::write_volatile(line, _mm512_setzero_si512()) }
    }
    back.fill(0);
}
