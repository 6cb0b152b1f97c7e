//! Haraka on x86-64, with vectors of one, two and four blocks.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds that the compiler knows")]

use super::super::chain::Cell;
use super::super::haraka::CONSTANTS;
use super::block_of;
use super::groups::in_groups;
use super::haraka_kernels::{advance, haraka_kernels};
use super::walk::Walk;

/// The names that the kernels know, for one width.
macro_rules! operations {
    ($features:literal, $v:ty, $aes:ident, $low32:ident, $high32:ident, $low64:ident, $high64:ident, $xor:ident,
     $and:ident) => {
        operations!(@ $features, $v, aes = $aes, low32 = $low32, high32 = $high32, low64 = $low64, high64 = $high64,
            xor = $xor, and = $and);
    };
    (@ $features:literal, $v:ty, $($name:ident = $intrinsic:ident),*) => {$(
        #[target_feature(enable = $features)]
        #[inline]
        fn $name(a: $v, b: $v) -> $v {
            $intrinsic(a, b)
        }
    )*};
}

/// AES-NI.
pub(super) mod aesni {
    use core::arch::x86_64::*;

    use super::*;

    type V = __m128i;
    const WIDTH: usize = 1;

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn load(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes, of any alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn store(cell: &mut Cell, block: usize, vector: __m128i) {
        if let Some(bytes) = cell.0.as_chunks_mut::<16>().0.get_mut(block) {
            // SAFETY: 16 bytes, of any alignment.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) }
        }
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn every(bytes: &[u8; 16]) -> V {
        load(bytes)
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn gather<const G: usize>(cells: &[Cell; G], at: usize, block: usize) -> V {
        load(block_of(&cells[at].0, block))
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [Cell; G], at: usize, block: usize, vector: V) {
        store(&mut cells[at], block, vector);
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn lanes(are_ones: &[bool; WIDTH]) -> V {
        _mm_set1_epi8(-i8::from(are_ones[0]))
    }

    operations!(
        "aes,sse2",
        __m128i,
        _mm_aesenc_si128,
        _mm_unpacklo_epi32,
        _mm_unpackhi_epi32,
        _mm_unpacklo_epi64,
        _mm_unpackhi_epi64,
        _mm_xor_si128,
        _mm_and_si128
    );
    haraka_kernels!("aes,sse2");
}

/// VAES in vectors of 256 bits.
pub(super) mod vaes256 {
    use core::arch::x86_64::*;

    use super::aesni::{load, store};
    use super::*;

    type V = __m256i;
    const WIDTH: usize = 2;

    #[target_feature(enable = "avx2")]
    #[inline]
    fn every(bytes: &[u8; 16]) -> V {
        _mm256_broadcastsi128_si256(load(bytes))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather<const G: usize>(cells: &[Cell; G], at: usize, block: usize) -> V {
        let [a, b] = core::array::from_fn(|i| load(block_of(&cells[at + i].0, block)));
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [Cell; G], at: usize, block: usize, vector: V) {
        store(&mut cells[at], block, _mm256_castsi256_si128(vector));
        store(&mut cells[at + 1], block, _mm256_extracti128_si256::<1>(vector));
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn lanes(are_ones: &[bool; WIDTH]) -> V {
        let [a, b] = are_ones.map(|is_one| -i64::from(is_one));
        _mm256_setr_epi64x(a, a, b, b)
    }

    operations!(
        "vaes,avx2",
        __m256i,
        _mm256_aesenc_epi128,
        _mm256_unpacklo_epi32,
        _mm256_unpackhi_epi32,
        _mm256_unpacklo_epi64,
        _mm256_unpackhi_epi64,
        _mm256_xor_si256,
        _mm256_and_si256
    );
    haraka_kernels!("vaes,avx2");
}

/// VAES in vectors of 512 bits.
pub(super) mod vaes512 {
    use core::arch::x86_64::*;

    use super::aesni::{load, store};
    use super::*;

    type V = __m512i;
    const WIDTH: usize = 4;

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn every(bytes: &[u8; 16]) -> V {
        _mm512_broadcast_i32x4(load(bytes))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn gather<const G: usize>(cells: &[Cell; G], at: usize, block: usize) -> V {
        let [a, b, c, d] = core::array::from_fn(|i| load(block_of(&cells[at + i].0, block)));
        let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, c), d)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [Cell; G], at: usize, block: usize, vector: V) {
        store(&mut cells[at], block, _mm512_castsi512_si128(vector));
        store(&mut cells[at + 1], block, _mm512_extracti32x4_epi32::<1>(vector));
        store(&mut cells[at + 2], block, _mm512_extracti32x4_epi32::<2>(vector));
        store(&mut cells[at + 3], block, _mm512_extracti32x4_epi32::<3>(vector));
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn lanes(are_ones: &[bool; WIDTH]) -> V {
        let [a, b, c, d] = are_ones.map(|is_one| -i64::from(is_one));
        _mm512_setr_epi64(a, a, b, b, c, c, d, d)
    }

    operations!(
        "vaes,avx512f",
        __m512i,
        _mm512_aesenc_epi128,
        _mm512_unpacklo_epi32,
        _mm512_unpackhi_epi32,
        _mm512_unpacklo_epi64,
        _mm512_unpackhi_epi64,
        _mm512_xor_si512,
        _mm512_and_si512
    );
    haraka_kernels!("vaes,avx512f");
}
