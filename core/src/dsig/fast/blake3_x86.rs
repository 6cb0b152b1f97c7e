//! BLAKE3 on x86-64, with eight and sixteen inputs in parallel.
#![allow(unsafe_code, reason = "loads and stores")]
#![allow(clippy::indexing_slicing, reason = "bounds known to the compiler")]

use core::arch::x86_64::*;

use super::super::block::{FLAGS, words};
use super::super::cell::HashCell;
use super::blake3_kernels::{blake3_kernels, four, key_kernels, round};
use super::groups::for_each_group;
use super::walk::Walk;
use crate::wire::context::{IV, SCHEDULE};

/// Sixteen words of ones, then sixteen zeros.
static FIRST: [u32; 32] = {
    let (mut words, mut i) = ([0; 32], 0);
    while i < 16 {
        (words[i], i) = (u32::MAX, i + 1);
    }
    words
};

fn halves(cell: &[u8; 64]) -> &[[u8; 32]; 2] {
    cell.as_chunks().0.first_chunk().unwrap_or(&[[0; 32]; 2])
}

#[target_feature(enable = "avx2")]
#[inline]
fn load8(words: &[u32; 8]) -> __m256i {
    // SAFETY: 32 bytes, of any alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes, of any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store32(vector: __m256i) -> [u8; 32] {
    let mut bytes = [0; 32];
    // SAFETY: 32 bytes, of any alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) };
    bytes
}

/// Transposes rows to columns, and back.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose8(r: [__m256i; 8]) -> [__m256i; 8] {
    let pair = |i: usize| (_mm256_unpacklo_epi32(r[i], r[i + 1]), _mm256_unpackhi_epi32(r[i], r[i + 1]));
    let four = |i: usize| {
        let ((a, b), (c, d)) = (pair(i), pair(i + 2));
        [
            _mm256_unpacklo_epi64(a, c),
            _mm256_unpackhi_epi64(a, c),
            _mm256_unpacklo_epi64(b, d),
            _mm256_unpackhi_epi64(b, d),
        ]
    };
    let (low, high) = (four(0), four(4));
    core::array::from_fn(|i| {
        if i < 4 {
            _mm256_permute2x128_si256::<0x20>(low[i], high[i])
        } else {
            _mm256_permute2x128_si256::<0x31>(low[i - 4], high[i - 4])
        }
    })
}

/// Defines a one-instruction function under the name that the kernels use.
macro_rules! operations {
    ($features:literal, $v:ty, $($name:ident = |$($x:ident),*| $body:expr;)*) => {$(
        #[target_feature(enable = $features)]
        #[inline]
        fn $name($($x: $v),*) -> $v {
            $body
        }
    )*};
}

/// Computes eight blocks of one input's extended output.
macro_rules! extend {
    ($features:literal) => {
        #[target_feature(enable = $features)]
        pub(in super::super) fn extend(
            key: &[u32; 8],
            m: &[u32; 16],
            len: u32,
            counters: &[u32; LANES],
            out: &mut [[u8; 64]; LANES],
        ) {
            let (mut h, mut message) = ([splat(0); 8], [splat(0); 16]);
            h.iter_mut().zip(key).for_each(|(to, word)| *to = splat(*word));
            message.iter_mut().zip(m).for_each(|(to, word)| *to = splat(*word));
            let v = rounds::<false>(&h, &message, load8(counters), splat(len), splat(FLAGS));
            let low = rows(&core::array::from_fn(|i| xor(v[i], v[i + 8])));
            let high = rows(&core::array::from_fn(|i| xor(v[i + 8], h[i])));
            for (lane, out) in out.iter_mut().enumerate() {
                out[..32].copy_from_slice(&low[lane]);
                out[32..].copy_from_slice(&high[lane]);
            }
        }
    };
}

