//! Haraka on x86-64, with vectors of one, two and four blocks.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use super::super::cell::HashCell;
use super::super::haraka::CONSTANTS;
use super::groups::for_each_group;
use super::haraka_kernels::{advance, haraka_kernels};
use super::plain::block_of;
use super::walk::Walk;

/// Defines the operations that the kernels use, for one width.
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
    pub(super) fn store(cell: &mut HashCell, block: usize, vector: __m128i) {
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
    fn gather<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 2] {
        let cell = &cells[at].0;
        [load(block_of(cell, 0)), load(block_of(cell, 1))]
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn gather_whole<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 4] {
        let cell = &cells[at].0;
        [load(block_of(cell, 0)), load(block_of(cell, 1)), load(block_of(cell, 2)), load(block_of(cell, 3))]
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [HashCell; G], at: usize, [front, back]: [V; 2]) {
        store(&mut cells[at], 0, front);
        store(&mut cells[at], 1, back);
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
    fn pair<const G: usize>(cells: &[HashCell; G], at: usize, block: usize) -> V {
        let (a, b) = (load(block_of(&cells[at].0, block)), load(block_of(&cells[at + 1].0, block)));
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 2] {
        [pair(cells, at, 0), pair(cells, at, 1)]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather_whole<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 4] {
        [pair(cells, at, 0), pair(cells, at, 1), pair(cells, at, 2), pair(cells, at, 3)]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [HashCell; G], at: usize, [front, back]: [V; 2]) {
        store(&mut cells[at], 0, _mm256_castsi256_si128(front));
        store(&mut cells[at], 1, _mm256_castsi256_si128(back));
        store(&mut cells[at + 1], 0, _mm256_extracti128_si256::<1>(front));
        store(&mut cells[at + 1], 1, _mm256_extracti128_si256::<1>(back));
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

    use super::aesni::load;
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
    fn load32(cell: &HashCell) -> __m256i {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm256_loadu_si256(cell.0.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn store32(cell: &mut HashCell, vector: __m256i) {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm256_storeu_si256(cell.0.as_mut_ptr().cast(), vector) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load64(cell: &HashCell) -> V {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm512_loadu_si512(cell.0.as_ptr().cast()) }
    }

    /// Loads the two halves of four cells into two vectors of blocks.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn gather<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 2] {
        let two = |i: usize| {
            _mm512_inserti64x4::<1>(
                _mm512_castsi256_si512(load32(&cells[at + i])),
                load32(&cells[at + i + 1]),
            )
        };
        let (low, high) = (two(0), two(2));
        [_mm512_shuffle_i64x2::<0b10_00_10_00>(low, high), _mm512_shuffle_i64x2::<0b11_01_11_01>(low, high)]
    }

    /// Loads four cells into their four blocks.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn gather_whole<const G: usize>(cells: &[HashCell; G], at: usize) -> [V; 4] {
        let [a, b, c, d] =
            [load64(&cells[at]), load64(&cells[at + 1]), load64(&cells[at + 2]), load64(&cells[at + 3])];
        let (ab, cd) =
            (_mm512_shuffle_i64x2::<0b01_00_01_00>(a, b), _mm512_shuffle_i64x2::<0b01_00_01_00>(c, d));
        let (ef, gh) =
            (_mm512_shuffle_i64x2::<0b11_10_11_10>(a, b), _mm512_shuffle_i64x2::<0b11_10_11_10>(c, d));
        [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(ab, cd),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(ab, cd),
            _mm512_shuffle_i64x2::<0b10_00_10_00>(ef, gh),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(ef, gh),
        ]
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn scatter<const G: usize>(cells: &mut [HashCell; G], at: usize, [front, back]: [V; 2]) {
        let (low, high) = (
            _mm512_shuffle_i64x2::<0b01_00_01_00>(front, back),
            _mm512_shuffle_i64x2::<0b11_10_11_10>(front, back),
        );
        for (i, two) in [(0, low), (2, high)] {
            // Two fronts and two backs, interleaved.
            let two = _mm512_shuffle_i64x2::<0b11_01_10_00>(two, two);
            store32(&mut cells[at + i], _mm512_castsi512_si256(two));
            store32(&mut cells[at + i + 1], _mm512_extracti64x4_epi64::<1>(two));
        }
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