/// Operations on 256-bit vectors, for any target feature.
macro_rules! eight {
    ($features:literal) => {
        type V = __m256i;
        const LANES: usize = 8;

        #[target_feature(enable = $features)]
        #[inline]
        fn splat(word: u32) -> V {
            _mm256_set1_epi32(word as i32)
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn load(words: &[u32; LANES]) -> V {
            load8(words)
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn columns(rows: &[[u8; 32]; LANES]) -> [V; 8] {
            let mut vectors = [_mm256_setzero_si256(); 8];
            for (vector, row) in vectors.iter_mut().zip(rows) {
                *vector = load32(row);
            }
            transpose8(vectors)
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn rows(columns: &[V; 8]) -> [[u8; 32]; LANES] {
            let mut rows = [[0; 32]; LANES];
            for (row, vector) in rows.iter_mut().zip(transpose8(*columns)) {
                *row = store32(vector);
            }
            rows
        }

        operations! {
            $features, V,
            add = |a, b| _mm256_add_epi32(a, b);
            xor = |a, b| _mm256_xor_si256(a, b);
            and = |a, b| _mm256_and_si256(a, b);
        }
    };
}

/// AVX2: rotations by whole bytes are shuffles, the other rotations two shifts.
pub(super) mod avx2 {
    use super::*;

    eight!("avx2");
    operations! {
        "avx2", V,
        right16 = |x| _mm256_shuffle_epi8(x, turned_by_2());
        right12 = |x| _mm256_or_si256(_mm256_srli_epi32::<12>(x), _mm256_slli_epi32::<20>(x));
        right8 = |x| _mm256_shuffle_epi8(x, turned_by_1());
        right7 = |x| _mm256_or_si256(_mm256_srli_epi32::<7>(x), _mm256_slli_epi32::<25>(x));
    }
    blake3_kernels!("avx2");
    extend!("avx2");

    #[target_feature(enable = "avx2")]
    #[inline]
    fn turned_by_2() -> V {
        let half = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
        _mm256_broadcastsi128_si256(half)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn turned_by_1() -> V {
        let half = _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12);
        _mm256_broadcastsi128_si256(half)
    }
}

/// Eight lanes with the AVX-512 rotations.
pub(super) mod avx512vl {
    use super::*;

    eight!("avx2,avx512f,avx512vl");
    operations! {
        "avx2,avx512f,avx512vl", V,
        right16 = |x| _mm256_ror_epi32::<16>(x);
        right12 = |x| _mm256_ror_epi32::<12>(x);
        right8 = |x| _mm256_ror_epi32::<8>(x);
        right7 = |x| _mm256_ror_epi32::<7>(x);
    }
    blake3_kernels!("avx2,avx512f,avx512vl");
    extend!("avx2,avx512f,avx512vl");
    key_kernels!("avx2,avx512f,avx512vl");

    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    #[inline]
    fn store(words: &mut [u32; LANES], vector: V) {
        // SAFETY: 32 bytes, of any alignment.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) }
    }
}

/// Sixteen lanes.
pub(super) mod avx512 {
    use super::*;

    type V = __m512i;
    const LANES: usize = 16;

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn splat(word: u32) -> V {
        _mm512_set1_epi32(word as i32)
    }

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn load(words: &[u32; LANES]) -> V {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn store(words: &mut [u32; LANES], vector: V) {
        // SAFETY: 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
    }

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn columns(rows: &[[u8; 32]; LANES]) -> [V; 8] {
        let [mut low, mut high] = [[_mm256_setzero_si256(); 8]; 2];
        for i in 0..8 {
            (low[i], high[i]) = (load32(&rows[i]), load32(&rows[i + 8]));
        }
        let (low, high) = (transpose8(low), transpose8(high));
        let mut columns = [splat(0); 8];
        for i in 0..8 {
            columns[i] = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low[i]), high[i]);
        }
        columns
    }

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn rows(columns: &[V; 8]) -> [[u8; 32]; LANES] {
        let [mut low, mut high] = [[_mm256_setzero_si256(); 8]; 2];
        for i in 0..8 {
            low[i] = _mm512_castsi512_si256(columns[i]);
            high[i] = _mm512_extracti64x4_epi64::<1>(columns[i]);
        }
        let (low, high) = (transpose8(low), transpose8(high));
        let mut rows = [[0; 32]; LANES];
        for i in 0..8 {
            rows[i] = store32(low[i]);
            rows[i + 8] = store32(high[i]);
        }
        rows
    }

    operations! {
        "avx2,avx512f", V,
        add = |a, b| _mm512_add_epi32(a, b);
        xor = |a, b| _mm512_xor_si512(a, b);
        and = |a, b| _mm512_and_si512(a, b);
        right16 = |x| _mm512_ror_epi32::<16>(x);
        right12 = |x| _mm512_ror_epi32::<12>(x);
        right8 = |x| _mm512_ror_epi32::<8>(x);
        right7 = |x| _mm512_ror_epi32::<7>(x);
    }
    blake3_kernels!("avx2,avx512f");
    key_kernels!("avx2,avx512f");
}
